"""Scores of an allocation, counted again from the trace of a run."""

from collections import Counter

import pytest

import senn
from senn.machine.engines import events
from senn.machine.placing.schedule import place, scores
from tests.machine.random_programs import case


@pytest.mark.fast("*5")
@pytest.mark.parametrize("seed", range(3000, 3040))
def test_scores_are_those_of_the_trace(seed: int) -> None:
    """What the hops of a run say, counted one by one."""
    what, table, on, _ = case(seed)
    schedule = place(what, table, on)
    run = events.simulate(schedule, on, None)
    found = scores(schedule, run.summary["makespan"])
    sends = {m["id"]: m for m in run.trace.messages.iter_rows(named=True)}
    hops = Counter(hop["message"] for hop in run.trace.hops.iter_rows(named=True))
    channels = [
        (hop["source_array"], hop["wire"], hop["source_node"], hop["target_array"], hop["message"])
        for hop in run.trace.hops.iter_rows(named=True)
    ]
    of_one = Counter(
        (*channel, sends[message]["source_array"], sends[message]["instruction"])
        for *channel, message in channels
    )
    together = Counter(channel[:-1] for channel in channels)
    lives = Counter(
        (array, row, node)
        for array, rows in enumerate(schedule.allocation.tolist())
        for row, nodes in enumerate(rows)
        for node in nodes
    )
    assert found.dilation == max(hops.values(), default=0)
    assert found.congestion == max(of_one.values(), default=0)
    assert found.congestion_in_all == max(together.values(), default=0)
    assert found.word_hops == sum(sends[message]["words"] * count for message, count in hops.items())
    assert (found.makespan, found.network_steps) == (run.summary["makespan"], schedule.network_steps())
    assert found.load == max(lives.values())


def test_a_run_says_its_scores() -> None:
    """Seven links on four nodes, two on a node; the makespan is that of the run."""
    run = senn.run(
        "random:7", allocation="block", residency="home", set={"machine.nodes": 4}, detail="summary"
    )
    said = run.description["scores"]
    assert (said["load"], said["makespan"]) == (2, run.summary["makespan"])
    assert said["network_steps"] == run.description["schedule"]["network_steps"]

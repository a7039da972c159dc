"""Scores of an allocation: by hand, and counted again from the trace of a run."""

from collections import Counter
from dataclasses import replace

import pytest

import senn
from senn.machine.engines import events
from senn.machine.placing.schedule import Scores, place, scores
from senn.machine.program import PR1, Compute, Send, Value, i
from tests.machine.random_programs import case
from tests.machine.small_programs import home, machine, program, total

X, Y = (Value(name, None, (3,)) for name in "xy")
P, Q = (Value(name, None, (3,)) for name in "pq")


def test_scores_by_hand() -> None:
    """Two words of three go from i to i + 2 over 0-1-2-3, x at home and y at level 1: the channel from node 1
    to 2 carries two messages of each send; the second of a send waits for no other."""
    what = program(
        4,
        [
            Send("I.1", X, PR1[i + 2]),
            Compute("I.2", P, total(1)(X[i - 2])),
            Send("I.3", Y, PR1[i + 2], at=1),
            Compute("I.4", Q, total(1)(Y[i - 2]), at=1),
        ],
        resident=[(X, 1), (Y, 1)],
    )
    schedule = place(what, home(4), machine())
    assert scores(schedule) == Scores(
        dilation=2, congestion=2, congestion_in_all=4, load=1, word_hops=24, network_steps=4
    )
    folded = scores(place(what, [[0, 0, 0, 1]] * 3, replace(machine(), nodes=2)))
    assert folded == Scores(
        dilation=1, congestion=1, congestion_in_all=2, load=3, word_hops=6, network_steps=2
    )


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
    assert found.makespan == run.summary["makespan"]
    assert found.load == max(lives.values())


def test_a_run_says_its_scores() -> None:
    """Seven links on four nodes, two on a node; the makespan is that of the run."""
    run = senn.run(
        "random:7", allocation="block", residency="home", set={"machine.nodes": 4}, detail="summary"
    )
    said = run.description["scores"]
    assert (said["load"], said["makespan"]) == (2, run.summary["makespan"])
    assert said["network_steps"] == run.description["schedule"]["network_steps"]

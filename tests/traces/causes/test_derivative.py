"""The critical path counts what the makespan costs: one more cycle of a time, once for each time on the path.

The makespans are those of fresh runs on a clock so fine that nothing is rounded. Where messages are served in
one order with a little more and a little less, and the one costs as much as the other saves, no other path is
as long, and the count is exact.
"""

from collections import Counter
from dataclasses import replace

import polars as pl
import pytest

from senn.machine.engines import events
from senn.machine.model import Machine
from senn.machine.placing.schedule import Schedule, place
from senn.traces.run import Run
from tests.machine.random_programs import case

FINE = 10**6
PATHS = {"startup": "startup", "words": "word", "hop": "hop", "post": "post", "receive": "receive"}
"""Label of a piece -> the time of the machine that it took."""


def _counts(run: Run, machine: Machine) -> Counter[str]:
    """How often each time of the machine occurs on the critical path."""
    words = dict(run.trace.messages.select("id", "words").iter_rows())
    found: Counter[str] = Counter()
    for piece in run.path:
        if piece.label in ("post", "receive"):
            found[piece.label] += (piece.end - piece.start) // getattr(machine.timing, piece.label)
        elif piece.label != "compute":
            assert piece.message is not None
            found[PATHS[piece.label]] += words[piece.message] if piece.label == "words" else 1
    return found


def _finer(machine: Machine) -> Machine:
    names = ("multiply", "add", "divide", "trig", "startup", "word", "hop", "post", "receive")
    t = machine.timing
    return replace(machine, timing=replace(t, **{name: int(getattr(t, name) * FINE) for name in names}))


def _with(schedule: Schedule, machine: Machine, name: str, more: int) -> Run:
    times = replace(machine.timing, **{name: getattr(machine.timing, name) + more})
    return events.simulate(schedule, replace(machine, timing=times), None)


def _served(run: Run, machine: Machine) -> list[list[tuple[int, int]]]:
    """The hops in the order in which wires, buses and ports served them."""
    low = pl.min_horizontal("source_array", "target_array")
    keys = [[low, "wire"]]
    if machine.vertical == "bus":
        keys.append([low, pl.col("kind") == "vertical"])
    if machine.ports == "one":
        keys += [
            [f"{end}_array", f"{end}_node", pl.col("kind") == "vertical"] for end in ("source", "target")
        ]
    return [run.trace.hops.sort(*key, "start").select("message", "hop").rows() for key in keys]


@pytest.mark.fast("0", "40")
@pytest.mark.parametrize("first", range(0, 80, 4))
def test_one_more_cycle_of_a_time_costs_as_often_as_it_is_on_the_path(first: int) -> None:
    """Random programs on random machines: any ports, wires, buses, disciplines, switching and control."""
    compared = 0
    for seed in range(first, first + 4):
        program, table, machine, _ = case(seed)
        machine = _finer(machine)
        schedule = place(program, table, machine)
        run = events.simulate(schedule, machine, None)
        counts, now = _counts(run, machine), run.summary["makespan"]
        for name in PATHS.values():
            if getattr(machine.timing, name):
                more, less = (_with(schedule, machine, name, by) for by in (1, -1))
                costs = more.summary["makespan"] - now
                one_order = _served(more, machine) == _served(run, machine) == _served(less, machine)
                if one_order and costs == now - less.summary["makespan"]:
                    compared += 1
                    assert counts[name] == costs, (seed, name)
    assert compared > 0

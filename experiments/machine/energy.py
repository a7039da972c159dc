"""The table and the picture of energy.md: programs of 64 links that solve the same problem, in 45 nm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from matplotlib.axes import Axes

import senn
from experiments.page import Figures, Tables, head, row
from senn.traces import analysis
from senn.traces.analysis import share
from senn.traces.naming import joules
from senn.traces.run import Run

N = 64
NAMES = (
    *("closed-chain, form short", "divide-and-conquer", "closed-chain, form paper", "star", "star-blocks"),
    *("gather-solve-scatter", "gather-and-solve"),
)
PROGRAMS: Mapping[str, Mapping[str, Any]] = {
    name: {"form": name.split()[-1]} if "form" in name else {"algorithm": name} for name in NAMES
}


@cache
def runs() -> dict[str, Run]:
    """A run of each program."""
    common: dict[str, Any] = {"problem": f"random:{N}:seed=1", "machine": "cmos45", "numbers": False}
    return {name: senn.run(**common, **options) for name, options in PROGRAMS.items()}


def programs() -> Iterator[str]:
    """Cycles, energy, the share of moving, and cycles summed over all nodes, the fastest first."""
    yield from head("program", "cycles", "energy", "of it moving", "node cycles")
    for name, run in sorted(runs().items(), key=lambda entry: entry[1].summary["makespan"]):
        by_cause = dict(analysis.account(run.energy, "cause").select("cause", "femtojoules").iter_rows())
        whole, cycles = sum(by_cause.values()), run.summary["makespan"]
        nodes = run.description["machine"]["arrays"] * run.description["schedule"]["nodes"]
        moving = share(by_cause["moving"], whole)
        yield row(f"`{name}`", f"{cycles:,}", joules(whole), moving, f"{nodes * cycles:,}")


def frontier() -> Axes:
    first, *others = runs().values()
    return first.plot("energy", beside=others)


TABLES: Tables = {"programs": programs}
FIGURES: Figures = {"energy": frontier}

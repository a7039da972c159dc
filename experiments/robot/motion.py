"""The table and the figure of motion.md: real-time factors of machines, and an arm that swings on a line."""

from __future__ import annotations

from collections.abc import Iterator

import senn
from experiments.page import Figures, Tables, head, row
from senn.machine.model import load
from senn.motion import animation

STEP, RUNS = 0.01, 6
"""Seconds, and runs of the program for a step of RK4 with both corrections."""
PROGRAMS = {
    "form paper": {"form": "paper"},
    "form short": {"form": "short"},
    "star": {"algorithm": "star"},
    "one node": {"algorithm": "forward-pv-early"},
}


def factor(machine: str, **program: str) -> float:
    """Real-time factor of the Space Station arm."""
    run = senn.run("ssrms", machine=machine, numbers=False, detail="summary", **program)  # type: ignore[arg-type]
    return STEP * float(load(machine).clock_mhz) * 1e6 / (RUNS * run.summary["makespan"])


def factors() -> Iterator[str]:
    """A row for each machine."""
    yield from head("machine", *PROGRAMS)
    for machine in ("fijany", "mark3", "ipsc860", "t800", "maspar", "raw", "cluster"):
        yield row(f"`{machine}`", *(f"{factor(machine, **program):.3g}" for program in PROGRAMS.values()))


def swing() -> bytes:
    """The UR5, whose tip slides on a line, falls."""
    motion = senn.simulate("ur5", contact="line", torque="0", until=2.0, judge=0, impact=True)
    return animation(motion)


TABLES: Tables = {"factors": factors}
FIGURES: Figures = {"motion.gif": swing}

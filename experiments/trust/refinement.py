"""The tables of refinement.md: errors of refined programs against balls, and what a step costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

import senn
from experiments.page import Tables, head, row
from senn.algorithms import problems
from senn.algorithms.problems.problem import Problem
from tests.oracles import extended

MACHINES = ("fijany", "mark3", "raw")
ANSWERS = ("qdd", "force", "qdd0", "acceleration0", "forces")
OER = {"elimination": "oer"}
WAYS: Mapping[str, Mapping[str, Any]] = {
    "paper": {},
    "short": {"form": "short"},
    "short, oer": {"form": "short", **OER},
    "omega, oer": {"form": "omega", **OER},
}


def with_link(at: int, mass: float, size: float) -> Problem:
    """`random:8`, seed 1, one link with a part (or a multiple) of its mass and size."""
    what = problems.load("random:8:seed=1")
    parts = {name: np.array(getattr(what.chain, name)) for name in ("mass", "centre", "position", "inertia")}
    for name, factor in zip(parts, (mass, size, size, mass * size**2), strict=True):
        parts[name][at] *= factor
    return replace(what, chain=replace(what.chain, **parts))


def arms() -> dict[str, Problem]:
    named = ("ssrms", "random:64:seed=1", "rods:16:slenderness=0.01", "rods:8:slenderness=0.001")
    return {name: problems.load(name) for name in named} | {
        "last link, mass 1e-6, size 1e-2": with_link(-1, 1e-6, 1e-2),
        "middle link, mass 1e-6, size 1e-2": with_link(3, 1e-6, 1e-2),
        "last link, mass 1e5": with_link(-1, 1e5, 1.0),
    }


def errors() -> Iterator[str]:
    """The largest error of five answers, relative to each, unrefined and after one, two and three steps."""
    yield from head("arm", "program", "unrefined", "1 step", "2 steps", "3 steps")
    for name, what in arms().items():
        right = extended.enclosed(what)
        for way, choices in WAYS.items():
            cells = []
            for refine in range(4):
                run = senn.run(what, refine=refine, machine="ideal", detail="summary", **choices)
                off = (extended.error(run.result[x], getattr(right, x)) for x in ANSWERS)
                cells.append(f"{max(off):.0e}")
            yield row(name, way, *cells)


def costs() -> Iterator[str]:
    """What one step adds at n = 64; the laws of all counts are in schedule/laws.csv."""
    counts = ("instructions_1", "instructions_2", "network_steps", "messages", "makespan")
    heads = ("array 1", "array 2", "network steps", "messages", "cycles")
    yield from head("machine", "program", *heads, "of the makespan", "with --arrays V=1")
    for machine in MACHINES:
        for way, choices in WAYS.items():
            tables = (
                senn.steps([64], machine=machine, **more, **choices)
                for more in ({}, {"refine": 1}, {"refine": 1, "arrays": "V=1"})
            )
            plain, once, apart = (table.row(0, named=True) for table in tables)
            shares = ((x["makespan"] - plain["makespan"]) / plain["makespan"] for x in (once, apart))
            added = (once[name] - plain[name] for name in counts)
            yield row(machine, way, *added, *(f"{share:.0%}" for share in shares))


DATA: Tables = {"errors": errors, "costs": costs}

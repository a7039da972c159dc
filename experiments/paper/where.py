"""The table of where.md: published latencies of dynamics libraries beside simulated ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import senn
from experiments.page import Tables, head, row

CPU, GPU = "Pinocchio, a core of a Core i7-10700K, 3.8 GHz", "GRiD, a GeForce RTX 3080"
PUBLISHED = {
    ("inverse dynamics", 7): {CPU: 0.2, GPU: 3.0},
    ("forward dynamics", 7): {CPU: 0.9, GPU: 7.7},
    ("its gradient", 7): {CPU: 2.5, GPU: 12.9},
    ("forward dynamics", 30): {CPU: 5.3, GPU: 22.4},
}
"""Microseconds of one computation: README of GRiDBenchmarks, the IIWA arm and the humanoid Atlas."""
ONE, MANY = "senn, one core of an Epiphany-IV, 0.8 GHz", "senn, {} cores of it"
PROGRAMS: dict[str, dict[str, dict[str, Any]]] = {
    "inverse dynamics": {
        ONE: {"algorithm": "inverse-dynamics-newton-euler"},
        MANY: {"algorithm": "inverse-dynamics", "residency": "home"},
    },
    "forward dynamics": {
        ONE: {"algorithm": "forward-articulated"},
        MANY: {"algorithm": "open-chain", "residency": "home"},
    },
    "forward dynamics, tip welded": {
        ONE: {"algorithm": "forward-null-space", "contact": "weld"},
        MANY: {"form": "short", "residency": "home", "contact": "weld"},
    },
}


def latencies() -> Iterator[str]:
    """One computation, in microseconds."""
    yield from head("what", "joints", "by", "us")
    for (what, n), published in PUBLISHED.items():
        yield from (row(what, n, by, us) for by, us in published.items())
        yield from simulated(what, n)
    yield from simulated("forward dynamics, tip welded", 7)


def simulated(what: str, n: int) -> Iterator[str]:
    """Programs of senn for the same; none for a gradient."""
    for by, choices in PROGRAMS.get(what, {}).items():
        options = {"contact": "free", **choices}
        run = senn.run(f"random:{n}", machine="epiphany", numbers=False, **options)
        machine, nodes = run.description["machine"], run.description["schedule"]["nodes"]
        us = run.summary["makespan"] / float(machine["clock_mhz"])
        yield row(what, n, by.format(machine["arrays"] * nodes), f"{us:.1f}")


TABLES: Tables = {"latencies": latencies}

"""The table of where.md: published latencies of dynamics libraries beside simulated ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import senn
from experiments.page import Tables, head, row

PUBLISHED = {
    ("inverse dynamics", 7): (0.2, 3.0),
    ("forward dynamics", 7): (0.9, 7.7),
    ("its gradient", 7): (2.5, 12.9),
    ("forward dynamics", 30): (5.3, 22.4),
    ("forward dynamics, tip welded", 7): ("", ""),
}
"""Microseconds of Pinocchio and of GRiD: README of GRiDBenchmarks, the IIWA arm and the humanoid Atlas."""
PROGRAMS: dict[str, tuple[dict[str, Any], ...]] = {
    "inverse dynamics": ({"algorithm": "inverse-dynamics-newton-euler"}, {"algorithm": "inverse-dynamics"}),
    "forward dynamics": ({"algorithm": "forward-articulated"}, {"algorithm": "open-chain"}),
    "forward dynamics, tip welded": (
        {"algorithm": "forward-null-space", "contact": "weld"},
        {"form": "short", "contact": "weld"},
    ),
}
"""On one node, and on many with data at home; none for a gradient."""


def latencies() -> Iterator[str]:
    """One computation, in microseconds."""
    yield from head("us of", "joints", "Pinocchio, 3.8 GHz", "GRiD", "`senn`, a core, 0.8 GHz", "many cores")
    for (what, n), published in PUBLISHED.items():
        yield row(what, n, *published, *(simulated(choices, n) for choices in PROGRAMS.get(what, ({}, {}))))


def simulated(choices: dict[str, Any], n: int) -> str:
    """Microseconds of a program, and its cores if these are many."""
    if not choices:
        return ""
    options = {"contact": "free", "residency": "home", **choices}
    run = senn.run(f"random:{n}", machine="epiphany", numbers=False, **options)
    machine, nodes = run.description["machine"], run.description["schedule"]["nodes"]
    cores = machine["arrays"] * nodes
    us = f"{run.summary['makespan'] / float(machine['clock_mhz']):.1f}"
    return us if cores == 1 else f"{us} on {cores}"


TABLES: Tables = {"latencies": latencies}

"""The figure of machine.md, and its table of a chip of today."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import senn
from experiments.page import Figures, Tables, head, row
from senn.traces.pictures import plots

CHIP = "epiphany"
WAYS: dict[str, dict[str, Any]] = {
    "one core": {"machine": CHIP, "algorithm": "forward-pv-early"},
    "stores": {"machine": CHIP, "form": "short", "residency": "home"},
    "stores, migrating": {"machine": CHIP, "form": "short"},
    "DMA": {"machine": f"{CHIP}-dma", "form": "short", "residency": "home"},
}
SIZES = {"16, two arrays": (16, 2), "16, one array": (16, 1), "64, one array": (64, 1)}


def chip(sizes: dict[str, tuple[int, int]] = SIZES) -> Iterator[str]:
    """Microseconds of closed chains on a core and on 16 to 64 cores."""
    yield from head("links", "cores", *WAYS)
    clock = float(senn.run("random:2", machine=CHIP, numbers=False).description["machine"]["clock_mhz"])
    for name, (n, arrays) in sizes.items():
        cycles = (
            senn.run(f"random:{n}", **way, **_arrays(way, arrays), numbers=False).summary["makespan"]
            for way in WAYS.values()
        )
        yield row(name, arrays * n, *(f"{x / clock:.1f} us" for x in cycles))


def _arrays(way: dict[str, Any], arrays: int) -> dict[str, int]:
    """Arrays of a parallel program; a serial one has one node."""
    return {} if "algorithm" in way else {"arrays": arrays}


TABLES: Tables = {"chip": chip}
FIGURES: Figures = {"phases": lambda: plots.phases(senn.run("ssrms"))}

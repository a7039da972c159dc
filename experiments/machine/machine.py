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
    for name, (n, arrays) in sizes.items():
        more = ({} if "algorithm" in way else {"arrays": arrays} for way in WAYS.values())
        choices = ({**way, **some, "numbers": False} for way, some in zip(WAYS.values(), more, strict=True))
        runs = [senn.run(f"random:{n}", **one) for one in choices]
        clock = float(runs[0].description["machine"]["clock_mhz"])
        yield row(name, arrays * n, *(f"{run.summary['makespan'] / clock:.1f} us" for run in runs))


TABLES: Tables = {"chip": chip}
FIGURES: Figures = {"phases": lambda: plots.phases(senn.run("ssrms"))}

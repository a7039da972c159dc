"""The pictures of docs/allocations.md: who lives where, and what that costs."""

from __future__ import annotations

import matplotlib.pyplot as plt
import polars as pl
from matplotlib.figure import Figure
from measure_allocations import ALONE, measured

from senn.machine.placing import allocation
from senn.traces.pictures import plots

SHOWN = (
    ("identity", "home", 8),
    ("identity", "migrating", 8),
    ("gray", "migrating", 8),
    ("bit-reversed", "migrating", 8),
    ("block", "migrating", 4),
    ("cyclic", "home", 4),
)


def places() -> Figure:
    """Eight processes on eight nodes, and on four."""
    figure, axes = plt.subplots(3, 2, figsize=(9.6, 7.2), layout="constrained")
    for ax, (name, residency, nodes) in zip(axes.flat, SHOWN, strict=True):
        table = allocation.named(name, 8, residency, nodes)
        plots.places(table, ax, nodes=nodes, caption=f"{name}, {residency}")
    return figure


def scores() -> Figure:
    """The first measured table as bars."""
    names = pl.format("{}\n{}", "allocation", "residency")
    ax = plots.scores(measured(64, ALONE).with_columns(allocation=names), caption="n = 64, form paper, mark3")
    figure = ax.figure
    assert isinstance(figure, Figure)
    return figure

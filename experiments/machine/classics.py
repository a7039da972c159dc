"""The tables and figures of classics.md: what the classics send, and in how many steps on which network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import senn
from experiments.page import Figures, Tables, head, row
from senn.algorithms import gallery
from senn.machine import model
from senn.traces.parts import COLORS
from senn.traces.pictures.style import INK, LOOKS, SMALL
from senn.traces.run import Run

NETWORKS = {
    "SENN, migrating": ("senn", "migrating"),
    "SENN, at home": ("senn", "home"),
    "hypercube": ("hypercube", "home"),
    "torus": ("torus", "home"),
    "ring": ("ring", "home"),
    "full": ("full", "home"),
}
"""Network and residency by the title of the column."""
SIZES = (8, 16, 32, 64, 128, 256, 512)
LARGE = 64


def laws() -> Iterator[str]:
    """Formulas of each page."""
    yield from head("name", "algorithm", "instructions", "network steps", "words")
    for name in gallery.NAMES:
        formulas = (law if isinstance(law, str) else "3 n - 3 n^(2/3)" for law in _law(name).values())
        yield row(f"`{name}`", gallery.title(name), *formulas)


def _law(name: str) -> dict[str, object]:
    law: dict[str, object] = gallery.classic(name).LAW
    return law


def steps(name: str, n: int, column: str) -> int:
    """Network steps: slots of one message per channel that every send needs by itself, added up."""
    network, residency = NETWORKS[column]
    machine = model.load("fijany").with_settings({"machine.network": network})
    program = gallery.classic(name).program(n)
    return senn.placed(program, machine, residency).network_steps()  # type: ignore[arg-type]


def networks(sizes: Sequence[int] = SIZES) -> Iterator[str]:
    """Network steps of each classic at all sizes that it takes."""
    yield from head("name", "n", *NETWORKS)
    for name in gallery.NAMES:
        for n in sizes:
            try:
                gallery.classic(name).program(n)
            except senn.InputError:
                continue
            yield row(f"`{name}`", n, *(steps(name, n, column) for column in NETWORKS))


# ---------------------------------------------------------------------- pictures


def moved(run: Run) -> pl.DataFrame:
    """Messages between processes in order, with the number of the send that each belongs to."""
    sent = run.trace.messages.filter(pl.col("source_process") != pl.col("target_process"))
    sends = sent.select("step", "level").unique(maintain_order=True).with_row_index("send")
    return sent.join(sends, on=["step", "level"])


PANELS = tuple(name for name in gallery.NAMES if name != "sort")


def sent() -> Figure:
    """Every message of nine classics, from the process that sends to the process that receives."""
    figure, panels = pyplot.subplots(3, 3, figsize=(12.0, 11.0), layout="constrained")
    for name, ax in zip(PANELS, panels.flat, strict=True):
        n = 8 if name == "matmul" else 16
        run = senn.run(f"{name}:{n}", residency="home")
        messages, parts = moved(run), list(gallery.classic(name).program(n).parts)
        for step, send, source, target in messages["step", "send", "source_process", "target_process"].rows():
            color = COLORS[parts.index(step.split(".")[0])]
            ax.plot((send, send + 0.8), (source, target), color=color, linewidth=1.1)
            ax.plot(send + 0.8, target, ".", color=color, markersize=4.0)
        _processes(ax, n)
        ax.set_title(f"{name}, {len(messages)} messages", fontsize="medium", loc="left")
        ax.set_xticks(range(max(messages["send"]) + 1), range(1, max(messages["send"]) + 2))
    for ax in panels[-1]:
        ax.set_xlabel("send")
    for ax in panels[:, 0]:
        ax.set_ylabel("process")
    return figure


def _processes(ax: Axes, n: int) -> None:
    ax.set_ylim(n + 0.6, 0.4)
    ax.set_yticks([1, *range(4, n + 1, 4)])
    ax.grid(visible=False)
    ax.spines[["top", "right"]].set_visible(False)


def sorting() -> Figure:
    """Sixteen numbers on their way through the sort, coloured by rank, and the exchanges."""
    n = 16
    run = senn.run(f"sort:{n}", residency="home", values=True)
    messages = moved(run)
    stages = max(messages["level"]) + 2
    numbers = np.array([[run.values.get(1, "z", s, i)[0] for i in range(1, n + 1)] for s in range(stages)])
    rank = numbers.argsort(axis=1).argsort(axis=1)
    colors = pyplot.get_cmap("viridis")(np.linspace(0.0, 0.95, n))
    figure, ax = pyplot.subplots(figsize=(12.0, 5.6), layout="constrained")
    apart = messages.group_by("level").agg((pl.col("target_process") - pl.col("source_process")).abs().max())
    width = dict(apart.rows())
    begin = np.cumsum([0, *(1.0 + 0.35 * width[s] for s in range(stages - 1))])
    for s, place in enumerate(begin):
        end = begin[s + 1] if s + 1 < stages else place + 1.0
        for i in range(n):
            ax.plot(
                (place, end), (i + 1, i + 1), color=colors[rank[s, i]], linewidth=2.6, solid_capstyle="butt"
            )
    for level, source, target in messages["level", "source_process", "target_process"].rows():
        if source < target:
            distance = target - source
            at = begin[level] + 0.8 + 0.3 * ((source - 1) % distance)
            down = numbers[level + 1, target - 1] >= numbers[level + 1, source - 1]
            ends = (target, source) if down else (source, target)  # the arrow points at the larger
            ax.annotate(
                "",
                (at, ends[0]),
                (at, ends[1]),
                arrowprops={"arrowstyle": "-|>", "color": INK, "lw": 1.0, "shrinkA": 0, "shrinkB": 0},
            )
    _processes(ax, n)
    ax.set_xlim(0.0, float(begin[-1]) + 1.0)
    ends = [k * (k + 1) // 2 for k in range(1, 5)]
    starts = [0, *ends[:-1]]
    ax.set_xticks([begin[s] for s in starts], [f"runs of {2**k}" for k in range(1, 5)], ha="left")
    ax.set_ylabel("process")
    ax.set_title("Each arrow is two messages, and points at the larger number", loc="left", fontsize="medium")
    return figure


def by_network() -> Figure:
    """Network steps at n = 64 by classic, a mark for each network."""
    figure, ax = pyplot.subplots(figsize=(10.0, 4.6), layout="constrained")
    names = list(gallery.NAMES)
    for k, name in enumerate(names):
        for place, (column, (color, mark)) in enumerate(zip(NETWORKS, LOOKS, strict=False)):
            y = k + 0.11 * (place - 2.5)
            ax.plot(steps(name, LARGE, column), y, mark, color=color, markersize=6.0)
    ax.set_xscale("log")
    ax.set_xticks([2, 5, 10, 20, 50, 100], ["2", "5", "10", "20", "50", "100"])
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set_xlim(2.0, 200.0)
    ax.set_xlabel(f"network steps, n = {LARGE}")
    ax.grid(visible=True, axis="x")
    entries = [
        Line2D([], [], color=color, marker=mark, linestyle="", label=column)
        for column, (color, mark) in zip(NETWORKS, LOOKS, strict=False)
    ]
    ax.legend(
        handles=entries,
        ncols=len(entries),
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        fontsize=SMALL,
        frameon=False,
    )
    return figure


TABLES: Tables = {"laws": laws}
DATA: Tables = {"networks": networks}
FIGURES: Figures = {"classics_sent": sent, "classics_sorting": sorting, "classics_networks": by_network}

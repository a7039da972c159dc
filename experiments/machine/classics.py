"""The tables and figures of classics.md: what the classics send, and in how many steps on which network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import product

import polars as pl
from matplotlib import pyplot
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import senn
from experiments.page import Figures, Tables, head, row
from senn.algorithms import gallery
from senn.machine import model
from senn.traces.parts import COLORS
from senn.traces.pictures.style import LOOKS, SMALL
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
        formulas = gallery.classic(name).LAW.values()
        texts = (law if isinstance(law, str) else "3 n - 3 n^(2/3)" for law in formulas)
        yield row(f"`{name}`", gallery.title(name), *texts)


def steps(name: str, n: int, column: str) -> int:
    """Network steps: slots of one message per channel that every send needs by itself, added up."""
    network, residency = NETWORKS[column]
    machine = model.load("fijany").with_settings({"machine.network": network})
    program = gallery.classic(name).program(n)
    return senn.placed(program, machine, residency).network_steps()  # type: ignore[arg-type]


def networks(sizes: Sequence[int] = SIZES) -> Iterator[str]:
    """Network steps of each classic at all sizes that it takes."""
    yield from head("name", "n", *NETWORKS)
    for name, n in product(gallery.NAMES, sizes):
        with suppress(senn.InputError):  # a size that it does not take
            yield row(f"`{name}`", n, *[steps(name, n, column) for column in NETWORKS])


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
        ax.set(ylim=(n + 0.6, 0.4), yticks=[1, *range(4, n + 1, 4)])
        ax.grid(visible=False)
        ax.spines[["top", "right"]].set_visible(False)
        ax.set_title(f"{name}, {len(messages)} messages", fontsize="medium", loc="left")
        ax.set_xticks(range(max(messages["send"]) + 1), range(1, max(messages["send"]) + 2))
    for ax in panels[-1]:
        ax.set_xlabel("send")
    for ax in panels[:, 0]:
        ax.set_ylabel("process")
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
    looks = zip(NETWORKS, LOOKS, strict=False)
    entries = [Line2D([], [], color=x, marker=mark, linestyle="", label=name) for name, (x, mark) in looks]
    look = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "fontsize": SMALL, "frameon": False}
    ax.legend(handles=entries, ncols=len(entries), **look)
    return figure


TABLES: Tables = {"laws": laws}
DATA: Tables = {"networks": networks}
FIGURES: Figures = {"classics_sent": sent, "classics_networks": by_network}

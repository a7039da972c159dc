"""Where it hurts: a square for each level and node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter
from numpy.typing import NDArray

from senn.traces.analysis.causality import share
from senn.traces.analysis.charges import flights
from senn.traces.errors import InputError, printable
from senn.traces.pictures.style import INK, Entry, applied, axes, headed, of_run
from senn.traces.record import Trace
from senn.traces.run import Run

Of: TypeAlias = Literal["waiting", "sending", "computing", "exposed"]
HEAT = LinearSegmentedColormap.from_list("heat", ["#F4F4F4", "#F6D39A", "#E69F00", "#D55E00", "#6B1500"])
COLUMNS = 512
"""Of more nodes, neighbours are taken together."""
_Key = tuple[int, int | None]
"""An array and a level."""


@dataclass(frozen=True)
class _Quantity:
    """A table with array, node, level and cycles, in any order; what its cycles are; how the title begins."""

    table: Callable[[Run | Trace, Trace], pl.DataFrame]
    means: str
    finding: str


@applied()
def heat(run: Run | Trace, ax: Axes | None = None, *, of: Of = "waiting") -> Axes:
    """Levels of the loops down, nodes to the right, an array below the other; the darker, the more cycles.

    ``of`` says which cycles: "waiting", of messages for a channel, at the node that it leaves from;
    "sending", of the channels that leave the node, while they are occupied; "computing", of its engine;
    "exposed", of messages of the node because of which somebody stood still, as `analysis.flights` has them
    (of several that an array waits for, the last; needs a run, for the times of its machine). The level is
    that of the instruction that sent or computed; what is in no loop has a row of its own. Of more than 512
    nodes a column is the mean of neighbours. InputError for another ``of``, and for a trace of less detail
    than "full".
    """
    if of not in _QUANTITIES:
        raise InputError(f'heat: of what? "{printable(str(of))}" is none of {", ".join(get_args(Of))}')
    trace, caption = of_run(run)
    trace.require("hops")
    table = _QUANTITIES[of].table(run, trace)
    nodes = 1 + max(
        int(column.to_numpy().max(initial=0))
        for column in (trace.activities["node"], trace.hops["source_node"], trace.hops["target_node"])
    )
    keys, squares = _squares(trace, table, nodes)
    together = -(-nodes // COLUMNS)
    drawn = _means(squares, together)
    ax = axes(ax, min(4.4 + 0.42 * nodes, 12.0), max(2.2 + 0.3 * len(keys), 4.2))
    order = list(dict.fromkeys(array for array, _ in keys))
    y = np.array([index + 0.6 * order.index(array) for index, (array, _) in enumerate(keys)])
    image = None
    for array in order:
        rows = [index for index, key in enumerate(keys) if key[0] == array]
        low, high = y[rows[0]] - 0.5, y[rows[-1]] + 0.5
        image = ax.imshow(
            drawn[rows],
            cmap=HEAT,
            vmin=0,
            vmax=max(int(squares.max(initial=0)), 1),
            extent=(-0.5, drawn.shape[1] * together - 0.5, high, low),
            aspect="auto",
            interpolation="nearest",
        )
        if nodes <= 64:
            for node in range(1, nodes):
                ax.plot([node - 0.5] * 2, [low, high], color="white", linewidth=0.6)
        for row in rows[1:]:
            ax.axhline(y[row] - 0.5, color="white", linewidth=0.6)
        ax.annotate(
            f"array {array}",
            (1.0, (low + high) / 2),
            (8, 0),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            rotation=270,
            va="center",
            color=INK,
        )
    names = ["in no loop" if level is None else f"level {level}" for _, level in keys]
    ax.set_yticks(y, names)
    ax.set_ylim(y[-1] + 0.5, y[0] - 0.5)
    ax.set_xlim(-0.5, nodes - 0.5)
    ax.set_xlabel("node" if together == 1 else f"node (each column is the mean of {together})")
    ax.xaxis.set_major_locator(
        MaxNLocator(min(nodes, 16), integer=True, steps=[1, 2, 4, 5, 8, 10], min_n_ticks=1)
    )
    for side in ax.spines.values():
        side.set_visible(False)
    ax.tick_params(length=0)
    assert image is not None
    assert ax.figure is not None
    bar = ax.figure.colorbar(image, ax=ax, pad=0.05, aspect=30, format=lambda cycles, _: f"{cycles:,.0f}")
    bar.locator = MaxNLocator(7, integer=True)
    bar.update_ticks()
    bar.set_label(_QUANTITIES[of].means)
    bar.outline.set_visible(False)
    headed(ax, _finding(_QUANTITIES[of], keys, squares), [], caption)
    return ax


def _squares(trace: Trace, table: pl.DataFrame, nodes: int) -> tuple[list[_Key], NDArray[np.int64]]:
    """Arrays and levels in order, what is in no loop first; and (keys, nodes) cycles."""
    there = trace.instructions.select("array", "level").unique().sort("array", "level", nulls_last=False)
    keys: list[_Key] = list(there.iter_rows())
    row = {key: index for index, key in enumerate(keys)}
    squares = np.zeros((len(keys), nodes), dtype=np.int64)
    sums = table.group_by("array", "level", "node").agg(pl.col("cycles").sum())
    for array, level, node, cycles in sums.select("array", "level", "node", "cycles").iter_rows():
        squares[row[array, level], node] = cycles
    return keys, squares


def _means(squares: NDArray[np.int64], together: int) -> NDArray[np.float64]:
    """Means over ``together`` neighbouring nodes; the last over those that are left."""
    first = np.arange(0, squares.shape[1], together)
    counts = np.diff(np.append(first, squares.shape[1]))
    return np.asarray(np.add.reduceat(squares, first, axis=1) / counts)


def _of_hops(trace: Trace, cycles: pl.Expr) -> pl.DataFrame:
    """The node is the one that the hop leaves, the array too; the level is that of the send."""
    levels = trace.instructions.select(
        pl.col("array").alias("sender"), pl.col("serial").alias("instruction"), "level"
    )
    sent = trace.messages.select(
        pl.col("id").alias("message"), pl.col("source_array").alias("sender"), "instruction"
    ).join(levels, on=["sender", "instruction"], how="left")
    return trace.hops.join(sent, on="message").select(
        pl.col("sender").alias("array"), pl.col("source_node").alias("node"), "level", cycles.alias("cycles")
    )


def _waiting(run: Run | Trace, trace: Trace) -> pl.DataFrame:
    return _of_hops(trace, pl.col("start") - pl.col("queued"))


def _sending(run: Run | Trace, trace: Trace) -> pl.DataFrame:
    return _of_hops(trace, pl.col("end") - pl.col("start"))


def _computing(run: Run | Trace, trace: Trace) -> pl.DataFrame:
    levels = trace.instructions.select("array", pl.col("serial").alias("instruction"), "level")
    work = trace.activities.filter(pl.col("class") == "compute").join(levels, on=["array", "instruction"])
    return work.select("array", "node", "level", (pl.col("end") - pl.col("start")).alias("cycles"))


def _exposed(run: Run | Trace, trace: Trace) -> pl.DataFrame:
    if isinstance(run, Trace):
        raise InputError(
            "heat: what was exposed needs a run, which says the times of its machine; this is a trace"
        )
    levels = trace.instructions.select(
        "array", pl.col("serial").alias("instruction"), pl.col("level").alias("loop")
    )
    exposed = flights(run).drop("level").join(levels, on=["array", "instruction"], how="left")
    return exposed.select("array", "node", pl.col("loop").alias("level"), pl.col("exposed").alias("cycles"))


_QUANTITIES: Mapping[str, _Quantity] = {
    "waiting": _Quantity(_waiting, "cycles that messages wait for a channel", "Messages wait for a channel"),
    "sending": _Quantity(_sending, "cycles that channels are occupied", "Channels are occupied"),
    "computing": _Quantity(_computing, "cycles that the engine computes", "Engines compute"),
    "exposed": _Quantity(_exposed, "cycles that messages are exposed", "Messages are exposed"),
}


def _finding(quantity: _Quantity, keys: list[_Key], squares: NDArray[np.int64]) -> str:
    whole = int(squares.sum())
    if not whole:
        return f"{quantity.finding} in no cycle"
    row, node = np.unravel_index(int(squares.argmax()), squares.shape)
    levels = squares.sum(axis=1)
    array, level = keys[int(levels.argmax())]
    worst = f"{'outside the loops' if level is None else f'at level {level}'} of array {array}"
    here_array, here = keys[int(row)]
    square = f"node {node}, {'in no loop' if here is None else f'level {here}'} of array {here_array}"
    most = share(int(levels.max()), whole)
    return f"{quantity.finding} {whole:,} cycles, {most} of them {worst}; most at {square}: {squares.max():,}"


# Where communication is hidden: the share of the run that is lost to it, over bandwidth and start-up.

_LOST = LinearSegmentedColormap.from_list("lost", ["#FFFFFF", "#F6D39A", "#E69F00", "#D55E00", "#6B1500"])


@applied()
def hidden(
    table: pl.DataFrame,
    curve: pl.DataFrame,
    here: tuple[float, float],
    within: float,
    ax: Axes | None = None,
    *,
    name: str = "this machine",
    caption: str | None = None,
) -> Axes:
    """Bandwidth to the right, in words per cycle, start-up upwards, in cycles; the darker, the more is lost.

    ``table`` has startup, word (cycles) and lost, the share of the makespan, for every pair of some start-ups
    and word times; ``curve`` the start-up up to which communication costs at most the share ``within``, by
    word time. ``here`` is the start-up and word time of the machine called ``name``, a
    dot if it is on the map.
    """
    ax = axes(ax, 8.6, 5.4)
    words = np.unique(table["word"].to_numpy())
    startups = np.unique(table["startup"].to_numpy())
    lost = table.sort("startup", "word")["lost"].to_numpy().reshape(len(startups), len(words))
    mesh = ax.pcolormesh(
        1 / words, startups, lost, cmap=_LOST, vmin=0, vmax=1, shading="gouraud", rasterized=True
    )
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlim(1 / words.max(), 1 / words.min())
    ax.set_ylim(startups.min(), startups.max())
    entries: list[Entry] = []
    there = curve.drop_nulls()
    if there.height:
        x, y = 1 / there["word"].to_numpy(), there["startup"].to_numpy()
        ax.plot(x, np.maximum(y, startups.min() / 10), color=INK, linewidth=2.2)
        label = f"break-even: the network costs {100 * within:g} %"
        entries.append(Line2D([], [], color=INK, linewidth=2.2, label=label))
    half = ax.contour(1 / words, startups, lost, levels=[0.5], colors=[INK], linewidths=1.2, linestyles="--")
    if any(len(part) for part in half.allsegs[0]):
        entries.append(
            Line2D([], [], color=INK, linewidth=1.2, linestyle="--", label="half of the run is lost")
        )
    startup, word = here
    if word and startups.min() <= startup <= startups.max() and words.min() <= word <= words.max():
        style = {"marker": "o", "markersize": 9, "color": INK, "markeredgecolor": "white", "linestyle": ""}
        ax.plot([1 / word], [startup], **style)  # type: ignore[arg-type]
        entries.append(Line2D([], [], label=name, **style))  # type: ignore[arg-type]
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
        axis.set_minor_formatter(NullFormatter())
    ax.set_xlabel("bandwidth of a channel (words per cycle)")
    ax.set_ylabel("start-up (cycles)")
    assert ax.figure is not None
    bar = ax.figure.colorbar(mesh, ax=ax, pad=0.02, aspect=30, format=lambda share, _: f"{100 * share:.0f} %")
    bar.set_label("of the run lost to the network")
    bar.outline.set_visible(False)
    headed(ax, _hidden_finding(table, there), entries, caption)
    return ax


def _hidden_finding(table: pl.DataFrame, there: pl.DataFrame) -> str:
    """From what is drawn: how far the hidden part of the map goes."""
    if not table["lost"].to_numpy().any():
        return "No machine of this map loses a cycle to its network"
    seen = there.filter(pl.col("startup") >= table["startup"].to_numpy().min())
    if not seen.height:
        return "Nowhere on this map is communication hidden"
    highest, slowest = seen["startup"].to_numpy().max(), there["word"].to_numpy().max()
    return (
        f"Communication is hidden only below start-ups of {highest:,.2g} cycles "
        f"and above {1 / slowest:,.2g} words per cycle"
    )

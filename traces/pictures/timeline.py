"""The picture of a run in full: every engine and DMA of every node over time, or how many of them work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.lines import Line2D

from senn.base.errors import InputError, printable
from senn.traces import analysis
from senn.traces.parts import OTHER, Parts
from senn.traces.pictures import style
from senn.traces.pictures.phases import levels, parts
from senn.traces.pictures.style import DPI, INK, SHADES, SHEET, WAIT, Entry, Floats
from senn.traces.run import Run

MANY = 48
"""From this number of nodes on, shares of them are drawn instead of each."""
MOST_ARROWS = 300
"""Most arrows that can be followed in one picture."""

Marks = set[tuple[str, str | None]]
"""What is done ("compute", "wait", ...) and in which phase."""


@style.applied()
def timeline(
    run: Run,
    ax: Axes | None = None,
    arrows: bool | str = False,
    *,
    start: int = 0,
    stop: int | None = None,
    nodes: tuple[int, int] | None = None,
) -> Axes:
    """Every compute engine and DMA over time in cycles, node by node and array by array; ink is time.

    Fewer than 48 nodes have a row each, the engine above, the messages in flight at the node (thin) below.
    What is at least a pixel long stands at its cycles; what is shorter is drawn as pale as the part of the
    pixel's time that it takes. For more nodes there are shares of them: upwards of the nodes that compute,
    post and receive, or wait, downwards the number of messages in flight, with the levels marked.

    Colours are the parts of the algorithm: full for computing, dark for posting and receiving, light for
    messages (of the step that sent them), lower and lighter from header and words to start-up and queue.
    Hatched: the control unit of the array is stalled. White: masked or idle. A line stands at the
    end of each array's last instruction, with its cycle.

    ``start`` and ``stop`` are the first and the last cycle drawn, ``nodes`` the first and the last node.
    ``arrows`` draws messages from their first grant at the source to their arrival at the target, between
    nodes drawn and within the time drawn: all, or those of the steps that a label names or begins, "I.b.5"
    or "I.b". `InputError` for what is not there, for more than 300 arrows, and for arrows between 48 nodes
    or more. Needs a trace of detail "full".
    """
    trace = run.trace
    trace.require("hops")
    ends = analysis.ends(trace)
    there = analysis.nodes(trace) - 1
    low, high = nodes or (0, there)
    if not 0 <= low <= high <= there:
        raise InputError(f"timeline: nodes {low} to {high} are not there; the nodes are 0 to {there}")
    shown = list(range(low, high + 1))
    first, last = style.window(trace, start, stop)
    messages = _chosen(trace.messages, arrows, shown, first, last)
    few = len(shown) < MANY
    arrays = sorted(ends)
    rows, bands = NodeRows(arrays, shown), Bands(arrays, shown)
    ax = style.axes(ax, 11.0, 1.6 + (rows.inches if few else bands.inches))
    style.cycles_axis(ax, last, first)
    entries: list[Entry] = []
    drawn: Marks = set()
    if few:
        rows.label(ax)
        drawn, paler = _rows(ax, run, rows, first, last)
        if paler:
            entries.append(
                style.patch("paler: part of the time of a pixel", facecolor=(*style.mixed(OTHER, 0.0), 0.4))
            )
        if arrows:
            begin = np.mean(rows.edges("words", messages["source_array"], messages["source_node"]), axis=0)
            finish = rows.edges("engine", messages["target_array"], messages["target_node"])[0]
            tails, tips = (messages["granted"], begin), (messages["arrived"], finish)
            lines = np.stack([np.column_stack(tails), np.column_stack(tips)], axis=1)
            ax.add_collection(LineCollection(list(lines), colors=INK, linewidths=0.7, alpha=0.8))
            ax.plot(*lines[:, 1].T, linestyle="none", marker=".", markersize=5, color=INK)
            look: dict[str, Any] = {"color": INK, "linewidth": 0.7, "marker": ".", "markersize": 5}
            name = f"message of {arrows}" if isinstance(arrows, str) else "message"
            entries.append(Line2D([], [], label=name, **look))
    else:
        drawn = draw(ax, run, bands)
        tops = {array: bands.extent(array)[1] + 0.02 for array in arrays}
        parts(ax, trace, tops)
        entries.append(levels(ax, trace, tops))
    entries += _ends(ax, {a: end for a, end in ends.items() if first <= end <= last}, rows if few else bands)
    style.plain_frame(ax)
    entries = [*_legend(drawn, few, run.parts), *entries]
    style.headed(ax, _finding(run, shown, first, last), entries, style.caption_of(run))
    return ax


def _chosen(
    messages: pl.DataFrame, arrows: bool | str, nodes: Sequence[int], first: int, last: int
) -> pl.DataFrame:
    """The messages to draw as arrows."""
    if not arrows:
        return messages.clear()
    if isinstance(arrows, str):
        named = style.begins(arrows)
        if not messages.filter(named).height:
            parts = messages["step"].unique(maintain_order=True).str.split(".").list.head(2).list.join(".")
            raise InputError(
                f'arrows: no message is sent by a step that is "{printable(arrows)}" or starts with it: '
                f"those that send are {', '.join(parts.unique(maintain_order=True)) or 'none'}"
            )
        messages = messages.filter(named)
    if len(nodes) >= MANY:
        raise InputError(
            f"arrows: {len(nodes):,} nodes have no rows of their own; choose fewer than {MANY} with nodes"
        )
    there = pl.col("source_node").is_in(nodes) & pl.col("target_node").is_in(nodes)
    seen = messages.filter(there, pl.col("granted") <= last, pl.col("arrived") >= first)
    if seen.height > MOST_ARROWS:
        raise InputError(
            f"arrows: {seen.height:,} messages would cover the picture, {MOST_ARROWS} can be told apart; "
            "choose a step, such as I.b.5, or less time (from, to) or fewer nodes"
        )
    return seen


def _finding(run: Run, nodes: Sequence[int], first: int, last: int) -> str:
    """How much of its time, or of the time drawn, each array computes: the mean over the nodes drawn."""
    trace = run.trace
    computes: dict[int, float] = {}
    whole = first == 0 and last >= analysis.makespan(trace)
    for array, end in analysis.ends(trace).items():
        if end > first:
            table = analysis.shares(trace, run.in_flight, [first, end if whole else last], nodes)
            computes[array] = float(table.filter(array=array, kind="compute")["share"].sum())
    if not computes:
        return "Nothing was issued"
    if len(computes) > 3:
        most, least = (pick(computes, key=computes.__getitem__) for pick in (max, min))
        computes = {array: computes[array] for array in (most, least)}
    (array, share), *others = computes.items()
    rest = "".join(f", array {other} computes {style.percent(part)}" for other, part in others)
    there = run.description.get("schedule", {}).get("nodes", len(nodes))
    rest += f", on {len(nodes)} of {there} nodes" if len(nodes) < there else ""
    return (
        f"Array {array} computes {style.percent(share)} of {'its time' if whole else 'the time shown'}{rest}"
    )


def _rows(ax: Axes, run: Run, rows: NodeRows, first: int, last: int) -> tuple[Marks, bool]:
    """Waits, engines and messages of every node; what was drawn, and whether any of it is paler."""
    trace = run.trace
    here = pl.col("node").is_in(rows.nodes), pl.col("start") < last, pl.col("end") > first
    waited = analysis.stalls(trace)
    if not analysis.per_node(trace):
        every = pl.DataFrame({"node": rows.nodes}, schema={"node": pl.Int64})
        waited = waited.drop("node").join(every, how="cross")
    waited = waited.filter(*here)
    low, high = rows.edges("engine", waited["array"], waited["node"])
    style.waits(ax, waited["start"], waited["end"], low, high, WAIT)
    steps = analysis.issued(trace).select("array", "instruction", "step")
    engines = trace.activities.rename({"class": "kind"}).join(steps, on=["array", "instruction"], how="left")
    steps_sent = analysis.sent(trace).select("message", "step")
    flights = run.in_flight.rename({"label": "kind"}).join(steps_sent, on="message", how="left")
    lanes: list[tuple[Lane, pl.DataFrame]] = [("engine", engines)]
    lanes += [(name, flights.filter(kind=name)) for name in _FLIGHTS]
    drawn: Marks = {("wait", None)} if waited.height else set()
    paler = False
    for lane, table in lanes:
        table = table.filter(*here, pl.col("end") > pl.col("start"))
        table = table.with_columns(analysis.phase().alias("phase"))
        done = set(table.select("kind", "phase").unique().iter_rows())
        colors = {(kind, part): style.mixed(run.parts.color(part), SHADES[kind]) for kind, part in done}
        color = [colors[key] for key in table.select("kind", "phase").iter_rows()]
        paler |= fill(ax, rows, lane, table.with_columns(pl.Series("color", color, dtype=_COLOR)))
        drawn |= done
    return drawn, paler


_COLOR = pl.List(pl.Float64)


def _ends(ax: Axes, ends: dict[int, int], rows: NodeRows | Bands) -> list[Artist]:
    """A line where an array issues no more."""
    if not ends:
        return []
    look: dict[str, Any] = {"color": INK, "linewidth": 1.2}
    for array, end in ends.items():
        low, high = rows.extent(array)
        ax.plot([end, end], [low, high], **look)
        first, last = ax.get_xlim()
        after = end < first + 0.88 * (last - first)
        high = high if isinstance(rows, NodeRows) else low  # where levels are numbered above
        side, offset = ("left", 3) if after else ("right", -3)
        style.note(ax, f"{end:,}", (end, high), (offset, 1), ha=side, va="bottom")
    return [Line2D([], [], label="array has ended", **look)]


def _legend(drawn: Marks, few: bool, parts: Parts) -> list[Entry]:
    """Legend entries of the colours that are drawn."""
    entries: list[Entry] = []
    for name, color in parts.legend({label for _, label in drawn if label}):
        done = {kind for kind, label in drawn if label and parts.color(label) == color}
        first = next(kind for kind in SHADES if kind in done)  # a part may send without computing
        entries.append(style.patch(name, facecolor=style.mixed(color, SHADES[first])))
    for kinds, name in (
        (("post", "receive"), "post, receive"),
        *(((name,), f"{analysis.NAMES[name]}{height if few else ''}") for name, height in _FLIGHTS.items()),
    ):
        labels = {label for kind, label in drawn if kind in kinds and label}
        if labels:
            colors = (style.mixed(color, SHADES[kinds[0]]) for _, color in parts.legend(labels))
            entries.append(tuple(style.patch(name, facecolor=color) for color in colors))
    if ("wait", None) in drawn:
        entries.append(style.patch("stalled", **style.hatched(WAIT)))
    return [*entries, style.patch("masked or idle", facecolor="white", edgecolor=OTHER, linewidth=0.6)]


_GAP = 1.0  # between arrays, in rows
Lane = Literal["engine", "queue", "startup", "words", "hop"]
_FLIGHTS: dict[Lane, str] = {"queue": " (low)", "startup": " (half as high)", "words": "", "hop": ""}
"""Messages in the order in which they are drawn, the later ones on top, and how the legend knows them."""
_TOPS: dict[Lane, float] = {"engine": 0.94, "words": 0.32, "hop": 0.32, "startup": 0.2, "queue": 0.12}
"""Upper edge within the row of a node."""
_EDGED = 12  # pixels from which on a mark has a white edge, which takes a little of its ink


@dataclass(frozen=True)
class NodeRows:
    """A row of height 1 for every node, its engine above its messages; array 1 on top; y falls from 0."""

    arrays: list[int]
    nodes: list[int]

    @property
    def height(self) -> float:
        """Height of all arrays together."""
        return max(len(self.arrays), 1) * (len(self.nodes) + _GAP)

    @property
    def inches(self) -> float:
        """A height of the axes at which rows can be distinguished, no taller than a slide."""
        return min(0.3 * self.height, max(6.5, 0.12 * self.height))

    def extent(self, array: int) -> tuple[float, float]:
        """The lower and upper edge of an array."""
        top = -self.arrays.index(array) * (len(self.nodes) + _GAP)
        return top - len(self.nodes), top

    def edges(self, lane: Lane, array: pl.Series, node: pl.Series) -> tuple[Floats, Floats]:
        """The lower and upper edges of the engines or messages of these nodes."""
        tops = {number: self.extent(number)[1] for number in self.arrays}
        places = {number: float(place) for place, number in enumerate(self.nodes)}
        top = array.replace_strict(tops, default=None, return_dtype=pl.Float64).to_numpy()
        down = node.replace_strict(places, default=None, return_dtype=pl.Float64).to_numpy()
        low, high = 0.38 if lane == "engine" else 0.06, _TOPS[lane]
        return top - down - 1 + low, top - down - 1 + high

    def label(self, ax: Axes) -> None:
        """Node numbers along y, as many as there is room for, and beside them which array they are of."""
        room = 72 * ax.get_window_extent().height / ax.figure.dpi / self.height  # points of a row
        every = int(np.ceil(1.15 * SHEET["ytick.labelsize"] / room))
        ticks: list[tuple[float, str]] = []
        for array in self.arrays:
            low, high = self.extent(array)
            ticks += [(high - k - 0.5, str(node)) for k, node in enumerate(self.nodes) if k % every == 0]
            name = f"array {array}, node" if room * len(self.nodes) > 90 else f"array {array}"
            style.side_note(ax, name, (low + high) / 2, 12.0 + 8.0 * len(str(max(self.nodes))))
        ax.set_yticks([y for y, _ in ticks], [name for _, name in ticks])
        ax.set_ylim(_GAP / 2 - self.height, 0.7 * _GAP)  # above: room for the cycle of the end


def fill(ax: Axes, rows: NodeRows, lane: Lane, table: pl.DataFrame) -> bool:
    """Marks for array, node, start, end in the ``color`` (red, green, blue) of each; whether any are paler.

    A mark of at least a pixel is a rectangle at its cycles. What is shorter is gathered: between two such
    marks every stretch of about a pixel is drawn as dense as it is full, in the mean of its colors, so that
    ink is time wherever one looks. No mark is widened.
    """
    pixel = 72 / DPI / style.points_per_cycle(ax)
    first, last = ax.get_xlim()
    table = table.filter(pl.col("end") > pl.col("start"), pl.col("end") > first, pl.col("start") < last)
    parts: list[tuple[Floats, ...]] = []
    for _, marks in table.group_by("array", "node", maintain_order=True):
        low, high = (edge[0] for edge in rows.edges(lane, marks["array"][:1], marks["node"][:1]))
        start, end = (marks[name].to_numpy().astype(float) for name in ("start", "end"))
        drawn = _inked(start, end, np.array(marks["color"].to_list(), dtype=float), pixel)
        parts.append((*drawn, *(np.full(len(drawn[0]), edge) for edge in (low, high))))
    if not parts:
        return False
    start, end, colors, low, high = (np.concatenate(column) for column in zip(*parts, strict=True))
    edged = np.where(end - start >= _EDGED * pixel, 0.3, 0.0)
    style.boxes(
        ax, start, end, low, high, facecolors=colors, edgecolors="white", linewidths=edged, snap=False
    )
    return bool((colors[:, 3] < 1).any())


def _inked(start: Floats, end: Floats, colors: Floats, pixel: float) -> tuple[Floats, Floats, Floats]:
    """The rectangles of a lane, (k,) starts and ends and (k, 4) colors with their density."""
    wide = end - start >= pixel
    whole = start[wide], end[wide], np.column_stack([colors[wide], np.ones(wide.sum())])
    start, end, colors = start[~wide], end[~wide], colors[~wide]
    parts = [whole]
    # The stretches around short marks that no wide one takes.
    order = np.argsort(whole[0])
    begins = np.append(whole[0][order], end.max(initial=0))
    until = np.maximum.accumulate(np.append(start.min(initial=np.inf), whole[1][order]))
    for low, high in zip(until.tolist(), begins.tolist(), strict=True):
        here = (start < high) & (end > low)
        if high <= low or not here.any():
            continue
        edges = np.linspace(low, high, 1 + max(round((high - low) / pixel), 1))
        before = np.clip(edges[:, None] - start[here], 0, (end - start)[here])
        cycles = np.diff(before, axis=0)  # of each mark in each stretch
        full = cycles.sum(axis=1)
        some = full > 0
        color = cycles[some] @ colors[here] / full[some, None]
        density = np.minimum(full / np.diff(edges), 1.0)[some]
        parts.append((edges[:-1][some], edges[1:][some], np.column_stack([color, density])))
    begin, finish, colored = (np.concatenate(column) for column in zip(*parts, strict=True))
    return begin, finish, colored


_DOWN = 0.62  # the depth of the most messages in flight; 100 % of the nodes are 1 high
_APART = 2.4  # from the base of an array to that of the next


@dataclass(frozen=True)
class Bands:
    """Array 1 on top; each array has a base line, shares of its nodes above it and messages below."""

    arrays: list[int]
    nodes: list[int]

    @property
    def inches(self) -> float:
        """A height of the axes."""
        return 2.2 * style.enlarged() * len(self.arrays)  # room for the names beside it

    def extent(self, array: int) -> tuple[float, float]:
        """The lower and upper edge of an array."""
        base = -_APART * self.arrays.index(array)
        return base - _DOWN, base + 1.0

    def label(self, ax: Axes, most: dict[int, float]) -> None:
        """Shares along y, up from the base of each array, and down the most messages in flight."""
        ticks: list[tuple[float, str]] = []
        for array in self.arrays:
            base = self.extent(array)[1] - 1.0
            ticks += [(base + share, f"{100 * share:.0f} %") for share in (0.0, 0.5, 1.0)]
            ticks.append((base - _DOWN, f"{most[array]:,.0f}"))
            for low, high, name in ((0.0, 1.0, f"array {array}:\nnodes"), (-_DOWN, 0.0, "messages")):
                style.side_note(ax, name, base + (low + high) / 2, 46.0)
        ax.set_yticks([y for y, _ in ticks], [name for _, name in ticks])


def draw(ax: Axes, run: Run, bands: Bands) -> set[tuple[str, str | None]]:
    """The shares within the limits of x: what is done, and in which phase, as far as it is drawn.

    A stretch is about two pixels wide, and a share is a mean over it: the area of a colour is the time that
    it stands for. Nothing is sampled, so that nothing beats.
    """
    first, last = ax.get_xlim()
    stretches = max(int(style.points_per_cycle(ax) * (last - first) * DPI / 72 / 2), 1)
    edges = np.linspace(first, last, 1 + stretches)
    table = analysis.shares(run.trace, run.in_flight, edges, bands.nodes)
    flights = table.filter(pl.col("kind").is_in(list(_FLIGHTS)))
    at_once = flights.group_by("array", "stretch").agg(pl.col("share").sum())
    most = dict.fromkeys(bands.arrays, 1.0)
    most |= dict(at_once.group_by("array").agg(pl.col("share").max()).iter_rows())
    bands.label(ax, most)
    for array in bands.arrays:
        base = bands.extent(array)[1] - 1.0
        top = {1: np.zeros(stretches), -1: np.zeros(stretches)}
        for kind in (*SHADES, "wait"):
            side, depth = (-1, -_DOWN / most[array]) if kind in _FLIGHTS else (1, 1.0)
            rows = table.filter(array=array, kind=kind)
            for (phase,), of_phase in rows.group_by("phase", maintain_order=True):
                low, high = top[side], top[side].copy()
                high[of_phase["stretch"].to_numpy()] += of_phase["share"].to_numpy()
                look: dict[str, Any] = style.hatched(WAIT)
                if kind != "wait":
                    look = {"facecolor": style.mixed(run.parts.color(phase), SHADES[kind])}
                # Between two staircases one polygon for stretches that touch: seams would be seen as stripes.
                polygons, there = [], np.flatnonzero(high != low)
                for touching in np.split(there, np.flatnonzero(np.diff(there) > 1) + 1):
                    x = np.repeat(edges[touching[0] : touching[-1] + 2], 2)[1:-1]
                    down, up = (base + depth * np.repeat(edge[touching], 2) for edge in (low, high))
                    around = np.column_stack([x, down]), np.column_stack([x, up])[::-1]
                    polygons.append(np.concatenate(around))
                ax.add_collection(PolyCollection(polygons, **{"linewidth": 0, "snap": False, **look}))
                top[side] = high
        ax.plot([first, last], [base, base], color=INK, linewidth=0.8)
    ax.set_ylim(bands.extent(bands.arrays[-1])[0] - 0.1, 1.62)
    return set(table.select("kind", "phase").unique().iter_rows())

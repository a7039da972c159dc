"""The picture of a run in large: which part of the algorithm each array is in, and where it waits."""

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from senn.traces import analysis
from senn.traces.pictures.drawing import (
    axes,
    boxes,
    cycles_axis,
    headed,
    of_run,
    patch,
    percent,
    phase_entries,
    plain_frame,
    points_per_cycle,
)
from senn.traces.pictures.style import EXPOSED, INK, SMALL, WAIT, applied, hatched, mixed, phase_color
from senn.traces.record.trace import Trace

if TYPE_CHECKING:
    from senn.traces.run import Run

_BAND = 0.62  # height of the band of an array; arrays are 1 apart
_NETWORK = 0.13  # height of the lane of its DMAs
_BUSY = mixed(INK, 0.4)


@applied()
def phases(run: "Run | Trace", ax: Axes | None = None) -> Axes:
    """All arrays over time in cycles, Steps I to IV as bands: what overlaps what (Fijany Fig. 3 in time).

    A band is divided into the paper's parts (I.a, I.b, ...), named where there is room; ticks on it mark
    where a level begins. Hatched stretches are stalls, grey while the message was not yet posted (dependency
    wait), orange while it was on its way (exposed). The thin lane below shows when a DMA of the array is
    busy (traces of detail "full"). InputError where every node issues by itself: there, no array waits.
    """
    trace, caption = of_run(run)
    analysis.refuse_per_node(trace, "the picture of phases")
    spans = analysis.spans(trace)
    arrays = spans["array"].unique().sort().to_list()
    bottom = {array: -float(index) for index, array in enumerate(arrays)}
    ax = axes(ax, 11.0, 1.3 + 1.25 * len(arrays))
    full = trace.detail == "full"
    drained = analysis.communication(trace)["end"].to_list() if full else []
    cycles_axis(ax, max([analysis.makespan(trace), *drained]))
    _bands(ax, spans, bottom)
    _stalls(ax, analysis.stalls(trace), bottom)
    _levels(ax, analysis.level_starts(trace), bottom)
    if full:
        _network(ax, analysis.communication(trace), bottom)
    ax.set_yticks([low + _BAND / 2 for low in bottom.values()], [f"array {array}" for array in arrays])
    ax.set_ylim(1.0 - max(len(arrays), 1) - _NETWORK - 0.12, _BAND + 0.2)
    plain_frame(ax)
    entries = phase_entries(set(spans["phase"]))
    for name, color in (("exposed", EXPOSED), ("dependency wait", WAIT)):
        entries.append(patch(name, **hatched(color)))
    tick = {"linestyle": "none", "marker": "|", "markersize": 7, "color": INK}
    entries.append(Line2D([], [], label="a level begins", **tick))  # type: ignore[arg-type]
    if full:
        entries.append(patch("a DMA is busy", facecolor=_BUSY))
    headed(ax, _finding(trace), entries, caption)
    return ax


def _finding(trace: Trace) -> str:
    """Which array ends last, and how much of its time it stalls."""
    ends = analysis.ends(trace)
    if not ends:
        return "Nothing was issued"
    last = max(ends, key=lambda array: (ends[array], array))
    stalls = analysis.stalls(trace).filter(array=last)
    share = int((stalls["end"] - stalls["start"]).sum()) / max(ends[last], 1)
    said = f"Array {last} ends last and waits {percent(share)} of its time"
    others = {array: ends[array] / ends[last] for array in ends if array != last}
    if len(others) == 1:
        said += "".join(f"; array {array} has ended at {percent(part)}" for array, part in others.items())
    return said


def _bands(ax: Axes, spans: pl.DataFrame, bottom: dict[int, float]) -> None:
    shade = 0.0
    for array, phase, part, start, end in spans.iter_rows():
        shade = 0.28 if shade == 0.0 else 0.0  # neighbours of one phase differ a little
        low, color = bottom[array], phase_color(phase, shade)
        boxes(
            ax, start, end, low, low + _BAND, facecolors=color, edgecolors="white", linewidths=0.8, zorder=1
        )
        # Where a part begins is to be seen in the midst of stalls too.
        ax.plot([start, start], [low, low + _BAND], color="white", linewidth=1.6, zorder=3)
        if points_per_cycle(ax) * (end - start) > 8.0 * len(part) + 4:
            ax.text(
                (start + end) / 2,
                low + _BAND / 2,
                part,
                ha="center",
                va="center",
                color=INK,
                weight="bold",
                zorder=4,
                bbox={
                    "boxstyle": "round,pad=0.25",
                    "facecolor": phase_color(phase, 0.82),
                    "edgecolor": color,
                },
            )


def _stalls(ax: Axes, stalls: pl.DataFrame, bottom: dict[int, float]) -> None:
    low = np.array([bottom[array] for array in stalls["array"]])
    for start, end, color in (("start", "posted", WAIT), ("posted", "end", EXPOSED)):
        boxes(ax, stalls[start], stalls[end], low, low + _BAND, zorder=2, **hatched(color))


def _levels(ax: Axes, starts: pl.DataFrame, bottom: dict[int, float]) -> None:
    """A tick where a level begins, with its number where there is room up to the next tick."""
    room = (pl.col("start").shift(-1).over("array") - pl.col("start")).alias("room")
    for array, level, start, cycles in starts.select("array", "level", "start", room).iter_rows():
        top = bottom[array] + _BAND
        ax.plot([start, start], [top, top + 0.05], color=INK, linewidth=0.8)
        if cycles is None or points_per_cycle(ax) * cycles > 5.0 * len(f"{level}") + 3:
            ax.text(start, top + 0.06, f"{level}", ha="left", va="bottom", fontsize=SMALL, color=INK)


def _network(ax: Axes, busy: pl.DataFrame, bottom: dict[int, float]) -> None:
    low = np.array([bottom[array] for array in busy["array"]]) - _NETWORK - 0.05
    boxes(ax, busy["start"], busy["end"], low, low + _NETWORK, facecolors=_BUSY)

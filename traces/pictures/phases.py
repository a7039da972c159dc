"""The picture of a run in large: the part of the algorithm that each array executes, and its stalls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

import polars as pl
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.markers import TICKUP

from senn.traces import analysis
from senn.traces.parts import Parts
from senn.traces.pictures import style
from senn.traces.pictures.style import EXPOSED, INK, SMALL, WAIT, Entry
from senn.traces.record import Trace
from senn.traces.run import Run

_BAND = 0.62  # height of the band of an array; arrays are 1 apart
_NETWORK = 0.13  # height of the lane of its messages
_BUSY = style.mixed(INK, 0.4)


@style.applied()
def phases(run: Run, ax: Axes | None = None, *, start: int = 0, stop: int | None = None) -> Axes:
    """All arrays over time in cycles, the parts of the algorithm as bands: what overlaps what.

    It is Fijany's Fig. 3 in time. A band is divided into parts (I.a, I.b, ...), named upright if narrow;
    ticks on it mark where a level begins. Hatched stretches are stalls, grey while the message was not yet
    posted (dependency wait), orange while it was in flight (exposed stall). The thin lane below shows when
    messages of the array are in flight (traces of detail "full"). ``start`` and ``stop`` are the first and
    the last cycle drawn.
    InputError where every node issues by itself: there, no array is stalled; and where no cycle is left.
    """
    trace = run.trace
    analysis.refuse_per_node(trace, "the picture of phases")
    first, last = style.window(trace, start, stop)
    spans = analysis.spans(trace)
    arrays = spans["array"].unique().sort().to_list()
    bottom = {array: -float(index) for index, array in enumerate(arrays)}
    ax = style.axes(ax, 11.0, 1.9 + 1.35 * len(arrays))
    full = trace.detail == "full"
    style.cycles_axis(ax, last, first)
    shades = _bands(ax, spans, bottom, run.parts)
    stalls = analysis.stalls(trace)
    low = stalls["array"].replace_strict(bottom, return_dtype=pl.Float64)
    for begin, end, color in (("start", "posted", WAIT), ("posted", "end", EXPOSED)):
        style.boxes(
            ax, stalls[begin], stalls[end], low, low + _BAND, zorder=2, snap=False, **style.hatched(color)
        )
    ticks = levels(ax, trace, {array: low + _BAND + 0.01 for array, low in bottom.items()})
    if full:
        busy = analysis.communication(trace)
        low = busy["array"].replace_strict(bottom, return_dtype=pl.Float64) - _NETWORK - 0.05
        style.boxes(ax, busy["start"], busy["end"], low, low + _NETWORK, facecolors=_BUSY, snap=False)
    ax.set_yticks([low + _BAND / 2 for low in bottom.values()], [f"array {array}" for array in arrays])
    ax.set_ylim(1.0 - max(len(arrays), 1) - _NETWORK - 0.12, _BAND + 0.2)
    style.plain_frame(ax)
    entries: list[Entry] = []
    for name, color in run.parts.legend({label for label, _ in shades}):
        mine = sorted({shade for label, shade in shades if run.parts.color(label) == color})
        entries.append(tuple(style.patch(name, facecolor=style.mixed(color, shade)) for shade in mine))
    for name, color in (("exposed stall", EXPOSED), ("dependency wait", WAIT)):
        entries.append(style.patch(name, **style.hatched(color)))
    entries.append(ticks)
    if full:
        entries.append(style.patch("messages in flight", facecolor=_BUSY))
    whole = start == 0 and stop is None
    style.headed(ax, _finding(trace, None if whole else (first, last)), entries, style.caption_of(run))
    return ax


def _finding(trace: Trace, within: tuple[int, int] | None) -> str:
    """Which array ends last, and how much of its time it stalls; or how much of these cycles each stalls."""
    ends = analysis.ends(trace)
    if not ends:
        return "Nothing was issued"
    low, high = within or (0, max(ends.values()))
    cycles = (pl.col("end").clip(low, high) - pl.col("start").clip(low, high)).sum().alias("cycles")
    stalled = dict(analysis.stalls(trace).group_by("array").agg(cycles).sort("array").iter_rows())
    shares = {array: style.percent(count / max(high - low, 1)) for array, count in stalled.items()}
    if within:
        parts = ", ".join(f"array {array} is stalled {share}" for array, share in shares.items())
        return f"In cycles {low:,} to {high:,} {parts or 'no array is stalled'}"
    last = max(ends, key=lambda array: (ends[array], array))
    title = f"Array {last} ends last, stalled for {shares.get(last, '0 %')} of its time"
    others = [array for array in ends if array != last]
    if len(others) == 1:
        title += f"; array {others[0]} has ended at {style.percent(ends[others[0]] / high)}"
    return title


def _bands(ax: Axes, spans: pl.DataFrame, bottom: dict[int, float], palette: Parts) -> set[tuple[str, float]]:
    shade, drawn = 0.0, set()
    for array, phase, part, start, end in spans.iter_rows():
        shade = 0.28 if shade == 0.0 else 0.0  # neighbours of one phase differ a little
        low, color = bottom[array], style.mixed(palette.color(phase), shade)
        drawn.add((phase, shade))
        style.boxes(
            ax, start, end, low, low + _BAND, facecolors=color, edgecolors="white", linewidths=0.8, zorder=1
        )
        # Where a part begins is to be seen in the midst of stalls too.
        ax.plot([start, start], [low, low + _BAND], color="white", linewidth=1.6, zorder=3)
        low_seen, seen = max(start, ax.get_xlim()[0]), min(end, ax.get_xlim()[1])
        room = style.points_per_cycle(ax) * (seen - low_seen)
        if room > SMALL + 2:
            look: dict[str, Any] = {"facecolor": style.mixed(palette.color(phase), 0.82), "edgecolor": color}
            look = {"bbox": {"boxstyle": "round,pad=0.25", **look}, "weight": "bold", "color": INK}
            if room < 8.0 * len(part) + 4:  # upright in a narrow band
                look |= {"rotation": 90, "fontsize": SMALL}
            ax.text((low_seen + seen) / 2, low + _BAND / 2, part, ha="center", va="center", zorder=4, **look)
    return drawn


def parts(ax: Axes, trace: Trace, top: Mapping[int, float]) -> None:
    """The names of the parts of the algorithm above the numbers of levels, where there is room."""
    first, last = ax.get_xlim()
    for array, _, part, start, end in analysis.spans(trace).iter_rows():
        low, high = max(start, first), min(end, last)
        if array in top and style.points_per_cycle(ax) * (high - low) > 0.62 * SMALL * len(part):
            _above(ax, (low + high) / 2, top[array], part, 19, ha="center", weight="bold")


def levels(ax: Axes, trace: Trace, top: Mapping[int, float]) -> Line2D:
    """Ticks on top of each array where a level begins, numbered; the legend entry that says so.

    Where there is no room for the numbers of a loop, its first and last stand above its beginning.
    """
    starts = analysis.level_starts(trace).filter(pl.col("array").is_in(list(top)))
    again = (pl.struct("array", "part").rle_id().diff().fill_null(1) > 0) | (pl.col("level").diff() <= 0)
    ends = pl.col("array").replace_strict(analysis.ends(trace), return_dtype=pl.Int64)
    until = pl.col("start").shift(-1).over("array").fill_null(ends)
    loops = starts.with_columns(until=until, loop=again.fill_null(True).cum_sum())
    look: dict[str, Any] = {"linestyle": "none", "marker": TICKUP, "markersize": 5, "color": INK}
    seen = starts.filter(pl.col("start").is_between(*ax.get_xlim()))
    ax.plot(seen["start"], [top[array] for array in seen["array"]], clip_on=False, **look)
    for _, loop in loops.group_by("loop", maintain_order=True):
        low = top[loop["array"][0]]
        room = style.points_per_cycle(ax) * (loop["until"] - loop["start"]).to_numpy()
        if all(room > [0.7 * SMALL * len(str(level)) + 2 for level in loop["level"]]):
            for level, start in loop.select("level", "start").iter_rows():
                _above(ax, start, low, str(level), ha="left")
        elif room.sum() > 0.7 * SMALL * len(span := f"{loop['level'][0]}–{loop['level'][-1]}"):
            _above(ax, loop["start"][0], low, span, ha="left")
    return Line2D([], [], label="a level begins", **look)


def _above(ax: Axes, cycle: float, low: float, text: str, up: float = 6, **look: Any) -> None:
    """A text above the ticks, if its cycle is drawn."""
    first, last = ax.get_xlim()
    if first <= cycle <= last:
        style.note(ax, text, (cycle, low), (0, up), va="bottom", **look)


# The picture that a run shows of itself: its arrays over time, in a few lines of SVG.

_LEFT, _WIDTH, _RIGHT = 62, 860, 78  # of the names, the time, and the numbers
_ROW, _STRIP = 34, 20
_LETTER = 6.5
_WAITS = 0.25  # opacity


def strip(run: Run) -> str:
    """Which part of the algorithm each array is in, and when it works: `phases` in small.

    A band for each array from cycle 0 to the makespan, in the colours of the parts: full where the array
    computes or posts, pale where it is stalled. Needs the instructions; InputError where every node issues
    by itself, so that no array is stalled.
    """
    trace = run.trace
    analysis.refuse_per_node(trace, "the picture of arrays")
    ends = analysis.ends(trace)
    scale = _WIDTH / max([*ends.values(), 1])
    spans, stalls = analysis.spans(trace), analysis.stalls(trace)
    height = _ROW * len(ends) + 18
    lines = [
        f'<svg viewBox="0 0 {_LEFT + _WIDTH + _RIGHT} {height}" role="img" fill="currentColor" '
        'style="flex:1 1 600px;max-width:1000px" font-family="sans-serif" font-size="12">',
        "<title>Steps of each array over time; pale where it is stalled</title>",
    ]
    for row, (array, end) in enumerate(ends.items()):
        mine, waits = (table.filter(array=array) for table in (spans, stalls))
        top = _ROW * row + 14
        for phase, part, start, finish in mine.select("phase", "part", "start", "end").iter_rows():
            color = run.parts.color(phase)
            here = waits.filter((pl.col("start") >= start) & (pl.col("end") <= finish))
            busy = zip([start, *here["end"]], [*here["start"], finish], strict=True)
            whole, worked = _path([(start, finish)], top, scale), _path(busy, top, scale)
            lines.append(f'<path fill="{color}" opacity="{_WAITS}" d="{whole}"/>')
            lines.append(f'<path fill="{color}" d="{worked}"/>')
            if scale * (finish - start) > _LETTER * len(part) + 4:
                place = f'x="{_LEFT + scale * start:.1f}" y="{top - 3}"'
                lines.append(f'<text {place} font-size="11" opacity="0.8">{escape(part)}</text>')
        middle = top + _STRIP - 6
        lines.append(f'<text x="0" y="{middle}">array {array}</text>')
        lines.append(f'<text x="{_LEFT + scale * end + 4:.1f}" y="{middle}">{end:,}</text>')
    below = f'<text x="{_LEFT}" y="{height - 4}" opacity="0.7">'
    lines.append(
        f"{below}time in cycles; full: the array computes or posts, pale: it is stalled</text></svg>"
    )
    return "".join(lines)


def _path(stretches: Iterable[tuple[int, int]], top: int, scale: float) -> str:
    """Boxes over stretches of cycles."""
    return "".join(
        f"M{_LEFT + scale * start:.2f} {top}h{scale * (end - start):.2f}v{_STRIP}"
        f"H{_LEFT + scale * start:.2f}z"
        for start, end in stretches
        if end > start
    )

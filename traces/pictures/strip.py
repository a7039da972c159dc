"""The picture that a run shows of itself: its arrays over time, in a few lines of SVG."""

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

import polars as pl

from senn.traces import analysis
from senn.traces.pictures.style import OTHER, PHASES

if TYPE_CHECKING:
    from senn.traces.run import Run

_LEFT, _WIDTH, _RIGHT = 62, 860, 78  # of the names, the time, and the numbers
_ROW, _BAND = 34, 20
_LETTER = 6.5
_WAITS = 0.25  # opacity


def strip(run: "Run") -> str:
    """Which part of the algorithm each array is in, and when it works: `phases` in small.

    A band for each array from cycle 0 to the makespan, in the colours of Steps I to IV: full where the array
    computes or posts, pale where it waits. Needs the instructions; InputError where every node issues by
    itself, so that no array waits.
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
        "<title>Steps of each array over time; pale where it waits</title>",
    ]
    for row, (array, end) in enumerate(ends.items()):
        mine, waits = (table.filter(array=array) for table in (spans, stalls))
        lines += _band(mine, waits, _ROW * row + 14, scale)
        middle = _ROW * row + 14 + _BAND - 6
        lines.append(f'<text x="0" y="{middle}">array {array}</text>')
        lines.append(f'<text x="{_LEFT + scale * end + 4:.1f}" y="{middle}">{end:,}</text>')
    below = f'<text x="{_LEFT}" y="{height - 4}" opacity="0.7">'
    lines.append(f"{below}time in cycles; full: the array computes or posts, pale: it waits</text></svg>")
    return "".join(lines)


def _band(spans: pl.DataFrame, stalls: pl.DataFrame, top: int, scale: float) -> Iterator[str]:
    """The parts of one array in their colours, pale; where it does not wait, full; their names above."""
    for phase, part, start, end in spans.select("phase", "part", "start", "end").iter_rows():
        color = PHASES.get(phase, OTHER)
        here = stalls.filter((pl.col("start") >= start) & (pl.col("end") <= end))
        busy = zip([start, *here["end"]], [*here["start"], end], strict=True)
        whole, worked = _path([(start, end)], top, scale), _path(busy, top, scale)
        yield f'<path fill="{color}" opacity="{_WAITS}" d="{whole}"/><path fill="{color}" d="{worked}"/>'
        if scale * (end - start) > _LETTER * len(part) + 4:
            at = _LEFT + scale * start
            yield f'<text x="{at:.1f}" y="{top - 3}" font-size="11" opacity="0.8">{escape(part)}</text>'


def _path(stretches: Iterator[tuple[int, int]] | list[tuple[int, int]], top: int, scale: float) -> str:
    """Boxes over stretches of cycles."""
    return "".join(
        f"M{_LEFT + scale * start:.2f} {top}h{scale * (end - start):.2f}v{_BAND}H{_LEFT + scale * start:.2f}z"
        for start, end in stretches
        if end > start
    )

"""One voice for all pictures: letters that can be read on a slide, and colours that mean one thing each.

`applied` is the style sheet, as a context or as a decorator of what draws. The colours are Okabe and Ito's,
which colour-blind readers can tell apart. Parts of an algorithm have `COLORS` in every picture that shows
steps; `SERIES` are for what is no step: machines, networks, programs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from textwrap import wrap
from typing import Any, cast

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import polars as pl
from cycler import cycler
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import PolyCollection
from matplotlib.colorbar import Colorbar
from matplotlib.colors import to_rgba
from matplotlib.container import Container
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.legend_handler import HandlerTuple
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike, NDArray

from senn.base.errors import InputError, printable
from senn.traces import analysis
from senn.traces.facts import facts
from senn.traces.parts import COLORS, OTHER
from senn.traces.record import Trace
from senn.traces.run import Run

INK = "#333333"
"""Of letters and of lines that carry numbers."""
GRID = "#E6E6E6"
EXPOSED = "#D55E00"
HIDDEN = "#56B4E9"
WAIT = "#BDBDBD"
SERIES = ("#0072B2", "#D55E00", "#009E73", "#AA4499", "#E69F00", "#56B4E9", "#332288", OTHER)
LOOKS = tuple(zip((INK, *SERIES), "os^DvPXhp", strict=True))
"""Colours and markers of lines, the first for the line of comparison."""

_WORK = {"compute": 0.0, "post": -0.45, "receive": -0.45}
SHADES: Mapping[str, float] = _WORK | {"words": 0.5, "hop": 0.2, "startup": 0.7, "queue": 0.86}
"""The share of white (negative: of black) in the colour of a phase, by what is done in it."""

DPI = 150
SHEET: dict[Any, Any] = {
    **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), INK),
    **dict.fromkeys(("font.size", "axes.labelsize"), 12.0),
    **dict.fromkeys(("xtick.labelsize", "ytick.labelsize", "legend.fontsize"), 11.0),
    **dict.fromkeys(("axes.linewidth", "grid.linewidth"), 0.8),
    **dict.fromkeys(("axes.spines.top", "axes.spines.right", "legend.frameon"), False),
    "axes.titlesize": 13.0,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "figure.dpi": DPI,
    "axes.axisbelow": True,
    "axes.prop_cycle": cycler(color=SERIES),
    "grid.color": GRID,
    "lines.linewidth": 1.8,
    "lines.markersize": 5.5,
    "hatch.linewidth": 0.7,
}
SMALL = 10.0
"""Points of the smallest letters: numbers written beside marks."""


@contextmanager
def applied() -> Iterator[None]:
    """The style sheet, for `with applied():` or `@applied()`; what matplotlib had is put back after it.

    Nothing else is: the first picture of a notebook switches matplotlib to showing pictures, and it stays so.
    """
    before = {name: mpl.rcParams[name] for name in SHEET}
    mpl.rcParams.update(SHEET)
    try:
        yield
    finally:
        mpl.rcParams.update(before)


LETTERS: dict[Any, Any] = {"pdf.fonttype": 42, "svg.fonttype": "none"}
"""Letters stay letters in files: those of a PDF are of fonts that publishers take, those of an SVG text."""
_POINTS: ContextVar[float] = ContextVar("points", default=SHEET["font.size"])


@contextmanager
def slides(points: float = 18.0) -> Iterator[None]:
    """Pictures for a slide: every text, mark and line grows together, as from 12 points to so many.

    >>> with senn.style.slides():  # doctest: +SKIP
    ...     run.plot("phases").figure.savefig("phases.pdf")

    A picture is drawn on a smaller sheet with as many pixels from left to right, and is a little taller; a
    PDF or SVG of it is smaller. InputError below 6 or above 48 points.
    """
    if not 6 <= points <= 48:
        raise InputError(f"font: {points:g} points; letters of a picture have 6 to 48")
    token = _POINTS.set(points)
    try:
        yield
    finally:
        _POINTS.reset(token)


def enlarged() -> float:
    """Factor by which letters are larger than usual."""
    return _POINTS.get() / float(SHEET["font.size"])


class Picture(Figure):
    """A figure that is saved with its letters as `LETTERS`, whoever saves it; large letters are not cut."""

    def savefig(self, fname: Any, **kwargs: Any) -> None:
        whole: dict[Any, Any] = {"savefig.bbox": "tight"} if self.dpi > DPI else {}
        with mpl.rc_context(LETTERS | whole):
            super().savefig(fname, **kwargs)


def mixed(color: str, white: float) -> tuple[float, float, float]:
    """A colour mixed with a share of white, or, if negative, of black."""
    target = 1.0 if white > 0 else 0.0
    red, green, blue, _ = to_rgba(color)
    share = abs(white)
    return tuple((1 - share) * part + share * target for part in (red, green, blue))  # type: ignore[return-value]


def ramp(n: int) -> list[tuple[float, float, float]]:
    """The colours of processes 1 to n, from one end of the arm to the other."""
    first, last = (np.array(mixed(color, 0.35)) for color in (COLORS[1], COLORS[0]))
    return [tuple((first + share * (last - first)).tolist()) for share in np.linspace(0, 1, n)]


def hatched(color: str) -> dict[str, Any]:
    """Style of a rectangle without work: thin strokes on a tint, quieter than any work."""
    return {
        "facecolor": mixed(color, 0.88),
        "edgecolor": mixed(color, 0.5),
        "hatch": "////",
        "linewidth": 0.0,
    }


# What all pictures share: boxes, axes, titles and legends, in the colours and letters of `style`.

Floats = NDArray[np.float64]

_LEGEND: dict[str, Any] = {
    **dict.fromkeys(("fontsize", "title_fontsize"), SMALL + 0.5),
    "alignment": "left",
    "frameon": False,
    "columnspacing": 1.2,
    "handletextpad": 0.5,
    "borderaxespad": 0.0,
    "borderpad": 0.25,
}


def axes(ax: Axes | None, width: float, height: float) -> Axes:
    """The axes given, or new ones on a figure of this size in inches, less on `slides`."""
    if ax is None:
        size, dpi = (width / enlarged(), height / enlarged() ** 0.5), DPI * enlarged()
        ax = plt.subplots(figsize=size, dpi=dpi, layout="constrained", FigureClass=Picture)[1]
    for along, name in (("x", "xtick"), ("y", "ytick")):  # said here: ticks are made when they are drawn
        ax.tick_params(axis=along, labelsize=SHEET[f"{name}.labelsize"], colors=SHEET[f"{name}.color"])  # type: ignore[arg-type]
    return ax


def caption_of(run: Run) -> str:
    """The choices and the makespan of a run in one line, `written`."""
    run_facts = facts(run)
    return f"{written(run_facts.choices)}: {run_facts.makespan:,} cycles"


def written(text: str, most: int = 160) -> str:
    """A text of a user's as it is drawn: printable, of at most so many characters, its dollars no formula."""
    plain = printable(text, "\n").replace(r"\$", "$")
    if len(plain) > most:
        plain = f"{plain[: most // 2]}…{plain[len(plain) - most // 2 + 1 :]}"
    plain = plain.replace("$", r"\$")
    return f" {plain}" if plain.startswith("_") else plain  # else it is left out of a legend


def percent(share: float) -> str:
    """A share as a title writes it: "3.8 %"."""
    if share >= 0.0995 or share == 0:
        return f"{100 * share:.0f} %"
    return f"{100 * share:.1f} %" if share >= 0.00995 else f"{100 * share:.2g} %"


def boxes(
    ax: Axes, start: ArrayLike, end: ArrayLike, low: ArrayLike, high: ArrayLike, **style: object
) -> PolyCollection:
    """Rectangles [start, end) x [low, high) as one artist, however many."""
    return ax.add_collection(PolyCollection(_corners(start, end, low, high), **({"linewidths": 0} | style)))  # type: ignore[arg-type,return-value]


def waits(ax: Axes, start: ArrayLike, end: ArrayLike, low: ArrayLike, high: ArrayLike, color: str) -> None:
    """Hatched rectangles as one path: thousands of hatched ones take seconds."""
    corners = _corners(start, end, low, high)
    if not len(corners):
        return
    ax.add_patch(PathPatch(Path.make_compound_path_from_polys(corners), snap=False, **hatched(color)))


def _corners(start: ArrayLike, end: ArrayLike, low: ArrayLike, high: ArrayLike) -> Floats:
    """Rectangles [start, end) x [low, high), (k, 4, 2)."""
    x0, x1, y0, y1 = np.broadcast_arrays(*(np.asarray(edge, dtype=float) for edge in (start, end, low, high)))
    return np.stack([np.stack([x0, x1, x1, x0], -1), np.stack([y0, y0, y1, y1], -1)], -1).reshape(-1, 4, 2)


def window(trace: Trace, start: int, stop: int | None) -> tuple[int, int]:
    """The first and the last cycle to draw; by default all, until the last message has arrived."""
    drained = int(trace.messages["arrived"].to_numpy().max(initial=0))
    whole = max([drained, 1, *analysis.ends(trace).values()])
    last = whole if stop is None else stop
    if not 0 <= start < whole:
        raise InputError(f"from cycle {start:,}: the run goes from cycle 0 to {whole:,}")
    if last <= start:
        raise InputError(f"to cycle {last:,}: the last drawn comes after the first, {start:,}")
    return start, last


def begins(step: str) -> pl.Expr:
    """Whether the step of a row is this one, or one of those whose labels it begins."""
    label = pl.col("step")
    return (label == step) | label.str.starts_with(f"{step}.") | label.str.starts_with(f"{step}'")


def cycles_axis(ax: Axes, last: int, first: int = 0) -> None:
    """Time from ``first`` to ``last`` along x, in whole cycles."""
    ax.set_xlim(first, first + max(last - first, 1) * 1.005)
    ax.set_xlabel("time (cycles)")
    ax.xaxis.set_major_locator(MaxNLocator(max(round(10 / enlarged()), 3), integer=True))
    ax.xaxis.set_major_formatter("{x:,.0f}")


def plain_number(value: float, _: float) -> str:
    """A number as an axis writes it: whole from 10 on."""
    return f"{value:,.0f}" if value >= 10 else f"{value:g}"


def points_per_cycle(ax: Axes) -> float:
    """The scale of the x axis, about: room for labels may still be taken from the axes."""
    low, high = ax.get_xlim()
    return float(ax.get_window_extent().width * 72 / ax.figure.dpi / (high - low))


def note(ax: Axes, text: str, at: tuple[Any, Any], offset: tuple[float, float], **style: Any) -> None:
    """Write a small text at an offset, in points, from a place in the picture."""
    ax.annotate(text, at, offset, textcoords="offset points", **{"fontsize": SMALL, "color": INK, **style})


def side_note(ax: Axes, text: str, y: float, offset: float, right: bool = False) -> None:
    """Write a text upright, left of the axes or right, ``offset`` points from their edge."""
    look: dict[str, Any] = {"rotation": 270, "ha": "left"} if right else {"rotation": 90, "ha": "right"}
    look |= {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
    ax.annotate(text, (float(right), y), (offset if right else -offset, 0.0), va="center", color=INK, **look)


def colour_bar(ax: Axes, marks: ScalarMappable, label: str, **look: Any) -> Colorbar:
    """The scale of the colours, beside the axes."""
    assert ax.figure is not None
    bar = ax.figure.colorbar(marks, ax=ax, aspect=30, **look)
    bar.set_label(label)
    bar.outline.set_visible(False)
    return bar


def plain_frame(ax: Axes) -> None:
    """Only the axis lines that carry numbers."""
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.tick_params(axis="y", length=0)


Entry = Artist | tuple[Artist, ...]
"""Of a legend: a mark, or several that mean one thing."""


def headed(
    ax: Axes, title: str, entries: Sequence[Entry], caption: str | None = None, columns: int = 12
) -> None:
    """On top of the axes, outside them: what the picture finds, what ran, and what the marks mean.

    The legend has as many columns as there is room for, at most ``columns``. Several marks with one meaning
    have the label of the first.
    """
    pad = 5.0
    if entries or caption:
        legend = legend_above(ax, entries, columns, caption)
        pad += legend.get_window_extent().height * 72 / ax.figure.dpi
    # The title in as many lines as it needs beside the axes' width, about.
    names = max((len(text.get_text()) for text in ax.get_yticklabels()), default=0)
    whole = ax.figure.get_size_inches()[0] * 72 if isinstance(ax.figure, Figure) else np.inf
    beside = 0.55 * SHEET["ytick.labelsize"] * names  # which narrows axes that are laid out later
    width = min(ax.get_window_extent().width * 72 / ax.figure.dpi, (0.97 * whole - beside) / 1.05)
    letters = max(int(1.05 * width / (0.56 * SHEET["axes.titlesize"])), 20)
    space = "\N{NO-BREAK SPACE}"
    together = written(title, 240).replace(" %", f"{space}%").replace("< ", f"<{space}")
    lines = "\n".join(wrap(together, letters, break_long_words=False)).replace(space, " ")
    ax.set_title(lines, loc="left", pad=pad)


def legend_above(ax: Axes, entries: Sequence[Entry], columns: int = 12, caption: str | None = None) -> Legend:
    """A legend on top of the axes, outside them, and above it a line that says what is shown."""
    # Bars that matplotlib made together are a tuple too, and one mark.
    several = [isinstance(entry, tuple) and not isinstance(entry, Container) for entry in entries]
    marks = [
        cast(tuple[Artist, ...], entry if many else (entry,))
        for entry, many in zip(entries, several, strict=True)
    ]
    for rows in range(1, max(len(entries), 1) + 1):
        in_row = -(-len(entries) // rows)
        if in_row > columns:
            continue
        legend = ax.legend(
            marks,
            [written(str(first.get_label()), 100) for first, *_ in marks],
            handler_map={tuple: HandlerTuple(ndivide=None, pad=0.0)},
            loc="lower left",
            bbox_to_anchor=(0.0, 1.0),
            ncols=max(in_row, 1),
            handlelength=max(1.4, 0.75 * max(map(len, marks), default=0)),
            title=None if caption is None else written(caption),
            **_LEGEND,
        )
        if legend.get_window_extent().width <= 1.1 * ax.get_window_extent().width:
            break
    legend.get_title().set_color(OTHER)
    return legend


def patch(label: str, **style: object) -> Patch:
    """A legend entry."""
    return Patch(label=label, **style)  # type: ignore[arg-type]

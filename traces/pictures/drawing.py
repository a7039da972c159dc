"""What all pictures share: boxes, axes, titles and legends, in the colours and letters of `style`."""

from collections.abc import Collection, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, cast

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.container import Container
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.legend_handler import HandlerTuple
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path
from matplotlib.ticker import FuncFormatter, MaxNLocator
from numpy.typing import ArrayLike, NDArray

from senn.traces.errors import printable
from senn.traces.naming import departures
from senn.traces.pictures.style import DPI, OTHER, PHASES, SHEET, SMALL, hatched
from senn.traces.record.trace import Trace

if TYPE_CHECKING:
    from senn.traces.run import Run

Floats = NDArray[np.float64]

_LETTERS = SMALL + 0.5  # of legends


def axes(ax: Axes | None, width: float, height: float) -> Axes:
    """The axes given, or new ones on a figure of this size in inches."""
    if ax is None:
        ax = plt.subplots(figsize=(width, height), dpi=DPI, layout="constrained")[1]
    for along, name in (("x", "xtick"), ("y", "ytick")):  # said here: ticks are made when they are drawn
        ax.tick_params(axis=along, labelsize=SHEET[f"{name}.labelsize"], colors=SHEET[f"{name}.color"])  # type: ignore[arg-type]
    return ax


def of_run(run: "Run | Trace") -> tuple[Trace, str | None]:
    """The trace to draw, and what ran and for how long in one line; a bare trace cannot say.

    What the description of the run leaves out is left out.
    """
    if isinstance(run, Trace):
        return run, None
    program, place, machine = (run.description.get(name, {}) for name in ("program", "allocation", "machine"))
    order = place.get("name")
    problem = run.description.get("problem", {})
    n = len(problem["joints"]) if "joints" in problem else program.get("n")  # a serial program is one process
    parts = (
        problem.get("name", program.get("name")),
        f"n = {n}" if n else None,
        f"form {program['form']}" if program.get("form") else None,
        f"refine {program['refine']}" if program.get("refine") else None,
        *departures(
            program.get("strategy", 2),
            program.get("elimination", ""),
            2,
            ahead=False,
            motion=program.get("motion", ""),
        ),
        f"allocation {order}" if order not in (None, "identity") else None,
        place.get("residency"),
        machine.get("name"),
    )
    what = written(", ".join(part for part in parts if part) or "run")
    return run.trace, f"{what}: {run.summary['makespan']:,} cycles"


def written(text: str, most: int = 160) -> str:
    """A text of a user's as it is drawn: printable, of at most so many characters, its dollars no formula."""
    plain = printable(text, "\n").replace(r"\$", "$")
    if len(plain) > most:
        plain = f"{plain[: most // 2]}…{plain[len(plain) - most // 2 + 1 :]}"
    plain = plain.replace("$", r"\$")
    return f" {plain}" if plain.startswith("_") else plain  # else it is left out of a legend


def percent(share: float) -> str:
    """Of a whole, as it is said in a title: "3.8 %"."""
    if share >= 0.0995 or share == 0:
        return f"{100 * share:.0f} %"
    return f"{100 * share:.1f} %" if share >= 0.00995 else f"{100 * share:.2g} %"


def boxes(
    ax: Axes, start: ArrayLike, end: ArrayLike, low: ArrayLike, high: ArrayLike, **style: object
) -> PolyCollection:
    """Rectangles [start, end) x [low, high) as one artist, however many."""
    x0, x1, y0, y1 = np.broadcast_arrays(*(np.asarray(edge, dtype=float) for edge in (start, end, low, high)))
    corners = np.stack([np.stack([x0, x1, x1, x0], -1), np.stack([y0, y0, y1, y1], -1)], -1)
    return ax.add_collection(PolyCollection(corners.reshape(-1, 4, 2), **({"linewidths": 0} | style)))  # type: ignore[arg-type,return-value]


def waits(ax: Axes, start: ArrayLike, end: ArrayLike, low: ArrayLike, high: ArrayLike, color: str) -> None:
    """Hatched rectangles as one path: thousands of hatched ones take seconds."""
    x0, x1, y0, y1 = np.broadcast_arrays(*(np.asarray(edge, dtype=float) for edge in (start, end, low, high)))
    corners = np.stack([np.stack([x0, x1, x1, x0, x0], -1), np.stack([y0, y0, y1, y1, y0], -1)], -1)
    if not x0.size:
        return
    codes = np.tile([Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY], x0.size)
    ax.add_patch(PathPatch(Path(corners.reshape(-1, 2), codes), snap=False, **hatched(color)))


def cycles_axis(ax: Axes, last: int, first: int = 0) -> None:
    """Time from ``first`` to ``last`` along x, in whole cycles."""
    ax.set_xlim(first, first + max(last - first, 1) * 1.005)
    ax.set_xlabel("time (cycles)")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


def points_per_cycle(ax: Axes) -> float:
    """The scale of the x axis, about: room for labels may still be taken from the axes."""
    low, high = ax.get_xlim()
    return float(ax.get_window_extent().width * 72 / ax.figure.dpi / (high - low))


def plain_frame(ax: Axes) -> None:
    """Only the axis lines that carry numbers."""
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.tick_params(axis="y", length=0)


def phase_entries(phases: Collection[str]) -> list[Artist]:
    """Legend entries of the phases that occur; all that are none of I to IV together are one."""
    entries: list[Artist] = [
        patch(f"Step {name}", facecolor=color) for name, color in PHASES.items() if name in phases
    ]
    return [*entries, patch("other steps", facecolor=OTHER)] if set(phases) - set(PHASES) else entries


Entry = Artist | tuple[Artist, ...]
"""Of a legend: a mark, or several that mean one thing."""


def headed(
    ax: Axes, title: str, entries: Sequence[Entry], caption: str | None = None, columns: int = 12
) -> None:
    """On top of the axes, outside them: what the picture finds, what ran, and what the marks mean.

    The legend has as many columns as there is room for, at most ``columns``. The label of several marks that
    mean one thing is that of the first.
    """
    pad = 5.0
    if entries or caption:
        legend = legend_above(ax, entries, columns, caption)
        pad += legend.get_window_extent().height * 72 / ax.figure.dpi
    ax.set_title(_in_lines(ax, written(title, 240)), loc="left", pad=pad)


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
            frameon=False,
            fontsize=_LETTERS,
            handlelength=max(1.4, 0.75 * max(map(len, marks), default=0)),
            columnspacing=1.2,
            handletextpad=0.5,
            borderaxespad=0.0,
            borderpad=0.25,
            title=None if caption is None else written(caption),
            title_fontsize=_LETTERS,
            alignment="left",
        )
        if legend.get_window_extent().width <= 1.1 * ax.get_window_extent().width:
            break
    legend.get_title().set_color(OTHER)
    return legend


def _in_lines(ax: Axes, title: str) -> str:
    """A title in as many lines as it needs beside the axes' width, about."""
    names = max((len(text.get_text()) for text in ax.get_yticklabels()), default=0)
    whole = ax.figure.get_size_inches()[0] * 72 if isinstance(ax.figure, Figure) else np.inf
    beside = 0.55 * SHEET["ytick.labelsize"] * names  # which narrows axes that are laid out later
    width = min(ax.get_window_extent().width * 72 / ax.figure.dpi, (0.97 * whole - beside) / 1.05)
    letters = max(int(1.05 * width / (0.56 * SHEET["axes.titlesize"])), 20)
    together = title.replace(" %", "\N{NO-BREAK SPACE}%").replace("< ", "<\N{NO-BREAK SPACE}")
    return "\n".join(wrap(together, letters, break_long_words=False)).replace("\N{NO-BREAK SPACE}", " ")


def patch(label: str, **style: object) -> Patch:
    """A legend entry."""
    return Patch(label=label, **style)  # type: ignore[arg-type]

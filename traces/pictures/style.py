"""One voice for all pictures: letters that can be read on a slide, and colours that mean one thing each.

`applied` is the style sheet, as a context or as a decorator of what draws. The colours are Okabe and Ito's,
which colour-blind readers can tell apart. Those of `PHASES` are the paper's Steps I to IV in every picture
that shows steps; `SERIES` are for what is no step: machines, networks, programs.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
import numpy as np
from cycler import cycler
from matplotlib.colors import to_rgba

INK = "#333333"
"""Of letters and of lines that carry numbers."""
GRID = "#E6E6E6"
OTHER = "#777777"
"""What is none of the others: steps of other programs, captions."""
PHASES: Mapping[str, str] = {"I": "#0072B2", "II": "#E69F00", "III": "#009E73", "IV": "#CC79A7"}
EXPOSED = "#D55E00"
HIDDEN = "#56B4E9"
WAIT = "#BDBDBD"
SERIES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#332288", OTHER)
LOOKS = tuple(zip((INK, *SERIES), "os^DvPXhp", strict=True))
"""Colours and markers of lines, the first for what the others are compared with."""

SHADES: Mapping[str, float] = {"compute": 0.0, "post": -0.45, "receive": -0.45, "channel": 0.5}
"""The share of white (negative: of black) in the colour of a phase, by what is done in it."""

DPI = 150
SHEET: dict[Any, Any] = {
    "figure.dpi": DPI,
    "font.size": 12.0,
    "text.color": INK,
    "axes.titlesize": 13.0,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelcolor": INK,
    "axes.labelsize": 12.0,
    "axes.edgecolor": INK,
    "axes.linewidth": 0.8,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": cycler(color=SERIES),
    "xtick.labelsize": 11.0,
    "ytick.labelsize": 11.0,
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "legend.fontsize": 11.0,
    "legend.frameon": False,
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


def phase_color(phase: str, white: float = 0.0) -> tuple[float, float, float]:
    """The colour of a phase, mixed with this share of white (negative: of black)."""
    return mixed(PHASES.get(phase, OTHER), white)


def mixed(color: str, white: float) -> tuple[float, float, float]:
    """A colour mixed with a share of white, or, if negative, of black."""
    target = 1.0 if white > 0 else 0.0
    red, green, blue, _ = to_rgba(color)
    share = abs(white)
    return tuple((1 - share) * part + share * target for part in (red, green, blue))  # type: ignore[return-value]


def ramp(n: int) -> list[tuple[float, float, float]]:
    """The colours of processes 1 to n, from one end of the arm to the other."""
    first, last = (np.array(mixed(PHASES[phase], 0.35)) for phase in ("II", "I"))
    return [tuple((first + share * (last - first)).tolist()) for share in np.linspace(0, 1, n)]


def hatched(color: str) -> dict[str, Any]:
    """Of a rectangle in which nothing is done: thin strokes on a tint, quieter than any work."""
    return {
        "facecolor": mixed(color, 0.88),
        "edgecolor": mixed(color, 0.5),
        "hatch": "////",
        "linewidth": 0.0,
    }

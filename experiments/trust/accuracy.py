"""The tables and the pictures of accuracy.md, some minutes.

A cell is the median of the errors over the seeds, and the worst if that is another, to powers of ten: digits
are another processor's already. Errors of 1 and more are 1: no digit is right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import product
from statistics import median
from typing import Any

import numpy as np
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments import ways as of
from experiments.page import Figures, Tables, data, head, order, row, titled
from experiments.ways import WAYS, Arm, Way
from senn.api import solving
from senn.traces.pictures.style import LOOKS

HEADS = {
    "qdd_error": "qdd",
    "contact_force_error": "force",
    "lambda_inverse_error": "Lambda^-1",
    "forces_error": "forces",
    "residual": "residual",
    "contact_residual": "of the contact",
}
QDD = "qdd_error"
LARGER = (QDD, "contact_force_error")


def cell(values: Iterable[float]) -> str:
    """The median, and the worst if it is another power of ten."""
    every = [min(1.0, value) for value in values]
    if not every:
        return ""
    middle, worst = order(median(every)), order(max(every))
    return middle if middle == worst else f"{middle} ({worst})"


def seeds_of(arm: Arm) -> int:
    """Fewer of the long ones."""
    return 12 if arm.n <= 64 else 4 if arm.n <= 512 else 1


def errors(arm: Arm, way: Way, name: str, precision: str = "double") -> list[float]:
    """One error or residual over the seeds; none where the way has no such answer."""
    runs = (of.measured(arm, way, seed, precision) for seed in range(seeds_of(arm)))
    return [run[name] for run in runs if name in run]


def quantities(arm: Arm) -> Iterator[str]:
    """One kind of arm, every quantity."""
    yield from head("way", *HEADS.values())
    for way in WAYS:
        yield row(way.label, *(cell(errors(arm, way, name)) for name in HEADS))


def growth(arms: Sequence[Arm], name: str = QDD) -> Iterator[str]:
    """One quantity over kinds of arms."""
    yield from head("way", *arms)
    for way in WAYS:
        yield row(way.label, *(cell(errors(arm, way, name)) for arm in arms))


LONG, RODS, SINGLE = (8, 64, 512, 4096), (8, 64, 512), (7, 32, 256)
SLENDERNESS = ("1", "0.1", "0.01", "0.001")
PLACES, MASSES, SIZES = ("last", "middle"), (1e5, 1.0, 1e-2, 1e-4, 1e-6), (1.0, 1e-1, 1e-2)
COMPACT = [Arm(f"random:{n}") for n in LONG]
MIXED = [Arm(f"{kind.format(n)}") for kind in ("random:{}:prismatic=0.3", "snake:{}") for n in RODS]
SMALL = [Arm(f"random:{n}") for n in SINGLE] + [Arm(f"rods:{n}:slenderness=0.1") for n in SINGLE[:2]]
SLENDER = {n: [Arm(f"rods:{n}:slenderness={part}") for part in SLENDERNESS] for n in RODS}


def narrow() -> Iterator[str]:
    """Single precision: qdd, and the contact force."""
    ways = [way for way in WAYS if not way.serial]
    yield from head("quantity", "way", *SMALL)
    for name, way in product(LARGER, ways):
        cells = (cell(errors(arm, way, name, "single")) for arm in SMALL)
        yield row(HEADS[name], way.label, *cells)


def places() -> Iterator[str]:
    """The error of the last and of the middle link by its mass and size: of qdd and of the contact force, the
    larger; last, what one rounding of all data moves the right ones by. Eight links, welded."""
    yield from head("place", "mass", "size", *(way.label for way in of.MAPPED), "data rounded")
    for place, mass, size in product(PLACES, MASSES, SIZES):
        arm, cells = Arm("random:8", (mass, size), place), []
        for way in of.MAPPED:
            qdd, force = (errors(arm, way, name) for name in LARGER)
            cells.append(cell(map(max, qdd, force)))
        rounded = cell(of.moved(arm, seed) for seed in range(seeds_of(arm)))
        yield row(place, order(mass), order(size), *cells, rounded)


LONGEST = (4096, 16384, 65536)
RUNS: dict[str, dict[str, Any]] = {
    "paper": {"form": "paper"},
    "short": {"form": "short"},
    "short, oer": {"form": "short", "elimination": "oer"},
    "star products": {"algorithm": "star"},
}


def long_arms() -> Iterator[str]:
    """The longest arms beside 80 bits, and the digits that certificates of runs count. Minutes, and 8 GB."""
    yield from head("n", "way", "qdd", "force", "residual", "digits certified")
    for n in LONGEST:
        arm = Arm(f"random:{n}")
        what, (truth, judge) = of.problem_of(arm, 0), of.right(arm, 0)
        rounded = {x: np.float64(truth[x]) for x in ("qdd", "force")}
        solutions = [("right, rounded to double precision", rounded, "")]
        solutions += [(way.label, way.solve(what, "double"), "") for way in of.REFERENCES]
        for label, options in RUNS.items():
            run = solving.run(arm.text, engine="lockstep", detail="summary", **options)
            assert run.certificate is not None
            solutions.append((label, run.result, run.certificate["digits"]))
        for label, answers, digits in solutions:
            found = of.figures(answers, truth, judge)
            yield row(f"{n:,}", label, *(order(found[name]) for name in (*LARGER, "residual")), digits)


# -------- pictures


def orders(text: str) -> tuple[float, float]:
    """The median and the worst of a cell."""
    middle, *worst = re.findall(r"[\de.+-]+", text)
    return float(middle), float(worst[0] if worst else middle)


def curves() -> Figure:
    """Errors of qdd as the data files have them, medians, and shades up to the worst."""
    tables = {
        "links, compact arms": (data("accuracy", "length"), LONG),
        "radius/length, 64 rods": (data("accuracy", "slender-64"), SLENDERNESS),
    }
    shown = (of.ARTICULATED, of.PAPER, of.SHORT, of.REDUCED, of.JOINED, of.STAR)
    figure, axes = pyplot.subplots(1, 2, figsize=(10.0, 5.8), layout="constrained", sharey=True)
    for ax, (label, (rows, places)) in zip(axes, tables.items(), strict=True):
        for k, (way, look) in enumerate(zip(shown, LOOKS, strict=False)):
            (cells,) = (line for line in rows if line[0] == way.label)
            apart = 1.15 ** (k - 3)  # Lines that coincide are both seen
            middle, worst = apart * np.transpose([orders(text) for text in cells[1:]])
            x = np.float64(places)
            ax.plot(x, middle, color=look[0], marker=look[1], label=way.label)
            ax.fill_between(x, middle, worst, color=look[0], alpha=0.12, linewidth=0)
        ax.set_xscale("log", base=2 if places is LONG else 10)
        ax.set_yscale("log")
        ax.set_xlabel(label)
    axes[1].invert_xaxis()
    axes[0].set_ylabel("error of qdd, relative")
    title = "Slender rods: star products keep their digits, constraint forces do not"
    titled(figure, title)
    caption = "medians to powers of ten, shades up to the worst; lines that coincide are drawn apart"
    marks = axes[0].get_legend_handles_labels()
    figure.legend(*marks, loc="outside lower left", ncols=4, title=caption, alignment="left")
    return figure


def heat_maps() -> Figure:
    """Digits that the worst of twelve arms keeps, as docs/data/accuracy/places.csv has them."""
    titles, *rows = data("accuracy", "places")
    size = {"figsize": (14.0, 5.4), "layout": "constrained", "sharex": True, "sharey": True}
    figure, axes = pyplot.subplots(len(PLACES), len(of.MAPPED), **size)
    for (i, place), (k, way) in product(enumerate(PLACES), enumerate(of.MAPPED)):
        column = titles.index(way.label)
        worst = [orders(line[column])[1] for line in rows if line[0] == place]
        kept = np.reshape(-np.log10(worst) + 0.0, (len(MASSES), len(SIZES))).T
        ax: Axes = axes[i, k]
        image = ax.imshow(kept, vmin=0, vmax=14, cmap="cividis", aspect="auto")
        for (y, x), value in np.ndenumerate(kept):
            ax.text(x, y, f"{value:.0f}", ha="center", va="center", color="w" if value < 8 else "k")
        ax.set_title(way.label if i == 0 else "", fontsize=11)
        ax.set_xticks(range(len(MASSES)), [f"{mass:.0e}" for mass in MASSES], rotation=60)
        ax.set_yticks(range(len(SIZES)), [f"{part:g}" for part in SIZES])
        ax.spines[:].set_visible(False)
        if k == 0:
            ax.set_ylabel(f"{place} link\nsize")
    figure.supxlabel("mass of the link, relative to what it was", size=12)
    figure.colorbar(image, ax=axes, label="digits kept", shrink=0.6)
    last = "A light last link costs digits wherever Lambda^-1 is computed"
    titled(figure, f"{last}, a light middle link constraint forces")
    return figure


DATA: Tables = {
    "compact": partial(quantities, COMPACT[1]),
    "length": partial(growth, COMPACT),
    "force": partial(growth, COMPACT, LARGER[1]),
    "prismatic": partial(growth, MIXED),
    **{f"slender-{n}": partial(growth, arms) for n, arms in SLENDER.items()},
    "narrow": narrow,
    "places": places,
    "long": long_arms,
}
FIGURES: Figures = {"accuracy": curves, "digits_map": heat_maps}

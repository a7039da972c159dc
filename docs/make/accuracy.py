"""The tables and the pictures of accuracy.md, some minutes.

A cell is the median of the errors over the seeds, and the worst if that is another, to powers of ten: digits
are another processor's already. Errors of 1 and more are 1: no digit is right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from statistics import median
from typing import Any

import numpy as np
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from docs.make.page import Figures, Tables, data, head, order, row
from docs.make.ways import (
    ARTICULATED,
    JOINED,
    OPEN_CHAIN,
    PAPER,
    PROGRAMS,
    REDUCED,
    REFERENCES,
    SHORT,
    SHORT_1,
    STAR,
    WAYS,
    Arm,
    Way,
    figures,
    measured,
    problem_of,
    right,
)
from senn import api
from senn.traces.pictures.style import LOOKS
from tests.oracles import constraint_force

HEADS = {
    "qdd_error": "qdd",
    "contact_force_error": "force",
    "lambda_inverse_error": "Lambda^-1",
    "forces_error": "forces",
    "residual": "residual",
    "contact_residual": "of the contact",
}
QDD = "qdd_error"


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


Seeds = Callable[[Arm], int]


def errors(arm: Arm, way: Way, name: str, precision: str, seeds: Seeds) -> list[float]:
    """One error or residual over the seeds; none where the way has no such answer."""
    runs = (measured(arm, way, seed, precision) for seed in range(seeds(arm)))
    return [run[name] for run in runs if name in run]


def quantities(arm: Arm, ways: Sequence[Way]) -> Iterator[str]:
    """One kind of arm, every quantity."""
    yield from head("way", *HEADS.values())
    for way in ways:
        yield row(way.label, *(cell(errors(arm, way, name, "double", seeds_of)) for name in HEADS))


def growth(
    arms: Sequence[Arm],
    ways: Sequence[Way] = WAYS,
    seeds: Seeds = seeds_of,
    name: str = QDD,
    precision: str = "double",
) -> Iterator[str]:
    """One quantity over kinds of arms."""
    yield from head("way", *arms)
    for way in ways:
        yield row(way.label, *(cell(errors(arm, way, name, precision, seeds)) for arm in arms))


def below(first: str, tables: Mapping[Any, Iterable[str]]) -> Iterator[str]:
    """Tables below each other, their keys in a first column."""
    for k, (key, lines) in enumerate(tables.items()):
        title, rule, *rest = lines
        yield from (f"| {first} {title}", f"|---{rule}") if k == 0 else ()
        yield from (f"| {key} {line}" for line in rest)


LONG, RODS, SINGLE = (8, 64, 512, 4096), (8, 64, 512), (7, 32, 256)
SLENDERNESS = ("1", "0.1", "0.01", "0.001")
LIGHTER, SMALLER = (1e-2, 1e-4, 1e-6), (1.0, 1e-1, 1e-2)
MASSES = (1.0, *LIGHTER)
COMPACT = [Arm(f"random:{n}") for n in LONG]
MIXED = [Arm(f"{kind.format(n)}") for kind in ("random:{}:prismatic=0.3", "snake:{}") for n in RODS]
WORDS = [Arm(f"joints:{word}") for word in ("RSRPRRU", "SSSSSSSS", "HCRESRRP", "FRRRRRR", "UUUUUUUU")]
SMALL = [Arm(f"random:{n}") for n in SINGLE] + [Arm(f"rods:{n}:slenderness=0.1") for n in SINGLE[:2]]


def rods(n: int) -> list[Arm]:
    return [Arm(f"rods:{n}:slenderness={part}") for part in SLENDERNESS]


def light(n: int) -> list[Arm]:
    return [Arm(f"random:{n}", parts) for parts in [(1.0, 1.0), *product(LIGHTER, SMALLER)]]


def light_links() -> Iterator[str]:
    """The middle link lighter and smaller; algorithms without a contact for the shorter arm."""
    yield from below("n", {8: growth(light(8), (*WAYS, *OPEN_CHAIN)), 64: growth(light(64))})


def narrow() -> Iterator[str]:
    """Single precision: qdd, and the contact force."""
    ways = [way for way in WAYS if not way.serial]
    names = (QDD, "contact_force_error")
    yield from below(
        "quantity", {HEADS[name]: growth(SMALL, ways, name=name, precision="single") for name in names}
    )


def cells_of_map() -> Iterator[str]:
    """qdd of rods over length, slenderness and the mass of the middle link, beside the condition of A."""
    yield from head("n", "radius/length", "mass", "kappa", *(way.label for way in PROGRAMS))
    for n, slenderness, mass in product(RODS, SLENDERNESS, MASSES):
        arm = Arm(f"rods:{n}:slenderness={slenderness}", (mass, 1.0))
        kappa = median(constraint_force.condition(problem_of(arm, seed))[0] for seed in range(seeds_of(arm)))
        cells = (cell(errors(arm, way, QDD, "double", seeds_of)) for way in PROGRAMS)
        yield row(n, slenderness, order(mass), order(kappa), *cells)


# -------- the longest arms

LONGEST = (4096, 16384, 65536)
RUNS: dict[str, dict[str, Any]] = {
    "paper": {"form": "paper"},
    "short": {"form": "short"},
    "short, oer": {"form": "short", "elimination": "oer"},
    "star products": {"algorithm": "star"},
}


def long_arms() -> Iterator[str]:
    """The longest arms: serially beside 80 bits, and what certificates of runs say. Minutes, and 8 GB."""
    names = (QDD, "contact_force_error", "residual")
    yield from head("n", "way", "qdd", "force", "residual", "its tolerance", "certificate")
    for n in LONGEST:
        arm = Arm(f"random:{n}")
        what, (truth, judge) = problem_of(arm, 0), right(arm, 0)
        solutions = {way.label: way.solve(what, "double") for way in REFERENCES}
        exact = {"right, rounded to double precision": {x: np.float64(truth[x]) for x in ("qdd", "force")}}
        for label, answers in (exact | solutions).items():
            found = figures(answers, truth, judge)
            yield row(f"{n:,}", label, *(order(found[name]) for name in names), "", "")
        for label, options in RUNS.items():
            run = api.run(arm.text, engine="lockstep", detail="summary", **options)
            assert run.certificate is not None
            found = figures(run.result, truth, judge)
            allowed, passes = run.certificate["tolerances"]["residual"], run.certificate["ok"]
            verdict = "passes" if passes else "fails"
            yield row(f"{n:,}", label, *(order(found[name]) for name in names), order(allowed), verdict)


# -------- pictures


def orders(text: str) -> tuple[float, float]:
    """The median and the worst of a cell."""
    middle, *worst = re.findall(r"[\de.+-]+", text)
    return float(middle), float(worst[0] if worst else middle)


def curves() -> Figure:
    """Errors of qdd as the data files have them, medians, and shades up to the worst."""
    _, _, *lights = data("accuracy", "light")
    tables = {
        "links, compact arms": (data("accuracy", "length"), LONG, range(1, 5)),
        "radius/length, 64 rods": (data("accuracy", "slender-64"), SLENDERNESS, range(1, 5)),
        "mass of one link of 64, of 1/100 the size": (
            [line[1:] for line in lights if line[0] == "64"],
            MASSES,
            (1, 4, 7, 10),
        ),
    }
    shown = (ARTICULATED, PAPER, SHORT, SHORT_1, REDUCED, JOINED, STAR)
    figure, axes = pyplot.subplots(1, 3, figsize=(13.5, 5.8), layout="constrained", sharey=True)
    for ax, (label, (rows, places, columns)) in zip(axes, tables.items(), strict=True):
        for k, (way, look) in enumerate(zip(shown, LOOKS, strict=False)):
            (cells,) = (line for line in rows if line[0] == way.label)
            apart = 1.15 ** (k - 3)  # Lines that coincide are both seen
            middle, worst = apart * np.transpose([orders(cells[column]) for column in columns])
            x = np.float64(places)
            ax.plot(x, middle, color=look[0], marker=look[1], label=way.label)
            ax.fill_between(x, middle, worst, color=look[0], alpha=0.12, linewidth=0)
        ax.set_xscale("log", base=2 if places is LONG else 10)
        ax.set_yscale("log")
        ax.set_xlabel(label)
    for ax in axes[1:]:
        ax.invert_xaxis()
    axes[0].set_ylabel("error of qdd, relative")
    title = "Slender rods or a light link: star products keep their digits, constraint forces do not"
    figure.suptitle(title, x=0.01, ha="left", weight="bold", size=13)
    caption = "medians to powers of ten, shades up to the worst; lines that coincide are drawn apart"
    marks = axes[0].get_legend_handles_labels()
    figure.legend(*marks, loc="outside lower left", ncols=4, title=caption, alignment="left")
    return figure


def heat_maps() -> Figure:
    """Digits of qdd that are right, medians, as docs/data/accuracy/map.csv has them; and those of the law
    n^2 eps kappa."""
    titles, *rows = data("accuracy", "map")
    shape = len(RODS), len(SLENDERNESS), len(MASSES)
    law = [int(line[0]) ** 2 * np.finfo(float).eps * float(line[3]) for line in rows]
    medians = {title: [orders(line[k])[0] for line in rows] for k, title in enumerate(titles) if k > 3}
    size = {"figsize": (14.0, 7.6), "layout": "constrained", "sharex": True, "sharey": True}
    figure, axes = pyplot.subplots(len(RODS), len(medians) + 1, **size)
    for column, (title, values) in enumerate((medians | {"law:\nn^2 eps kappa": law}).items()):
        lines = re.sub(" (?=and|bodies)|(?<=short,) ", "\n", title.removesuffix(", serial"))
        kept = np.reshape(-np.log10(np.minimum(values, 1.0)) + 0.0, shape)
        for k, n in enumerate(RODS):
            ax: Axes = axes[k, column]
            image = ax.imshow(kept[k], vmin=0, vmax=14, cmap="cividis", aspect="auto")
            for (i, j), value in np.ndenumerate(kept[k]):
                ax.text(j, i, f"{value:.0f}", ha="center", va="center", color="w" if value < 8 else "k")
            ax.set_title(lines if k == 0 else "", fontsize=11)
            ax.set_xticks(range(len(MASSES)), [f"{mass:g}" for mass in MASSES], rotation=60)
            ax.set_yticks(range(len(SLENDERNESS)), SLENDERNESS)
            ax.spines[:].set_visible(False)
            if column == 0:
                ax.set_ylabel(f"{n} links\nradius/length")
    figure.supxlabel("mass of the middle link, of that of the others", size=12)
    figure.colorbar(image, ax=axes, label="digits of qdd that are right", shrink=0.6)
    title = "Light or slender links: star products keep their digits, constraint forces do not"
    figure.suptitle(title, x=0.01, ha="left", weight="bold", size=13)
    return figure


DATA: Tables = {
    "compact": lambda: quantities(COMPACT[1], WAYS),
    "length": lambda: growth(COMPACT),
    "force": lambda: growth(COMPACT, name="contact_force_error"),
    "prismatic": lambda: growth(MIXED),
    **{f"slender-{n}": partial(growth, rods(n)) for n in RODS},
    "light": light_links,
    "wide": lambda: growth(WORDS, REFERENCES),
    "narrow": narrow,
    "map": cells_of_map,
    "long": long_arms,
}
FIGURES: Figures = {"accuracy": curves, "digits_map": heat_maps}

"""The tables and the picture of accuracy.md, some minutes.

A cell is the median of the errors over the seeds, and the worst if that is another, to powers of ten: digits
are another processor's already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from statistics import median

import numpy as np
from matplotlib import pyplot
from matplotlib.figure import Figure

import senn
from docs.make.digits import digits, long_arms
from docs.make.page import Figures, Tables, head, order, row
from docs.make.ways import (
    JOINED,
    MACHINE,
    PAPER,
    PAPER_1,
    REDUCED,
    REFERENCES,
    SHORT,
    SHORT_1,
    STAR,
    WAYS,
    Numbers,
    Way,
    exactly,
    measured,
)
from senn.algorithms import catalogue, problems
from senn.algorithms.certificate.standard import apart
from senn.algorithms.problems.problem import Problem
from senn.traces.pictures.style import LOOKS

HEADS = {
    "qdd_error": "qdd",
    "contact_force_error": "force",
    "lambda_inverse_error": "Lambda^-1",
    "forces_error": "forces",
    "residual": "residual",
    "contact_residual": "of the contact",
}


def cell(values: Iterable[float]) -> str:
    """The median, and the worst if it is another power of ten."""
    every = list(values)
    if not every:
        return ""
    middle, worst = order(median(every)), order(max(every))
    return middle if middle == worst else f"{middle} ({worst})"


def seeds_of(text: str) -> int:
    """Fewer of the long ones."""
    n = int(text.split(":")[1]) if text.split(":")[1].isdigit() else 8
    return 5 if n <= 64 else 2 if n <= 512 else 1


def quantities(text: str, ways: Sequence[Way], precision: str = "double") -> Iterator[str]:
    """One kind of arm, every quantity."""
    yield from head("way", *HEADS.values())
    for way in ways:
        runs = [measured(text, way, seed, precision) for seed in range(seeds_of(text))]
        cells = [cell(figures[name] for figures in runs if name in figures) for name in HEADS]
        yield row(way.label, *cells)


def growth(
    texts: Sequence[str],
    ways: Sequence[Way],
    seeds: Callable[[str], int] = seeds_of,
    name: str = "qdd_error",
    precision: str = "double",
) -> Iterator[str]:
    """One quantity over kinds of arms."""
    yield from head("way", *texts)
    for way in ways:
        cells = [
            cell(
                figures[name]
                for figures in (measured(text, way, seed, precision) for seed in range(seeds(text)))
                if name in figures
            )
            for text in texts
        ]
        yield row(way.label, *cells)


LONG, RODS, SINGLE = (8, 64, 512, 4096), (8, 64, 512), (7, 32, 256)
SLENDERNESS = ("1", "0.1", "0.01", "0.001")
WORDS = ("joints:RSRPRRU", "joints:SSSSSSSS", "joints:HCRESRRP", "joints:FRRRRRR", "joints:UUUUUUUU")


def compact() -> Iterator[str]:
    """Every quantity, compact arms of 64 revolute joints."""
    yield from quantities("random:64", WAYS)


def length() -> Iterator[str]:
    """qdd over n."""
    yield from growth([f"random:{n}" for n in LONG], WAYS)


def force_by_length() -> Iterator[str]:
    """The contact force over n, where the recurrences of form paper show."""
    yield from growth([f"random:{n}" for n in LONG], WAYS, name="contact_force_error")


def prismatic() -> Iterator[str]:
    """30 % of the joints prismatic, and straight modules."""
    texts = [f"random:{n}:prismatic=0.3" for n in LONG if n <= 512]
    yield from growth([*texts, *(f"snake:{n}" for n in LONG if n <= 512)], WAYS)


def slender(n: int) -> Iterator[str]:
    """qdd of n rods over radius/length."""
    yield from growth([f"rods:{n}:slenderness={part}" for part in SLENDERNESS], WAYS)


def wide() -> Iterator[str]:
    """Joints with several degrees of freedom, serial solutions."""
    yield from growth(WORDS, REFERENCES)


def narrow() -> Iterator[str]:
    """Single precision: qdd, and the contact force."""
    texts = [f"random:{n}" for n in SINGLE]
    texts += [f"rods:{n}:slenderness=0.1" for n in SINGLE if n <= 64]
    ways = [way for way in WAYS if not way.serial]
    yield from head("quantity", "way", *texts)
    for name in ("qdd_error", "contact_force_error"):
        _, _, *lines = growth(texts, ways, name=name, precision="single")
        yield from (f"| {HEADS[name]} {line}" for line in lines)


def light(n: int, mass: float, size: float, seed: int) -> Problem:
    """A compact arm whose link in the middle has this part of its mass and of its lengths; the tip is free,
    so that every algorithm answers."""
    chain = problems.load(f"random:{n}:seed={seed}").chain
    here = np.arange(n) == n // 2
    m, s = np.where(here, mass, 1.0), np.where(here, size, 1.0)
    changed = replace(
        chain,
        mass=chain.mass * m,
        inertia=chain.inertia * (m * s**2)[:, None, None],
        position=chain.position * s[:, None],
        centre=chain.centre * s[:, None],
    )
    return problems.free(problems.draw(changed, seed))


def other(name: str, what: Problem) -> Numbers:
    """By an algorithm of the catalogue."""
    taken = catalogue.algorithm(name)
    said = {"problem": what} if taken.serial else {}
    program = taken.program(what.chain.n, joints=what.chain.joints, **said)
    run = senn.solved(program, taken.memory(what), MACHINE, "home", detail="summary")
    return taken.answers(what, run.result)


def light_links() -> Iterator[str]:
    """qdd over mass and size of one link; the worse of two arms."""
    kinds = [(1.0, 1.0), *product(LIGHTER, SMALLER)]
    yield from head("n", "way", *(f"mass {mass:.0e}, size {size:.0e}" for mass, size in kinds))
    for n in LIGHT_SIZES:
        arms = [[light(n, *kind, seed) for seed in range(2)] for kind in kinds]
        right = [[exactly(what) for what in pair] for pair in arms]
        ways = {way.label: partial(way.solve, precision="double") for way in (*ELIMINATIONS, *REFERENCES)}
        for label, solve in (ways | {name: partial(other, name) for name in OTHERS}).items():
            cells = []
            for pair, standards in zip(arms, right, strict=True):
                errors = [
                    apart({"qdd": solve(what)["qdd"]}, standard.right, standard)["qdd_error"].max()
                    for what, standard in zip(pair, standards, strict=True)
                ]
                cells.append(order(min(1.0, float(max(errors)))))
            yield row(n, label, *cells)


LIGHT_SIZES, LIGHTER, SMALLER = (8, 16, 64), (1e-2, 1e-4, 1e-6), (1.0, 1e-1, 1e-2)
ELIMINATIONS = (PAPER, PAPER_1, SHORT, SHORT_1, REDUCED, JOINED, STAR)
OTHERS = ("hybrid", "mass-matrix-inversion", "forward-articulated", "forward-by-mass-matrix")


def over_length_and_slenderness() -> Figure:
    """Errors of qdd, medians."""
    shown = (PAPER, SHORT, SHORT_1, REDUCED, JOINED, *REFERENCES)
    figure, axes = pyplot.subplots(1, 2, figsize=(12.0, 5.8), layout="constrained", sharey=True)
    panels = (
        ("random:{}", LONG, "number of joints, compact arms", 2),
        ("rods:64:slenderness={}", [float(part) for part in SLENDERNESS], "radius/length, rods, n = 64", 10),
    )
    for ax, (text, places, label, base) in zip(axes, panels, strict=True):
        for way in shown:
            texts = [text.format(f"{place:g}") for place in places]
            errors = [
                median(measured(one, way, seed, "double")["qdd_error"] for seed in range(seeds_of(one)))
                for one in texts
            ]
            look = LOOKS[shown.index(way)]
            ax.plot(places, errors, color=look[0], marker=look[1], label=way.label)
        ax.set_xscale("log", base=base)
        ax.set_yscale("log")
        ax.set_xlabel(label)
    axes[1].invert_xaxis()
    axes[0].set_ylabel("error of qdd, relative")
    last = {str(line.get_label()): float(np.asarray(line.get_ydata())[-1]) for line in axes[1].lines}
    worst, best = max(last, key=last.__getitem__), min(last, key=last.__getitem__)
    said = f"Slenderest rods: {order(last[worst])} of {worst}, {order(last[best])} of {best}"
    figure.suptitle(said, x=0.01, ha="left", weight="bold", size=13)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower left", ncols=4)
    return figure


DATA: Tables = {
    "compact": compact,
    "digits": digits,
    "length": length,
    "force": force_by_length,
    "prismatic": prismatic,
    **{f"slender-{n}": partial(slender, n) for n in RODS},
    "light": light_links,
    "wide": wide,
    "narrow": narrow,
    "long": long_arms,
}
FIGURES: Figures = {"accuracy": over_length_and_slenderness}

"""The tables and the picture of light_link.md, two minutes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
from matplotlib import pyplot
from matplotlib.figure import Figure

from experiments.page import Figures, Tables, head, order, row
from experiments.trust.accuracy import cell
from experiments.ways import scaled
from senn.algorithms import problems
from senn.algorithms.certificate.refined import norm
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs import star
from senn.algorithms.references import articulated
from senn.algorithms.robots.chain import Chain
from senn.traces.pictures.style import LOOKS, mixed
from tests.oracles import constraint_force, extended, ports, two_ports
from tests.oracles.two_ports import Numbers

SEEDS, SIZES, MASSES, SIZE = range(12), (8, 16, 64), (1.0, 1e-2, 1e-4, 1e-6), 1e-2


def random(n: int, seed: int) -> Chain:
    return problems.load(f"random:{n}:seed={seed}").chain


def free(chain: Chain, seed: int, mass: Numbers, size: Numbers) -> Problem:
    """The arm with these parts of its masses and lengths, the tip free."""
    return problems.free(problems.draw(scaled(chain, mass, size), seed))


@cache
def of_mass(mass: float, n: int = 16) -> list[Problem]:
    """Twelve arms whose middle link has this mass and a hundredth of its size; as they were, if it is 1."""
    here = np.arange(n) == n // 2
    parts = np.where(here, mass, 1.0), np.where(here & (mass < 1.0), SIZE, 1.0)
    return [free(random(n, seed), seed, *parts) for seed in SEEDS]


@cache
def rods() -> list[Problem]:
    return [problems.free(problems.load(f"rods:64:slenderness=0.001:seed={seed}")) for seed in SEEDS]


@cache
def right(what: Problem) -> Numbers:
    return np.asarray(extended.solve(what).qdd)


def error(what: Problem, qdd: Numbers) -> float:
    """Of qdd, relative; 1 where no digit is right."""
    return min(1.0, norm(qdd - right(what)) / norm(right(what)))


def double(form: Callable[..., Numbers], **options: Any) -> Callable[[Problem], Numbers]:
    """A form in double precision."""
    return lambda what: form(two_ports.links(what).cast(np.float64), what, **options)


STAR, LOANS, SERIAL = "star products", "star products, loans", "articulated bodies, serial"
FORMS: dict[str, Callable[[Problem], Numbers]] = {
    STAR: double(ports.loans, factor=0.0),
    "square roots of C and J": double(ports.roots),
    "pairs of links": double(ports.pairs),
    "refined once": double(ports.refined, steps=1),
    "refined 4 times": double(ports.refined, steps=4),
    "the joint a third port": double(ports.joints),
    "waves": double(ports.waves),
    LOANS: double(ports.loans),
    SERIAL: lambda what: articulated.solve(what).qdd,
    "block LDL' of A, serial": lambda what: constraint_force.solve(what).qdd,
}


def forms() -> Iterator[str]:
    """Errors of qdd of twelve arms."""
    columns = {f"n = {n}, {mass:.0e}": of_mass(mass, n) for n in SIZES for mass in MASSES}
    columns["64 rods of 0.001"] = rods()
    yield from head("form", *columns)
    for label, solve in FORMS.items():
        yield row(label, *(cell(error(what, solve(what)) for what in arms) for arms in columns.values()))


def others() -> Iterator[str]:
    """Other arms of 16 links."""
    k, shown = np.arange(16), (STAR, LOANS, SERIAL)
    arms = {
        "two light links": np.where((k == 8) | (k == 9), 1e-6, 1.0),
        "four light links": np.where((k >= 8) & (k < 12), 1e-6, 1.0),
        "every second link light": np.where(k % 2, 1e-6, 1.0),
        "the last three light": np.where(k > 12, 1e-6, 1.0),
        "one heavy link": np.where(k == 8, 1e6, 1.0),
        "each link half the one before": 0.5**k,
        "each link twice the one before": 0.5 ** (15 - k),
    }
    yield from head("arm", *shown)
    for label, mass in arms.items():
        size = np.where((mass == 1e-6), SIZE, 1.0)
        every = [free(random(16, seed), seed, mass, size) for seed in SEEDS]
        yield row(label, *(cell(error(what, FORMS[form](what)) for what in every) for form in shown))


def bounds() -> Iterator[str]:
    """What rounding C, b, J and eta once changes of a behind the light link, n = 16: worst of twelve."""
    titles = ("1/D", "equal words", "rounded", "bound", "rounded, loans", "bound, loans")
    yield from head("mass", *titles)
    for mass in MASSES:
        columns = zip(*map(cut, of_mass(mass)), strict=True)
        yield row(f"{mass:.0e}", *(order(max(column)) for column in columns))


@cache
def cut(what: Problem) -> tuple[float, ...]:
    """The columns of `bounds`."""
    whole, rho, at = two_ports.links(what), star.loans(what.chain).astype(np.longdouble), what.chain.n // 2
    bare, lent = (ports.Cut.behind(ports.lent(whole, x * rho)[1], at) for x in (0.0, 1.0))
    d = float(whole.axis[at] @ whole.inertia[at] @ whole.axis[at])
    return 1 / d, bare.ambiguity(), *bare.rounded(), *lent.rounded()


# --------------------------------------------------------------------------------- picture

SHOWN = (STAR, "square roots of C and J", "pairs of links", "refined once", LOANS, SERIAL)
PURPLE = LOOKS[SHOWN.index(LOANS)][0]
SHADES = tuple(zip((mixed(PURPLE, x) for x in (-0.5, 0.1, 0.6)), "*ph", strict=True))
"""Looks of arms, all with loans."""


def digits_over_mass() -> Figure:
    """Worst errors of twelve arms over the mass of the light link, and over the size of the loans."""
    figure, (left, size) = pyplot.subplots(1, 2, figsize=(12.0, 5.6), layout="constrained", sharey=True)
    masses, factors = [10.0**-k for k in range(7)], 10.0 ** np.arange(-8, 5)
    for label, (color, marker) in zip(SHOWN, LOOKS, strict=False):
        worst = [max(error(x, FORMS[label](x)) for x in of_mass(mass)) for mass in masses]
        left.plot(masses, worst, color=color, marker=marker, label=label)
    for column, style, label in ((3, "--", "bound for one rounding at one cut"), (5, ":", "the same, loans")):
        worst = [max(cut(x)[column] for x in of_mass(mass)) for mass in masses]
        left.plot(masses, worst, color="0.5", linestyle=style, label=label)
    arms = {"one light link, 1e-6": of_mass(1e-6), "compact": of_mass(1.0), "64 rods of 0.001": rods()}
    for (label, every), (color, marker) in zip(arms.items(), SHADES, strict=True):
        ways = [double(ports.loans, factor=factor) for factor in factors]
        worst = [max(error(what, way(what)) for what in every) for way in ways]
        size.plot(factors, worst, color=color, marker=marker, label=label)
    left.invert_xaxis()
    left.set_xlabel("mass of the light link (n = 16)")
    size.set_xlabel("loans, relative to those of the program")
    left.set_ylabel("error of qdd, worst of twelve arms")
    for ax in (left, size):
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.grid(axis="y")
    size.legend(title=LOANS, alignment="left")
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower left", ncols=4)
    title = "With loans of inertia a light link costs no digits, and their size hardly matters"
    figure.suptitle(title, x=0.01, ha="left", weight="bold")
    return figure


DATA: Tables = {"forms": forms, "others": others, "bounds": bounds}
FIGURES: Figures = {"light_link": digits_over_mass}

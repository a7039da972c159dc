"""Operation counts of the serial family, data files of algorithms.md; a test makes them again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice

import numpy as np

from experiments.page import Tables, head, row
from senn.algorithms import problems
from senn.algorithms.answers import FORWARD
from senn.algorithms.family import costs
from senn.algorithms.family import forward as gradients
from senn.algorithms.family.arm import arm_of, joined
from senn.algorithms.family.joint_space import newton_euler
from senn.algorithms.family.pages import PAGES, Page
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.references import articulated
from senn.machine.program import Operations
from senn.overview import polynomial

FIELDS = ("multiply", "add", "divide", "trig")
AT = (7, 25, 100)
LARGE = 10**6


def serial() -> Iterator[str]:
    """The formulas of the family's pages, and their sums for some n."""
    yield from head("algorithm", "m", "a", "d", "sin, cos", *(f"all, n = {n}" for n in AT))
    for page in PAGES.values():
        sums = (f"{page.operations(n).flops:,}" for n in AT)
        yield row(f"`{page.name}`", *_formulas(page.operations), *sums)


def held() -> Iterator[str]:
    """The formulas of the pages that solve with a contact, six directions held, and PV with fewer."""
    yield from head("algorithm", "held", "m", "a", "d", "sin, cos", *(f"all, n = {n}" for n in AT))
    for page in PAGES.values():
        if page.in_contact is None:
            continue
        directions = (6, 3, 1) if "pv" in page.name else (6,)
        for count in directions:
            operations = partial(_in_contact, page, count)
            sums = (f"{operations(n).flops:,}" for n in AT)
            yield row(f"`{page.name}`", str(count), *_formulas(operations), *sums)


def _in_contact(page: Page, directions: int, n: int) -> Operations:
    return page.operations(n, ContactShape("I", directions))


def lean() -> Iterator[str]:
    """The leanest forms, in scalars."""
    named = {
        "open chain, articulated bodies": costs.open_chain,
        "closed chain, articulated bodies": costs.articulated_bodies,
        "closed chain, PV": costs.popov_vereshchagin,
        "closed chain, PV-early": costs.popov_vereshchagin_early,
        "closed chain, mass matrix": costs.mass_matrix,
        "closed chain, null space": costs.null_space,
        "closed chain, outward": costs.outward,
        "closed chain, outward, with Lambda^-1": costs.WITH_INVERSE["outward"],
    }
    yield from head("solution", "m", "a", "d", "sin, cos", *(f"all, n = {n}" for n in AT))
    for name, operations in named.items():
        yield row(name, *_formulas(operations), *(f"{operations(n).flops:,}" for n in AT))


def cheapest() -> Iterator[str]:
    """Which forward dynamics of the family costs least, and for which n."""
    pages = [page for page in PAGES.values() if page.question == FORWARD]
    yield from head("n", "cheapest")
    first, name = 1, ""
    for n in range(1, 1001):
        best = min(pages, key=lambda page: page.operations(n).flops).name
        if best != name and name:
            yield row(f"{first} to {n - 1}" if n - 1 > first else str(first), f"`{name}`")
            first = n
        name = best
    yield row(f"{first} and more", f"`{name}`")


def factor() -> Iterator[str]:
    """Operations per link of a long chain, by constraint forces and by articulated bodies."""
    slow = {
        "kernels of the program, added up": _per_link(lambda n: costs.constraint_forces(1), one=True),
        "`forward_constraint_force`, executed": _per_link(PAGES["forward_constraint_force"].operations),
    }
    fast = {
        "leanest, executed": _per_link(costs.open_chain),
        "quoted widely, unverified": 429.0,
        "`forward_articulated`, executed": _per_link(PAGES["forward_articulated"].operations),
    }
    yield from head("constraint forces", "all", *(f"over {name}: {x:,.0f}" for name, x in fast.items()))
    for name, count in slow.items():
        yield row(name, f"{count:,.0f}", *(f"{count / x:.2f}" for x in fast.values()))


def iterations(texts: tuple[str, ...] = ()) -> Iterator[str]:
    """Conjugate gradients until z'r has fallen to the square of 1e-16, and the error of qdd_0 then."""
    yield from head("arm", "n", "plain", "error", "preconditioned", "error, preconditioned")
    for text in texts or ARMS:
        what = problems.load(text)
        arm, expected = arm_of(what), articulated.solve(what).qdd0
        drive = what.tau - joined(newton_euler(arm))
        cells: list[str] = []
        for precondition in (gradients.plain, gradients.diagonal(arm)):
            made = []
            most = gradients.PATIENCE * arm.degrees
            for iterate in islice(gradients.iterates(arm, drive, precondition), most):
                made.append(iterate)
                if iterate[1] <= gradients.ENOUGH**2 * made[0][1]:
                    break
            error = np.linalg.norm(made[-1][0] - expected) / np.linalg.norm(expected)
            cells += [str(len(made) - 1), f"{error:.0e}"]
        yield row(f"`{text}`", str(arm.degrees), *cells)


ARMS = ("ur5", "ssrms", "station25", "random:16", "random:64", "snake:16", "rods:16:slenderness=0.01")


def _per_link(operations: Callable[[int], Operations], *, one: bool = False) -> float:
    return float(operations(1).flops) if one else operations(LARGE).flops / LARGE


def _formulas(operations: Callable[[int], Operations]) -> list[str]:
    counts = [operations(n) for n in range(3, 12)]
    return [polynomial([getattr(count, field) for count in counts], "n") for field in FIELDS]


DATA: Tables = {
    "serial": serial,
    "held": held,
    "lean": lean,
    "cheapest": cheapest,
    "factor": factor,
    "iterations": iterations,
}

"""Operation counts of the serial family, data files of algorithms.md; iterations.csv was computed once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from experiments import costs
from experiments.page import Tables, head, row
from senn.algorithms.answers import FORWARD
from senn.algorithms.family.pages import PAGES
from senn.algorithms.problems.contacts import ContactShape
from senn.machine.program import Operations
from senn.overview import polynomial

FIELDS = ("multiply", "add", "divide", "trig")
AT = (7, 25, 100)
LARGE = 10**6
COLUMNS = ("m", "a", "d", "sin, cos", *(f"all, n = {n}" for n in AT))


def serial() -> Iterator[str]:
    """The formulas of the family's pages, and their sums for some n."""
    yield from head("algorithm", *COLUMNS)
    for page in PAGES.values():
        yield row(f"`{page.name}`", *_formulas(page.operations))


def held() -> Iterator[str]:
    """The formulas of the pages that solve with a contact, six directions held, and PV with fewer."""
    yield from head("algorithm", "held", *COLUMNS)
    for page in (page for page in PAGES.values() if page.in_contact):
        for count in (6, 3, 1) if "pv" in page.name else (6,):
            shape = ContactShape("I", count)
            yield row(f"`{page.name}`", count, *_formulas(lambda n, x=page, y=shape: x.operations(n, y)))  # type: ignore[misc]


def lean() -> Iterator[str]:
    """The leanest forms, in scalars."""
    order = ("articulated bodies", "PV", "PV-early", "mass matrix", "null space", "outward")
    named = {"open chain, articulated bodies": costs.open_chain}
    named |= {f"closed chain, {name}": costs.CLOSED[name] for name in order}
    named["closed chain, outward, with Lambda^-1"] = costs.WITH_INVERSE["outward"]
    yield from head("solution", *COLUMNS)
    yield from (row(name, *_formulas(operations)) for name, operations in named.items())


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
        "kernels of the program, added up": float(costs.constraint_forces(1).flops),
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


def _per_link(operations: Callable[[int], Operations]) -> float:
    return operations(LARGE).flops / LARGE


def _formulas(operations: Callable[[int], Operations]) -> list[str | int]:
    """The formulas by kind, and all operations at some n."""
    counts = [operations(n) for n in range(3, 12)]
    formulas = [polynomial([getattr(count, field) for count in counts], "n") for field in FIELDS]
    return [*formulas, *(operations(n).flops for n in AT)]


DATA: Tables = {f.__name__: f for f in (serial, held, lean, cheapest, factor)}

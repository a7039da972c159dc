"""Operation counts of parallel programs, data files of algorithms.md; a test makes a part again.

What a program executes over all its processes is an exact formula in n. The sizes of a tree or of a scan are
sums over M = ceil(log2 n) levels of n - 2^(j-1), of n / 2^j and the like: combinations of TERMS with rational
coefficients. They are found from the counts of programs of some sizes, and must give those of all sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, fields
from fractions import Fraction
from functools import cache, partial

from experiments import costs
from experiments.page import Tables, head, row
from senn.algorithms.family.pages import PAGES
from senn.algorithms.programs import divide_and_conquer, operational_space, variants
from senn.algorithms.programs.free import inverse_dynamics
from senn.machine.engines.memory import executed
from senn.machine.program import Operations, Program, levels
from senn.machine.program.dataflow import flow
from senn.overview import solved
from senn.traces.naming import total

TERMS: Mapping[str, Callable[[int], int]] = {
    "n M": lambda n: n * levels(n),
    "2^M": lambda n: int(2 ** levels(n)),
    "n": lambda n: n,
    "M": levels,
    "ones(n-1)": lambda n: (n - 1).bit_count(),
    "odd(n)": lambda n: n % 2,
    "1": lambda n: 1,
}
"""M the number of levels; ones(x) how many bits of x are one: at so many levels of a tree over n the rest of
n is joined; odd(n) is 1 or 0."""

SMALLEST = 3
"""From this n on formulas hold; programs of shorter arms lack steps."""
TRIED = (*range(SMALLEST, 36), 48, 63, 64, 65)


@dataclass(frozen=True)
class Formula:
    """Operations as a function of n >= SMALLEST, by kind, in the order of `Operations`."""

    coefficients: tuple[Mapping[str, Fraction], ...]
    """For each kind the coefficients of TERMS that are not zero."""

    def __call__(self, n: int) -> Operations:
        counts = (sum(c * TERMS[term](n) for term, c in kind.items()) for kind in self.coefficients)
        return Operations(*(int(count) for count in counts))

    def texts(self) -> dict[str, str]:
        """For each kind the formula as printed."""
        names = (kind.name for kind in fields(Operations))
        sums = ([(c, "" if term == "1" else term) for term, c in kind.items()] for kind in self.coefficients)
        return {name: total(terms) for name, terms in zip(names, sums, strict=True)}


def formula(program: Callable[[int], Program], sizes: Iterable[int] = TRIED) -> Formula:
    """The formula of the programs of one kind; all sizes are tried, and must agree.

    Raises ArithmeticError where no combination of TERMS gives all of them.
    """
    tried = {n: astuple(executed(flow(program(n)))) for n in sizes}
    rows = [[Fraction(term(n)) for term in TERMS.values()] for n in tried]
    found = [solved(rows, counts) for counts in zip(*tried.values(), strict=True)]
    return Formula(tuple(dict(_named(kind)) for kind in found))


def _named(solution: Iterable[Fraction] | None) -> Iterable[tuple[str, Fraction]]:
    if solution is None:
        raise ArithmeticError(f"the counts are no combination of {', '.join(TERMS)}")
    return ((term, c) for term, c in zip(TERMS, solution, strict=True) if c)


SIZES = (8, 64, 1024)
ELIMINATIONS = {"oee": "odd-even elimination", "oer": "odd-even reduction"}

PROGRAMS: dict[str, Callable[[int], Program]] = {
    **{
        f"closed chain, form {form}, {words}, strategy {strategy}": partial(
            variants.closed_chain, form=form, elimination=elimination, strategy=strategy
        )
        for elimination, words in ELIMINATIONS.items()
        for form in variants.FORMS
        for strategy in reversed(variants.STRATEGIES)
    },
    **{
        f"open chain, {words}": partial(variants.open_chain, elimination=elimination)
        for elimination, words in ELIMINATIONS.items()
    },
    "divide and conquer": divide_and_conquer.program,
    "divide and conquer, open chain": partial(divide_and_conquer.program, contact=0),
    "inverse dynamics": inverse_dynamics.program,
    **{
        f"{title}, form {form}, {words}": partial(
            operational_space.program, what=what, vector=vector, form=form, elimination=elimination
        )
        for title, what, vector in (
            ("Lambda^-1", operational_space.INVERSE, False),
            ("Lambda", operational_space.MASS, False),
            ("Lambda^-1 x", operational_space.INVERSE, True),
            ("Lambda x", operational_space.MASS, True),
        )
        for elimination, words in ELIMINATIONS.items()
        for form in operational_space.FORMS
    },
}
"""Revolute joints, a welded tip but for the open chain, nothing refined. Arrays do not matter: they share the
same work."""


@cache
def counted(name: str) -> Formula:
    """The formula of a program."""
    return formula(PROGRAMS[name])


def formulas(names: Iterable[str] = PROGRAMS) -> Iterator[str]:
    """The exact counts of each program, over all processes."""
    yield from head("program", "multiply", "add", "divide", "sine, cosine")
    for name in names:
        yield row(name, *[*counted(name).texts().values()][:4])  # no program compares or draws a root


def totals(names: Iterable[str] = PROGRAMS) -> Iterator[str]:
    """All operations at some n, and over those of the serial solution of the same question."""
    yield from head("program", *(f"n = {n:,}" for n in SIZES))
    for label, serial in SERIAL.items():
        yield row(label, *(f"{serial(n).flops:,}" for n in SIZES))
    for name in names:
        yield row(name, *(_against_serial(name, n) for n in SIZES))


CLOSED, OPEN = "serial PV-early, in contact", "serial articulated bodies, open chain"
INVERSE, MASS = "serial page `lambda_inverse_articulated`", "serial page `lambda_constraint_force`"
SERIAL = {
    CLOSED: costs.CLOSED["PV-early"],
    OPEN: costs.open_chain,
    INVERSE: PAGES["lambda_inverse_articulated"].operations,
    MASS: PAGES["lambda_constraint_force"].operations,
}


def _against_serial(name: str, n: int) -> str:
    """ "27,869 (4.22)"; not for inverse dynamics, for products with a vector and for both matrices."""
    count = counted(name)(n).flops
    asked = {"closed chain": CLOSED, "open chain": OPEN, "divide and conquer": CLOSED}
    asked |= {"divide and conquer, open chain": OPEN, "Lambda^-1": INVERSE, "Lambda": MASS}
    serial = asked.get(name) or asked.get(name.split(",")[0])
    return f"{count:,} ({count / SERIAL[serial](n).flops:.2f})" if serial else f"{count:,}"


DATA: Tables = {"formulas": formulas, "totals": totals}

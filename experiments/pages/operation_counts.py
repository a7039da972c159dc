"""Operations that a program of the machine executes over all its processes, as an exact formula in n.

The sizes of a tree or of a scan are sums over M = ceil(log2 n) levels of n - 2^(j-1), of n / 2^j and the
like: combinations of the TERMS below with rational coefficients. They are found from the counts of programs
of some sizes, in rational arithmetic, and must give those of all other sizes that are tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import astuple, dataclass, fields
from fractions import Fraction

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

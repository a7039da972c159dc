"""The system A phi = rhs, solved with what the diagonalisation left: Eqs. (92)-(93), in any array.

What depends on the strategy is chosen here, by its number; a reduction also substitutes back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from senn.algorithms.kernels import system as k
from senn.algorithms.system import elimination
from senn.algorithms.system import owner_of_row as owner_computes
from senn.algorithms.system.elimination import Elimination
from senn.algorithms.system.reduction import substitute_back
from senn.machine.program import (
    Arrange,
    Array,
    Compute,
    Instruction,
    Letter,
    Name,
    Operand,
    Send,
    Value,
    i,
    levels,
    replace_place,
    value,
)


@dataclass(frozen=True)
class Names:
    """The values of one application; `mark` keeps those of several apart, `size` is the rows of a block."""

    mark: str = ""
    columns: int | None = None
    size: int = 5

    def of_size(self, size: int) -> Names:
        """The same in blocks of so many rows."""
        return replace(self, size=size)

    def value(self, name: str, *shape: int) -> Value:
        return value(name + self.mark, *shape, *(() if self.columns is None else (self.columns,)))

    def letter(self, name: str) -> Letter:
        return Letter(name + self.mark, self.value(name, self.size).shape)

    @property
    def x1(self) -> Value:
        return self.value("X^1", 6)

    @property
    def x2(self) -> Value:
        return self.value("X^2", self.size)

    @property
    def phi(self) -> Value:
        return self.value("phi", self.size)

    @property
    def x5(self) -> Value:
        return self.value("X^5", 6)


def at_last(instruction: Instruction, n: int) -> Instruction:
    """The same instruction after the loop: it executes at the places of level M."""
    return replace_place(instruction, level=None, at=levels(n))


# By strategy.
DIAGONALISE = {1: owner_computes.diagonalise, 2: elimination.diagonalise}
RIGHT_HAND_SIDE = {1: owner_computes.right_hand_side, 2: elimination.right_hand_side}
TIP_RIGHT_HAND_SIDE = {1: owner_computes.tip_right_hand_side, 2: elimination.tip_right_hand_side}


def solve_full(step: str, rhs: Value, names: Names, how: Elimination, array: Array) -> Iterator[Instruction]:
    """c.2-4: A phi = rhs by the full sweep and the factor of A^M; rhs has a block at every process."""
    phi = _estimate(names, how, 0)
    yield Name(f"{step}c.2", names.letter("psi")[0], rhs)
    yield from _swept(f"{step}c.3", (f"{step}c.4.i", f"{step}c.4.ii"), phi, "", names, how, array)
    yield from _refinements(f"{step}c.4", rhs[i], names, how, array)


def solve_tip(step: str, rhs: Value, names: Names, how: Elimination, array: Array) -> Iterator[Instruction]:
    """The same for a right-hand side that exists at process n only: the tip form of the sweep."""
    phi = _estimate(names, how, 0)
    psi = names.letter("psi")
    yield Name(f"{step}c.2", psi[0], rhs)
    if how.reduction:  # what is left out is zero: the sweep would change nothing
        yield Send(f"{step}c.3'", psi[0], array[i])
        at_end = psi[0].delivered
    else:
        yield from TIP_RIGHT_HAND_SIDE[how.strategy](f"{step}c.3", psi, names.letter("h"), how, array)
        at_end = psi[how.last][i]
    yield from _solved((f"{step}c.4.i", f"{step}c.4.ii"), phi, psi, at_end, names, how, array, tip=True)
    yield from _refinements(f"{step}c.4", rhs.or_zero, names, how, array)


def _swept(
    sweep: str, labels: tuple[str, str], phi: Value, mark: str, names: Names, how: Elimination, array: Array
) -> Iterator[Instruction]:
    """phi from psi[0] at every process; `mark` keeps the values of a refinement apart."""
    psi, e, h = (names.letter(name + mark) for name in ("psi", "e", "h"))
    yield from RIGHT_HAND_SIDE[how.strategy](sweep, psi, e, h, how, array)
    yield from _solved(labels, phi, psi, psi[how.last][i], names, how, array)


def _solved(
    labels: tuple[str, str],
    phi: Value,
    psi: Letter,
    at_end: Operand,
    names: Names,
    how: Elimination,
    array: Array,
    *,
    tip: bool = False,
) -> Iterator[Instruction]:
    """phi at home, from psi^M (`at_end`) and the factor of A^M; in a reduction both are at process N only."""
    m, solve, (step, home) = how.last, k.solve_columns(names.columns), labels
    if how.reduction:
        level = Letter(phi.letter, phi.shape)
        yield at_last(Compute(step, level[m], solve(how.LDL[m], at_end)), how.n)
        yield from substitute_back(f"{step}.R", level, psi, how, array, tip=tip)
        yield Name(f"{step}.R.v", phi, level[0])
    else:
        yield at_last(Compute(step, phi, solve(how.LDL[m], at_end)), how.n)
        yield at_last(Arrange(home, phi, m, 0), how.n)


def _estimate(names: Names, how: Elimination, steps: int) -> Value:
    """phi after so many steps of refinement; after the last, it is the solution."""
    return names.phi if steps == how.refined else names.value(f"phi~{steps + 1 if steps else ''}", names.size)


def _refinements(
    step: str, rhs: Operand, names: Names, how: Elimination, array: Array
) -> Iterator[Instruction]:
    """c.4', and c.4'' if there are two: iterative refinement, with the blocks of level 0 and full sweeps.

    The residual is non-zero everywhere, also when the right-hand side is zero but at process n.
    """
    A, B, L = how.A, how.B, how.L
    form = k.residual(names.columns)
    for number in range(1, how.refined + 1):
        label, mark = step + "'" * number, f".r{number if number > 1 else ''}"
        phi, better = _estimate(names, how, number - 1), _estimate(names, how, number)
        residual, correction = (names.value(x, names.size) for x in (mark[1:], f"phi{mark}"))
        yield Send(f"{label}.i", phi, array[i - 1], array[i + 1])
        yield Compute(
            f"{label}.ii",
            residual,
            form(A[0], phi, rhs, B[0].or_zero, phi[i + 1].or_zero, L[0].or_zero, phi[i - 1].or_zero),
        )
        yield Name(f"{label}.iii", names.letter(f"psi{mark}")[0], residual)
        labels = (f"{label}.iv", f"{label}.iv'")
        yield from _swept(f"{label}.iii", labels, correction, mark, names, how, array)
        yield Compute(f"{label}.v", better, k.total(better.words)(phi, correction))

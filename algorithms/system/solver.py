"""Solution of A phi = rhs by odd-even elimination, as a value that programs are given.

A level eliminates some rows of the block tridiagonal system and updates some (Fijany VI.B).

At level j, rows at the distance h = 2^(j-1) are coupled; the *pivots* are the rows whose inverse is used, and
what they are coupled to is updated. In odd-even elimination every row is pivot and is updated, and after
level M the system is diagonal. In odd-even reduction every other row that is left is pivot, and left out from
then on; process N is left last, and the solution goes back the way down (`senn.algorithms.system.reduction`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Concatenate, ParamSpec

from senn.algorithms.arm.letters import LDL, Names
from senn.algorithms.kernels import system as k
from senn.machine.program import *  # the words of a program

Rest = ParamSpec("Rest")


@dataclass(frozen=True)
class Rows:
    """Odd-even elimination of n rows."""

    n: int

    @property
    def last(self) -> int:
        """M."""
        return levels(self.n)

    def pivots(self, j: int) -> ProcessSet:
        """The rows whose inverse level j uses."""
        h: int = 2 ** (j - 1)
        return (i <= self.n - h) | (i > h)

    def kept(self, j: int) -> ProcessSet | None:
        """The rows that level j updates; None: all."""
        return None


class EveryOther(Rows):
    """Odd-even reduction of n rows."""

    def pivots(self, j: int) -> ProcessSet:
        h: int = 2 ** (j - 1)
        return every(2 * h, self.n - h)

    def kept(self, j: int) -> ProcessSet | None:
        return every(2**j, self.n)


def at_every_level(
    body: Callable[Concatenate[int, int, Rows, Rest], Iterator[Instruction]],
) -> Callable[Concatenate[Rows, Rest], Iterator[Instruction]]:
    """``for j = 1 to M``, h = 2^(j-1): what is written for one level, at all levels of the system."""

    def levels_of(rows: Rows, /, *rest: Rest.args, **more: Rest.kwargs) -> Iterator[Instruction]:
        return loop(rows.n, lambda j, h: body(j, h, rows, *rest, **more))

    return levels_of


# ------------------------------------------------------------------------------------- solver

Lines = Iterator[Instruction]


def after_last_level(instruction: Instruction, n: int) -> Instruction:
    """`instruction` after the loop: it executes at the places of level M."""
    return replace_place(instruction, level=None, at=levels(n))


@dataclass(frozen=True)
class Strategy:
    """The choice of the process that computes a term of a level (Fijany VI.B), as generators."""

    diagonalise: Callable[[Rows], Lines]
    """Step I.b: levels 1..M of Eqs. (90)-(91)."""
    sweep: Callable[[Rows, str, Letter, Letter, Letter, Array], Lines]
    """Eq. (92): psi[M] from psi[0], with the letters of what is sent, labels, and the array that does it."""
    tip_sweep: Callable[[Rows, str, Letter, Letter, Array], Lines]
    """Eq. (92) for psi[0] that exists at process N only."""
    owner_of_row: bool = False
    """Whether a pivot's neighbours, not the pivot, have C and F."""


@dataclass(frozen=True)
class Solver:
    """Odd-even elimination."""

    rows: Rows
    strategy: Strategy

    @property
    def n(self) -> int:
        return self.rows.n

    @property
    def coupled(self) -> ProcessSet:
        """The rows that need the block to their left at level 0: the pivots, or all."""
        return i > 1 if self.strategy.owner_of_row else self.rows.pivots(1)

    def diagonalise(self) -> Lines:
        """Step I.b."""
        return self.strategy.diagonalise(self.rows)

    def sweep(self, step: str, psi: Letter, e: Letter, h: Letter, array: Array) -> Lines:
        """Eq. (92)."""
        return self.strategy.sweep(self.rows, step, psi, e, h, array)

    def solve(self, step: str, rhs: Value, names: Names, array: Array = PR2) -> Lines:
        """c.2-4: A phi = rhs by the sweep and the factor of A^M; rhs has a block at every process."""
        psi, e, h = (names.letter(name) for name in ("psi", "e", "h"))
        yield Name(f"{step}c.2", psi[0], rhs)
        yield from self.sweep(f"{step}c.3", psi, e, h, array)
        yield from self._solved(f"{step}c.4", names.phi, psi, psi[self.rows.last][i], array, tip=False)

    def solve_tip(self, step: str, rhs: Value, names: Names, array: Array = PR2) -> Lines:
        """c.2-4 for a right-hand side that exists at process N only."""
        psi = names.letter("psi")
        yield Name(f"{step}c.2", psi[0], rhs)
        yield from self.strategy.tip_sweep(self.rows, f"{step}c.3", psi, names.letter("h"), array)
        yield from self._solved(f"{step}c.4", names.phi, psi, psi[self.rows.last][i], array, tip=True)

    def _solved(self, step: str, phi: Value, psi: Letter, at_end: Operand, array: Array, tip: bool) -> Lines:
        """Eq. (93): phi at home, from psi^M (`at_end`) and the factor of A^M."""
        m = self.rows.last
        yield after_last_level(Compute(f"{step}.i", phi, k.solve(LDL[m], at_end)), self.n)
        yield after_last_level(Arrange(f"{step}.ii", phi, m, 0), self.n)

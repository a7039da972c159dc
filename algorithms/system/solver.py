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

from senn.algorithms.arm.letters import LDL, Names
from senn.algorithms.kernels import system as k
from senn.machine.program import *  # the words of a program

Lines = Iterator[Instruction]


def after_last_level(instruction: Instruction, n: int) -> Instruction:
    """`instruction` after the loop: it executes at the places of level M."""
    return replace_place(instruction, level=None, at=levels(n))


@dataclass(frozen=True)
class Strategy:
    """The choice of the process that computes a term (Fijany VI.B): the lines of level j, h = 2^(j-1)."""

    diagonalise: Callable[[int, int, Solver], Lines]
    """Step I.b: Eqs. (90)-(91)."""
    sweep: Callable[[int, int, Solver, str, Letter, Letter, Letter, Array], Lines]
    """Eq. (92): psi[j] from psi[j-1], with the letters of what is sent, labels, and the array."""
    tip_sweep: Callable[[int, int, Solver, str, Letter, Letter, Array], Lines]
    """Eq. (92) for psi[0] that exists at process N only."""
    owner_of_row: bool = False
    """Whether a pivot's neighbours, not the pivot, have C and F."""


@dataclass(frozen=True)
class Solver:
    """Odd-even elimination of n rows."""

    n: int
    strategy: Strategy

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

    @property
    def coupled(self) -> ProcessSet:
        """The rows that need the block to their left at level 0: the pivots, or all."""
        return i > 1 if self.strategy.owner_of_row else self.pivots(1)

    def diagonalise(self) -> Lines:
        """Step I.b: levels 1..M of Eqs. (90)-(91)."""
        return loop(self.n, lambda j, h: self.strategy.diagonalise(j, h, self))

    def sweep(self, step: str, psi: Letter, e: Letter, h_: Letter, array: Array) -> Lines:
        """psi[M] from psi[0], Eq. (92)."""
        return loop(self.n, lambda j, h: self.strategy.sweep(j, h, self, step, psi, e, h_, array))

    def solve(self, step: str, rhs: Value, names: Names, array: Array = PR2) -> Lines:
        """c.2-4: A phi = rhs by the sweep and the factor of A^M; rhs has a block at every process."""
        psi, e, h = (names.letter(name) for name in ("psi", "e", "h"))
        yield Name(f"{step}c.2", psi[0], rhs)
        yield from self.sweep(f"{step}c.3", psi, e, h, array)
        yield from self._solved(f"{step}c.4", names.phi, psi, psi[self.last][i], array, tip=False)

    def solve_tip(self, step: str, rhs: Value, names: Names, array: Array = PR2) -> Lines:
        """c.2-4 for a right-hand side that exists at process N only."""
        psi, sent, sweep = names.letter("psi"), names.letter("h"), self.strategy.tip_sweep
        yield Name(f"{step}c.2", psi[0], rhs)
        yield from loop(self.n, lambda j, h: sweep(j, h, self, f"{step}c.3", psi, sent, array))
        yield from self._solved(f"{step}c.4", names.phi, psi, psi[self.last][i], array, tip=True)

    def _solved(self, step: str, phi: Value, psi: Letter, at_end: Operand, array: Array, tip: bool) -> Lines:
        """Eq. (93): phi at home, from psi^M (`at_end`) and the factor of A^M."""
        m = self.last
        yield after_last_level(Compute(f"{step}.i", phi, k.solve(LDL[m], at_end)), self.n)
        yield after_last_level(Arrange(f"{step}.ii", phi, m, 0), self.n)

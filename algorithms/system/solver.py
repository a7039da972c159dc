"""Solution of A phi = rhs by odd-even elimination, as a value that programs are given.

A level eliminates some rows of the block tridiagonal system and updates some (Fijany VI.B).

At level j, rows at the distance h = 2^(j-1) are coupled; the *pivots* are the rows whose inverse is used, and
what they are coupled to is updated. In odd-even elimination every row is pivot and is updated, and after
level M the system is diagonal. In odd-even reduction every other row that is left is pivot, and left out from
then on; process N is left last, and the solution goes back the way down. Fijany VI.B names the variant (OER,
after Hockney and Jesshope) and takes the elimination.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from senn.algorithms.arm import Lines
from senn.algorithms.arm.letters import LDL, B, C, F, L, Names
from senn.algorithms.kernels import system as k
from senn.machine.program import *  # the words of a program


def after_last_level(instruction: Instruction, n: int) -> Instruction:
    """`instruction` after the loop: it executes at the places of level M."""
    return changed(instruction, level=None, at=levels(n))


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


@dataclass(frozen=True)
class Reduction(Solver):
    """Odd-even reduction of n rows: process N alone is solved for, and the way back gives the others.

    Level by level downward, what is known goes back to the places of that level, and each pivot takes it from
    its two neighbours:

        phi_i = A_i^-1 psi_i - C_i phi_{i+h} - F_i phi_{i-h}

    which the owner of a row, where a pivot has no C and F of its own, does as

        phi_i = A_i^-1 (psi_i - B_i phi_{i+h} - L_i' phi_{i-h})
    """

    def pivots(self, j: int) -> ProcessSet:
        h: int = 2 ** (j - 1)
        return every(2 * h, self.n - h)

    def kept(self, j: int) -> ProcessSet | None:
        return every(2**j, self.n)

    def diagonalise(self) -> Lines:
        """Step I.b; what pivots need on the way back goes to where the system is solved."""
        for line in super().diagonalise():
            yield line
            if isinstance(line, Compute) and line.target.letter == LDL.name:
                assert line.level is not None
                values: list[tuple[Value, ...]] = [(line.target,)]
                if self.strategy.owner_of_row:
                    values.append((B[line.level - 1], L[line.level - 1]))
                for together in values:
                    home = PR2[i].only(self.pivots(line.level))
                    yield Send(f"{line.step}'", together, home, level=line.level, at=line.at)

    def solve_tip(self, step: str, rhs: Value, names: Names, array: Array = PR2) -> Lines:
        """For a right-hand side at process N only, rows that are left out are zero: no sweep is needed."""
        psi = names.letter("psi")
        yield Name(f"{step}c.2", psi[0], rhs)
        yield Send(f"{step}c.3'", psi[0], array[i])
        yield from self._solved(f"{step}c.4", names.phi, psi, psi[0].delivered, array, tip=True)

    def _solved(self, step: str, phi: Value, psi: Letter, at_end: Operand, array: Array, tip: bool) -> Lines:
        """phi at process N, and from there to all; `tip`: psi is zero at every pivot."""
        m, of_level = self.last, Letter(phi.letter, phi.shape)
        yield after_last_level(Compute(f"{step}.i", of_level[m], k.solve(LDL[m], at_end)), self.n)
        back = f"{step}.i.R"
        solution, pivots = Letter(f"{phi.letter}'", phi.shape), Letter(f"{phi.letter}*", phi.shape)

        def level(j: int, h: int) -> Lines:
            before, after = of_level[j][i - h].or_zero, of_level[j][i + h]
            if j < m:
                yield changed(Arrange(f"{back}.i'", of_level[j], j + 1, j), level=j, at=j + 1)
            yield Send(f"{back}.i", of_level[j], array[i - h], array[i + h])
            if self.strategy.owner_of_row:
                blocks = (LDL[j - 1], B[j - 1], after, L[j - 1].or_zero, before)
                pivot = k.row_solution(tip)(*blocks, *(() if tip else (psi[j - 1],)))
            elif tip:
                pivot = k.minus_products(True)(C[j - 1], after, F[j - 1].or_zero, before)
            else:
                yield Compute(f"{back}.ii", solution[j - 1], k.solve(LDL[j - 1], psi[j - 1]))
                pivot = k.minus_products(False)(C[j - 1], after, F[j - 1].or_zero, before, solution[j - 1])
            yield Compute(f"{back}.iii", pivots[j - 1], pivot)
            yield Name(f"{back}.iv", of_level[j - 1], of_level[j], pivots[j - 1])

        yield from loop(self.n, level, downward=True)
        yield Name(f"{back}.v", phi, of_level[0])

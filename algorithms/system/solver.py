"""Solution of A phi = rhs by odd-even elimination, refined or not, as a value that programs are given.

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

from senn.algorithms.arm.letters import LDL, A, B, L, Names
from senn.algorithms.kernels import sums
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


def each_level(
    body: Callable[Concatenate[int, int, Rows, Rest], Iterator[Instruction]],
) -> Callable[Concatenate[Rows, Rest], Iterator[Instruction]]:
    """``for j = 1 to M``, h = 2^(j-1): what is written for one level, at all levels of the system."""

    def levels_of(rows: Rows, /, *rest: Rest.args, **more: Rest.kwargs) -> Iterator[Instruction]:
        return loop(rows.n, lambda j, h: body(j, h, rows, *rest, **more))

    return levels_of


# ------------------------------------------------------------------------------------- solver

Lines = Iterator[Instruction]


def at_last(instruction: Instruction, n: int) -> Instruction:
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
    """Odd-even elimination, every solution refined so often."""

    rows: Rows
    strategy: Strategy
    refined: int = 0

    @property
    def n(self) -> int:
        return self.rows.n

    @property
    def coupled(self) -> ProcessSet:
        """The rows that need the block to their left at level 0: the pivots, or all."""
        return i > 1 if self.strategy.owner_of_row or self.refined else self.rows.pivots(1)

    def diagonalise(self) -> Lines:
        """Step I.b."""
        return self.strategy.diagonalise(self.rows)

    def sweep(self, step: str, psi: Letter, e: Letter, h: Letter, array: Array) -> Lines:
        """Eq. (92)."""
        return self.strategy.sweep(self.rows, step, psi, e, h, array)

    def blocks_of_level_0(self) -> Lines:
        """I.a.5': the residuals of refinement need them where the system is solved."""
        if self.refined:
            yield Send("I.a.5'", (A[0], B[0], L[0]), PR2[i])

    def solve(self, step: str, rhs: Value, names: Names, array: Array = PR2) -> Lines:
        """c.2-4: A phi = rhs by the sweep and the factor of A^M; rhs has a block at every process."""
        yield Name(f"{step}c.2", names.letter("psi")[0], rhs)
        yield from self._swept(f"{step}c.3", (f"{step}c.4.i", f"{step}c.4.ii"), "", names, array)
        yield from self._refinements(f"{step}c.4", rhs[i], names, array)

    def solve_tip(self, step: str, rhs: Value, names: Names, array: Array = PR2) -> Lines:
        """c.2-4 for a right-hand side that exists at process N only."""
        psi = names.letter("psi")
        yield Name(f"{step}c.2", psi[0], rhs)
        yield from self._swept_tip(f"{step}c.3", (f"{step}c.4.i", f"{step}c.4.ii"), psi, names, array)
        yield from self._refinements(f"{step}c.4", rhs.or_zero, names, array)

    def _swept(self, sweep: str, labels: tuple[str, str], mark: str, names: Names, array: Array) -> Lines:
        """phi from psi[0] at every process; `mark` keeps the values of a refinement apart."""
        psi, e, h = (names.letter(name + mark) for name in ("psi", "e", "h"))
        yield from self.sweep(sweep, psi, e, h, array)
        phi = names.value(f"phi{mark}", psi.shape[0]) if mark else self._estimate(names, 0)
        yield from self._solved(labels, phi, psi, psi[self.rows.last][i], array, tip=False)

    def _swept_tip(
        self, sweep: str, labels: tuple[str, str], psi: Letter, names: Names, array: Array
    ) -> Lines:
        yield from self.strategy.tip_sweep(self.rows, sweep, psi, names.letter("h"), array)
        at_end = psi[self.rows.last][i]
        yield from self._solved(labels, self._estimate(names, 0), psi, at_end, array, tip=True)

    def _solved(
        self, labels: tuple[str, str], phi: Value, psi: Letter, at_end: Operand, array: Array, tip: bool
    ) -> Lines:
        """Eq. (93): phi at home, from psi^M (`at_end`) and the factor of A^M."""
        m = self.rows.last
        yield at_last(Compute(labels[0], phi, k.solve(LDL[m], at_end)), self.n)
        yield at_last(Arrange(labels[1], phi, m, 0), self.n)

    def _estimate(self, names: Names, steps: int) -> Value:
        """phi after so many steps of refinement; after the last, it is the solution."""
        rows = names.letter("psi").shape[0]
        return names.phi if steps == self.refined else names.value(f"phi~{steps + 1 if steps else ''}", rows)

    def _refinements(self, step: str, rhs: Operand, names: Names, array: Array) -> Lines:
        """c.4', and c.4'' if there are two: iterative refinement, with the blocks of level 0 and full sweeps.

        The residual is non-zero everywhere, also when the right-hand side is zero but at process N.
        """
        for number in range(1, self.refined + 1):
            label, mark = step + "'" * number, f".r{number if number > 1 else ''}"
            phi, better = self._estimate(names, number - 1), self._estimate(names, number)
            rows = names.letter("psi").shape[0]
            residual, correction = (names.value(x, rows) for x in (mark[1:], f"phi{mark}"))
            yield Send(f"{label}.i", phi, array[i - 1], array[i + 1])
            yield Compute(
                f"{label}.ii",
                residual,
                k.residual(
                    A[0], phi, rhs, B[0].or_zero, phi[i + 1].or_zero, L[0].or_zero, phi[i - 1].or_zero
                ),
            )
            yield Name(f"{label}.iii", names.letter(f"psi{mark}")[0], residual)
            yield from self._swept(f"{label}.iii", (f"{label}.iv", f"{label}.iv'"), mark, names, array)
            yield Compute(f"{label}.v", better, sums.total(phi, correction))

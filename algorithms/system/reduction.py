"""Odd-even reduction: process N alone is solved for, and the way back gives the rows that were left out.

Level by level downward, what is known goes back to the places of that level, and each pivot takes it from its
two neighbours:

    phi_i = A_i^-1 psi_i - C_i phi_{i+h} - F_i phi_{i-h}

which the owner of a row, where a pivot has no C and F of its own, does as

    phi_i = A_i^-1 (psi_i - B_i phi_{i+h} - L_i' phi_{i-h})

Fijany VI.B names the variant (OER, after Hockney and Jesshope) and takes the elimination.
"""

from __future__ import annotations

from dataclasses import dataclass

from senn.algorithms.arm.letters import LDL, B, C, F, L, Names
from senn.algorithms.kernels import system as k
from senn.algorithms.system.solver import Lines, Solver, after_last_level
from senn.machine.program import *  # the words of a program


@dataclass(frozen=True)
class Reduction(Solver):
    """Odd-even reduction of n rows."""

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
                yield replace_place(Arrange(f"{back}.i'", of_level[j], j + 1, j), level=j, at=j + 1)
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

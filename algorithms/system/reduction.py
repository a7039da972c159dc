"""The way back of odd-even reduction: phi of the rows that were left out, from level M down to 1.

Reduction solves for process N alone (`senn.algorithms.system.elimination`). Then, level by level downward,
what is known goes back to the places of that level, and each pivot takes it from its two neighbours:

    phi_i = A_i^-1 psi_i - C_i phi_{i+h} - F_i phi_{i-h}

which strategy 1, where a pivot has no C and F of its own, does as

    phi_i = A_i^-1 (psi_i - B_i phi_{i+h} - L_i' phi_{i-h})

Fijany VI.B names the variant (OER, after Hockney and Jesshope) and takes the elimination.
"""

from __future__ import annotations

from collections.abc import Iterator

from senn.algorithms.kernels import system as k
from senn.algorithms.system.elimination import Elimination, columns_of
from senn.machine.program import (
    Arrange,
    Array,
    Compute,
    Instruction,
    Letter,
    Name,
    Send,
    i,
    loop,
    replace_place,
)


def substitute_back(
    step: str, phi: Letter, psi: Letter, how: Elimination, array: Array, *, tip: bool
) -> Iterator[Instruction]:
    """phi[0] at every process from phi[M] at process n. `tip`: psi is zero at every pivot."""
    own, made = Letter(f"{phi.name}'", phi.shape), Letter(f"{phi.name}*", phi.shape)
    columns = columns_of(phi)
    B, C, F, L, LDL = how.B, how.C, how.F, how.L, how.LDL

    def level(j: int, h: int) -> Iterator[Instruction]:
        before, after = phi[j][i - h].or_zero, phi[j][i + h]
        if j < how.last:
            yield replace_place(Arrange(f"{step}.i'", phi[j], j + 1, j), level=j, at=j + 1)
        yield Send(f"{step}.i", phi[j], array[i - h], array[i + h])
        if how.strategy == 1:
            blocks = (LDL[j - 1], B[j - 1], after, L[j - 1].or_zero, before)
            pivot = k.row_solution(columns, alone=tip)(*blocks, *(() if tip else (psi[j - 1],)))
        elif tip:
            pivot = k.minus_products(columns, alone=True)(C[j - 1], after, F[j - 1].or_zero, before)
        else:
            yield Compute(f"{step}.ii", own[j - 1], k.solve_columns(columns)(LDL[j - 1], psi[j - 1]))
            pivot = k.minus_products(columns)(C[j - 1], after, F[j - 1].or_zero, before, own[j - 1])
        yield Compute(f"{step}.iii", made[j - 1], pivot)
        yield Name(f"{step}.iv", phi[j - 1], phi[j], made[j - 1])

    yield from loop(how.n, level, downward=True)

"""Strategy 1 (Fijany VI.B): process i computes A_i^j, B_i^j, psi_i^j and all intermediate terms of them.

"A first possible (and more obvious) strategy", which the paper names in order to better it. The neighbours'
blocks A and B come first, 80 words; then process i factors both neighbours' A. With the letters of strategy
2 it computes C_{i-h} and F_{i+h}, here `C-` and `F+`, and the terms of Eq. (90) from them; B_i^j of Eq. (91)
is -(F+)' B_{i+h}, so that no third solution is needed. Nothing of a level leaves before the next level.
"""

from __future__ import annotations

from senn.algorithms.arm import Lines
from senn.algorithms.arm.letters import LDL, A, B, C, D, F, G, L
from senn.algorithms.kernels import system as k
from senn.algorithms.system.solver import Solver, Strategy
from senn.machine.program import PR1, PR2, Arrange, Array, Compute, Letter, Name, Send, i
from senn.machine.program.ready import minus


def _of(neighbour: str, letter: Letter) -> Letter:
    """The value of process i for i - h (LDL-, the factor of A_{i-h}; C-, A_{i-h}^-1 B_{i-h}; D-) or for i + h
    (LDL+, the factor of A_{i+h}; F+, A_{i+h}^-1 B_i'; G+)."""
    return Letter(letter.name + neighbour, letter.shape)


def diagonalise(j: int, h: int, rows: Solver) -> Lines:
    """Eqs. (90)-(91). B_{i-1}, the left block of level 1, is there already (I.a.4')."""
    a, b, left, pivots = A[j - 1], B[j - 1], L[j - 1], rows.pivots(j)
    before, c, d = (_of("-", x)[j - 1] for x in (LDL, C, D))
    after, f, g = (_of("+", x)[j - 1] for x in (LDL, F, G))
    first = j == 1
    yield Send("I.b.S1.1", a, PR1[i - h].only(pivots), PR1[i + h].only(pivots))
    yield Send("I.b.S1.2", b, PR1[i - h].only(pivots), *(() if first else (PR1[i + h],)))
    if not first:
        yield Name("I.b.S1.2", left, b[i - h])
    if rows.kept(j) is not None:  # a pivot that is left out solves for itself on the way back
        yield Compute("I.b.S1.3'", LDL[j - 1], k.ldl(a), pivots)
    yield Compute("I.b.S1.3", before, k.ldl(a[i - h]), rows.kept(j))
    yield Compute("I.b.S1.4", c, k.solve(before, left))
    yield Send("I.b.S1.4'", c, PR2[i])
    yield Compute("I.b.S1.5", d, k.transposed_product(left, c))
    yield Compute("I.b.S1.6", after, k.ldl(a[i + h]), rows.kept(j))
    yield Compute("I.b.S1.7", f, k.solve_transposed(after, b))
    yield Send("I.b.S1.7'", f, PR2[i])
    yield Compute("I.b.S1.8", g, k.product(b, f))
    if j < rows.last:
        yield Compute("I.b.S1.9", B[j], k.negative_transposed_times(f, b[i + h]))
        yield Arrange("I.b.S1.9'", B[j], j, j + 1)
    yield Compute("I.b.S1.10", A[j], minus(a, d.or_zero, g.or_zero), rows.kept(j))
    if j < rows.last:
        yield Arrange("I.b.S1.10'", A[j], j, j + 1)


def sweep(j: int, h: int, rows: Solver, step: str, psi: Letter, e: Letter, h_: Letter, array: Array) -> Lines:
    """Eq. (92): psi itself is sent, and the receiver multiplies."""
    x, pivots = psi[j - 1], rows.pivots(j)
    yield Send(f"{step}.S1.i", x, array[i - h].only(pivots), array[i + h].only(pivots))
    yield Compute(f"{step}.S1.ii", e[j - 1], k.transposed_times(_of("-", C)[j - 1], x[i - h]))
    yield Compute(f"{step}.S1.iii", h_[j - 1], k.transposed_times(_of("+", F)[j - 1], x[i + h]))
    yield Compute(f"{step}.S1.iv", psi[j], minus(x, e[j - 1].or_zero, h_[j - 1].or_zero), rows.kept(j))
    if j < rows.last:
        yield Arrange(f"{step}.S1.iv'", psi[j], j, j + 1)


def tip_sweep(j: int, h: int, rows: Solver, step: str, psi: Letter, h_: Letter, array: Array) -> Lines:
    """`sweep` for psi[0] that is non-zero at process N only: at level j processes i > N - h send psi."""
    x, y = psi[j - 1], h_[j - 1]
    yield Send(f"{step}.S1.i", x, array[i - h])
    yield Compute(f"{step}.S1.iii", y, k.negative_transposed_times(_of("+", F)[j - 1], x[i + h]))
    yield Name(f"{step}.S1.iv", psi[j], x, y)
    if j < rows.last:
        yield Arrange(f"{step}.S1.iv'", psi[j], j, j + 1)


OWNER_OF_ROW = Strategy(diagonalise, sweep, tip_sweep, owner_of_row=True)

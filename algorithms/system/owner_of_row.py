"""Strategy 1 (Fijany VI.B): process i computes A_i^j, B_i^j, psi_i^j and all intermediate terms of them.

"A first possible (and more obvious) strategy", which the paper names in order to better it. The neighbours'
blocks A and B come first, 80 words; then process i factors both neighbours' A. With the letters of strategy
2 it computes C_{i-h} and F_{i+h}, here `C-` and `F+`, and the terms of Eq. (90) from them; B_i^j of Eq. (91)
is -(F+)' B_{i+h}, so that no third solution is needed. Nothing of a level leaves before the next level.

The generators have the signatures of `senn.algorithms.system.elimination`.
"""

from __future__ import annotations

from collections.abc import Iterator

from senn.algorithms.kernels import system as k
from senn.algorithms.system.elimination import Elimination, columns_of
from senn.machine.program import Array, Compute, Instruction, Letter, Name, Operand, Send, i, loop


def _before(letter: Letter) -> Letter:
    """What process i makes for i - h: LDL-, the factor of A_{i-h}; C-, A_{i-h}^-1 B_{i-h}; D-."""
    return Letter(f"{letter.name}-", letter.shape)


def _after(letter: Letter) -> Letter:
    """And for i + h: LDL+, the factor of A_{i+h}; F+, A_{i+h}^-1 B_i'; G+."""
    return Letter(f"{letter.name}+", letter.shape)


def diagonalise(how: Elimination) -> Iterator[Instruction]:
    """Levels 1..M of Eqs. (90)-(91). B_{i-1}, the left block of level 1, is there already (I.a.4')."""
    pr, A, B, L = how.array, how.A, how.B, how.L

    def level(j: int, h: int) -> Iterator[Instruction]:
        a, b, left, pivots = A[j - 1], B[j - 1], L[j - 1], how.pivots(j)
        first = j == 1
        yield from how.carry("I.b.S1.0'", j, pr, a, b, *((left,) if first else ()))
        yield Send("I.b.S1.1", a, pr[i - h].only(pivots), pr[i + h].only(pivots))
        yield Send("I.b.S1.2", b, pr[i - h].only(pivots), *(() if first else (pr[i + h],)))
        if not first:
            yield Name("I.b.S1.2", left, b[i - h])
        yield from _pivot(how, j)
        left_here = how.own(j, left) if first else left[i]
        yield from (how.updating(j, line) for line in _row(how, j, h, left_here))

    yield from loop(how.n, level)


def _row(how: Elimination, j: int, h: int, left: Operand) -> Iterator[Instruction]:
    """What process i computes of row i at level j, from its own blocks and the two neighbours'."""
    A, B = how.A, how.B
    a, b = how.own(j, A[j - 1]), how.own(j, B[j - 1])
    before, c, d = (_before(x)[j - 1] for x in (how.LDL, how.C, how.D))
    after, f, g = (_after(x)[j - 1] for x in (how.LDL, how.F, how.G))
    yield Compute("I.b.S1.3", before, k.ldl(A[j - 1][i - h]), how.kept(j))
    yield Compute("I.b.S1.4", c, k.solve(before, left))
    yield from how.deliver("I.b.S1.4'", c)
    yield Compute("I.b.S1.5", d, k.transposed_product(left, c))
    yield Compute("I.b.S1.6", after, k.ldl(A[j - 1][i + h]), how.kept(j))
    yield Compute("I.b.S1.7", f, k.solve_transposed(after, b))
    yield from how.deliver("I.b.S1.7'", f)
    yield Compute("I.b.S1.8", g, k.product(b, f))
    if j < how.last:
        yield Compute("I.b.S1.9", B[j], k.transposed_times(how.size, sign=-1)(f, B[j - 1][i + h]))
        yield from how.follow("I.b.S1.9'", j, B[j])
    yield Compute("I.b.S1.10", A[j], k.minus(A[j].words)(a, d.or_zero, g.or_zero), how.kept(j))
    yield from how.follow("I.b.S1.10'", j, A[j])


def _pivot(how: Elimination, j: int) -> Iterator[Instruction]:
    """In the reduction a pivot's own solution, on the way back, is its own work too."""
    if how.reduction:
        A, B, L, LDL = how.A, how.B, how.L, how.LDL
        yield Compute("I.b.S1.3'", LDL[j - 1], k.ldl(A[j - 1]), how.pivots(j))
        yield from how.deliver_back("I.b.S1.3''", j, LDL[j - 1])
        if not (how.refined and j == 1):  # else array 2 has them from I.a.5'
            yield from how.deliver_back("I.b.S1.3''", j, B[j - 1], L[j - 1])


def right_hand_side(
    step: str, psi: Letter, e: Letter, h_: Letter, how: Elimination, array: Array
) -> Iterator[Instruction]:
    """psi[M] from psi[0], Eq. (92): psi itself is sent, and the receiver multiplies."""
    c, f = _before(how.C), _after(how.F)
    product, update = k.transposed_times(columns_of(psi)), k.minus(psi[0].words)

    def level(j: int, h: int) -> Iterator[Instruction]:
        x, pivots = psi[j - 1], how.pivots(j)
        yield from how.carry(f"{step}.S1.0'", j, array, x)
        yield Send(f"{step}.S1.i", x, array[i - h].only(pivots), array[i + h].only(pivots))
        yield from (how.updating(j, line) for line in row(j, h))

    def row(j: int, h: int) -> Iterator[Instruction]:
        x = psi[j - 1]
        yield from how.pass_on(f"{step}.S1.ii'", c[j - 1], array)
        yield Compute(f"{step}.S1.ii", e[j - 1], product(c[j - 1], x[i - h]))
        yield from how.pass_on(f"{step}.S1.iii'", f[j - 1], array)
        yield Compute(f"{step}.S1.iii", h_[j - 1], product(f[j - 1], x[i + h]))
        parts = (how.own(j, x), e[j - 1].or_zero, h_[j - 1].or_zero)
        yield Compute(f"{step}.S1.iv", psi[j], update(*parts), how.kept(j))
        yield from how.follow(f"{step}.S1.iv'", j, psi[j])

    yield from loop(how.n, level)


def tip_right_hand_side(
    step: str, psi: Letter, h_: Letter, how: Elimination, array: Array
) -> Iterator[Instruction]:
    """The same for psi[0] that is non-zero at process n only: at level j processes i > n - h send psi."""
    product, f = k.transposed_times(columns_of(psi), sign=-1), _after(how.F)

    def level(j: int, h: int) -> Iterator[Instruction]:
        x, y = psi[j - 1], h_[j - 1]
        yield from how.carry(f"{step}.S1.0'", j, array, x)
        yield Send(f"{step}.S1.i", x, array[i - h])
        yield how.updating(j, Compute(f"{step}.S1.iii", y, product(f[j - 1], x[i + h])))
        yield Name(f"{step}.S1.iv", psi[j], how.own(j, x), y)
        yield from how.follow(f"{step}.S1.iv'", j, psi[j])

    yield from loop(how.n, level)

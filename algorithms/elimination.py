"""Odd-even elimination of the block tridiagonal matrix A (Fijany VI.B, strategy 2; VI.D, Step I.b).

Strategy 2: the owner of A_i^{j-1} computes every product that needs its inverse, and sends it. Row i of A
is [B_{i-1}', A_i, B_i] at columns i-1, i, i+1; L_i names the block B_{i-h} that reaches from the left.
"""

from __future__ import annotations

from collections.abc import Iterator

from senn.algorithms import kernels as k
from senn.algorithms.recurrence import following
from senn.machine.program import (
    PR1,
    PR2,
    Arrange,
    Array,
    Compute,
    Instruction,
    Letter,
    Name,
    Send,
    i,
    levels,
    loop,
)

A = Letter("A", (15,))  # diagonal block, symmetric
B = Letter("B", (5, 5))  # block to process i + h
L = Letter("L", (5, 5))  # block B_{i-h}, from process i - h
LDL = Letter("LDL", (15,))  # the factor of A
C = Letter("C", (5, 5))
D = Letter("D", (15,))
F = Letter("F", (5, 5))
G = Letter("G", (15,))
K = Letter("K", (5, 5))  # B_{i-h}^j, made by process i


def diagonalise(n: int) -> Iterator[Instruction]:
    """Step I.b, levels 1..M, by all PR_{1,i}: after it A[M] is the diagonal of the eliminated system."""
    last = levels(n)

    def level(j: int, h: int) -> Iterator[Instruction]:
        coupled = (i <= n - h) | (i > h)
        yield Compute("I.b.1", LDL[j - 1], k.ldl(A[j - 1]), coupled)
        yield Compute("I.b.2", C[j - 1], k.solve(LDL[j - 1], B[j - 1]))
        yield Send("I.b.3", C[j - 1], PR2[i])
        yield Compute("I.b.4", D[j - 1], k.transposed_product(B[j - 1], C[j - 1]))
        yield Send("I.b.5", D[j - 1], PR1[i + h])
        yield Compute("I.b.6", F[j - 1], k.solve_transposed(LDL[j - 1], L[j - 1]))
        yield Send("I.b.7", F[j - 1], PR2[i])
        yield Compute("I.b.8", G[j - 1], k.product(L[j - 1], F[j - 1]))
        yield Send("I.b.9", G[j - 1], PR1[i - h])
        if j < last:
            yield Compute("I.b.10", K[j - 1], k.negative_product(L[j - 1], C[j - 1]))
            yield Send("I.b.11", K[j - 1], PR1[i - h], PR1[i + h])
            yield Name("I.b.11", B[j], K[j - 1][i + h])
            yield Name("I.b.11", L[j], K[j - 1][i - h])
        yield Compute("I.b.12", A[j], k.minus(15)(A[j - 1], D[j - 1][i - h].or_zero, G[j - 1][i + h].or_zero))
        if j < last:
            yield Arrange("I.b.12'", A[j], j, following(j, n))

    yield from loop(n, level)


def right_hand_side(
    step: str, psi: Letter, e: Letter, h_: Letter, n: int, array: Array
) -> Iterator[Instruction]:
    """psi[M] from psi[0], Eq. (92) (Step I.c.2): psi is (5,) or (5, r); C and F are where they were used."""
    columns = psi.shape[1] if len(psi.shape) == 2 else None
    product, update = k.transposed_times(columns), k.minus(psi[0].words)

    def level(j: int, h: int) -> Iterator[Instruction]:
        yield Compute(f"{step}.i", e[j - 1], product(C[j - 1], psi[j - 1]))
        yield Send(f"{step}.ii", e[j - 1], array[i + h])
        yield Compute(f"{step}.iii", h_[j - 1], product(F[j - 1], psi[j - 1]))
        yield Send(f"{step}.iv", h_[j - 1], array[i - h])
        yield Compute(
            f"{step}.v", psi[j], update(psi[j - 1], e[j - 1][i - h].or_zero, h_[j - 1][i + h].or_zero)
        )
        if j < levels(n):
            yield Arrange(f"{step}.v'", psi[j], j, following(j, n))

    yield from loop(n, level)


def tip_right_hand_side(step: str, psi: Letter, h_: Letter, n: int, array: Array) -> Iterator[Instruction]:
    """The same for psi[0] that is non-zero at process n only: a tree of n - 1 messages instead of a sweep.

    At level j only processes i > n - h send, and psi_{i-h} = -F_i' psi_i is just another name for what
    arrives; nothing that is zero is computed or sent. Bit for bit the result of the full sweep.
    """
    columns = psi.shape[1] if len(psi.shape) == 2 else None

    def level(j: int, h: int) -> Iterator[Instruction]:
        yield Compute(f"{step}.iii", h_[j - 1], k.transposed_times(columns, sign=-1)(F[j - 1], psi[j - 1]))
        yield Send(f"{step}.iv", h_[j - 1], array[i - h])
        yield Name(f"{step}.v", psi[j], psi[j - 1], h_[j - 1][i + h])
        if j < levels(n):
            yield Arrange(f"{step}.v'", psi[j], j, following(j, n))

    yield from loop(n, level)

"""The block tridiagonal matrix A of an arm: its pivots by recursion, scan, elimination and reduction."""

from __future__ import annotations

from functools import cache

import numpy as np

from senn.algorithms import problems
from senn.algorithms.blocks import Blocks, factor, substitute, times, transposed
from senn.algorithms.spatial import pack
from tests.oracles import constraint_force


@cache
def blocks_of(text: str, bent: float = 1.0) -> tuple[Blocks, Blocks]:
    """A_i (n, 5, 5) and B_i (n - 1, 5, 5), in row i and column i + 1, of an arm of revolute joints with its
    joint angles times `bent`."""
    problem = problems.load(text)
    blocks = constraint_force.assemble(problem.chain, bent * problem.q)
    return blocks.A, blocks.B


def recursion(A: Blocks, B: Blocks) -> Blocks:
    """Block LDL': D_i = A_i - B_{i-1}' D_{i-1}^-1 B_{i-1}, one after the other; in the precision of A."""
    pivots = [A[0]]
    for a, b in zip(A[1:], B, strict=True):
        pivots.append(a - times(transposed(b), solved(pivots[-1], b)))
    return np.array(pivots)


def scan(A: Blocks, B: Blocks) -> Blocks:
    """The same pivots by recursive doubling of spans, in ceil(log2 n) levels."""
    spans = np.zeros((3, *A.shape))
    spans[0], spans[1, 1:] = A, B
    h = 1
    while h < len(A):
        spans[:, h:] = joined(spans[:, :-h], spans[:, h:])
        h *= 2
    return np.asarray(spans[0])


def joined(inner: Blocks, outer: Blocks) -> Blocks:
    """Two spans as one, (3, ..., 5, 5): after the pivot D, a span P, Q, R ends with P - Q' (D + R)^-1 Q.

    Associative: P, Q and R are Schur complements of the pivot where the spans meet.
    """
    (P, Q, R), (p, q, r) = inner, outer
    after, before = solved(P + r, q), solved(P + r, transposed(Q))
    return np.stack([p - times(transposed(q), after), times(Q, after), R - times(Q, before)])


def solution(A: Blocks, B: Blocks, psi: Blocks, *, serial: bool) -> Blocks:
    """A phi = psi, (n, 5, 1), by block LDL': pivots, forward elimination, back substitution; serially, or as
    three scans."""
    pivots, run = (recursion(A, B), in_turn) if serial else (scan(A, B), doubled)
    back = np.zeros_like(A)
    back[:-1] = -solved(pivots[:-1], B)
    ahead = np.concatenate([back[-1:], transposed(back[:-1])])
    return run(back[::-1], solved(pivots, run(ahead, psi))[::-1])[::-1]


def in_turn(factors: Blocks, x: Blocks) -> Blocks:
    """z_i = x_i + T_i z_{i-1}, the first T zero."""
    z = x.astype(factors.dtype)
    for k in range(1, len(z)):
        z[k] += times(factors[k], z[k - 1])
    return z


def doubled(factors: Blocks, x: Blocks) -> Blocks:
    """The same by recursive doubling."""
    T, z, h = factors.copy(), x.copy(), 1
    while h < len(z):
        z[h:], T[h:] = z[h:] + times(T[h:], z[:-h]), times(T[h:], T[:-h])
        h *= 2
    return z


def eliminated(A: Blocks, B: Blocks, h: int = 1) -> tuple[Blocks, Blocks]:
    """A level of odd-even elimination, Eqs. (90)-(91): rows coupled with those h away, then 2 h away."""
    after, before = solved(A[:-h], B), solved(A[h:], transposed(B))
    diagonal = A.copy()
    diagonal[h:] -= times(transposed(B), after)
    diagonal[:-h] -= times(B, before)
    return diagonal, -times(B[:-h], after[h:])


def stopped(A: Blocks, B: Blocks, psi: Blocks, levels: int) -> Blocks:
    """phi of A phi = psi, (n, 5, 1), where couplings that remain after so many levels are left out."""
    for j in range(levels):
        h = 2**j
        ahead, back = solved(A[:-h], psi[:-h]), solved(A[h:], psi[h:])
        psi = psi.copy()
        psi[h:] -= times(transposed(B), ahead)
        psi[:-h] -= times(B, back)
        A, B = eliminated(A, B, h)
    return solved(A, psi)


def reduction(A: Blocks, B: Blocks) -> Blocks:
    """The last pivot of odd-even reduction: every other row eliminated, the last one never."""
    while len(A) > 1:
        kept = slice((len(A) - 1) % 2, None, 2)
        A, B = (x[kept] for x in eliminated(A, B))
    return np.asarray(A[-1])


def couplings(A: Blocks, B: Blocks) -> list[Blocks]:
    """For each level and row the 2-norms of A_i^-1/2 B_i A_{i+h}^-1/2 and of the one before, added."""
    sums, h = [], 1
    while len(B):
        roots = np.linalg.cholesky(A)
        rows = np.linalg.solve(roots[:-h], B)
        norms = np.linalg.norm(np.linalg.solve(roots[h:], transposed(rows)), 2, axis=(1, 2))
        nothing = np.zeros(h)
        sums.append(np.concatenate([norms, nothing]) + np.concatenate([nothing, norms]))
        A, B = eliminated(A, B, h)
        h *= 2
    return sums


def solved(pivot: Blocks, x: Blocks) -> Blocks:
    """Pivot^-1 x by LDL'."""
    return substitute(factor(pack(pivot)), x)


def error(pivots: Blocks, exact: Blocks) -> float:
    """The largest relative error of the inverse of a pivot."""
    unit = np.broadcast_to(np.eye(5, dtype=exact.dtype), exact.shape)
    right, wrong = (solved(pivot, unit) for pivot in (exact, pivots.astype(exact.dtype)))
    return float(np.max(np.sqrt(((wrong - right) ** 2).sum((1, 2)) / (right**2).sum((1, 2)))))


@cache
def exact(text: str) -> Blocks:
    """By recursion in 80-bit arithmetic."""
    A, B = blocks_of(text)
    return recursion(A.astype(np.longdouble), B.astype(np.longdouble))

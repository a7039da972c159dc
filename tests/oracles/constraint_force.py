"""Fijany Section V: the serial O(n) algorithm on constraint forces, by block LDL' of the matrix A.

Equations (71)-(85), with the corrections of the errata. Two recurrences of the paper are not needed: X5 of
`_solved` is the links' acceleration (Eq. (51)), so the end effector's follows from the last link alone
instead of (86); and K P W = 0 makes M^-1 J' F = H'P'(X1 - I^-1 P W A^-1 X2) with X1 and X2 non-zero at the
last link only, instead of (87)-(88). Both are far more accurate on long chains.

Joints of any type: W_i has 6 - n_i columns. All blocks have the size m of the largest, the others zero beyond
their own and a unit diagonal in A, so that what fills them up stays zero and exact. Where the columns of H_i
are not orthonormal, H_a = H (H'H)^-1 stands where the paper has H: H H_a' + W W' = U.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from senn.algorithms import spatial
from senn.algorithms.problems.contact_force import check_regular, contact_force, lightness, pivot_ratio
from senn.algorithms.problems.problem import Problem, Solution
from senn.algorithms.robots import newton_euler, side_tree
from senn.algorithms.robots.chain import Chain, complements, configuration, duals
from senn.algorithms.robots.joints import Shares
from senn.algorithms.spatial import Numbers, transposed, turned
from senn.base.errors import InputError

_ITERATIONS = 10


@dataclass(frozen=True, eq=False)
class Blocks:
    """A, and what stands beside it, at one q: row i-1 is process i, frame i at O_i."""

    shares: Shares  # Which degrees of freedom are those of joint i
    H_a: Numbers  # (n, 6, k): H_i (H_i'H_i)^-1
    W: Numbers  # (n, 6, m): W_i, columns beyond 6 - n_i zero
    inverse_inertia: Numbers  # (n, 6, 6): I_i^-1
    outward: Numbers  # (n, 6, 6): C6(i,i+1) hat(P_i), forces at O_{i+1} (frame i+1) to O_i (frame i)
    A: Numbers  # (n, m, m): diagonal blocks (Fijany Eq. (73)).
    B: Numbers  # (n-1, m, m): B_i, the block in row i and column i+1 (Fijany Eq. (74)).
    E: Numbers  # (m, 6): E_n, the one non-zero block of E (Fijany Eq. (83)).
    tip: Numbers  # (6, 6): C6(n,n+1) I_n^-1 hat(P_n), rows in frame n, columns in frame n+1
    D: Numbers  # (6, 6): I_{n,n+1}^-1, frame n+1 (Fijany Eq. (69)).


@dataclass(frozen=True, eq=False)
class Level:
    """Every other row of a block tridiagonal matrix, eliminated at once; the last row is never among them.

    Where the number of rows is even, the first of the k eliminated rows has no row before it.
    """

    inverse_root: Numbers  # (k, m, m): L^-1, L being the Cholesky factor of the pivot
    before: Numbers  # (k or k-1, m, m): L^-1 times the block of the row before
    after: Numbers  # (k, m, m): L^-1 times the block of the row after


@dataclass(frozen=True, eq=False)
class Factor:
    """Block LDL' of A in an order in which process n is the last."""

    levels: tuple[Level, ...]
    inverse_root: Numbers  # (m, m): L_n^-1, of the pivot of process n


def solve(problem: Problem, blocks: Blocks | None = None) -> Solution:
    """The closed chain by Fijany Table I with Section V; `InputError` for a singular contact.

    `blocks`: in place of those of `assemble`.
    """
    chain, q, rest = problem.chain, problem.q, np.zeros(problem.chain.degrees)
    blocks = blocks or assemble(chain, q)
    ldl, start = factor(blocks), newton_euler.dynamics(chain, q, problem.qd, rest, problem.gravity)

    drive = problem.tau - start.torque
    X0, X1, X2 = _driven(blocks, drive)
    X3, X5 = _solved(blocks, ldl, X1, X2)
    qdd0 = _rates(blocks, X5)
    acceleration0 = blocks.outward[-1].T @ X5[-1] + start.acceleration

    lambda_inverse = _lambda_inverse(blocks, ldl)
    ratio = pivot_ratio(problem.contact, lambda_inverse, blocks.D)
    check_regular(ratio, problem.drawn, problem.contact.called, lightness(problem.chain))
    force = contact_force(problem.contact, lambda_inverse, acceleration0)

    # F = H F_T + W F_S on top of what b is made of; X3 is -W F_S, that of the contact W F_S itself.
    forces = start.wrenches + X0 - X3
    X1, X2 = np.zeros_like(X1), np.zeros_like(X2)
    X1[-1], X2[-1] = blocks.tip @ force, blocks.E @ force
    X3, X5 = _solved(blocks, ldl, X1, X2)
    return Solution(qdd0 - _rates(blocks, X5), force, lambda_inverse, qdd0, acceleration0, forces + X3)


def condition(problem: Problem) -> tuple[float, float]:
    """How far the answer can be trusted: (kappa, rho).

    kappa: condition number of A scaled to unit diagonal, by 10 power and 10 inverse iterations from a fixed
    vector (an estimate from below, right in its order of magnitude); 1 where A is empty. rho:
    `contact.pivot_ratio`.
    """
    blocks = assemble(problem.chain, problem.q)
    ldl = factor(blocks)
    scale = 1.0 / np.sqrt(np.einsum("nkk->nk", blocks.A))
    start = np.random.default_rng(0).standard_normal(scale.shape)
    x, largest = start / np.linalg.norm(start), 1.0
    for _ in range(_ITERATIONS):
        x = scale * multiply(blocks, scale * x)
        largest = float(np.linalg.norm(x))
        x = x / largest
    x, inverse_smallest = start / np.linalg.norm(start), 1.0
    for _ in range(_ITERATIONS):
        x = back_solve(ldl, x / scale) / scale
        inverse_smallest = float(np.linalg.norm(x))
        x = x / inverse_smallest
    rho = pivot_ratio(problem.contact, _lambda_inverse(blocks, ldl), blocks.D)
    return max(1.0, largest * inverse_smallest), rho


def assemble(chain: Chain, q: Numbers) -> Blocks:
    """The blocks of A at q (coordinates,) (Fijany Eqs. (73)-(80), (83), (69))."""
    side_tree.refuse(chain)
    pose = configuration(chain, q)
    inverse_central = np.linalg.inv(chain.inertia)
    inverse = pose.rotation @ inverse_central @ transposed(pose.rotation)
    centre = turned(pose.rotation, pose.centre)
    inverse_inertia = spatial.inverse_inertia(chain.mass, inverse, centre)  # I_i^-1, frame i
    about_tip = spatial.inverse_inertia(chain.mass, inverse_central, pose.centre - pose.position)  # frame i+1
    outward = spatial.six(pose.rotation) @ spatial.hat(pose.position)
    W = complements(chain, q)
    filled = np.arange(W.shape[2]) >= 6 - chain.qd_shares.counts[:, None]
    inward = transposed(W)
    whole = inverse_inertia.copy()
    whole[1:] += about_tip[:-1]  # I_{i-1,i}^-1; nothing for i = 1, where the base does not move
    across = inverse_inertia @ outward
    return Blocks(
        shares=chain.qd_shares,
        H_a=duals(chain, pose.H),
        W=W,
        inverse_inertia=inverse_inertia,
        outward=outward,
        A=inward @ whole @ W + filled[:, :, None] * np.eye(W.shape[2]),
        B=-(inward[:-1] @ across[:-1] @ W[1:]),
        E=inward[-1] @ across[-1],
        tip=across[-1].copy(),  # a view would keep the whole array
        D=about_tip[-1].copy(),
    )


def factor(blocks: Blocks) -> Factor:
    """Block LDL' of A; `InputError` when rounding has made a pivot indefinite.

    In exact arithmetic A is positive definite whenever masses and inertias are. Any order of elimination is
    as stable; every other row at once takes log n operations on whole arrays in place of n on blocks.
    """
    A, B, links = blocks.A, blocks.B, np.arange(1, len(blocks.A) + 1)
    levels = []
    while len(A) > 1:
        odd = len(A) % 2
        root = _inverse_root(A[odd::2][: len(A) // 2], links[odd::2])
        before = root[1 - odd :] @ transposed(B[1 - odd :: 2])
        after = root @ B[odd::2]
        levels.append(Level(root, before, after))
        A, links = A[1 - odd :: 2].copy(), links[1 - odd :: 2]
        A[odd:] -= transposed(after) @ after
        A[:-1] -= transposed(before) @ before
        B = -(transposed(before) @ after[1 - odd :])
    return Factor(tuple(levels), _inverse_root(A, links)[0])


def _inverse_root(pivots: Numbers, links: NDArray[np.int64]) -> Numbers:
    """L^-1 of every pivot L L' (k, m, m); `InputError` if one is not positive definite."""
    try:
        return np.asarray(np.linalg.inv(np.linalg.cholesky(pivots)))
    except np.linalg.LinAlgError:
        link = links[np.linalg.eigvalsh(pivots)[:, 0].argmin()]
        raise InputError(
            f"link {link}: its mass and inertia and its neighbours' differ too much for double "
            "precision (a pivot of A is not positive); fix a tiny link to its neighbour"
        ) from None


def back_solve(ldl: Factor, rhs: Numbers) -> Numbers:
    """A^-1 rhs, (n, m) -> (n, m)."""
    x, eliminated = rhs, []
    for level in ldl.levels:
        odd = len(x) % 2
        y = turned(level.inverse_root, x[odd::2][: len(x) // 2])
        x = x[1 - odd :: 2].copy()
        x[odd:] -= turned(transposed(level.after), y)
        x[:-1] -= turned(transposed(level.before), y[1 - odd :])
        eliminated.append(y)
    x = x @ ldl.inverse_root.T @ ldl.inverse_root
    for level, y in zip(reversed(ldl.levels), reversed(eliminated), strict=True):
        whole = np.empty((len(x) + len(y), x.shape[1]))
        odd = len(whole) % 2
        y -= turned(level.after, x[odd:])
        y[1 - odd :] -= turned(level.before, x[:-1])
        whole[1 - odd :: 2], whole[odd::2][: len(y)] = x, turned(transposed(level.inverse_root), y)
        x = whole
    return x


def multiply(blocks: Blocks, x: Numbers) -> Numbers:
    """A x, (n, m) -> (n, m)."""
    out = turned(blocks.A, x)
    out[:-1] += turned(blocks.B, x[1:])
    out[1:] += turned(transposed(blocks.B), x[:-1])
    return out


def _lambda_inverse(blocks: Blocks, ldl: Factor) -> Numbers:
    """Fijany Eq. (82): E is zero but at process n, which is eliminated last, so its own pivot is enough."""
    half = ldl.inverse_root @ blocks.E
    return np.asarray(blocks.D - half.T @ half)


def _driven(blocks: Blocks, drive: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """X0 = H F_T (n, 6), X1 = I^-1 R X0 and X2 = W'R'X1 of joint torques."""
    X0 = turned(blocks.H_a, blocks.shares.stacked(drive))
    X1 = turned(blocks.inverse_inertia, _inward(blocks, X0))
    return X0, X1, turned(transposed(blocks.W), _difference(blocks, X1))


def _solved(blocks: Blocks, ldl: Factor, X1: Numbers, X2: Numbers) -> tuple[Numbers, Numbers]:
    """X3 = W A^-1 X2, and what the links do, X5 = X1 - I^-1 R X3.

    Fijany Eqs. (81), (51). Each (n, 6), frame i at O_i.
    """
    X3 = turned(blocks.W, back_solve(ldl, X2))
    return X3, X1 - turned(blocks.inverse_inertia, _inward(blocks, X3))


def _inward(blocks: Blocks, x: Numbers) -> Numbers:
    """R x: x_i - C6(i,i+1) hat(P_i) x_{i+1}."""
    out = x.copy()
    out[:-1] -= turned(blocks.outward[:-1], x[1:])
    return out


def _difference(blocks: Blocks, x: Numbers) -> Numbers:
    """R' x: x_i - hat(P_{i-1})' C6(i,i-1) x_{i-1}."""
    out = x.copy()
    out[1:] -= turned(transposed(blocks.outward[:-1]), x[:-1])
    return out


def _rates(blocks: Blocks, x: Numbers) -> Numbers:
    """H' R' x (degrees,)."""
    return blocks.shares.flat(turned(transposed(blocks.H_a), _difference(blocks, x)))

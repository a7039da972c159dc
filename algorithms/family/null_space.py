"""The closed chain in the null space of its contact, O(N^3): coordinate partitioning (Wehage and Haug 1982).

A contact of Type I that holds n_c directions leaves f = N - n_c degrees of freedom. Its equation

    W'J qdd = r,        r = G_C - W'(acceleration of the tip at qdd = 0)

gives the accelerations of n_c dependent joints D from those of the others, I:

    qdd_D = p - S qdd_I,        p = J_D^-1 r,        S = J_D^-1 J_I,        J short for W'J.

The columns of Z = [U; -S] span the motions that the contact permits, so its force does no work on them, and
with the drive d = T - C

    Z'M Z qdd_I = Z'(d - M [0; p]),        J_D' K_C = d_D - (M qdd)_D.

Lambda^-1 is not computed, and a light last link costs no digits. The dependent joints are those with the
largest pivots of J; operations are counted for the last n_c.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from senn.algorithms.blocks import *  # the algebra of blocks
from senn.algorithms.family import link
from senn.algorithms.family.arm import SerialArm, joined, zeros
from senn.algorithms.family.closing import jacobian, take_type_i
from senn.algorithms.family.joint_space import by_mass_matrix, mass_matrix, newton_euler
from senn.algorithms.family.popov_vereshchagin import pressing
from senn.algorithms.family.sweeps import tip_acceleration
from senn.algorithms.problems.contact_force import check_regular
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.problems.problem import Problem

Choice = Callable[[Blocks], tuple[int, ...]]
"""The n_c dependent degrees of freedom, ascending, from W'J (n_c, N)."""
_REASON = "the null space takes kind I, whose force does no work on the motions that it permits"


def solve(problem: Problem) -> dict[str, Blocks]:
    """Accelerations (N,), contact force (6,); `InputError` for a contact singular, or not of Type I."""
    contact = problem.contact
    take_type_i(contact.shape, _REASON)
    arm, directions, prescribed = pressing(problem)
    if not contact.constrained:
        qdd = by_mass_matrix(arm, problem.tau).qdd
        return {"qdd": qdd} if contact.kind == "none" else {"qdd": qdd, "force": arm.load}

    def choice(held: Blocks) -> tuple[int, ...]:
        dependent, ratio = largest_pivots(scaled(arm, directions, held))
        check_regular(ratio, problem.drawn, contact.called)
        return dependent

    qdd, pressure = partitioned(arm, problem.tau, directions, prescribed, choice)
    return {"qdd": qdd, "force": arm.load + apply(directions, pressure)}


def partitioned(
    arm: SerialArm, tau: Blocks, directions: Blocks, prescribed: Blocks, choice: Choice
) -> tuple[Blocks, Blocks]:
    """qdd (N,) and the multipliers K_C (n_c,) of a contact with W (6, n_c) and G_C (n_c,)."""
    M, drive = mass_matrix(arm), tau - newton_euler(arm)
    W = transposed(directions)
    J = times(W, jacobian(arm))
    r = prescribed - apply(W, tip_acceleration(arm, arm.split(zeros(arm, arm.degrees))))
    dependent = choice(J)
    D, I = np.array(dependent), np.array([k for k in range(arm.degrees) if k not in dependent], dtype=int)

    right = np.concatenate([J[:, I], r[:, None]], axis=1)
    others = solved(decomposed(J[None][:, :, D]), right[None])[0]
    S, p = others[:, :-1], others[:, -1]
    across, own = M[np.ix_(I, D)], M[np.ix_(D, D)]
    felt = across - times(transposed(S), own)  # Z'M for the dependent joints
    rows, columns = np.tril_indices(len(I))
    shares = symmetric_product(*map(np.concatenate, ((transposed(across), S), (S, transposed(felt)))))
    reduced = M[I[rows], I[columns]] - shares  # Z'M Z, packed
    force = drive[I] - apply(transposed(S), drive[D]) - apply(felt, p)

    qdd: Blocks = np.empty_like(drive)
    qdd[I] = link.divided(factor(reduced), force)
    qdd[D] = p - apply(S, qdd[I])
    rest = drive[D] - apply(transposed(across), qdd[I]) - apply(own, qdd[D])
    return qdd, pivoted(transposed(J[:, D])[None], rest[None])[0]


def scaled(arm: SerialArm, directions: Blocks, held: Blocks) -> Blocks:
    """W'J without units, of entries up to 1: lengths are parts of the length of the arm stretched out."""
    length = sum(float(np.linalg.norm(each.position)) for each in arm.links) or 1.0
    bound = np.abs(directions).T @ np.repeat([1.0, length], 3)
    columns = [
        np.where(np.abs(each.freedom.columns[:3]).max(axis=0) > 0.0, 1.0, length) for each in arm.links
    ]
    return np.asarray(held * joined(columns) / bound[:, None])


def largest_pivots(matrix: Blocks) -> tuple[tuple[int, ...], float]:
    """The columns that an elimination with complete pivoting takes, ascending, and the square of its least
    pivot: the measure of Lambda^-1, in which J stands twice."""
    left, least = matrix.copy(), 1.0
    columns: list[int] = []
    for _ in range(len(matrix)):
        row, column = np.unravel_index(np.abs(left).argmax(), left.shape)
        pivot = left[row, column]
        least = min(least, abs(float(pivot)))
        if len(columns) == matrix.shape[1] or pivot == 0.0:
            return tuple(sorted(columns)), 0.0
        left = left - np.outer(left[:, column], left[row] / pivot)
        left[row], left[:, column] = 0.0, 0.0
        columns.append(int(column))
    return tuple(sorted(columns)), least**2


def counted(
    arm: SerialArm, tau: Blocks, directions: Blocks, prescribed: Blocks, shape: ContactShape
) -> Blocks:
    """qdd (N,), the last n_c degrees of freedom dependent; `InputError` if the contact is not of Type I."""
    take_type_i(shape, _REASON)
    last = tuple(range(arm.degrees - shape.constrained, arm.degrees))
    return partitioned(arm, tau, directions, prescribed, lambda held: last)[0]

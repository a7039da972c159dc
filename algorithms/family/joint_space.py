"""Joint-space dynamics: inverse dynamics, the mass matrix, forward dynamics by its factors.

Gravity is an acceleration -g of the base.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from senn.algorithms.blocks import Blocks, factor, full, substitute, transposed
from senn.algorithms.family.arm import *  # the arm and the ways through it
from senn.algorithms.family.closing import Free
from senn.algorithms.family.link import divided, inward, outward
from senn.algorithms.family.sweeps import composite_inertias, velocity

# ---------------------------------------------------------------------- inverse dynamics by Newton-Euler


def newton_euler(arm: SerialArm, qdd: Blocks | None = None) -> Blocks:
    """tau (N,) for the accelerations qdd (N,); None: b, the torques at qdd = 0. O(N): Luh, Walker and Paul
    (1980); Jain Eqs. (13)-(17).

    Outward go the accelerations that the joints make; inward, the forces that these need. Every link hands on
    the force of all links beyond it, f = phi (f beyond + M alpha + b), and its joint feels H'f. As an
    operator: tau = H phi (M phi'(H'qdd + a) + b), Eq. (21).
    """
    terms, rates = velocity(arm), None if qdd is None else arm.split(qdd)
    alpha, forces = {BASE: arm.weight}, []
    for i, link in enumerate(arm.links):
        moved = alpha[arm.parents[i]] + terms.acceleration[i]
        alpha[i] = outward(link, moved if rates is None else link.freedom.added(moved, rates[i]))
        forces.append(link.inertia.applied(alpha[i]) + terms.force[i])
    return _inward(arm, forces, arm.load)


def at_rest(arm: SerialArm, qdd: Blocks) -> Blocks:
    """M qdd: the torques without velocities, gravity and load, Jain's (17) with a = b = 0."""
    alpha, forces = {BASE: zeros(arm, 6)}, []
    for i, (link, rate) in enumerate(zip(arm.links, arm.split(qdd), strict=True)):
        alpha[i] = outward(link, link.freedom.added(alpha[arm.parents[i]], rate))
        forces.append(link.inertia.applied(alpha[i]))
    return _inward(arm, forces, zeros(arm, 6))


def _inward(arm: SerialArm, forces: Vectors, load: Blocks) -> Blocks:
    beyond, felt = ChildSums(arm, zeros(arm, 6), load), []
    for i in inwards(arm):
        force = inward(arm.links[i], beyond[i] + forces[i])
        felt.append(arm.links[i].freedom.along(force))
        beyond.add(i, force)
    return joined(felt[::-1])


# --------------------------------------------------------------- inverse dynamics by composite bodies


def composite_bodies(arm: SerialArm, qdd: Blocks) -> Blocks:
    """tau (N,) for the accelerations qdd (N,), O(N): Jain Lemma 3.2 and Eq. (29); Fijany and Scheid (1989).

    The force of a joint is taken apart: f = R alpha + y. R alpha moves all links beyond as one rigid body
    with the joint's own acceleration; y corrects it for the accelerations of the joints beyond. So the
    recursions of y (inward) and of alpha (outward) do not wait for each other. Jain has the arm at rest; with
    H'qdd + a in place of H'qdd, and b joining y, Lemma 3.2 holds as it stands: f = phi (M alpha + b) and phi
    M phi* = R phi* + (phi - U) R.
    """
    terms, composite = velocity(arm), composite_inertias(arm)
    rates = zip(arm.links, terms.acceleration, arm.split(qdd), strict=True)
    relative = [link.freedom.added(a, x) for link, a, x in rates]
    y, corrections = ChildSums(arm, zeros(arm, 6), arm.load), []
    for i in inwards(arm):
        corrections.append(inward(arm.links[i], y[i] + terms.force[i]))
        if i:
            y.add(i, corrections[-1] + composite[i].applied(relative[i]))
    alpha, felt = {BASE: arm.weight}, []
    for i, (link, correction) in enumerate(zip(arm.links, reversed(corrections), strict=True)):
        moved = alpha[arm.parents[i]] + relative[i]
        felt.append(link.freedom.along(composite[i].applied(moved) + correction))
        alpha[i] = outward(link, moved)
    return joined(felt)


# -------------------------------------------------------------------------------- the mass matrix


def mass_matrix_by_columns(arm: SerialArm) -> Blocks:
    """M (N, N) column by column, O(N^2): Walker and Orin (1982), method 1; Jain section 3, Eq. (23).

    Column k are the torques for a unit acceleration of joint k alone: one pass of Newton-Euler with the arm
    at rest, through all links. Neither symmetry nor the links at rest save anything.
    """
    return np.stack([at_rest(arm, unit) for unit in np.eye(arm.degrees)], axis=1)


def mass_matrix_by_half_columns(arm: SerialArm) -> Blocks:
    """M (N, N) by half columns, O(N^2): Walker and Orin (1982), method 2; Jain section 3.

    A unit acceleration of joint k leaves all links before it at rest, so link k and the links beyond it are
    an arm of their own: one pass of Newton-Euler through them gives column k from the diagonal on, and
    symmetry gives the rest.
    """
    M, rows = zeros(arm, arm.degrees, arm.degrees), arm.split(np.arange(arm.degrees))
    for k, link in enumerate(arm.links):
        outer, entries = from_link(arm, k)
        moved = joined([rows[entry] for entry in entries])
        for c in range(link.freedom.count):
            unit = np.zeros(outer.degrees)
            unit[c] = 1.0
            M[moved, rows[k][c]] = M[rows[k][c], moved] = at_rest(outer, unit)
    return M


def mass_matrix(arm: SerialArm) -> Blocks:
    """M (N, N) by composite rigid bodies, O(N^2): Walker and Orin (1982), method 3; Jain Eqs. (27)-(28).

    For a unit acceleration of joint i all links beyond move as one rigid body: its force R_i H_i goes inward,
    and each joint on the way feels its share. M = H (R + (phi - U) R + R (phi - U)*) H*.
    """
    M = zeros(arm, arm.degrees, arm.degrees)
    shares = arm.shares
    for i, composite in enumerate(composite_inertias(arm)):
        inertia = composite.packed()
        rows, freedom = shares[i], arm.links[i].freedom
        M[rows, rows] = full(freedom.seen(inertia))
        X = freedom.reach(inertia)
        for k in ancestors(arm, i):
            X, other = inward(arm.links[k], X), shares[k]
            M[other, rows] = arm.links[k].freedom.along(X)
            M[rows, other] = transposed(M[other, rows])
    return M


# ------------------------------------------------------------- forward dynamics by the mass matrix


def without_bias(arm: SerialArm, tau: Blocks, accelerations: Callable[[Vectors], Vectors]) -> Free:
    """The open chain by M^-1 of an arm at rest, which T - C drives; Newton-Euler gives the bias C."""

    def respond(x: Blocks) -> Blocks:
        return joined(accelerations(arm.split(x)))

    return Free(respond(tau - newton_euler(arm)), respond)


def by_mass_matrix(arm: SerialArm, tau: Blocks) -> Free:
    """The open chain by the mass matrix, O(N^3): Walker and Orin (1982), method 3; Jain section 3, Eq. (22).

    M by composite bodies, the bias C by Newton-Euler at qdd = 0, and M qdd = T - C by LDL'. The factorisation
    is the only part of order N^3, with N^3 / 6 multiplications: short arms hardly feel it.
    """
    rows, columns = np.tril_indices(arm.degrees)
    ldl = factor(mass_matrix(arm)[rows, columns])
    return Free(divided(ldl, tau - newton_euler(arm)), lambda x: substitute(ldl, x))

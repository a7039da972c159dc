"""Constraint forces, O(N), with block LDL': forward dynamics, and Lambda^-1 and Lambda at the end effector,
of which Lambda^-1 by articulated bodies too.

Forward dynamics, Fijany V, Eqs. (40)-(61), (71)-(84): the force of a joint is taken apart once more: F = H
F_T + W F_S, what the joint gives and what it forbids. That the links accelerate as the joints let them,
W'P'I^-1 P F = 0, is a block tridiagonal system for F_S: M^-1 = C - B'A^-1 B. Serially it is the dearest of
the linear ways; it is here because it parallelises. `tests/oracles/constraint_force.py` is the same with
NumPy's matrices; this page writes every block operation out, so that it can be counted.

At the end effector, Fijany IV.C, Eqs. (82)-(85), and operational space mass matrix, Eqs. (40)-(43):

    Lambda^-1 = D - E'A^-1 E        Lambda = S + R'Y^-1 R

D is the last link's inverse inertia about the tip, and E = [E_N, 0, ..] has one block, E_N = W_N' I_N^-1
P^_N: of the constraint forces that of joint N alone reaches the tip. S is the last link's inertia about the
tip, and R = [R_N, 0, ..] has one block, R_N = W_N' C6 P^_N^-1': the part of a motion of the tip that joint N
forbids. Y is A without the share of link N in its own block. (The paper's Y is minus this one.) A and Y are
eliminated with joint N last, so only the last pivot is needed, and nothing is substituted back:

    Lambda^-1 = D - E_N' D_N^-1 E_N        Lambda = S + R_N' Y_N^-1 R_N

Products with one vector need no matrix. For a wrench F, Lambda^-1 F = D (F - phi), phi the constraint force
that F calls up, seen at the tip; for an acceleration a, Lambda a = S a + the constraint force of joint N at
the tip.

Lambda^-1 exists for every arm, of the rank of the Jacobian. Where the tip cannot move in all six directions Y
is singular, there is no Lambda, and the pages refuse it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from senn.algorithms.blocks import *  # the algebra of blocks
from senn.algorithms.family import popov_vereshchagin as pv
from senn.algorithms.family.arm import SerialArm, Vectors, zeros
from senn.algorithms.family.closing import Free
from senn.algorithms.family.joint_space import without_bias
from senn.algorithms.family.link import *  # the pieces of a link
from senn.algorithms.kernels.link import inverse_about_origin
from senn.algorithms.kernels.operators import motion_from_tip


@dataclass(frozen=True, eq=False)
class BlockFactor:
    """A by blocks, factored from the base to the tip."""

    responses: Vectors  # I_i^-1 (21,), packed, frame i at O_i
    pivots: Vectors  # LDL' of the block pivots
    upper: Vectors  # D_i^-1 B_i, i < n


def open_chain(arm: SerialArm, tau: Blocks) -> Free:
    """The tip free."""
    return without_bias(arm, tau, partial(accelerations, arm, factored(arm)))


def factored(arm: SerialArm) -> BlockFactor:
    """Block LDL' of A: (73)-(76), and the elimination of V.A."""
    responses: Vectors = []
    pivots: Vectors = []
    upper: Vectors = []
    for i, link in enumerate(arm.links):
        responses.append(response(link))
        pivot = link.complement.seen(responses[i])
        if i:
            reached, met = behind(arm.links[i - 1], pivots[-1], link)
            upper.append(reached)
            pivot = pivot + met  # A_i, Eq. (75), less B'D^-1 B
        pivots.append(factor(pivot))
    return BlockFactor(responses, pivots, upper)


def behind(before: SerialLink, pivot: Blocks, link: SerialLink) -> tuple[Blocks, Blocks]:
    """The share of the arm up to the link before in this link's rows, by the factor of the pivot before:
    D_{i-1}^-1 B_{i-1}, and W_i' I_{i-1,i}^-1 W_i - B_{i-1}' D_{i-1}^-1 B_{i-1}, packed."""
    tip = before.constants.tip_response
    B = -before.complement.along(inward_motion(before, link.complement.reach(tip)))  # B_{i-1}, Eq. (74)
    reached = substitute(pivot, B)
    return reached, link.complement.seen(tip) - symmetric_product(B, reached)


def response(link: SerialLink) -> Blocks:
    """I_i^-1, Eqs. (76)-(78), with the signs of (76) put right."""
    constants, C = link.constants, link.rotation
    J = symmetric_product(transposed(times(C, full(constants.inverse_inertia))), transposed(C))
    centre = constants.centre if link.moved is None else constants.centre + link.moved
    return inverse_about_origin(J, apply(C, centre), constants.inverse_mass)


def accelerations(arm: SerialArm, ldl: BlockFactor, torque: Vectors) -> Vectors:
    """M^-1 T, Eq. (81): X1 = I^-1 R H F_T, A X3 = W'R'X1, X5 = X1 - I^-1 R W X3, qdd = H'R'X5."""
    links = arm.links
    duals = [link.freedom.dual() for link in links]
    X1 = _moved(arm, ldl, [dual.spread(x) for dual, x in zip(duals, torque, strict=True)])
    X3 = [link.complement.along(x) for link, x in zip(links, _relative(arm, X1), strict=True)]
    for i, upper in enumerate(ldl.upper):
        X3[i + 1] = X3[i + 1] - product(transposed(upper), X3[i])
    X3 = [divided(pivot, x) for pivot, x in zip(ldl.pivots, X3, strict=True)]
    for i, upper in reversed(list(enumerate(ldl.upper))):
        X3[i] = X3[i] - product(upper, X3[i + 1])
    X4 = _moved(arm, ldl, [link.complement.spread(x) for link, x in zip(links, X3, strict=True)])
    X5 = [x - y for x, y in zip(X1, X4, strict=True)]
    return [dual.along(x) for dual, x in zip(duals, _relative(arm, X5), strict=True)]


def _moved(arm: SerialArm, ldl: BlockFactor, forces: Vectors) -> Vectors:
    """I^-1 R F: accelerations of the links under the forces of their joints, frame i at O_i."""
    net = list(forces)
    for i, link in enumerate(arm.links[:-1]):
        net[i] = net[i] - inward(link, forces[i + 1])
    return [product(full(response), x) for response, x in zip(ldl.responses, net, strict=True)]


def _relative(arm: SerialArm, motions: Vectors) -> Vectors:
    """R'X: motion of link i relative to link i-1."""
    rest = [x - outward(link, y) for link, x, y in zip(arm.links, motions[1:], motions, strict=False)]
    return [motions[0], *rest]


# ---------------------------------------------------------- Lambda^-1 by constraint forces


def lambda_inverse(arm: SerialArm) -> Blocks:
    """Lambda^-1 (6, 6), frame n+1 at O_{n+1}, Eq. (82)."""
    last, pivot = arm.links[-1], factored(arm).pivots[-1]
    D = last.constants.tip_response
    E = last.complement.along(inward_motion(last, full(D)))
    return full(D - symmetric_product(E, substitute(pivot, E)))


def lambda_inverse_times(arm: SerialArm, wrench: Blocks) -> Blocks:
    """Lambda^-1 F (6,) for a wrench F, Eq. (82)."""
    last, pivot = arm.links[-1], factored(arm).pivots[-1]
    D = full(last.constants.tip_response)
    forbidden = last.complement.along(inward_motion(last, apply(D, wrench)))
    phi = last.complement.spread(divided(pivot, forbidden))
    return apply(D, wrench - outward_force(last, phi))


# ------------------------------------------------------------- Lambda by constraint forces


def operational_mass(arm: SerialArm) -> Blocks:
    """Lambda (6, 6), frame n+1 at O_{n+1}, Eq. (43)."""
    last = arm.links[-1]
    R = last.complement.along(motion_from_tip(last.rotation, last.position))
    return full(last.inertia.packed() + symmetric_product(R, substitute(_pivot(arm), R)))


def operational_mass_times(arm: SerialArm, acceleration: Blocks) -> Blocks:
    """Lambda a (6,) for an acceleration a, Eq. (43)."""
    last = arm.links[-1]
    forbidden = last.complement.along(inward_motion(last, acceleration))
    phi = last.complement.spread(divided(_pivot(arm), forbidden))
    return last.inertia.applied(acceleration) + outward_force(last, phi)


def _pivot(arm: SerialArm) -> Blocks:
    """LDL' of Y_N; empty for an arm of one link, and for a joint that forbids nothing. Of link N, a rigid
    body, no inverse is needed."""
    if not arm.last:
        return zeros(arm, 0)
    *links, last = arm.links
    inner = replace(arm, links=links, parents=arm.parents[:-1], last=arm.last - 1)
    return factor(behind(links[-1], factored(inner).pivots[-1], last)[1])


# ----------------------------------------------------------- Lambda^-1 by articulated bodies


def lambda_inverse_articulated(arm: SerialArm) -> Blocks:
    """Lambda^-1 (6, 6), frame n+1 at O_{n+1}: Jain Lemma 6.4, at the tip.

    With M^-1 = [U - H psi K]* D^-1 [U - H psi K] and J' = H phi B*, [U - H psi K] H phi = H psi leaves

        Lambda^-1 = J M^-1 J' = X' D^-1 X,      X = H psi B*:

    six unit forces at the tip go inward, each joint giving way before the next one feels them, in the same
    direction as the articulated inertias: the first pass of Popov and Vereshchagin, and nothing goes outward.
    """
    return full(pv.response(arm, np.eye(6, dtype=arm.gravity.dtype)).contact.response)

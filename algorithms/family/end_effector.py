"""Lambda^-1 and Lambda at the end effector, O(N): by constraint forces with block LDL', and by articulated
bodies.

By constraint forces, Fijany IV.C, Eqs. (82)-(85), and operational space mass matrix, Eqs. (40)-(43):

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

from dataclasses import replace

import numpy as np

from senn.algorithms.blocks import Blocks, apply, cross, factor, full, substitute, symmetric_product
from senn.algorithms.family.arm import SerialArm, zeros
from senn.algorithms.family.forward.constraint_force import behind, factored
from senn.algorithms.family.link import (
    SerialLink,
    inward,
    inward_motion,
    outward_force,
    product,
    solved,
)
from senn.algorithms.family.sweeps import hinges

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
    phi = last.complement.spread(solved(pivot, forbidden))
    return apply(D, wrench - outward_force(last, phi))


# ------------------------------------------------------------- Lambda by constraint forces


def operational_mass(arm: SerialArm) -> Blocks:
    """Lambda (6, 6), frame n+1 at O_{n+1}, Eq. (43)."""
    last = arm.links[-1]
    R = reach(last)
    return full(last.inertia.packed() + symmetric_product(R, substitute(_pivot(arm), R)))


def operational_mass_times(arm: SerialArm, acceleration: Blocks) -> Blocks:
    """Lambda a (6,) for an acceleration a, Eq. (43)."""
    last = arm.links[-1]
    forbidden = last.complement.along(inward_motion(last, acceleration))
    phi = last.complement.spread(solved(_pivot(arm), forbidden))
    return last.inertia.applied(acceleration) + outward_force(last, phi)


def _pivot(arm: SerialArm) -> Blocks:
    """LDL' of Y_N; empty for an arm of one link, and for a joint that forbids nothing. Of link N, a rigid
    body, no inverse is needed."""
    if not arm.last:
        return zeros(arm, 0)
    *links, last = arm.links
    inner = replace(arm, links=links, parents=arm.parents[:-1], last=arm.last - 1)
    return factor(behind(links[-1], factored(inner).pivots[-1], last)[1])


def reach(link: SerialLink) -> Blocks:
    """R_N: the rows of W_N' [C 0; C P~ C], of which a row of C P~ is that row of C, crossed with P."""
    C = link.rotation
    above = np.concatenate([C, np.zeros_like(C)], axis=1)
    below = np.concatenate([cross(C, link.position[None]), C], axis=1)
    return link.complement.along(np.concatenate([above, below]))


# ----------------------------------------------------------- Lambda^-1 by articulated bodies


def lambda_inverse_articulated(arm: SerialArm) -> Blocks:
    """Lambda^-1 (6, 6), frame n+1 at O_{n+1}: Jain Lemma 6.4, at the tip.

    With M^-1 = [U - H psi K]* D^-1 [U - H psi K] and J' = H phi B*, [U - H psi K] H phi = H psi leaves

        Lambda^-1 = J M^-1 J' = X' D^-1 X,      X = H psi B*:

    six unit forces at the tip go inward, each joint giving way before the next one feels them, in the same
    direction as the articulated inertias: one sweep, and nothing goes outward again.
    """
    response, force = zeros(arm, 21), np.eye(6, dtype=arm.gravity.dtype)
    joints = hinges(arm)
    for i in reversed(arm.main):
        link, hinge = arm.links[i], joints[i]
        force = inward(link, force)
        felt = link.freedom.along(force)
        response = response + symmetric_product(felt, hinge.alone(felt))
        force = force - product(hinge.gain, felt)
    return full(response)

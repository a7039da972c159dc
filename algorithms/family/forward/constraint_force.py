"""Forward dynamics by constraint forces, O(N): Fijany V, Eqs. (40)-(61), (71)-(84), with block LDL'.

The force of a joint is taken apart once more: F = H F_T + W F_S, what the joint gives and what it forbids.
That the links accelerate as the joints let them, W'P'I^-1 P F = 0, is a block tridiagonal system for F_S:
M^-1 = C - B'A^-1 B. Serially it is the dearest of the linear ways; it is here because it parallelises.

`senn.algorithms.references.constraint_force` is the same with NumPy's matrices, for the certificate and for
the condition number; this page writes every block operation out, so that it can be counted.
"""

from __future__ import annotations

from dataclasses import dataclass

from senn.algorithms.blocks import (
    Blocks,
    apply,
    factor,
    full,
    substitute,
    symmetric_product,
    times,
    transposed,
)
from senn.algorithms.family.arm import (
    SerialArm,
    Vectors,
    joined,
)
from senn.algorithms.family.closing import Free
from senn.algorithms.family.joint_space import newton_euler
from senn.algorithms.family.link import (
    SerialLink,
    inward,
    inward_motion,
    outward,
    product,
    solved,
)
from senn.algorithms.kernels.link import inverse_about_origin


@dataclass(frozen=True, eq=False)
class BlockFactor:
    """A by blocks, factored from the base to the tip."""

    responses: Vectors
    """I_i^-1 (21,), packed, frame i at O_i."""
    pivots: Vectors
    """LDL' of the block pivots."""
    upper: Vectors
    """D_i^-1 B_i, i < n."""


def open_chain(arm: SerialArm, tau: Blocks) -> Free:
    """The tip free."""
    ldl = factored(arm)

    def respond(x: Blocks) -> Blocks:
        return joined(accelerations(arm, ldl, arm.split(x)))

    return Free(respond(tau - joined(newton_euler(arm))), respond)


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
    X3 = [solved(pivot, x) for pivot, x in zip(ldl.pivots, X3, strict=True)]
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

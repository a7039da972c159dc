"""Articulated bodies: the inertia P of a link with all that is beyond it, joints giving way (Jain Eq. (45)).

P(k) = phi P+(k-1) phi' + M(k), D = H P H', G = P H' D^-1, P+ = (U - G H) P: Riccati's equation of the filter.
"""

from __future__ import annotations

from dataclasses import dataclass

from senn.algorithms.blocks import Blocks, factor, substitute, symmetric_product, transposed
from senn.algorithms.family.arm import Arm, Link, zeros
from senn.algorithms.family.directions import solved
from senn.algorithms.family.recursion import Beyond, inwards
from senn.algorithms.family.transport import inertia_inward


@dataclass(frozen=True, eq=False)
class Hinge:
    """What joint i makes of the articulated inertia."""

    inertia: Blocks
    """P_i (21,), packed, frame i at O_i."""
    reach: Blocks
    """P_i H_i (6, n_i)."""
    factor: Blocks
    """LDL' of D_i = H_i' P_i H_i, packed."""
    gain: Blocks
    """G_i = P_i H_i D_i^-1 (6, n_i)."""

    def passed_on(self) -> Blocks:
        """P+ (21,), packed: what the link before sees of it, as the joint gives way."""
        return self.inertia - symmetric_product(transposed(self.reach), transposed(self.gain))

    def alone(self, effort: Blocks) -> Blocks:
        """nu = D^-1 epsilon for (n_i,) or (n_i, r)."""
        return solved(self.factor, effort)


def hinges(arm: Arm) -> list[Hinge]:
    """All joints', in the order of the links."""
    beyond, found = Beyond(arm, zeros(arm, 21)), []
    for i in inwards(arm):
        found.append(hinge(arm.links[i], beyond[i]))
        beyond.hand_on(i, found[-1].passed_on())
    return found[::-1]


def hinge(link: Link, beyond: Blocks) -> Hinge:
    """Of one link, with what is beyond it (21,), packed, about O_{i+1} in frame i+1."""
    inertia = inertia_inward(link, beyond + link.inertia.packed())
    reach, ldl = link.freedom.reach(inertia), factor(link.freedom.seen(inertia))
    return Hinge(inertia, reach, ldl, transposed(substitute(ldl, transposed(reach))))

"""Composite rigid bodies: the inertia R of a link with all that is beyond it (Jain Eqs. (24)-(25)).

R(k) = phi R(k-1) phi' + M(k). Walker and Orin (1982), method 3.
"""

from senn.algorithms.family.arm import Arm, zeros
from senn.algorithms.family.recursion import Beyond, inwards
from senn.algorithms.family.rigid import Rigid
from senn.algorithms.family.transport import composite_inward


def composite_inertias(arm: Arm) -> list[Rigid]:
    """R_i of all links, frame i at O_i."""
    beyond, found = Beyond(arm, Rigid(0, zeros(arm, 3), zeros(arm, 6))), []
    for i in inwards(arm):
        link = arm.links[i]
        found.append(composite_inward(link, beyond[i] + link.inertia))
        beyond.hand_on(i, found[-1])
    return found[::-1]

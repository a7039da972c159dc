"""Forward dynamics by articulated bodies, O(N), the bias on the way or computed before: Jain Eqs. (45)-(46),
(55), (60).

Published by Vereshchagin (1974), Armstrong (1979, spherical joints), Featherstone (1983), Rodriguez (1987),
Brandl, Johanni and Otter (1986), Bae and Haug (1987), Rosenthal (1987): one algorithm, as Jain shows.
"""

from __future__ import annotations

from senn.algorithms.blocks import Blocks, transposed
from senn.algorithms.family.arm import BASE, ChildSums, SerialArm, Vectors, inwards, joined, zeros
from senn.algorithms.family.closing import Free
from senn.algorithms.family.forward import popov_vereshchagin
from senn.algorithms.family.joint_space import newton_euler
from senn.algorithms.family.link import inward, outward, product
from senn.algorithms.family.sweeps import Hinge, hinges

# ------------------------------------------------------------------------- the bias on the way


def open_chain(arm: SerialArm, tau: Blocks) -> Free:
    """The tip free. Nothing is computed before: the accelerations a and forces b that velocities cause go
    through the same two passes as the torques, z = phi (z+ + b) + P a and alpha = alpha+ + H'qdd + a (60)."""
    motion = popov_vereshchagin.free(arm, tau)
    return Free(motion.qdd, lambda x: joined(accelerations(arm, motion.joints, arm.split(x))))


# -------------------------------------------------------------------- the bias computed before


def open_chain_precomputed(arm: SerialArm, tau: Blocks) -> Free:
    """The tip free. Newton-Euler gives the bias C; under T - C the arm is at rest."""
    joints = hinges(arm)

    def respond(x: Blocks) -> Blocks:
        return joined(accelerations(arm, joints, arm.split(x)))

    return Free(respond(tau - joined(newton_euler(arm))), respond)


def accelerations(arm: SerialArm, joints: list[Hinge], torque: Vectors) -> Vectors:
    """M^-1 T, Eq. (46), of an arm at rest: Rodriguez's filter and smoother (1987); torque_i (n_i,) or (n_i,
    r).

    Inward, z collects the effects of the joints' efforts beyond; outward, every joint follows the motion of
    its own link's point. As an operator: qdd = [U - H psi K]* D^-1 [U - H psi K] (T - C), a product of
    triangular matrices that nobody forms.
    """
    columns = torque[0].shape[1:]
    beyond, alone = ChildSums(arm, zeros(arm, 6, *columns)), []
    for i in inwards(arm):
        z = inward(arm.links[i], beyond[i])
        alone.append(joints[i].alone(torque[i] - arm.links[i].freedom.along(z)))  # nu = D^-1 epsilon
        beyond.add(i, z + product(joints[i].reach, alone[-1]))
    alpha, qdd = {BASE: zeros(arm, 6, *columns)}, []
    for i, (link, hinge, nu) in enumerate(zip(arm.links, joints, reversed(alone), strict=True)):
        before = alpha[arm.parents[i]]
        qdd.append(nu - product(transposed(hinge.gain), before))
        alpha[i] = outward(link, link.freedom.added(before, qdd[i]))
    return qdd

"""The closed chain by Popov and Vereshchagin, the contact solved on the way: PV-early, O(N + n_c).

Sathya, Bruyninckx, Decre and Pipeleers (2024). As soon as the joints passed can do what the contact asks,
L is regular, and the contact force follows from the acceleration of the point that its unit forces K have
come to: K_C = L^-1 (K'alpha + rate - G_C). So from there on it is one more inertia and one more force,

    P+ + K L^-1 K',      z + K L^-1 (rate - G_C),

and the links before are articulated bodies without a contact: of a long arm all but the last few.

This symmetric inertia is that of a contact of Type I; with others F is no linear function of K_C along the
directions held, and they are refused. Nothing is solved early where it would cost digits: the pivots of L are
measured as those of the whole arm are, against what the last link alone would do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from senn.algorithms.blocks import Blocks, apply, factor, full, substitute, symmetric_product, transposed
from senn.algorithms.family.arm import BASE, NOTHING_HELD, Arm, joined, zeros
from senn.algorithms.family.articulated import Hinge, hinge
from senn.algorithms.family.directions import solved
from senn.algorithms.family.forward.articulated_bodies import operations as forward_articulated
from senn.algorithms.family.forward.popov_vereshchagin import force_of
from senn.algorithms.family.forward.pressed import Pressed, at_tip, pressing, ratio_of
from senn.algorithms.family.recursion import Beyond, inwards
from senn.algorithms.family.transport import inward, outward
from senn.algorithms.family.velocity import velocity
from senn.algorithms.problems.contact_force import check_regular, lightness
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.problems.problem import Problem
from senn.machine.program import Operations
from senn.traces.errors import InputError

Ready = Callable[[Blocks, int], bool]
"""Whether the contact is solved here, from L, packed, and how many degrees of freedom of the main chain are
beyond."""
REGULAR = 1e-4
"""The least pivot with which it is: so many digits of the inertia that K L^-1 K' joins may be lost."""


def solve(problem: Problem) -> dict[str, Blocks]:
    """Accelerations and the contact force; `InputError` for a contact that is singular, or not of Type I."""
    contact = problem.contact
    _refuse(contact.shape)
    arm, directions, prescribed = pressing(problem)
    held, whole = contact.constrained, sum(arm.links[i].freedom.count for i in arm.main)

    def ready(response: Blocks, degrees: int) -> bool:
        ratio = ratio_of(problem, response)
        if degrees == whole:
            check_regular(ratio, problem.drawn, contact.called, lightness(problem.chain))
        return 0 < held <= degrees and ratio > REGULAR

    qdd, found = closed_chain(arm, problem.tau, directions, prescribed, ready)
    if contact.kind == "none":
        return {"qdd": qdd}
    return {"qdd": qdd, "force": arm.load + apply(directions, found)}


def open_chain(arm: Arm, tau: Blocks) -> Blocks:
    """qdd (N,) with the tip free: articulated bodies."""
    return closed_chain(arm, tau, zeros(arm, 6, 0), zeros(arm, 0), lambda response, degrees: False)[0]


def soon(held: int) -> Ready:
    """With as many degrees of freedom as directions: of joints in general position."""
    return lambda response, degrees: degrees >= held


class Solved(NamedTuple):
    """The contact, solved at a link."""

    link: int
    contact: Pressed
    """Of which `rate` is less by G_C."""
    factor: Blocks
    """LDL' of L, packed."""

    def by(self, alpha: Blocks) -> Blocks:
        """K_C (m,) from the acceleration (6,) that arrives at the link: all of it on the right-hand side, as
        its parts are large and nearly cancel."""
        return solved(self.factor, self.contact.accelerated(alpha))

    def added(self) -> tuple[Blocks, Blocks]:
        """What it adds to the inertia (21,), packed, and to the force (6,) beyond the link before."""
        forces = self.contact.forces
        gain = substitute(self.factor, transposed(forces))
        own = solved(self.factor, self.contact.rate)
        return symmetric_product(transposed(forces), gain), apply(forces, own)


def closed_chain(
    arm: Arm, tau: Blocks, directions: Blocks, prescribed: Blocks, ready: Ready
) -> tuple[Blocks, Blocks]:
    """qdd (N,) and K_C (m,), where the tip accelerates by G_C = `prescribed` along directions (6, m)."""
    terms, torque = velocity(arm), arm.split(tau)
    inertias, forces = Beyond(arm, zeros(arm, 21)), Beyond(arm, zeros(arm, 6), arm.load)
    contact, degrees, there = at_tip(arm, directions), 0, None
    joints: dict[int, Hinge] = {}
    alone, shares, held = {}, {}, directions.size > 0
    for i in inwards(arm):
        link, drift = arm.links[i], terms.acceleration[i]
        joints[i] = hinge(link, inertias[i])
        z = inward(link, forces[i] + terms.force[i]) + apply(full(joints[i].inertia), drift)
        alone[i] = joints[i].alone(torque[i] - link.freedom.along(z))
        inertia, z = joints[i].passed_on(), z + apply(joints[i].reach, alone[i])
        if held and i <= arm.last and there is None:
            contact, shares[i] = contact.past(link, joints[i], drift, alone[i])
            degrees += link.freedom.count
            if ready(contact.response, degrees) or i == 0:
                contact = contact._replace(rate=contact.rate - prescribed)
                there = Solved(i, contact, factor(contact.response))
                more, push = there.added()
                inertia, z = inertia + more, z + push
        inertias.hand_on(i, inertia)
        forces.hand_on(i, z)
    alpha, found, pressure = {BASE: np.concatenate([zeros(arm, 3), -arm.gravity])}, [], zeros(arm, 0)
    for i, link in enumerate(arm.links):
        before, nu = alpha[arm.parents[i]], alone[i]
        if there is not None and i == there.link:
            pressure = there.by(before)
        if i in shares:
            nu = nu - apply(shares[i], pressure)
        found.append(nu - apply(transposed(joints[i].gain), before))
        alpha[i] = outward(link, link.freedom.added(before, found[i]) + terms.acceleration[i])
    return joined(found), pressure


def operations(n: int) -> Operations:
    """For n revolute joints, the tip free."""
    return forward_articulated(n)


def in_contact(n: int, shape: ContactShape) -> Operations:
    """For n revolute joints in a contact of n_c directions, n >= n_c, solved after n_c joints; `InputError`
    for one that is not of Type I."""
    _refuse(shape)
    if shape == NOTHING_HELD:
        return operations(n)
    m = shape.constrained
    multiply = 394 * n + (2 * m**3 + 144 * m**2 + 115 * m) // 3 - 4
    own = Operations(multiply, 330 * n + (4 * m**3 + 243 * m**2 + 185 * m) // 6 - 4, n + m, 2 * n)
    return own + force_of(shape)


def _refuse(shape: ContactShape) -> None:
    if shape.kind != "I":
        raise InputError(
            f"contact of kind {shape.kind}: PV-early takes kind I, as it makes an inertia of what the "
            "contact does, and of this kind that is not symmetric; take forward-pv"
        )

"""The closed chain by Popov and Vereshchagin, O(N): one pass inward and one outward (`pressed`).

Popov, Vereshchagin and Zenkevich (1978); Sathya, Bruyninckx, Decre and Pipeleers (2024) call it PV. Inward go
the articulated inertias, what torques, weight and velocities do, and the unit forces of the contact; at the
base, whose acceleration is known, its n_c equations are solved; outward every joint does what it does alone,
less its share of the contact force. M^-1 is not applied twice, as it is by Table I.

For a contact of Type I the unit forces are the columns of W, and a given force H K_F presses from the start.
The others are solved with Lambda^-1, whose unit forces are those along all six axes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from senn.algorithms.blocks import Blocks, apply, factor, full, transposed
from senn.algorithms.family.arm import BASE, NOTHING_HELD, Arm, joined, zeros
from senn.algorithms.family.articulated import hinges
from senn.algorithms.family.closing import of_contact
from senn.algorithms.family.directions import solved
from senn.algorithms.family.forward.articulated_bodies import operations as forward_articulated
from senn.algorithms.family.forward.pressed import at_tip, pressing, ratio_of
from senn.algorithms.family.recursion import Beyond, inwards
from senn.algorithms.family.transport import inward, outward
from senn.algorithms.family.velocity import velocity
from senn.algorithms.problems.contact_force import check_regular, contact_force, lightness
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.problems.problem import Problem
from senn.machine.program import Operations

Multipliers = Callable[[Blocks, Blocks], Blocks]
"""Those of the unit forces (m,), from L, packed, and from the accelerations along them without a force."""


def solve(problem: Problem) -> dict[str, Blocks]:
    """Accelerations and the contact force; `InputError` where the contact is singular."""
    contact, (arm, directions, prescribed) = problem.contact, pressing(problem)

    def multipliers(response: Blocks, acceleration: Blocks) -> Blocks:
        check_regular(ratio_of(problem, response), problem.drawn, contact.called, lightness(problem.chain))
        if contact.shape.kind != "I":
            return contact_force(contact, full(response), acceleration)
        return along(prescribed)(response, acceleration)

    qdd, found = closed_chain(arm, problem.tau, directions, multipliers)
    if contact.kind == "none":
        return {"qdd": qdd}
    return {"qdd": qdd, "force": arm.load + apply(directions, found)}


def along(prescribed: Blocks) -> Multipliers:
    """Of Type I, by LDL': L K_C = W'Vdot - G_C, Eq. (29)."""
    return lambda response, acceleration: solved(factor(response), acceleration - prescribed)


def open_chain(arm: Arm, tau: Blocks) -> Blocks:
    """qdd (N,) with the tip free: articulated bodies."""
    return closed_chain(arm, tau, zeros(arm, 6, 0), along(zeros(arm, 0)))[0]


def closed_chain(
    arm: Arm, tau: Blocks, directions: Blocks, multipliers: Multipliers
) -> tuple[Blocks, Blocks]:
    """qdd (N,) and the multipliers (m,) of unit forces along these directions (6, m) of the end effector."""
    terms, joints, torque = velocity(arm), hinges(arm), arm.split(tau)
    beyond, contact = Beyond(arm, zeros(arm, 6), arm.load), at_tip(arm, directions)
    alone, shares, held = {}, {}, directions.size > 0
    for i in inwards(arm):
        link, hinge, drift = arm.links[i], joints[i], terms.acceleration[i]
        z = inward(link, beyond[i] + terms.force[i]) + apply(full(hinge.inertia), drift)
        alone[i] = hinge.alone(torque[i] - link.freedom.along(z))
        beyond.hand_on(i, z + apply(hinge.reach, alone[i]))
        if held and i <= arm.last:
            contact, shares[i] = contact.past(link, hinge, drift, alone[i])
    alpha, found = {BASE: np.concatenate([zeros(arm, 3), -arm.gravity])}, []
    pressure = multipliers(contact.response, contact.accelerated(alpha[BASE]))
    for i, (link, hinge) in enumerate(zip(arm.links, joints, strict=True)):
        before, nu = alpha[arm.parents[i]], alone[i]
        if i in shares:
            nu = nu - apply(shares[i], pressure)
        found.append(nu - apply(transposed(hinge.gain), before))
        alpha[i] = outward(link, link.freedom.added(before, found[i]) + terms.acceleration[i])
    return joined(found), pressure


def operations(n: int) -> Operations:
    """For n revolute joints, the tip free."""
    return forward_articulated(n)


def in_contact(n: int, shape: ContactShape) -> Operations:
    """For n revolute joints in a contact: n_c unit forces of Type I, six of another kind."""
    if shape == NOTHING_HELD:
        return operations(n)
    if shape.kind != "I":
        return passes(n, 6) + of_contact(shape)
    return passes(n, shape.constrained) + equations(shape.constrained) + force_of(shape)


def passes(n: int, m: int) -> Operations:
    """Both ways through n revolute joints, with m unit forces."""
    multiply = n * (788 + 79 * m + m**2) // 2 + 12 * m - 4
    return Operations(multiply, n * (660 + 65 * m + m**2) // 2 + 11 * m - 4, n, 2 * n)


def force_of(shape: ContactShape) -> Operations:
    """F = W K_C + H K_F of Type I, Eq. (24)."""
    return of_contact(shape, "III.2.ii")


def equations(m: int) -> Operations:
    """The multipliers by LDL', `along`."""
    return Operations((m**3 + 9 * m**2 - 4 * m) // 6, (m**3 + 6 * m**2 - m) // 6, m)

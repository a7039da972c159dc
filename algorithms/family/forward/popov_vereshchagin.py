"""The closed chain by Popov and Vereshchagin, O(N): one pass inward and one outward.

Popov, Vereshchagin and Zenkevich (1978); Sathya, Bruyninckx, Decre and Pipeleers (2024) call it PV. Inward go
the articulated inertias, what torques, weight and velocities do, and the unit forces of the contact; at the
base, whose acceleration is known, its n_c equations are solved; outward every joint does what it does alone,
less its share of the contact force. M^-1 is not applied twice, as it is by Table I.

For a contact of Type I the unit forces are the columns of W, and a given force H K_F presses from the start.
The others are solved with Lambda^-1, whose unit forces are those along all six axes.

In the words of Gauss's principle (Vereshchagin 1989): of all motions that keep W'Vdot = G_C the arm takes the
one that is the least forced. Its multipliers K_C are the contact force. With K the unit forces of the
contact, brought inward while every joint gives way, the accelerations of the tip along W are

    W'Vdot = K'alpha + rate - L K_C

where alpha is the acceleration of the point that K has come to, `rate` what the links beyond add to it by
torques, weight and velocities, and L = sum (H K)' D^-1 (H K): W'Lambda^-1 W, the Delassus matrix, when K has
come to the base.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from senn.algorithms.blocks import Blocks, apply, factor, full, symmetric_product, transposed, triangle
from senn.algorithms.family.arm import BASE, ChildSums, SerialArm, arm_of, inwards, joined, zeros
from senn.algorithms.family.closing import of_contact
from senn.algorithms.family.link import (
    SerialLink,
    inward,
    outward,
    product,
    solved,
)
from senn.algorithms.family.sweeps import Hinge, fall, hinges, velocity
from senn.algorithms.problems.contact_force import (
    check_regular,
    contact_force,
    held_ratio,
    lightness,
    pivot_ratio,
)
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.problems.problem import Problem
from senn.algorithms.references.articulated import tip_inverse_inertia
from senn.machine.program import Operations

Multipliers = Callable[[Blocks, Blocks], Blocks]
"""Multipliers of the unit forces (m,) from L, packed, and from the accelerations along them without a
force."""


def solve(problem: Problem) -> dict[str, Blocks]:
    """Accelerations and the contact force; `InputError` where the contact is singular."""
    contact, (arm, directions, prescribed) = problem.contact, pressing(problem)

    def multipliers(response: Blocks, acceleration: Blocks) -> Blocks:
        check_regular(ratio_of(problem, response), problem.drawn, contact.called, lightness(problem.chain))
        if contact.shape.kind != "I":
            return contact_force(contact, full(response), acceleration)
        return along(prescribed)(response, acceleration)

    qdd, pressure = closed_chain(arm, problem.tau, directions, multipliers)
    if contact.kind == "none":
        return {"qdd": qdd}
    return {"qdd": qdd, "force": arm.load + apply(directions, pressure)}


def along(prescribed: Blocks) -> Multipliers:
    """Multipliers of a contact of Type I, by LDL': L K_C = W'Vdot - G_C, Eq. (29)."""
    return lambda response, acceleration: solved(factor(response), acceleration - prescribed)


def open_chain(arm: SerialArm, tau: Blocks) -> Blocks:
    """qdd (N,) with the tip free: articulated bodies."""
    return closed_chain(arm, tau, zeros(arm, 6, 0), along(zeros(arm, 0)))[0]


def closed_chain(
    arm: SerialArm, tau: Blocks, directions: Blocks, multipliers: Multipliers
) -> tuple[Blocks, Blocks]:
    """qdd (N,) and the multipliers (m,) of unit forces along these directions (6, m) of the end effector."""
    terms, joints, torque = velocity(arm), hinges(arm), arm.split(tau)
    beyond, contact = ChildSums(arm, zeros(arm, 6), arm.load), at_tip(arm, directions)
    alone, shares, constrained = {}, {}, directions.size > 0
    for i in inwards(arm):
        link, hinge, drift = arm.links[i], joints[i], terms.acceleration[i]
        z = inward(link, beyond[i] + terms.force[i]) + apply(full(hinge.inertia), drift)
        alone[i] = hinge.alone(torque[i] - link.freedom.along(z))
        beyond.add(i, z + apply(hinge.reach, alone[i]))
        if constrained and i <= arm.last:
            contact, shares[i] = contact.past(link, hinge, drift, alone[i])
    alpha, qdd = {BASE: np.concatenate([zeros(arm, 3), -arm.gravity])}, []
    pressure = multipliers(contact.response, contact.accelerated(alpha[BASE]))
    for i, (link, hinge) in enumerate(zip(arm.links, joints, strict=True)):
        before, nu = alpha[arm.parents[i]], alone[i]
        if i in shares:
            nu = nu - apply(shares[i], pressure)
        qdd.append(nu - apply(transposed(hinge.gain), before))
        alpha[i] = outward(link, link.freedom.added(before, qdd[i]) + terms.acceleration[i])
    return joined(qdd), pressure


def counted(
    arm: SerialArm, tau: Blocks, directions: Blocks, prescribed: Blocks, shape: ContactShape
) -> Blocks:
    """qdd (N,), with the equations of a contact of Type I; those of other kinds are counted in `apart`."""
    multipliers = along(prescribed) if shape.kind == "I" else lambda response, acceleration: acceleration
    return closed_chain(arm, tau, directions, multipliers)[0]


def apart(shape: ContactShape) -> Operations:
    """Operations of Step III: of Type I those of F = W K_C + H K_F, Eq. (24), alone."""
    return of_contact(shape, "III.2.ii" if shape.kind == "I" else "III")


# --------------------------------------------------------- the contact, inward along the main chain


class Pressed(NamedTuple):
    """The contact, seen from a point of the main chain; of m directions."""

    forces: Blocks
    """K (6, m)."""
    response: Blocks
    """L, packed."""
    rate: Blocks
    """(m,)."""

    def past(self, link: SerialLink, hinge: Hinge, drift: Blocks, alone: Blocks) -> tuple[Pressed, Blocks]:
        """The contact seen from the inner side of a link, whose joint gives way; and the joint's share D^-1
        H'K (n_i, m).

        drift (6,) is a_i, alone (n_i,) the acceleration of the joint without the contact.
        """
        forces = inward(link, self.forces)
        felt = link.freedom.along(forces)
        share = hinge.alone(felt)
        rate = self.rate + apply(transposed(forces), drift) + apply(transposed(felt), alone)
        response = self.response + symmetric_product(felt, share)
        return Pressed(forces - product(hinge.gain, felt), response, rate), share

    def accelerated(self, alpha: Blocks) -> Blocks:
        """W'Vdot (m,) without a contact force, where that point has the acceleration alpha (6,)."""
        return self.rate + apply(transposed(self.forces), alpha)


def at_tip(arm: SerialArm, directions: Blocks) -> Pressed:
    """The contact seen from the tip: directions W (6, m), frame n+1 at O_{n+1}; weight is the base's
    acceleration."""
    count = directions.shape[1]
    rate = apply(transposed(directions), velocity(arm).tip + fall(arm)) if count else zeros(arm, 0)
    return Pressed(directions, zeros(arm, triangle(count)), rate)


def pressing(problem: Problem) -> tuple[SerialArm, Blocks, Blocks]:
    """The arm under the force that a contact of Type I gives, the directions W of the force that it does not
    give, and G_C; of other kinds all six directions, along which nothing is prescribed."""
    arm, contact = arm_of(problem), problem.contact
    if contact.shape.kind != "I":
        return arm, np.eye(6), np.zeros(6)
    assert contact.G_C is not None  # it is settled
    return replace(arm, load=contact.H @ contact.K_F), contact.W, contact.G_C


def ratio_of(problem: Problem, response: Blocks) -> float:
    """How regular the equations of the contact are, by L, packed (`contact.force.pivot_ratio`)."""
    contact, alone = problem.contact, tip_inverse_inertia(problem.chain, problem.q)
    if contact.shape.kind != "I":
        return pivot_ratio(contact, full(response), alone)
    return held_ratio(full(response), np.einsum("ik,ij,jk->k", contact.W, alone, contact.W))

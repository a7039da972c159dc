"""The closed chain by Popov and Vereshchagin, O(N): one pass inward and one outward; and PV-early, below.

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

from senn.algorithms.blocks import *  # the algebra of blocks
from senn.algorithms.family.arm import BASE, ChildSums, SerialArm, arm_of, inwards, joined, zeros
from senn.algorithms.family.closing import check, of_contact, regular_force, take_type_i
from senn.algorithms.family.link import SerialLink, divided, inward, outward, outward_force, product
from senn.algorithms.family.sweeps import Hinge, fall, hinge, velocity
from senn.algorithms.problems.contact_force import contact_force, held_ratio, pivot_ratio
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
        check(problem, ratio_of(problem, response))
        if contact.shape.kind != "I":
            return contact_force(contact, full(response), acceleration)
        return along(prescribed)(response, acceleration)

    return answers(problem, arm, directions, closed_chain(arm, problem.tau, directions, multipliers))


def solve_with_tip(problem: Problem) -> dict[str, Blocks]:
    """Answers, Lambda^-1 and the acceleration of the free tip: unit forces along all six axes, whose L is
    Lambda^-1, for every contact; `InputError` where the contact is singular."""
    arm = arm_of(problem)
    tip: dict[str, Blocks] = {}

    def multipliers(response: Blocks, acceleration: Blocks) -> Blocks:
        tip.update(lambda_inverse=full(response), acceleration0=acceleration)
        return regular_force(problem, tip["lambda_inverse"], acceleration)

    motion = closed_chain(replace(arm, load=zeros(arm, 6)), problem.tau, np.eye(6), multipliers)
    return {"qdd": motion.qdd, "force": motion.pressure, **tip}


def along(prescribed: Blocks) -> Multipliers:
    """Multipliers of a contact of Type I, by LDL': L K_C = W'Vdot - G_C, Eq. (29)."""
    return lambda response, acceleration: divided(factor(response), acceleration - prescribed)


class Motion(NamedTuple):
    """Answer of an arm to its torques, weight, velocities and contact."""

    qdd: Blocks
    """(N,)."""
    pressure: Blocks
    """Multipliers of the unit forces of the contact (m,)."""
    joints: list[Hinge]


def answers(problem: Problem, arm: SerialArm, directions: Blocks, motion: Motion) -> dict[str, Blocks]:
    """Accelerations and, in a contact, its force."""
    if problem.contact.kind == "none":
        return {"qdd": motion.qdd}
    return {"qdd": motion.qdd, "force": arm.load + apply(directions, motion.pressure)}


def free(arm: SerialArm, tau: Blocks) -> Motion:
    """With the tip free: articulated bodies."""
    return closed_chain(arm, tau, zeros(arm, 6, 0), along(zeros(arm, 0)))


def open_chain(arm: SerialArm, tau: Blocks) -> Blocks:
    """qdd (N,) with the tip free."""
    return free(arm, tau).qdd


class Early(NamedTuple):
    """When a contact of Type I is solved on the way; at the first link, if not before."""

    ready: Callable[[Blocks, int], bool]
    """From L, packed, and the number of degrees of freedom of the main chain beyond."""
    prescribed: Blocks
    """G_C."""


def closed_chain(
    arm: SerialArm, tau: Blocks, directions: Blocks, multipliers: Multipliers, early: Early | None = None
) -> Motion:
    """The arm with unit forces along these directions (6, m) of the end effector: the contact is solved at
    the base, or `early`."""
    terms, torque = velocity(arm), arm.split(tau)
    inertias, forces = ChildSums(arm, zeros(arm, 21)), ChildSums(arm, zeros(arm, 6), arm.load)
    contact, degrees, solution = at_tip(arm, directions), 0, None
    joints: dict[int, Hinge] = {}
    alone, shares, constrained = {}, {}, directions.size > 0
    for i in inwards(arm):
        link, drift = arm.links[i], terms.acceleration[i]
        joints[i] = hinge(link, inertias[i])
        z = inward(link, forces[i] + terms.force[i]) + apply(full(joints[i].inertia), drift)
        alone[i] = joints[i].alone(torque[i] - link.freedom.along(z))
        inertia, z = joints[i].projected(), z + apply(joints[i].reach, alone[i])
        if constrained and i <= arm.last and solution is None:
            contact, shares[i] = contact.past(link, joints[i], drift, alone[i])
            degrees += link.freedom.count
            if early is not None and (early.ready(contact.response, degrees) or i == 0):
                contact = contact._replace(rate=contact.rate - early.prescribed)
                solution = Solved(i, contact, factor(contact.response))
                more, push = solution.added()
                inertia, z = inertia + more, z + push
        inertias.add(i, inertia)
        forces.add(i, z)
    alpha, qdd = {BASE: arm.weight}, []
    pressure = zeros(arm, 0)
    if solution is None:
        pressure = multipliers(contact.response, contact.accelerated(alpha[BASE]))
    for i, link in enumerate(arm.links):
        before, nu = alpha[arm.parents[i]], alone[i]
        if solution is not None and i == solution.link:
            pressure = solution.by(before)
        if i in shares:
            nu = nu - apply(shares[i], pressure)
        qdd.append(nu - apply(transposed(joints[i].gain), before))
        alpha[i] = outward(link, link.freedom.added(before, qdd[i]) + terms.acceleration[i])
    return Motion(joined(qdd), pressure, [joints[i] for i in range(len(arm.links))])


def counted(
    arm: SerialArm, tau: Blocks, directions: Blocks, prescribed: Blocks, shape: ContactShape
) -> Blocks:
    """qdd (N,), with the equations of a contact of Type I; those of other kinds are counted in `apart`."""
    multipliers = along(prescribed) if shape.kind == "I" else lambda response, acceleration: acceleration
    return closed_chain(arm, tau, directions, multipliers).qdd


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

    def behind(self, link: SerialLink, hinge: Hinge, drift: Blocks, alone: Blocks) -> tuple[Pressed, Blocks]:
        """The base seen from the outer end of a link, whose joint gives way; and the joint's share."""
        felt = link.freedom.along(self.forces)
        share = hinge.alone(felt)
        forces = self.forces - product(hinge.gain, felt)
        rate = self.rate - apply(transposed(felt), alone) - apply(transposed(forces), drift)
        response = self.response + symmetric_product(felt, share)
        return Pressed(outward_force(link, forces), response, rate), share

    def accelerated(self, alpha: Blocks) -> Blocks:
        """W'Vdot (m,) without a contact force, where that point has the acceleration alpha (6,)."""
        return self.rate + apply(transposed(self.forces), alpha)


class Solved(NamedTuple):
    """The contact, solved at a link."""

    link: int
    contact: Pressed
    """The contact, its `rate` less by G_C."""
    factor: Blocks
    """LDL' of L, packed."""

    def by(self, alpha: Blocks) -> Blocks:
        """K_C (m,) from the acceleration (6,) that arrives at the link: all of it on the right-hand side, as
        its parts are large and nearly cancel."""
        return divided(self.factor, self.contact.accelerated(alpha))

    def added(self) -> tuple[Blocks, Blocks]:
        """The inertia (21,), packed, and the force (6,) that the solved contact adds beyond the link
        before."""
        forces = self.contact.forces
        gain = substitute(self.factor, transposed(forces))
        pressure = divided(self.factor, self.contact.rate)
        return symmetric_product(transposed(forces), gain), apply(forces, pressure)


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


# --------------------------------- the contact solved on the way: PV-early, O(N + n_c)
#
# Sathya, Bruyninckx, Decre and Pipeleers (2024). As soon as the joints passed can do what the contact asks,
# L is regular, and the contact force follows from the acceleration of the point that its unit forces K have
# come to: K_C = L^-1 (K'alpha + rate - G_C). So from there on it is one more inertia and one more force,
#
#     P+ + K L^-1 K',      z + K L^-1 (rate - G_C),
#
# and the links before are articulated bodies without a contact: of a long arm all but the last few.
#
# This symmetric inertia is that of a contact of Type I; with others F is no linear function of K_C along the
# directions held, and they are refused. Nothing is solved early where it would cost digits: the pivots of L
# are measured as those of the whole arm are, against what the last link alone would do.

REGULAR = 1e-4
"""The least pivot with which the contact is solved: K L^-1 K' may cost the inertia that it joins so many
digits."""
_REASON = (
    "PV-early takes kind I, as it makes an inertia of what the contact does, and of this kind that is not "
    "symmetric"
)


def solve_early(problem: Problem) -> dict[str, Blocks]:
    """Accelerations and the contact force; `InputError` for a contact that is singular, or not of Type I."""
    contact = problem.contact
    take_type_i(contact.shape, _REASON)
    arm, directions, prescribed = pressing(problem)
    constrained, whole = contact.constrained, sum(arm.links[i].freedom.count for i in arm.main)

    def ready(response: Blocks, degrees: int) -> bool:
        ratio = ratio_of(problem, response)
        if degrees == whole:
            check(problem, ratio)
        return 0 < constrained <= degrees and ratio > REGULAR

    motion = closed_chain(arm, problem.tau, directions, along(prescribed), Early(ready, prescribed))
    return answers(problem, arm, directions, motion)


def counted_early(
    arm: SerialArm, tau: Blocks, directions: Blocks, prescribed: Blocks, shape: ContactShape
) -> Blocks:
    """qdd (N,), the contact solved after as many joints as it has directions, which do of joints in general
    position; `InputError` if it is not of Type I."""
    take_type_i(shape, _REASON)
    early = Early(lambda response, degrees: degrees >= shape.constrained, prescribed)
    return closed_chain(arm, tau, directions, along(prescribed), early).qdd

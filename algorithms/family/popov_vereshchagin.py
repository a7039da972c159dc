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
from senn.algorithms.family.arm import BASE, ChildSums, SerialArm, Vectors, arm_of, inwards, joined, zeros
from senn.algorithms.family.closing import check, of_contact, regular_force, take_type_i
from senn.algorithms.family.link import SerialLink, divided, inward, outward, product
from senn.algorithms.family.sweeps import Hinge, fall, hinge, velocity
from senn.algorithms.problems.contact_force import contact_force, held_ratio, pivot_ratio
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.problems.problem import Problem
from senn.algorithms.references.articulated import tip_inverse_inertia
from senn.machine.program import Operations


def solve(problem: Problem) -> dict[str, Blocks]:
    """Accelerations and the contact force; `InputError` where the contact is singular."""
    contact, (arm, directions, prescribed) = problem.contact, pressing(problem)
    whole, by, free = both_passes(arm, problem.tau, directions)
    check(problem, ratio_of(problem, whole.contact.response))
    if contact.shape.kind == "I":
        pressure = multipliers(whole, free - prescribed)
    else:
        pressure = contact_force(contact, full(whole.contact.response), free)
    return answers(problem, arm, directions, accelerations(arm, whole, by, arm.weight, pressure))


def solve_with_tip(problem: Problem) -> dict[str, Blocks]:
    """Answers, Lambda^-1 and the acceleration of the free tip: unit forces along all six axes, whose L is
    Lambda^-1, for every contact; `InputError` where the contact is singular."""
    whole_arm = arm_of(problem)
    arm = replace(whole_arm, load=zeros(whole_arm, 6))
    whole, by, free = both_passes(arm, problem.tau, np.eye(6))
    inverse = full(whole.contact.response)
    force = regular_force(problem, inverse, free)
    qdd, _ = accelerations(arm, whole, by, arm.weight, force)
    return {"qdd": qdd, "force": force, "lambda_inverse": inverse, "acceleration0": free}


def multipliers(whole: Response, free: Blocks) -> Blocks:
    """K_C (m,) of a contact of Type I, by LDL': L K_C = W'Vdot - G_C, Eq. (29)."""
    return divided(factor(whole.contact.response), free)


def answers(
    problem: Problem, arm: SerialArm, directions: Blocks, found: tuple[Blocks, Blocks]
) -> dict[str, Blocks]:
    """Accelerations and, in a contact, its force."""
    qdd, pressure = found
    if problem.contact.kind == "none":
        return {"qdd": qdd}
    return {"qdd": qdd, "force": arm.load + apply(directions, pressure)}


def both_passes(
    arm: SerialArm,
    tau: Blocks,
    directions: Blocks,
    ready: Ready | None = None,
    prescribed: Blocks | None = None,
) -> tuple[Response, Driven, Blocks]:
    """The arm with unit forces along these directions (6, m) of the end effector, and its accelerations along
    them (m,) without any. The contact is solved on the way as soon as it is `ready`, with the accelerations
    `prescribed`."""
    whole, rate = response(arm, directions, ready), zeros(arm, 0)
    if directions.size:  # weight is the base's acceleration
        rate = apply(transposed(directions), velocity(arm).tip + fall(arm))
    by = driven(arm, whole, tau, rate, prescribed)
    if whole.solved is not None:
        return whole, by, rate
    return whole, by, whole.contact.accelerated(arm.weight, by.rate)


def counted(
    arm: SerialArm, tau: Blocks, directions: Blocks, prescribed: Blocks, shape: ContactShape
) -> Blocks:
    """qdd (N,), with the equations of a contact of Type I; those of other kinds are counted in `apart`."""
    whole, by, free = both_passes(arm, tau, directions)
    pressure = multipliers(whole, free - prescribed) if shape.kind == "I" else free
    return accelerations(arm, whole, by, arm.weight, pressure)[0]


def apart(shape: ContactShape) -> Operations:
    """Operations of Step III: of Type I those of F = W K_C + H K_F, Eq. (24), alone."""
    return of_contact(shape, "III.2.ii" if shape.kind == "I" else "III")


# --------------------------------------------- three passes: the response, what drives it, accelerations

Ready = Callable[[Blocks, int], bool]
"""Whether a contact is solved on the way, from L, packed, and the number of degrees of freedom passed; it is
at the first link, if not before."""


class Pressed(NamedTuple):
    """The contact, seen from a point of the main chain; of m directions."""

    forces: Blocks  # K (6, m)
    response: Blocks  # L, packed

    def behind(self, link: SerialLink, hinge: Hinge) -> tuple[Pressed, Blocks, Blocks]:
        """The contact seen over a joint, which gives way; H'K (n_i, m), and the joint's share D^-1 H'K."""
        felt = link.freedom.along(self.forces)
        share = hinge.alone(felt)
        forces = self.forces - product(hinge.gain, felt)
        return Pressed(forces, self.response + symmetric_product(felt, share)), felt, share

    def accelerated(self, alpha: Blocks, rate: Blocks) -> Blocks:
        """W'Vdot (m,) without a contact force, where that point has the acceleration alpha (6,)."""
        return rate + apply(transposed(self.forces), alpha)


class Solved(NamedTuple):
    """The contact, solved at a link; all `rate` are less by G_C."""

    link: int
    contact: Pressed
    factor: Blocks  # LDL' of L, packed

    def by(self, alpha: Blocks, rate: Blocks) -> Blocks:
        """K_C (m,) from the acceleration (6,) that arrives at the link: all of it on the right-hand side, as
        its parts are large and nearly cancel."""
        return divided(self.factor, self.contact.accelerated(alpha, rate))

    def inertia(self) -> Blocks:
        """The inertia (21,), packed, that the solved contact adds beyond the link before."""
        unit = transposed(self.contact.forces)
        return symmetric_product(unit, substitute(self.factor, unit))

    def push(self, rate: Blocks) -> Blocks:
        """The force (6,) that it adds."""
        return apply(self.contact.forces, divided(self.factor, rate))


class Passed(NamedTuple):
    """A joint on the way inward."""

    hinge: Hinge
    forces: Blocks | None = None
    """K (6, m) before the joint gave way, frame i at O_i; None: beside the contact, or before it."""
    felt: Blocks | None = None  # H'K (n_i, m)
    share: Blocks | None = None  # D^-1 H'K (n_i, m)


class Response(NamedTuple):
    """The response of an arm, which depends neither on velocities nor on torques."""

    joints: list[Passed]
    inertia: Blocks  # Transmitted to the base (21,), packed
    contact: Pressed  # Seen from the base, or from where it is solved
    solved: Solved | None

    @property
    def hinges(self) -> list[Hinge]:
        """The hinges of all joints, in the order of the links."""
        return [joint.hinge for joint in self.joints]


class Driven(NamedTuple):
    """Effects of torques, weight and velocities, while the point before the arm rests."""

    alone: Vectors
    """nu_i (n_i,), the acceleration of each joint without what is before it, or the contact."""
    rate: Blocks
    """Accelerations (m,) of the tip along W; less by G_C where the contact is solved on the way."""
    force: Blocks  # Transmitted to the base (6,)


def response(arm: SerialArm, directions: Blocks, ready: Ready | None = None) -> Response:
    """One pass inward, of the inertias and the unit forces W (6, m), frame n+1 at O_{n+1}."""
    inertias, joints = ChildSums(arm, zeros(arm, 21)), []
    contact, degrees, solved = Pressed(directions, zeros(arm, triangle(directions.shape[1]))), 0, None
    for i in inwards(arm):
        link, joint = arm.links[i], hinge(arm.links[i], inertias[i])
        inertia, passed = joint.projected(), Passed(joint)
        if directions.size and i <= arm.last and solved is None:
            contact = contact._replace(forces=inward(link, contact.forces))
            forces, (contact, felt, share) = contact.forces, contact.behind(link, joint)
            passed, degrees = Passed(joint, forces, felt, share), degrees + link.freedom.count
            if ready is not None and (ready(contact.response, degrees) or i == 0):
                solved = Solved(i, contact, factor(contact.response))
                inertia = inertia + solved.inertia()
        joints.append(passed)
        inertias.add(i, inertia)
    return Response(joints[::-1], inertias[BASE], contact, solved)


def driven(
    arm: SerialArm, of: Response, tau: Blocks, rate: Blocks, prescribed: Blocks | None = None
) -> Driven:
    """One more pass inward; `rate` (m,) at the tip."""
    terms, torque = velocity(arm), arm.split(tau)
    sums, alone = ChildSums(arm, zeros(arm, 6), arm.load), []
    for i in inwards(arm):
        link, (joint, forces, felt, _), drift = arm.links[i], of.joints[i], terms.acceleration[i]
        z = inward(link, sums[i] + terms.force[i]) + apply(full(joint.inertia), drift)
        alone.append(joint.alone(torque[i] - link.freedom.along(z)))
        z = z + apply(joint.reach, alone[-1])
        if forces is not None and felt is not None:
            rate = rate + apply(transposed(forces), drift) + apply(transposed(felt), alone[-1])
        if of.solved is not None and i == of.solved.link:
            rate = rate - prescribed
            z = z + of.solved.push(rate)
        sums.add(i, z)
    return Driven(alone[::-1], rate, sums[BASE])


def accelerations(
    arm: SerialArm, of: Response, by: Driven, base: Blocks, pressure: Blocks
) -> tuple[Blocks, Blocks]:
    """qdd (N,) and the multipliers (m,), where the base has this acceleration (6,): one pass outward. The
    multipliers are given, unless the contact is solved on the way."""
    terms, alpha, qdd = velocity(arm), {BASE: base}, []
    for i, (link, joint, nu) in enumerate(zip(arm.links, of.joints, by.alone, strict=True)):
        before = alpha[arm.parents[i]]
        if of.solved is not None and i == of.solved.link:
            pressure = of.solved.by(before, by.rate)
        if joint.share is not None:
            nu = nu - apply(joint.share, pressure)
        qdd.append(nu - apply(transposed(joint.hinge.gain), before))
        alpha[i] = outward(link, link.freedom.added(before, qdd[i]) + terms.acceleration[i])
    return joined(qdd), pressure


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
"""The least pivot with which the contact is solved: K L^-1 K' may cost so many digits of the inertia."""
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

    return answers(problem, arm, directions, _early(arm, problem.tau, directions, prescribed, ready))


def _early(
    arm: SerialArm, tau: Blocks, directions: Blocks, prescribed: Blocks, ready: Ready
) -> tuple[Blocks, Blocks]:
    whole, by, _ = both_passes(arm, tau, directions, ready, prescribed)
    return accelerations(arm, whole, by, arm.weight, zeros(arm, 0))


def counted_early(
    arm: SerialArm, tau: Blocks, directions: Blocks, prescribed: Blocks, shape: ContactShape
) -> Blocks:
    """qdd (N,), the contact solved after as many joints as it has directions, which do of joints in general
    position; `InputError` if it is not of Type I."""
    take_type_i(shape, _REASON)
    return _early(arm, tau, directions, prescribed, lambda _, degrees: degrees >= shape.constrained)[0]

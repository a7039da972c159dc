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
from senn.algorithms.family.arm import (
    BASE,
    ChildSums,
    SerialArm,
    inwards,
    joined,
    zeros,
)
from senn.algorithms.family.forward.popov_vereshchagin import Pressed, at_tip, pressing, ratio_of
from senn.algorithms.family.link import inward, outward, solved
from senn.algorithms.family.sweeps import Hinge, hinge, velocity
from senn.algorithms.problems.contact_force import check_regular, lightness
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.problems.problem import Problem
from senn.traces.errors import InputError

Ready = Callable[[Blocks, int], bool]
"""Whether the contact is solved here, from L, packed, and the number of degrees of freedom of the main chain
beyond."""
REGULAR = 1e-4
"""The least pivot with which the contact is solved: K L^-1 K' may cost the inertia that it joins so many
digits."""


def solve(problem: Problem) -> dict[str, Blocks]:
    """Accelerations and the contact force; `InputError` for a contact that is singular, or not of Type I."""
    contact = problem.contact
    refuse(contact.shape)
    arm, directions, prescribed = pressing(problem)
    constrained, whole = contact.constrained, sum(arm.links[i].freedom.count for i in arm.main)

    def ready(response: Blocks, degrees: int) -> bool:
        ratio = ratio_of(problem, response)
        if degrees == whole:
            check_regular(ratio, problem.drawn, contact.called, lightness(problem.chain))
        return 0 < constrained <= degrees and ratio > REGULAR

    qdd, pressure = closed_chain(arm, problem.tau, directions, prescribed, ready)
    if contact.kind == "none":
        return {"qdd": qdd}
    return {"qdd": qdd, "force": arm.load + apply(directions, pressure)}


def open_chain(arm: SerialArm, tau: Blocks) -> Blocks:
    """qdd (N,) with the tip free: articulated bodies."""
    return closed_chain(arm, tau, zeros(arm, 6, 0), zeros(arm, 0), lambda response, degrees: False)[0]


def soon(directions: int) -> Ready:
    """With as many degrees of freedom as directions: of joints in general position."""
    return lambda response, degrees: degrees >= directions


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
        return solved(self.factor, self.contact.accelerated(alpha))

    def added(self) -> tuple[Blocks, Blocks]:
        """The inertia (21,), packed, and the force (6,) that the solved contact adds beyond the link
        before."""
        forces = self.contact.forces
        gain = substitute(self.factor, transposed(forces))
        pressure = solved(self.factor, self.contact.rate)
        return symmetric_product(transposed(forces), gain), apply(forces, pressure)


def closed_chain(
    arm: SerialArm, tau: Blocks, directions: Blocks, prescribed: Blocks, ready: Ready
) -> tuple[Blocks, Blocks]:
    """qdd (N,) and K_C (m,), where the tip accelerates by G_C = `prescribed` along directions (6, m)."""
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
            if ready(contact.response, degrees) or i == 0:
                contact = contact._replace(rate=contact.rate - prescribed)
                solution = Solved(i, contact, factor(contact.response))
                more, push = solution.added()
                inertia, z = inertia + more, z + push
        inertias.add(i, inertia)
        forces.add(i, z)
    alpha, qdd, pressure = {BASE: np.concatenate([zeros(arm, 3), -arm.gravity])}, [], zeros(arm, 0)
    for i, link in enumerate(arm.links):
        before, nu = alpha[arm.parents[i]], alone[i]
        if solution is not None and i == solution.link:
            pressure = solution.by(before)
        if i in shares:
            nu = nu - apply(shares[i], pressure)
        qdd.append(nu - apply(transposed(joints[i].gain), before))
        alpha[i] = outward(link, link.freedom.added(before, qdd[i]) + terms.acceleration[i])
    return joined(qdd), pressure


def counted(
    arm: SerialArm, tau: Blocks, directions: Blocks, prescribed: Blocks, shape: ContactShape
) -> Blocks:
    """qdd (N,), the contact solved after as many joints as it has directions; `InputError` if it is not of
    Type I."""
    refuse(shape)
    return closed_chain(arm, tau, directions, prescribed, soon(shape.constrained))[0]


def refuse(shape: ContactShape) -> None:
    if shape.kind != "I":
        raise InputError(
            f"contact of kind {shape.kind}: PV-early takes kind I, as it makes an inertia of what the "
            "contact does, and of this kind that is not symmetric; take forward-pv"
        )

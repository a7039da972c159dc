"""What a contact does inward along the main chain: unit forces, and what the tip would do about them.

Popov and Vereshchagin (Popov, Vereshchagin and Zenkevich 1978; Vereshchagin 1989), in the words of Gauss's
principle: of all motions that keep W'Vdot = G_C the arm takes the one that is the least forced. Its
multipliers K_C are the contact force. With K the unit forces of the contact, brought inward while every joint
gives way, the accelerations of the tip along W are

    W'Vdot = K'alpha + rate - L K_C

where alpha is the acceleration of the point that K has come to, `rate` what the links beyond add to it by
torques, weight and velocities, and L = sum (H K)' D^-1 (H K): W'Lambda^-1 W, the Delassus matrix, when K has
come to the base.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from senn.algorithms.blocks import Blocks, apply, full, symmetric_product, transposed, triangle
from senn.algorithms.family.arm import Arm, Link, arm_of, zeros
from senn.algorithms.family.articulated import Hinge
from senn.algorithms.family.directions import product
from senn.algorithms.family.transport import inward
from senn.algorithms.family.velocity import fall, velocity
from senn.algorithms.problems.contact_force import held_ratio, pivot_ratio
from senn.algorithms.problems.problem import Problem
from senn.algorithms.references.articulated import tip_inverse_inertia


class Pressed(NamedTuple):
    """The contact, seen from a point of the main chain; of m directions."""

    forces: Blocks
    """K (6, m)."""
    response: Blocks
    """L, packed."""
    rate: Blocks
    """(m,)."""

    def past(self, link: Link, hinge: Hinge, drift: Blocks, alone: Blocks) -> tuple[Pressed, Blocks]:
        """Seen from behind a link, whose joint gives way; and what that does for it, D^-1 H'K (n_i, m).

        drift (6,) is a_i, alone (n_i,) what the joint would do alone.
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


def at_tip(arm: Arm, directions: Blocks) -> Pressed:
    """Directions W (6, m) of the end effector, frame n+1 at O_{n+1}; weight is the base's acceleration."""
    count = directions.shape[1]
    own = apply(transposed(directions), velocity(arm).tip + fall(arm)) if count else zeros(arm, 0)
    return Pressed(directions, zeros(arm, triangle(count)), own)


def pressing(problem: Problem) -> tuple[Arm, Blocks, Blocks]:
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

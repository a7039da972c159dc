"""From the open chain to the closed one: Fijany Table I, for every forward dynamics of the family."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from senn.algorithms.blocks import Blocks, apply, full, symmetric_product, transposed
from senn.algorithms.family.arm import NOTHING_HELD, SerialArm, arm_of, joined, zeros
from senn.algorithms.family.link import inward
from senn.algorithms.family.sweeps import tip_acceleration
from senn.algorithms.problems.contact_force import check_regular, contact_force, lightness, pivot_ratio
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs import closed_chain
from senn.algorithms.references.articulated import tip_inverse_inertia
from senn.base.errors import InputError
from senn.machine.program import Operations, interior


class Free(NamedTuple):
    """A forward dynamics with the tip free."""

    qdd: Blocks  # (N,)
    respond: Callable[[Blocks], Blocks]  # M^-1 X for columns X (N, r)


OpenChain = Callable[[SerialArm, Blocks], Free]
"""A page: the open chain from an arm and its torques (N,)."""


def closed(problem: Problem, open_chain: OpenChain, arm: SerialArm | None = None) -> dict[str, Blocks]:
    """The answers of Table I around the open chain; `InputError` where the contact is singular. Without
    contact, and where the contact only presses with a given force, they are the answers of the open chain."""
    arm = arm_of(problem) if arm is None else arm
    contact, free = problem.contact, open_chain(arm, problem.tau)
    if contact.kind == "none":
        return {"qdd": free.qdd, "qdd0": free.qdd}
    if contact.shape == NOTHING_HELD:
        return {"qdd": free.qdd, "force": arm.load}
    responses, packed, acceleration = at_tip(arm, free)
    inverse = full(packed)
    force = regular_force(problem, inverse, acceleration)
    return {
        "qdd": free.qdd - apply(responses, force),
        "force": force,
        "lambda_inverse": inverse,
        "qdd0": free.qdd,
        "acceleration0": acceleration,
    }


def regular_force(problem: Problem, lambda_inverse: Blocks, acceleration: Blocks) -> Blocks:
    """The contact force (6,) from Lambda^-1 and the free acceleration; `InputError` where it is singular."""
    alone = tip_inverse_inertia(problem.chain, problem.q)
    check(problem, pivot_ratio(problem.contact, lambda_inverse, alone))
    return contact_force(problem.contact, lambda_inverse, acceleration)


def check(problem: Problem, ratio: float) -> None:
    """`InputError` where this pivot ratio says that the contact is singular."""
    check_regular(ratio, problem.drawn, problem.contact.called, lightness(problem.chain))


def at_tip(arm: SerialArm, free: Free) -> tuple[Blocks, Blocks, Blocks]:
    """M^-1 J' (N, 6), the response to six unit forces at the tip; Lambda^-1 (21,), packed; the acceleration
    of the free tip (6,)."""
    felt = transposed(jacobian(arm))
    responses = free.respond(felt)
    return responses, symmetric_product(felt, responses), tip_acceleration(arm, arm.split(free.qdd))


def jacobian(arm: SerialArm) -> Blocks:
    """J (6, N), frame n+1 at O_{n+1}: row i of J' is the torque of joint i under unit forces at the tip."""
    force: Blocks = np.eye(6, dtype=arm.gravity.dtype)
    felt = [zeros(arm, link.freedom.count, 6) for link in arm.links]
    for i in reversed(arm.main):
        force = inward(arm.links[i], force)
        felt[i] = arm.links[i].freedom.along(force)
    return transposed(joined(felt))


def take_type_i(shape: ContactShape, reason: str) -> None:
    """`InputError` for a contact that is not of Type I."""
    if shape.kind != "I":
        raise InputError(f"contact of kind {shape.kind}: {reason}; take forward-pv")


def of_contact(shape: ContactShape, step: str = "III") -> Operations:
    """Operations of the contact force from Lambda^-1 and the free acceleration: Step III, or a part."""
    return interior(() if shape == NOTHING_HELD else closed_chain.contact_force(shape), step)

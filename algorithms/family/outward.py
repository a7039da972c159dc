"""The closed chain by articulated bodies from the base outward, O(N), with Lambda^-1, by one factorisation.

Seen from its tip, an arm is a chain that hangs on the base. The base holds link 1 in the directions W_1 that
joint 1 forbids, as a contact holds the tip of PV-early (`senn.algorithms.family.popov_vereshchagin`): unit
forces K along W_1 go outward, and as soon as the joints passed can do what the base asks, L is regular, and
K L^-1 K' is one more inertia. Each joint gives way to the force that comes from outside, so that

    B alpha + z = w + K lambda          K'alpha + L lambda + rate = 0

is all that links 1..i do to the wrench w that link i+1 exerts on link i, alpha the acceleration of link i at
O_{i+1}. At the tip B is Lambda and its inverse is Lambda^-1, whose factor the contact force takes anyway. For
an arm that cannot move in all six directions L stays singular, and with B^-1, which always exists,

    alpha = C w + b          C = B^-1 - B^-1 K S^-1 K'B^-1          S = L + K'B^-1 K
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from senn.algorithms.blocks import Blocks, apply, factor, full, symmetric_product, times, transposed, triangle
from senn.algorithms.family import popov_vereshchagin as pv
from senn.algorithms.family.arm import NOTHING_HELD, SerialArm, arm_of, zeros
from senn.algorithms.family.closing import regular_force
from senn.algorithms.family.link import divided, inertia_outward, inward_motion, outward_force
from senn.algorithms.family.popov_vereshchagin import Pressed, Ready, Solved
from senn.algorithms.family.sweeps import Hinge, fall, hinge_at, velocity
from senn.algorithms.problems.contact_force import held_ratio
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.problems.problem import Problem

ANSWERS = ("qdd", "force", "lambda_inverse", "acceleration0")


class Anchored(NamedTuple):
    """Links from the base to an outer end: alpha = C w + b there, w the wrench on the last link."""

    compliance: Blocks  # C (6, 6)
    bias: Blocks  # b (6,)
    joints: list[tuple[Hinge, Blocks, Blocks | None]]
    """All but the first: how the joint gives way, D^-1 (tau + H'z) (n_i,), and D^-1 H'K (n_i, m) unless the
    base is solved before."""
    base: tuple[Solved, Blocks] | None
    """With its `rate`; None: not solved on the way, because L is not regular."""
    multipliers: tuple[Blocks, Blocks] | None  # If not: lambda = constant - responses w


def solve(problem: Problem) -> dict[str, Blocks]:
    """Accelerations, the contact force, Lambda^-1 and the acceleration of the free tip; `InputError` where
    the contact is singular. Where nothing is held, articulated bodies inward."""
    arm = arm_of(problem, branched=False)
    if problem.contact.shape == NOTHING_HELD:
        return pv.solve(problem)
    whole = anchored(arm, problem.tau, regular(arm))
    free = at_end(arm, whole)
    force = regular_force(problem, whole.compliance, free)
    return {
        "qdd": accelerations(arm, whole, -force),
        "force": force,
        "lambda_inverse": whole.compliance,
        "acceleration0": free,
    }


REGULAR = 1e-2
"""The least pivot with which the base is solved: K L^-1 K' costs the inertia that it joins so many digits.
Unlike the contact of PV-early it stays in all inertias that follow."""


def regular(arm: SerialArm) -> Ready:
    """The base is solved where no pivot of L is less than `REGULAR` of what link 1 alone would do."""
    first = arm.links[0]
    unit = outward_force(first, first.complement.columns)
    alone = (unit * times(full(first.constants.tip_response), unit)).sum(axis=0)
    return lambda response, degrees: degrees >= len(alone) and held_ratio(full(response), alone) > REGULAR


def anchored(arm: SerialArm, tau: Blocks, ready: Ready) -> Anchored:
    """One pass outward; the base is at rest, but for the weight."""
    terms, torque, first = velocity(arm), arm.split(tau), arm.links[0]
    touch, m = first.complement, first.complement.count
    rate = -touch.along(arm.weight + terms.acceleration[0])
    unit = outward_force(first, touch.spread(np.eye(m, dtype=arm.gravity.dtype)))
    base: Pressed | None = Pressed(unit, zeros(arm, triangle(m)))
    z = terms.force[0] - outward_force(first, first.freedom.dual().spread(torque[0]))
    inertia, solution, joints, degrees = first.inertia.packed(), None, [], 0
    for i, link in enumerate(arm.links):
        if i:
            joint, drift = hinge_at(link, inertia), terms.acceleration[i]
            alone, share = joint.alone(torque[i] + link.freedom.along(z)), None
            inertia, z = joint.projected(), z - apply(joint.reach, alone)
            z = z - apply(full(inertia), drift)
            if base is not None:
                base, felt, share = base.behind(link, joint)
                rate = rate - apply(transposed(felt), alone) - apply(transposed(base.forces), drift)
                base = base._replace(forces=outward_force(link, base.forces))
            joints.append((joint, alone, share))
            inertia = inertia_outward(link, inertia) + link.inertia.packed()
            z, degrees = outward_force(link, z) + terms.force[i], degrees + link.freedom.count
        if base is not None and ready(base.response, degrees):
            solution, base = Solved(i, base, factor(base.response)), None
            inertia, z = inertia + solution.inertia(), z + solution.push(rate)
    compliance = divided(factor(inertia), np.eye(6, dtype=inertia.dtype))
    if solution is not None:
        return Anchored(compliance, -apply(compliance, z), joints, (solution, rate), None)
    assert base is not None  # L is not regular
    moved = times(compliance, base.forces)
    ldl = factor(base.response + symmetric_product(base.forces, moved))
    gain = divided(ldl, transposed(moved))
    compliance = compliance - times(moved, gain)
    constant = apply(gain, z) - divided(ldl, rate)
    bias = apply(moved, constant) - apply(compliance + times(moved, gain), z)
    return Anchored(compliance, bias, joints, None, (constant, gain))


def at_end(arm: SerialArm, whole: Anchored) -> Blocks:
    """The acceleration of the outer end (6,) without a wrench, the weight that was put in taken out."""
    return whole.bias + velocity(arm).tip + fall(arm)


def accelerations(arm: SerialArm, whole: Anchored, wrench: Blocks) -> Blocks:
    """qdd (N,) under this wrench on the last link: one pass inward."""
    alpha, qdd, terms = apply(whole.compliance, wrench) + whole.bias, [], velocity(arm)
    solution, of_base = whole.base or (None, zeros(arm, 0))
    force = zeros(arm, 0)
    if whole.multipliers is not None:
        constant, gain = whole.multipliers
        force = constant - apply(gain, wrench)
    for i in range(len(arm.links) - 1, -1, -1):
        link = arm.links[i]
        if solution is not None and solution.link == i:
            force = -solution.by(alpha, of_base)
        before = inward_motion(link, alpha) - terms.acceleration[i]
        if i == 0:
            qdd.append(link.freedom.dual().along(before - arm.weight))
            break
        hinge, alone, share = whole.joints[i - 1]
        rate = alone + apply(transposed(hinge.gain), before)
        qdd.append(rate if share is None else rate - apply(share, force))
        alpha = before - link.freedom.spread(qdd[-1])
    return np.concatenate(qdd[::-1])


def counted(arm: SerialArm, tau: Blocks, W: Blocks, prescribed: Blocks, shape: ContactShape) -> Blocks:
    """qdd (N,), the base solved after six joints; the equations of the contact are counted apart."""
    whole = anchored(arm, tau, lambda response, degrees: degrees >= 5)
    return accelerations(arm, whole, at_end(arm, whole))

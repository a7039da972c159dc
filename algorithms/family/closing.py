"""From the open chain to the closed one: Fijany Table I, for every forward dynamics of the family."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from senn.algorithms.blocks import Blocks
from senn.algorithms.family.arm import Arm, joined
from senn.algorithms.family.transport import inward
from senn.algorithms.family.velocity import tip_drift
from senn.algorithms.problems.contact.force import check_regular, contact_force, lightness, pivot_ratio
from senn.algorithms.problems.problem import Problem
from senn.algorithms.robots.chain import tip_inverse_inertia


def closed(
    problem: Problem, arm: Arm, qdd0: Blocks, respond: Callable[[Blocks], Blocks]
) -> dict[str, Blocks]:
    """The answers of a forward dynamics that found qdd0 (N,), and M^-1 X for columns X (N, r) by `respond`.

    Without contact the open chain's; with one those of Table I, `InputError` where it is singular.
    """
    if problem.contact.kind == "none":
        return {"qdd": qdd0, "qdd0": qdd0}
    J = jacobian(arm)
    unit_response = respond(J.T)
    lambda_inverse = J @ unit_response
    lambda_inverse = (lambda_inverse + lambda_inverse.T) / 2
    acceleration0 = J @ qdd0 + tip_drift(arm)
    ratio = pivot_ratio(problem.contact, lambda_inverse, tip_inverse_inertia(problem.chain))
    check_regular(ratio, problem.drawn, problem.contact.called, lightness(problem.chain))
    force = contact_force(problem.contact, lambda_inverse, acceleration0)
    return {
        "qdd": qdd0 - unit_response @ force,
        "force": force,
        "lambda_inverse": lambda_inverse,
        "qdd0": qdd0,
        "acceleration0": acceleration0,
    }


def jacobian(arm: Arm) -> Blocks:
    """J (6, N), frame n+1 at O_{n+1}: J' is what the joints feel of unit forces at the tip."""
    force, felt = np.eye(6, dtype=arm.gravity.dtype), []
    for link in reversed(arm.links):
        force = inward(link, force)
        felt.append(link.freedom.along(force))
    return joined(felt[::-1]).T

"""A problem read a second time, from the texts it was written in, and solved by dense sums."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from senn.algorithms.problems.problem import Problem
from tests.oracles.readings import motion
from tests.oracles.readings.contact import equations
from tests.oracles.readings.links import Array
from tests.oracles.readings.second_reading import State, arm_of, state


def numbers(problem: Problem, text: str | None = None) -> State:
    """State, torques and contact: from the `text` of a problem file where there is one."""
    chain = problem.chain
    names = ("gravity", "q", "qd", "tau", "qdd", "tip_vector")
    given = State(*(getattr(problem, name) for name in names), _contact(problem.contact_input))
    return given if text is None else state(text, chain.all_joint_names, chain.all_joints, given)


def _contact(held: Any) -> Mapping[str, Any]:
    """A contact under the keys of a problem file; from its own numbers where nothing was kept."""
    if getattr(held, "written", None) is not None:
        return held.written
    if not hasattr(held, "kind"):  # in words
        return {"kind": held.word, **vars(held)}
    source = held.law or held
    names = ("W", "H", "G_C", "K_F", "phi", "M1", "k1", "M2", "k2", "fixed_in", "acceleration")
    keys = {name: getattr(held, name, getattr(source, name, None)) for name in names}
    return {"kind": held.kind, **keys, "d": keys["K_F"]}


def solve(problem: Problem, text: str | None = None) -> dict[str, Array]:
    """Answers by name: qdd, qdd0, force, Lambda^-1, Vdot_0, interbody forces, M, and tau of `qdd`."""
    given = numbers(problem, text)
    at = motion.pose(arm_of(problem.chain), given.q, given.qd)
    still = np.zeros(len(given.qd))

    def carried(qdd: Array, force: Array) -> motion.Loads:
        return motion.loads(at, motion.motion(at, given.qd, qdd), given.gravity, force)

    moving = motion.motion(at, given.qd, still)
    inside, M, J = at.tip_axes.T, motion.mass_matrix(at), motion.jacobian(at)
    drift = np.concatenate([inside @ moving.tip_turning, inside @ moving.tip])
    touch = equations(given.contact, at.tip_axes, np.concatenate([moving.tip_spin, moving.tip_speed]))
    qdd0 = np.linalg.solve(M, given.tau - carried(still, np.zeros(6)).torque)
    responses = np.linalg.solve(M, J.T)
    inverse, acceleration0 = J @ responses, J @ qdd0 + drift
    force = touch.force(inverse, acceleration0)
    qdd = qdd0 - responses @ force
    return {
        "qdd": qdd,
        "qdd0": qdd0,
        "force": force,
        "lambda_inverse": inverse,
        "acceleration0": acceleration0,
        "forces": motion.wrenches(at, carried(qdd, force)),
        "mass_matrix": M,
        "tau": carried(given.qdd, np.zeros(6)).torque,
    }

"""Errors and residuals of answers, and how far two sets of answers are apart in the same measures.

A certificate is made of them (`senn.algorithms.certificate.certify`), which also says what they mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from senn.algorithms.answers import ANSWERS
from senn.algorithms.certificate.norms import norm, relative, rows, size
from senn.algorithms.certificate.standard import Standard
from senn.algorithms.problems.contact.force import residual, unloaded
from senn.algorithms.problems.problem import Problem
from senn.algorithms.robots import newton_euler
from senn.algorithms.spatial import Numbers

Measured: TypeAlias = dict[str, Numbers]
"""By the name of a figure: an entry for each answer that it is about, or for each joint of each of these."""


def compared(problem: Problem, given: Mapping[str, Numbers], standard: Standard) -> Measured:
    """The errors and residuals of answers, by the names that certificates have for them."""
    found = apart(given, standard.right, standard)
    if "qdd" not in given:
        return found
    state, force = (problem.chain, problem.q, problem.qd), given.get("force", standard.reference.force)
    load = newton_euler.inverse_dynamics(*state, given["qdd"], problem.gravity, force)
    missed = _missed(problem.tau - load, standard)
    if "force" in given:
        _, acceleration = newton_euler.end_effector(*state, given["qdd"])
        scales = standard.moved, standard.pressed
        missed["contact_residual"] = np.array(
            [residual(problem.contact, acceleration, given["force"], *scales)]
        )
    return found | missed


def moved(
    problem: Problem, given: Mapping[str, Numbers], before: Mapping[str, Numbers], standard: Standard
) -> Measured:
    """The same of answers that moved, measured from where they were `before`: by how much errors and
    residuals can have changed."""
    found = apart(given, before, standard)
    if "qdd" not in given:
        return found
    chain, qdd = problem.chain, given["qdd"] - before["qdd"]
    state, nothing = (chain, problem.q, np.zeros(chain.degrees)), np.zeros(6)
    force = given["force"] - before["force"] if "force" in given else nothing
    missed = _missed(newton_euler.inverse_dynamics(*state, qdd, np.zeros(3), force), standard)
    if "force" in given:
        _, acceleration = newton_euler.end_effector(*state, qdd)
        scales = standard.moved, standard.pressed
        missed["contact_residual"] = np.array(
            [residual(unloaded(problem.contact), acceleration, force, *scales)]
        )
    return found | missed


def apart(given: Mapping[str, Numbers], other: Mapping[str, Numbers], standard: Standard) -> Measured:
    """|given - other| over its scale, in 2-norms or Frobenius norms; and joint by joint, where an answer has
    a row for each."""
    found: dict[str, list[Numbers]] = {}
    for name, one in ANSWERS.items():
        if name not in given:
            continue
        off, scale = np.float64(given[name]) - other[name], standard.scales[name]
        found.setdefault(one.error, []).append(relative(norm(off), scale.whole))
        if scale.each is not None:
            found.setdefault(one.joint_error, []).append(relative(rows(off), scale.each))
    return {name: np.hstack(parts) for name, parts in found.items()}


def _missed(torque: Numbers, standard: Standard) -> Measured:
    """max |tau - J'F - ID(q, qd, qdd)| / max |tau - b|, of what the numerator has."""
    return {"residual": relative(np.array([size(torque)]), standard.load)}

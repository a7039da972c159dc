"""What the programs for an arm that touches nothing have in common: memory, and what they answer."""

from __future__ import annotations

from collections.abc import Mapping

from senn.algorithms.problem import Problem
from senn.algorithms.resident import memory
from senn.algorithms.spatial import Array

__all__ = ["answers", "memory"]


def answers(problem: Problem, result: Mapping[str, Array]) -> dict[str, Array]:
    """qdd0 (n,), rad/s^2 or m/s^2: the accelerations that tau gives the open chain; and qdd, which is the
    same, if nothing touches the end effector."""
    qdd0 = result["qdd0"]
    return {"qdd0": qdd0, "qdd": qdd0} if problem.contact.kind == "none" else {"qdd0": qdd0}

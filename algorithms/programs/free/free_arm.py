"""What the programs for an arm that touches nothing have in common: F_T, memory, and what they answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from senn.algorithms.arm import Arm
from senn.algorithms.arm.letters import BIAS, F_T, TAU
from senn.algorithms.kernels import sums
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs.newton_euler import RECURRENCES
from senn.algorithms.programs.numbers import memory as held
from senn.algorithms.programs.numbers.answers import flat
from senn.algorithms.robots import side_tree
from senn.algorithms.robots.side_tree import BRANCH_QDD_0, joined
from senn.algorithms.spatial import Numbers
from senn.machine.program import Array, Compute, Instruction

__all__ = ["answers", "bias", "memory"]


def bias(arm: Arm, array: Array) -> Iterator[Instruction]:
    """Steps II.a to II.b.2 in frame 1: F_T = tau - b."""
    yield from RECURRENCES.at_base(arm, array)
    yield Compute("II.b.2", F_T, sums.difference(TAU, BIAS))


def memory(problem: Problem) -> dict[str, Numbers]:
    """As `senn.algorithms.programs.numbers.memory.memory`; `InputError` for an arm with side branches."""
    side_tree.refuse(problem.chain)
    return held.memory(problem)


def answers(problem: Problem, result: Mapping[str, Numbers]) -> dict[str, Numbers]:
    """qdd0 (degrees,), rad/s^2 or m/s^2: the accelerations that tau gives the open chain; and qdd, which is
    the same, if nothing touches the end effector."""
    trees, qdd0 = side_tree.structure(problem.chain), flat(problem.chain, result["qdd0"])
    return named(problem, joined(qdd0, result[BRANCH_QDD_0], trees) if trees else qdd0)


def named(problem: Problem, qdd0: Numbers) -> dict[str, Numbers]:
    """The same of a qdd0 that is put together already."""
    return {"qdd0": qdd0, "qdd": qdd0} if problem.contact.kind == "none" else {"qdd0": qdd0}

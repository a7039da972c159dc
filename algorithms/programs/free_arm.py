"""What the programs for an arm that touches nothing have in common: F_T, memory, and what they answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from senn.algorithms.kernels import system as k
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs import memory as held
from senn.algorithms.programs import newton_euler as ne
from senn.algorithms.programs.answers import flat
from senn.algorithms.programs.steps_ii_iv import newton_euler_at_base
from senn.algorithms.robots import side_tree
from senn.algorithms.spatial import Numbers
from senn.machine.program import Array, Compute, Instruction

__all__ = ["answers", "bias", "memory"]


def bias(joints: tuple[str, ...], array: Array) -> Iterator[Instruction]:
    """Steps II.a to II.b.2 in frame 1: F_T = tau - b."""
    yield from newton_euler_at_base(joints, array)
    yield Compute("II.b.2", ne.F_T, k.difference(1)(held.TAU, ne.BIAS))


def memory(problem: Problem) -> dict[str, Numbers]:
    """As `senn.algorithms.programs.memory.memory`; `InputError` for an arm with side branches."""
    side_tree.refuse(problem.chain)
    return held.memory(problem)


def answers(problem: Problem, result: Mapping[str, Numbers]) -> dict[str, Numbers]:
    """qdd0 (degrees,), rad/s^2 or m/s^2: the accelerations that tau gives the open chain; and qdd, which is
    the same, if nothing touches the end effector."""
    return named(problem, flat(problem.chain, result["qdd0"]))


def named(problem: Problem, qdd0: Numbers) -> dict[str, Numbers]:
    """The same of a qdd0 that is put together already."""
    return {"qdd0": qdd0, "qdd": qdd0} if problem.contact.kind == "none" else {"qdd0": qdd0}

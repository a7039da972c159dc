"""A serial algorithm on one node of the machine: one process, one instruction, all operations in it.

So a serial algorithm has the same run, trace and certificate as a program of many processes, and its
makespan can be put beside theirs. Its cycles are those of its arithmetic; the node reads its memory at no
cost, as every node does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import prod

import numpy as np

from senn.algorithms.answers import ANSWERS
from senn.algorithms.arm.about import about
from senn.algorithms.blocks import Blocks
from senn.algorithms.family.arm import NOTHING_HELD
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.problems.problem import Problem
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.spatial import Numbers
from senn.machine.program import Compute, Kernel, Operations, Program, Resident, Value

STATE = ("q", "qd", "tau", "qdd", "tip_vector")
"""What the node is given besides the constants of the arm."""

ANSWER = "answer"

Solve = Callable[[Problem], Mapping[str, Numbers]]


def program(
    title: str,
    joints: Sequence[str],
    names: Sequence[str],
    operations: Operations,
    solve: Solve,
    problem: Problem | None,
    contact: ContactShape = NOTHING_HELD,
) -> Program:
    """The program for an arm of these joints, those of its branches too: one Compute, whose value holds the
    answers of these names, one after the other. Without a problem it can be timed, not run with numbers."""
    degrees = sum(JOINTS[joint].degrees for joint in joints)
    coordinates = sum(JOINTS[joint].coordinates for joint in joints)
    state = tuple(
        Value(name, None, (coordinates,) if name == "q" else _shape(name, degrees)) for name in STATE
    )
    target = Value(ANSWER, None, (sum(prod(_shape(name, degrees)) for name in names),))

    def evaluate(*given: Blocks) -> Blocks:
        if problem is None:
            raise ValueError("this program was made without a problem: it can only be timed")
        read = {name: block[0] for name, block in zip(STATE, given, strict=True)}
        found = solve(replace(problem, **read))
        return np.concatenate([np.ravel(found[name]) for name in names])[None]

    inputs = ", ".join(f"{{{place}}}" for place in range(len(state)))
    kernel = Kernel(title, f"{title}: {', '.join(names)} from {inputs}", evaluate, declared=operations)
    return Program(
        name=title,
        n=1,
        streams=((Compute("I", target, kernel(*state)),),),
        resident=tuple(Resident(x, (1,)) for x in state),
        results={ANSWER: (1, target)},
        titles={"I": "Step I. All of it, by one node"},
        about=about(contact=contact.constrained, contact_kind=contact.kind),
    )


def memory(problem: Problem) -> dict[str, Numbers]:
    """The state, at the only process there is."""
    return {name: getattr(problem, name)[None] for name in STATE}


def answers(names: Sequence[str], problem: Problem, result: Mapping[str, Numbers]) -> dict[str, Numbers]:
    """The answers by name, each in its shape."""
    shapes = [_shape(name, len(problem.tau)) for name in names]
    ends = np.cumsum([prod(shape) for shape in shapes])[:-1]
    parts = np.split(result[ANSWER][0], ends)
    return {name: part.reshape(shape) for name, part, shape in zip(names, parts, shapes, strict=True)}


def _shape(name: str, degrees: int) -> tuple[int, ...]:
    """Of an answer, or of a vector of the state."""
    return (6,) if name == "tip_vector" else ANSWERS[name].sizes(degrees) if name in ANSWERS else (degrees,)

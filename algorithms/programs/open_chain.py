"""The open chain by the constraint force algorithm (Fijany II.C and V; Yang, Wu and Pan III, their CFA).

Forward dynamics of an arm that touches nothing: A is diagonalised as in Fijany VI.D, Step I, while Newton-
Euler, Step II, makes the bias in frame 1; then Qdd_0 = M^-1 (tau - b). Lambda^-1, the acceleration of the
end effector, and Steps III and IV are left out. Labels are those of the closed chain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from senn.algorithms.arm.branch_steps import Lanes
from senn.algorithms.arm.padding import of_joint
from senn.algorithms.problems.contact.shape import ContactShape
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs import free_arm, interbody
from senn.algorithms.programs import memory as held
from senn.algorithms.programs.answers import flat
from senn.algorithms.programs.memory import memory
from senn.algorithms.programs.step_i import diagonalisation, projection
from senn.algorithms.programs.steps_ii_iv import QDD_0, motion, open_chain
from senn.algorithms.programs.variant import Variant, joint_types
from senn.algorithms.robots import side_tree
from senn.algorithms.robots.side_tree import BRANCH_QDD_0, SideTree
from senn.algorithms.spatial import Numbers
from senn.machine.program import Instruction, Program
from senn.traces.errors import InputError

__all__ = ["answers", "memory", "program"]


def program(
    n: int,
    joints: Sequence[str] | None = None,
    *,
    refine: int = 0,
    strategy: int = 2,
    elimination: str = "odd-even elimination",
    arrays: int = 2,
    ahead: bool = False,
    branches: Sequence[SideTree] = (),
) -> Program:
    """The program for n processes on two arrays (A in the first, all else in the second) or on one.

    The arguments are those of `senn.algorithms.programs.closed_chain.program`. What cannot be is refused
    (InputError).

    >>> [len(stream) for stream in program(4).streams]
    [34, 80]
    """
    types = joint_types(n, joints)
    if arrays not in (1, 2):
        raise InputError(
            f"{arrays} arrays: the open chain is written for 1 or 2 (A in the first, all else in the second)"
        )
    free, choices = ContactShape("I", 0), (strategy, elimination, arrays, ahead)
    v = Variant(n, "short", refine, types, free, *choices, closed=False, branches=tuple(branches))
    streams: list[list[Instruction]] = [[] for _ in range(arrays)]
    for array, part in (
        (v.eliminating, projection(v)),
        (v.eliminating, diagonalisation(v)),
        (v.moving, motion(v)),
        (v.solving, open_chain(v)),
    ):
        streams[array.number - 1].extend(part)
    results = {"qdd0": (v.solving.number, of_joint(QDD_0, types)), **interbody.parts(v)}
    if v.branches:
        results[BRANCH_QDD_0] = (v.solving.number, Lanes(v).qdd_0)
    return Program(
        name="open chain",
        n=n,
        streams=tuple(map(tuple, streams)),
        resident=held.resident(v),
        results=results,
        titles=_titles(v),
        form="short",
        refine=refine,
        joints=types,
        contact=0,
        strategy=strategy,
        elimination=elimination,
        ahead=ahead,
        branches=v.branches,
    )


def answers(problem: Problem, result: Mapping[str, Numbers]) -> dict[str, Numbers]:
    """qdd0, where the joints of side branches follow the main chain's, and, if nothing touches the end
    effector, qdd and the interbody forces, as `Solution` has them."""
    trees, qdd0 = side_tree.structure(problem.chain), flat(problem.chain, result["qdd0"])
    if trees:
        qdd0 = side_tree.joined(qdd0, result[BRANCH_QDD_0], trees)
    found = free_arm.named(problem, qdd0)
    return {**found, "forces": interbody.wrenches(problem, result)} if "qdd" in found else found


def _titles(v: Variant) -> dict[str, str]:
    """By the beginning of a label."""
    one, other = (f"PR_{{{array.number},i}}" for array in (v.eliminating, v.solving))
    return {
        "I": f"Step I: Diagonalize Matrix A by Processor Array {one}",
        "I.a": "a. Projection and Computation of Matrix A",
        "I.b": "b. Diagonalize Matrix A",
        "II": f"Step II: Compute F_T and Qdd_0 by Processor Array {other}",
        "II.a": "a. Projection",
        "II.b": "b. Compute F_T",
        "II.c": "c. Compute Qdd_0",
    }

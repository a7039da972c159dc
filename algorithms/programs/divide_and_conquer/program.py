"""Divide and conquer with articulated bodies (Featherstone 1999, Parts 1 and 2): joints of any type, a main
chain with side branches.

The leaves are the links, each with two handles: joint i and joint i+1 (or the tip); a link with side branches
is a leaf with the articulated inertia of both. Level j of the way up joins the bodies of processes i-h and i,
h = 2^(j-1), at joint i-h+1; the body that results, of at most 2^j links, is process i's. Bodies are counted
from the tip, so the arm as a whole is process n's, where the end effector is: Phi_2 of it is Lambda^-1. Link
1 is joined to the base before the first level, and a body with link 1 in it has an outer handle only. On the
way down, level M to 1, the same process finds the joint's force and acceleration from the forces at the far
handles, which it knows by then.

Featherstone's W = V - V S (S'VS)^-1 S'V with V = Y^-1 is, for Fijany's H and W (S = H), W (W'YW)^-1 W': as
many pivots of one factor as the joint forbids directions, instead of an inverse 6x6. The arm is taken at rest
under F_T = tau - b (Fijany II.C), with b from Newton-Euler by recursive doubling; so the leaves have no
velocity terms. Step I, inertias, is one array's, Newton-Euler and the two sweeps of Steps II-IV another's, or
the same one's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from senn.algorithms.arm import arm_of
from senn.algorithms.arm.letters import (
    FORCE,
    GRAVITY,
    LAMBDA,
    QDD,
    TIP,
    V_0,
)
from senn.algorithms.problems.contact.contact import ContactShape
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs.divide_and_conquer.forces import bias, biases, contact_at_root, way_down
from senn.algorithms.programs.divide_and_conquer.handles import resident
from senn.algorithms.programs.divide_and_conquer.inertias import end_effector, inertias, leaves
from senn.algorithms.programs.numbers import memory as held
from senn.algorithms.programs.numbers.answers import flat
from senn.algorithms.robots import side_tree
from senn.algorithms.robots.side_tree import BRANCH_QDD, SideTree, joined
from senn.algorithms.spatial import Numbers, inverse_inertia, pack, unpack
from senn.machine.program import (
    Program,
    Resident,
)
from senn.machine.rewrite import on_arrays
from senn.machine.rewrite.on_arrays import Assignment
from senn.traces.errors import InputError

_TITLES = {
    "I": "Step I: Articulated Inertias and Lambda^-1 by Processor {arrays}",
    "I.a": "a. Links, and Link 1 on the Base",
    "I.b": "b. Join Bodies, Leaves to Root",
    "I.c": "c. Lambda^-1",
    "II": "Step II: Compute F_T and Vdot_0 by Processor {arrays}",
    "II.a": "a. Projection",
    "II.b": "b. Compute F_T",
    "II.c": "c. What the Torques Do, Leaves to Root",
    "II.d": "d. Compute Vdot_0",
    "III": "Step III: Compute F_{N+1} by Processor {last}",
    "IV": "Step IV: Forces and Accelerations of the Joints, Root to Leaves, by Processor {arrays}",
}


def program(
    n: int,
    joints: Sequence[str] | None = None,
    contact: int | ContactShape = 6,
    *,
    arrays: int | Assignment = 2,
    branches: Sequence[SideTree] = (),
) -> Program:
    """The program for n processes. Joint types, side branches and the shape of the contact are structure, not
    data; a number n_c = `contact` means Type I. `arrays`: 1, or 2 (inertias apart), or
    which array does which step.

    >>> print(program(8).levels, len(program(8, arrays=1).streams))
    3 1
    """
    if isinstance(arrays, int) and arrays not in (1, 2):
        raise InputError(
            f"{arrays} arrays: divide and conquer is written for 1, or 2 (articulated inertias apart)"
        )
    arm = arm_of(n, joints, contact, branches)
    found = arm.program(
        "divide and conquer",
        [*leaves(arm), *inertias(arm), *end_effector(arm)],
        [*bias(arm), *biases(arm), *contact_at_root(arm), *way_down(arm)],
        also=[Resident(GRAVITY), *resident(arm)],
        results={"qdd": (2, QDD), "force": (2, FORCE[0]), "lambda_inverse": (1, LAMBDA)}
        | {"acceleration0": (2, V_0)}
        | {name: x for name, x in arm.results().items() if name == BRANCH_QDD},
        titles=_TITLES,
    )
    if arrays == 2:
        return found
    return on_arrays(found, {"": 1} if isinstance(arrays, int) else arrays)


def memory(problem: Problem) -> dict[str, Numbers]:
    """The resident values of a problem by letter, each with a row per process."""
    chain = problem.chain
    beyond = inverse_inertia(chain.mass, np.linalg.inv(chain.inertia), chain.centre - chain.position)
    return {**held.memory(problem), TIP.letter: pack(beyond)}


def answers(problem: Problem, result: Mapping[str, Numbers]) -> dict[str, Numbers]:
    """qdd (degrees,), force (6,), lambda_inverse (6, 6) and acceleration0 (6,), as `Solution` has them; and
    qdd0, which is qdd, if nothing touches the end effector."""
    trees, qdd = side_tree.structure(problem.chain), flat(problem.chain, result["qdd"])
    if trees:
        qdd = joined(qdd, result[BRANCH_QDD], trees)
    open_chain = {"qdd0": qdd} if problem.contact.kind == "none" else {}
    return {
        "qdd": qdd,
        **open_chain,
        "force": result["force"][-1],
        "lambda_inverse": unpack(result["lambda_inverse"][-1]),
        "acceleration0": result["acceleration0"][-1],
    }

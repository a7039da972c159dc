"""The multilevel parallel O(log N) algorithm of Fijany VI.D, whole: Steps I-IV, on two arrays or 1, 3, 8.

Labels are the paper's; implied steps, which the paper leaves out, carry the preceding number and a prime.

Forms: "paper" is Section VI.D as printed, errata corrected. "short" drops what is not needed: the sweep
I.c.2 (psi_N^M = E_N exactly), the recurrences (86) and (87), and sweeps of right-hand sides that are zero
but at process N. "omega" is short, with the rows of M^-1 J' made by array 1 while array 2 does Step II.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from senn.algorithms.arm.branch_steps import Lanes
from senn.algorithms.arm.padding import of_joint
from senn.algorithms.problems.contact.shape import ContactShape
from senn.algorithms.programs import memory as held
from senn.algorithms.programs.interbody import parts
from senn.algorithms.programs.step_i import LAMBDA, column_solution, diagonalisation, end_effector, projection
from senn.algorithms.programs.steps_ii_iv import (
    FORCE,
    QDD,
    QDD_0,
    V_0,
    closed_chain,
    contact_force,
    motion,
    open_chain,
)
from senn.algorithms.programs.titles import titles
from senn.algorithms.programs.variant import FORMS, Variant, joint_types
from senn.algorithms.robots.side_tree import BRANCH_QDD, BRANCH_QDD_0, SideTree
from senn.machine.program import Array, Instruction, Program

__all__ = ["FORMS", "program"]


def program(
    n: int,
    form: str = "paper",
    refine: int = 0,
    joints: Sequence[str] | None = None,
    contact: int | ContactShape = 6,
    *,
    strategy: int = 2,
    elimination: str = "odd-even elimination",
    arrays: int = 2,
    ahead: bool = False,
    branches: Sequence[SideTree] = (),
) -> Program:
    """The program for n processes. Joint types (of `senn.algorithms.robots.joints`) and the shape of the
    contact are structure, not data; a number n_c = `contact` means Type I with so many constrained
    directions. `refine` steps of iterative refinement (0..2) follow every solution with A. A joint that is
    neither revolute nor prismatic makes the program wide (`senn.algorithms.arm.padding`).

    `strategy` (Fijany VI.B): 2, the owner of an inverse computes all that needs it; 1, the owner of a row
    computes its update. `elimination`: "odd-even elimination" or "odd-even reduction". `arrays`: 1, all in
    one; 2, Step I and Steps II-IV; 3, Newton-Euler apart; 8, every right-hand side of Eq. (84) apart.
    `ahead`: what a level updates moves on at the start of the level. `branches`: what hangs on links beside
    the chain (`side_tree.structure`); the process of such a link does their work too. What cannot be is
    refused (InputError).

    >>> print(program(2).levels, len(program(2).streams))
    1 2
    """
    types = joint_types(n, joints)
    shape = ContactShape.of(contact)
    trees = tuple(branches)
    v = Variant(n, form, refine, types, shape, strategy, elimination, arrays, ahead, branches=trees)
    streams: list[list[Instruction]] = [[] for _ in range(arrays)]
    for array, part in _parts(v):
        streams[array.number - 1].extend(part)
    results = {
        "qdd": (v.solving.number, of_joint(QDD, types)),
        "force": (v.solving.number, FORCE[0]),
        "lambda_inverse": (v.eliminating.number, LAMBDA),
        "qdd0": (v.solving.number, of_joint(QDD_0, types)),
        "acceleration0": (v.solving.number, V_0),
        **parts(v),
    }
    if v.branches:
        own = Lanes(v)
        results |= {BRANCH_QDD: (v.solving.number, own.qdd), BRANCH_QDD_0: (v.solving.number, own.qdd_0)}
    return Program(
        name="closed chain",
        n=n,
        streams=tuple(map(tuple, streams)),
        resident=held.resident(v),
        results=results,
        titles=titles(v),
        form=form,
        refine=refine,
        joints=types,
        contact=shape.constrained,
        contact_kind=shape.kind,
        strategy=strategy,
        elimination=elimination,
        ahead=ahead,
        branches=v.branches,
    )


def _parts(v: Variant) -> Iterator[tuple[Array, Iterable[Instruction]]]:
    """The parts of the work and the array that does each; an array does its parts in this order."""
    yield v.eliminating, projection(v)
    yield v.eliminating, diagonalisation(v)
    for number, array in enumerate(v.columns, 1):
        yield array, column_solution(v, number, array)
    yield v.eliminating, end_effector(v)
    yield v.moving, motion(v)
    yield v.solving, open_chain(v)
    yield v.solving, contact_force(v)
    yield v.solving, closed_chain(v)

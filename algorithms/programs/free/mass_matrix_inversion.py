"""Joint space inertia inversion, the JSIIA of Yang, Wu and Pan (II.C): M by scans, then M qdd = tau - b.

Column k of M is the inverse dynamics of joint k accelerating alone by one. All n columns go through the scans
together: process i holds for every column what link i does, so a message of a scan has 3 n words (6 n + 3 for
the wrenches), and process i ends with row i of M. A column k is zero at processes before k on the way out;
lanes in lockstep compute it all the same.

The paper does not say how it inverts M, only that the cost grows with n^3. Here it is Gauss-Jordan
elimination by rows: in step k process k divides what is left of its row by the pivot, n - k columns and the
right-hand side, and spreads it to all others in log2 n rounds; each subtracts its multiple. M is positive
definite, so no pivot is looked for. After n steps the right-hand side of process i is qdd_i: n (log2 n + 2)
instructions and O(n^2) operations on n processes, against O(n^3) on one. Nothing here is O(log n) but the
scans. Joints of any type and side branches: `mass_matrix_blocks`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from senn.algorithms.arm import arm_of
from senn.algorithms.arm.letters import F_T, GRAVITY, TURN, J, M, P, S, Z, last
from senn.algorithms.kernels import sums
from senn.algorithms.kernels.columns import rows as col
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs.free import free_arm
from senn.algorithms.programs.free import mass_matrix_blocks as blocks
from senn.algorithms.programs.free.free_arm import bias
from senn.algorithms.programs.recurrence import scan, spread
from senn.algorithms.robots.side_tree import SideTree
from senn.algorithms.spatial import Numbers
from senn.machine.program import (
    PR1,
    Compute,
    Instruction,
    Letter,
    Name,
    Program,
    Resident,
    Send,
    Value,
    Wait,
    by_process,
    i,
    value,
)
from senn.machine.rewrite import keep
from senn.traces.errors import InputError

__all__ = ["WIDEST", "answers", "memory", "program"]

WIDEST = 256
"""The most columns of a run with numbers: those of as many links fill 0.8 GB (the events engine)."""


def program(n: int, joints: Sequence[str] | None = None, *, branches: Sequence[SideTree] = ()) -> Program:
    """The program for n processes on one array. What cannot be is refused (InputError).

    >>> [len(stream) for stream in program(4).streams]
    [156]
    """
    arm = arm_of(n, joints, 0, branches, wide=bool(branches))
    own = (_mass_matrix(arm.joints), _inversion(n)) if blocks.is_lean(arm) else (blocks.lines(arm),)
    results = {"qdd0": (1, _row(n, n)), "mass_matrix": (1, _columns("M", n))}
    whole = arm.program(
        "mass matrix inversion",
        (line for part in (bias(arm, PR1), *own) for line in part),
        also=[Resident(GRAVITY)],
        results=results if blocks.is_lean(arm) else blocks.results(arm),
        titles={
            "II": "Newton-Euler by Processor {arrays}",
            "II.a": "a. Projection",
            "II.b": "b. Compute F_T",
            "III": "Rows of M by Processor {arrays}",
            "III.a": "a. Accelerations, from base to tip",
            "III.b": "b. Wrenches, from tip to base",
            "IV": "Elimination by Processor {arrays}",
        },
    )
    return keep(whole, *whole.results)


def memory(problem: Problem) -> dict[str, Numbers]:
    """As `senn.algorithms.programs.numbers.memory.memory`; `InputError` for more links than a run with
    numbers can hold."""
    n, columns = problem.chain.n, problem.chain.main.degrees
    if columns > WIDEST:
        raise InputError(
            f"{n} links: to invert the mass matrix, every process holds {columns} columns of each value, and "
            f"a run with numbers is made for at most {WIDEST}; leave the numbers out (--no-numbers), or take "
            "the algorithm open-chain or hybrid"
        )
    return free_arm.memory(problem)


def answers(problem: Problem, result: Mapping[str, Numbers]) -> dict[str, Numbers]:
    """qdd0 and qdd as `senn.algorithms.programs.free.free_arm.answers`; and, without side branches,
    mass_matrix (degrees, degrees)."""
    chain = problem.chain
    one = result["qdd0"][..., 0]
    found = free_arm.answers(problem, {**result, "qdd0": one})
    if chain.branches:
        return found
    rows = result["mass_matrix"].reshape(chain.n, -1, chain.degrees)
    return {**found, "mass_matrix": rows[chain.qd_shares.held[:, : rows.shape[1]]]}


# ------------------------------------------------------------------------------- rows of M


def _columns(name: str, n: int, *shape: int) -> Value:
    return value(name, n, *shape)


def _mass_matrix(joints: tuple[str, ...]) -> Iterator[Instruction]:
    n = len(joints)
    turning, v, wrench = Letter("dw", (n, 3)), Letter("dv", (n, 3)), Letter("PFN", (2 * n + 1, 3))
    force, moment = _columns("F*", n, 3), _columns("N*", n, 3)
    own = list(enumerate(joints, 1))
    yield Compute("III.a.1", turning[0], by_process(col.unit(joint, c, n) for c, joint in own)(Z))
    yield from scan("III.a.1", turning, sums.plus, n, PR1, outward=True)
    dw = last(turning, n)
    reach = by_process(col.reach(joint, c, n) for c, joint in own)
    yield Compute("III.a.2", v[0], reach(dw, P, Z))
    yield from scan("III.a.2", v, sums.plus, n, PR1, outward=True)
    yield Send("III.a.2.iii", last(v, n), PR1[i + 1])
    yield Wait("III.a.2.iii'", last(v, n), where=i == n)  # it came home with the others
    inertial = by_process(col.inertial_force(joint, c, n) for c, joint in own)
    yield Compute("III.a.3", force, inertial(M, dw, S, Z, last(v, n)[i - 1].or_zero))
    yield Compute("III.b.1", moment, col.moments(n)(TURN, J, dw, S, force))
    yield Compute("III.b.2", wrench[0], col.wrenches(n)(P, force, moment))
    yield from scan("III.b.2", wrench, col.farther_columns(n), n, PR1, outward=False)
    loads = by_process(col.loads(joint, n) for joint in joints)
    yield Compute("III.b.3", _columns("M", n), loads(Z, last(wrench, n)))


# ------------------------------------------------------------------------------ elimination


def _row(step: int, n: int) -> Value:
    """What is left of row i, with its right-hand side, after so many steps."""
    return value(f"row.{step}", n + 1 - step)


def _inversion(n: int) -> Iterator[Instruction]:
    """Gauss-Jordan by rows: after step n the one word that is left of row i is qdd_i."""
    yield Compute("IV.1", _row(0, n), col.with_right_side(n)(_columns("M", n), F_T))
    for step in range(1, n + 1):
        row, then, words = _row(step - 1, n), _row(step, n), n + 1 - step
        own, pivot, rest = (value(f"{name}.{step}", words) for name in ("own", "pivot", "rest"))
        yield Compute("IV.2", own, col.normalised(words)(row), i == step)
        yield from spread("IV.3", pivot, own, n, PR1)
        yield Compute("IV.4", rest, col.eliminated(words)(row, pivot))
        yield Name("IV.4", then, rest, own)

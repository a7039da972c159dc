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
scans.

With joints of any type and with side branches the inversion goes by blocks of rows: process i has the rows of
M that are joint i's, as many as the joint has degrees of freedom, and divides by a block in its step; a
welded joint has no step. A link with side branches is one body with the articulated inertia of both: the
inverted matrix is what is left of M when the joints of the branches are eliminated, and the effect of their
torques goes through the scan of wrenches in a column of its own. So of a tree there is no M among the
answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from senn.algorithms.arm import Arm, Lines, arm_of
from senn.algorithms.arm.letters import *
from senn.algorithms.kernels import articulated as wide
from senn.algorithms.kernels import columns as col
from senn.algorithms.kernels import link
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs import free
from senn.algorithms.programs.free import HEADINGS, HELD_1, INERTIA, bias, inertias, side_accelerations
from senn.algorithms.programs.recurrence import scan, spread
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.robots.side_tree import SideTree
from senn.algorithms.spatial import Numbers
from senn.base.errors import InputError
from senn.machine.program import *  # the words of a program
from senn.machine.rewrite import keep

WIDEST = 256
"""The most columns of a run with numbers; with so many links they fill 0.8 GB (the events engine)."""


def program(n: int, joints: Sequence[str] | None = None, *, branches: Sequence[SideTree] = ()) -> Program:
    """The program for n processes on one array. `InputError` for arguments that cannot be.

    >>> [len(stream) for stream in program(4).streams]
    [156]
    """
    arm = arm_of(n, joints, 0, branches, wide=bool(branches))
    whole = arm.program(
        "mass matrix inversion",
        [*bias(arm, PR1), *_rows_of_m(arm), *_elimination(arm), *_side_accelerations(arm)],
        also=[Resident(GRAVITY)],
        results={"qdd0": (1, _rows(arm, _columns(arm))), **side_accelerations(arm)}
        | ({} if arm.branches else {"mass_matrix": (1, _matrix(arm))}),
        parts={
            **HEADINGS,
            "III": "Rows of M by Processor {arrays}",
            "III.a": "a. Accelerations, from base to tip",
            "III.b": "b. Wrenches, from tip to base",
            "IV": "Elimination by Processor {arrays}",
        },
    )
    return keep(whole, *whole.results)


def memory(problem: Problem) -> dict[str, Numbers]:
    """The resident values of `free.memory`; `InputError` for more links than a run with numbers can hold."""
    n, columns = problem.chain.n, problem.chain.main.degrees
    if columns > WIDEST:
        raise InputError(
            f"{n} links: to invert the mass matrix, every process holds {columns} columns of each value, and "
            f"a run with numbers is made for at most {WIDEST}; leave the numbers out (--no-numbers), or take "
            "the algorithm open-chain or hybrid"
        )
    return free.memory(problem)


# --------------------------------------------------------------------------------- rows of M

AT_ORIGIN, BEFORE_1 = value("X.l", 6), value("V.l", 6)


def _degrees(arm: Arm) -> list[int]:
    return [JOINTS[x].degrees for x in arm.joints]


def _columns(arm: Arm) -> int:
    return sum(_degrees(arm))


def _matrix(arm: Arm) -> Value:
    """The rows of joint i; with side branches, the torques that hold those at rest behind them."""
    return value("M", arm.freedom, _columns(arm) + bool(arm.branches))


def _rows(arm: Arm, column: int) -> Value:
    """The rest of the rows of joint i, with their right-hand sides, after so many columns."""
    return value(f"row.{column}", arm.freedom, _columns(arm) + 1 - column)


def _rows_of_m(arm: Arm) -> Lines:
    """III: the rows of joint i at process i."""
    n, counts, columns, lean = arm.n, _degrees(arm), _columns(arm), arm.lean
    turning, v = Letter("dw*", (columns, 3)), Letter("dv*", (columns, 3))
    wrench = Letter("PFN", (2 * (columns + bool(arm.branches)) + 1, 3))
    ends = accumulate(counts)
    places = [(joint, end - count) for joint, count, end in zip(arm.joints, counts, ends, strict=True)]
    if not lean:
        yield from inertias(arm)
    yield Compute("III.a.1", turning[0], by_process(col.unit(*place, columns) for place in places)(arm.axes))
    yield from scan("III.a.1", turning, plus, n, PR1, outward=True)
    dw = last(turning, n)
    yield Compute("III.a.2", v[0], by_process(col.reach(*place) for place in places)(dw, P, arm.axes))
    yield from scan("III.a.2", v, plus, n, PR1, outward=True)
    yield Send("III.a.2.iii", last(v, n), PR1[i + 1])
    yield Wait("III.a.2.iii'", last(v, n), where=i == n)  # it came home with the others
    before = last(v, n)[i - 1].or_zero
    if lean:
        force, moment = value("F*", columns, 3), value("N*", columns, 3)
        inertial = by_process(col.inertial_force(*place) for place in places)
        yield Compute("III.a.3", force, inertial(M, dw, S, Z, before))
        yield Compute("III.b.1", moment, col.moments(TURN, J, dw, S, force))
        yield Compute("III.b.2", wrench[0], col.wrenches(P, force, moment))
    else:
        at_joint = value("dv*_i", columns, 3)
        reached = by_process(col.at_joint(*place, columns) for place in places)
        yield Compute("III.a.3", at_joint, reached(AXES, before))
        of_branches = (HELD_1.or_zero,) if arm.branches else ()
        wrenches = col.wrenches_of(bool(arm.branches))
        yield Compute("III.b.2", wrench[0], wrenches(INERTIA, dw, at_joint, P, *of_branches))
    yield from scan("III.b.2", wrench, col.farther_columns, n, PR1, outward=False)
    yield Compute("III.b.3", _matrix(arm), arm.each(col.loads, arm.axes, last(wrench, n)))


# ------------------------------------------------------------------------------- elimination


def _elimination(arm: Arm) -> Lines:
    """IV: Gauss-Jordan by blocks; after the last column the words left of the rows of joint i are qdd_i."""
    most, columns, column = arm.freedom, _columns(arm), 0
    with_right_side = col.rows_less_held if arm.branches else col.with_right_side
    yield Compute("IV.1", _rows(arm, 0), with_right_side(_matrix(arm), F_T))
    for process, count in enumerate(_degrees(arm), 1):
        if not count:
            continue  # a welded joint has no row
        block, then = _rows(arm, column), _rows(arm, column + count)
        words = columns + 1 - column - count
        normalised, pivot = (value(f"{name}.{process}", count, words) for name in ("own", "pivot"))
        rest, whole = (value(f"{name}.{process}", most, words) for name in ("rest", "all"))
        yield Compute("IV.2", normalised, col.normalised(count)(block), i == process)
        if arm.lean:
            whole = normalised
        else:
            yield Compute("IV.2'", whole, col.filled(most)(normalised))
        yield from spread("IV.3", pivot, normalised, arm.n, PR1)
        yield Compute("IV.4", rest, col.eliminated(count)(block, pivot))
        yield Name("IV.4", then, rest, whole)
        column += count


def _side_accelerations(arm: Arm) -> Lines:
    """V: the joints of side branches, from the motion of their link."""
    n = arm.n
    for _, side_qdd in side_accelerations(arm).values():
        yield Compute("V.1", QDD_0, col.last_column(_rows(arm, _columns(arm))))
        yield Compute("V.1.i", DW[0], arm.each(link.turning, arm.axes, QDD_0))
        yield from scan("V.1.i", DW, plus, n, PR1, outward=True)
        yield Compute("V.1.ii", DV[0], arm.each(link.lever_rate, last(DW, n), P, arm.axes, QDD_0))
        yield from scan("V.1.ii", DV, plus, n, PR1, outward=True)
        yield Compute("V.2", BEFORE_1, link.stacked(last(DW, n), last(DV, n)), i < n)
        yield Send("V.2", BEFORE_1, PR1[i + 1])
        origin = wide.at_origin(H, QDD_0, TURN_BEFORE, BEFORE_1[i - 1].or_zero)
        yield Compute("V.3", AT_ORIGIN, origin)
        yield from arm.follow("V.4", AT_ORIGIN, side_qdd)

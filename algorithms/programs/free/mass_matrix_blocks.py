"""The inversion of M for joints of any type and links with side branches: by blocks of rows.

Process i has the rows of M that are joint i's, as many as the joint has degrees of freedom, and divides by a
block in its step; a welded joint has no step. A link with side branches is taken as one body with the
articulated inertia of both: what is inverted is what is left of M when the joints of the branches are
eliminated, and what their torques do goes through the scan of wrenches in a column of its own. So of a tree
there is no M among the answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from senn.algorithms.arm import Arm
from senn.algorithms.arm.letters import *
from senn.algorithms.kernels import articulated_wide as wide
from senn.algorithms.kernels import sums
from senn.algorithms.kernels.columns import blocks as col
from senn.algorithms.kernels.columns.rows import farther_columns
from senn.algorithms.programs.free.free_arm import AXES, HELD_1, INERTIA, inertias
from senn.algorithms.programs.recurrence import scan, spread
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.robots.side_tree import BRANCH_QDD_0
from senn.machine.program import (
    PR1,
    Compute,
    Instruction,
    Letter,
    Name,
    Send,
    Value,
    Wait,
    by_process,
    i,
    value,
)

Lines = Iterator[Instruction]

AT_ORIGIN, BEFORE_1 = value("X.l", 6), value("V.l", 6)


def is_lean(arm: Arm) -> bool:
    """Whether a joint has one row of M."""
    return arm.sizes[FREEDOM] is None


def lines(arm: Arm) -> Lines:
    """Steps III and IV."""
    yield from _mass_matrix(arm)
    yield from _inversion(arm)
    yield from _side_accelerations(arm)


def results(arm: Arm) -> dict[str, tuple[int, Value]]:
    """Qdd_0, of branches too; M, where there are none."""
    found: dict[str, tuple[int, Value]] = {"qdd0": (1, _row(arm, _columns(arm)))}
    if not arm.branches:
        return {**found, "mass_matrix": (1, _matrix(arm))}
    return found | {name: (1, x) for name, (_, x) in arm.results().items() if name == BRANCH_QDD_0}


def _degrees(arm: Arm) -> list[int]:
    return [JOINTS[x].degrees for x in arm.joints]


def _columns(arm: Arm) -> int:
    return sum(_degrees(arm))


def _matrix(arm: Arm) -> Value:
    """The rows of joint i; with side branches what they take at rest behind them."""
    return value("M", FREEDOM, _columns(arm) + bool(arm.branches))


def _row(arm: Arm, column: int) -> Value:
    """What is left of the rows of joint i, with their right-hand sides, after so many columns."""
    return value(f"row.{column}", FREEDOM, _columns(arm) + 1 - column)


# ------------------------------------------------------------------------------- rows of M


def _mass_matrix(arm: Arm) -> Lines:
    n, columns, held = arm.n, _columns(arm), bool(arm.branches)
    freedom, carried = arm.sizes[FREEDOM] or 1, columns + held
    turning, v = Letter("dw", (columns, 3)), Letter("dv", (columns, 3))
    wrench, at_joint = Letter("PFN", (2 * carried + 1, 3)), value("dv_i", columns, 3)
    each = _degrees(arm)
    places = [(own, end - own, columns) for own, end in zip(each, accumulate(each), strict=True)]
    yield from inertias(arm)
    yield Compute("III.a.1", turning[0], by_process(col.unit_of(*place) for place in places)(AXES))
    yield from scan("III.a.1", turning, sums.plus, n, PR1, outward=True)
    dw = last(turning, n)
    yield Compute("III.a.2", v[0], by_process(col.reach_of(*place) for place in places)(dw, P, AXES))
    yield from scan("III.a.2", v, sums.plus, n, PR1, outward=True)
    yield Send("III.a.2.iii", last(v, n), PR1[i + 1])
    yield Wait("III.a.2.iii'", last(v, n), where=i == n)  # it came home with the others
    before = last(v, n)[i - 1].or_zero
    yield Compute("III.a.3", at_joint, by_process(col.at_joint_of(*place) for place in places)(AXES, before))
    operands = (INERTIA, dw, at_joint, P, *((HELD_1.or_zero,) if held else ()))
    yield Compute("III.b.2", wrench[0], col.wrenches_of(held=held)(*operands))
    yield from scan("III.b.2", wrench, farther_columns(carried), n, PR1, outward=False)
    loads = by_process(col.loads_of(own, freedom, carried) for own in each)
    yield Compute("III.b.3", _matrix(arm), loads(AXES, last(wrench, n)))


# ------------------------------------------------------------------------------ elimination


def _inversion(arm: Arm) -> Lines:
    """Gauss-Jordan by blocks of rows: after the last column the words that are left of rows i are qdd_i."""
    freedom, done = arm.sizes[FREEDOM] or 1, 0
    with_right_side = col.rows_less_held if arm.branches else col.rows_with_right_side
    yield Compute("IV.1", _row(arm, 0), with_right_side(_matrix(arm), F_T))
    for process, own in enumerate(_degrees(arm), 1):
        if not own:
            continue  # a welded joint has no row
        rows, then, words = _row(arm, done), _row(arm, done + own), _columns(arm) + 1 - done - own
        mine, pivot = (value(f"{name}.{process}", own, words) for name in ("own", "pivot"))
        rest, whole = (value(f"{name}.{process}", FREEDOM, words) for name in ("rest", "all"))
        yield Compute("IV.2", mine, col.normalised_of(own)(rows), i == process)
        yield Compute("IV.2'", whole, col.filled(freedom)(mine))
        yield from spread("IV.3", pivot, mine, arm.n, PR1)
        yield Compute("IV.4", rest, col.eliminated_of(own)(rows, pivot))
        yield Name("IV.4", then, rest, whole)
        done += own


def _side_accelerations(arm: Arm) -> Lines:
    """V: the joints of side branches, from the motion of their link."""
    n = arm.n
    for name, (_, found) in arm.results().items():
        if name != BRANCH_QDD_0:
            continue
        yield Compute("V.1", QDD_0, col.last_column(_row(arm, _columns(arm))))
        yield Compute("V.1.i", DW[0], arm.turning(QDD_0))
        yield from scan("V.1.i", DW, sums.plus, n, PR1, outward=True)
        yield Compute("V.1.ii", DV[0], arm.lever_rate(last(DW, n)))
        yield from scan("V.1.ii", DV, sums.plus, n, PR1, outward=True)
        yield Compute("V.2", BEFORE_1, col.six_of(last(DW, n), last(DV, n)), i < n)
        yield Send("V.2", BEFORE_1, PR1[i + 1])
        origin = wide.at_origin(H, QDD_0, TURN_BEFORE, BEFORE_1[i - 1].or_zero)
        yield Compute("V.3", AT_ORIGIN, origin)
        yield from arm.follow("V.4", AT_ORIGIN, found)

"""Kernels on all columns of M at once: inverse dynamics of unit accelerations, and the elimination of M.

Process i holds, for every column k, what link i does when degree of freedom k alone accelerates by one, all
else at rest and without gravity: vectors in frame 1, a row of three words for each column, (..., columns, 3).
A kernel that must know its own column is a family by process; placing a word costs nothing.
"""

from __future__ import annotations

import numpy as np

from senn.algorithms.blocks import *  # the algebra of blocks
from senn.algorithms.kernels.joints import along, axes_of, is_lean
from senn.algorithms.robots.joints import JOINTS
from senn.machine.program import Kernel, kernel, kernel_family
from senn.machine.program.counting import known

# ------------------------------------------------------------------- accelerations, base to tip
#
# A joint has as many columns of M as degrees of freedom, from `first` (counted from 0) on. Its axes are z or
# H_i in frame 1 (`senn.algorithms.kernels.joints`).


def _placed(half: Blocks, first: int, columns: int) -> Blocks:
    """The angular or linear half of the axes in their columns, a row each."""
    rows = known(np.zeros((*half.shape[:-2], columns, 3)), half)
    rows[..., first : first + half.shape[-1], :] = transposed(half)
    return rows


@kernel_family(
    lambda joint, first, columns: "(1 - sigma) {0} in column i" if is_lean(joint) else "{0}_w in columns i"
)
def unit(axes: Blocks, *, joint: str, first: int, columns: int) -> Blocks:
    """How joint i turns link i, when each of its degrees of freedom accelerates alone by one."""
    return _placed(axes_of(joint, axes)[..., :3, :], first, columns)


@kernel_family("{1} + {0}_v in columns i", runs_without_operands=True)
def at_joint(axes: Blocks, before: Blocks | None, *, joint: str, first: int, columns: int) -> Blocks:
    """The acceleration of link i at O_i, from that of O_i on link i - 1."""
    rows = _placed(axes_of(joint, axes)[..., 3:, :], first, columns)
    return rows if before is None else before + rows


def _slides(joint: str, axes: str) -> str:
    return f" + {axes} in column i" if JOINTS[joint].shifts else ""


@kernel_family(lambda joint, first: "{0} x {1}" + _slides(joint, "{2}"))
def reach(turning: Blocks, p: Blocks, axes: Blocks, *, joint: str, first: int) -> Blocks:
    """Acceleration of O_{i+1} against O_i, from wdot, p and the axes: wdot x p in every column, and in its
    own what joint i slides."""
    slide = _placed(axes_of(joint, axes)[..., 3:, :], first, turning.shape[-2])
    return cross(turning, p[..., None, :]) + slide


@kernel_family(
    lambda joint, first: f"{{0}} ({{1}} x {{2}}{_slides(joint, '{3}')} + {{4}})", runs_without_operands=True
)
def inertial_force(
    m: Blocks, turning: Blocks, s: Blocks, axes: Blocks, before: Blocks | None, *, joint: str, first: int
) -> Blocks:
    """m_i times the acceleration of the centre of mass, from m, wdot, s, the axes and v_{i-1}."""
    rows = reach(joint, first).evaluate(turning, s, axes)
    return m[..., None, None] * (rows if before is None else rows + before)


# ------------------------------------------------------------------------ forces, tip to base


@kernel("{0} {1} {0}' {2} + {3} x {4}")
def moments(turn: Blocks, j: Blocks, turning: Blocks, s: Blocks, force: Blocks) -> Blocks:
    """T J T' wdot + s x f: the moment of the inertial forces of link i about O_i."""
    central = full(symmetric_product(transposed(turn), times(full(j), transposed(turn))))
    return times(turning, central) + cross(s[..., None, :], force)  # J is symmetric


@kernel("[{0}; {1}; {2}]")
def wrenches(p: Blocks, force: Blocks, moment: Blocks) -> Blocks:
    """[p; f; n]: one row of three words, and two for each column."""
    return np.concatenate([p[..., None, :], force, moment], axis=-2)


def _halves(x: Blocks) -> tuple[Blocks, Blocks]:
    """f and n of wrenches."""
    columns = x.shape[-2] // 2
    return x[..., 1 : columns + 1, :], x[..., columns + 1 :, :]


@kernel("{0} o {1}")
def farther_columns(x: Blocks, y: Blocks) -> Blocks:
    """`link.farther` in every column, with one P: P + P', f + f', n + n' + P x f'."""
    force, moment = _halves(y)
    lever, total = cross(x[..., :1, :], force), x + y
    total[..., -moment.shape[-2] :, :] = total[..., -moment.shape[-2] :, :] + lever
    return total


@kernel_family(lambda branched: "[{3}; {0} [{1}; {2}]]" + " and {4}" * branched, runs_without_operands=True)
def wrenches_of(
    inertia: Blocks, turning: Blocks, v: Blocks, p: Blocks, *held: Blocks | None, branched: bool
) -> Blocks:
    """[p; f; n] about O_i of what link i takes to accelerate so; in an arm with side branches, and of what
    those of link i take at rest in one more column."""
    momenta = times(np.concatenate([turning, v], axis=-1), full(inertia))
    for wrench in held:
        last = np.zeros_like(momenta[..., :1, :]) if wrench is None else wrench[..., None, :]
        momenta = np.concatenate([momenta, last], axis=-2)
    return np.concatenate([p[..., None, :], momenta[..., 3:], momenta[..., :3]], axis=-2)


@kernel_family(lambda joint: f"{along(joint)} of {{1}}")
def loads(axes: Blocks, x: Blocks, *, joint: str) -> Blocks:
    """H_i' of the wrenches: the rows of M that are joint i's, zeros behind them."""
    force, moment = _halves(x)
    wrench = np.concatenate([moment, force], axis=-1)
    rows = times(transposed(axes_of(joint, axes)), transposed(wrench))
    return lengthened(rows, 1 if axes.ndim == 2 else axes.shape[-1])


# ------------------------------------------------------------------------------- elimination


@kernel("[{0}, {1}]")
def with_right_side(rows: Blocks, force: Blocks) -> Blocks:
    """Rows of M with their right-hand sides behind them."""
    return np.concatenate([rows, force.reshape(*rows.shape[:-1], 1)], axis=-1)


@kernel("[{0}, {1} - its last]")
def rows_less_held(rows: Blocks, force: Blocks) -> Blocks:
    """`with_right_side` where the last column of the rows is what side branches take at rest."""
    return np.concatenate([rows[..., :-1], (force - rows[..., -1])[..., None]], axis=-1)


@kernel_family(lambda degrees: f"{{0}} / its first{' block' if degrees > 1 else ''}")
def normalised(rows: Blocks, *, degrees: int) -> Blocks:
    """The words after the pivot, by the pivot (symmetric, `degrees` rows): the pivot rows."""
    at, below = np.tril_indices(degrees)
    return substitute(factor(rows[..., at, below]), rows[..., :degrees, degrees:])


@kernel_family("{0} - its first {1}")
def eliminated(rows: Blocks, pivot: Blocks, *, degrees: int) -> Blocks:
    """The words after the pivot less the first times the pivot rows."""
    rest: Blocks = rows[..., degrees:] - times(rows[..., :degrees], pivot)
    return rest


@kernel_family("{0} and zeros")
def filled(rows: Blocks, *, freedom: int) -> Blocks:
    """`freedom` rows, zeros behind a joint's own."""
    return lengthened(rows, freedom)


last_column = Kernel("last_column", "{0}", lambda rows: rows[..., 0].copy())
"""The right-hand sides, all that is left of the rows: Qdd."""

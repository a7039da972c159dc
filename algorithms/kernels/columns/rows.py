"""Kernels on n columns at once: inverse dynamics of n unit accelerations, and the elimination of their M.

Process i holds, for every column k, what link i does when joint k alone accelerates by one, all else at rest
and without gravity: vectors in frame 1, a row of three words for each column, (..., columns, 3). A kernel
that must know its own column is a table by process (`column`, from 1); placing a word costs nothing.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from senn.algorithms.blocks import Blocks, apply, cross, full, symmetric_product, times, transposed
from senn.algorithms.spatial import REVOLUTE
from senn.machine.program import Kernel

# ------------------------------------------------------------------ accelerations, base to tip


@cache
def unit(joint: str, column: int, columns: int) -> Kernel:
    """z_i in column i of a revolute joint, zero of a prismatic one: how joint i turns link i."""

    def evaluate(z: Blocks) -> Blocks:
        rows = np.zeros((*z.shape[:-1], columns, 3), dtype=z.dtype)
        if joint == REVOLUTE:
            rows[..., column - 1, :] = z
        return rows

    return Kernel(f"unit.{joint}", "(1 - sigma) {0} in column i", evaluate)


def _levers(turning: Blocks, arm: Blocks, z: Blocks, joint: str, column: int) -> Blocks:
    """wdot x arm in every column; a prismatic joint adds z_i in its own."""
    rows = cross(turning, arm[..., None, :])
    if joint != REVOLUTE:
        rows[..., column - 1, :] = rows[..., column - 1, :] + z
    return rows


@cache
def reach(joint: str, column: int, columns: int) -> Kernel:
    """What link i adds to the acceleration of O_{i+1}, from wdot, p, z."""

    def evaluate(turning: Blocks, p: Blocks, z: Blocks) -> Blocks:
        return _levers(turning, p, z, joint, column)

    return Kernel(f"reach.{joint}", f"{{0}} x {{1}}{_slides(joint, '{2}')}", evaluate)


@cache
def inertial_force(joint: str, column: int, columns: int) -> Kernel:
    """m_i times the acceleration of the centre of mass, from m, wdot, s, z and v_{i-1}."""

    def evaluate(m: Blocks, turning: Blocks, s: Blocks, z: Blocks, before: Blocks | None) -> Blocks:
        rows = _levers(turning, s, z, joint, column)
        return m[..., None, None] * (rows if before is None else rows + before)

    form = f"{{0}} ({{1}} x {{2}}{_slides(joint, '{3}')} + {{4}})"
    return Kernel(f"inertial_force.{joint}", form, evaluate, alone=True)


def _slides(joint: str, z: str) -> str:
    return "" if joint == REVOLUTE else f" + {z} in column i"


# ------------------------------------------------------------------------ forces, tip to base


@cache
def moments(columns: int) -> Kernel:
    """T J T' wdot + s x f: the moment of the inertial forces of link i about O_i."""

    def evaluate(turn: Blocks, j: Blocks, turning: Blocks, s: Blocks, force: Blocks) -> Blocks:
        own = full(symmetric_product(transposed(turn), times(full(j), transposed(turn))))
        return times(turning, own) + cross(s[..., None, :], force)  # J is symmetric

    return Kernel("moments", "{0} {1} {0}' {2} + {3} x {4}", evaluate)


@cache
def wrenches(columns: int) -> Kernel:
    """[p; f; n], 2 columns + 1 rows of three."""

    def evaluate(p: Blocks, force: Blocks, moment: Blocks) -> Blocks:
        return np.concatenate([p[..., None, :], force, moment], axis=-2)

    return Kernel("wrenches", "[{0}; {1}; {2}]", evaluate)


@cache
def farther_columns(columns: int) -> Kernel:
    """`newton_euler.farther` in every column, with one P: P + P', f + f', n + n' + P x f'."""

    def evaluate(x: Blocks, y: Blocks) -> Blocks:
        lever = cross(x[..., :1, :], y[..., 1 : columns + 1, :])
        total = x + y
        total[..., columns + 1 :, :] = total[..., columns + 1 :, :] + lever
        return total

    return Kernel("farther_columns", "{0} o {1}", evaluate)


@cache
def loads(joint: str, columns: int) -> Kernel:
    """H_i' of the wrenches: row i of M."""
    first = columns + 1 if joint == REVOLUTE else 1

    def evaluate(z: Blocks, x: Blocks) -> Blocks:
        return apply(x[..., first : first + columns, :], z)

    half = "n" if joint == REVOLUTE else "f"
    return Kernel(f"loads.{joint}", f"{{0}} . {half} of {{1}}", evaluate)


# ------------------------------------------------------------------------------- elimination


@cache
def with_right_side(columns: int) -> Kernel:
    """A row of M and its right-hand side, columns + 1 words."""

    def evaluate(row: Blocks, force: Blocks) -> Blocks:
        return np.concatenate([row, force[..., None]], axis=-1)

    return Kernel("with_right_side", "[{0}, {1}]", evaluate)


@cache
def normalised(words: int) -> Kernel:
    """The `words` words after the first, divided by the first: a pivot row."""

    def evaluate(row: Blocks) -> Blocks:
        return row[..., 1:] * (1.0 / row[..., :1])

    return Kernel("normalised", "{0} / its first", evaluate)


@cache
def eliminated(words: int) -> Kernel:
    """The `words` words of a row after the first, less the first times the pivot row."""

    def evaluate(row: Blocks, pivot: Blocks) -> Blocks:
        rest: Blocks = row[..., 1:] - row[..., :1] * pivot
        return rest

    return Kernel("eliminated", "{0} - its first {1}", evaluate)

"""Kernels with W_i, what joint i forbids, for wide arms (`senn.algorithms.arm.wide`); by type of joint.

The columns of W_i are rows of the unit matrix, so that a product with it is a choice of rows and costs
nothing. Universal and helical joints have one column with two entries, their *tilt*; it need not be of unit
length, because A^-1 takes its scale. Kernels take the tilt as their last operand if an arm has such joints.
What they make has `size` rows, zeros behind the joint's own.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from senn.algorithms.blocks import Blocks, as_given, columns_of, cross, full, widened
from senn.algorithms.kernels.operators import reached
from senn.algorithms.robots.joints import JOINTS
from senn.machine.program import Kernel

# The columns of W_i: a row of the unit matrix each, or two rows, mixed by the tilt of the joint.
FORBIDS: dict[str, tuple[tuple[int, ...], ...]] = {
    "revolute": ((0,), (1,), (3,), (4,), (5,)),
    "prismatic": ((0,), (1,), (2,), (3,), (4,)),
    "helical": ((0,), (1,), (3,), (4,), (2, 5)),
    "cylindrical": ((0,), (1,), (3,), (4,)),
    "universal": ((0, 1), (3,), (4,), (5,)),
    "planar": ((0,), (1,), (5,)),
    "spherical": ((3,), (4,), (5,)),
    "free": (),
    "welded": ((0,), (1,), (2,), (3,), (4,), (5,)),
}
TILTED = tuple(name for name, columns in FORBIDS.items() if any(len(rows) > 1 for rows in columns))


def _tilt_of_screw(q: Blocks, pitch: Blocks) -> Blocks:
    """Not of unit length, which would take a square root."""
    return np.stack([-pitch, np.ones_like(pitch)], axis=-1)


def _tilt_of_axes(q: Blocks, angle: Blocks) -> Blocks:
    return np.stack([-np.sin(q[..., 0]), np.cos(q[..., 0])], axis=-1)


def _untilted(q: Blocks, parameter: Blocks) -> Blocks:
    return np.zeros((*parameter.shape, 2), dtype=parameter.dtype)


TILT = {name: Kernel(f"tilt.{name}", "0", _untilted) for name in JOINTS}
TILT["helical"] = Kernel("tilt.helical", "[-{1}, 1]", _tilt_of_screw)
TILT["universal"] = Kernel("tilt.universal", "[-sin {0}, cos {0}]", _tilt_of_axes)
"""What q_i does to W_i."""


def _across(columns: tuple[tuple[int, ...], ...], x: Blocks, tilt: Blocks | None) -> Blocks:
    """W' X for X (..., 6, r): 2 r multiplications and r additions if W is tilted."""
    rows = [x[..., :0, :]]
    for column in columns:
        one = x[..., column[:1], :]
        if tilt is not None and len(column) > 1:
            one = tilt[..., 0, None, None] * one + tilt[..., 1, None, None] * x[..., column[1:], :]
        rows.append(one)
    return np.concatenate(rows, axis=-2)


def _behind(x: Blocks, size: int) -> Blocks:
    """Rows of zeros behind the given ones."""
    return np.swapaxes(widened(np.swapaxes(x, -1, -2), size), -1, -2)


@cache
def constrained(name: str, size: int) -> Kernel:
    """X^2 = W_i' (X_i - what the link before carries)."""
    columns = FORBIDS[name]
    read = sorted({row for column in columns for row in column})

    def evaluate(x: Blocks, before: Blocks | None, tilt: Blocks | None = None) -> Blocks:
        if before is not None:
            y = np.zeros_like(x)
            y[..., read] = x[..., read] - before[..., read]
            x = y
        return _behind(_across(columns, x[..., None], tilt), size)[..., 0]

    return Kernel(f"constrained.{name}", "W' ({0} - {1})", evaluate, alone=True)


@cache
def projected(name: str, size: int) -> Kernel:
    """W_N' X_N, where nothing is carried to (form short)."""
    columns = FORBIDS[name]
    return Kernel(
        f"projected.{name}",
        "W' {0}",
        lambda x, tilt=None: _behind(_across(columns, x[..., None], tilt), size)[..., 0],
    )


@cache
def constraint_force(name: str) -> Kernel:
    """W_i phi_i: the force at O_i in frame i."""

    def evaluate(phi: Blocks, tilt: Blocks | None = None) -> Blocks:
        x = columns_of(phi)
        y = np.zeros((*x.shape[:-2], 6, x.shape[-1]), dtype=x.dtype)
        for k, rows in enumerate(FORBIDS[name]):
            y[..., rows[0], :] = x[..., k, :]
            if tilt is not None and len(rows) > 1:
                y[..., rows, :] = tilt[..., :, None] * x[..., k, None, :]
        return as_given(y, phi)

    return Kernel(f"constraint_force.{name}", "W {0}", evaluate)


def _bordered(name: str, size: int, whole: Blocks, tilt: Blocks | None) -> Blocks:
    """W' X W of a 6x6 block, packed, with ones where W has columns of zeros."""
    columns = FORBIDS[name]
    a = _across(columns, whole, tilt)
    a = _across(columns, np.swapaxes(a, -1, -2), tilt)
    a = widened(_behind(a, size), size)
    unused = range(len(columns), size)
    a[..., unused, unused] = 1.0
    rows, below = np.tril_indices(size)
    return a[..., rows, below]


def _and_ones(name: str, size: int) -> str:
    return ", and ones behind" if len(FORBIDS[name]) < size else ""


@cache
def diagonal(name: str, size: int) -> Kernel:
    """A_i = W_i' (I_i^-1 + I_{i-1,i}^-1) W_i, Eq. (75), and ones where W_i has columns of zeros."""

    def evaluate(inertia: Blocks, before: Blocks, tilt: Blocks | None = None) -> Blocks:
        return _bordered(name, size, full(inertia + before), tilt)

    form = "W' ({0} + {1}) W" + _and_ones(name, size)
    return Kernel(f"diagonal.{name}", form, evaluate)


@cache
def before_alone(name: str, size: int) -> Kernel:
    """The same without what link i adds: of the last joint, the block of Y that Lambda is made of."""

    def evaluate(inertia: Blocks, before: Blocks, tilt: Blocks | None = None) -> Blocks:
        return _bordered(name, size, full(before), tilt)

    form = "W' {1} W" + _and_ones(name, size)
    return Kernel(f"before_alone.{name}", form, evaluate)


@cache
def reach(name: str, size: int) -> Kernel:
    """R_N = W_N' C6(N,N+1) P^_N^-1': rows of [C 0; C P~ C], a row of C P~ being that row x P."""
    columns = FORBIDS[name]
    lower = sorted({row - 3 for column in columns for row in column if row >= 3})

    def evaluate(c: Blocks, p: Blocks, tilt: Blocks | None = None) -> Blocks:
        whole = np.zeros((*c.shape[:-2], 6, 6), dtype=c.dtype)
        whole[..., :3, :3] = c
        turned = c[..., lower, :]
        below = [row + 3 for row in lower]
        whole[..., below, :3] = cross(turned, p[..., None, :])
        whole[..., below, 3:] = turned
        return _behind(_across(columns, whole, tilt), size)

    return Kernel(f"reach_across.{name}", "W' C6 P^^-1' from {0}, {1}", evaluate)


@cache
def coupling(name: str, following: str | None, size: int) -> Kernel:
    """B_i = -W_i' I_i^-1 C6(i,i+1) P^_i W_{i+1}, Eqs. (74), (79); `following` is None: E_N, Eq. (83), with U
    in place of W_{i+1} and the other sign."""
    columns = FORBIDS[name]
    others = tuple((row,) for row in range(6)) if following is None else FORBIDS[following]
    read = sorted({row for column in columns for row in column}) if others else []
    placed = tuple(tuple(read.index(row) for row in column) for column in columns) if others else ()

    def evaluate(
        inertia: Blocks, c: Blocks, p: Blocks, tilt: Blocks | None = None, after: Blocks | None = None
    ) -> Blocks:
        x = reached(full(inertia)[..., read, :], c, p)
        x = np.swapaxes(_across(others, np.swapaxes(x, -1, -2), after), -1, -2)
        x = _behind(_across(placed, x, tilt), size)
        return x if following is None else -widened(x, size)

    form = "W' {0} C6 P^" if following is None else "-W' {0} C6 P^ W_{{i+1}}"
    return Kernel(f"coupling.{name}.{following or 'tip'}", form, evaluate)

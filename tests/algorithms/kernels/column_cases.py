"""What the kernels on n columns are expected to make: link by link and column by column, by 6x6 matrices."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from senn.algorithms.kernels import columns as col
from senn.algorithms.kernels import sums
from senn.algorithms.spatial import pack, tilde
from tests.algorithms.kernels.cases import BATCH, RNG, TYPES, Case, by_vector, case, draw, rotations, spd, t
from tests.algorithms.kernels.uses import REVOLUTE

COLUMNS = 5  # of the arms that the walk over the programs takes


def inverse_dynamics_of_columns() -> Iterator[Case]:
    n = COLUMNS
    z, p, s, mass = draw(3), draw(3), draw(3), RNG.uniform(0.5, 2.0, BATCH)
    turning, before, force, moment = draw(n, 3), draw(n, 3), draw(n, 3), draw(n, 3)
    for first in (0, 2, n - 1):
        own = np.zeros((BATCH, n, 3))
        own[:, first] = z
        for joint in TYPES:
            turns, slides = (own, 0.0 * own) if joint == REVOLUTE else (0.0 * own, own)
            yield case(col.unit(joint, first, n), turns, z)
            at_end, at_centre = (turning @ t(tilde(-arm)) + slides for arm in (p, s))
            yield case(col.reach(joint, first), at_end, turning, p, z)
            kernel, m = col.inertial_force(joint, first), mass[:, None, None]
            yield case(kernel, m * (at_centre + before), mass, turning, s, z, before)
            yield case(kernel, m * at_centre, mass, turning, s, z, None)
    turn, central = rotations(), spd(3)
    expected = turning @ t(turn @ central @ t(turn)) + force @ t(tilde(s))
    yield case(col.moments, expected, turn, pack(central), turning, s, force)
    own = np.concatenate([p[:, None], force, moment], axis=1)
    yield case(col.wrenches, own, p, force, moment)
    far = draw(2 * n + 1, 3)
    felt = moment + far[:, n + 1 :] + far[:, 1 : n + 1] @ t(tilde(p))
    both = np.concatenate([(p + far[:, 0])[:, None], force + far[:, 1 : n + 1], felt], axis=1)
    yield case(col.farther_columns, both, own, far)
    for joint, half in zip(TYPES, (moment, force), strict=True):
        yield case(col.loads(joint), by_vector(half, z)[:, None], z, own)
    x, y = draw(n, 3), draw(n, 3)
    yield case(sums.plus_of(1), x + y, x, y)


def columns_of_any_joint() -> Iterator[Case]:
    """The same where a joint has several columns of M, or none; H in frame 1 is drawn: any columns do."""
    total, freedom, first = 9, 6, 2
    for own in (0, 1, 2, 3, 6):
        h = draw(6, freedom)
        place = slice(first, first + own)
        angular, linear = np.zeros((2, BATCH, total, 3))
        angular[:, place], linear[:, place] = t(h[:, :3, :own]), t(h[:, 3:, :own])
        given = own, first, total
        yield case(col.unit_of(*given), angular, h)
        before, dw, p = draw(total, 3), draw(total, 3), draw(3)
        yield case(col.at_joint_of(*given), before + linear, h, before)
        yield case(col.at_joint_of(*given), linear, h, None)
        yield case(col.reach_of(own, first), np.cross(dw, p[:, None]) + linear, dw, p, h)
        wrench = draw(2 * total + 1, 3)
        loads = np.zeros((BATCH, freedom, total))
        forces, moments = wrench[:, 1 : total + 1], wrench[:, total + 1 :]
        loads[:, :own] = t(h[:, :3, :own]) @ t(moments) + t(h[:, 3:, :own]) @ t(forces)
        yield case(col.loads_of(own), loads, h, wrench)
        if own:
            rows, pivot = draw(freedom, total), spd(own)
            rows[:, :own, :own] = pivot
            divided = np.linalg.solve(pivot, rows[:, :own, own:])
            yield case(col.normalised(own), divided, rows)
            other = draw(freedom, total)
            left = other[:, :, own:] - other[:, :, :own] @ divided
            yield case(col.eliminated(own), left, other, divided)
    inertia, v, held = spd(6), draw(total, 3), draw(6)
    whole = np.concatenate([dw, v], axis=-1) @ inertia
    with_held = np.concatenate([whole, held[:, None]], axis=1)
    without = np.concatenate([whole, np.zeros((BATCH, 1, 6))], axis=1)
    operands = pack(inertia), dw, v, p
    for kernel, wrenches, more in (
        (col.wrenches_of(False), whole, ()),
        (col.wrenches_of(True), with_held, (held,)),
        (col.wrenches_of(True), without, (None,)),
    ):
        both = np.concatenate([p[:, None], wrenches[:, :, 3:], wrenches[:, :, :3]], axis=1)
        yield case(kernel, both, *operands, *more)
    rows, force = draw(3, 4), draw(3)
    yield case(col.with_right_side, np.concatenate([rows, force[..., None]], axis=-1), rows, force)
    row, right = draw(1, 4), draw()
    yield case(col.with_right_side, np.concatenate([row, right[:, None, None]], axis=-1), row, right)
    less = np.concatenate([rows[..., :3], (force - rows[..., 3])[..., None]], axis=-1)
    yield case(col.rows_less_held, less, rows, force)
    for freedom in (1, 3, 6):
        own = draw(1, 4)
        yield case(col.filled(freedom), np.pad(own, ((0, 0), (0, freedom - 1), (0, 0))), own)
    yield case(col.last_column, rows[..., 0], rows)
    yield case(col.six_of, np.concatenate([force, p], axis=-1), force, p)

"""What the kernels on n columns are expected to make: link by link and column by column, by 6x6 matrices."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from senn.algorithms.kernels import columns as col
from senn.algorithms.kernels import sums
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.spatial import pack, tilde
from tests.algorithms.kernels.cases import BATCH, RNG, TYPES, Case, axis_of, case, draw, rotations, spd, t
from tests.algorithms.kernels.wide_cases import padded

TOTAL, FREEDOM = 9, 6


def of_joint(joint: str, first: int, columns: int, freedom: int | None) -> Iterator[Case]:
    """Link by link and column by column; the axes in frame 1 are drawn: any do. `freedom` is None: z."""
    own = JOINTS[joint].degrees
    axes = draw(3) if freedom is None else padded(draw(6, own) * JOINTS[joint].halves, freedom)
    h = axis_of(joint, axes)[..., None] if freedom is None else axes[..., :own]
    place = slice(first, first + own)
    angular, linear = np.zeros((2, BATCH, columns, 3))
    angular[:, place], linear[:, place] = t(h[:, :3]), t(h[:, 3:])
    p, s, m = draw(3), draw(3), RNG.uniform(0.5, 2.0, BATCH)
    turning, before = draw(columns, 3), draw(columns, 3)
    yield case(col.unit(joint, first, columns), angular, axes)
    yield case(col.at_joint(joint, first, columns), before + linear, axes, before)
    yield case(col.at_joint(joint, first, columns), linear, axes, None)
    at_end, at_centre = (turning @ t(tilde(-arm)) + linear for arm in (p, s))
    yield case(col.reach(joint, first), at_end, turning, p, axes)
    kernel, mass = col.inertial_force(joint, first), m[:, None, None]
    yield case(kernel, mass * (at_centre + before), m, turning, s, axes, before)
    yield case(kernel, mass * at_centre, m, turning, s, axes, None)
    wrench = draw(2 * columns + 1, 3)
    forces, moments = wrench[:, 1 : columns + 1], wrench[:, columns + 1 :]
    loads = t(h[:, :3]) @ t(moments) + t(h[:, 3:]) @ t(forces)
    loads = np.pad(loads, ((0, 0), (0, (freedom or 1) - own), (0, 0)))
    yield case(col.loads(joint), loads, axes, wrench)


def in_columns() -> Iterator[Case]:
    """All of them."""
    for first, joint in product((0, 2, 4), TYPES):
        yield from of_joint(joint, first, 5, None)
    for joint in JOINTS:
        yield from of_joint(joint, 2, TOTAL, FREEDOM)
    yield from of_all_joints()
    for own in (1, 2, 3, 6):
        rows, pivot = draw(FREEDOM, TOTAL), spd(own)
        rows[:, :own, :own] = pivot
        divided = np.linalg.solve(pivot, rows[:, :own, own:])
        yield case(col.normalised(own), divided, rows)
        other = draw(FREEDOM, TOTAL)
        left = other[:, :, own:] - other[:, :, :own] @ divided
        yield case(col.eliminated(own), left, other, divided)


def of_all_joints() -> Iterator[Case]:
    """What knows no joint type."""
    n = 5
    p, s, turning, force, moment = draw(3), draw(3), draw(n, 3), draw(n, 3), draw(n, 3)
    turn, central = rotations(), spd(3)
    expected = turning @ t(turn @ central @ t(turn)) + force @ t(tilde(s))
    yield case(col.moments, expected, turn, pack(central), turning, s, force)
    own = np.concatenate([p[:, None], force, moment], axis=1)
    yield case(col.wrenches, own, p, force, moment)
    far = draw(2 * n + 1, 3)
    felt = moment + far[:, n + 1 :] + far[:, 1 : n + 1] @ t(tilde(p))
    both = np.concatenate([(p + far[:, 0])[:, None], force + far[:, 1 : n + 1], felt], axis=1)
    yield case(col.farther_columns, both, own, far)
    x, y = draw(n, 3), draw(n, 3)
    yield case(sums.plus.of(1), x + y, x, y)
    dw = draw(TOTAL, 3)
    inertia, v, held = spd(6), draw(TOTAL, 3), draw(6)
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

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
    for column in (1, 3, n):
        own = np.zeros((BATCH, n, 3))
        own[:, column - 1] = z
        for joint in TYPES:
            turns, slides = (own, 0.0 * own) if joint == REVOLUTE else (0.0 * own, own)
            yield case(col.unit(joint, column, n), turns, z)
            at_end, at_centre = (turning @ t(tilde(-arm)) + slides for arm in (p, s))
            yield case(col.reach(joint, column, n), at_end, turning, p, z)
            kernel, m = col.inertial_force(joint, column, n), mass[:, None, None]
            yield case(kernel, m * (at_centre + before), mass, turning, s, z, before)
            yield case(kernel, m * at_centre, mass, turning, s, z, None)
    turn, central = rotations(), spd(3)
    expected = turning @ t(turn @ central @ t(turn)) + force @ t(tilde(s))
    yield case(col.moments(n), expected, turn, pack(central), turning, s, force)
    own = np.concatenate([p[:, None], force, moment], axis=1)
    yield case(col.wrenches(n), own, p, force, moment)
    far = draw(2 * n + 1, 3)
    felt = moment + far[:, n + 1 :] + far[:, 1 : n + 1] @ t(tilde(p))
    both = np.concatenate([(p + far[:, 0])[:, None], force + far[:, 1 : n + 1], felt], axis=1)
    yield case(col.farther_columns(n), both, own, far)
    for joint, half in zip(TYPES, (moment, force), strict=True):
        yield case(col.loads(joint, n), by_vector(half, z), z, own)
    x, y = draw(n, 3), draw(n, 3)
    yield case(sums.plus_of(1), x + y, x, y)


def elimination_by_rows() -> Iterator[Case]:
    """One step of a dense elimination: the row operation that makes the first entry 1, or 0."""
    row, right = draw(COLUMNS), draw()
    yield case(col.with_right_side(COLUMNS), np.concatenate([row, right[:, None]], axis=1), row, right)
    for words in range(1, COLUMNS + 1):
        own, other = draw(words + 1), draw(words + 1)
        own[:, 0] += 3.0
        pivot = own / own[:, :1]
        yield case(col.normalised(words), pivot[:, 1:], own)
        left = other - other[:, :1] * pivot
        yield case(col.eliminated(words), left[:, 1:], other, pivot[:, 1:])

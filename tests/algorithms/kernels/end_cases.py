"""What the kernels of the operational space are expected to make, by 6x6 matrices: hat(p), C6, W_N."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from senn.algorithms.kernels import end_effector as end
from senn.algorithms.kernels import sums
from senn.algorithms.spatial import COMPLEMENT_ROWS, hat, pack, six
from tests.algorithms.kernels.cases import Case, by_vector, case, draw, rotations, spd, t


def at_the_end() -> Iterator[Case]:
    turn, p = rotations(), draw(3)
    for joint, kept in COMPLEMENT_ROWS.items():
        expected = (six(turn) @ np.linalg.inv(t(hat(p))))[:, kept, :]
        yield case(end.reach(joint), expected, turn, p)
    side, x, solved, own = draw(5, 6), draw(6), draw(5), spd(6)
    yield case(end.REACH_OF, by_vector(side, x), side, x)
    felt = by_vector(t(side), solved)
    yield case(end.LESS_REACTION, by_vector(own, x) - felt, pack(own), x, side, solved)
    yield case(end.PLUS_REACTION, by_vector(own, x) + felt, pack(own), x, side, solved)
    before = draw(15)
    yield case(end.BEFORE_ALONE, before, pack(spd(6)), before)
    more = draw(15)
    yield case(sums.difference, before - more, before, more)
    whole, part = draw(21), draw(21)
    yield case(sums.total, whole + part, whole, part)

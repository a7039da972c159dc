"""What the kernels of the operational space are expected to make, by 6x6 matrices: np.einsum."""

from __future__ import annotations

from collections.abc import Iterator

from senn.algorithms.kernels import end_effector as end
from senn.algorithms.kernels import sums
from senn.algorithms.spatial import pack
from tests.algorithms.kernels.cases import Case, by_vector, case, draw, spd, t


def at_the_end() -> Iterator[Case]:
    side, x, solved, own = draw(5, 6), draw(6), draw(5), spd(6)
    yield case(end.REACH_OF, by_vector(side, x), side, x)
    felt = by_vector(t(side), solved)
    yield case(end.LESS_REACTION, by_vector(own, x) - felt, pack(own), x, side, solved)
    yield case(end.PLUS_REACTION, by_vector(own, x) + felt, pack(own), x, side, solved)
    before, more = draw(15), draw(15)
    yield case(sums.difference, before - more, before, more)
    whole, part = draw(21), draw(21)
    yield case(sums.total, whole + part, whole, part)

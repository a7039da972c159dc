"""How many words must leave a part of an arm, and reach it, whatever the program.

Fix the data outside a set of links. What arrives outside is then a smooth function of the data of the set,
and so are the answers outside, through the k words that arrived: their Jacobian is a product through R^k, and
its rank at most k. So no program with smooth kernels whose messages do not depend on numbers sends fewer
words out than the rank of the answers outside over q, qd and tau inside.

Ranks are exact. Every number is a residue modulo a prime with its derivatives, angles are those of half-angle
tangents, so all answers are rational functions; a minor that is not zero at a random point modulo a prime is
not the function zero, so it is not zero for almost all arms and states. Revolute joints, a welded tip;
Lambda^-1 is asked for at the node of the last link.
"""

from __future__ import annotations

from functools import cache
from math import ceil
from typing import Any

import numpy as np

from senn.machine.network.topology import Channels, Integers
from tests.oracles.economical import articulated, closed_chain
from tests.oracles.economical.links import Link
from tests.oracles.economical.screws import Screw, X

PRIME = 2**31 - 1


class Residue:
    """A number modulo PRIME with its derivatives."""

    def __init__(self, number: int, slopes: Any = 0) -> None:
        self.number, self.slopes = int(number) % PRIME, np.asarray(slopes, dtype=np.int64) % PRIME

    def __add__(self, other: Any) -> Residue:
        y = _residue(other)
        return Residue(self.number + y.number, self.slopes + y.slopes)

    def __mul__(self, other: Any) -> Residue:
        y = _residue(other)
        slopes = self.number * y.slopes % PRIME + y.number * self.slopes % PRIME
        return Residue(self.number * y.number, slopes)

    def __sub__(self, other: Any) -> Residue:
        return self + _residue(other) * -1

    def __neg__(self) -> Residue:
        return self * -1

    def __rsub__(self, other: Any) -> Residue:
        return _residue(other) - self

    def __truediv__(self, other: Any) -> Residue:
        y = _residue(other)
        inverse = pow(y.number, -1, PRIME)
        return self * Residue(inverse, -(inverse * inverse % PRIME) * y.slopes)

    def __rtruediv__(self, other: Any) -> Residue:
        return _residue(other) / self

    def cos(self) -> Residue:
        """Of twice the angle whose tangent this is."""
        return (1 - self * self) / (1 + self * self)

    def sin(self) -> Residue:
        return 2 * self / (1 + self * self)

    __radd__, __rmul__ = __add__, __mul__


def _residue(x: Any) -> Residue:
    return x if isinstance(x, Residue) else Residue(x)


@cache
def jacobian(n: int) -> Integers:
    """Derivatives of the accelerations (n rows), then of Lambda^-1 (21), over q, qd and tau, link by link, of
    a random arm in a random state, modulo PRIME."""
    rng = np.random.default_rng(n)

    def some(*shape: int) -> Any:
        flat = [Residue(x) for x in rng.integers(1, PRIME, np.prod(shape, dtype=int))]
        return flat[0] if not shape else np.array(flat, dtype=object).reshape(shape)

    def link() -> Link:
        angle, second, (length, offset) = some(), some(3, 3), some(2)
        second, across = second + second.T, Screw(X, angle.cos(), angle.sin(), length)
        position = [length, -across.sine * offset, across.cosine * offset]
        inertia = np.eye(3, dtype=object) * np.trace(second) - second
        return Link(across, offset, position, some(), list(some(3)), second.tolist(), inertia.tolist())

    links = [link() for _ in range(n)]
    units = np.eye(3 * n, dtype=np.int64).reshape(n, 3, 3 * n)
    q, qd, tau = ([Residue(x.number, units[k, row]) for k, x in enumerate(some(n))] for row in range(3))
    state = closed_chain.State(np.array(q), qd, tau, list(some(3)), some(6))
    qdd, _ = closed_chain.by_articulated_bodies(links, state)
    joints = closed_chain.turned(links, state.q)
    inverse = articulated.lambda_inverse(links, joints, articulated.factor(links, joints))
    return np.array([np.broadcast_to(x.slopes, 3 * n) for x in (*qdd, *inverse)])


def rank(matrix: Integers) -> int:
    """By elimination modulo PRIME."""
    rows, count = matrix.copy(), 0
    for column in range(rows.shape[1]):
        nonzero = np.flatnonzero(rows[count:, column])
        if nonzero.size:
            rows[[count, count + nonzero[0]]] = rows[[count + nonzero[0], count]]
            pivot = rows[count] * pow(int(rows[count, column]), -1, PRIME) % PRIME
            rows[count + 1 :] = (rows[count + 1 :] - rows[count + 1 :, column, None] * pivot % PRIME) % PRIME
            count += 1
    return count


def words(n: int, first: int, stop: int) -> tuple[int, int]:
    """Words that must leave links first..stop-1, counted from 0, and that must reach them.

    >>> words(8, 0, 4)
    (7, 4)
    """
    slopes, inside = jacobian(n), np.zeros(n, dtype=bool)
    inside[first:stop] = True
    answers = np.append(inside, [stop == n] * (len(slopes) - n))
    data = np.repeat(inside, 3)
    return rank(slopes[~answers][:, data]), rank(slopes[answers][:, ~data])


def least_words(n: int, network: Channels, arrays: int = 2) -> int:
    """Cycles of any program for n links in blocks on these nodes, on so many arrays, where a word takes a
    cycle on a channel and all else nothing: by every block, and every cut between two blocks."""
    p = network.nodes
    parts = {(k, k + 1) for k in range(p)} | {(0, k) for k in range(1, p)}
    bounds = [0]
    for first, stop in parts:
        inside = [(x >= first) & (x < stop) for x in (network.source, network.target)]
        both = words(n, first * n // p, stop * n // p)
        channels = (inside[0] & ~inside[1]).sum(), (~inside[0] & inside[1]).sum()
        bounds += [ceil(x / (arrays * int(c))) for x, c in zip(both, channels, strict=True) if c]
    return max(bounds)

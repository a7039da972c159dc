"""The bounds of frontier.md: how many words must cross a cut of an arm, exactly and to a number of digits.

`python -m experiments least_words` makes their table and their picture, in half a minute.

Fix the data outside a part of the arm. What arrives outside is a smooth function of the data of the part, and
so are the answers outside, through the k words that arrived: their Jacobian is a product through R^k, and its
rank is at most k. So no program with smooth kernels, whose messages do not depend on numbers, sends fewer
words than the rank.

All numbers of the arms are rational: angles are those of half-angle tangents. Modulo a prime, a minor that is
not zero shows the rank for this arm, and for almost all arms and states. In 1,200 bits, singular values show
how much of the rank an answer to d digits needs: with fewer words than there are singular values above
10^-d of the largest, some change of the data by one unit is missed in the answers by more than that, to
first order. Revolute joints, a welded tip; Lambda^-1 is asked for at the node of the last link.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from math import ceil
from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx, nmod, nmod_mat
from matplotlib import pyplot
from matplotlib.figure import Figure

from experiments.page import Figures, Tables, head, order, row
from senn.algorithms.blocks import Blocks, full
from senn.algorithms.family.arm import at_state
from senn.algorithms.family.link import Constants, Rigid
from senn.algorithms.family.popov_vereshchagin import accelerations, both_passes, multipliers
from senn.machine.network.topology import Channels
from senn.traces.pictures import style

PRIME, BITS = 2**61 - 1, 1200
DIGITS = (3, 6, 9, 12, 15)
SEEDS = range(5)
Field = Callable[[Fraction], Any]


def modular(x: Fraction) -> Any:
    """The residue of a fraction."""
    return nmod(x.numerator, PRIME) / nmod(x.denominator, PRIME)


def wide(x: Fraction) -> Any:
    """A fraction to as many bits as the context has."""
    return arb(x.numerator) / x.denominator


class Sloped:
    """A number of a field with its derivatives; as an angle, the tangent of half of it."""

    def __init__(self, number: Any, slopes: Any = 0) -> None:
        self.number, self.slopes = number, slopes

    def __add__(self, other: Any) -> Sloped:
        y = _sloped(other)
        return Sloped(self.number + y.number, self.slopes + y.slopes)

    def __mul__(self, other: Any) -> Sloped:
        y = _sloped(other)
        return Sloped(self.number * y.number, self.slopes * y.number + y.slopes * self.number)

    def __sub__(self, other: Any) -> Sloped:
        return self + _sloped(other) * -1

    def __neg__(self) -> Sloped:
        return self * -1

    def __rsub__(self, other: Any) -> Sloped:
        return _sloped(other) - self

    def __truediv__(self, other: Any) -> Sloped:
        y = _sloped(other)
        quotient = self.number / y.number
        return Sloped(quotient, (self.slopes - y.slopes * quotient) * (1 / y.number))

    def __rtruediv__(self, other: Any) -> Sloped:
        return _sloped(other) / self

    def cos(self) -> Sloped:
        return (1 - self * self) / (1 + self * self)

    def sin(self) -> Sloped:
        return 2 * self / (1 + self * self)

    __radd__, __rmul__ = __add__, __mul__


def _sloped(x: Any) -> Sloped:
    return x if isinstance(x, Sloped) else Sloped(int(x))  # zeros and ones of blocks may be floats


def links(n: int, some: Callable[[float, float], Fraction]) -> list[tuple[Fraction, ...]]:
    """Twist of the joint axis, mass, position (3) and inertia (6) of slender links of about a metre."""
    found = []
    for _ in range(n):
        length, mass = some(0.5, 1.0), some(1.0, 2.0)
        across = mass * length * length / 12
        turned = [some(-0.1, 0.1) * across for _ in range(3)]
        inertia = (across / 8, turned[0], across, turned[1], turned[2], across)
        found.append((some(-1.0, 1.0), mass, length, some(-0.2, 0.2), some(-0.2, 0.2), *inertia))
    return found


@cache
def jacobian(n: int, seed: int, field: Field) -> Blocks:
    """Derivatives of the accelerations (n rows), then of Lambda^-1 (21), over q, qd and tau, link by link;
    in SI units, accelerations and Lambda^-1 each over their largest."""
    rng = np.random.default_rng(seed)

    def some(least: float, most: float) -> Fraction:
        return Fraction(int(rng.integers(round(least * 1000), round(most * 1000), endpoint=True)), 1000)

    def block(values: Any) -> Blocks:
        return np.array([Sloped(field(Fraction(x))) for x in values], dtype=object)

    constants = []
    for twist, mass, *rest in links(n, some):
        place, inertia = np.array(rest[:3], dtype=object), rest[3:]
        t, c = Fraction(twist), -place / 2  # to the centre, from the outer end
        cosine, sine = (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)
        about = mass * (np.eye(3, dtype=object) * (c @ c) - np.outer(c, c))
        packed = [about[a, b] + x for (a, b), x in zip(_LOWER, inertia, strict=True)]
        rotation = block([1, 0, 0, 0, cosine, -sine, 0, sine, cosine]).reshape(3, 3)
        rigid = Rigid(block([mass])[0], block(mass * c), block(packed))
        none = np.zeros(21)
        constants.append(
            Constants("revolute", 0.0, rotation, block(place), block(place / 2), rigid, 0.0, none, none)
        )
    unit = np.full((3 * n, 3 * n), field(Fraction(0)), dtype=object)
    state: list[Any] = []
    for k in range(3 * n):
        x = some(-1.0, 1.0)
        # The derivative of the tangent of half an angle over the angle.
        unit[k, k] = field((1 + x * x) / 2 if k % 3 == 0 else Fraction(1))
        state.append(Sloped(field(x), unit[k]))
    q, qd, tau = (np.array(state[row::3], dtype=object) for row in range(3))
    arm = at_state(constants, q, qd, block([some(-9.0, 9.0) for _ in range(3)]))
    whole, by, free = both_passes(arm, tau, np.eye(6, dtype=object))
    prescribed = block([some(-1.0, 1.0) for _ in range(6)])
    qdd, _ = accelerations(arm, whole, by, arm.weight, multipliers(whole, free - prescribed))
    answers = [_over_largest(qdd), _over_largest(full(whole.contact.response)[np.tril_indices(6)])]
    return np.concatenate(answers)


_LOWER = [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2)]


def _over_largest(numbers: Blocks) -> Blocks:
    """Derivatives, a row for each number, over the largest of the numbers."""
    rows = np.array([x.slopes for x in numbers], dtype=object)
    if isinstance(numbers[0].number, arb):
        return np.asarray(rows / max((abs(x.number) for x in numbers), key=float), dtype=object)
    return rows


def part(
    n: int, first: int, stop: int, seed: int, field: Field, *, inverse: bool = True
) -> tuple[Blocks, Blocks]:
    """The Jacobians of answers outside links first..stop-1, counted from 0, over the data inside, and of
    answers inside over the data outside."""
    slopes, inside = jacobian(n, seed, field), np.zeros(n, dtype=bool)
    inside[first:stop] = True
    answers = np.append(inside, [stop == n] * 21)
    asked = np.append(np.ones(n, dtype=bool), [inverse] * 21)
    data = np.repeat(inside, 3)
    return slopes[~answers & asked][:, data], slopes[answers & asked][:, ~data]


def rank(matrix: Blocks) -> int:
    """Of residues."""
    found: int = nmod_mat(*matrix.shape, [int(x) for x in matrix.ravel()], PRIME).rank()
    return found


def singular_values(matrix: Blocks) -> list[float]:
    """Over the largest, in falling order, of numbers to BITS."""
    whole = arb_mat(matrix.tolist())
    squares = (whole * whole.transpose()).eig(algorithm="approx")
    sizes = sorted((abs(x.real) for x in squares), key=float, reverse=True)
    return [float((x / sizes[0]).sqrt()) for x in sizes]


@cache
def outward_values(n: int, seed: int) -> list[float]:
    """Singular values of what must go outward over the middle of n links."""
    with ctx.workprec(BITS):
        return singular_values(part(n, 0, n // 2, seed, wide)[0])


def words(n: int, first: int, stop: int) -> tuple[int, int]:
    """Words that must leave links first..stop-1, counted from 0, and that must reach them.

    >>> words(8, 0, 4)
    (7, 4)
    """
    outward, inward = part(n, first, stop, 0, modular)
    return rank(outward), rank(inward)


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


AT = (16, 64)


def ranks() -> Iterator[str]:
    """Over the middle of arms: the rank, and the singular values above 10^-d of the largest."""
    titles = ("outward, exactly", "without Lambda^-1", "inward, exactly")
    yield from head("links", "arm", *titles, *(f"outward, {d} digits" for d in DIGITS), "smallest value")
    for n in AT:
        for seed in SEEDS:
            outward, inward = map(rank, part(n, 0, n // 2, seed, modular))
            less = rank(part(n, 0, n // 2, seed, modular, inverse=False)[0])
            values = outward_values(n, seed)
            counts = (sum(x > 10.0**-d for x in values) for d in DIGITS)
            yield row(n, seed, outward, less, inward, *counts, order(values[outward - 1]))


def drawn() -> Figure:
    """Singular values of five arms, and the digits of a double."""
    figure, ax = pyplot.subplots(figsize=(9.0, 4.6), layout="constrained")
    exact = rank(part(AT[-1], 0, AT[-1] // 2, 0, modular)[0])
    for seed in SEEDS:
        values = outward_values(AT[-1], seed)[:exact]
        ax.plot(range(1, exact + 1), values, "o-", color=style.INK, markersize=3.5, linewidth=0.7)
    ax.axhline(1e-15, color=style.OTHER, linestyle="--", linewidth=1)
    style.note(ax, "10^-15 of the largest", (1, 1e-15), (0, -12))
    ax.set_yscale("log")
    ax.set_xticks([1, 5, 10, 15, 20, exact])
    ax.set_xlabel("words from the inner half to the outer half")
    ax.set_ylabel("singular value, over the largest")
    style.plain_frame(ax)
    counts = sorted({sum(x > 1e-15 for x in outward_values(AT[-1], seed)) for seed in SEEDS})
    many = " to ".join(map(str, {counts[0], counts[-1]}))
    title = f"Of {exact} words over the middle of {AT[-1]} links, {many} show in doubles"
    style.headed(ax, title, [], f"{len(SEEDS)} random arms; answers over the largest of their kind")
    return figure


DATA: Tables = {"ranks": ranks}
FIGURES: Figures = {"least_words": drawn}

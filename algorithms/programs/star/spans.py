"""Step II of the star program: the spans 1..i and i..N by recursive doubling, A, J and C before b and eta.

The order of a level is that in which least is waited for: what a level begins with (C of 1..i, J of i..N) is
made first and sent on before the level before has ended, and everything else when its turn comes.

A level of products is long; a level of the velocities, and of b and eta, is little but a message. So these
are woven into the products, two of their rounds a level: first the M rounds of the velocities, then the M
rounds of b and eta, which so run behind the products that they need. Each value is sent when its turn comes
(`woven`). Or a level sends one message, and a second one brings its results to the place of the next level
(`together`), for machines on which every message costs the processor time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from itertools import chain, groupby, repeat, zip_longest
from math import inf

from senn.algorithms.arm import Arm, Lines
from senn.algorithms.kernels import two_ports as ports
from senn.algorithms.programs.recurrence import following
from senn.algorithms.programs.star.links import A_LINK, B_HELD, BIAS_LINK, C_HELD, J_LINK
from senn.machine.program import *  # the words of a program
from senn.machine.rewrite.lines import target_of


class SpanLetters:
    """The letters of one family of spans, of the links `which`, and of the product of two spans."""

    def __init__(self, which: str) -> None:
        def letter(name: str, *shape: int) -> Letter:
            return Letter(f"{name}({which})", shape)

        self.which = which
        self.a, self.j, self.c = letter("A", 6, 6), letter("J", 21), letter("C", 21)
        self.bias = letter("b, eta", 12)
        # K = (1 + C_x J_y)^-1 by its factors, K A, and K (b_x - C_x eta_y)
        self.lu, self.k_a, self.still = letter("K", 63), letter("K A", 6, 6), letter("k", 6)

    def b(self, level: int) -> Value:
        """C by its factors, a column for each link."""
        return Value(f"B, D({self.which})", level, (7, 2**level))

    def q(self, level: int) -> Value:
        """K where C is held by its factors."""
        return Value(f"Q, P({self.which})", level, (14, 2**level))


INNER, OUTER = SpanLetters("1..i"), SpanLetters("i..N")
# Of links 1..i, at the end: b, as it is sent, and as it is found
SENT, FREE = value("b of 1..i", 6), value("b_{1..i}", 6)


class Turn(Enum):
    """Where in a level of products a part of a round has its turn; each level has two rounds."""

    LEAVES = "its messages are sent"
    ARRIVES = "they are read, and what they make goes to the place of its next level"


LEAVES, ARRIVES = Turn
Level = Callable[[int, int], Iterator[Instruction | Turn]]
BY_FACTORS = 2
"""Levels that begin with C by its factors, where a joint is one column: fewer words, less work."""


class Compliance:
    """C and K of a level, and the kernels of their form: by factors first, then packed."""

    def __init__(self, of: SpanLetters, level: int, arm: Arm) -> None:
        few = min(BY_FACTORS, levels(arm.n)) if arm.lean else 0
        self.by_factors = level < few
        if self.by_factors:
            self.c, self.k, self.of_link = of.b(level), of.q(level), B_HELD
            kernels = (ports.close_few, ports.through_few, ports.few_behind, ports.few_ahead)
        else:
            self.c, self.k, self.of_link = of.c[level], of.lu[level], C_HELD
            kernels = (ports.close, ports.through, ports.compliance_behind, ports.compliance_ahead)
        if level + 1 == few:
            kernels = (*kernels[:2], ports.packed_behind, ports.packed_ahead)
        self.close, self.through, self.behind, self.ahead = kernels

    def still(self, b: Operand, bias: Operand, c: Operand, j: Operand) -> Expression:
        """K (b_x - C_x eta_y)."""
        if self.by_factors:
            return ports.still_few(b, bias, self.k, c, j)
        return ports.still(b, bias, self.k, c)


def compliance(of: SpanLetters, arm: Arm) -> Value:
    """C after the last level."""
    return Compliance(of, levels(arm.n), arm).c


def links_inner(arm: Arm) -> Lines:
    """II.a.0: the links themselves; of the first C is enough, as the base does not move."""
    yield Name("II.a.0", Compliance(INNER, 0, arm).c, Compliance(INNER, 0, arm).of_link)
    yield Name("II.a.0", INNER.a[0], A_LINK, where=i > 1)
    yield Name("II.a.0", INNER.j[0], J_LINK, where=i > 1)


def inner(arm: Arm, array: Array) -> Level:
    """II.a: links 1..i for i < N. Of a span that begins at the base, C is enough."""
    n, a, k_a, s = arm.n, INNER.a, INNER.k_a, INNER.j

    def to(h: int, begin: int = 0) -> Destination:
        return array[i + h].only((i > begin) & (i < n - h))

    def first(j: int) -> Instruction:
        return changed(Send("II.a.1", Compliance(INNER, j - 1, arm).c, to(2 ** (j - 1))), level=j, at=j)

    def level(j: int, h: int) -> Iterator[Instruction | Turn]:
        p, more = j - 1, j < levels(n)
        x, then = Compliance(INNER, p, arm), Compliance(INNER, j, arm)
        joined, inside = (i > h) & (i < n), (i > 2 * h) & (i < n)
        yield LEAVES
        if j == 1:
            yield first(1)
        if more:
            yield Send("II.a.2", a[p], to(h, h))
        yield ARRIVES
        yield Compute("II.a.3", x.k, x.close(x.c[i - h], s[p]), joined)
        yield LEAVES
        yield Compute("II.a.4", then.c, x.behind(x.c, a[p].or_zero, x.k.or_zero), i < n)
        yield Arrange("II.a.4'", then.c, j, following(j, n))
        if more:
            yield Send("II.a.5", s[p], to(h, h))
            yield Compute("II.a.6", k_a[p], x.through(x.k, a[p][i - h]), inside)
            yield first(j + 1)
        yield ARRIVES
        if more:
            yield Compute("II.a.7", a[j], ports.chained_behind(a[p], k_a[p]), inside)
            yield Arrange("II.a.7'", a[j], j, j + 1)
            inertia = ports.inertia_behind(s[p][i - h], a[p][i - h], s[p], k_a[p])
            yield Compute("II.a.8", s[j], inertia, inside)
            yield Arrange("II.a.8'", s[j], j, j + 1)

    return level


def inner_biases(arm: Arm, array: Array) -> Lines:
    """II.b: b and eta of links 1..i for i < N, and at last b alone."""
    n, a, bias, s, still = arm.n, INNER.a, INNER.bias, INNER.j, INNER.still
    yield Name("II.b.0", bias[0], BIAS_LINK)

    def level(j: int, h: int) -> Lines:
        p, to = j - 1, array[i + h].only(i < n - h)
        x, goes = Compliance(INNER, p, arm), bias[p]
        if j == levels(n):
            goes = SENT
            yield Compute("II.b.1'", SENT, ports.from_base(bias[p]), i < n - h)
        yield Send("II.b.1", goes, to)
        stop = x.still(goes[i - h], bias[p][i], x.c[i - h], s[p][i])
        yield Compute("II.b.2", still[p], stop, (i > h) & (i < n))
        gains = (a[p].or_zero, still[p].or_zero)
        if j < levels(n):
            more = (bias[p][i - h].or_zero, s[p].or_zero, a[p][i - h].or_zero)
            yield Compute("II.b.3", bias[j], ports.bias_behind(bias[p], *gains, *more), i < n)
            yield Arrange("II.b.3'", bias[j], j, j + 1)
        else:
            yield Compute("II.b.3", FREE, ports.free_behind(bias[p], *gains), i < n)
            yield Arrange("II.b.3'", FREE, j, 0)

    yield from loop(n, level)


def links_outer(arm: Arm) -> Lines:
    """II.c.0: the links themselves."""
    for x, of_link in ((OUTER.j[0], J_LINK), (OUTER.a[0], A_LINK)):
        yield Name("II.c.0", x, of_link)
    yield Name("II.c.0", Compliance(OUTER, 0, arm).c, Compliance(OUTER, 0, arm).of_link)


def outer(arm: Arm, array: Array) -> Level:
    """II.c: links i..N."""
    n, a, k_a, s = arm.n, OUTER.a, OUTER.k_a, OUTER.j

    def first(j: int) -> Instruction:
        return changed(Send("II.c.1", s[j - 1], array[i - 2 ** (j - 1)]), level=j, at=j)

    def level(j: int, h: int) -> Iterator[Instruction | Turn]:
        p, place = j - 1, following(j, n)
        x, then = Compliance(OUTER, p, arm), Compliance(OUTER, j, arm)
        joined, of_next = i <= n - h, array[i - h]
        s_next, a_next = s[p][i + h].or_zero, a[p][i + h].or_zero
        yield LEAVES
        if j == 1:
            yield first(1)
        yield ARRIVES
        yield Send("II.c.2", a[p], of_next)
        yield Compute("II.c.3", x.k, x.close(x.c, s[p][i + h]), joined)
        yield Compute("II.c.4", k_a[p], x.through(x.k, a[p]), joined)
        yield LEAVES
        yield Compute("II.c.5", s[j], ports.inertia_behind(s[p], a[p], s_next, k_a[p].or_zero))
        yield Arrange("II.c.5'", s[j], j, place)
        yield Send("II.c.6", x.c, of_next)
        yield ARRIVES
        yield Compute("II.c.7", a[j], ports.chained_ahead(a[p], a_next, k_a[p].or_zero))
        yield Arrange("II.c.7'", a[j], j, place)
        if j < levels(n):
            yield first(j + 1)
        joining = x.ahead(x.c, x.c[i + h].or_zero, a_next, x.k.or_zero)
        yield Compute("II.c.8", then.c, joining)
        yield Arrange("II.c.8'", then.c, j, place)

    return level


def outer_biases(arm: Arm, array: Array) -> Lines:
    """II.d: b and eta of links i..N."""
    n, a, bias, s, still = arm.n, OUTER.a, OUTER.bias, OUTER.j, OUTER.still
    yield Name("II.d.0", bias[0], BIAS_LINK)

    def level(j: int, h: int) -> Lines:
        p = j - 1
        x, after = Compliance(OUTER, p, arm), bias[p][i + h]
        yield Send("II.d.1", bias[p], array[i - h])
        yield Compute("II.d.2", still[p], x.still(bias[p][i], after, x.c[i], s[p][i + h]), i <= n - h)
        more = (a[p], s[p][i + h].or_zero, a[p][i + h].or_zero, still[p].or_zero)
        yield Compute("II.d.3", bias[j], ports.bias_ahead(bias[p], after.or_zero, *more))
        yield Arrange("II.d.3'", bias[j], j, following(j, n))

    yield from loop(n, level)


def to_the_cut(arm: Arm, to: Array) -> Lines:
    """II.e: links 1..i to the process of link i+1, which cuts the chain there."""
    if arm.n > 1:
        yield Send("II.e.1", compliance(INNER, arm) + FREE, to[i + 1])


# ------------------------------------------------------------------ order of lines


def rounds(lines: Iterable[Instruction]) -> Iterator[Sequence[Instruction]]:
    """The levels of recurrences that follow each other, two parts each: what leaves, and what arrives. Lines
    between two recurrences belong to the next."""
    between: list[Instruction] = []
    for level, run in groupby(lines, key=lambda line: line.level):
        if level is None:
            between += run
            continue
        of_level = [*run]
        sent = {value for line in of_level if isinstance(line, Send) for value in line.values}
        leaves = [line for line in of_level if isinstance(line, Send) or target_of(line) in sent]
        yield [*between, *leaves]
        yield [line for line in of_level if line not in leaves]
        between = []
    yield between


def woven(n: int, level: Level, rounds: Iterable[Sequence[Instruction]]) -> list[list[Instruction]]:
    """The levels of the products, a list each, with a round at every turn; then the rounds left."""
    waiting = iter(rounds)
    of_levels = []
    for j in range(1, levels(n) + 1):
        lines: list[Instruction] = []
        for entry in level(j, 2 ** (j - 1)):
            if isinstance(entry, Turn):
                lines += next(waiting)
            else:
                lines.append(entry if entry.level is not None else changed(entry, level=j, at=j))
        of_levels.append(lines)
    return [*of_levels, [*chain.from_iterable(waiting)]]


def plain(n: int, level: Level) -> Lines:
    """The levels of the products, without anything between."""
    return chain.from_iterable(woven(n, level, repeat((), 4 * levels(n))))


def together(lines: Iterable[Instruction]) -> Lines:
    """Recurrences in one direction, each level with one message to the partner and one to the next place."""
    parts = rounds(by_level(lines))
    for leaves, arrives in zip_longest(parts, parts, fillvalue=()):
        sends = [line for line in leaves if isinstance(line, Send)]
        arranges = [line for line in arrives if isinstance(line, Arrange)]
        yield from (line for line in leaves if not isinstance(line, Send))
        if not sends:  # after the last level
            return
        sent = tuple(value for line in sends for (value,) in line.cargo)
        whom = max((line.destinations for line in sends), key=_reach)
        yield changed(sends[0], cargo=(sent,), destinations=whom)
        yield from (line for line in arrives if not isinstance(line, Arrange))
        yield changed(arranges[-1], values=tuple(value for line in arranges for value in line.values))


def by_level(lines: Iterable[Instruction]) -> list[Instruction]:
    """The lines in the order of levels, those of no level first."""
    return sorted(lines, key=lambda line: line.level or 0)


def _reach(destinations: tuple[Destination, ...]) -> float:
    """Number of processes that may send there; a value that fewer processes have does not need fewer."""
    (to,) = destinations
    return inf if to.where is None else sum(len(part) - 1 for part in to.where.parts)

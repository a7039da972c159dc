"""Step II of the star program: the spans 1..i and i..N by recursive doubling, A, J and C before b and eta.

The order of a level is that in which least is waited for: what a level begins with (C of 1..i, J of i..N) is
made first and sent on before the level before has ended, and everything else when its turn comes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType

from senn.algorithms.arm import Arm
from senn.algorithms.arm.wide import Wide
from senn.algorithms.kernels.two_ports import few, span
from senn.algorithms.programs.recurrence import following
from senn.algorithms.programs.star.letters import *
from senn.algorithms.programs.star.order import ARRIVES, LEAVES, Turn
from senn.machine.program import (
    Arrange,
    Array,
    Compute,
    Destination,
    Expression,
    Instruction,
    Kernel,
    Name,
    Operand,
    Send,
    Value,
    i,
    levels,
    loop,
    replace_place,
)

Lines = Iterator[Instruction]
Level = Callable[[int, int], Iterator[Instruction | Turn]]
BY_FACTORS = 2
"""So many levels begin with C by its factors, where a joint is one column: fewer words and less work."""


class Held:
    """How C and K of a level are held, and the kernels for it: by factors first, then packed."""

    def __init__(self, of: Span, level: int, arm: Arm) -> None:
        by_factors = 0 if isinstance(arm, Wide) else min(BY_FACTORS, levels(arm.n))
        few_links, last_few = level < by_factors, level + 1 == by_factors
        self.c = of.b(level) if few_links else of.c[level]
        self.k = of.q(level) if few_links else of.lu[level]
        self.kernels: ModuleType = few if few_links else span
        self.own = B_HELD if few_links else C_HELD
        self.behind: Kernel = few.packed_behind if last_few else self.kernels.compliance_behind
        self.few = few_links
        self.ahead: Kernel = few.packed_ahead if last_few else self.kernels.compliance_ahead

    def still(self, b: Operand, bias: Operand, c: Operand, j: Operand) -> Expression:
        """K (b_x - C_x eta_y)."""
        return few.still(b, bias, self.k, c, j) if self.few else span.still(b, bias, self.k, c)


def compliance(of: Span, arm: Arm) -> Value:
    """C after the last level."""
    return Held(of, levels(arm.n), arm).c


def links_inner(arm: Arm) -> Lines:
    """II.a.0: the links themselves; for the base does not move, the first is known by C."""
    yield Name("II.a.0", Held(INNER, 0, arm).c, Held(INNER, 0, arm).own)
    yield Name("II.a.0", INNER.a[0], A_LINK, where=i > 1)
    yield Name("II.a.0", INNER.j[0], J_LINK, where=i > 1)


def inner(arm: Arm, array: Array) -> Level:
    """II.a: links 1..i for i < N. Once a span begins at the base, C is all that is asked for."""
    n, a, k_a, s = arm.n, INNER.a, INNER.k_a, INNER.j

    def to(h: int, begin: int = 0) -> Destination:
        return array[i + h].only((i > begin) & (i < n - h))

    def first(j: int) -> Instruction:
        return replace_place(Send("II.a.1", Held(INNER, j - 1, arm).c, to(2 ** (j - 1))), level=j, at=j)

    def level(j: int, h: int) -> Iterator[Instruction | Turn]:
        p, more = j - 1, j < levels(n)
        held, then = Held(INNER, p, arm), Held(INNER, j, arm)
        joined, inside = (i > h) & (i < n), (i > 2 * h) & (i < n)
        yield LEAVES
        if j == 1:
            yield first(1)
        if more:
            yield Send("II.a.2", a[p], to(h, h))
        yield ARRIVES
        yield Compute("II.a.3", held.k, held.kernels.close(held.c[i - h], s[p]), joined)
        yield LEAVES
        yield Compute("II.a.4", then.c, held.behind(held.c, a[p].or_zero, held.k.or_zero), i < n)
        yield Arrange("II.a.4'", then.c, j, following(j, n))
        if more:
            yield Send("II.a.5", s[p], to(h, h))
            yield Compute("II.a.6", k_a[p], held.kernels.through(held.k, a[p][i - h]), inside)
            yield first(j + 1)
        yield ARRIVES
        if more:
            yield Compute("II.a.7", a[j], span.chained_behind(a[p], k_a[p]), inside)
            yield Arrange("II.a.7'", a[j], j, j + 1)
            inertia = span.inertia_behind(s[p][i - h], a[p][i - h], s[p], k_a[p])
            yield Compute("II.a.8", s[j], inertia, inside)
            yield Arrange("II.a.8'", s[j], j, j + 1)

    return level


def inner_biases(arm: Arm, array: Array) -> Lines:
    """II.b: the same for b and eta, and at last b alone."""
    n, a, bias, s, still = arm.n, INNER.a, INNER.bias, INNER.j, INNER.still
    yield Name("II.b.0", bias[0], BIAS_LINK)

    def level(j: int, h: int) -> Lines:
        p, to = j - 1, array[i + h].only(i < n - h)
        held, goes = Held(INNER, p, arm), bias[p]
        if j == levels(n):
            goes = SENT
            yield Compute("II.b.1'", SENT, span.from_base(bias[p]), i < n - h)
        yield Send("II.b.1", goes, to)
        stop = held.still(goes[i - h], bias[p][i], held.c[i - h], s[p][i])
        yield Compute("II.b.2", still[p], stop, (i > h) & (i < n))
        gains = (a[p].or_zero, still[p].or_zero)
        if j < levels(n):
            more = (bias[p][i - h].or_zero, s[p].or_zero, a[p][i - h].or_zero)
            yield Compute("II.b.3", bias[j], span.bias_behind(bias[p], *gains, *more), i < n)
            yield Arrange("II.b.3'", bias[j], j, j + 1)
        else:
            yield Compute("II.b.3", FREE, span.free_behind(bias[p], *gains), i < n)
            yield Arrange("II.b.3'", FREE, j, 0)

    yield from loop(n, level)


def links_outer(arm: Arm) -> Lines:
    """II.c.0: the links themselves."""
    for x, own in ((OUTER.j[0], J_LINK), (OUTER.a[0], A_LINK)):
        yield Name("II.c.0", x, own)
    yield Name("II.c.0", Held(OUTER, 0, arm).c, Held(OUTER, 0, arm).own)


def outer(arm: Arm, array: Array) -> Level:
    """II.c: links i..N."""
    n, a, k_a, s = arm.n, OUTER.a, OUTER.k_a, OUTER.j

    def first(j: int) -> Instruction:
        return replace_place(Send("II.c.1", s[j - 1], array[i - 2 ** (j - 1)]), level=j, at=j)

    def level(j: int, h: int) -> Iterator[Instruction | Turn]:
        p, place = j - 1, following(j, n)
        held, then = Held(OUTER, p, arm), Held(OUTER, j, arm)
        joined, of_next = i <= n - h, array[i - h]
        s_next, a_next = s[p][i + h].or_zero, a[p][i + h].or_zero
        yield LEAVES
        if j == 1:
            yield first(1)
        yield ARRIVES
        yield Send("II.c.2", a[p], of_next)
        yield Compute("II.c.3", held.k, held.kernels.close(held.c, s[p][i + h]), joined)
        yield Compute("II.c.4", k_a[p], held.kernels.through(held.k, a[p]), joined)
        yield LEAVES
        yield Compute("II.c.5", s[j], span.inertia_ahead(s[p], a[p], s_next, k_a[p].or_zero))
        yield Arrange("II.c.5'", s[j], j, place)
        yield Send("II.c.6", held.c, of_next)
        yield ARRIVES
        yield Compute("II.c.7", a[j], span.chained_ahead(a[p], a_next, k_a[p].or_zero))
        yield Arrange("II.c.7'", a[j], j, place)
        if j < levels(n):
            yield first(j + 1)
        joining = held.ahead(held.c, held.c[i + h].or_zero, a_next, held.k.or_zero)
        yield Compute("II.c.8", then.c, joining)
        yield Arrange("II.c.8'", then.c, j, place)

    return level


def outer_biases(arm: Arm, array: Array) -> Lines:
    """II.d: the same for b and eta."""
    n, a, bias, s, still = arm.n, OUTER.a, OUTER.bias, OUTER.j, OUTER.still
    yield Name("II.d.0", bias[0], BIAS_LINK)

    def level(j: int, h: int) -> Lines:
        p = j - 1
        held, after = Held(OUTER, p, arm), bias[p][i + h]
        yield Send("II.d.1", bias[p], array[i - h])
        yield Compute("II.d.2", still[p], held.still(bias[p][i], after, held.c[i], s[p][i + h]), i <= n - h)
        more = (a[p], s[p][i + h].or_zero, a[p][i + h].or_zero, still[p].or_zero)
        yield Compute("II.d.3", bias[j], span.bias_ahead(bias[p], after.or_zero, *more))
        yield Arrange("II.d.3'", bias[j], j, following(j, n))

    yield from loop(n, level)


def to_the_cut(arm: Arm, to: Array) -> Lines:
    """II.e: links 1..i to the process of link i+1, which cuts the chain there."""
    if arm.n > 1:
        yield Send("II.e.1", compliance(INNER, arm) + FREE, to[i + 1])

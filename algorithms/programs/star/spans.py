"""Step II of the star program: the spans 1..i and i..N by recursive doubling, A, J and C before b and eta."""

from __future__ import annotations

from collections.abc import Iterator

from senn.algorithms.arm import Arm
from senn.algorithms.arm.letters import last
from senn.algorithms.kernels.two_ports import span
from senn.algorithms.programs.recurrence import following
from senn.algorithms.programs.star.letters import *
from senn.machine.program import Arrange, Array, Compute, Instruction, Name, Send, i, levels, loop

Lines = Iterator[Instruction]


def inner(arm: Arm, array: Array) -> Lines:
    """II.a: links 1..i for i < N. Once a span begins at the base, C is all that is asked for."""
    n, of = arm.n, INNER
    a, c, k_a, k_c, lu, s = of.a, of.c, of.k_a, of.k_c, of.lu, of.j
    yield Name("II.a.0", c[0], C_HELD)
    yield Name("II.a.0", a[0], A_LINK, where=i > 1)
    yield Name("II.a.0", s[0], J_LINK, where=i > 1)

    def level(j: int, h: int) -> Lines:
        p = j - 1
        joined, inside = (i > h) & (i < n), (i > 2 * h) & (i < n)
        yield Send("II.a.1", c[p], array[i + h].only(i < n - h))
        if j < levels(n):
            yield Send("II.a.2", a[p], array[i + h].only((i > h) & (i < n - h)))
            yield Send("II.a.3", s[p], array[i + h].only((i > h) & (i < n - h)))
        yield Compute("II.a.4", lu[p], span.close(c[p][i - h], s[p]), joined)
        yield Compute("II.a.5", k_c[p], span.through_packed(lu[p], c[p][i - h]), joined)
        yield Compute("II.a.6", c[j], span.compliance_behind(c[p], a[p].or_zero, k_c[p].or_zero), i < n)
        yield Arrange("II.a.6'", c[j], j, following(j, n))
        if j < levels(n):
            yield Compute("II.a.7", k_a[p], span.through(lu[p], a[p][i - h]), inside)
            yield Compute("II.a.8", a[j], span.chained_behind(a[p], k_a[p]), inside)
            yield Arrange("II.a.8'", a[j], j, j + 1)
            inertia = span.inertia_behind(s[p][i - h], a[p][i - h], s[p], k_a[p])
            yield Compute("II.a.9", s[j], inertia, inside)
            yield Arrange("II.a.9'", s[j], j, j + 1)

    yield from loop(n, level)


def inner_biases(arm: Arm, array: Array) -> Lines:
    """II.b: the same for b and eta, and at last b alone."""
    n, of = arm.n, INNER
    a, bias, c, lu, s = of.a, of.bias, of.c, of.lu, of.j
    yield Name("II.b.0", bias[0], BIAS_LINK)

    def level(j: int, h: int) -> Lines:
        p, to = j - 1, array[i + h].only(i < n - h)
        before = (lu[p].or_zero, c[p][i - h].or_zero, a[p].or_zero)
        if j < levels(n):
            yield Send("II.b.1", bias[p], to)
            more = (*before, s[p].or_zero, a[p][i - h].or_zero)
            yield Compute("II.b.2", bias[j], span.bias_behind(bias[p], bias[p][i - h].or_zero, *more), i < n)
            yield Arrange("II.b.2'", bias[j], j, j + 1)
        else:
            yield Compute("II.b.1'", SENT, span.from_base(bias[p]), i < n - h)
            yield Send("II.b.1", SENT, to)
            yield Compute("II.b.2", FREE, span.free_behind(bias[p], SENT[i - h].or_zero, *before), i < n)
            yield Arrange("II.b.2'", FREE, j, 0)

    yield from loop(n, level)


def outer(arm: Arm, array: Array) -> Lines:
    """II.c: links i..N."""
    n, of = arm.n, OUTER
    a, c, k_a, k_c, lu, s = of.a, of.c, of.k_a, of.k_c, of.lu, of.j
    for letter, own in ((s, J_LINK), (a, A_LINK), (c, C_HELD)):
        yield Name("II.c.0", letter[0], own)

    def level(j: int, h: int) -> Lines:
        p, then, joined = j - 1, following(j, n), i <= n - h
        for step, x in enumerate((s, a, c), start=1):
            yield Send(f"II.c.{step}", x[p], array[i - h])
        yield Compute("II.c.4", lu[p], span.close(c[p], s[p][i + h]), joined)
        yield Compute("II.c.5", k_a[p], span.through(lu[p], a[p]), joined)
        yield Compute("II.c.6", s[j], span.inertia_ahead(s[p], a[p], s[p][i + h].or_zero, k_a[p].or_zero))
        yield Arrange("II.c.6'", s[j], j, then)
        yield Compute("II.c.7", a[j], span.chained_ahead(a[p], a[p][i + h].or_zero, k_a[p].or_zero))
        yield Arrange("II.c.7'", a[j], j, then)
        yield Compute("II.c.8", k_c[p], span.through_packed(lu[p], c[p]), joined)
        after = (c[p][i + h].or_zero, a[p][i + h].or_zero, k_c[p].or_zero)
        yield Compute("II.c.9", c[j], span.compliance_ahead(c[p], *after))
        yield Arrange("II.c.9'", c[j], j, then)

    yield from loop(n, level)


def outer_biases(arm: Arm, array: Array) -> Lines:
    """II.d: the same for b and eta."""
    n, of = arm.n, OUTER
    a, bias, c, lu, s = of.a, of.bias, of.c, of.lu, of.j
    yield Name("II.d.0", bias[0], BIAS_LINK)

    def level(j: int, h: int) -> Lines:
        p = j - 1
        yield Send("II.d.1", bias[p], array[i - h])
        more = (lu[p].or_zero, c[p], s[p][i + h].or_zero, a[p], a[p][i + h].or_zero)
        yield Compute("II.d.2", bias[j], span.bias_ahead(bias[p], bias[p][i + h].or_zero, *more))
        yield Arrange("II.d.2'", bias[j], j, following(j, n))

    yield from loop(n, level)


def to_the_cut(arm: Arm, to: Array) -> Lines:
    """II.e: links 1..i to the process of link i+1, which cuts the chain there."""
    if arm.n > 1:
        yield Send("II.e.1", last(INNER.c, arm.n), to[i + 1])
        yield Send("II.e.2", FREE, to[i + 1])

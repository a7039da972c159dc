"""Operations of the passes in `tests.oracles.economical.chain`, executed on scalars that count."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from senn.machine.program import Operations
from senn.machine.program.counting import Tally
from tests.oracles.economical import chain, motion, null_space
from tests.oracles.economical.links import Link
from tests.oracles.economical.screws import REST, Pair, Screw, X, Z, add, dot, lever, plus, sub, turned


def _passes(totals: Iterator[Operations]) -> list[Operations]:
    """Differences of totals, the first against nothing."""
    return [Operations(*(b - a for a, b in zip(*x, strict=True))) for x in pairwise([Operations(), *totals])]


def outward(n: int) -> Operations:
    """The closed chain with a welded tip: qdd, the contact force and Lambda^-1."""
    return list(_outward(n))[-1]


def inverse() -> Operations:
    """What Lambda^-1 adds to qdd and the force."""
    return _passes(_outward(6))[-1]


def in_null_space(n: int) -> Operations:
    """The closed chain with a welded tip: qdd and the contact force."""
    tally = Tally()
    links, _ = _arm(tally, n)
    rates, torques, gravity, wanted, last = (
        tally.scalars(*shape).tolist() for shape in ((n,), (n,), (3,), (6,), (6, 6))
    )
    before = tally.operations
    null_space.solve(links, null_space.State(tally.scalars(n), rates, torques, gravity, wanted, last))
    return Operations(*(b - a for a, b in zip(before, tally.operations, strict=True)))


def hung(n: int) -> list[Operations]:
    """The passes of n inner links: to the cut, C and b, accelerations."""
    return _passes(_hung(n))


def block(n: int) -> list[Operations]:
    """The passes of a block of n links: sines and cosines; [C; omega]; A, J and C; b and eta; qdd."""
    turns, moving, still, loaded, back = _passes(_block(n))
    return [turns, moving, still, Operations(*(a - b for a, b in zip(loaded, still, strict=True))), back]


def _arm(tally: Tally, n: int) -> tuple[list[Link], list[Screw]]:
    def some(*shape: int) -> Any:
        return tally.scalars(*shape).tolist()

    def link() -> Link:
        (x,) = some(1)
        return Link(Screw(X, x, x, x), x, some(3), x, some(3), some(3, 3), some(3, 3))

    q, links = tally.scalars(n), [link() for _ in range(n)]
    return links, motion.joint_screws(links, list(zip(np.cos(q).tolist(), np.sin(q).tolist(), strict=True)))


def _outward(n: int) -> Iterator[Operations]:
    tally = Tally()
    links, joints = _arm(tally, n)
    x = tally.scalars(n).tolist()
    loads, end = motion.outward(links, joints, x, motion.at_rest(x[:3]))
    whole = chain.anchored(links, joints, loads, x)
    inertia, load = chain.to_tip(whole.inertia, whole.load, links[-1])
    free = [*end.turning, *plus(end.point, end.g)]
    wanted = [sub(a, b) for a, b in zip(x[:6], free, strict=True)]
    at_tip = wanted[:3], wanted[3:]
    chain.respond(inertia, at_tip, load)
    chain.inward(links, joints, whole, _inside(at_tip, links[-1]))
    yield tally.operations
    chain.inverted(inertia)
    yield tally.operations


def _inside(moving: Pair, last: Link) -> Pair:
    return moving[0], lever(moving[1], last.offset, moving[0], Z)


def _hung(n: int) -> Iterator[Operations]:
    tally = Tally()
    links, joints = _arm(tally, n)
    x = tally.scalars(n).tolist()
    loads, end = motion.outward(links, joints, x, motion.at_rest(x[:3]))
    yield tally.operations
    whole = chain.anchored(links, joints, loads, x)
    inertia, load = chain.to_tip(whole.inertia, whole.load, links[-1])
    compliance = chain.inverted(inertia)
    rows = [[compliance[max(k, m)][min(k, m)] for m in range(6)] for k in range(6)]
    free = [-dot(row, [*load[0], *load[1]]) for row in rows]
    plus(free, [*end.turning, *plus(end.point, end.g)])
    yield tally.operations
    six = [add(dot(row, x[:6]), b) for row, b in zip(rows, free, strict=True)]
    chain.inward(links, joints, whole, _inside((six[:3], six[3:]), links[-1]))
    yield tally.operations


def _block(n: int) -> Iterator[Operations]:
    tally = Tally()
    links, joints = _arm(tally, n)
    x, spin = tally.scalars(max(n, 6)).tolist(), REST
    rates = x[:n]
    axes = [[1.0 if k == m else 0.0 for m in range(3)] for k in range(3)]
    yield tally.operations
    for link, joint, rate in zip(links, joints, rates, strict=True):
        axes = [turned(turned(v, joint), link.across) for v in axes]
        spin = turned(spin, joint)
        spin = turned([spin[0], spin[1], add(spin[2], rate)], link.across)
    yield tally.operations
    still = [(list(REST), list(REST)) for _ in links]
    chain.port(links, joints, still, [0.0] * n)
    yield tally.operations
    loads, end = motion.outward(links, joints, rates, motion.Moving(x[:3], REST, x[:3], x[:3]))
    of = chain.port(links, joints, loads, rates)
    plus(of.bias, [*end.turning, *plus(end.point, end.g)])
    yield tally.operations
    chain.outward(links, joints, of, (x[:3], x[3:6]), x[:6])
    yield tally.operations

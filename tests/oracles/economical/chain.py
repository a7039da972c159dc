"""Articulated bodies in scalars: from the base outward, and a chain of links as a two-port.

Newton-Euler gives the loads, so that accelerations are those against a chain whose joints do not accelerate,
and inertias carry loads and torques in one wrench. Indices of six-vectors: moment or angular part first; 2 is
that about the joint's axis.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.oracles.economical.links import Link
from tests.oracles.economical.screws import (
    Matrix,
    Pair,
    Scalar,
    Screw,
    Six,
    Vector,
    Z,
    add,
    dot,
    inertia,
    lever,
    mul,
    plus,
    scaled,
    shifted,
    sub,
    twist,
    wrench,
)

OTHERS = (0, 1, 3, 4, 5)


@dataclass(frozen=True)
class Hinge:
    """A joint that gives way."""

    inverse: Scalar
    """1 / D."""
    reach: Vector
    """Of the articulated inertia the column of the joint's axis, its OTHERS."""
    share: Vector
    """The same over D."""
    alone: Scalar
    felt: Vector
    """Of each unit force what it does about the axis, over D."""


def rigid(link: Link) -> Six:
    x, y, z = link.moment
    H = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]
    M = [[link.mass if k == m else 0.0 for m in range(3)] for k in range(3)]
    return Six([list(row) for row in link.inertia], H, M)


def together(x: Six, y: Six) -> Six:
    """The sum of two inertias; a rigid one adds 15 a."""
    return Six(*(_both(a, b, k != 1) for k, (a, b) in enumerate(zip(x, y, strict=True))))


def _both(x: Matrix, y: Matrix, symmetric: bool) -> Matrix:
    out = [[add(x[k][m], y[k][m]) if m >= k or not symmetric else 0.0 for m in range(3)] for k in range(3)]
    return [[out[min(k, m)][max(k, m)] if symmetric else out[k][m] for m in range(3)] for k in range(3)]


def _six(pair: Pair) -> Vector:
    return [*pair[0], *pair[1]]


def _pair(x: Vector) -> Pair:
    return list(x[:3]), list(x[3:])


@dataclass
class Forces:
    """Unit forces, what the joints passed do about them, and the accelerations along them."""

    columns: list[Pair]
    response: Matrix
    """L, lower triangle by rows."""
    rate: Vector

    def moved(self, screw: Screw) -> None:
        self.columns = [wrench(column, screw) for column in self.columns]


def _give_way(
    six: Six, load: Pair, push: Scalar, sign: int, forces: Forces | None
) -> tuple[Hinge, Six, Pair]:
    """The joint passed, and what is left of inertia and load; `push` drives the joint, and `sign` is that
    of the load."""
    inverse = 1.0 / six.I[Z][Z]
    reach = [six.I[0][Z], six.I[1][Z], *six.H[Z]]
    share, alone = scaled(inverse, reach), mul(inverse, push)
    felt: Vector = []
    if forces is not None:
        own = [moment[Z] for moment, _ in forces.columns]
        felt = scaled(inverse, own)
        for k, row in enumerate(forces.response):
            forces.response[k] = plus(row, [mul(own[k], felt[m]) for m in range(k + 1)])
        forces.rate = [add(r, mul(sign * 1.0, mul(x, alone))) for r, x in zip(forces.rate, own, strict=True)]
        for k, column in enumerate(forces.columns):
            whole = _six(column)
            for place, x in zip(OTHERS, share, strict=True):
                whole[place] = sub(whole[place], mul(x, own[k]))
            whole[Z] = 0.0
            forces.columns[k] = _pair(whole)
    rows, pushed = six.rows, _six(load)
    left = [[0.0] * 6 for _ in range(6)]
    for a, k in enumerate(OTHERS):
        pushed[k] = add(pushed[k], mul(sign * 1.0, mul(reach[a], alone)))
        for b, m in list(enumerate(OTHERS))[a:]:
            left[k][m] = left[m][k] = sub(rows[k][m], mul(reach[a], share[b]))
    blocks = [[row[c : c + 3] for row in left[r : r + 3]] for r, c in ((0, 0), (0, 3), (3, 3))]
    return Hinge(inverse, reach, share, alone, felt), Six(*blocks), _pair(pushed)


# --------------------------------------------------------------------- from the base outward


@dataclass(frozen=True)
class Anchored:
    """Links that hang on the base, seen from their outer end, not yet shifted along the next joint's axis:
    inertia a + load = wrench."""

    inertia: Six
    load: Pair
    hinges: list[Hinge]
    """Of all joints but the first."""
    base: tuple[Matrix, Vector, Matrix, Vector]
    """LDL' of L below the diagonal, D^-1, K' (5, 5) and the rate, where the base is solved."""


SOLVED_AT = 5
"""The link behind six joints."""


def anchored(links: list[Link], joints: list[Screw], loads: list[Pair], tau: Vector) -> Anchored:
    """The base holds link 1 in five directions, which is solved behind six joints."""
    unit = [[1.0 if m == k else 0.0 for m in range(6)] for k in OTHERS]
    empty = [[0.0] * (k + 1) for k in range(5)]
    forces: Forces | None = Forces([_pair(row) for row in unit], empty, [0.0] * 5)
    six, load, hinges = rigid(links[0]), _six(loads[0]), []
    load[Z] = sub(load[Z], tau[0])
    at, base = _pair(load), None
    for k, (link, joint) in enumerate(zip(links, joints, strict=True)):
        if k:
            hinge, six, at = _give_way(six, at, add(tau[k], at[0][Z]), -1, forces)
            hinges.append(hinge)
            at[0][Z] = -tau[k]  # about the axis it is what the joint gives
            six, at = inertia(six, joint), wrench(at, joint)
            if forces is not None:
                forces.moved(joint)
            if k == SOLVED_AT and forces is not None:
                base, six, at = _solved(forces, six, at)
                forces = None
            six, at = together(six, rigid(link)), _pair(plus(_six(at), _six(loads[k])))
        six, at = inertia(six, link.across), wrench(at, link.across)
        if forces is not None:
            forces.moved(link.across)
    assert base is not None
    return Anchored(six, at, hinges, base)


def _solved(forces: Forces, six: Six, load: Pair) -> tuple[tuple[Matrix, Vector, Matrix, Vector], Six, Pair]:
    """The base as one more inertia and load."""
    lower, inverse = ldl(forces.response)
    across = [[_six(column)[k] for k in OTHERS] for column in forces.columns]
    halves = [halved(lower, [row[k] for row in across]) for k in range(5)]
    weighted = [[mul(d, x) for d, x in zip(inverse, half, strict=True)] for half in halves]
    rate = halved(lower, forces.rate)
    stiff, push = [[0.0] * 6 for _ in range(6)], [0.0] * 6
    for a, k in enumerate(OTHERS):
        push[k] = dot(weighted[a], rate)
        for b, m in list(enumerate(OTHERS))[: a + 1]:
            stiff[k][m] = stiff[m][k] = dot(halves[a], weighted[b])
    blocks = Six(*([row[c : c + 3] for row in stiff[r : r + 3]] for r, c in ((0, 0), (0, 3), (3, 3))))
    added = _pair(plus(_six(load), push))
    return (lower, inverse, across, forces.rate), together(six, blocks), added


def ldl(packed: Matrix) -> tuple[Matrix, Vector]:
    """LDL' of a symmetric matrix, lower triangle by rows: L below the diagonal, and D^-1."""
    left, inverse = [list(row) for row in packed], []
    for k in range(len(left)):
        inverse.append(1.0 / left[k][k])
        column = [row[k] for row in left[k + 1 :]]
        for i in range(k + 1, len(left)):
            left[i][k] = mul(left[i][k], inverse[k])
            for j in range(k + 1, i + 1):
                left[i][j] = sub(left[i][j], mul(left[i][k], column[j - k - 1]))
    return [row[:-1] for row in left], inverse


def halved(lower: Matrix, x: Vector) -> Vector:
    """The substitution forward."""
    out: Vector = []
    for row, own in zip(lower, x, strict=True):
        out.append(sub(own, dot(row, out)))
    return out


def back(lower: Matrix, x: Vector) -> Vector:
    """The substitution backward."""
    out = list(x)
    for k in reversed(range(len(out))):
        for j in range(k):
            out[j] = sub(out[j], mul(lower[k][j], out[k]))
    return out


def inverted(six: Six) -> Matrix:
    """The lower triangle of the inverse: of L^-1' D^-1 L^-1."""
    rows = six.rows
    lower, inverse = ldl([rows[k][: k + 1] for k in range(6)])
    columns = [halved(lower, [1.0 if m == k else 0.0 for m in range(6)]) for k in range(6)]
    weighted = [[mul(d, x) for d, x in zip(inverse, column, strict=True)] for column in columns]
    return [[dot(columns[k], weighted[m]) for m in range(k + 1)] for k in range(6)]


def respond(six: Six, motion: Pair, load: Pair) -> Pair:
    """inertia a + load."""
    return _pair(plus([dot(row, _six(motion)) for row in six.rows], _six(load)))


def inward(links: list[Link], joints: list[Screw], whole: Anchored, motion: Pair) -> Vector:
    """qdd from the acceleration of the outer end."""
    qdd: Vector = []
    multipliers: Vector = []
    for k in reversed(range(len(links))):
        if not k:
            qdd.append(twist(([0.0, *motion[0][1:]], [0.0] * 3), links[0].across.back)[0][Z])
            break
        motion = twist(motion, links[k].across.back)
        if k == SOLVED_AT:
            multipliers = _multipliers(whole.base, motion)
        motion = twist(motion, joints[k].back)
        hinge, own = whole.hinges[k - 1], [_six(motion)[m] for m in OTHERS]
        moved = add(dot(hinge.share, own), hinge.alone)
        if k <= SOLVED_AT:
            moved = sub(moved, dot(hinge.felt, multipliers))
        qdd.append(add(motion[0][Z], moved))
        motion = ([*motion[0][:Z], -moved], motion[1])
    return qdd[::-1]


def _multipliers(base: tuple[Matrix, Vector, Matrix, Vector], motion: Pair) -> Vector:
    lower, inverse, across, rate = base
    own = [_six(motion)[k] for k in OTHERS]
    half = halved(lower, [-add(r, dot(row, own)) for row, r in zip(across, rate, strict=True)])
    return back(lower, [mul(d, x) for d, x in zip(inverse, half, strict=True)])


# ------------------------------------------------------------------------------- two-ports


@dataclass(frozen=True)
class Port:
    """A chain as a two-port, inner end before its first joint turns."""

    across: list[Pair]
    """A by columns of A': what the inner end feels of unit forces at the outer one."""
    inertia: Six
    compliance: Matrix
    bias: Vector
    eta: Vector
    hinges: list[Hinge]


def port(links: list[Link], joints: list[Screw], loads: list[Pair], tau: Vector) -> Port:
    """Inward, from unit forces along all six axes of the outer end."""
    unit = [_pair([1.0 if m == k else 0.0 for m in range(6)]) for k in range(6)]
    forces = Forces(unit, [[0.0] * (k + 1) for k in range(6)], [0.0] * 6)
    forces.columns = [(lever(m, links[-1].offset, f, Z), f) for m, f in forces.columns]
    six: Six | None = None
    at: Pair = ([0.0] * 3, [0.0] * 3)
    hinges = []
    for k in reversed(range(len(links))):
        across, joint = links[k].across.back, joints[k].back
        forces.moved(across)
        six = rigid(links[k]) if six is None else together(inertia(six, across), rigid(links[k]))
        at = _pair(plus(_six(wrench(at, across)), _six(loads[k])))
        hinge, six, at = _give_way(six, at, sub(tau[k], at[0][Z]), 1, forces)
        hinges.append(hinge)
        at[0][Z] = tau[k]
        six, at = inertia(six, joint), wrench(at, joint)
        forces.moved(joint)
    assert six is not None
    return Port(forces.columns, six, forces.response, forces.rate, _six(at), hinges[::-1])


def outward(links: list[Link], joints: list[Screw], of: Port, motion: Pair, force: Vector) -> Vector:
    """qdd where the inner end accelerates so, and the outer end exerts this wrench."""
    qdd = []
    for link, joint, hinge in zip(links, joints, of.hinges, strict=True):
        motion = twist(motion, joint)
        own = [_six(motion)[m] for m in OTHERS]
        moved = sub(sub(hinge.alone, dot(hinge.felt, force)), dot(hinge.share, own))
        qdd.append(sub(moved, motion[0][Z]))
        motion = twist(([*motion[0][:Z], moved], motion[1]), link.across)
    return qdd


def to_tip(six: Six, load: Pair, last: Link) -> tuple[Six, Pair]:
    """At O_{n+1}."""
    moved = lever(load[0], -last.offset, load[1], Z), load[1]
    return shifted(six, last.offset, Z), moved

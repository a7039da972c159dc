"""The closed chain by Popov and Vereshchagin, O(n): one pass inward and one outward, the contact on the way.

Inward, with the articulated inertias, go the m unit forces of the contact. Every joint gives way to them,
which leaves no moment about its axis, and what it does is added to L and to the rate of the tip. Where the
contact is solved, L becomes an inertia that the links before carry with their own (PV-early: Sathya,
Bruyninckx, Decre and Pipeleers 2024); solved at the base it is that of nobody (PV).
"""

from dataclasses import dataclass

from tests.oracles.economical.articulated import Hinge, hinge_of, plus_rigid, rigid, without_joint
from tests.oracles.economical.links import Link
from tests.oracles.economical.screws import (
    Matrix,
    Scalar,
    Screw,
    Six,
    Vector,
    inertia_inward,
    inward,
    plus_cross,
    twist_outward,
    wrench_inward,
)
from tests.oracles.economical.vectors import dot, plus, scaled

Y, Z = 1, 2
OTHERS = ((0, 0), (0, 1), (1, 0), (1, 1), (1, 2))
"""The five entries of a wrench without a moment about z: 0 moment, 1 force; and which of its three."""


@dataclass
class Contact:
    """The unit forces, seen from a link, and what the links beyond do about them."""

    columns: list[tuple[Vector, Vector]]
    """m of (moment, force)."""
    response: Matrix | None
    """L, lower triangle by rows; None: of no joint yet."""
    rate: Vector
    """(m,) accelerations along them, less what is prescribed."""


@dataclass(frozen=True)
class Solved:
    """The contact as equations at a link."""

    lower: Matrix
    """LDL' of L: rows below the diagonal."""
    inverse: Vector
    """D^-1 (m,)."""
    across: Matrix
    """K' (m, 5)."""
    rate: Vector

    def by(self, twist: Vector | None) -> Vector:
        """Multipliers (m,) where the link before accelerates by this, its five OTHERS; None: it is still."""
        rate = self.rate
        if twist is not None:
            rate = [r + dot(row, twist) for r, row in zip(rate, self.across, strict=True)]
        half = self.halved(rate)
        found = [d * x for d, x in zip(self.inverse, half, strict=True)]
        for k in reversed(range(len(found))):
            for j in range(k):
                found[j] = found[j] - self.lower[k][j] * found[k]
        return found

    def halved(self, x: Vector) -> Vector:
        """The substitution forward."""
        out: Vector = []
        for row, own in zip(self.lower, x, strict=True):
            for entry, known in zip(row, out, strict=True):
                own = own - entry * known
            out.append(own)
        return out

    def added(self) -> tuple[Matrix, Vector]:
        """K L^-1 K', its lower triangle over the five OTHERS, and K L^-1 rate (5,)."""
        columns = [self.halved([row[k] for row in self.across]) for k in range(5)]
        weighted = [[d * x for d, x in zip(self.inverse, column, strict=True)] for column in columns]
        half = self.halved(self.rate)
        stiff = [[dot(columns[k], weighted[j]) for j in range(k + 1)] for k in range(5)]
        return stiff, [dot(column, half) for column in weighted]


def from_tip(directions: Matrix, last: Link) -> list[tuple[Vector, Vector]]:
    """Unit forces along these directions (m, 6) of the end effector, in the axes of the last link at O_n."""
    found = []
    for one in directions:
        moment, force = list(one[:3]), list(one[3:])
        found.append(wrench_inward(plus_cross(moment, last.offset, force, Z), force, last.across))
    return found


def closed_chain(
    links: list[Link],
    joints: list[Screw],
    torques: Vector,
    contact: Contact,
    solved_after: int,
) -> tuple[Vector, Vector]:
    """Joint accelerations of the arm at rest, and the multipliers, solved after so many joints."""
    n, there = len(links), len(links) - solved_after
    hinges: list[Hinge] = []
    alone: Vector = []
    shares: Matrix = []
    beyond: Six | None = None
    bias: tuple[Vector, Vector] | None = None
    equations: Solved | None = None
    for i in reversed(range(n)):
        whole = rigid(links[i]) if beyond is None else plus_rigid(beyond, links[i])
        hinge = hinge_of(whole)
        hinges.append(hinge)
        alone.append(hinge.inverse * (torques[i] if bias is None else torques[i] - bias[0][Z]))
        if equations is None:
            shares.append(_given_way(contact, hinge, alone[-1]))
        if i == there:
            equations = _equations(contact)
        if not i:
            break
        left, carried = without_joint(whole, hinge), [x * alone[-1] for x in hinge.reach]
        if bias is not None:
            carried = plus([*bias[0][:Z], *bias[1]], carried)
        if i == there and equations is not None:
            stiff, push = equations.added()
            left, carried = _joined(left, stiff), plus(carried, push)
        moment = [*carried[:Z], torques[i]]  # about the axis it is what the joint gives
        bias = wrench_inward(*wrench_inward(moment, carried[Z:], joints[i]), links[i - 1].across)
        beyond = inertia_inward(inertia_inward(left, joints[i], hinged=True), links[i - 1].across)
        if equations is None:
            contact.columns = [_inward(*one, joints[i], links[i - 1].across) for one in contact.columns]
    assert equations is not None
    return _outward(links, joints, hinges[::-1], alone[::-1], shares[::-1], equations, there)


def _given_way(contact: Contact, hinge: Hinge, alone: Scalar) -> Vector:
    """The joint passed: what a unit of each multiplier takes from it."""
    felt = [moment[Z] for moment, _ in contact.columns]
    share = scaled(hinge.inverse, felt)
    new = [[felt[k] * share[j] for j in range(k + 1)] for k in range(len(felt))]
    old = contact.response
    contact.response = new if old is None else [plus(x, y) for x, y in zip(old, new, strict=True)]
    contact.rate = [rate + f * alone for rate, f in zip(contact.rate, felt, strict=True)]
    passed = []
    for (moment, force), part in zip(contact.columns, felt, strict=True):
        less = [x - s * part for x, s in zip([*moment[:Z], *force], hinge.share, strict=True)]
        passed.append(([*less[:Z], 0.0], less[Z:]))
    contact.columns = passed
    return share


def _joined(left: Six, stiff: Matrix) -> Six:
    """An inertia without rows of z, and another: 15 a."""
    I, H, M = ([list(row) for row in block] for block in left)
    for k in (0, Y):
        for m in range(k + 1):
            I[k][m] = I[m][k] = I[k][m] + stiff[k][m]
        for m in range(3):
            H[k][m] = H[k][m] + stiff[2 + m][k]
    for k in range(3):
        for m in range(k + 1):
            M[k][m] = M[m][k] = M[k][m] + stiff[2 + k][2 + m]
    return Six(I, H, M)


def _inward(moment: Vector, force: Vector, joint: Screw, across: Screw) -> tuple[Vector, Vector]:
    """`wrench_inward` twice, of a wrench without a moment about z: 18 m 10 a."""
    moment, force = wrench_inward(moment, force, joint)
    turned = [moment[0], across.cosine * moment[1], across.sine * moment[1]]
    force = inward(force, across)
    return plus_cross(turned, across.length, force, across.axis), force


def _equations(contact: Contact) -> Solved:
    """LDL' of L."""
    assert contact.response is not None
    left, inverse = [list(row) for row in contact.response], []
    for k in range(len(left)):
        inverse.append(1.0 / left[k][k])
        column = [row[k] for row in left[k + 1 :]]
        for i in range(k + 1, len(left)):
            left[i][k] = left[i][k] * inverse[k]
            for j in range(k + 1, i + 1):
                left[i][j] = left[i][j] - left[i][k] * column[j - k - 1]
    across = [[one[part][k] for part, k in OTHERS] for one in contact.columns]
    return Solved([row[:-1] for row in left], inverse, across, contact.rate)


def _outward(
    links: list[Link],
    joints: list[Screw],
    hinges: list[Hinge],
    alone: Vector,
    shares: Matrix,
    equations: Solved,
    there: int,
) -> tuple[Vector, Vector]:
    """Both, from the base on; `shares` are those of the links from `there` on."""
    found: Vector = []
    angular, linear = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
    multipliers: Vector = []
    for i, hinge in enumerate(hinges):
        twist = [angular[0], angular[1], *linear]
        if i == there:
            multipliers = equations.by(twist if i else None)
        own = alone[i]
        if i >= there:
            own = own - dot(shares[i - there], multipliers)
        whole = own if not i else own - dot(hinge.share, twist)
        found.append(whole - angular[Z] if i else whole)
        angular = [angular[0], angular[1], whole]
        if i + 1 < len(links):
            angular, linear = twist_outward(angular, linear, links[i].across)
            angular, linear = twist_outward(angular, linear, joints[i + 1])
    return found, multipliers

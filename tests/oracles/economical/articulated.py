"""The closed chain by articulated bodies, O(n): two applications of M^-1 and Lambda^-1 by one recursion.

Lambda^-1 is carried outward as a symmetric 6x6 matrix, the acceleration that a wrench on link i causes
(Kreutz-Delgado, Jain and Rodriguez 1992), instead of by six right-hand sides: a third of the operations.
"""

from dataclasses import dataclass

from tests.oracles.economical.links import Link
from tests.oracles.economical.screws import (
    Matrix,
    Scalar,
    Screw,
    Six,
    Vector,
    inertia_inward,
    plus_cross,
    response_outward,
    response_shifted,
    twist_outward,
    wrench_inward,
)
from tests.oracles.economical.vectors import dot, plus

Y, Z = 1, 2


@dataclass(frozen=True, eq=False)
class Hinge:
    """What joint i contributes: its articulated inertia, inverted, and the column of it over that."""

    inverse: Scalar
    reach: list[Scalar]
    """Of the articulated inertia the column of the joint's axis but for its own entry: n_x, n_y, f."""
    share: list[Scalar]
    """The same times `inverse`."""


def factor(links: list[Link], joints: list[Screw]) -> list[Hinge]:
    """Articulated inertias from the tip to the base."""
    hinges = []
    beyond: Six | None = None
    for i in reversed(range(len(links))):
        whole = rigid(links[i])
        if beyond is not None:
            moved = inertia_inward(beyond, joints[i + 1], hinged=True)
            whole = plus_rigid(inertia_inward(moved, links[i].across), links[i])
        hinges.append(hinge_of(whole))
        if i:
            beyond = without_joint(whole, hinges[-1])
    return hinges[::-1]


def hinge_of(whole: Six) -> Hinge:
    """The joint of a link, with all that is beyond it."""
    inverse = 1.0 / whole.I[Z][Z]
    reach = [whole.I[0][Z], whole.I[Y][Z], *whole.H[Z]]
    return Hinge(inverse, reach, [inverse * x for x in reach])


def drive(
    links: list[Link],
    joints: list[Screw],
    hinges: list[Hinge],
    torques: list[Scalar] | None,
    tip: tuple[Vector, Vector] | None,
) -> list[Scalar]:
    """Inward: what each joint would do alone, of torques and a wrench at the tip; None: there is none."""
    own = [0.0] * len(links) if torques is None else torques
    bias = None if tip is None else _from_tip(*tip, links[-1])
    out = []
    for i in reversed(range(len(links))):
        hinge, push = hinges[i], own[i]
        if bias is not None:
            push = -bias[0][Z] if torques is None else own[i] - bias[0][Z]
        alone = hinge.inverse * push
        out.append(alone)
        if i:
            carried = [x * alone for x in hinge.reach]
            if bias is not None:
                carried = plus([*bias[0][:Z], *bias[1]], carried)
            # The moment about the axis is what the joint gives.
            moment = [carried[0], carried[1], own[i]]
            bias = wrench_inward(*wrench_inward(moment, carried[2:], joints[i]), links[i - 1].across)
    return out[::-1]


def _from_tip(moment: Vector, force: Vector, last: Link) -> tuple[Vector, Vector]:
    return wrench_inward(plus_cross(moment, last.offset, force, Z), force, last.across)


def accelerate(
    links: list[Link], joints: list[Screw], hinges: list[Hinge], alone: list[Scalar]
) -> tuple[list[Scalar], Vector, Vector]:
    """Outward: joint accelerations, and the end effector's as angular and of its point."""
    out = []
    angular, linear = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
    for i, hinge in enumerate(hinges):
        if i == 0:
            out.append(alone[0])
            angular = [0.0, 0.0, alone[0]]
        else:
            twist = [angular[0], angular[1], *linear]
            whole = alone[i] - dot(hinge.share, twist)
            out.append(whole - angular[Z])
            angular = [angular[0], angular[1], whole]
        angular, linear = twist_outward(angular, linear, links[i].across)
        if i + 1 < len(links):
            angular, linear = twist_outward(angular, linear, joints[i + 1])
    return out, angular, plus_cross(linear, -links[-1].offset, angular, Z)


def lambda_inverse(links: list[Link], joints: list[Screw], hinges: list[Hinge]) -> list[Scalar]:
    """Lambda^-1 in the end effector's axes, packed (21): [moment; force] to [angular; of the point]."""
    zero = [[0.0] * 3 for _ in range(3)]
    start = [[0.0] * 3, [0.0] * 3, [0.0, 0.0, hinges[0].inverse]]
    response = Six(zero, zero, start)
    for i in range(1, len(links)):
        response = response_outward(response_outward(response, links[i - 1].across), joints[i])
        response = _past_joint(response, hinges[i])
    last = links[-1]
    moved = response_shifted(response_outward(response, last.across), last.offset, Z)
    rows = _rows(moved)
    return [rows[k][m] for k in range(6) for m in range(k + 1)]


def _rows(response: Six) -> Matrix:
    """6x6, moment and angular first."""
    H = response.H
    upper = [[*response.M[k], *(row[k] for row in H)] for k in range(3)]
    return upper + [[*H[k], *response.I[k]] for k in range(3)]


def _past_joint(response: Six, hinge: Hinge) -> Six:
    """The joint gives way to the moment about its axis: 30 m 25 a."""
    rows = _rows(response)
    others = [0, 1, 3, 4, 5]
    column = [-dot([rows[k][m] for m in others], hinge.share) for k in others]
    own = hinge.inverse - dot(column, hinge.share)
    M = [list(row) for row in response.M]
    H = [list(row) for row in response.H]
    M[0][Z] = M[Z][0] = column[0]
    M[Y][Z] = M[Z][Y] = column[1]
    M[Z][Z] = own
    for k in range(3):
        H[k][Z] = column[2 + k]
    return Six(response.I, H, M)


def rigid(link: Link) -> Six:
    """The link alone."""
    x, y, z = link.moment
    zero = 0.0
    H = [[zero, -z, y], [z, zero, -x], [-y, x, zero]]
    M = [[link.mass, zero, zero], [zero, link.mass, zero], [zero, zero, link.mass]]
    return Six([list(row) for row in link.inertia], H, M)


def plus_rigid(six: Six, link: Link) -> Six:
    """The link's own inertia added: 15 a."""
    own = rigid(link)
    I, H, M = ([list(row) for row in block] for block in six)
    for k in range(3):
        M[k][k] = M[k][k] + link.mass
        for m in range(3):
            if m != k:
                H[k][m] = H[k][m] + own.H[k][m]
            if m >= k:
                I[k][m] = I[m][k] = I[k][m] + own.I[k][m]
    return Six(I, H, M)


def without_joint(whole: Six, hinge: Hinge) -> Six:
    """What is left behind the joint: rank one less; rows of its axis are zero. 15 m 15 a."""
    reach, share = hinge.reach, hinge.share
    I, H, M = ([list(row) for row in block] for block in whole)
    for k in (0, Y):
        for m in range(k, Z):
            I[k][m] = I[m][k] = I[k][m] - reach[k] * share[m]
        for m in range(3):
            H[k][m] = H[k][m] - reach[k] * share[2 + m]
    for k in range(3):
        for m in range(k, 3):
            M[k][m] = M[m][k] = M[k][m] - reach[2 + k] * share[2 + m]
    I[Z], H[Z] = [0.0] * 3, [0.0] * 3
    I[0][Z] = I[Y][Z] = 0.0
    return Six(I, H, M)

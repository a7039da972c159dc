"""Newton-Euler outward, where no joint accelerates: forces of links that move so, and the acceleration of the
outer end (Luh, Walker and Paul 1980).

With U = wdot~ + w~ w~ the acceleration at r is a + U r, so the force on a link is m a + U m S and its moment
comes from U and the second moments (Balafoutis and Hefzy's form). Weight is an acceleration of the base.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.oracles.economical.links import Link
from tests.oracles.economical.screws import (
    PLANES,
    REST,
    Matrix,
    Pair,
    Scalar,
    Screw,
    Vector,
    Z,
    add,
    cross,
    dot,
    mul,
    plus,
    scaled,
    sub,
    turned,
)


@dataclass(frozen=True)
class Moving:
    """A cut in the chain, in its axes, where joints do not accelerate."""

    spin: Vector
    """Angular velocity."""
    turning: Vector
    """Angular acceleration."""
    point: Vector
    """Acceleration of the point, less g."""
    g: Vector


def at_rest(gravity: Vector) -> Moving:
    return Moving(REST, REST, [-g for g in gravity], gravity)


def joint_screws(links: list[Link], turns: list[tuple[Scalar, Scalar]]) -> list[Screw]:
    """About every joint's axis, and along it by the offset of the link before; the first begins at O_1."""
    offsets = [0.0, *(link.offset for link in links[:-1])]
    return [Screw(Z, *turn, offset) for turn, offset in zip(turns, offsets, strict=True)]


def outward(
    links: list[Link], joints: list[Screw], rates: Vector, start: Moving
) -> tuple[list[Pair], Moving]:
    """The wrench that moves each link, about its O_i in its axes, and the outer end."""
    loads, spin, turning, point, g = [], start.spin, start.turning, start.point, start.g
    for link, joint, rate in zip(links, joints, rates, strict=True):
        spin, turning, point, g = (turned(v, joint) for v in (spin, turning, point, g))
        turning = [add(turning[0], mul(spin[1], rate)), sub(turning[1], mul(spin[0], rate)), turning[2]]
        spin = [spin[0], spin[1], add(spin[2], rate)]
        u = _spread(spin, turning)
        force = plus(scaled(link.mass, point), [dot(row, link.moment) for row in u])
        loads.append((plus(_moment(u, link.second), cross(link.moment, point)), force))
        reached = plus(point, [dot(row, link.position) for row in u])
        spin, turning, point, g = (turned(v, link.across) for v in (spin, turning, reached, g))
    return loads, Moving(spin, turning, point, g)


def _spread(w: Vector, turning: Vector) -> Matrix:
    """U = wdot~ + w~ w~: 6 m 9 a."""
    squares = [mul(x, x) for x in w]
    u: Matrix = [[0.0] * 3 for _ in range(3)]
    for k, (i, j) in enumerate(PLANES):
        u[k][k] = -add(squares[i], squares[j])
        product = mul(w[i], w[j])
        u[i][j], u[j][i] = sub(product, turning[k]), add(product, turning[k])
    return u


def _moment(u: Matrix, second: Matrix) -> Vector:
    """The integral of r x U r over a body, from its second moments: 15 m 15 a."""
    out = []
    for k, (i, j) in enumerate(PLANES):
        own = sub(mul(u[j][i], second[i][i]), mul(u[i][j], second[j][j]))
        own = add(own, mul(sub(u[j][j], u[i][i]), second[i][j]))
        out.append(add(own, sub(mul(u[j][k], second[k][i]), mul(u[i][k], second[k][j]))))
    return out

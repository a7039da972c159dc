"""Newton-Euler in link axes: the bias forces b and Jdot Q, O(n) (Luh, Walker and Paul 1980).

With U = wdot~ + w~ w~ the acceleration at r is a + U r, so the force on a link is m a + U m S and its moment
comes from U and the second moments (Balafoutis and Hefzy's form). Gravity enters as an acceleration of the
base and is taken out of Jdot Q at the end.
"""

from typing import NamedTuple

from tests.oracles.economical.links import Link
from tests.oracles.economical.screws import Matrix, Scalar, Screw, Vector, outward, wrench_inward
from tests.oracles.economical.vectors import PLANES, cross, plus, scaled, times


class Bias(NamedTuple):
    """What the arm does by itself."""

    forces: list[Scalar]
    """b (n,)."""
    angular: Vector
    """Of the end effector at qdd = 0, in its axes: angular acceleration, and that of its point less g."""
    linear: Vector


def bias(
    links: list[Link],
    joints: list[Screw],
    rates: list[Scalar],
    gravity: Vector,
    accelerations: list[Scalar] | None = None,
) -> Bias:
    """`joints` leads to each link's own axes, the first from frame 1; `gravity` in frame 1.
    `accelerations` of the joints are 0 if left out."""
    forces, moments = [], []
    point = [-g for g in outward(gravity, joints[0])]
    angular: Vector = [0.0, 0.0, rates[0]]
    turning: Vector = [0.0, 0.0, accelerations[0] if accelerations else 0.0]
    for i, link in enumerate(links):
        spread = _spread(angular, turning)
        forces.append(plus(scaled(link.mass, point), times(spread, link.moment)))
        moments.append(plus(_moment(spread, link.second), cross(link.moment, point)))
        reached = plus(point, times(spread, link.position))
        angular, turning, point = (outward(v, link.across) for v in (angular, turning, reached))
        if i + 1 < len(links):
            joint, rate = joints[i + 1], rates[i + 1]
            angular, turning, point = (outward(v, joint) for v in (angular, turning, point))
            turning = [turning[0] + angular[1] * rate, turning[1] - angular[0] * rate, turning[2]]
            if accelerations:
                turning[2] = turning[2] + accelerations[i + 1]
            angular = [angular[0], angular[1], angular[2] + rate]
    return Bias(_torques(links, joints, forces, moments), turning, point)


def fall(links: list[Link], joints: list[Screw], gravity: Vector) -> Vector:
    """g in the end effector's axes: what is to be added to `Bias.linear` for Jdot Q."""
    for link, joint in zip(links, joints, strict=True):
        gravity = outward(outward(gravity, joint), link.across)
    return gravity


def _torques(
    links: list[Link], joints: list[Screw], forces: list[Vector], moments: list[Vector]
) -> list[Scalar]:
    force, moment = forces[-1], moments[-1]
    torques = [moment[2]]
    for i in reversed(range(len(links) - 1)):
        moment, force = wrench_inward(*wrench_inward(moment, force, joints[i + 1]), links[i].across)
        moment, force = plus(moments[i], moment), plus(forces[i], force)
        torques.append(moment[2])
    return torques[::-1]


def _spread(w: Vector, turning: Vector) -> Matrix:
    """U = wdot~ + w~ w~: 6 m 9 a."""
    squares = [x * x for x in w]
    u: Matrix = [[0.0] * 3 for _ in range(3)]
    for k, (i, j) in enumerate(PLANES):
        u[k][k] = -(squares[i] + squares[j])
        product = w[i] * w[j]
        u[i][j], u[j][i] = product - turning[k], product + turning[k]
    return u


def _moment(u: Matrix, second: Matrix) -> Vector:
    """The integral of r x U r over a body, from its second moments: 15 m 15 a."""
    out = []
    for k, (i, j) in enumerate(PLANES):
        own = u[j][i] * second[i][i] - u[i][j] * second[j][j] + (u[j][j] - u[i][i]) * second[i][j]
        out.append(own + u[j][k] * second[k][i] - u[i][k] * second[k][j])
    return out

"""A nonholonomic constraint with a known answer: a homogeneous ball that rolls on a turning table.

Its centre has the acceleration 2/7 Omega x v, whatever its mass, radius and place (S. Earnshaw, Dynamics,
1844).
"""

import numpy as np

from senn.algorithms import problems
from senn.algorithms.problems import contacts
from senn.algorithms.problems.problem import Problem
from senn.algorithms.robots.chain import Chain
from senn.algorithms.spatial import Numbers

RADIUS, MASS, SPEED = 0.1, 2.0, 3.0


def problem() -> Problem:
    """A free joint; the lowest point moves with the table, which gives the contact its acceleration."""
    table, down = np.array([0.0, 0.0, SPEED]), np.array([0.0, 0.0, -RADIUS])
    at, v = np.array([0.3, 0.4, RADIUS]), np.array([0.5, -0.2, 0.0])
    omega = np.cross(v - np.cross(table, at), down) / RADIUS**2
    ball = Chain(
        "ball",
        ("free",),
        ("rolling",),
        base_rotation=np.eye(3),
        base_position=np.zeros(3),
        rotation=np.eye(3)[None],
        position=np.zeros((1, 3)),
        centre=np.zeros((1, 3)),
        mass=np.array([MASS]),
        inertia=0.4 * MASS * RADIUS**2 * np.eye(3)[None],
    )
    W = np.vstack([np.cross(down, np.eye(3)).T, np.eye(3)])
    rolling = contacts.type_i(W, G_C=np.cross(table, v), fixed_in="world")
    q, qd = np.concatenate([[1.0, 0.0, 0.0, 0.0], at]), np.concatenate([omega, v])
    return problems.resolved(ball, problems.EARTH, q, qd, np.zeros(6), rolling)


def acceleration(what: Problem) -> Numbers:
    """(3,) of the centre, m/s^2."""
    return 2.0 / 7.0 * np.cross([0.0, 0.0, SPEED], what.qd[3:])

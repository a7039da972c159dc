"""Plain sums: beside Pinocchio and balls, by hand, in the widest format, and importing nothing of ours."""

import ast
from pathlib import Path

import numpy as np
import pytest

from senn.algorithms import problems
from senn.algorithms.certificate import plain_sums
from senn.algorithms.certificate.plain_sums import WIDE, Sums
from senn.algorithms.robots import generators
from senn.algorithms.robots.bodies import Body, assemble
from tests.algorithms.robots.oracle import arm, oracle
from tests.algorithms.robots.trees import random_tree, tree_oracle
from tests.oracles import extended

GRAVITY = np.array([1.0, -2.0, -9.0])
FORCE = np.array([0.3, -0.2, 0.5, 4.0, -3.0, 2.0])
NONE = np.zeros(6)


def near(found, right, digits=11):
    np.testing.assert_allclose(
        np.float64(found), right, rtol=0.0, atol=10.0**-digits * np.abs(right).max(initial=1e-300)
    )


@pytest.mark.parametrize(
    "name",
    [
        *("ur5", "panda", "random:5:prismatic=0.5:seed=2", "snake:9", "rods:6:slenderness=0.01:seed=3"),
        *("joints:FRPHCUESXR:seed=2", "joints:XUUEEHHCCSS", "joints:FRPHCUESR:seed=4", "tree"),
    ],
)
def test_equations_of_motion_are_pinocchios(name):
    """Torques, M, J, both accelerations and interbody forces; every case of several at once."""
    if name == "tree":
        chain = random_tree(6, [(2, 3), (6, 2), (2, 1)], 3)
        theirs = tree_oracle(chain)
    elif name in ("ur5", "panda"):
        chain, theirs = arm(name)
    else:
        chain = generators.generate(name)
        theirs = oracle(chain)
    q, qd, qdd = generators.motion(chain, 1)
    theirs.set_gravity(GRAVITY)
    ours, J = Sums(chain, q, qd, GRAVITY), theirs.jacobian(q)
    near(ours.bias + ours.torque(qdd, FORCE), theirs.inverse_dynamics(q, qd, qdd) + J.T @ FORCE)
    units = np.eye(len(qd))
    near(ours.torque(units, np.zeros((len(qd), 6))), theirs.mass_matrix(q))
    near(ours.acceleration(units).T, J)
    near(ours.acceleration(qdd) + ours.drift, theirs.acceleration(q, qd, qdd))
    if ":" in name and "X" not in name:  # Pinocchio has no joint where a link is welded
        near(ours.wrenches(qdd, FORCE), theirs.interbody_forces(q, qd, qdd, FORCE))


def test_a_pendulum_by_hand():
    """2 kg at 0.5 m on a hinge along y, a quarter turned, at 3 rad/s and 4 rad/s^2."""
    body = Body(
        *("hinge", "revolute", np.array([0.0, 1.0, 0.0]), np.eye(3), np.zeros(3)),
        *(2.0, np.array([0.0, 0.0, -0.5]), np.diag([0.1, 0.2, 0.15])),
    )
    chain = assemble("pendulum", [body], np.eye(3), np.array([0.0, 0.0, -1.0]))
    at = Sums(chain, np.array([np.pi / 2]), np.array([3.0]), np.array([0.0, 0.0, -9.81]))
    inertia, weight = 2 * 0.25 + 0.2, 9.81
    near(at.torque(np.array([4.0]), NONE), np.array([4.0 * inertia]), 14)
    near(at.bias, np.array([weight]), 14)  # the mass is at -x, where its weight turns it back
    sizes = at.sizes(np.array([4.0]), FORCE)
    pushed = np.linalg.norm(FORCE[:3] + np.cross([0, 0, -1.0], FORCE[3:]))
    near(sizes.torque, np.array([4.0 * inertia + weight + pushed]), 13)
    # The end effector is 1 m out: 4 m/s^2 along its path, 9 m/s^2 inward, which is the drift.
    near(sizes.acceleration, np.array([4.0] * 3 + [13.0] * 3), 13)


@pytest.mark.skipif(np.finfo(WIDE).eps > 1e-18, reason="no format here is wider than double precision")
def test_numbers_are_wider_than_double():
    """Torques of the exact accelerations are the problem's, to 1e-17 of their largest term."""
    what = problems.load("random:9:seed=3")
    exact = extended.solve(what)
    at = Sums(what.chain, what.q, what.qd, what.gravity)
    missed = what.tau - at.bias - at.torque(exact.qdd, exact.force)
    assert (np.abs(missed) < 1e-17 * (np.abs(what.tau) + at.sizes(exact.qdd, exact.force).torque)).all()


def test_only_numpy_and_the_library_of_python_are_imported():
    tree = ast.parse(Path(plain_sums.__file__).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            allowed = {"__future__", "collections", "dataclasses", "numpy", "typing"}
            assert {name.split(".")[0] for name in names} <= allowed

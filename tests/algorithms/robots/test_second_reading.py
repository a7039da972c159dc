"""A second reading of robots, states and contacts: beside Pinocchio's, by hand, and beside the product's."""

from pathlib import Path

import numpy as np
import pytest

from senn.algorithms import problems, robots
from senn.algorithms.problems import contacts, states
from senn.algorithms.references import articulated
from senn.algorithms.robots import bodies, generators, newton_euler
from senn.algorithms.robots import urdf as urdf_reader
from senn.algorithms.robots.reader import read
from senn.algorithms.robots.urdf import Part
from tests.algorithms.robots.held import Held
from tests.algorithms.robots.oracle import ARMS, Oracle, arm, oracle
from tests.algorithms.robots.trees import random_tree, tree_oracle
from tests.algorithms.robots.urdf.test_part import NAMES, STANDS, WALKER
from tests.oracles.readings import motion, second_reading, solved
from tests.oracles.readings.motion import pose

pytestmark = pytest.mark.rounding
ROBOTS = Path(generators.__file__).parent
GRAVITY = np.array([1.0, -2.0, -9.0])
FORCE = np.array([0.3, -0.2, 0.5, 4.0, -3.0, 2.0])


def near(found, right, digits=11):
    np.testing.assert_allclose(found, right, rtol=0.0, atol=10.0**-digits * np.abs(right).max())


def compare(ours, chain, theirs, seed=0):
    """Everything that plain sums say of an arm, against Pinocchio."""
    q, qd, qdd = generators.motion(chain, seed)
    theirs.set_gravity(GRAVITY)
    at = pose(ours, q, qd)
    moving = motion.motion(at, qd, qdd)
    found = motion.loads(at, moving, GRAVITY, FORCE)
    J = theirs.jacobian(q)
    near(motion.jacobian(at), J)
    near(motion.mass_matrix(at), theirs.mass_matrix(q))
    near(found.torque, theirs.inverse_dynamics(q, qd, qdd) + J.T @ FORCE)
    inside = at.tip_axes.T
    near(np.r_[inside @ moving.tip_spin, inside @ moving.tip_speed], theirs.velocity(q, qd))
    near(np.r_[inside @ moving.tip_turning, inside @ moving.tip], theirs.acceleration(q, qd, qdd))
    if isinstance(theirs, Oracle):
        near(at.tip_axes, theirs.tip_rotation(q))
        near(at.tip, theirs.tip_position(q))


@pytest.mark.parametrize("name", ARMS)
def test_a_urdf_read_once_more(name):
    """Real arms, from the text alone: of the chain only the names of its joints, for the order of q."""
    chain, theirs = arm(name)
    ours = second_reading.arm_of(chain)
    compare(ours, chain, theirs)


@pytest.mark.parametrize("name", ["ssrms", "station25"])
def test_a_robot_file_read_once_more(name):
    path = ROBOTS / f"{name}.toml"
    chain = read(path)
    compare(second_reading.file_arm(path.read_text(encoding="utf-8")), chain, oracle(chain))


@pytest.mark.parametrize(
    "text",
    [
        *("random:5:prismatic=0.5:seed=2", "random:12", "snake:9", "rods:6:slenderness=0.01:seed=3"),
        *("joints:FRPHCUESXR:seed=2", "joints:XUUEEHHCCSS", "joints:RSSPF:seed=7"),
    ],
)
def test_the_words_of_a_generator_drawn_once_more(text):
    chain = generators.generate(text)
    compare(second_reading.generated_arm(text), chain, oracle(chain))


def test_a_tree_of_arrays():
    chain = random_tree(6, [(2, 3), (6, 2), (2, 1)], 3)
    compare(second_reading.array_arm(chain), chain, tree_oracle(chain))


@pytest.mark.parametrize("types", ["joints:FRPHCUESXR:seed=4", "random:7:prismatic=0.4"])
def test_interbody_forces_are_counted_in_the_frames_of_the_paper(types):
    chain = generators.generate(types.replace("X", ""))
    q, qd, qdd = generators.motion(chain, 1)
    theirs = oracle(chain)
    theirs.set_gravity(GRAVITY)
    at = pose(second_reading.generated_arm(types.replace("X", "")), q, qd)
    found = motion.loads(at, motion.motion(at, qd, qdd), GRAVITY, FORCE)
    near(motion.wrenches(at, found), theirs.interbody_forces(q, qd, qdd, FORCE))


def test_frames_of_joints_with_any_axis_are_those_of_the_chain():
    """Forces through the joints of a URDF whose axes point anywhere, in frames with z along them."""
    for seed, axis in enumerate([(1, 2, 3), (-1, 2, -3), (1, -2, -3), (0, 0, -1), (0, 1, 0), (2, 0, -1)]):
        text = _skew(" ".join(map(str, axis)))
        chain = urdf_reader.read(text, "tip")
        q, qd, qdd = generators.motion(chain, seed)
        theirs = oracle(chain)
        theirs.set_gravity(GRAVITY)
        at = pose(second_reading.arm_of(chain), q, qd)
        found = motion.loads(at, motion.motion(at, qd, qdd), GRAVITY, FORCE)
        near(motion.wrenches(at, found), theirs.interbody_forces(q, qd, qdd, FORCE))


def _skew(axis):
    inertial = (
        '<inertial><origin xyz="0.1 -0.2 0.05" rpy="0.4 0.1 -0.3"/><mass value="{}"/>'
        '<inertia ixx="0.2" iyy="0.3" izz="0.25" ixy="0.02" ixz="-0.01" iyz="0.03"/></inertial>'
    )
    joint = (
        '<joint name="j{0}" type="{1}"><parent link="l{0}"/><child link="{2}"/>'
        '<origin xyz="0.3 0.1 -0.2" rpy="0.5 -0.7 0.9"/><axis xyz="{3}"/></joint>'
    )
    return (
        '<robot name="skew"><link name="l0"/>'
        + "".join(f'<link name="l{k}">{inertial.format(k)}</link>' for k in (1, 2, 3))
        + '<link name="tip">'
        + inertial.format(0.5)
        + "</link>"
        + joint.format(0, "revolute", "l1", axis)
        + joint.format(1, "prismatic", "l2", axis)
        + joint.format(2, "continuous", "l3", axis)
        + joint.format(3, "fixed", "tip", "1 0 0")
        + "</robot>"
    )


def test_a_pendulum_by_hand():
    """2 kg at 0.5 m on a hinge along y, a quarter turned: g l m, and m l^2 + J times its acceleration."""
    text = """
    name = "pendulum"
    [[link]]
    joint = "hinge"
    type = "revolute"
    axis = [0, 3, 0]
    origin = [0, 0, 1]
    mass = 2
    centre = [0, 0, -0.5]
    inertia = [0.1, 0.2, 0.15, 0, 0, 0]
    [tip]
    origin = [0, 0, -1]
    """
    at = pose(second_reading.file_arm(text), np.array([np.pi / 2]), np.array([3.0]))
    np.testing.assert_allclose(at.tip, [-1, 0, 1], atol=1e-15)
    moving = motion.motion(at, np.array([3.0]), np.array([4.0]))
    found = motion.loads(at, moving, np.array([0, 0, -9.81]), np.zeros(6))
    # The mass is at -x, where its weight turns it back: the joint also bears 2 * 9.81 * 0.5.
    np.testing.assert_allclose(found.torque, [4.0 * (2 * 0.25 + 0.2) + 9.81], rtol=1e-14)
    np.testing.assert_allclose(moving.tip, [9.0, 0, 4.0], rtol=1e-14, atol=1e-14)


# -------- whole problems: every reader of the product beside the second reading


def agree(what, text=None, digits=8):
    """Articulated bodies on the product's reading beside dense sums on the second."""
    right, found = solved.solve(what, text), vars(articulated.solve(what))
    found["mass_matrix"] = newton_euler.mass_matrix(what.chain, what.q)
    found["tau"] = newton_euler.inverse_dynamics(what.chain, what.q, what.qd, what.qdd, what.gravity)
    for name, value in right.items():
        near(found[name], value, digits)


@pytest.mark.parametrize("name", [*problems.bundled(), "joints:FRPHCUESXR", "random:12:prismatic=0.4:seed=3"])
def test_problems_by_name(name):
    agree(problems.load(name))


@pytest.mark.parametrize("kind", ["I", "world", "spatial", "II", "general"])
def test_contacts_by_numbers(kind):
    rng = np.random.default_rng(3)
    W, H = rng.standard_normal((6, 2)), rng.standard_normal((6, 4))
    how = {"world": {"fixed_in": "world"}, "spatial": {"acceleration": "spatial"}}.get(kind, {})
    made = {
        "II": lambda: contacts.type_ii(W, H, 0.1 * rng.standard_normal((4, 2)), np.ones(4), np.ones(2)),
        "general": lambda: contacts.general(*(rng.standard_normal(s) for s in ((6, 6), 6, (6, 6), 6))),
    }.get(kind, lambda: contacts.type_i(W, H, np.ones(2), np.ones(4), **how))
    agree(problems.load("random:7:seed=2").at(contact=made()))


@pytest.mark.parametrize(
    "contact",
    [
        {"kind": "point", "position": [0.1, -0.2, 0.3]},
        {"kind": "line", "direction": [1, -2, -3], "axes": "world", "position": [0.1, 0, 0]},
        {"kind": "plane", "normal": [0, 1, -1], "position": [0, 0.2, 0.1]},
        {"kind": "face", "normal": [-1, 2, -1], "axes": "world", "position": [0, 0.2, 0.1]},
        "weld",
        "free",
    ],
)
def test_contacts_in_words(contact):
    agree(problems.load("random:8:seed=2").at(contact=contact))


def test_kept_directions_are_kept():
    """Against Pinocchio's welded contact, which holds the end effector's own axes still."""
    chain, theirs = arm("panda")
    q, qd, qdd = generators.motion(chain, 2)
    theirs.set_gravity(GRAVITY)
    tau = theirs.inverse_dynamics(q, qd, qdd)
    right_qdd, right_force = theirs.welded(q, qd, tau)
    found = solved.solve(problems.resolved(chain, GRAVITY, q, qd, tau, contacts.type_i(np.eye(6))))
    near(found["qdd"], right_qdd, 8)
    near(found["force"], right_force, 8)


@pytest.mark.parametrize("case", STANDS)
def test_a_robot_that_stands_on_any_link(case):
    """A part of a URDF: another base, locked joints. Against Pinocchio, which holds the base."""
    base, tip, lock, *_ = STANDS[case]
    part = Part.of(tip, base, lock, {"arm_2": 0.05, "waist": 0.4} if lock else None)
    locked = {name: part.at.get(name, (0.0,))[0] for name in NAMES if part.locks(name)}
    given = problems.draw(urdf_reader.read(WALKER, part), 1, (1.0, -2.0, -9.0))
    qdd, force, *_ = Held.of(WALKER, base, tip, locked).solve(given)
    found = solved.solve(given)
    near(found["qdd"], qdd, 8)
    near(found["force"], force, 8)
    agree(given)


def test_joints_stand_where_they_are_told_or_follow_or_at_the_nearest_limit():
    lock = ("waist", "arm_[01]", "neck")
    given = problems.draw(urdf_reader.read(WALKER, Part.of("hand", lock=lock, at={"arm_0": 0.3})), 1)
    stands = {"waist": 0.0, "arm_0": 0.3, "neck": -0.5, "arm_1": 0.2}
    near(solved.solve(given)["qdd"], Held.of(WALKER, "root", "hand", stands).solve(given)[0], 8)


FILE = """
robot = "joints:RUSP:seed=3"
gravity = [0.5, 1.0, -9.0]
qd = [0.1, -0.2, 0.3, 0.4, -0.1, 0.2, 0.3]
tau = [1.0, 2.0, -1.0, 0.5, 0.3, -0.2, 4.0]
tip_vector = [1.0, 0.0, 0.0, 0.0, 2.0, 0.0]
contact = "weld"
[q]
joint_1 = 0.5
joint_3 = [0.6, 0.0, 0.8, 0.0]
"""


def test_the_numbers_of_a_problem_file(tmp_path, monkeypatch):
    """Also by the names of joints, and the others drawn; a number at another joint is seen."""
    path = tmp_path / "own.toml"
    path.write_text(FILE, encoding="utf-8")
    agree(problems.load(path), FILE)
    places = states.places

    def shifted(chain, key):
        found = places(chain, key)
        return {**found, "joint_1": found["joint_4"]}

    monkeypatch.setattr(states, "places", shifted)
    with pytest.raises(AssertionError):
        agree(problems.load(path), FILE)


def test_a_fault_of_our_reader_is_seen(monkeypatch):
    right = bodies.rotation_to
    monkeypatch.setattr(bodies, "rotation_to", lambda axis: right(axis * np.array([1.0, -1.0, 1.0])))
    with pytest.raises(AssertionError):
        agree(problems.draw(robots.load("ssrms")).at(qd=np.linspace(-1.0, 1.0, 7)))

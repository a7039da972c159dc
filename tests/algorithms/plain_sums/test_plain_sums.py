"""Plain sums by another reading of the same text, against Pinocchio's reading of it, and by hand."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from senn.algorithms import problems
from senn.algorithms.plain_sums import judged, motion, response, second_reading
from senn.algorithms.plain_sums.motion import pose
from senn.algorithms.plain_sums.response import State, Sums
from senn.algorithms.problems import contacts
from senn.algorithms.robots import generators
from senn.algorithms.robots import urdf as urdf_reader
from senn.algorithms.robots.reader import read
from tests.algorithms.robots.oracle import ARMS, Oracle, arm, oracle
from tests.algorithms.robots.trees import random_tree, tree_oracle
from tests.oracles import dense

pytestmark = pytest.mark.rounding
ROBOTS = Path(generators.__file__).parent
GRAVITY = np.array([1.0, -2.0, -9.0])
FORCE = np.array([0.3, -0.2, 0.5, 4.0, -3.0, 2.0])


def state(q, qd, tau, gravity=GRAVITY):
    none = np.zeros_like(tau)
    return State(gravity=gravity, q=q, qd=qd, tau=tau, qdd=none, x=np.zeros(6), contact={"kind": "none"})


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


@pytest.mark.parametrize("text", ["random:60", "joints:FRPHCUESXRPHCUERPHCUES", "rods:70:slenderness=0.01"])
def test_accelerations_of_a_chain_in_pieces_are_those_of_its_mass_matrix(text, monkeypatch):
    """Of several sets of numbers at once."""
    monkeypatch.setattr(response, "_WHOLE", 20)
    chain = generators.generate(text)
    q, qd, qdd = generators.motion(chain, 1)
    model = Sums(second_reading.generated_arm(text), state(q, qd, qdd))
    other = replace(model.pose, mass=2.0 * model.pose.mass)
    columns = np.column_stack([qdd, np.ones(len(qdd)), motion.jacobian(model.pose).T])
    found = response.response([model.pose, other], np.stack([columns, columns[:, ::-1]]))
    near(motion.mass_matrix(model.pose) @ found[0], columns, 8)
    near(motion.mass_matrix(other) @ found[1], columns[:, ::-1], 8)


@pytest.mark.parametrize("lightest", [1.0, 1e-6])
def test_pieces_of_a_chain_lose_nothing_of_the_whole(lightest, monkeypatch):
    """Neither where each link that ends a piece is a light one, nor of what holds the arm against gravity;
    and the end effector goes where the links go."""
    text = "random:400"
    chain = generators.generate(text)
    q, qd, qdd = generators.motion(chain, 1)
    model = Sums(second_reading.generated_arm(text), state(q, qd, qdd))
    light = np.where(np.arange(400) % 20 == 19, lightest, 1.0)
    at = replace(model.pose, mass=light * model.pose.mass, inertia=light[:, None, None] * model.pose.inertia)
    J = motion.jacobian(at)
    held = motion.loads(at, motion.motion(at, qd, qdd), GRAVITY, np.zeros(6)).torque
    torque = np.column_stack([held, J.T])[None]
    (whole,) = response.response([at], torque)
    monkeypatch.setattr(response, "_WHOLE", 100)
    (pieces,) = response.response([at], torque)
    near(pieces, whole, 11)
    near(J @ pieces, J @ whole, 13)


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


def given(contact_given):
    return {
        "kind": contact_given.kind,
        **{key: getattr(contact_given, key) for key in ("W", "H", "G_C", "K_F", "phi")},
        "d": contact_given.K_F,
    }


@pytest.mark.parametrize("name", ["panda", "xarm7", "ur5"])
@pytest.mark.parametrize("kept", [2, 4, 6])
def test_a_contact_of_type_i(name, kept):
    chain, theirs = arm(name)
    ours = second_reading.arm_of(chain)
    q, qd, qdd = generators.motion(chain, 5)
    theirs.set_gravity(GRAVITY)
    tau = theirs.inverse_dynamics(q, qd, qdd)
    rng = np.random.default_rng(kept)
    basis = np.linalg.qr(rng.standard_normal((6, 6)))[0]
    held = contacts.type_i(basis[:, :kept], basis[:, kept:], rng.standard_normal(kept), np.ones(6 - kept))
    right_qdd, right_force = theirs.constrained(q, qd, tau, held)
    model = Sums(ours, state(q, qd, tau))
    prescribed = judged.equations(given(held), model.tip_axes, model.velocity)
    found = judged.solved(judged.matrices(model, tau, model.carried(0.0 * tau, np.zeros(6)))[0], prescribed)
    near(found["qdd"], right_qdd, 9)
    near(found["force"], right_force, 9)
    M, J = theirs.mass_matrix(q), theirs.jacobian(q)
    near(found["lambda_inverse"], J @ np.linalg.solve(M, J.T), 10)
    near(found["qdd0"], theirs.forward_dynamics(q, qd, tau), 9)


@pytest.mark.parametrize("fixed_in", ["end_effector", "world"])
@pytest.mark.parametrize("acceleration", ["classical", "spatial"])
def test_kinds_that_say_the_same_say_the_same(fixed_in, acceleration):
    """Type I, Type II without friction, and the general contact of the same directions; one after the other
    as it was written."""
    what = problems.load("random:8:seed=3")
    rng = np.random.default_rng(2)
    W, H, G, K = *np.split(rng.standard_normal((6, 6)), [3], axis=1), rng.standard_normal(3), np.ones(3)
    W, H = np.split(np.linalg.qr(np.hstack([W, H]))[0], [3], axis=1)
    words_of = {"fixed_in": fixed_in, "acceleration": acceleration}
    none = np.zeros((6, 3))
    ways = [
        {"kind": "I", "W": W, "H": H, "G_C": G, "K_F": K},
        {"kind": "II", "W": W, "H": H, "G_C": G, "phi": np.zeros((3, 3)), "d": K},
        {"kind": "general", "M1": np.hstack([H, none]), "k1": W @ G, "M2": np.hstack([none, W]), "k2": H @ K},
    ]
    model = Sums(
        second_reading.generated_arm("random:8:seed=3"), state(what.q, what.qd, what.tau, what.gravity)
    )
    (made,) = judged.matrices(model, what.tau, model.carried(0.0 * what.tau, np.zeros(6)))
    found = [
        judged.solved(made, judged.equations({**way, **words_of}, model.tip_axes, model.velocity))
        for way in ways
    ]
    near(found[1]["force"], found[0]["force"])
    near(found[2]["force"], found[0]["force"])
    right = contacts.type_i(W, H, G, K, **words_of)
    whole = problems.resolved(what.chain, what.gravity, what.q, what.qd, what.tau, right)
    near(found[0]["qdd"], dense.solve(whole).qdd, 9)


def test_what_is_left_out_keeps_the_constraint():
    """Against Pinocchio's welded contact, which holds the end effector's own axes still."""
    chain, theirs = arm("panda")
    q, qd, qdd = generators.motion(chain, 2)
    theirs.set_gravity(GRAVITY)
    tau = theirs.inverse_dynamics(q, qd, qdd)
    right_qdd, right_force = theirs.welded(q, qd, tau)
    ours = second_reading.arm_of(chain)
    model = Sums(ours, state(q, qd, tau))
    said = {"kind": "I", "W": np.eye(6).tolist()}
    prescribed = judged.equations(said, model.tip_axes, model.velocity)
    found = judged.solved(judged.matrices(model, tau, model.carried(0.0 * tau, np.zeros(6)))[0], prescribed)
    near(found["qdd"], right_qdd, 8)
    near(found["force"], right_force, 8)
    acceleration = found["acceleration0"] - found["lambda_inverse"] @ found["force"]
    assert prescribed.missed(acceleration, found["force"], 1.0, 1.0) < 1e-9
    assert prescribed.missed(acceleration + 0.1, found["force"], 1.0, 1.0) == pytest.approx(0.1, rel=1e-6)

"""The chain: its check, its frames, and the robots that come with the project."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from senn.algorithms import problems, spatial
from senn.algorithms.robots import chain as chains
from senn.algorithms.robots import generators
from senn.algorithms.robots import reader as robots
from senn.algorithms.robots.bodies import Body, assemble
from senn.algorithms.robots.chain import Branch
from senn.base.errors import InputError
from tests.algorithms.problems.lines import with_lines
from tests.algorithms.robots.oracle import oracle


@pytest.fixture
def chain():
    return generators.generate("random:3:seed=1")


def changed(array, index, value):
    array = np.array(array)
    array[index] = value
    return array


@pytest.mark.parametrize(
    ("field", "index", "value", "message"),
    [
        (
            "mass",
            1,
            0.0,
            r"link 2 \(moved by joint 'joint_2'\): mass is 0 kg, and the algorithm divides by it; give",
        ),
        ("mass", 2, -1.0, r"link 3 \(moved by joint 'joint_3'\): mass is -1 kg"),
        ("mass", 0, np.nan, r"link 1 \(moved by joint 'joint_1'\): mass holds a number that is not finite"),
        ("position", 1, np.inf, r"link 2 .*: position holds a number that is not finite"),
        (
            "inertia",
            0,
            np.diag([1.0, 1.0, 0.0]),
            r"link 1 .*: inertia is not positive definite \(principal moments 0, 1",
        ),
        ("inertia", 1, np.eye(3) + np.eye(3, k=1) * 0.1, r"link 2 .*: inertia is not symmetric"),
        ("rotation", 2, 2.0 * np.eye(3), r"link 3 .*: rotation is not a rotation"),
        ("rotation", 2, np.diag([1.0, 1.0, -1.0]), r"link 3 .*: rotation is not a rotation"),
        ("limits", 1, (2.0, 1.0), r"link 2 .*: the limits 2 \.\. 1 leave no room; give the lower first"),
        ("limits", 1, (np.nan, 1.0), r"link 2 .*: the limits nan \.\. 1 leave no room"),
    ],
)
def test_the_check_names_the_link_and_what_is_wrong(chain, field, index, value, message):
    with pytest.raises(InputError, match=message):
        replace(chain, **{field: changed(getattr(chain, field), index, value)})


def test_the_check_refuses_unknown_joints_wrong_shapes_and_no_joint(chain):
    with pytest.raises(
        InputError, match=r"link 2 .*: joint type 'ball' is not known; use revolute, prismatic, helical, cyl"
    ):
        replace(chain, joints=("revolute", "ball", "revolute"))
    with pytest.raises(InputError, match=r"mass has shape \(2,\), expected \(3,\)"):
        replace(chain, mass=[1.0, 1.0])
    with pytest.raises(InputError, match="3 joints but 2 joint names"):
        replace(chain, joint_names=("a", "b"))
    with pytest.raises(InputError, match="has no joint; at least one is needed"):
        replace(chain, joints=())
    with pytest.raises(InputError, match="base_rotation is not a rotation"):
        replace(chain, base_rotation=np.zeros((3, 3)))


def test_arrays_are_read_only_copies(chain):
    mass = np.array([1.0, 2.0, 3.0])
    other = replace(chain, mass=mass)
    mass[0] = 9.0
    assert other.mass[0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        other.mass[0] = 9.0


def test_configuration_turns_revolute_joints_and_shifts_prismatic_ones(chain):
    """By hand: C = Rz(q) R for a revolute joint; for a prismatic one C = R and P, S gain q z turned by R'."""
    mixed = replace(chain, joints=("revolute", "prismatic", "revolute"))
    pose = chains.configuration(mixed, [np.pi, 0.7, 0.0])
    np.testing.assert_allclose(pose.rotation[0], np.diag([-1.0, -1.0, 1.0]) @ chain.rotation[0], atol=1e-15)
    np.testing.assert_array_equal(pose.rotation[1], chain.rotation[1])
    shift = chain.rotation[1].T @ [0.0, 0.0, 0.7]
    np.testing.assert_allclose(pose.position, chain.position + np.outer([0, 1, 0], shift), atol=1e-15)
    np.testing.assert_allclose(pose.centre, chain.centre + np.outer([0, 1, 0], shift), atol=1e-15)


def test_configuration_gives_what_each_joint_allows_and_forbids(chain):
    """By hand: a planar joint turned a quarter and moved to (1, 2), then a helical one of pitch 0.1."""
    mixed = replace(
        chain, joints=("planar", "welded", "helical"), parameters=(0.0, 0.0, 0.1), rotation=[np.eye(3)] * 3
    )
    q = np.array([np.pi / 2, 1.0, 2.0, 0.5])
    pose = chains.configuration(mixed, q)
    assert pose.position[0] - chain.position[0] == pytest.approx([2.0, -1.0, 0.0])  # turned back
    assert pose.position[2] - chain.position[2] == pytest.approx([0.0, 0.0, 0.05])
    turning = [[0, 0, 1, 2, -1, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0]]
    assert pytest.approx(np.array(turning, dtype=float)) == pose.H[0].T
    assert not pose.H[1].any()
    assert pytest.approx(np.array([[0, 0, 1, 0, 0, 0.1], [0] * 6, [0] * 6])) == pose.H[2].T
    W = chains.complements(mixed, q)
    assert W.shape == (3, 6, 6)
    np.testing.assert_array_equal(W[1], np.eye(6))
    assert not W[0, :, 3:].any()
    assert np.einsum("nij,nik->njk", pose.H, W) == pytest.approx(np.zeros((3, 3, 6)))
    slide = chains.drift(mixed, q, [2.0, 3.0, 4.0, 5.0])
    assert slide[0] == pytest.approx([0, 0, 0, 2 * 4.0, -2 * 3.0, 0])  # what joints.JOINTS says by itself
    assert not slide[1:].any()


def test_a_state_is_shared_among_the_joints(chain):
    mixed = replace(chain, joints=("spherical", "welded", "revolute"))
    assert (mixed.n, mixed.degrees, mixed.coordinates) == (3, 4, 5)
    assert mixed.q_shares.slices == (slice(0, 4), slice(4, 4), slice(4, 5))
    assert mixed.qd_shares.slices == (slice(0, 3), slice(3, 3), slice(3, 4))
    flat = np.arange(1.0, 5.0)
    np.testing.assert_array_equal(mixed.qd_shares.stacked(flat), [[1, 2, 3], [0, 0, 0], [4, 0, 0]])
    np.testing.assert_array_equal(mixed.qd_shares.flat(mixed.qd_shares.stacked(flat)), flat)
    columns = np.arange(8.0).reshape(4, 2)
    stacked = mixed.qd_shares.stacked(columns)
    np.testing.assert_array_equal(stacked[2], [[6, 7], [0, 0], [0, 0]])
    np.testing.assert_array_equal(mixed.qd_shares.flat(stacked), columns)
    assert chain.qd_shares.stacked(flat[:3]).shape == (3, 1)
    assert not chain.quaternions.size
    flying = replace(chain, joints=("free", "spherical", "free"))
    assert flying.quaternions.tolist() == [[0, 1, 2, 3], [7, 8, 9, 10], [11, 12, 13, 14]]


@pytest.mark.parametrize(
    ("joints", "parameters", "message"),
    [
        (("welded",) * 3, (0, 0, 0), "has welded joints only; at least one joint must move"),
        (("revolute", "spherical", "free"), (0, 0.1, 0), "link 2 .*: parameters has 0.1, and a spherical"),
        (
            ("universal", "free", "free"),
            (),
            "link 1 .*: the axes of a universal joint are 0 rad apart, which",
        ),
        (("helical", "free", "free"), (0, 0), r"parameters has shape \(2,\), expected \(3,\)"),
    ],
)
def test_parameters_are_checked(chain, joints, parameters, message):
    with pytest.raises(InputError, match=message):
        replace(chain, joints=joints, parameters=parameters)


def test_limits_are_of_joints_of_one_coordinate(chain):
    limits = [(-1.0, 2.0), (-np.inf, 0.5), (-np.inf, np.inf)]
    one = replace(chain, joints=("revolute", "helical", "spherical"), limits=limits)
    np.testing.assert_array_equal(one.all_limits, [*limits, *[limits[2]] * 3])
    with pytest.raises(InputError, match=r"link 1 .*: the limits -1 \.\. 2 are of one number, and a planar"):
        replace(one, joints=("planar", "helical", "spherical"))
    tree = replace(chain, limits=limits, branches=(Branch(2, replace(chain, limits=limits[::-1])),))
    np.testing.assert_array_equal(tree.all_limits, [*limits, *limits[::-1]])


def test_a_robot_file_has_limits_and_who_stands_beyond_them_is_said(tmp_path):
    path = tmp_path / "one.toml"
    path.write_text(ROBOT.replace("mass = 2.0", "mass = 2.0\nlimits = [-0.5, 0.25]"))
    chain = robots.read(path)
    np.testing.assert_array_equal(chain.limits, [[-0.5, 0.25]])
    assert not any("limits" in note for note in problems.draw(chain, 1).notes)
    given = problems.draw(chain, 1, {"q": {"shoulder": 0.3}})
    assert "beyond the limits of the robot: 'shoulder' at 0.3 (-0.5 .. 0.25)" in given.notes


def test_assemble_puts_z_on_the_axis_and_keeps_the_tip_frame():
    """One joint about x, 2 m above the base; centre 1 m and tip 3 m out along y, tip axes turned."""
    tip = spatial.rotation_rpy((0.0, 0.0, np.pi / 2))
    body = Body(
        "j",
        "revolute",
        np.array([1.0, 0, 0]),
        np.eye(3),
        np.array([0, 0, 2.0]),
        1.5,
        np.array([0, 1.0, 0]),
        np.diag([1, 2, 2.5]),
    )
    chain = assemble("one", [body], tip, [0.0, 3.0, 0.0])
    np.testing.assert_allclose(chain.base_rotation[:, 2], [1, 0, 0], atol=1e-15)
    np.testing.assert_array_equal(chain.base_position, [0, 0, 2])
    np.testing.assert_allclose(chain.base_rotation @ chain.rotation[0], tip, atol=1e-15)
    np.testing.assert_allclose(chain.position[0], [3, 0, 0], atol=1e-15)  # tip x is the link's y
    np.testing.assert_allclose(chain.centre[0], [1, 0, 0], atol=1e-15)
    np.testing.assert_allclose(chain.inertia[0], np.diag([2, 1, 2.5]), atol=1e-15)


def test_tip_inverse_inertia_is_the_inverse_about_the_tip(chain):
    pose = chains.configuration(chain, np.zeros(3))
    about_tip = spatial.inertia(chain.mass[-1], chain.inertia[-1], pose.centre[-1] - pose.position[-1])
    np.testing.assert_allclose(chains.tip_inverse_inertia(chain) @ about_tip, np.eye(6), atol=1e-13)


def test_bundled_robots_have_a_line_each_and_load():
    names = robots.bundled()
    assert names == ("ssrms", "station25", "ur5")
    assert all(text and "\n" not in text for text in map(robots.description, names))
    assert [robots.load(name).n for name in names] == [7, 25, 6]
    with pytest.raises(InputError, match='there is no bundled robot "hal"; there are: ssrms, station25, ur5'):
        robots.load("hal")


def test_ssrms_has_the_published_reach_and_mass():
    """Stretched out at q = 0 the tip is at the sum of the published offsets."""
    chain = robots.load("ssrms")
    model = oracle(chain)
    x, y = 2 * 1.3589 + 2 * 7.11, -(2 * 0.5692 + 0.475)
    np.testing.assert_allclose(model.tip_position(np.zeros(7)), [x, y, 0.0], atol=1e-12)
    assert chain.mass.sum() == pytest.approx(1505.32 - 243.66)


ROBOT = """
name = "one"
[[link]]
joint = "shoulder"
type = "revolute"
axis = [0.0, 0.0, 2.0]
origin = [0.0, 0.0, 0.3]
mass = 2.0
centre = [0.2, 0.0, 0.0]
inertia = [0.1, 0.1, 0.1, 0.0, 0.0, 0.0]
[tip]
origin = [0.4, 0.0, 0.0]
"""


@pytest.mark.parametrize(
    ("new", "message"),
    [
        (
            "mass =\nweight = 2.0",
            ": link 1: weight is not known; the keys are joint, type, origin, mass, centre, inertia, and opt",
        ),
        ('mass = "2"', ": link 1: mass is a text; write a number$"),
        ("mass =", ": link 1: mass is missing; the keys are joint, type, origin, mass, centre"),
        ("axis =", r": link 1 \(joint 'shoulder'\): axis is missing; a revolute joint has one$"),
        ('type = "free"', r"1 \(joint 'shoulder'\): axis: a free joint has none; leave it out$"),
        ('type = "helical"', ": pitch is missing; a helical joint has one$"),
        ('type = "universal"', ": second_axis is missing; a universal joint has one$"),
        ("mass = 2.0\npitch = 0.1", ": pitch: a revolute joint has none; leave it out$"),
        ('type = "helical"\npitch = inf', ": pitch is inf; it must be finite$"),
        ('type = "fixed"', ": joint type 'fixed' is not known; use revolute, prismatic, helical, "),
        (
            'type = "universal"\nsecond_axis = [0.0, 0.0, -3.0]',
            ": axis and second_axis are parallel; a universal joint has two directions to turn about$",
        ),
        (
            'type = "universal"\nsecond_axis = [0.0, 0.0, 0.0]',
            r": second_axis \[0.0, 0.0, 0.0\] has no direction; give three numbers that are not all zero$",
        ),
        ("[[link]] =\n[link]", r": link is a table; write \[\[link\]\] above each entry$"),
        ("link = 1", ": tip.link is not known; the keys are origin, and optionally rpy$"),
        ("mass = 0.0", r"link 1 \(moved by joint 'shoulder'\): mass is 0 kg"),
        ("axis = [0.0, 0.0, 0.0]", r"link 1 \(joint 'shoulder'\): axis \[0.0, 0.0, 0.0\] has no direction"),
        ("axis = [0.0, 2.0]", ": link 1: axis has length 2; write 3 numbers$"),
        ('type = "ball"', "joint type 'ball' is not known"),
        ("[tip] =\n[tip", "Expected ']'"),
        ("mass = 2.0\nlimits = [1, 1]", "link 1 .* the limits 1 .. 1 leave no room"),
        ("mass = 2.0\nlimits = [1]", "link 1: limits has length 1; write 2 numbers"),
    ],
)
def test_robot_file_errors_name_the_file_and_the_key(tmp_path, new, message):
    path = tmp_path / "one.toml"
    path.write_text(ROBOT)
    assert robots.read(path).base_rotation[2, 2] == 1.0  # an axis of any length is taken
    path.write_text(with_lines(ROBOT, new))
    with pytest.raises(InputError, match=message) as caught:
        robots.read(path)
    assert str(path) in str(caught.value)


KINDS = """
name = "kinds"
[[link]]
joint = "base"
type = "free"
origin = [0.1, 0.2, 0.3]
rpy = [0.3, -0.2, 0.5]
mass = 2.0
centre = [0.2, 0.0, 0.0]
inertia = [0.1, 0.1, 0.1, 0.0, 0.0, 0.0]
[[link]]
joint = "screw"
type = "helical"
axis = [0.0, 3.0, 4.0]
pitch = 0.02
origin = [0.3, 0.0, 0.1]
mass = 1.0
centre = [0.0, 0.1, 0.0]
inertia = [0.1, 0.1, 0.1, 0.0, 0.0, 0.0]
[[link]]
joint = "cardan"
type = "universal"
axis = [1.0, 0.0, 0.0]
second_axis = [-0.5, 1.0, 1.0]
origin = [0.0, 0.4, 0.0]
mass = 1.0
centre = [0.1, 0.1, 0.0]
inertia = [0.1, 0.1, 0.1, 0.0, 0.0, 0.0]
[tip]
origin = [0.4, 0.0, 0.0]
"""


def test_a_robot_file_has_all_kinds_of_joints(tmp_path):
    """The tip, as anybody computes it: rotations about the axes of the file, one frame after the other."""
    path = tmp_path / "kinds.toml"
    path.write_text(KINDS)
    chain = robots.read(path)
    assert chain.joints == ("free", "helical", "universal")
    assert chain.parameters == pytest.approx([0.0, 0.02, np.pi - np.arctan(np.sqrt(2) / 0.5)])
    turn = pin.Quaternion(0.5, 0.5, -0.5, 0.5)
    q = np.r_[0.5, 0.5, -0.5, 0.5, 1.0, 2.0, 3.0, 0.7, 0.4, -0.9]

    def about(axis, angle):
        return pin.AngleAxis(angle, np.array(axis) / np.linalg.norm(axis)).matrix()

    screw = pin.SE3(about([0, 3, 4], 0.7), 0.02 * 0.7 * np.array([0, 0.6, 0.8]))
    cardan = pin.SE3(about([1, 0, 0], 0.4) @ about([-0.5, 1, 1], -0.9), np.zeros(3))
    tip = pin.SE3(pin.rpy.rpyToMatrix(0.3, -0.2, 0.5), np.array([0.1, 0.2, 0.3]))
    tip = tip * pin.SE3(turn.matrix(), np.array([1.0, 2.0, 3.0]))
    tip = tip * pin.SE3(np.eye(3), np.array([0.3, 0.0, 0.1])) * screw
    tip = tip * pin.SE3(np.eye(3), np.array([0.0, 0.4, 0.0])) * cardan
    tip = tip * pin.SE3(np.eye(3), np.array([0.4, 0.0, 0.0]))
    pose = chains.configuration(chain, q)
    rotation, position = chain.base_rotation, chain.base_position
    for C, P in zip(pose.rotation, pose.position, strict=True):
        rotation = rotation @ C
        position = position + rotation @ P
    assert rotation == pytest.approx(tip.rotation)
    assert position == pytest.approx(tip.translation)


def test_robot_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match=r"none\.toml: no such file"):
        robots.read(tmp_path / "none.toml")

"""Problems as files: what is written is read back to the last bit, the robot too, in any folder."""

from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

import senn
from senn.algorithms import problems, robots
from senn.algorithms.problems import contacts as kinds
from senn.base.errors import InputError
from tests.algorithms.problems.lines import with_lines
from tests.algorithms.robots.oracle import arm_text
from tests.algorithms.robots.trees import random_tree


def assert_same(one, other, where=""):
    """Two problems, arms or contacts, field by field, to the last bit."""
    for field in fields(one):
        if field.name in ("name", "source", "changed", "seed", "draws", "remarks", "written", "notes"):
            continue
        a, b = getattr(one, field.name), getattr(other, field.name)
        if field.name == "branches":
            assert len(a) == len(b)
            for left, right in zip(a, b, strict=True):
                assert left.at == right.at
                assert_same(left.chain, right.chain, f"{where}.branches")
        elif hasattr(a, "__dataclass_fields__"):
            assert_same(a, b, f"{where}.{field.name}")
        elif isinstance(a, np.ndarray):
            assert a.dtype == b.dtype
            assert (a.shape, a.tobytes()) == (b.shape, b.tobytes()), f"{where}.{field.name}"
        else:
            assert a == b, f"{where}.{field.name}"


def again(what, folder):
    """The problem from its file, in a folder where nothing else is."""
    found = senn.read(what.write(folder / "written.toml"))
    assert_same(what, found)
    assert_same(what.contact, found.contact)
    assert found.chain.name == what.chain.name
    return found


@pytest.mark.parametrize(
    "name",
    [
        "ssrms",
        "station25",
        "ur5_friction",
        "ur5_free",
        "random:5:prismatic=0.5:seed=3",
        "joints:FRSUXH:seed=2",
    ],
)
def test_bundled_and_generated_robots_are_named(tmp_path, name):
    found = again(problems.load(name), tmp_path)
    text = Path(tmp_path / "written.toml").read_text()
    assert 'robot = "' in text
    assert "[robot]" not in text
    assert again(found, tmp_path).notes == found.notes


def test_a_urdf_stands_in_the_file(tmp_path):
    """With the part of it that was asked for: another base, locked joints and where they stand."""
    path = tmp_path / "away" / "arm.urdf"
    path.parent.mkdir()
    path.write_text(arm_text("ur5"))
    what = senn.problem(path, tip="tool0", lock="wrist_2.*", at={"wrist_2_joint": 0.3}, contact="plane")
    whole = senn.problem(path, tip="tool0", contact="plane")
    path.unlink()
    found = again(what, tmp_path)
    assert (found.chain.n, whole.chain.n) == (5, 6)
    assert "\nbase = " not in found.source
    assert found.chain.notes == what.chain.notes
    assert found.chain.written.lock == ("wrist_2.*",)
    again(whole, tmp_path)


def test_a_urdf_from_another_base_says_so(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(arm_text("ur5"))
    what = senn.problem(path, tip="tool0", base="upper_arm_link", contact="plane")
    path.unlink()
    found = again(what, tmp_path)
    assert 'base = "upper_arm_link"' in found.source
    assert found.chain.joint_names[0] == "elbow_joint"


def test_a_robot_file_stands_in_the_file(tmp_path):
    text = (Path(robots.__file__).parent / "station25.toml").read_text().replace("\n", " # it's mine\n", 1)
    (tmp_path / "own.toml").write_text(text)
    what = senn.problem(tmp_path / "own.toml", seed=2)
    (tmp_path / "own.toml").unlink()
    assert again(what, tmp_path).chain.written.text == text


def test_an_arm_of_arrays_stands_in_the_file_with_its_branches(tmp_path):
    """Twelve joints, some of them in branches; masses of an arm that was altered in Python."""
    tree = random_tree(7, [(3, 2), (7, 1)], 4)
    again(problems.draw(tree, 3), tmp_path)
    chain = problems.load("ur5").chain
    heavier = replace(chain, mass=chain.mass * 1.1, name='odd "name" \\ é')
    again(problems.draw(heavier, 3), tmp_path)


U = np.eye(6)
LEANING = np.random.default_rng(5).standard_normal((6, 6))


@pytest.mark.parametrize(
    "contact",
    [
        "weld",
        "free",
        {"kind": "weld", "mu": 0.25},
        {"kind": "plane", "normal": [1, 2, 3], "position": [0.1, 0.2, 0.3], "axes": "world", "mu": 0.5},
        {"kind": "line", "direction": [3, -2, 1]},
        {"kind": "point", "position": [0.1, 0, 1 / 3]},
        {"kind": "face"},
        kinds.type_i(LEANING[:, :3], G_C=[1, 2, 3], fixed_in="world"),
        kinds.type_i(LEANING[:, :2], LEANING[:, 2:], None, [1, 2, 3, 4 / 7], acceleration="spatial"),
        kinds.type_i(np.zeros((6, 0)), U, K_F=np.arange(6) / 3),
        kinds.type_ii(LEANING[:, :1], LEANING[:, 1:], np.ones((5, 1)) / 3),
        kinds.general(
            LEANING, np.ones(6), LEANING.T, np.ones(6) / 3, acceleration="spatial", fixed_in="world"
        ),
        replace(kinds.type_i(LEANING[:, :3]), G_C=np.ones(3) / 3),
        replace(kinds.type_ii(LEANING[:, :1], LEANING[:, 1:], np.ones((5, 1)) / 3), K_F=np.ones(5) / 3),
        kinds.none(),
    ],
    ids=str,
)
def test_every_contact(tmp_path, contact):
    what = problems.load("random:8:seed=1", contact=contact)
    again(what, tmp_path)
    plain = replace(what.contact, word="", friction=None)  # a contact of numbers has no word
    again(what.at(contact=plain), tmp_path)


def test_a_problem_that_was_drawn_is_given_then_and_the_file_says_so(tmp_path):
    what = senn.problem("random:8:seed=1")
    found = again(what, tmp_path)
    assert (found.drawn, found.notes) == (False, what.notes[1:])
    assert "# state, torque and contact were drawn from seed 1" in found.source


def test_a_run_of_the_file_is_the_run(tmp_path):
    what = senn.problem("random:6:seed=1", contact="plane").at(q=np.arange(6) / 7)
    assert senn.run(what).result["qdd"].tolist() == senn.run(what.write(tmp_path / "p.toml")).qdd.tolist()


def test_where_it_cannot_be_written(tmp_path):
    what = senn.problem("ssrms")
    with pytest.raises(InputError, match=r"p\.txt: a problem file ends in \.toml; name it so$"):
        what.write(tmp_path / "p.txt")
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"file is a file, not a folder; choose another place"):
        what.write(tmp_path / "file" / "p.toml")
    what.write(tmp_path / "p.toml")
    what.write(tmp_path / "p.toml")
    assert [one.name for one in sorted(tmp_path.iterdir())] == ["file", "p.toml"]


ARRAYS = """
q = [0.0]
[robot]
name = "one"
joints = ["revolute"]
joint_names = ["j"]
base_rotation = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
base_position = [0, 0, 0]
rotation = [[[1, 0, 0], [0, 1, 0], [0, 0, 1]]]
position = [[1, 0, 0]]
centre = [[0.5, 0, 0]]
mass = [1]
inertia = [[[1, 0, 0], [0, 1, 0], [0, 0, 1]]]
"""


@pytest.mark.parametrize(
    ("new", "message"),
    [
        ("", None),
        ("mass =", "robot.mass is missing; the keys are name, joints, "),
        ("mass =\nweight = [1]", "robot.weight is not known; the keys are name, joints, "),
        ("mass = 1", "robot.mass is a number; write a list$"),
        ("position = [[1, 0], [0]]", "position is no array of numbers; write rows of as many numbers each$"),
        ("mass = [-1]", "mass is -1 kg, and the algorithm divides by it"),
        ('branches = [{ at = "x" }]', "robot.branches 1: at is a text; write a number$"),
        ("branches = [{ at = 1, chain = { nme = 2 } }]", "robot.branches 1: chain.nme is not known"),
        ('q = [0.0]\ntip = "x"', "tip: robot is a table; leave tip out$"),
    ],
)
def test_an_arm_of_arrays_in_a_file(tmp_path, new, message):
    path = tmp_path / "p.toml"
    path.write_text(with_lines(ARRAYS, new))
    if message is None:
        assert senn.read(path).chain.joint_names == ("j",)
    else:
        with pytest.raises(InputError, match=message) as caught:
            senn.read(path)
        assert str(path) in str(caught.value)

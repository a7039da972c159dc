"""`senn new`: the file that it writes, and that it runs at once."""

import json
from pathlib import Path

import numpy as np
import pytest

import senn
from senn.algorithms import robots
from senn.machine.model import load
from tests.algorithms.robots.oracle import arm_text
from tests.senn.cli.command import senn as _senn

pytestmark = pytest.mark.usefixtures("folder")


def test_a_file_of_a_urdf_names_joints_limits_and_units(folder):
    """The robot is named from where the file is; the state lies inside the limits of the URDF."""
    (folder / "robots").mkdir()
    (folder / "robots" / "arm.urdf").write_text(arm_text("panda"))
    (folder / "mine").mkdir()
    words = ("--robot", "robots/arm.urdf", "--tip", "panda_link8", "--lock", "panda_joint7", "--seed", "3")
    done = _senn("new", "mine/my.toml", *words)
    assert (done.exit_code, done.output) == (0, "mine/my.toml\n")
    text = (folder / "mine" / "my.toml").read_text()
    assert 'robot = "../robots/arm.urdf"' in text
    assert 'tip = "panda_link8"' in text
    line = next(line for line in text.splitlines() if line.startswith("panda_joint4 = "))
    assert line.endswith("# rad, -3.0718 .. -0.0698")
    assert -3.0718 <= float(line.split()[2]) <= -0.0698
    assert "# rad/s\n" in text
    assert "# N m\n" in text
    found = senn.read("mine/my.toml")
    drawn = senn.problem("robots/arm.urdf", tip="panda_link8", lock="panda_joint7", seed=3)
    np.testing.assert_allclose(found.q, drawn.q, atol=5e-4)
    assert (found.draws, found.contact.word) == ({}, "plane")


@pytest.mark.parametrize(
    ("robot", "word"),
    [("ssrms", "weld"), ("ur5", "plane"), ("random:3:seed=2", "plane"), ("joints:RFPXU:seed=2", "weld")],
)
def test_the_file_runs_at_once(robot, word):
    """With the accelerations that were drawn for it, were the tip free, as far as figures were cut."""
    assert _senn("new", "my.toml", "--robot", robot).exit_code == 0
    done = _senn("run", "my.toml", "--json")
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["certificate"]["ok"]
    found = senn.read("my.toml")
    assert (found.contact.word, found.draws) == (word, {})
    named = senn.robot(robot)
    assert np.abs(found.chain.mass - named.mass).max() == 0


def test_a_copy_of_a_bundled_urdf_keeps_its_tip(folder):
    """A bundled robot has its tip by its name, a file has none."""
    (folder / "mine.urdf").write_bytes(Path(robots.__file__).with_name("ur5.urdf").read_bytes())
    assert _senn("new", "my.toml", "--robot", "mine.urdf", "--tip", "tool0").exit_code == 0
    assert 'tip = "tool0"' in (folder / "my.toml").read_text()
    done = _senn("run", "my.toml", "-q")
    assert (done.exit_code, done.stderr) == (0, "")


def test_a_contact_is_taken_and_one_that_holds_a_short_arm_is_left_out():
    assert _senn("new", "my.toml", "--robot", "ssrms", "--contact", "line").exit_code == 0
    assert senn.read("my.toml").contact.word == "line"
    assert _senn("new", "one.toml", "--robot", "random:1").exit_code == 0
    assert _senn("run", "one.toml").exit_code == 0


def test_a_file_that_is_there_is_kept(folder):
    assert _senn("new", "my.toml", "--robot", "ssrms").exit_code == 0
    (folder / "my.toml").write_text("mine")
    done = _senn("new", "my.toml", "--robot", "ur5")
    assert done.exit_code == 2
    assert "my.toml is there already; --force replaces it, or take another name" in done.stderr
    assert (folder / "my.toml").read_text() == "mine"
    assert _senn("new", "my.toml", "--robot", "ur5", "--force").exit_code == 0
    assert senn.read("my.toml").chain.name.startswith("ur5")


def test_joints_of_one_name_are_a_list(folder):
    """A table cannot have a key twice."""
    joints = 'joint = "same"\ntype = "revolute"\naxis = [0, 0, 1]\norigin = [0.1, 0, 0.2]\nmass = 1\n'
    link = f"[[link]]\n{joints}centre = [0.1, 0, 0]\ninertia = [0.01, 0.01, 0.01, 0, 0, 0]\n"
    (folder / "twins.toml").write_text(f'name = "twins"\n{link}{link}[tip]\norigin = [0.3, 0, 0]\n')
    assert _senn("new", "my.toml", "--robot", "twins.toml").exit_code == 0
    assert len(senn.read("my.toml").q) == 2
    assert "base to tip: same, same\nq = [" in (folder / "my.toml").read_text()


def test_a_machine_file_is_a_preset_under_its_own_name(folder):
    """All figures are those of the preset; the machine has the name of the file."""
    done = _senn("new", "mine.toml", "--machine", "mark3")
    assert (done.exit_code, done.output) == (0, "mine.toml\n")
    own, preset = load("mine.toml"), load("mark3")
    assert own.name == "mine"
    assert {**own.describe(), "name": "mark3"} == preset.describe()
    assert (own.sources, own.intervals) == (preset.sources, preset.intervals)

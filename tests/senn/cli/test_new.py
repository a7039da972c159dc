"""`senn new`: the file that it writes, that it runs at once, and the machine of this computer."""

import json
import os
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import senn
from senn import calibration
from senn.algorithms import robots
from senn.api import processes
from senn.machine import model
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


NAMES = ("flop", "startup", "word", "post", "receive")
needs_mpi = pytest.mark.skipif(
    find_spec("mpi4py") is None or (os.cpu_count() or 1) < 2, reason="needs MPI and two cores"
)


@needs_mpi
def test_a_calibration_of_this_computer(folder, monkeypatch):
    """Wide bounds of any computer that runs this; no figure is compared."""
    monkeypatch.setattr(calibration, "JOBS", 2)
    done = _senn("new", "mine.toml", "--calibrate", "4", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout) == {"file": "mine.toml"}
    machine = model.load("mine.toml")
    for name in NAMES:
        assert "R^2" in machine.sources["add" if name == "flop" else name]
    assert 0.1 < machine.timing.add < 10**5
    assert 0 < machine.timing.post < 10**7
    assert machine.timing.startup + machine.timing.receive < 10**8
    assert machine.timing.word < 10**5
    assert set(machine.intervals) == set(NAMES)
    ran = _senn("run", "ssrms", "--machine", "mine.toml", "--set", "machine.nodes=2", "--allocation", "block")
    assert ran.exit_code == 0, ran.output


def test_a_file_is_replaced_only_by_force(folder, monkeypatch):
    timing = {name: calibration.Figure(1, 2, 3, "a test") for name in NAMES}
    monkeypatch.setattr(calibration, "measured", lambda processes: timing)
    done = _senn("new", "here.toml", "--calibrate")
    assert (done.exit_code, done.stdout) == (0, "here.toml\n")
    assert "1 to 3" in " ".join(_senn("list", "machines", "here.toml").stdout.split())
    before = Path("here.toml").read_text()
    timing["word"] = calibration.Figure(1, 1, 1, "a test")
    refused = _senn("new", "here.toml", "--calibrate")
    assert refused.exit_code == 2
    assert refused.stderr == ("senn: here.toml is there already; --force replaces it, or take another name\n")
    assert Path("here.toml").read_text() == before
    assert _senn("new", "here.toml", "--calibrate", "--force").exit_code == 0
    assert model.load("here.toml").timing.word == 1


def _with_an_mpi_that_fails(monkeypatch):
    Path("mpiexec").write_text("#!/bin/sh\necho no such library >&2\nexit 1\n")
    Path("mpiexec").chmod(0o755)
    monkeypatch.setattr(processes, "which", lambda name, path: "./mpiexec")


@pytest.mark.parametrize(
    ("broken", "status", "message"),
    [
        (
            lambda monkeypatch: monkeypatch.setattr(processes, "find_spec", lambda name: None),
            *(2, "mpi needs mpi4py and an MPI, which are not installed: pip install 'senn[mpi]'"),
        ),
        (
            lambda monkeypatch: monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0}),
            *(2, "this process may use one core: ping-pong needs a core for each of two processes"),
        ),
        (_with_an_mpi_that_fails, 1, "mpi: no such library"),
    ],
)
def test_a_computer_that_cannot_be_measured_is_one_line(folder, monkeypatch, broken, status, message):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1}, raising=False)
    broken(monkeypatch)
    refused = _senn("new", "here.toml", "--calibrate")
    assert refused.exit_code == status
    assert refused.stderr == f"senn: {message}\n"
    assert list(Path().glob("*.toml")) == []

"""Problems made in Python, and contacts on the command line."""

import numpy as np
import pytest

import senn
from senn.algorithms import problems
from senn.algorithms.problems import contacts as kinds
from tests.algorithms.robots.oracle import arm, arm_text, relative
from tests.senn.cli.command import ended, json_of


@pytest.fixture
def urdf(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(arm_text("ur5"))
    return path


def test_a_urdf_with_numbers_by_name_and_a_contact_is_pinocchios_arm(urdf):
    """Gravity on an inclined base, one joint given by name, the others drawn; pushed along all axes but z."""
    gravity = (3.0, 0.0, -9.0)
    what = senn.problem(
        urdf,
        tip="tool0",
        q={"elbow_joint": 1.2},
        qd=[0.1] * 6,
        tau=np.ones(6),
        gravity=gravity,
        contact="plane",
    )
    _, model = arm("ur5")
    drawn = senn.problem(urdf, tip="tool0")
    np.testing.assert_array_equal(what.q, [*drawn.q[:2], 1.2, *drawn.q[3:]])
    np.testing.assert_array_equal(what.tau, np.ones(6))
    assert what.notes[0] == "the rest of q was drawn from seed 0"
    model.set_gravity(np.array(gravity))
    try:
        qdd, force = model.constrained(what.q, what.qd, what.tau, kinds.type_i(np.eye(6)[:, 5:], G_C=[0.0]))
    finally:
        model.set_gravity(np.array([0.0, 0.0, -9.81]))
    run = senn.run(what)
    assert run.certificate["ok"]
    assert relative(run.result["qdd"], qdd) < 1e-10
    assert relative(run.result["force"], force) < 1e-10


def test_a_robot_is_made_once_and_put_in_many_states(urdf):
    chain = senn.robot(urdf, tip="tool0")
    assert chain.joint_names == arm("ur5")[0].joint_names
    one = senn.problem(chain, seed=4)
    np.testing.assert_array_equal(one.q, senn.problem(urdf, tip="tool0", seed=4).q)
    assert senn.problem(one, qd=np.zeros(6)).qd.tolist() == [0] * 6
    assert senn.robot("random:5:seed=2").n == 5
    assert senn.robot("ssrms").name == "ssrms"
    assert senn.robot(urdf, tip="tool0", lock="wrist_.*").n == 3


def test_what_is_given_stands_in_place_of_what_a_file_says():
    what = senn.problem("ssrms", q={"shoulder_roll": 0.5}, contact={"kind": "point", "position": [0, 0, 1]})
    file = problems.load("ssrms")
    np.testing.assert_array_equal(what.q, [0.5, *file.q[1:]])
    np.testing.assert_array_equal(what.tau, file.tau)
    assert (what.changed, what.source, what.contact.word) == (("q", "contact"), file.source, "point")


def test_a_seed_and_numbers_of_a_generated_arm():
    """Of an arm whose state is given, torques are drawn for that state."""
    what = senn.problem("random:8:seed=1", q=np.zeros(8), qd=np.zeros(8), gravity=[0, 0, 0], contact="free")
    assert np.abs(senn.run(what, algorithm="open-chain").result["qdd0"] - what.qdd).max() < 1e-9


def test_read_takes_problem_files(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('robot = "random:4"\ncontact = "plane"\n')
    assert senn.read(path).contact.word == "plane"
    robot = tmp_path / "robot.toml"
    robot.write_text("[[link]]\n")
    for wrong in (robot, tmp_path / "arm.urdf"):
        wrong.touch()
        with pytest.raises(senn.InputError, match="is no problem file; a robot's problem is drawn, or given"):
            senn.read(wrong)
    with pytest.raises(senn.InputError, match="is no robot file"):
        senn.robot(path)


@pytest.mark.parametrize("contact", ["weld", "plane", "free"])
def test_a_contact_on_the_command_line(tmp_path, monkeypatch, contact):
    monkeypatch.chdir(tmp_path)
    printed = json_of("run", "ssrms", "--contact", contact)
    right = senn.run("ssrms", contact=contact)
    assert printed["qdd"] == right.result["qdd"].tolist()
    assert right.description["problem"]["changed"] == ["contact"]
    assert printed["joint_names"] == printed["labels"] == list(senn.robot("ssrms").joint_names)
    shown = ended(0, "explain", printed["folder"])
    held = {"weld": "6 directions held (weld)", "plane": "1 direction held (plane)", "free": "free end\n"}
    assert f"7 joints, {held[contact]}" in shown


def test_run_json_says_which_part_of_a_urdf_ran(urdf):
    """With these words and the file, the run can be made again."""
    run = senn.run(urdf, tip="tool0", lock="wrist_3_joint", at={"wrist_3_joint": 0.5})
    part = run.description["problem"]["part"]
    at = {"wrist_3_joint": [0.5]}
    assert part == {"tip": "tool0", "base": "world", "lock": ["wrist_3_joint"], "at": at}

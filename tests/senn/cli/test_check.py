"""Answers of other programs, judged: MuJoCo's on real arms, wrong ones, and files that are none."""

import json
from pathlib import Path

import numpy as np
import pytest

import senn
from experiments.trust import referee
from senn.algorithms import problems
from senn.base.errors import InputError
from tests.algorithms.robots.oracle import ARMS, arm_text
from tests.senn.cli.command import senn as command

STATES = 8
DIGITS = 11
"""MuJoCo has twelve and more of well-conditioned arms."""


@pytest.fixture(scope="module")
def panda(tmp_path_factory):
    """A Panda as a URDF, and MuJoCo's answers of it, by MuJoCo's own reader."""
    pytest.importorskip("mujoco")
    folder = tmp_path_factory.mktemp("panda")
    text = arm_text("panda")
    (folder / "panda.urdf").write_text(text)
    model = referee.of_urdf(text)
    assert model.dof_damping.any(), "the URDF has damping, which equations of motion have not"
    model.dof_damping[:] = 0.0
    return folder, model, referee.answers(model, states=STATES)


def _written(panda, folder: Path, **changed) -> tuple[str, ...]:
    """Words of the command for these answers, with arrays changed or, if None, left out."""
    arrays = {name: array for name, array in {**panda[2], **changed}.items() if array is not None}
    np.savez(folder / "answers.npz", **arrays)
    return "check", str(panda[0] / "panda.urdf"), "--tip", ARMS["panda"][1], "--answers", "answers.npz"


@pytest.mark.parametrize("name", ["ur5", "ssrms, welded"])
def test_mujoco_has_the_digits_of_double_precision(name):
    """The URDF of a UR5 as MuJoCo reads it, and the Space Station's arm as MJCF with a rigid weld, whose F is
    in end-effector axes."""
    pytest.importorskip("mujoco")
    problem, model, tip = referee.ARMS[name]()
    given = referee.answers(model, tip, STATES, problem.gravity)
    verdicts = senn.check(problem, given, digits=DIGITS)
    assert verdicts.ok, verdicts
    assert verdicts.errors.shape == (STATES, problem.chain.degrees)
    assert repr(verdicts).startswith(f"Verdicts({STATES} states of {problem.name}: {STATES} certified, 1")


def test_a_mass_wrong_by_a_millionth_shows_and_so_do_coarser_mistakes(panda):
    _, model, given = panda
    arm = senn.problem(panda[0] / "panda.urdf", tip=ARMS["panda"][1])
    last = int(np.flatnonzero(model.body_mass > 0.1)[-1])
    right = float(model.body_mass[last])
    model.body_mass[last] *= 1.0 + 1e-6
    heavy = referee.answers(model, states=STATES)
    model.body_mass[last] = right
    swapped = given["qdd"][:, [0, 2, 1, 3, 4, 5, 6]]
    assert senn.check(arm, given, digits=DIGITS).ok
    digits = {
        "mass": senn.check(arm, heavy, digits=DIGITS),
        "gravity": senn.check(arm, referee.answers(model, states=STATES, gravity=(0.0, 0.0, 9.81))),
        "joints": senn.check(arm, {**given, "qdd": swapped}),
    }
    assert not any(verdicts.ok for verdicts in digits.values())
    assert 5 <= min(each.digits for each in digits["mass"].certificates) < DIGITS
    assert digits["joints"].errors[:, [1, 2]].min() > 0.01
    assert digits["joints"].errors[:, [0, 3, 4, 5, 6]].max() < 1e-10


def test_the_command_shows_the_worst_first(panda, folder):
    """The joint that is wrong in one state, by its name; the other states keep their digits."""
    qdd = panda[2]["qdd"].copy()
    qdd[5, 3] += 1e-3 * abs(qdd[5]).max()
    words = _written(panda, folder, qdd=qdd)
    done = command(*words)
    assert done.exit_code == 1
    rows = [line.split() for line in done.stdout.splitlines() if "qdd of" in line]
    assert rows[0][:4] == ["5", "qdd", "of", "panda_joint4"]
    assert f"1 of {STATES} states failed; state 5: qdd of panda_joint4, error " in done.stderr
    told = json.loads(command(*words, "--json").stdout)
    few = [[digits < 6 for digits in row] for row in told["digits_of_joints"]]
    assert [(k, i) for k, row in enumerate(few) for i, small in enumerate(row) if small] == [(5, 3)]
    assert [each["ok"] for each in told["certificates"]] == [k != 5 for k in range(STATES)]
    assert (told["ok"], told["required"], told["labels"][3]) == (False, 6, "panda_joint4")


def test_answers_that_are_no_numbers_fail_in_one_line(panda, folder):
    """As Newton's Featherstone solver gives them on serial arms: newton-physics/newton#4269."""
    qdd = panda[2]["qdd"].copy()
    qdd[4, 2] = np.nan
    done = command(*_written(panda, folder, qdd=qdd))
    assert done.exit_code == 1
    assert done.stderr == f"senn: 1 of {STATES} states failed; state 4: qdd of panda_joint3, error nan\n"
    done = command(*_written(panda, folder, qdd=qdd * np.nan))
    assert done.exit_code == 1
    assert done.stderr.startswith(f"senn: {STATES} of {STATES} states failed; state 0: qdd of panda_joint1, ")


def _nan(array):
    array = array.copy()
    array[1, 0] = np.nan
    return array


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tau": None}, "the answers have no tau; give q, qd, tau, qdd and, in contact, F"),
        ({"q": None, "qdd": None}, "the answers have no q and qdd; "),
        ({"tau": lambda x: x[:, :5]}, f"tau has shape ({STATES}, 5); give (states, 7), a row for each state"),
        ({"qdd": lambda x: x[:3]}, f"q, qd, tau and qdd have {STATES}, {STATES}, {STATES} and 3 states"),
        ({"q": _nan}, "row 1: q: number 1 (panda_joint1) is nan; it must be finite"),
        ({"qdd": lambda x: x + 1j}, "qdd is no table of numbers"),
        ({"qd": lambda x: np.array([["a"] * 7])}, "qd is no table of numbers"),
        ({"qd": lambda x: np.array([{}])}, "answers.npz: is not an .npz file of numbers"),
    ],
    ids=lambda value: value[:25] if isinstance(value, str) else "",
)
def test_files_that_cannot_be_judged_are_refused(panda, folder, changes, message):
    """With the array, the state and the joint; nothing is unpickled."""
    changed = {name: change and change(panda[2][name]) for name, change in changes.items()}
    done = command(*_written(panda, folder, **changed))
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"senn: {message}")
    assert done.stderr.count("\n") == 1


def _answers(arm):
    found = senn.run(arm, machine="ideal").result
    return {"q": arm.q, "qd": arm.qd, "tau": arm.tau, "qdd": found["qdd"], "F": found["force"]}


@pytest.mark.parametrize("spec", ["random:7", "ssrms", "ur5_friction", "station25"])
def test_answers_of_a_run_are_right_in_its_contact(spec):
    """Of one state, without an axis of states; the opposite force is wrong, and without F the tip is free."""
    arm = senn.problem(spec)
    given = _answers(arm)
    assert senn.check(spec, given).ok
    assert not senn.check(spec, {**given, "F": -given["F"]}).ok
    free = {**given, "qdd": senn.run(arm, algorithm="open-chain", machine="ideal").result["qdd"]}
    del free["F"]
    verdicts = senn.check(spec, free)
    assert verdicts.ok
    assert "the answers have no F: the tip is free" in verdicts.states[0].notes


def test_a_force_at_a_free_tip_is_refused():
    arm = problems.load("ur5_free")
    given = {**arm.numbers, "qdd": arm.qdd, "F": np.zeros(6)}
    with pytest.raises(InputError, match="the answers have F, but the tip of ur5_free is free; name its"):
        senn.check(arm, given)


def test_single_precision_asks_for_three_digits():
    arm = problems.load("ur5_free")
    qdd = senn.run(arm, machine="ideal").result["qdd"]
    one, other = (senn.check(arm, {**arm.numbers, "qdd": qdd.astype(kind)}) for kind in ("f4", "f8"))
    assert [each.certificates[0].required for each in (one, other)] == [3, 6]
    assert one.ok


def test_accelerations_that_vanish_beside_their_terms_are_not_refused():
    """Torques that just carry the arm: the accelerations are rounding alone, at every joint."""
    from senn.algorithms.robots.newton_euler import dynamics

    arm = senn.problem("random:6", contact="free", qd=np.zeros(6))
    still = np.zeros(6)
    tau = dynamics(arm.chain, arm.q, still, still, arm.gravity).torque
    verdicts = senn.check(arm, {"q": arm.q, "qd": still, "tau": tau, "qdd": np.full(6, 1e-14)})
    assert verdicts.ok
    assert verdicts.errors.max() < 1e-6

"""`senn.simulate`: every acceleration a run of the program; torques, certificates, errors, and the folder."""

import io
import json
from dataclasses import replace
from functools import partial

import numpy as np
import polars as pl
import pytest
from PIL import Image, ImageSequence

import senn
from senn.algorithms import motion
from senn.algorithms.references import articulated
from senn.algorithms.robots import newton_euler
from senn.algorithms.robots.chain import points
from senn.base import files
from senn.base.errors import InputError
from senn.motion import animation, read

COLUMNS = ("time", "q", "qd", "tau", "qdd", "force")
LOOSE = {"until": 0.03, "judge": 0}


def serial(problem, until, step, torque=None):
    """The motion by articulated bodies, with both corrections where the contact is kept."""
    start = motion.frozen(problem)
    pose = motion.tip(start)

    def acceleration(state):
        return articulated.solve(state).qdd

    def qdd(time, q, qd):
        tau = start.tau if torque is None else torque(time, q, qd)
        return acceleration(replace(start, q=q, qd=qd, tau=tau))

    now, is_kept = (start.q, start.qd), motion.is_kept(start)
    for k in range(round(until / step) + 1):
        if k:
            before = (k - 1) * step
            now = motion.runge_kutta(start.chain, qdd, before, step, now, qdd(before, *now))
        state = replace(start, q=now[0], qd=now[1])
        error = motion.pose_error(state, pose) if is_kept and k else None
        if error is not None:
            change = acceleration(motion.correction(state, error))
            state = replace(
                state, q=motion.moved(state.chain, state.q, motion.rates(state.chain, state.q, change))
            )
        if is_kept:
            change = acceleration(motion.correction(state, motion.speed_error(state)))
            state = replace(state, qd=state.qd + change)
        now = state.q, state.qd
    return now


@pytest.mark.parametrize(
    ("problem", "options"),
    [
        ("ssrms", {}),
        ("ssrms", {"algorithm": "star", "machine": "raw"}),
        ("ssrms", {"algorithm": "forward-pv-early", "machine": "t800"}),
        ("ssrms", {"algorithm": "gather-and-solve"}),
        ("ssrms_payload", {}),
        ("ur5", {"contact": "plane"}),
        ("ur5_friction", {}),
        ("ur5_free", {"algorithm": "open-chain", "residency": "home"}),
    ],
    ids=str,
)
def test_motion_is_that_of_a_serial_solver(problem, options):
    result = senn.simulate(problem, until=0.06, step=0.02, **options)
    contact = {name: options[name] for name in options.keys() & {"contact"}}
    q, qd = serial(senn.problem(problem, **contact), 0.06, 0.02)
    assert np.abs(result.q[-1] - q).max() < 1e-11 * max(1.0, np.abs(q).max())
    assert np.abs(result.qd[-1] - qd).max() < 1e-10 * max(1.0, np.abs(qd).max())
    assert result.ok
    assert result.time.tolist() == pytest.approx(np.arange(4) * 0.02)


def test_each_row_is_a_run_of_the_machine():
    result = senn.simulate("ssrms", until=0.03, judge=0)
    for k in range(4):
        state = senn.problem("ssrms", q=result.q[k], qd=result.qd[k], tau=result.tau[k])
        run = senn.run(state)
        assert np.array_equal(run.qdd, result.qdd[k])
        assert np.array_equal(run.force, result.force[k])
    assert result.summary["makespan"] == run.summary["makespan"] == 7674


def test_real_time_factor_is_step_over_evaluations():
    """Six runs of 7,674 cycles at 20 MHz in a step of RK4 with both corrections; semi-implicit has three."""
    figures = senn.simulate("ssrms", until=0.02, judge=0).summary
    assert figures["evaluations_per_step"] == 6
    assert figures["real_time_factor"] == pytest.approx(0.01 / (6 * 7674 / 20e6))
    euler = senn.simulate("ssrms", until=0.02, integrator="semi-implicit", judge=0)
    assert euler.summary["evaluations_per_step"] == 3
    assert senn.simulate("ur5_free", until=0.02, judge=0).summary["evaluations_per_step"] == 4
    assert senn.simulate("ssrms", until=0.02, project=False, judge=0).summary["evaluations_per_step"] == 4


def test_every_kth_evaluation_is_judged_and_the_last_one():
    result = senn.simulate("ur5_free", until=0.05, judge=7)
    assert result.certificates["evaluation"].to_list() == [0, 7, 14, 20]
    assert result.certificates["time"].to_list() == pytest.approx([0.0, 0.02, 0.035, 0.05])
    assert result.ok
    assert senn.simulate("ur5_free", **LOOSE).certificates["evaluation"].to_list() == [12]


def test_a_certificate_that_fails_is_recorded():
    """In a schedule that loses accuracy; the motion goes on."""
    result = senn.simulate("rods:32:slenderness=0.001", until=1e-4, step=1e-4, judge=4, impact=True)
    assert not result.ok
    assert result.summary["failed"] > 0
    assert "certificate failed" in result.certificates["message"][0]


def test_drift_is_reported_and_taken_away():
    arm = senn.problem("ssrms")
    fast = arm.at(qd=20 * arm.qd, tau=np.zeros(7))
    options = {"until": 1.0, "step": 0.1, "judge": 0, "algorithm": "forward-pv-early"}
    held = senn.simulate(fast, **options)
    loose = senn.simulate(fast.at(qd=held.qd[0]), project=False, **options)
    assert held.states["drift_pose"].max() < 1e-13
    assert held.states["drift_velocity"].max() < 1e-13
    assert 1e-8 < loose.states["drift_pose"].max() < 2e-6
    assert held.energy[-1] == pytest.approx(512.9, abs=0.1)


@pytest.mark.parametrize(("word", "axes"), [("plane", "world"), ("face", "end_effector")])
def test_a_contact_that_pulls_is_reported(word, axes):
    """At rest the force is linear in the torques; these change sign at 0.025 s, between two steps."""
    normal = [0.6, 0.0, 0.8]
    arm = senn.problem(
        "ur5_free", qd=np.zeros(6), gravity=[0, 0, 0], contact={"kind": word, "normal": normal, "axes": axes}
    )
    for sign in (1, -1):
        push = sign * np.array([0.1, 2.0, 1.0, 0.0, 0.0, 0.0])
        moved = senn.simulate(arm, torque=lambda t, q, qd, push=push: push * (1 - t / 0.025), **LOOSE)
        assert moved.summary["pulls_from"] == pytest.approx(0.03)
        assert "at t = 0.03 s the contact pulls" in dict(moved.facts())["contact"]
        tips = [motion.tip(replace(moved.problem, q=q)).axes for q in moved.q]
        world = np.array(normal) if axes == "world" else tips[0] @ normal
        expected = [world @ tip @ force[3:] for tip, force in zip(tips, moved.force, strict=True)]
        assert moved.states["normal_force"].to_numpy() == pytest.approx(np.array(expected), abs=1e-12)
    steady = senn.simulate(arm, torque=push, **LOOSE)
    assert steady.summary["pulls_from"] is None
    assert "contact" not in dict(steady.facts())
    held = senn.simulate(arm.at(contact="point"), torque=lambda t, q, qd: push * (1 - t / 0.025), **LOOSE)
    assert held.summary["pulls_from"] is None
    assert held.states["normal_force"].null_count() == 4


OBLIQUE = np.array([[0.0], [0.0], [0.0], [0.6], [0.0], [0.8]])


def test_a_contact_that_its_own_G_C_moves_is_stabilised():
    """The tip goes v t + G_C t^2 / 2 along the normal, far more closely than the method does."""
    arm = senn.problem("ur5_free", contact={"kind": "I", "W": OBLIQUE, "G_C": [0.7], "fixed_in": "world"})
    options = {"until": 0.2, "step": 0.05, "judge": 0}
    loose, held = (senn.simulate(arm, project=project, **options) for project in (False, True))
    assert np.array_equal(held.qd[0], loose.qd[0])
    start = motion.tip(arm)
    moving = newton_euler.end_effector(arm.chain, arm.q, arm.qd, 0 * arm.qd)[0]
    speed = OBLIQUE[3:, 0] @ start.axes @ moving[3:]
    assert abs(speed) > 0.01
    for moved, least, most in ((loose, 1e-10, 1e-5), (held, 0, 1e-14)):
        ways = [motion.tip(replace(arm, q=q)).place - start.place for q in moved.q]
        off = np.abs(ways @ OBLIQUE[3:, 0] - speed * moved.time - 0.7 * moved.time**2 / 2).max()
        assert least <= off <= most
        assert moved.summary["drift_pose"] == pytest.approx(off, abs=1e-15)
        assert moved.summary["drift_velocity"] <= most
    turning = arm.at(contact={"kind": "I", "W": OBLIQUE, "G_C": [0.7], "acceleration": "spatial"})
    moved = senn.simulate(turning, **options)
    assert moved.summary["drift_velocity"] < 1e-13
    assert moved.summary["drift_pose"] is None


def test_a_contact_that_is_not_stabilised_is_reported_so():
    arm = senn.problem("ur5_free", contact={"kind": "I", "W": OBLIQUE, "G_C": [0.7]})
    moved = senn.simulate(arm, until=0.02, judge=0)
    assert moved.summary["evaluations_per_step"] == 4
    assert "is not stabilised" in dict(moved.facts())["drift"]
    assert "drift" not in dict(senn.simulate("ssrms_payload", until=0.01, judge=0).facts())


def test_free_and_spherical_joints_stay_on_their_spheres():
    result = senn.simulate("joints:FSRU:seed=1", contact="free", until=0.05, judge=0)
    chain = result.problem.chain
    assert chain.quaternions.size
    assert np.linalg.norm(result.q[:, chain.quaternions], axis=2) == pytest.approx(1.0, abs=1e-15)
    assert result.q[-1].tolist() != result.q[0].tolist()


def test_a_notebook_shows_figures_that_do_not_depend_on_rounding():
    motion = senn.simulate("ssrms", until=0.02, form="short")
    facts = dict(motion.facts())
    assert f"with {motion.certificates['digits'].min()} digits or more" in facts["certificates"]
    assert f"pose {motion.states['drift_pose'].max():.1e}" in facts["drift"]
    # 10 ms over six runs of 5,284 cycles at 20 MHz
    shown = {"ssrms: 0.02 s in 2 steps of 0.01 s, rk4", "6.31: 6 runs for a step take 1.59 ms"}
    assert shown < set(facts.values())
    page = motion._repr_html_()
    assert all(text in page for text in shown | {"2 of the runs, all hold<"})
    assert "drift" not in page
    assert "digits" not in page
    euler = senn.simulate("ssrms", until=0.01, integrator="semi-implicit", project=False)
    assert "0.01 s in 1 step of 0.01 s" in dict(euler.facts())["motion"]
    assert "1 run for a step takes" in dict(euler.facts())["real-time factor"]
    assert repr(motion).startswith("Motion(ssrms: 0.02 s in 2 steps of 0.01 s, rk4; real-time factor 6.31")
    assert len(repr(motion)) < 120


def test_torques_of_every_kind_give_one_motion(tmp_path, monkeypatch):
    """Rising with time: a table, its CSV file, a function, a function of a file; constant: numbers, a text,
    or those of the problem."""
    monkeypatch.chdir(tmp_path)
    slopes = np.arange(1.0, 7.0)
    rows = np.vstack([[0.0, *np.zeros(6)], [0.02, *(0.02 * slopes)], [0.05, *(0.05 * slopes)]])
    head = ",".join(["time", *"abcdef"])
    np.savetxt("tau.csv", rows, delimiter=",", header=head, comments="", fmt="%.17g")
    (tmp_path / "mine.py").write_text("def push(t, q, qd):\n    return [t * k for k in range(1, 7)]\n")
    expected = senn.simulate("ur5_free", torque=lambda t, q, qd: t * slopes, **LOOSE)
    assert expected.tau[-1] == pytest.approx(0.03 * slopes)
    for torque in (rows, "tau.csv", "mine.py:push"):
        assert senn.simulate("ur5_free", torque=torque, **LOOSE).q == pytest.approx(expected.q, abs=1e-14)
    own = senn.simulate("ur5_free", **LOOSE)
    tau = senn.problem("ur5_free").tau
    assert np.array_equal(senn.simulate("ur5_free", torque=tau, **LOOSE).q, own.q)
    text = ",".join(map(repr, tau.tolist()))
    assert np.array_equal(senn.simulate("ur5_free", torque=text, **LOOSE).q, own.q)
    assert not senn.simulate("ur5_free", torque="0", **LOOSE).tau.any()
    assert (senn.simulate("ur5_free", torque=2, **LOOSE).tau == 2.0).all()


def test_a_file_that_is_no_table_names_the_line(tmp_path):
    file = tmp_path / "tau.csv"
    for text, words in (
        ("t,a\n1,2\nx,3\n", "line 3: expected numbers between commas"),
        ("0,x\n1,2\n", "line 1: expected numbers between commas"),
        ("0,1\n\n1,nan\n", "line 3: expected numbers between commas"),
        ("0,1\n1,2,3\n", "line 2: has 3 numbers"),
        ("time,torque\n", r"tau\.csv: has no rows of numbers"),
        ("", r"tau\.csv: has no rows of numbers"),
    ):
        file.write_text(text)
        with pytest.raises(InputError, match=words):
            senn.simulate("ur5_free", torque=str(file), **LOOSE)


class Killed(BaseException):
    """As SIGKILL does: nothing is written any more."""


def test_a_killed_motion_goes_on_to_the_same_numbers(tmp_path, monkeypatch):
    whole = senn.simulate("ssrms", until=0.06, judge=5)
    place, options = tmp_path / "motion", {"until": 0.06, "judge": 5, "folder": tmp_path / "motion"}
    monkeypatch.setattr("senn.motion.folder._SECONDS", 0.0)
    monkeypatch.setattr("senn.motion.folder._SHARE", 1e9)

    def kill(done, steps):
        if done == 4:
            monkeypatch.setattr("senn.motion.folder.Kept.write", lambda *_, **__: None)
            raise Killed

    with monkeypatch.context() as _, pytest.raises(Killed):
        senn.simulate("ssrms", progress=kill, **options)
    monkeypatch.undo()
    assert len(pl.read_parquet(place / "states.parquet")) == 4
    seen = []
    again = senn.simulate("ssrms", progress=lambda done, steps: seen.append(done), **options)
    assert seen == [4, 5, 6]
    for name in COLUMNS:
        assert np.array_equal(getattr(again, name), getattr(whole, name)), name
    assert again.certificates.equals(whole.certificates)
    assert again.states.equals(whole.states)
    third = senn.simulate("ssrms", progress=lambda *_: pytest.fail("it is there"), **options)
    assert third.states.equals(whole.states)


@pytest.mark.parametrize("judge", [0, 3])
def test_a_motion_goes_on_to_a_later_end(tmp_path, judge):
    """To the numbers and certificates of one that was whole from the start; to an earlier end it does not."""
    place, seen = tmp_path / "motion", []
    senn.simulate("ssrms", until=0.01, judge=judge, folder=place)
    options = {"until": 0.03, "judge": judge, "folder": place}
    longer = senn.simulate("ssrms", progress=lambda done, steps: seen.append(done), **options)
    assert seen == [2, 3]
    whole = senn.simulate("ssrms", until=0.03, judge=judge, folder=tmp_path / "whole")
    for name in ("states.parquet", "certificates.parquet"):
        assert pl.read_parquet(place / name).equals(pl.read_parquet(tmp_path / "whole" / name))
    assert longer.certificates.equals(whole.certificates)
    assert (place / "motion.json").read_text() == (tmp_path / "whole" / "motion.json").read_text()
    again = senn.simulate("ssrms", progress=lambda *_: pytest.fail("it is there"), **options)
    assert again.certificates.equals(whole.certificates)
    with pytest.raises(InputError, match=r"holds this motion until 0.03 s; give that --until"):
        senn.simulate("ssrms", **(options | {"until": 0.02}))
    with pytest.raises(InputError, match="holds another motion"):
        senn.simulate("ssrms", **(options | {"until": 0.05, "torque": "0"}))


def test_an_error_loses_nothing(tmp_path):
    def push(time, q, qd):
        if time > 0.025:
            raise RuntimeError("out of\npower")
        return np.zeros(6)

    place = tmp_path / "motion"
    with pytest.raises(InputError, match=r"power; the motion up to 0.02 s is kept in .*motion$"):
        senn.simulate("ur5_free", until=0.05, torque=push, folder=place)
    assert len(pl.read_parquet(place / "states.parquet")) == 3


def test_a_full_disk_names_the_time_that_is_kept(tmp_path, monkeypatch):
    """Not the time that was computed; and the same call goes on once there is room."""
    options = {"until": 0.05, "judge": 0, "folder": tmp_path / "motion"}
    monkeypatch.setattr("senn.motion.folder._SECONDS", 0.0)
    monkeypatch.setattr("senn.motion.folder._SHARE", 1e9)
    states, write = [], files.put

    def fill(path, content, **owned):
        states.append(path.name == "states.parquet")
        if sum(states) > 2:
            raise InputError(f"{path}: cannot be written: No space left on device; choose another place")
        write(path, content, **owned)

    monkeypatch.setattr(files, "put", fill)
    with pytest.raises(InputError, match=r"No space left .*; the motion up to 0.01 s is kept in .*motion$"):
        senn.simulate("ur5_free", **options)
    monkeypatch.undo()
    seen = []
    again = senn.simulate("ur5_free", progress=lambda done, steps: seen.append(done), **options)
    assert seen == [2, 3, 4, 5]
    assert again.states.equals(senn.simulate("ur5_free", until=0.05, judge=0).states)


def test_a_long_motion_is_read(tmp_path, monkeypatch):
    """Its tables may be larger than a file of a user."""
    place = tmp_path / "motion"
    whole = senn.simulate("ur5_free", until=0.05, judge=0, folder=place)
    monkeypatch.setattr(files, "LARGEST", (place / "states.parquet").stat().st_size - 1)
    assert read(place).states.equals(whole.states)


@pytest.mark.parametrize("stop", ["motion.json", "problem.toml"])
def test_a_folder_that_was_only_begun_is_gone_on_with(tmp_path, monkeypatch, stop):
    """After a kill between its files, with what was half-written."""
    place, write = tmp_path / "motion", files.put

    def kill(path, content, **owned):
        if path.name == stop:
            raise Killed
        write(path, content, **owned)

    monkeypatch.setattr(files, "put", kill)
    with pytest.raises(Killed):
        senn.simulate("ur5_free", until=0.01, folder=place)
    monkeypatch.undo()
    (place / ".motion.json.abcdefgh.partial").mkdir()
    whole = senn.simulate("ur5_free", until=0.01, folder=place)
    assert read(place).states.equals(whole.states)


def test_a_motion_without_a_state_is_in_nobodys_way(tmp_path):
    """One that failed at once does not keep its folder from the next."""
    place = tmp_path / "motion"
    with pytest.raises(InputError, match=r"at t = 0 s: .* gives shape \(2,\)"):
        senn.simulate("ur5_free", until=0.02, torque=lambda t, q, qd: [1, 2], folder=place)
    right = senn.simulate("ur5_free", until=0.02, torque="0", folder=place)
    assert len(pl.read_parquet(place / "states.parquet")) == len(right.time)
    document = json.loads((place / "motion.json").read_text())
    assert document["inputs"] == right.description["inputs"]


def test_another_motion_is_replaced_by_force_only(tmp_path):
    place = tmp_path / "motion"
    senn.simulate("ur5_free", until=0.02, folder=place)
    for changed in ({"torque": "0"}, {"step": 0.005}, {"machine": "raw"}, {"integrator": "semi-implicit"}):
        with pytest.raises(InputError, match="holds another motion"):
            senn.simulate("ur5_free", until=0.02, folder=place, **changed)
    assert len(senn.simulate("ur5_free", until=0.03, folder=place, force=True).time) == 4
    with pytest.raises(InputError, match="not the folder of a motion"):
        senn.simulate("ur5_free", until=0.02, folder=tmp_path)
    (place / "states.parquet").write_bytes(b"PAR1")
    with pytest.raises(InputError, match=r"is not as it was saved: states\.parquet was altered; make it"):
        senn.simulate("ur5_free", until=0.03, folder=place)
    (place / "motion.json").write_text('{"inputs": 1}')
    for again in (lambda: read(place), lambda: senn.simulate("ur5_free", until=0.03, folder=place)):
        with pytest.raises(InputError, match=r"motion.json was altered"):
            again()
    assert len(senn.simulate("ur5_free", until=0.03, folder=place, force=True).time) == 4
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is a file, not a folder"):
        senn.simulate("ur5_free", until=0.03, folder=tmp_path / "file")


GAIN = 1.0


class Brake:
    def __init__(self, gain):
        self.gain = gain

    def __call__(self, time, q, qd):
        return -self.gain * qd

    torque = __call__


def loaded(gain, time, q, qd):
    return -gain * qd


@pytest.mark.parametrize("kind", ["closure", "default", "global", "object", "method", "partial"])
def test_a_function_with_other_numbers_is_another_motion(tmp_path, monkeypatch, kind):
    """Although its text is the same."""

    def brake(gain):
        return {
            "closure": lambda time, q, qd: -gain * qd,
            "default": lambda time, q, qd, gain=gain: -gain * qd,
            "global": lambda time, q, qd: -GAIN * qd,
            "object": Brake(gain),
            "method": Brake(gain).torque,
            "partial": partial(loaded, gain),
        }[kind]

    options = {"until": 0.01, "judge": 0, "folder": tmp_path / "motion"}
    senn.simulate("ur5_free", torque=brake(1.0), **options)
    senn.simulate("ur5_free", torque=brake(1.0), progress=lambda *_: pytest.fail("it is there"), **options)
    monkeypatch.setitem(globals(), "GAIN", 2.0)
    with pytest.raises(InputError, match="holds another motion"):
        senn.simulate("ur5_free", torque=brake(2.0), **options)


def test_the_problem_in_the_folder_is_that_of_the_motion(tmp_path):
    place = tmp_path / "motion"
    result = senn.simulate("ssrms", contact="plane", until=0.02, folder=place)
    kept = senn.read(place / "problem.toml")
    assert np.array_equal(kept.q, result.problem.q)
    assert np.abs(kept.contact.W - result.problem.contact.W).max() < 1e-15


@pytest.fixture(scope="module")
def pressed():
    return senn.simulate("ur5", contact="plane", until=0.04, judge=0)


def test_pictures_draw_the_columns(pressed):
    """Every line is a column of the table over time, and the title has its finding."""
    drawn = {kind: senn.plot(pressed, kind) for kind in ("angles", "force", "energy", "drift")}
    columns = {
        "angles": pressed.q.T,
        "force": pressed.force.T,
        "energy": [pressed.states["kinetic"], pressed.states["potential"], pressed.energy],
        "drift": [pressed.states[f"drift_{name}"].to_numpy().clip(1e-16) for name in ("pose", "velocity")],
    }
    for kind, ax in drawn.items():
        lines = ax.get_lines()
        assert len(lines) == len(columns[kind])
        for line, column in zip(lines, columns[kind], strict=True):
            assert np.array_equal(line.get_xdata(), pressed.time)
            assert np.array_equal(line.get_ydata(), column)
        ax.figure.canvas.draw()
    force = np.linalg.norm(pressed.force[:, 3:], axis=1)
    assert f"{force.max():.3g} N at most" in drawn["force"].get_title(loc="left")
    assert drawn["drift"].get_yscale() == "log"
    titles = {kind: ax.get_title(loc="left") for kind, ax in drawn.items()}
    drift = pressed.states["drift_pose"].max()
    assert titles["drift"] == f"The contact drifts by at most {drift:.1g} m or rad"
    assert not any("\n" in title for title in titles.values())
    assert drawn["energy"].get_lines()[2].is_dashed()  # where it covers the kinetic energy, both show
    assert len(senn.plot(pressed).get_lines()) == 6


def test_the_verbs_take_a_motion_and_its_folder(tmp_path):
    motion = senn.simulate("ur5", contact="plane", until=0.02, judge=0, folder=tmp_path / "kept")
    for run in (motion, str(tmp_path / "kept")):
        assert senn.plot(run, "force").get_title(loc="left").startswith("The arm presses with")
        assert "0.02 s in 2 steps" in senn.explain(run)
        page = senn.report(run, tmp_path / "page.html").read_text(encoding="utf-8")
        assert "0.02 s in 2 steps" in page
    with pytest.raises(InputError, match="is a motion, not a run"):
        senn.explain(tmp_path / "kept", "I.b")


def test_a_motion_without_contact_has_no_answers_of_a_run_and_no_drift_to_draw():
    motion = senn.simulate("ur5_free", until=0.01, judge=0)
    with pytest.raises(InputError, match=r"^Motion\(ur5_free: .* is neither a run nor the folder of a run$"):
        senn.diff(motion, motion)
    with pytest.raises(AttributeError, match="Motion has no attribute 'tip_error'"):
        _ = motion.tip_error
    with pytest.raises(InputError, match="no contact that could drift"):
        senn.plot(motion, "drift")
    with pytest.raises(InputError, match='"heat" is no picture of a motion; there are angles'):
        senn.plot(motion, "heat")


def test_poses_are_the_arm_at_a_few_times(pressed):
    """First, last, and between; each link from joint to joint, the last pose the least faint."""
    space = senn.plot(pressed, "poses")
    links = [line for line in space.get_lines() if line.get_linewidth() == 5]
    for rows, shown in ((0, links[:6]), (-1, links[-6:])):
        places = points(pressed.problem.chain, pressed.q[rows])[0]
        for k, link in enumerate(shown):
            assert np.allclose(np.array(link.get_data_3d()).T, places[k : k + 2])
    assert len(links) == 5 * 6
    assert links[0].get_alpha() < links[-1].get_alpha() == 1
    assert "5 times from 0 to 0.04 s" in space.get_title(loc="left")
    with pytest.raises(InputError, match="axes in three dimensions"):
        senn.plot(pressed, "poses", senn.plot(pressed))


def test_the_animation_takes_as_long_as_the_motion(pressed):
    """A frame for each time, and the arm moves in them. Frames share their colours: what does not move is
    written once, so four more of them are less than 60 % more bytes."""
    whole, first = animation(pressed), io.BytesIO()
    image = Image.open(io.BytesIO(whole))
    assert (image.format, image.n_frames) == ("GIF", 5)
    frames = [np.asarray(frame.convert("RGB")) for frame in ImageSequence.Iterator(image)]
    assert (frames[0] != frames[-1]).any()
    Image.open(io.BytesIO(whole)).save(first, "GIF")
    assert len(whole) < 1.6 * len(first.getvalue())


def test_many_joints_are_drawn_without_their_names():
    motion = senn.simulate("random:16:seed=1", until=0.01, judge=0, impact=True)
    assert len(senn.plot(motion, "angles").get_lines()) == 16

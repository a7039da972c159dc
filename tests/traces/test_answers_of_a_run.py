"""What a run answers, by name and by joint, and its pictures."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

import senn
from senn.base.errors import InputError
from senn.traces import seal
from senn.traces.run import Run
from tests.algorithms.robots.oracle import oracle


@pytest.fixture(scope="module")
def run() -> Run:
    return senn.run("ur5")


def test_answers_are_properties(run):
    """Of the run, and of the same run from a pickle and from a folder; qdd by Pinocchio."""
    what = senn.problem("ur5")
    qdd, _ = oracle(what.chain).constrained(what.q, what.qd, what.tau, what.contact)
    for one in (run, pickle.loads(pickle.dumps(run))):
        np.testing.assert_allclose(one.qdd, qdd, rtol=1e-9, atol=1e-12)
        assert one.force is one.result["force"]
        assert one.lambda_inverse.shape == (6, 6)
        assert {"qdd", "force", "lambda_inverse", "forces"} <= set(dir(one))


def test_an_answer_that_there_is_not_is_said(run):
    with pytest.raises(AttributeError, match="this run has no answer 'qqd'; it has qdd"):
        _ = run.qqd
    with pytest.raises(AttributeError, match="no answer 'qdd'; it was made without numbers"):
        _ = replace(run, result={}).qdd
    # What a notebook asks of any object is no answer, missing or not.
    assert not hasattr(run, "_repr_latex_")


def test_answers_by_joint(run):
    assert run.labels[:2] == ["shoulder_pan_joint", "shoulder_lift_joint"]
    assert run.by_joint("qdd")["elbow_joint"] == run.qdd[2]
    with pytest.raises(InputError, match=r"^force has 5 rows, and the joints have 6 names; take run.force"):
        replace(run, result={"force": np.zeros(5)}).by_joint("force")


def test_joints_of_several_numbers_have_a_label_for_each():
    assert senn.run("joints:RSX:seed=1", contact="free").labels == [
        "joint_1",
        "joint_2.1",
        "joint_2.2",
        "joint_2.3",
    ]


def test_a_changed_result_is_not_sealed_under_a_certificate(tmp_path):
    """A number in place, an answer exchanged, added or left out; nothing is written, and unchanged it is."""
    run = senn.run("random:3", detail="summary")
    qdd, force = run.result["qdd"].copy(), run.result["force"]
    changes = (
        {**run.result, "qdd": np.nextafter(qdd, np.inf)},
        {**run.result, "force": -force},
        {**run.result, "more": force},
        {name: answer for name, answer in run.result.items() if name != "force"},
    )
    for result in changes:
        with pytest.raises(
            InputError, match="was changed after its certificate was made; make the run again"
        ):
            replace(run, result=result).save(tmp_path / "kept")
    run.result["qdd"].flags.writeable = True
    run.result["qdd"][0] += 1.0
    with pytest.raises(InputError, match="was changed after its certificate was made"):
        run.save(tmp_path / "kept")
    assert not list(tmp_path.iterdir())
    replace(run, certificate=None).save(tmp_path / "bare")
    run.result["qdd"][:] = qdd
    assert Run.load(run.save(tmp_path / "kept")).certificate == run.certificate


def test_a_result_sealed_anew_by_others_is_not_read_under_its_certificate(tmp_path):
    folder = senn.run("random:3", detail="summary").save(tmp_path / "kept")
    with np.load(folder / "result.npz") as file:
        numbers = dict(file)
    np.savez_compressed(folder / "result.npz", **{**numbers, "qdd": 2 * numbers["qdd"]})
    contents = {name: (folder / name).read_bytes() for name in ("run.json", "result.npz")}
    for name, content in {**contents, "SHA256SUMS": seal.of("run", contents)}.items():
        (folder / name).write_bytes(content)
    with pytest.raises(InputError, match="was changed after its certificate was made"):
        Run.load(folder)

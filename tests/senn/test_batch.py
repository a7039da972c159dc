"""Many states at once: the bits of each alone, and a certificate for every state."""

import numpy as np
import pytest

import senn
from senn.algorithms import problems
from senn.base.errors import InputError
from senn.machine.engines import lockstep

ARM = problems.load("random:5:seed=3")
RNG = np.random.default_rng(0)
Q = ARM.q + RNG.uniform(-0.3, 0.3, (3, 5))
QD, TAU = RNG.uniform(-1.0, 1.0, (2, 3, 5))


@pytest.mark.fast(every=2)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"form": "short", "machine": "raw", "residency": "home"},
        {"algorithm": "divide-and-conquer"},
        {"algorithm": "inverse-dynamics"},
        {"algorithm": "star"},
        {"algorithm": "forward-pv-early"},
    ],
    ids=str,
)
def test_every_state_has_the_bits_of_its_own_run(options, monkeypatch):
    """Also where they do not fit into one operation on arrays."""
    monkeypatch.setattr("senn.api.states.LANES", 10)
    batch = senn.batch(ARM, q=Q, qd=QD, tau=TAU, **options)
    assert batch.ok.tolist() == [True] * 3
    for k in range(3):
        run = senn.run(ARM.at(q=Q[k], qd=QD[k], tau=TAU[k]), engine="events", **options)
        assert batch.result.keys() == run.result.keys()
        for name, answer in run.result.items():
            assert np.array_equal(batch.result[name][k], answer), name
        assert batch.certificates[k] == run.certificate
        assert batch.certificates[k]._repr_html_() == run.certificate._repr_html_()
    assert batch.timing.summary["makespan"] == run.summary["makespan"]


def test_what_is_left_out_is_the_problems():
    whole = senn.batch(ARM, q=Q, qd=ARM.qd[None], judge=False)
    part = senn.batch(ARM, q=Q, judge=False)
    assert np.array_equal(whole.result["qdd"], part.result["qdd"])
    assert len(part.certificates) == len(part.ok) == 0
    assert np.array_equal(senn.batch(ARM).result["force"][0], senn.run(ARM).result["force"])


def test_one_wrong_state_fails_alone(monkeypatch):
    right = lockstep.results

    def wrong(schedule, memories):
        blocks = right(schedule, memories)
        blocks["force"] = blocks["force"].copy()
        blocks["force"][1] *= 1.0 + 1e-6
        return blocks

    monkeypatch.setattr(lockstep, "results", wrong)
    assert senn.batch(ARM, q=Q).ok.tolist() == [True, False, True]


def test_a_batch_is_shown_in_one_line():
    for judge, verdict in ((True, "3 certified"), (False, "not judged")):
        text = repr(senn.batch(ARM, q=Q, judge=judge))
        assert text.startswith("Batch(3 states, qdd, force, ")
        assert f"cycles on fijany; {verdict})" in text
        assert len(text) < 200


@pytest.mark.parametrize("options", [{}, {"algorithm": "forward-pv"}, {"algorithm": "star"}], ids=str)
def test_a_refusal_names_the_row(options):
    """Of a stretched arm among others, whose welded tip cannot be held; and of a number that is none."""
    arm = senn.problem("ur5_free", contact="weld")
    states = np.tile(arm.q, (4, 1)) + 0.01 * np.arange(4)[:, None]
    assert senn.batch(arm, q=states, **options).ok.all()
    states[2] = 0.0
    with pytest.raises(InputError, match="row 2: contact is singular"):
        senn.batch(arm, q=states, **options)
    with pytest.raises(InputError, match=r"^contact is singular"):
        senn.batch(arm, q=states[2:3], **options)
    states[2, 0] = np.nan
    with pytest.raises(InputError, match=r"row 2: q: number 1 \(shoulder_pan_joint\) is nan"):
        senn.batch(arm, q=states, **options)

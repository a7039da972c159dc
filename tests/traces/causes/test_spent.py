"""What the makespan was spent on: by hand, as a law of real runs, in words, and where it cannot be told."""

import pytest

import senn
from senn.base.errors import InputError
from senn.traces import analysis
from senn.traces.run import Run
from tests.traces.hand_trace import STARTUP, hand_trace

BY_HAND = {"compute": 10, "post": 1, "receive": 0, "startup": 20, "words": 8, "hop": 0}
"""Of the 39 cycles of the trace worked out by hand: its critical path, added up."""


def _run(**machine: object) -> Run:
    return Run(hand_trace(), {"machine": {"startup": STARTUP, "hop": 0, **machine}})


def test_by_hand():
    run = _run()
    assert run.spent == BY_HAND
    assert sum(run.spent.values()) == run.summary["makespan"] == 39


def test_in_words():
    """The most first, to the nearest per cent; what took no cycle is left out, what took one never is."""
    text = "start-up 51 %, compute 26 %, words 21 %, posting 3 %"
    assert analysis.spent_text(BY_HAND) == text
    none = dict.fromkeys(BY_HAND, 0)
    assert analysis.spent_text({**none, "words": 999, "hop": 1}) == "words > 99 %, header < 1 %"
    assert analysis.spent_text({**none, "receive": 7}) == "receiving 100 %"
    assert analysis.spent_text(none) == "nothing"


MACHINES = {
    "as it is": {},
    "a start-up that is no whole number": {"timing.startup": "2.5"},
    "a free network": {"timing.startup": 0, "timing.word": 0},
    "mimd": {"machine.control": "mimd"},
    "cut-through": {"machine.switching": "cut-through", "timing.hop": 3},
    "without DMA": {"machine.dma": "false"},
    "one port": {"machine.ports": "one"},
    "half duplex and a bus": {"machine.duplex": "half", "machine.vertical": "bus"},
    "receiving": {"timing.receive": 2},
}


@pytest.mark.fast(every=1)
@pytest.mark.parametrize("arrays", [1, 2, 3])
@pytest.mark.parametrize("change", MACHINES.values(), ids=MACHINES)
def test_it_sums_to_the_makespan(change, arrays):
    run = senn.run("random:6:seed=2", arrays=arrays, set=change, machine="fijany", numbers=False)
    assert sum(run.spent.values()) == run.summary["makespan"]
    assert min(run.spent.values()) >= 0
    if change == MACHINES["a free network"]:
        assert run.spent["compute"] + run.spent["post"] == run.summary["makespan"]
    assert (run.spent["hop"] > 0) == (change == MACHINES["cut-through"])
    assert (run.spent["receive"] > 0) == (change == MACHINES["receiving"])


def test_both_engines_and_a_folder_say_the_same(tmp_path):
    events, lockstep = (senn.run("random:5", engine=name, numbers=False) for name in ("events", "lockstep"))
    assert events.spent == lockstep.spent
    assert senn.open_run(events.save(tmp_path / "run")).spent == events.spent


@pytest.mark.parametrize("detail", ["instructions", "summary"])
def test_less_detail_does_not_tell(detail):
    with pytest.raises(
        InputError, match=f"the hops of the run, which a trace of detail '{detail}' does not keep"
    ):
        _ = senn.run("random:3", detail=detail, numbers=False).spent


@pytest.mark.parametrize("startup", ["many", "1e99999999", "1/0", "-4", "", None, "9" * 50, 4.5e300])
def test_a_machine_that_no_run_has_is_refused(startup):
    """run.json may have been written by anybody."""
    with pytest.raises(InputError, match=r"run\.json: startup of the machine is no number of cycles: "):
        _ = _run(startup=startup).spent

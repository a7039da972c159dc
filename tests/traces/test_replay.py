"""Replaying: the state of the machine at a cycle, worked out by hand from the hand-made run."""

import numpy as np
import pytest

from senn.base.errors import InputError
from senn.traces.record import NULL
from senn.traces.run import Run, Values
from tests.traces.hand_trace import DESCRIPTION, hand_trace


def _run():
    values = Values(
        array=np.array([1, 1, 1, 2]),
        value=np.array(["A", "D", "F", "x"]),
        level=np.array([0, 0, 0, NULL]),
        process=np.array([1, 1, 1, 2]),
        born=np.array([0, 6, 6, 3]),
        numbers=tuple(np.full((2, 2), float(k)) for k in range(4)),
        payloads={1: np.full(1, 11.0)},
    )
    return Run(hand_trace(), description=DESCRIPTION, values=values)


def test_arrays_compute_post_stall_and_end():
    """What each array does, cycle by cycle, at the borders of its instructions."""
    expected = {
        (0, 1): ("computes", "I.b.1"),
        (5, 1): ("computes", "I.b.1"),
        (6, 1): ("posts", "I.b.5"),
        (12, 1): ("stalls", "I.b.12"),
        (13, 1): ("stalls", "I.b.12"),
        (14, 1): ("computes", "I.b.12"),
        (24, 1): ("has ended", None),
        (6, 2): ("stalls", "II.c.3.i"),
        (29, 2): ("stalls", "II.c.4.i"),
        (30, 2): ("computes", "II.c.4.ii"),
        (34, 2): ("stalls", "III.1"),
        (38, 2): ("computes", "III.2"),
        (39, 2): ("has ended", None),
    }
    run = _run()
    for (cycle, array), (doing, step) in expected.items():
        state = run.at(cycle).arrays.select("array", "doing", "step").row(array - 1)
        assert state == (array, doing, step), cycle


def test_a_message_has_its_ends_and_what_it_carries():
    """F_1^0 at cycle 8 waits for the exchange wire."""
    run = _run()
    flight = run.at(8).messages.row(1, named=True)
    expected = {"message": 1, "where": "queue", "wire": "exchange:0-1", "hop": 0, "hops": 2, "words": 1}
    expected |= {"source_array": 1, "source_node": 0, "target_array": 2, "target_node": 1}
    assert expected.items() <= flight.items()
    assert run.values.payloads[flight["message"]].tolist() == [11.0]


def test_values_exist_from_the_cycle_they_are_made():
    """Resident values from 0, D_1^0 and F_1^0 from 6, with their numbers."""
    run = _run()
    assert run.at(2).values["value"].to_list() == ["A"]
    assert run.at(5).values["value"].to_list() == ["A", "x"]
    assert run.at(6).values["value"].to_list() == ["A", "D", "F", "x"]
    held = run.at(6).values.row(1)
    assert held == (1, "D", 0, 1, 6)
    assert run.values.get(*held[:4]).tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert run.at(6).values["level"][3] is None
    assert Run(hand_trace(), DESCRIPTION).at(6).values is None


def test_steps_go_through_both_arrays_in_order_of_issue():
    """Every instruction once, by issue and then array, each with the state of its cycle."""
    pairs = list(_run().steps())
    assert [instruction["step"] for instruction, _ in pairs] == [
        *("I.b.1", "II.b.1.i", "II.b.1.ii", "II.b.1.iii", "I.b.5", "I.b.7", "I.b.8", "I.b.12", "I.b.13"),
        *("I.c.3", "I.c.5", "II.c.3.i", "II.c.4.i", "II.c.4.ii", "III.1", "III.2"),
    ]
    assert all(state.cycle == instruction["issue"] for instruction, state in pairs)
    assert pairs[-1][1].arrays["serial"][1] == pairs[-1][0]["serial"]


def test_a_state_reads_as_text():
    """The printed state names steps, wires, hops and messages."""
    assert repr(_run().at(8)) == (
        "cycle 8\n"
        "array 1 computes: I.b.8 (level 1) compute on 2 nodes [8, 12)\n"
        "array 2 stalls until 24, waiting for message 1: II.c.3.i (level 1) compute on 1 node [24, 25)\n"
        "3 messages in flight\n"
        "  message 0 D_1^0 (1, 0) -> (1, 1): start-up, exchange:0-1, hop 1 of 1, arrives 14\n"
        "  message 1 F_1^0 (1, 0) -> (2, 1): queue, exchange:0-1, hop 1 of 2, arrives 24\n"
        "  message 5 x_2^0 (2, 1) -> (2, 0): words, exchange:0-1, hop 1 of 1, arrives 9\n"
        "4 values exist"
    )
    assert repr(Run(hand_trace(), DESCRIPTION).at(39)) == (
        "cycle 39\narray 1 has ended\narray 2 has ended\n0 messages in flight\nvalues were not kept"
    )


def test_what_cannot_be_replayed_is_refused():
    """A cycle outside the run, and a record without messages."""
    for cycle in (-1, 40, 99_999):
        with pytest.raises(InputError, match=f"this run has cycles 0 to 39; there is no cycle {cycle:,}$"):
            _run().at(cycle)
    with pytest.raises(InputError, match=r"needs the messages of the run, .* run again with detail 'full'"):
        _run().at_detail("instructions").at(0)
    with pytest.raises(InputError, match="needs the messages of the run"):
        next(_run().at_detail("instructions").steps())

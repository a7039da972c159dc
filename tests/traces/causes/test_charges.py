"""Accounts of stalled cycles and of communication: by hand, against an independent count, and as laws."""

from collections import Counter

import polars as pl
import pytest

import senn
from senn.base.errors import InputError
from senn.machine.engines import events
from senn.machine.placing.schedule import place
from senn.traces import analysis
from senn.traces.record import Trace
from senn.traces.run import Run
from tests.machine.random_programs import case
from tests.traces.causes.cycle_by_cycle import Rows
from tests.traces.hand_trace import STARTUP, hand_run, hand_trace

HAND = hand_run()


def test_causes_by_hand():
    """Stalls [12, 14) of array 1 and [6, 24), [25, 30), [33, 35) of array 2, back along what ended them."""
    table = HAND.charges
    assert table.select(
        "array", "step", "start", "end", "label", "cause_step", "message", "value"
    ).rows() == [
        (1, "I.b.12", 12, 14, "words", "I.b.5", 0, "D"),
        (2, "II.c.3.i", 6, 7, "post", "I.b.5", None, None),
        (2, "II.c.3.i", 7, 11, "startup", "I.b.5", 0, "D"),  # D occupies the channel of F until 14
        (2, "II.c.3.i", 11, 14, "words", "I.b.5", 0, "D"),
        (2, "II.c.3.i", 14, 18, "startup", "I.b.7", 1, "F"),
        (2, "II.c.3.i", 18, 19, "words", "I.b.7", 1, "F"),
        (2, "II.c.3.i", 19, 23, "startup", "I.b.7", 1, "F"),
        (2, "II.c.3.i", 23, 24, "words", "I.b.7", 1, "F"),
        (2, "II.c.4.i", 25, 28, "startup", "I.b.13", 3, "A"),
        (2, "II.c.4.i", 28, 30, "words", "I.b.13", 3, "A"),
        (2, "III.1", 33, 34, "startup", "I.c.5", 4, "Lambda"),
        (2, "III.1", 34, 35, "words", "I.c.5", 4, "Lambda"),
    ]


def test_a_trace_without_instructions_has_no_causes():
    assert analysis.charges(Trace.from_columns("full"), {"startup": STARTUP, "hop": 0}).height == 0


def test_charges_by_hand():
    """Stalls of 2 cycles in array 1, and of 18, 5 and 2 in array 2."""
    table = analysis.account(HAND.charges, "array", "label")
    assert sorted(table.select("array", "label", "cycles").rows()) == [
        (1, "words", 2),
        (2, "post", 1),
        (2, "startup", 4 + 4 + 4 + 3 + 1),
        (2, "words", 3 + 1 + 1 + 2 + 1),
    ]
    assert analysis.account(HAND.charges).rows() == [(27, 4)]
    by_cause = analysis.account(HAND.charges, "cause_phase", "cause_step", "value")
    assert by_cause.select("cause_step", "value", "cycles").rows() == [
        # D occupies the channel of F in [7, 14)
        *(("I.b.7", "F", 10), ("I.b.5", "D", 2 + 7), ("I.b.13", "A", 5), ("I.c.5", "Lambda", 2)),
        ("I.b.5", None, 1),
    ]


def test_flights_by_hand():
    """D [7, 14) ends the stall [12, 14) of array 1, F [8, 24) [6, 24) of array 2, A_2 [20, 30) [25, 30) and
    Lambda [24, 35) [33, 35); A_1 [20, 26) and x [4, 9) end none. Array 1 works in [0, 12), array 2 in [0, 6),
    24 and [30, 33)."""
    found = analysis.account(HAND.flights, "message", "value")
    assert sorted(found.drop("messages").rows()) == [
        # message, value, cycles, exposed, hidden, overlapped, beside
        (0, "D", 7, 2, 5, 5, 0),
        (1, "F", 16, 16, 0, 0, 0),
        (2, "A", 6, 0, 6, 1, 5),
        (3, "A", 10, 5, 5, 1, 4),
        (4, "Lambda", 11, 2, 9, 4, 5),
        (5, "x", 5, 0, 5, 2, 3),
    ]
    queues = analysis.account(HAND.flights.filter(pl.col("label") == "queue"), "node", "level")
    assert sorted(queues.select("node", "level", "cycles", "exposed").rows(), key=str) == [
        (0, 1, 6, 6),
        (1, None, 10, 0),
    ]


FATES = ("cycles", "exposed", "hidden", "overlapped", "beside")


def _made(seed: int) -> Run:
    program, table, machine, _ = case(seed)
    return events.simulate(place(program, table, machine), machine, None)


RUNS = {
    **{f"random program {seed}": lambda seed=seed: _made(seed) for seed in range(0, 40, 3)},
    "raw": lambda: senn.run("random:3", machine="raw", numbers=False),
    "mimd": lambda: senn.run(
        "random:3", machine="raw", set={"machine.control": "mimd"}, form="short", numbers=False
    ),
}


@pytest.mark.fast(*(f"random program {seed}" for seed in (0, 6, 9, 12, 24, 30)))
@pytest.mark.parametrize("made", RUNS.values(), ids=RUNS)
def test_against_a_count_cycle_by_cycle(made):
    """Every stalled cycle has the cause that is found for it alone, and so has every cycle of the run."""
    run = made()
    rows = Rows(run)
    charged = run.charges
    found = {
        (unit, serial, cycle): (row["label"], row["cause_instruction"], row["message"])
        for row in charged.to_dicts()
        for cycle in range(row["start"], row["end"])
        for unit, serial in [((row["array"], row["node"])[: 2 if rows.alone else 1], row["instruction"])]
    }
    expected = {}
    for unit, serial, start, end, message in rows.stalls:
        for cycle, (label, _, at, of) in enumerate(rows.back(unit, message, end, start), start):
            expected[unit, serial, cycle] = (label, at, of)
    assert found == expected
    assert charged["cycles"].sum() == len(expected)  # none twice

    flown = analysis.account(run.flights, "message")
    counted = {row["message"]: tuple(row[name] for name in FATES) for row in flown.to_dicts()}
    assert counted == {
        number: rows.fate(number) for number, row in rows.messages.items() if row["arrived"] > row["posted"]
    }
    exposures = analysis.exposures(run.trace, run.description["machine"]["dma"])
    assert {row["message"]: tuple(row[name] for name in FATES) for row in exposures.to_dicts()} == {
        number: rows.fate(number) for number in rows.messages
    }

    makespan = run.summary["makespan"]
    if rows.alone:
        units = [unit for unit, _, _, _, end in rows.work if end == makespan]
    else:
        units = [(array,) for array in run.trace.instructions.filter(end=makespan)["array"]]
    if units:  # else the last thing that happens is a wait that is over
        path = Counter(label for label, *_ in rows.back(min(units), None, makespan, 0))
        assert run.spent == {name: path[name] for name in run.spent}


@pytest.mark.fast(every=1)
@pytest.mark.parametrize("control", ["simd", "mimd"])
@pytest.mark.parametrize("machine", ["mark3", "ipsc860", "raw", "t800"])
def test_whatever_it_is_grouped_by_nothing_is_lost(machine, control):
    run = senn.run("random:6", machine=machine, set={"machine.control": control}, numbers=False)
    charged, flown = run.charges, run.flights
    stall = run.summary["stall" if control == "simd" else "node_stall"]
    messages = run.trace.messages
    for table, sums in ((charged, ["cycles"]), (flown, list(FATES))):
        whole = table.select(sums).sum().row(0)
        assert whole[0] == (stall if table is charged else (messages["arrived"] - messages["posted"]).sum())
        for name in set(table.columns) - {*sums, "start", "end", "words"}:
            assert analysis.account(table, name).select(sums).sum().row(0) == whole
    assert (flown["exposed"] + flown["hidden"] == flown["cycles"]).all()
    assert (flown["overlapped"] + flown["beside"] == flown["hidden"]).all()
    assert flown.select(pl.min_horizontal(FATES).min()).item() >= 0


def test_the_late_node_is_named_where_every_node_issues_by_itself():
    run = senn.run("random:4", set={"machine.control": "mimd"}, machine="raw", numbers=False)
    assert run.charges["cause_node"].null_count() == 0
    late = senn.run("random:4", machine="raw", numbers=False).charges
    assert late.filter(pl.col("message").is_null())["cause_node"].is_null().all()
    assert late.filter(pl.col("message").is_not_null())["cause_node"].null_count() == 0


def test_what_cannot_be_told_is_refused():
    flown = HAND.flights
    with pytest.raises(
        InputError, match="'colour' is no column to group by; there are array, node, target_array"
    ):
        analysis.account(flown, "step", "colour")
    with pytest.raises(InputError, match="'cycles' is no column to group by"):
        analysis.account(flown, "cycles")
    with pytest.raises(InputError, match=r"of message 0 do(es)? not join"):
        analysis.flights(hand_trace(), {"startup": STARTUP, "hop": 1})
    with pytest.raises(InputError, match="trace of detail 'instructions' does not keep"):
        analysis.charges(hand_trace().at_detail("instructions"), HAND.description["machine"])


def test_a_run_without_messages_has_empty_accounts():
    run = senn.run("random:1", algorithm="inverse-dynamics-newton-euler", numbers=False)
    assert run.charges.height == run.flights.height == 0
    assert analysis.account(run.flights).rows() == [(0, 0, 0, 0, 0, 0)]


def test_in_words():
    """The most first, to the nearest per cent; what took no cycle is left out, what took one never is."""
    spent = HAND.spent
    text = "start-up 51 %, compute 26 %, words 21 %, posting 3 %"
    assert analysis.spent_text(spent) == text
    none = dict.fromkeys(spent, 0)
    assert analysis.spent_text({**none, "words": 999, "hop": 1}) == "words > 99 %, header < 1 %"
    assert analysis.spent_text({**none, "receive": 7}) == "receiving 100 %"
    assert analysis.spent_text(none) == "nothing"


@pytest.mark.parametrize("startup", ["many", "1e99999999", "1/0", "-4", "", None, "9" * 50, 4.5e300])
def test_a_machine_that_no_run_has_is_refused(startup):
    """run.json may have been written by anybody."""
    with pytest.raises(InputError, match=r"run\.json: startup of the machine is no number of cycles: "):
        _ = Run(hand_trace(), {"machine": {"startup": startup, "hop": 0}}).spent

"""What got slower, on the trace that was worked out by hand and one in which a few cycles are later."""

from dataclasses import replace

import polars as pl
import pytest

import senn
from senn.base.errors import InputError
from senn.traces import analysis
from senn.traces.analysis.comparison import By
from senn.traces.record import Trace
from tests.traces.hand_trace import ACTIVITIES, INSTRUCTIONS, hand_trace


def _later() -> Trace:
    """III.2 works 3 cycles more, I.b.8 one less, with which I.b.12 waits one more."""
    trace = hand_trace()
    at = pl.col("step")
    instructions = trace.instructions.with_columns(
        end=pl.col("end") + pl.when(at == "III.2").then(3).when(at == "I.b.8").then(-1).otherwise(0),
        stall=pl.col("stall") + pl.when(at == "I.b.12").then(1).otherwise(0),
        exposed=pl.col("exposed") + pl.when(at == "I.b.12").then(1).otherwise(0),
    )
    mine = (pl.col("array") == 2) & (pl.col("instruction") == 7)
    activities = trace.activities.with_columns(end=pl.col("end") + pl.when(mine).then(3).otherwise(0))
    return replace(trace, instructions=instructions, activities=activities)


def test_by_step_and_level() -> None:
    by_step = analysis.slower(hand_trace(), _later(), "step")
    assert by_step.columns[:2] == ["array", "step"]
    figures = ("instructions", "work", "stall")
    assert by_step.columns[2:] == [*(f"{name}_{side}" for name in figures for side in "ab"), "more"]
    assert by_step.rows()[:3] == [
        (2, "III.2", 1, 1, 4, 7, 0, 0, 3),
        (1, "I.b.8", 1, 1, 4, 3, 0, 0, -1),
        (1, "I.b.12", 1, 1, 5, 5, 2, 3, 1),
    ]
    assert by_step["more"].abs().to_list()[3:] == [0] * (len(INSTRUCTIONS) - 3)
    by_level = analysis.slower(hand_trace(), _later(), "level")
    assert by_level.rows()[0] == (2, None, 5, 5, 10, 13, 7, 7, 3)
    assert {row[:2]: row[-1] for row in by_level.rows()} == {(2, None): 3, (1, 1): 0, (1, None): 0, (2, 1): 0}


def test_by_process() -> None:
    by_process = analysis.slower(hand_trace(), _later(), "process")
    assert by_process.columns == ["array", "process", "busy_a", "busy_b", "end_a", "end_b", "more"]
    own = {(k, p): [x for x in ACTIVITIES if (x[0], x[3]) == (k, p)] for k in (1, 2) for p in (1, 2)}
    busy = {key: sum(x[6] - x[5] for x in rows) for key, rows in own.items()}
    end = {key: max(x[6] for x in rows) for key, rows in own.items()}
    more = dict.fromkeys(own, 0) | {(2, 2): 3}
    assert {row[:2]: row[2:] for row in by_process.rows()} == {
        key: (
            busy[key],
            busy[key] + more.get(key, 0),
            end[key],
            end[key] + more.get(key, 0),
            more.get(key, 0),
        )
        for key in busy
    }
    assert by_process["more"][0] == 3


def test_what_only_one_has_counts_as_a_whole() -> None:
    short = hand_trace().at_detail("instructions")
    less = replace(short, instructions=short.instructions.filter(pl.col("step") != "III.2"))
    assert analysis.slower(less, short).rows()[0] == (2, "III.2", None, 1, None, 4, None, 0, 4)
    assert analysis.slower(short, less).rows()[0] == (2, "III.2", 1, None, 4, None, 0, None, -4)
    with pytest.raises(InputError, match="this needs the activities of the run"):
        analysis.slower(short, hand_trace(), "process")


@pytest.mark.parametrize("by", ["step", "level"])
def test_all_rows_of_an_array_are_as_much_longer_as_it_ends_later(by: By) -> None:
    run = senn.run("random:5", numbers=False)
    other = senn.run("random:5", numbers=False, machine="raw")
    rows = analysis.slower(run.trace, other.trace, by)
    for array in (1, 2):
        later = analysis.ends(other.trace)[array] - analysis.ends(run.trace)[array]
        assert rows.filter(array=array)["more"].sum() == later != 0

"""What the timeline of a report draws, against a run worked out by hand and against the analyses."""

import random

import polars as pl

import senn
from senn.traces import report
from senn.traces.report.contents import COMPUTE, QUEUE, SEND, STARTUP, bars, waiting
from tests.traces.hand_trace import hand_run, hand_trace


def test_neighbours_that_do_the_same_are_one_bar():
    """Both nodes of array 1 compute I.b.1 in [0, 6), node 1 alone I.b.12 in [14, 19)."""
    drawn = bars(hand_run()).filter(pl.col("array") == 1, pl.col("what") == COMPUTE)
    found = drawn.select("row", "start", "end", "low", "high").rows()
    assert found == [(0, 0, 6, 0, 1), (3, 8, 12, 0, 1), (4, 14, 19, 1, 1), (6, 20, 23, 1, 1)]


def test_a_cycle_is_drawn_once_however_many_messages_do_the_same():
    """A third message from node 0 of array 1, at the same time as two: only what is new is drawn."""
    trace = hand_trace()
    later = {"queued": 9, "posted": 9, "start": 10, "granted": 10, "end": 17, "arrived": 17}
    more, again = (
        table.head(1).with_columns(
            pl.lit(6, pl.Int64).alias(key),
            *(pl.lit(cycle, pl.Int64).alias(name) for name, cycle in later.items() if name in table.columns),
        )
        for table, key in ((trace.hops, "message"), (trace.messages, "id"))
    )
    tables = {name: trace.table(name) for name in ("instructions", "activities")}
    hops, messages = pl.concat([trace.hops, more]), pl.concat([trace.messages, again])
    trace = type(trace).from_tables("full", {**tables, "hops": hops, "messages": messages})
    drawn = bars(hand_run(trace)).filter(pl.col("array") == 1, pl.col("low") == 0, pl.col("high") == 0)

    def spans(what):
        return sorted(drawn.filter(pl.col("what") == what).select("start", "end").rows())

    # Start-ups: D 7 to 11, the other 10 to 14, F 14 to 18, A_1 20 to 24; queue: F 8 to 14, the other 9 to 10.
    assert spans(STARTUP) == [(7, 11), (11, 14), (14, 18), (20, 24)]
    assert spans(QUEUE) == [(8, 14)]
    assert spans(SEND) == [(11, 14), (14, 17), (18, 19), (24, 26)]


def test_waits_are_those_of_the_control_units():
    """Array 1 waited [12, 14) for D; array 2 [6, 24) for F, of which two cycles were before its post."""
    assert waiting(hand_trace()).select("array", "start", "posted", "end", "low").rows() == [
        (1, 12, 12, 14, -1),
        (2, 6, 8, 24, -1),
        (2, 25, 25, 30, -1),
        (2, 33, 33, 35, -1),
    ]


def test_the_replay_of_a_cut_through_run(opened):
    """On cluster: at random cycles the messages posted and not arrived, and the hop and name of each."""
    run = senn.run("random:5", machine="cluster", numbers=False, form="short")
    page = opened(report.page(run, parts=("timeline", "replay")))
    posted, arrived = run.trace.messages["posted"], run.trace.messages["arrived"]
    hops = run.trace.hops
    for cycle in random.Random(8).sample(range(arrived.max()), 15):
        found = page.of(f"page.replay.machine.hops({cycle}).map(({{ hop, name }}) => [hop, name])")
        there = [(hops["message"][hop], hops["hop"][hop], name) for hop, name in found]
        expected = run.trace.messages.filter((posted <= cycle) & (arrived > cycle))["id"].to_list()
        assert sorted(message for message, _, _ in there) == expected
        assert sorted(there) == run.at(cycle).messages.select("message", "hop", "where").rows()

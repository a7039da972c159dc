"""What the timeline of a report draws, against a run worked out by hand and against the analyses."""

import polars as pl

from senn.traces import analysis
from senn.traces.report.contents import (
    COMPUTE,
    POST,
    SEND,
    bars,
    waiting,
)
from tests.traces.hand_trace import hand_trace


def _area(table: pl.DataFrame) -> int:
    return int((table["end"] - table["start"]).dot(table["high"] - table["low"] + 1))


def test_neighbours_that_do_the_same_are_one_bar():
    """Both nodes of array 1 compute I.b.1 in [0, 6), node 1 alone I.b.12 in [14, 19)."""
    drawn = bars(hand_trace()).filter(pl.col("array") == 1, pl.col("what") == COMPUTE)
    found = drawn.select("row", "start", "end", "low", "high").rows()
    assert found == [(0, 0, 6, 0, 1), (3, 8, 12, 0, 1), (4, 14, 19, 1, 1), (6, 20, 23, 1, 1)]


def test_a_dma_is_busy_once_however_many_channels_it_has():
    """A third hop from node 0 of array 1, at the same time as the first two: only what is new is drawn."""
    trace = hand_trace()
    more = pl.DataFrame(
        [(1, 2, 1, 1, "neighbor", "neighbor:0-1", 0, 1, 10, 12, 21)], trace.hops.schema, orient="row"
    )
    hops = pl.concat([trace.hops, more])
    tables = {name: trace.table(name) for name in ("instructions", "activities", "messages")}
    trace = type(trace).from_tables("full", {**tables, "hops": hops})
    sent = bars(trace).filter(pl.col("what") == SEND, pl.col("array") == 1, pl.col("low") == 0)
    assert sorted(sent.select("start", "end").rows()) == [(7, 14), (14, 21), (21, 26)]
    busy = analysis.overlap(trace)["dma"].sum()
    assert _area(bars(trace).filter(pl.col("what") == SEND)) == busy


def test_the_area_of_all_bars_is_the_busy_time():
    """Of engines and DMAs, as the accounts of the nodes have it."""
    trace = hand_trace()
    accounts, drawn = analysis.node_accounts(trace, 2), bars(trace)
    assert _area(drawn.filter(pl.col("what") == COMPUTE)) == accounts["compute"].sum()
    assert _area(drawn.filter(pl.col("what") == POST)) == accounts["post"].sum()
    assert _area(drawn.filter(pl.col("what") == SEND)) == analysis.overlap(trace)["dma"].sum()


def test_waits_are_those_of_the_control_units():
    """Array 1 waited [12, 14) for D; array 2 [6, 24) for F, of which two cycles were before its post."""
    assert waiting(hand_trace()).select("array", "start", "posted", "end", "low").rows() == [
        (1, 12, 12, 14, -1),
        (2, 6, 8, 24, -1),
        (2, 25, 25, 30, -1),
        (2, 33, 33, 35, -1),
    ]

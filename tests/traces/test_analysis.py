"""The analyses, each against the run worked out by hand in ``hand_trace``."""

import re
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import polars as pl
import pytest

from senn.base.errors import InputError
from senn.traces import analysis
from senn.traces.analysis.overlap import Cycles
from senn.traces.record import Trace
from tests.traces.hand_trace import (
    ACTIVITIES,
    HOPS,
    INSTRUCTIONS,
    MESSAGES,
    NODES,
    ROWS,
    STARTUP,
    columns,
    hand_run,
    hand_trace,
)

MACHINE = {"startup": STARTUP, "hop": 0}


def _trace(**rows):
    """The hand-made trace with the rows of some tables replaced."""
    tables = {name: columns(name, rows.get(name, given)) for name, given in ROWS.items()}
    return Trace.from_columns("full", **tables)


def test_summary():
    """The summary of run.json, every number counted by hand."""
    assert analysis.summary(hand_trace()) == {
        "makespan": 39,
        "stall": 27,
        "exposed_stall": 25,
        "in_flight": 55,
        "exposed": 25,  # no two messages arrive together, and each stall has one
        "hidden": 30,
        "overlapped": 13,
        "messages": 6,
        "hops": 7,
        "words": 10,
        "arrays": {
            "1": {"end": 24, "instructions": 8, "stall": 2, "exposed_stall": 2, "dependency_wait": 0},
            "2": {"end": 39, "instructions": 8, "stall": 25, "exposed_stall": 23, "dependency_wait": 2},
        },
    }
    assert analysis.makespan(hand_trace()) == 39
    assert analysis.ends(hand_trace()) == {1: 24, 2: 39}


def test_summary_of_instructions_alone():
    """What only messages can tell is None, not 0."""
    found = analysis.summary(hand_trace().at_detail("instructions"))
    assert found["makespan"] == 39
    assert [found[name] for name in ("hidden", "messages", "hops", "words")] == [None] * 4


def test_empty_trace():
    """A program of no instructions takes no time."""
    empty = Trace.from_columns("full")
    assert analysis.summary(empty)["makespan"] == 0
    assert analysis.critical_path(empty, MACHINE) == []
    assert analysis.overlap(empty).height == 0
    assert analysis.channels(empty).height == 0


TABLES = {
    # Each stall with the send that caused it.
    "waits": [
        (2, "II.c.3.i", 1, "I.b.7", "F", 1, 16, 2),
        (2, "II.c.4.i", 1, "I.b.13", "A", 1, 5, 0),
        (1, "I.b.12", 1, "I.b.5", "D", 1, 2, 0),
        (2, "III.1", 1, "I.c.5", "Lambda", 1, 2, 0),
    ],
    # When a DMA of an array is busy; touching intervals are one.
    "communication": [(1, 7, 35), (2, 4, 9)],
    # Messages, words and hops of every sending step.
    "traffic": [
        (1, "I.b.5", 1, 1, 3, 1, 3),
        (1, "I.b.7", 1, 1, 1, 2, 2),
        (1, "I.b.13", None, 2, 4, 2, 4),
        (1, "I.c.5", None, 1, 1, 1, 1),
        (2, "II.b.1.ii", 1, 1, 1, 1, 1),
    ],
    # Messages and words between nodes, from the first sender to the last receiver.
    "communication_matrix": [
        (1, 0, 1, 1, 1, 3),
        (1, 0, 2, 0, 1, 2),
        (1, 0, 2, 1, 1, 1),
        (1, 1, 2, 1, 2, 3),
        (2, 1, 2, 0, 1, 1),
    ],
    # The parts of the algorithm in time: each from the end of what came before, stalls included.
    "spans": [
        (1, "I", "I.b", 0, 20),
        (1, "I", "I.c", 20, 24),
        (2, "II", "II.b", 0, 6),
        (2, "II", "II.c", 6, 33),
        (2, "III", "III", 33, 39),
    ],
    # Each wait, divided at the cycle in which its message was posted.
    "stalls": [
        (1, None, 4, "I.b.12", 1, 12, 12, 14, 0),
        (2, None, 3, "II.c.3.i", 1, 6, 8, 24, 1),
        (2, None, 4, "II.c.4.i", None, 25, 25, 30, 3),
        (2, None, 6, "III.1", None, 33, 33, 35, 4),
    ],
}
"""Tables of the run worked out by hand, by the analysis that makes them."""


@pytest.mark.parametrize("name", TABLES)
def test_tables_of_the_run_by_hand(name):
    assert getattr(analysis, name)(hand_trace()).rows() == TABLES[name]


def test_node_accounts():
    """compute, post, receive, masked, stall, drain of every node, also of one that holds no process."""
    accounts = analysis.node_accounts(hand_trace(), nodes=3)
    assert accounts.columns == ["array", "node", "compute", "post", "receive", "masked", "stall", "drain"]
    assert accounts.rows() == [
        (1, 0, 10, 3, 0, 9, 2, 2),
        (1, 1, 18, 2, 0, 2, 2, 11),
        (1, 2, 0, 0, 0, 22, 2, 0),
        (2, 0, 8, 0, 0, 6, 25, 0),
        (2, 1, 11, 1, 0, 2, 25, 0),
        (2, 2, 0, 0, 0, 14, 25, 0),
    ]
    ends = {1: 24, 2: 39}
    assert all(sum(row[2:7]) == ends[row[0]] for row in accounts.rows())


def test_node_accounts_with_receive():
    """A lane that first receives 2 of its 4 cycles has them in receive, not in compute."""
    activities = [row for row in ACTIVITIES if row[:3] != (2, 7, 1)]
    activities += [(2, 7, 1, 2, "receive", 35, 37, 0), (2, 7, 1, 2, "compute", 37, 39, 4)]
    row = analysis.node_accounts(_trace(activities=activities), NODES).row(3, named=True)
    assert (row["compute"], row["receive"]) == (9, 2)
    pieces = analysis.critical_path(_trace(activities=activities), MACHINE)
    assert analysis.path_totals(pieces)["receive"] == 2


def test_overlap():
    """The DMA-busy cycles of every node, split exactly; two channels busy at once count once."""
    found = analysis.overlap(hand_trace())
    names = ["array", "node", "dma", "compute", "post", "receive", "masked", "stall", "drain"]
    assert found.columns == names
    assert found.rows() == [
        (1, 0, 18, 4, 1, 0, 9, 2, 2),
        (1, 1, 16, 3, 2, 0, 0, 0, 11),
        (2, 0, 0, 0, 0, 0, 0, 0, 0),
        (2, 1, 5, 0, 0, 0, 2, 3, 0),
    ]
    other_wire = [*HOPS, (5, 1, 2, 2, "shuffle", "shuffle:0-1", 1, 0, 9, 8, 12)]
    assert analysis.overlap(_trace(hops=other_wire)).row(3) == (2, 1, 8, 0, 0, 0, 2, 6, 0)


def test_overlap_against_a_count_of_single_cycles():
    """On random traces the split equals one made cycle by cycle, node by node."""
    rng = np.random.default_rng(5)
    for _ in range(5):
        activities, hops, instructions, now = [], [], [], 0
        for serial in range(12):
            stall = int(rng.integers(0, 4))
            issue, end = now + stall, now + stall + int(rng.integers(0, 6))
            name = str(rng.choice(["compute", "post"]))
            lanes = [node for node in range(3) if rng.random() < 0.6]
            instructions.append(
                (1, serial, "I.b.1", serial, name, issue, end, len(lanes), stall, 0, stall, None)
            )
            activities += [(1, serial, node, node + 1, name, issue, end, 0) for node in lanes]
            now = end
        for message in range(25):
            start = int(rng.integers(0, now + 5))
            node = int(rng.integers(0, 3))
            end = start + int(rng.integers(0, 7))
            hops.append((message, 0, 1, 1, "exchange", f"exchange:{node}-9", node, 9, start, start, end))
        trace = _trace(instructions=instructions, activities=activities, hops=hops, messages=[])
        for row in analysis.overlap(trace).iter_rows(named=True):
            dma = {t for h in hops if h[6] == row["node"] for t in range(h[9], h[10])}
            own = [a for a in activities if a[2] == row["node"]]
            under = {k: {t for a in own if a[4] == k for t in range(a[5], a[6])} for k in ("compute", "post")}
            stalled = {t for i in instructions for t in range(i[5] - i[8], i[5])}
            assert row["dma"] == len(dma)
            assert row["compute"] == len(dma & under["compute"])
            assert row["post"] == len(dma & under["post"])
            assert row["stall"] == len(dma & stalled)
            assert row["drain"] == len({t for t in dma if t >= now})
            rest = {t for t in dma if t < now} - under["compute"] - under["post"] - stalled
            assert row["masked"] == len(rest)


def test_overlap_refuses_cycles_that_do_not_fit():
    """A trace from elsewhere may say any cycle: here one of which two nodes of two arrays have too many."""
    late = [(*row[:-1], 2**61) for row in HOPS]
    with pytest.raises(InputError, match=r"the cycles of 2 nodes up to [\d,]+ are too many for .* 64 bits"):
        analysis.overlap(_trace(hops=late))


def test_flights_by_line():
    """The messages of each line: D is read by array 1, which works until 12; the others by array 2, which
    works in [0, 6), 24, [30, 33) and from 35 on."""
    table = analysis.by_line(hand_run().flights)
    assert table.columns == ["array", "step", "cycles", "exposed", "hidden", "overlapped", "beside"]
    assert table.rows() == [
        (1, "I.b.5", 7, 2, 5, 5, 0),
        (1, "I.b.7", 16, 16, 0, 0, 0),
        (1, "I.b.13", 6 + 10, 5, 11, 1 + 1, 5 + 4),
        (1, "I.c.5", 11, 2, 9, 4, 5),
        (2, "II.b.1", 5, 0, 5, 2, 3),
    ]


def test_messages_that_arrive_together_are_both_exposed():
    """A_1 arrives with A_2, in 30: each ends the stall [25, 30) of array 2, and each is exposed in it."""
    rows, hops = [list(row) for row in MESSAGES], [list(row) for row in HOPS]
    rows[2][15], hops[3][9], hops[3][10] = 30, 24, 30
    trace = _trace(messages=rows, hops=hops)
    ended = analysis.endings(trace).filter(array=2, instruction=4).select("start", "end", "message", "posted")
    assert ended.rows() == [(25, 30, 2, 20), (25, 30, 3, 20)]
    table = analysis.exposures(trace).select("message", "cycles", "exposed", "overlapped", "beside")
    assert table.rows()[2:4] == [(2, 10, 5, 1, 4), (3, 10, 5, 1, 4)]


def test_channels():
    """Load, words, busy cycles and queueing of every direction of every wire."""
    found = analysis.channels(hand_trace())
    assert found.columns[6:] == ["load", "words", "busy", "queueing", "longest", "peak"]
    assert found.rows() == [
        (1, 1, "exchange", "exchange:0-1", 0, 1, 2, 4, 12, 6, 6, 1),
        (1, 2, "vertical", "vertical:0-0", 0, 0, 1, 2, 6, 0, 0, 0),
        (1, 2, "vertical", "vertical:1-1", 1, 1, 3, 4, 16, 10, 6, 1),
        (2, 2, "exchange", "exchange:0-1", 1, 0, 1, 1, 5, 0, 0, 0),
    ]


def test_peak_of_a_queue():
    """Three messages that join a busy channel wait together; the one in service is not waiting."""
    queue = [(m, 0, 1, 1, "exchange", "exchange:0-1", 0, 1, m, 5 * m, 5 * m + 5) for m in range(4)]
    messages = [(m, *MESSAGES[0][1:]) for m in range(4)]
    found = analysis.channels(_trace(hops=queue, messages=messages)).row(0, named=True)
    assert (found["peak"], found["queueing"], found["longest"]) == (3, 4 + 8 + 12, 12)


def test_channel_with_several_messages_at_once_is_busy_once():
    """Measured messages overlap: 0 to 10 and 4 to 12, then 20 to 25, occupy it for 17 of 25 cycles."""
    times = [(0, 10), (4, 12), (20, 25)]
    hops = [(m, 0, 1, 1, "link", "link:0-1", 0, 1, a, a, b) for m, (a, b) in enumerate(times)]
    messages = [(m, *MESSAGES[0][1:]) for m in range(3)]
    account = analysis.channels(_trace(hops=hops, messages=messages)).row(0, named=True)
    assert (account["load"], account["busy"], account["queueing"]) == (3, 17, 0)


def test_critical_path():
    """From the last instruction back through the messages that released it, and those that occupied their
    channels: Lambda waited for A_2, which waited for F, which waited for D. Pieces sum to the makespan."""
    path = analysis.critical_path(hand_trace(), MACHINE)
    assert [(p.start, p.end, p.label, p.array, p.step, p.message) for p in path] == [
        (0, 6, "compute", 1, "I.b.1", None),
        (6, 7, "post", 1, "I.b.5", None),
        (7, 11, "startup", 1, "I.b.5", 0),
        (11, 14, "words", 1, "I.b.5", 0),
        (14, 18, "startup", 1, "I.b.7", 1),
        (18, 19, "words", 1, "I.b.7", 1),
        (19, 23, "startup", 1, "I.b.7", 1),
        (23, 24, "words", 1, "I.b.7", 1),
        (24, 28, "startup", 1, "I.b.13", 3),
        (28, 30, "words", 1, "I.b.13", 3),
        (30, 34, "startup", 1, "I.c.5", 4),
        (34, 35, "words", 1, "I.c.5", 4),
        (35, 39, "compute", 2, "III.2", None),
    ]
    totals = analysis.path_totals(path)
    assert totals == {"compute": 10, "post": 1, "receive": 0, "startup": 20, "words": 8, "hop": 0}
    assert sum(totals.values()) == 39


def test_critical_path_starts_at_array_1_on_a_tie():
    """If both arrays end in the same cycle, the walk begins in array 1."""
    rows = [list(row) for row in INSTRUCTIONS]
    rows[7][6] = 39
    path = analysis.critical_path(_trace(instructions=rows), MACHINE)
    assert (path[-1].array, path[-1].step) == (1, "I.c.5")


def test_critical_path_refuses_hops_that_do_not_join():
    """A hop that does not join the next one cannot be charged, and is named."""
    hops = [list(row) for row in HOPS]
    hops[5][10] = 33
    with pytest.raises(
        InputError, match="hops of message 4 do not join its post and its arrival: startup and hop"
    ):
        analysis.critical_path(_trace(hops=hops), MACHINE)


def test_compare_finds_the_first_place_where_traces_part():
    """The earliest difference by cycle is named in words; equal traces have none."""
    a = hand_trace()
    same = analysis.compare(a, hand_trace())
    assert same.first is None
    assert same.differing == {"instructions": 0, "activities": 0, "messages": 0}
    rows, messages = [list(row) for row in INSTRUCTIONS], [list(row) for row in MESSAGES]
    rows[4][5:9] = [15, 20, 1, 3]
    messages[0][15] = 15
    found = analysis.compare(a, _trace(instructions=rows, messages=messages))
    assert found.first == (
        "cycle 14: message D_1^0 of I.b.5 (level 1) in array 1 to process 2: arrived 14 -> 15"
    )
    assert found.differing == {"instructions": 1, "activities": 0, "messages": 1}
    assert found.instructions.filter(step="I.b.12").row(0) == (1, "I.b.12", 1, 14, 19, 2, 15, 20, 3, 1)


def test_compare_names_what_only_one_trace_has():
    """An instruction that one trace lacks is a difference, said as such, on either side."""
    b = _trace(instructions=INSTRUCTIONS[:-1])
    message = "cycle 35: III.2 of array 2: only in "
    assert analysis.compare(hand_trace().at_detail("instructions"), b).first == message + "a"
    assert analysis.compare(b, hand_trace().at_detail("instructions")).first == message + "b"


def test_compare_aligns_by_process_not_by_node():
    """The same run with the two nodes exchanged parts nowhere, unless places are asked for."""
    activities = [(a, i, 1 - node, *rest) for a, i, node, *rest in ACTIVITIES]
    messages = [(*row[:9], 1 - row[9], row[10], 1 - row[11], *row[12:]) for row in MESSAGES]
    b = _trace(activities=activities, messages=messages)
    assert analysis.compare(hand_trace(), b).first is None
    found = analysis.compare(hand_trace(), b, places=True)
    assert found.first == "cycle 0: compute of process 1 in I.b.1 (level 1) of array 1: node 0 -> 1"


def test_level_starts():
    """A loop that runs levels 1, 2 and then 1, 2 again begins four levels, as does each array."""
    assert analysis.level_starts(hand_trace()).rows() == [
        (1, "I.b", 1, 0),
        (2, "II.b", 1, 3),
        (2, "II.c", 1, 6),
    ]
    rows = [
        (2, k, f"II.b.1.{k}", level, "compute", k, k + 1, 1, 0, 0, 0, None)
        for k, level in enumerate([1, 2, 1, 2])
    ]
    found = analysis.level_starts(_trace(instructions=rows))
    assert found.rows() == [(2, "II.b", 1, 0), (2, "II.b", 2, 1), (2, "II.b", 1, 2), (2, "II.b", 2, 3)]


def test_stalls_of_nodes_that_issue_by_themselves():
    """Node 1 of array 2 is idle from 4 to 24 for F, which is posted in 8; a wait has no work of its own."""
    table = hand_trace().instructions.with_columns(stall=pl.lit(None, pl.Int64))
    stalls = analysis.stalls(replace(hand_trace(), instructions=table)).drop_nulls("released_by")
    assert stalls.drop("step", "level").rows() == [
        (1, 1, 4, 12, 12, 14, 0),
        (2, 1, 3, 4, 8, 24, 1),
        (2, 1, 5, 25, 25, 30, 3),
        (2, 1, 7, 33, 33, 35, 4),
    ]


def test_fit_is_exact_where_the_law_is():
    """A linear law comes out as whole numbers with residual 0, whatever the size of the numbers."""
    law = analysis.fit([1, 2, 5, 10], [10**18 + 7 * m for m in (1, 2, 5, 10)])
    assert law[:3] == (7, 10**18, 0)
    assert str(analysis.fit([1, 2, 3], [5, 7, 9])) == "2 M + 3"
    assert str(analysis.fit([2, 3], [1, 3])) == "2 M - 3"
    # Least squares through (0, 0), (1, 0), (2, 3): by hand a = 3/2, b = -1/2, largest distance 1.
    assert analysis.fit([0, 1, 2], [0, 0, 3])[:3] == (Fraction(3, 2), Fraction(-1, 2), 1)


def _law(values):
    """The exact law of a value by n."""
    return analysis.exact_law([*values], [(n - 1).bit_length() for n in values], [*values.values()])


def test_a_line_may_hold_from_a_later_n_on():
    """7 M + 1 from n = 4 on; before it one value is another. Two levels determine a line, and prove nothing.

    Where some sizes are off and only the largest are all on a line, the powers of two have it from the first.
    """
    line = {n: 7 * (n - 1).bit_length() + 1 for n in (4, 5, 8, 9, 16, 17)}
    law = _law({3: 0} | line)
    assert (str(law), law.where) == ("7 M + 1", "every n tried, from 4 on")
    assert _law({n: line[n] for n in (4, 5, 8)}) is None
    assert _law(line | {9: 0} | {2**m: 7 * m + 1 for m in range(5, 9)}).where == "n = 2^k, from 4 on"
    assert _law(line | {16: 0}) is None


def test_a_law_says_which_sizes_lie_on_it():
    """Kinds of n: 2^k, halfway up, one more than 2^k, and others."""
    line = {n: 3 * (n - 1).bit_length() for n in range(4, 33)}
    assert _law(line).where == "every n tried, from 4 on"
    emptiest = dict.fromkeys((5, 9, 17), 0)
    assert _law(line | emptiest).where == "every n tried but 2^k + 1, from 4 on"
    assert _law(line | emptiest | {7: 1}).where == "n = 2^k and 3 2^(k-1), from 4 on"
    assert _law(line | emptiest | {7: 1, 24: 5}).where == "n = 2^k, from 4 on"
    assert _law({n: line[n] for n in (4, 8, 16)}).where == "n = 2^k, from 4 on"
    assert _law({n: line[n] for n in (6, 12, 24)}).where == "n = 3 2^(k-1), from 6 on"
    assert _law(line | {16: 0}) is None


def test_where_no_line_is_exact_a_parabola_may_be():
    """M^2 + M + 1 through three levels, and a fourth that it meets; 2 n - 1 has no law in M."""
    bitonic = {2**m: m * m + m + 1 for m in range(2, 7)}
    law = _law(bitonic)
    assert (str(law), law.square, law.a, law.b) == ("M^2 + M + 1", 1, 1, 1)
    assert [law.at(m) for m in (2, 20)] == [7, 421]
    assert _law({n: bitonic[n] for n in (4, 8, 16)}) is None
    assert _law({2**m: 2 * 2**m - 1 for m in range(2, 9)}) is None
    halves = {2**m: m * (m - 1) // 2 - 2 for m in range(2, 9)}
    assert str(_law(halves)) == "0.5 M^2 - 0.5 M - 2"


def test_fit_refuses_too_little():
    """One level determines no line."""
    with pytest.raises(InputError, match="a line needs two different levels"):
        analysis.fit([3, 3], [1, 2])
    with pytest.raises(InputError, match="2 levels but 1 values"):
        analysis.fit([3, 4], [1])


def test_analyses_say_which_detail_they_need():
    """On a trace without messages an analysis of messages refuses instead of answering 0."""
    few, none = hand_trace().at_detail("instructions"), hand_trace().at_detail("summary")
    by_machine = partial(analysis.critical_path, machine=MACHINE)
    for function in (analysis.overlap, analysis.channels, analysis.traffic, analysis.waits, by_machine):
        with pytest.raises(
            InputError, match="detail 'instructions' does not keep; run again with detail 'full'"
        ):
            function(few)
    text = "the instructions of the run, which a trace of detail 'summary' does not keep; run again"
    with pytest.raises(InputError, match=re.escape(text + " with detail 'instructions'")):
        analysis.makespan(none)


def test_cycles_against_sets():
    """Union and measure of intervals equal those of plain Python sets."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        start = rng.integers(0, 60, 12)
        end = start + rng.integers(0, 9, 12)
        points = {t for s, e in zip(start, end, strict=True) for t in range(s, e)}
        cycles = Cycles.union(start, end)
        assert {t for s, e in zip(cycles.start, cycles.end, strict=True) for t in range(s, e)} == points
        assert (cycles.start[1:] > cycles.end[:-1]).all()
        a, b = np.sort(rng.integers(0, 70, (2, 20)), axis=0)
        expected = [len(points & set(range(x, y))) for x, y in zip(a, b, strict=True)]
        assert cycles.within(a, b).tolist() == expected

"""A run worked out by hand: two arrays of two nodes, startup 4 cycles, 1 cycle per word, post 1 cycle.

Array 1 (T = 24)                          Array 2 (T = 39)
0 I.b.1    compute [ 0, 6) both           0 II.b.1.i   compute [ 0, 3) both
1 I.b.5    send    [ 6, 7) node 0: D      1 II.b.1.ii  send    [ 3, 4) node 1: x
2 I.b.7    send    [ 7, 8) node 0: F      2 II.b.1.iii compute [ 4, 6) node 0
3 I.b.8    compute [ 8,12) both           3 II.c.3.i   compute [24,25) node 1, waited [ 6,24) for F
4 I.b.12   compute [14,19) node 1,        4 II.c.4.i   wait    [30,30) both,   waited [25,30) for A
           waited [12,14) for D           5 II.c.4.ii  compute [30,33) both, takes x without waiting
5 I.b.13   send    [19,20) both: A        6 III.1      wait    [35,35) node 1, waited [33,35) for Lambda
6 I.c.3    compute [20,23) node 1         7 III.2      compute [35,39) node 1
7 I.c.5    send    [23,24) node 1: Lambda

Message   words  hops
0 D_1^0   3      exchange 0->1 [7,14)
1 F_1^0   1      exchange 0->1 queued 8, [14,19); vertical at node 1 [19,24): to (2, 1)
2 A_1^1   2      vertical at node 0 [20,26)
3 A_2^1   2      vertical at node 1 queued 20, [24,30)
4 Lambda  1      vertical at node 1 queued 24, [30,35)
5 x_2^0   1      exchange 1->0 of array 2 [4,9)
"""

import numpy as np

from senn.traces.record import NULL, Trace
from senn.traces.run import Run

STARTUP = 4
NODES = 2
DESCRIPTION = {"machine": {"startup": STARTUP, "hop": 0}}

INSTRUCTIONS = [
    # array, serial, step, level, operation, issue, end, active, stall, dependency, exposed, released by
    (1, 0, "I.b.1", 1, "compute", 0, 6, 2, 0, 0, 0, None),
    (1, 1, "I.b.5", 1, "send", 6, 7, 1, 0, 0, 0, None),
    (1, 2, "I.b.7", 1, "send", 7, 8, 1, 0, 0, 0, None),
    (1, 3, "I.b.8", 1, "compute", 8, 12, 2, 0, 0, 0, None),
    (1, 4, "I.b.12", 1, "compute", 14, 19, 1, 2, 0, 2, 0),
    (1, 5, "I.b.13", None, "send", 19, 20, 2, 0, 0, 0, None),
    (1, 6, "I.c.3", None, "compute", 20, 23, 1, 0, 0, 0, None),
    (1, 7, "I.c.5", None, "send", 23, 24, 1, 0, 0, 0, None),
    (2, 0, "II.b.1.i", None, "compute", 0, 3, 2, 0, 0, 0, None),
    (2, 1, "II.b.1.ii", 1, "send", 3, 4, 1, 0, 0, 0, None),
    (2, 2, "II.b.1.iii", 1, "compute", 4, 6, 1, 0, 0, 0, None),
    (2, 3, "II.c.3.i", 1, "compute", 24, 25, 1, 18, 2, 16, 1),
    (2, 4, "II.c.4.i", None, "wait", 30, 30, 2, 5, 0, 5, 3),
    (2, 5, "II.c.4.ii", None, "compute", 30, 33, 2, 0, 0, 0, None),
    (2, 6, "III.1", None, "wait", 35, 35, 1, 2, 0, 2, 4),
    (2, 7, "III.2", None, "compute", 35, 39, 1, 0, 0, 0, None),
]

ACTIVITIES = [
    # array, instruction, node, process, class, start, end, flops
    (1, 0, 0, 1, "compute", 0, 6, 6),
    (1, 0, 1, 2, "compute", 0, 6, 6),
    (1, 1, 0, 1, "post", 6, 7, 0),
    (1, 2, 0, 1, "post", 7, 8, 0),
    (1, 3, 0, 1, "compute", 8, 12, 4),
    (1, 3, 1, 2, "compute", 8, 12, 4),
    (1, 4, 1, 2, "compute", 14, 19, 5),
    (1, 5, 0, 1, "post", 19, 20, 0),
    (1, 5, 1, 2, "post", 19, 20, 0),
    (1, 6, 1, 2, "compute", 20, 23, 3),
    (1, 7, 1, 2, "post", 23, 24, 0),
    (2, 0, 0, 1, "compute", 0, 3, 3),
    (2, 0, 1, 2, "compute", 0, 3, 3),
    (2, 1, 1, 2, "post", 3, 4, 0),
    (2, 2, 0, 1, "compute", 4, 6, 2),
    (2, 3, 1, 2, "compute", 24, 25, 1),
    (2, 5, 0, 1, "compute", 30, 33, 3),
    (2, 5, 1, 2, "compute", 30, 33, 3),
    (2, 7, 1, 2, "compute", 35, 39, 4),
]

MESSAGES = [
    # id, array, instruction, step, value, level, process, source process, target process, source node,
    # target array, target node, words, posted, granted, arrived, read by, read at
    (0, 1, 1, "I.b.5", "D", 0, 1, 1, 2, 0, 1, 1, 3, 7, 7, 14, 4, 14),
    (1, 1, 2, "I.b.7", "F", 0, 1, 1, 2, 0, 2, 1, 1, 8, 14, 24, 3, 24),
    (2, 1, 5, "I.b.13", "A", 1, 1, 1, 1, 0, 2, 0, 2, 20, 20, 26, 4, 30),
    (3, 1, 5, "I.b.13", "A", 1, 2, 2, 2, 1, 2, 1, 2, 20, 24, 30, 4, 30),
    (4, 1, 7, "I.c.5", "Lambda", None, 2, 2, 2, 1, 2, 1, 1, 24, 30, 35, 6, 35),
    (5, 2, 1, "II.b.1.ii", "x", 0, 2, 2, 1, 1, 2, 0, 1, 4, 4, 9, 5, 30),
]

HOPS = [
    # message, hop, source array, target array, kind, wire, source node, target node, queued, start, end
    (0, 0, 1, 1, "exchange", "exchange:0-1", 0, 1, 7, 7, 14),
    (1, 0, 1, 1, "exchange", "exchange:0-1", 0, 1, 8, 14, 19),
    (1, 1, 1, 2, "vertical", "vertical:1-1", 1, 1, 19, 19, 24),
    (2, 0, 1, 2, "vertical", "vertical:0-0", 0, 0, 20, 20, 26),
    (3, 0, 1, 2, "vertical", "vertical:1-1", 1, 1, 20, 24, 30),
    (4, 0, 1, 2, "vertical", "vertical:1-1", 1, 1, 24, 30, 35),
    (5, 0, 2, 2, "exchange", "exchange:0-1", 1, 0, 4, 4, 9),
]

# Written out, not taken from the code under test: the documented order of columns.
COLUMNS = {
    "instructions": "array serial step level operation issue end active stall dependency_wait exposed "
    "released_by",
    "activities": "array instruction node process class start end flops",
    "messages": "id source_array instruction step value level process source_process target_process "
    "source_node target_array target_node words posted granted arrived read_by read_at",
    "hops": "message hop source_array target_array kind wire source_node target_node queued start end",
}
ROWS = {"instructions": INSTRUCTIONS, "activities": ACTIVITIES, "messages": MESSAGES, "hops": HOPS}
TEXTS = {"step", "operation", "class", "value", "kind", "wire"}


def columns(table: str, rows: list[tuple[int | str | None, ...]] | None = None) -> dict:
    """The rows of a table as columns for ``Trace.from_columns``."""
    rows = ROWS[table] if rows is None else rows
    names = COLUMNS[table].split()
    result = {}
    for index, name in enumerate(names):
        entries = [row[index] for row in rows]
        if name not in TEXTS:
            entries = np.array([NULL if entry is None else entry for entry in entries], dtype=np.int64)
        result[name] = entries
    return result


def hand_trace() -> Trace:
    """The trace of the run above."""
    return Trace.from_columns("full", **{name: columns(name) for name in ROWS})


def hand_run(trace: Trace | None = None) -> Run:
    """The run worked out by hand, or another trace of its machine."""
    return Run(trace or hand_trace(), DESCRIPTION)

"""The trace: its tables, its checks, its hash."""

import hashlib
import struct

import numpy as np
import polars as pl
import pytest

from senn.base.errors import InputError
from senn.traces.record import NULL, SCHEMA, Trace
from tests.traces.hand_trace import COLUMNS, INSTRUCTIONS, ROWS, TEXTS, columns, hand_trace


def _text(text):
    """A text as the definition of the hash has it: int64 byte length and UTF-8, null = length -1."""
    if text is None:
        return struct.pack("<q", -1)
    return struct.pack("<q", len(text.encode("utf-8"))) + text.encode("utf-8")


def _hash(detail, tables):
    """The trace hash, byte by byte from its definition and the rows as written."""
    content = _text(detail)
    for name in tables:
        rows = ROWS[name]
        content += _text(name) + struct.pack("<q", len(rows))
        for index, column in enumerate(COLUMNS[name].split()):
            for row in rows:
                if column in TEXTS:
                    content += _text(row[index])
                else:
                    content += struct.pack("<q", -(2**63) if row[index] is None else row[index])
    return hashlib.sha256(content).hexdigest()


def test_schema_is_the_documented_one():
    """Tables and columns stand in the documented order: the hash and the files of users depend on it."""
    assert {name: " ".join(entries) for name, entries in SCHEMA.items()} == COLUMNS
    assert list(SCHEMA) == ["instructions", "activities", "messages", "hops"]
    assert {x for entries in SCHEMA.values() for x, kind in entries.items() if kind == pl.String} == TEXTS
    assert NULL == -(2**63)


def test_hash_is_the_defined_one():
    """The hash equals one computed row by row from the definition, nulls and all four tables included."""
    assert hand_trace().hash == _hash("full", ROWS)


def test_hash_of_texts_that_are_not_ascii_or_null():
    """Lengths of texts are in bytes of UTF-8, and a null text differs from an empty one."""
    rows = [(1, 0, "I.b.12′", None, None, 0, 1, 1, 0, 0, 0, None)]
    trace = Trace.from_columns("full", instructions=columns("instructions", rows))
    content = _text("full") + _text("instructions") + struct.pack("<q", 1)
    for entry, kind in zip(rows[0], SCHEMA["instructions"].values(), strict=True):
        content += _text(entry) if kind == pl.String else struct.pack("<q", NULL if entry is None else entry)
    for name in ("activities", "messages", "hops"):
        content += _text(name) + struct.pack("<q", 0)
    assert trace.hash == hashlib.sha256(content).hexdigest()


def test_instructions_hash_is_that_of_the_trace_with_instructions_only():
    """It is equal at every detail above summary, and is the hash definition over that one table."""
    trace = hand_trace()
    assert trace.instructions_hash == _hash("instructions", ["instructions"])
    assert trace.at_detail("instructions").instructions_hash == trace.instructions_hash


def test_rows_may_come_in_any_order():
    """Rows are sorted by key, so the order in which an engine wrote them does not matter."""
    rng = np.random.default_rng(3)
    shuffled = {name: [rows[i] for i in rng.permutation(len(rows))] for name, rows in ROWS.items()}
    trace = Trace.from_columns("full", **{name: columns(name, rows) for name, rows in shuffled.items()})
    assert trace == hand_trace()
    assert [row[:12] for row in trace.instructions.rows()] == INSTRUCTIONS


def test_columns_of_work_are_stored_but_not_hashed():
    """Tables without them are those of an older version: they are null then."""
    rows = len(INSTRUCTIONS)
    work = {"received": np.arange(rows), "operations": ["1 2 0 0 0 0"] * rows, "mask": [None] * rows}
    tables = {name: columns(name) for name in ROWS}
    trace = Trace.from_columns("full", **{**tables, "instructions": {**tables["instructions"], **work}})
    assert trace == hand_trace()
    assert trace.instructions.columns[12:] == list(work)
    assert trace.instructions["received"].to_list() == list(range(rows))
    assert hand_trace().instructions["operations"].null_count() == rows
    assert hand_trace().activities["work"].null_count() == hand_trace().activities.height


def test_nulls_are_nulls_in_the_tables():
    """NULL of a NumPy column, None of a list and a null of a Series are the same null."""
    given = columns("instructions")
    trace = Trace.from_columns("full", instructions=given)
    level = [row[3] for row in INSTRUCTIONS]
    assert trace.instructions["level"].to_list() == level
    assert trace.instructions["level"].dtype == pl.Int64
    again = Trace.from_columns("full", instructions=given | {"level": pl.Series("level", level)})
    assert again == trace


def test_levels_of_detail():
    """Less detail drops whole tables; more detail than there is is refused, with the way out."""
    trace = hand_trace()
    assert trace.at_detail("instructions").instructions.height == len(INSTRUCTIONS)
    assert trace.at_detail("instructions").activities.height == 0
    assert all(trace.at_detail("summary").table(name).height == 0 for name in SCHEMA)
    assert len({trace.at_detail(d).hash for d in ("full", "instructions", "summary")}) == 3
    message = r"cannot give detail 'full' \(activities, messages, hops were not kept\); run again with"
    with pytest.raises(InputError, match=message):
        trace.at_detail("instructions").at_detail("full")


def _change(table, **changes):
    return {table: {**columns(table), **changes}}


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        (_change("hops", end=np.zeros(7)), r"hops\.end must be whole numbers, not Float64"),
        (_change("hops", kind=np.zeros(7, dtype=np.int64)), r"hops\.kind must be texts, not Int64"),
        (_change("hops", hop=np.zeros(3, dtype=np.int64)), r"the columns of hops differ in length"),
        (_change("hops", color=["red"] * 7), r"hops has no column color; its columns are message, hop,"),
        (
            {"hops": {name: entry for name, entry in columns("hops").items() if name != "start"}},
            r"hops is missing start; its columns are message, hop,",
        ),
        (_change("hops", hop=np.full(7, NULL)), r"hops\.hop is part of the key and must not be null"),
        (
            _change("hops", message=np.zeros(7, dtype=np.int64)),
            r"two rows of hops have the same key \(message 0, hop 0\)",
        ),
    ],
)
def test_columns_that_are_not_the_table_are_refused(tables, message):
    """What is wrong is named: table, column, and what it should be."""
    with pytest.raises(InputError, match=message):
        Trace.from_columns("full", **tables)


def test_rows_that_the_detail_has_not_got_are_refused():
    """A trace of detail "instructions" has no messages, and says so instead of hiding them."""
    with pytest.raises(
        InputError, match="a trace of detail 'instructions' has no rows in messages, but 6 are given"
    ):
        Trace.from_columns("instructions", messages=columns("messages"))
    with pytest.raises(InputError, match="detail is one of full, instructions, summary, not 'all'"):
        Trace.from_columns("all")
    with pytest.raises(InputError, match="no table message; its tables are instructions, activities, mess"):
        Trace.from_columns("full", message=columns("messages"))


def test_a_lane_may_receive_and_compute_in_one_instruction():
    """Two activities of one node in one instruction are ordered by their start."""
    rows = [(1, 0, 0, 1, "compute", 4, 9, 5), (1, 0, 0, 1, "receive", 0, 4, 0)]
    trace = Trace.from_columns("full", activities=columns("activities", rows))
    assert trace.activities["class"].to_list() == ["receive", "compute"]

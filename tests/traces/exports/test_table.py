"""The CSV of a run, read by those who are named: Python, pandas and DuckDB."""

import csv
from collections import Counter
from importlib import import_module

import polars as pl
import pytest

from senn.traces.exports import export
from tests.traces.exports import runs
from tests.traces.exports.readers import needs


@pytest.mark.parametrize("name", runs.NAMES)
def test_every_interval_is_a_row(name, tmp_path):
    """By the csv module of Python."""
    with export(runs.run(name), tmp_path / "run.csv").open(newline="") as file:
        found = Counter(
            (int(row["start"]), int(row["duration"]), row["name"], f"array {row['array']} {row['track']}")
            for row in csv.DictReader(file)
        )
    assert found == runs.intervals(runs.run(name))


def test_what_an_interval_says(tmp_path):
    """Of the run by hand: F of process 1 on the way down, which waited and carries one word."""
    path = export(runs.run("by hand"), tmp_path / "run.csv")
    table = pl.read_csv(path)
    (row,) = table.filter(category="vertical", name="F_1^0").iter_rows(named=True)
    assert row == {
        "array": 1,
        "kind": "channel",
        "track": "vertical:1-1 from 1 to array 2 node 1",
        "name": "F_1^0",
        "category": "vertical",
        "step": "I.b.7",
        "start": 19,
        "end": 24,
        "duration": 5,
        "level": 1,
        "instruction": 2,
        "process": None,
        "flops": None,
        "message": 1,
        "words": 1,
        "queued": 19,
    }
    (row,) = table.filter(name="waits for F_1^0").iter_rows(named=True)
    assert (row["track"], row["start"], row["end"], row["step"], row["message"]) == (
        "control unit",
        6,
        24,
        "II.c.3.i",
        1,
    )


@pytest.mark.parametrize("reader", ["pandas", "duckdb"])
def test_others_read_the_same_table(reader, tmp_path):
    """Types too: whole numbers where there is one in every row."""
    needs(reader)
    path = export(runs.run("two arrays"), tmp_path / "run.csv.gz")
    package = import_module(reader)
    table = package.read_csv(path) if reader == "pandas" else package.read_csv(str(path)).df()
    names = ["start", "duration", "name", "track"]
    assert table["start"].dtype == "int64"
    rows = Counter(table[names].itertuples(index=False, name=None))
    assert rows == Counter(pl.read_csv(path).select(names).iter_rows())

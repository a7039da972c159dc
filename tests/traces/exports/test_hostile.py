"""Exports of texts that nobody wrote, and on a disk without room: whole and readable, or not at all."""

import csv
import resource

import polars as pl
import pytest

from senn.base.errors import InputError
from senn.traces.exports import export
from senn.traces.record import Trace
from tests.traces.exports import runs
from tests.traces.exports.readers import needs
from tests.traces.hand_trace import hand_run

HOSTILE = 'a"b\\c\nd\x07<%>'


def test_every_text_of_a_csv_is_quoted(tmp_path):
    """Also the categories: kinds of channels and classes of instructions, which a run folder may name."""
    trace = runs.trace("by hand")
    tables = {name: trace.table(name) for name in ("instructions", "activities", "messages", "hops")}
    for name, column in (("hops", "kind"), ("instructions", "class"), ("activities", "operation")):
        if column in tables[name].columns and tables[name][column].dtype == pl.String:
            tables[name] = tables[name].with_columns(pl.lit(HOSTILE).alias(column))
    hostile = Trace.from_tables("full", tables)
    with export(hand_run(hostile), tmp_path / "a.csv").open(newline="") as file:
        assert HOSTILE in {row["category"] for row in csv.DictReader(file)}


@pytest.mark.parametrize("room", [0, 400, 1000, 2**16 - 1, 2**16 + 3000])
def test_an_fst_is_whole_or_refused(tmp_path, room):
    """The library that writes it ignores errors; at no room at all it ends the process."""
    needs("pylibfst")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    run = runs.run("three arrays")
    whole = export(run, tmp_path / "whole.fst").read_bytes()
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        if max(len(whole), 2**16) <= room:
            assert export(run, tmp_path / "a.fst").read_bytes() == whole
        else:
            with pytest.raises(InputError, match=r"a\.fst: cannot be written: .*; choose another place"):
                export(run, tmp_path / "a.fst")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_an_fst_that_is_cut_is_noticed(tmp_path):
    """Wherever it is cut; the blocks of a whole file end where it ends."""
    needs("pylibfst")
    from senn.traces.exports.libraries import _is_whole

    whole = export(runs.run("by hand"), tmp_path / "whole.fst").read_bytes()
    assert _is_whole(whole)
    assert not any(_is_whole(whole[:size]) for size in range(len(whole)))

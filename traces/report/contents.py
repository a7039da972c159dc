"""What a page knows of a run: columns of whole numbers for its pictures, and facts in JSON's terms.

The tables are those of the trace, under the names that they have there ("hops.start"); a text stands in a
column as its place in a list of words, and what is null as -1. Nothing is worked out in the browser that an
analysis here returns.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import polars as pl

from senn.traces import analysis
from senn.traces.record.trace import Trace
from senn.traces.report.bars import bars, waiting
from senn.traces.report.causes import path
from senn.traces.report.packing import Integers
from senn.traces.report.payloads import payloads
from senn.traces.report.program import blocks, ends_of, listing
from senn.traces.report.told import Told
from senn.traces.report.wires import network

if TYPE_CHECKING:
    from senn.traces.run import Run

_NONE = -1
_KEPT = {
    "instructions": (
        *("array", "serial", "step", "level", "operation", "issue", "end", "active"),
        *("stall", "dependency_wait", "exposed", "released_by"),
    ),
    "activities": ("array", "instruction", "node", "process", "class", "start", "end"),
    "messages": (
        *("source_array", "instruction", "value", "level", "process", "source_process", "target_process"),
        *("source_node", "target_array", "target_node", "words", "posted", "granted", "arrived"),
        *("read_by", "read_at"),
    ),
    "hops": ("message", "queued", "start", "end"),
}
"""The columns that the page has of each table; ids and hops count from 0, so they are places in it."""


def columns(run: Run, told: Told) -> tuple[dict[str, Integers], dict[str, list[str]]]:
    """The columns by name, and the words of those that are texts."""
    trace = run.trace
    found: dict[str, Integers] = {}
    words: dict[str, list[str]] = {}
    for name, kept in _KEPT.items():
        if trace.table(name).height:
            _put(name, trace.table(name).select(kept), found, words)
    if trace.detail == "full":
        made = {
            "bars": bars(trace),
            "waits": waiting(trace),
            **network(trace, _nodes(run.description, trace)),
            "path": path(run),
            **payloads(run),
            "pairs": analysis.communication_matrix(trace),
        }
        for name, table in made.items():
            _put(name, table, found, words)
    _put("listing", listing(trace, told.listing), found, words)
    _put("blocks", blocks(told.stages), found, words)
    return found, words


def _put(name: str, table: pl.DataFrame, found: dict[str, Integers], words: dict[str, list[str]]) -> None:
    for column in table:
        place = f"{name}.{column.name}"
        if column.dtype == pl.String:
            words[place] = column.unique(maintain_order=True).to_list()
            codes = {word: code for code, word in enumerate(words[place])}
            column = column.replace_strict(codes, return_dtype=pl.Int64)
        found[place] = column.fill_null(_NONE).to_numpy()


def facts(run: Run, told: Told) -> dict[str, Any]:
    """What the pictures have to know of the run as a whole."""
    trace = run.trace
    drained = int(trace.hops["end"].to_numpy().max(initial=0))
    ends = analysis.ends(trace) if trace.detail != "summary" else {}
    return {
        "detail": trace.detail,
        "perNode": analysis.per_node(trace),
        "makespan": run.summary.get("makespan", 0),
        "arrays": list(ends),
        "ends": {str(array): end for array, end in ends.items()},
        "last": max([drained, *ends.values(), 1]),
        "nodes": _nodes(run.description, trace),
        "n": run.description.get("program", {}).get("n"),
        "stages": [[stage.after, ends_of(trace, stage)] for stage in told.stages],
    }


def _nodes(description: Mapping[str, Any], trace: Trace) -> int:
    """Of each array: what the schedule says, or as many as did anything."""
    used = (trace.activities["node"], trace.hops["source_node"], trace.hops["target_node"])
    seen = 1 + max(int(column.to_numpy().max(initial=0)) for column in used)
    return max(seen, int(description.get("schedule", {}).get("nodes", 0)))

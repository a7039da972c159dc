"""What a page knows of a run: columns of whole numbers for its pictures, and facts in JSON's terms.

The tables are those of the trace, under the names that they have there ("hops.start"); a text stands in a
column as its place in a list of words, and what is null as -1. Nothing is worked out in the browser that an
analysis here returns.
"""

from collections.abc import Mapping
from typing import Any

import polars as pl

from senn.traces import analysis
from senn.traces.record.trace import Trace
from senn.traces.report.bars import bars, waiting
from senn.traces.report.packing import Integers
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
    "hops": ("message", "kind", "source_array", "target_array", "source_node", "target_node")
    + ("queued", "start", "end"),
}
"""The columns that the page has of each table; ids and hops count from 0, so they are places in it."""


def columns(run: Run) -> tuple[dict[str, Integers], dict[str, list[str]]]:
    """The columns by name, and the words of those that are texts."""
    trace = run.trace
    found: dict[str, Integers] = {}
    words: dict[str, list[str]] = {}
    for name, kept in _KEPT.items():
        for column in trace.table(name).select(kept) if trace.table(name).height else ():
            place = f"{name}.{column.name}"
            if column.dtype == pl.String:
                words[place] = column.unique(maintain_order=True).to_list()
                codes = {word: code for code, word in enumerate(words[place])}
                column = column.replace_strict(codes, return_dtype=pl.Int64)
            found[place] = column.fill_null(_NONE).to_numpy()
    if trace.detail == "full":
        found |= _columns_of("bars", bars(trace)) | _columns_of("waits", waiting(trace))
    return found, words


def _columns_of(name: str, table: pl.DataFrame) -> dict[str, Integers]:
    return {f"{name}.{column.name}": column.fill_null(_NONE).to_numpy() for column in table}


def facts(run: Run) -> dict[str, Any]:
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
    }


def _nodes(description: Mapping[str, Any], trace: Trace) -> int:
    """Of each array: what the schedule says, or as many as did anything."""
    used = (trace.activities["node"], trace.hops["source_node"], trace.hops["target_node"])
    seen = 1 + max(int(column.to_numpy().max(initial=0)) for column in used)
    return max(seen, int(description.get("schedule", {}).get("nodes", 0)))

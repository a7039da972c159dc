"""Where the cycles of a run went: makespan, stalls, and the account of every node.

makespan = latest end of an instruction of either array; T_k = end of the last instruction of array k. For
every node of array k, compute + post + receive + masked + stall = T_k: *masked* are instruction cycles
without this lane, *stall* the cycles in which the control unit waits, the same for all nodes of an array.
A DMA may go on after T_k: *drain*. Where every node issues by itself (control = "mimd") an array has no
stall; a node has, and *masked* are then the cycles after its own last activity.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from senn.base.errors import InputError
from senn.traces.analysis.causality import Causality, Piece, backwards, channel_times
from senn.traces.analysis.control_units import issued, per_node, sent, stalls, unit
from senn.traces.analysis.overlap import exposures, in_flight, overlap
from senn.traces.record import Trace, joined


def makespan(trace: Trace) -> int:
    """The latest end of an instruction, in cycles; 0 for a trace without instructions."""
    return max(ends(trace).values(), default=0)


def ends(trace: Trace) -> dict[int, int]:
    """T_k by array: the end of its last instruction."""
    trace.require("instructions")
    table = trace.instructions.group_by("array").agg(pl.col("end").max()).sort("array")
    return dict(table.iter_rows())


_STALLS = ("stall", "exposed_stall", "dependency_wait")
_TRAFFIC = ("in_flight", "exposed", "hidden", "overlapped", "messages", "hops", "words")


def summary(trace: Trace, traffic: Mapping[str, int] | None = None, dma: bool = True) -> dict[str, Any]:
    """The run in a dozen numbers, as in ``summary`` of run.json.

    makespan; stall and exposed_stall (control-unit cycles, summed over arrays: those of the stalls in which
    the message that ends the stall is in flight); in_flight, exposed, hidden, overlapped (cycles of messages,
    as `exposures` has them); messages, hops, words (of the messages, each counted once); and per array end,
    instructions, stall, exposed_stall, dependency_wait. What the detail of the trace cannot tell is None,
    unless ``traffic`` says it. Where every node issues by itself, the figures of stalls are None, and
    node_stall and node_exposed_stall, in node cycles, are there instead.
    """
    trace.require("instructions")
    full = trace.detail == "full"
    if traffic is None and full:
        flown = exposures(trace, dma).rename({"cycles": "in_flight"}).select(_TRAFFIC[:4]).sum()
        words = int(trace.messages["words"].sum())
        counts = {"messages": trace.messages.height, "hops": trace.hops.height, "words": words}
        traffic = flown.row(0, named=True) | counts
    exposed = pl.col("exposed").sum().alias("exposed_stall")
    stalled = pl.col("stall").sum(), exposed, pl.col("dependency_wait").sum()
    arrays = trace.instructions.group_by("array").agg(
        pl.col("end").max(), pl.len().alias("instructions"), *stalled
    )
    alone, by_node = per_node(trace), dict[str, Any]()
    if alone:
        arrays = arrays.with_columns(pl.lit(None, pl.Int64).alias(name) for name in _STALLS)
        since = {"node_stall": "start", "node_exposed_stall": "posted"}
        by_node = {
            name: int((stalls(trace)["end"] - stalls(trace)[begin]).sum()) if full else None
            for name, begin in since.items()
        }
    return {
        "makespan": makespan(trace),
        **{name: None if alone else int(arrays[name].sum()) for name in _STALLS[:2]},
        **by_node,
        **{name: (traffic or {}).get(name) for name in _TRAFFIC},
        "arrays": {str(row.pop("array")): row for row in arrays.sort("array").iter_rows(named=True)},
    }


def phase(step: str = "step") -> pl.Expr:
    """The phase of a column of steps as an expression: "II.b.1.vii" -> "II"."""
    return pl.col(step).str.split(".").list.first()


def part(step: str = "step") -> pl.Expr:
    """The part of a column of steps as an expression, as `part_of`: "II.b.1.vii" -> "II.b"."""
    return pl.col(step).str.extract(r"^([^.]+(?:\.\pL+(?:\.|$))?)").str.strip_chars_end(".")


def node_accounts(trace: Trace, nodes: int) -> pl.DataFrame:
    """The account of each of the ``nodes`` nodes of every array, also of those that hold no process.

    Columns array, node, compute, post, receive, masked, stall, drain (cycles); the five before drain sum
    to T_k.
    """
    trace.require("activities")
    busy, node, cycles = ("compute", "post", "receive"), ["array", "node"], pl.col("end") - pl.col("start")
    spent = trace.activities.group_by(node).agg(
        cycles.filter(pl.col("class") == name).sum().alias(name) for name in busy
    )
    last = trace.instructions.group_by("array").agg(pl.col("end").max().alias("last"))
    stalled = stalls(trace).group_by(unit(trace)).agg(cycles.sum().alias("stall"))
    return (
        last.join(pl.DataFrame({"node": range(nodes)}, schema={"node": pl.Int64}), how="cross")
        .join(spent, on=node, how="left")
        .join(overlap(trace).select(*node, "drain"), on=node, how="left")
        .join(stalled, on=unit(trace), how="left")
        .with_columns(pl.col(*busy, "drain", "stall").fill_null(0))
        .with_columns((pl.col("last") - pl.sum_horizontal(*busy, "stall")).alias("masked"))
        .select(*node, *busy, "masked", "stall", "drain")
        .sort(node)
    )


# The run in large: which part of the algorithm each array was in, at which level, and where it waited.


def spans(trace: Trace) -> pl.DataFrame:
    """The parts of the algorithm in time.

    A part is a lettered section of the paper ("I.b"), or the whole phase where it has none ("III").
    Columns array, phase, part, start, end: [start, end) from the end of what came before to the end of its
    last instruction, its stalls included; in order of array and start. The spans of an array leave no gap.
    Where every node issues by itself, a span goes from the first issue to the last end, and spans overlap.
    """
    trace.require("instructions")
    return (
        trace.instructions.with_columns(phase=phase(), part=part())
        .with_columns(turn=pl.struct("array", "part").rle_id())
        .group_by("turn", "array", "phase", "part", maintain_order=True)
        .agg(start=_begin().min(), end=pl.col("end").max())
        .drop("turn")
    )


def level_starts(trace: Trace) -> pl.DataFrame:
    """Where the levels of the loops begin: columns array, part, level, start, in order of array and start."""
    trace.require("instructions")
    table = trace.instructions.with_columns(part=part(), start=_begin())
    begins = pl.struct("array", "part", "level").rle_id().diff().fill_null(1) > 0
    return table.filter(begins, pl.col("level").is_not_null()).select("array", "part", "level", "start")


def _begin() -> pl.Expr:
    """The end of what came before; where every node issues by itself, the first issue."""
    return pl.col("issue") - pl.col("stall").fill_null(0)


# Every stalled cycle is charged to one message or to one late sender, back through as many arrays and
# messages as it takes; every cycle of every message in flight is exposed or hidden. `account` adds up both.

_SUMS = ("cycles", "exposed", "hidden", "overlapped", "beside")
_ADDED = (*_SUMS, "count", "femtojoules")
_NO_KEYS = (*_ADDED, "start", "end", "words")


def flights(trace: Trace, machine: Mapping[str, Any]) -> pl.DataFrame:
    """The cycles of every message in flight, exposed and hidden: a row for each message and kind of cycle.

    Columns array, node (the sender), target_array, target_node, instruction (of the send), phase, step,
    level, value, words, message (its id), label ("startup", "words", "hop" or "queue"), and

    * cycles: they sum to arrived - posted of the message;
    * exposed, hidden, overlapped and beside, as `exposures` has them.

    In order of message; a kind of no cycle has no row. ``machine`` is the one that ran, as run.json describes
    it. InputError if the trace is not of full detail, or its times are not those of the machine.
    """
    return (
        exposures(trace, machine.get("dma", True), in_flight(trace, *channel_times(machine)))
        .group_by("message", "label", maintain_order=True)
        .agg(pl.col(_SUMS).sum())
        .pipe(joined, sent(trace), on="message", how="left")
        .with_columns(phase().alias("phase"))
        .select(
            *("array", "node", "target_array", "target_node", "instruction", "phase", "step", "level"),
            *("value", "words", "message", "label", *_SUMS),
        )
    )


def account(table: pl.DataFrame, *by: str) -> pl.DataFrame:
    """`charges`, `flights` or `energy` added up by any of their columns: ``account(run.flights, "step")``.

    Columns ``by``, then the sums of the table and, if it has messages, how many different ones; what exposes
    most first, or has most cycles or femtojoules. Without ``by`` it is one row. The sums of the rows are
    those of the table for every grouping.
    """
    keys = [name for name in table.columns if name not in _NO_KEYS]
    for name in by:
        if name not in keys:
            raise InputError(f"{name!r} is no column to group by; there are {', '.join(keys)}")
    sums = [name for name in _ADDED if name in table.columns]
    added = [pl.col(name).sum() for name in sums]
    if "message" in keys:
        added.append(pl.col("message").drop_nulls().n_unique().cast(pl.Int64).alias("messages"))
    if not by:
        return table.select(added)
    most = [name for name in ("exposed", "cycles", "femtojoules") if name in sums]
    grouped = table.group_by(by, maintain_order=True).agg(added)
    return grouped.sort(most, descending=True, maintain_order=True)


def by_label(table: pl.DataFrame) -> dict[str, int]:
    """The cycles of `charges` or `flights` by label, the most first."""
    return dict(account(table, "label").select("label", "cycles").iter_rows())


def by_line(flights: pl.DataFrame) -> pl.DataFrame:
    """`flights` added up by line of the paper, all levels together: which line exposes most, which hides.

    Columns array, step ("II.b.1" for "II.b.1.vii.i"), cycles, exposed, hidden, overlapped, beside; in order
    of array and first message.
    """
    lines = flights.group_by("array", line(), maintain_order=True).agg(pl.col(_SUMS).sum())
    return lines.sort("array", maintain_order=True)


def line(depth: int = 3) -> pl.Expr:
    """The first parts of a step's label: of three parts, the line of the paper."""
    return pl.col("step").str.split(".").list.head(depth).list.join(".")


# Every stalled cycle charged to what made it: the channels of a message, or the work of a late processor.
# A stall ends with a message. From there the walk goes back as that along the critical path does, through
# the message's channels, and the messages that occupied them, to a send, through the sender's work and what
# that waited for, and stops where the stall began. So nothing is left over: what a stall is charged to joins,
# and sums to it.


def charges(trace: Trace, machine: Mapping[str, Any]) -> pl.DataFrame:
    """Every stalled cycle of every control unit by cause.

    Columns array, node (null where the lanes of an array go together), instruction, phase, step, level of
    what waited; start, end, cycles; label, one of `causality.LABELS`; cause_array, cause_node (that sent the
    message, or was late: null where the lanes of an array are late together), cause_instruction, cause_phase,
    cause_step, cause_level and, where channels were the cause, message and value. Compute, post or receive
    means that a sender was late. Where a message waited for a busy channel, the one that occupied it is
    charged. In order of array, node and start; the cycles sum to all that stalled. ``machine`` is the one
    that ran, as run.json describes it. InputError if the trace is not of full detail.
    """
    record = Causality(trace, machine)
    stalled = stalls(trace).select(*_STALL, "start", "released_by")
    rows = [
        (array, node, serial, *piece)
        for array, node, serial, start, message in stalled.rows()
        for piece in reversed(list(backwards(record, (None, message), since=start)))
    ]
    texts = ("label", "cause_step")
    schema = {name: pl.String if name in texts else pl.Int64 for name in (*_STALL, *_PIECE)}
    steps = issued(trace).select("array", "instruction", "step", "level")
    return (
        pl.DataFrame(rows, schema=schema, orient="row")
        .pipe(joined, steps, on=["array", "instruction"], how="left")
        .pipe(joined, sent(trace).select("message", "value"), on="message", how="left")
        .with_columns(phase=phase(), cause_phase=phase("cause_step"), cycles=pl.col("end") - pl.col("start"))
        .select(
            *("array", "node", "instruction", "phase", "step", "level", "start", "end", "cycles", "label"),
            *("cause_array", "cause_node", "cause_instruction", "cause_phase", "cause_step", "cause_level"),
            *("message", "value"),
        )
    )


_STALL = ("array", "node", "instruction")
_OWN = ("start", "end", "label", "message")
_PIECE = [name if name in _OWN else f"cause_{name}" for name in Piece._fields]
"""The columns that the fields of a piece become."""

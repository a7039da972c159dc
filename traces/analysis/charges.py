"""Exact accounts of a run: its stalled cycles by what they are charged to, and its communication.

Two tables that add up, and one way to group them. Every stalled cycle is charged to one message or to one
late sender, back through as many arrays and messages as it takes: nothing is left over. And every cycle of
every message, from its post to its arrival, is exposed or hidden: exposed if in it a control unit is stalled
because of that message.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil
from typing import Any, Protocol

import numpy as np
import polars as pl

from senn.traces.analysis.accounts import phase
from senn.traces.analysis.causality import Causality, backwards, channel_times
from senn.traces.analysis.control_units import per_node, stalls
from senn.traces.analysis.overlap import Cycles
from senn.traces.errors import InputError
from senn.traces.record import Trace

_SUMS = ("cycles", "exposed", "hidden", "beside", "stalled")
_NO_KEYS = (*_SUMS, "start", "end", "words")


class Recorded(Protocol):
    """A run as far as its accounts read it: the trace, and the machine in its description."""

    @property
    def trace(self) -> Trace:
        """The record."""

    @property
    def description(self) -> Mapping[str, Any]:
        """The description of what ran, as run.json has it."""


def charges(run: Recorded) -> pl.DataFrame:
    """Every stalled cycle of every control unit by cause: `stall_causes` with the times of the run's machine.

    The cycles sum to all that stalled: the dependency waits and exposed cycles of all arrays, or of all
    nodes where each issues by itself. InputError if the trace is not of full detail.
    """
    return stall_causes(run.trace, *channel_times(run.description["machine"]))


def flights(run: Recorded, charged: pl.DataFrame | None = None) -> pl.DataFrame:
    """The cycles of every message in flight, exposed and hidden: a row for each message and kind of cycle.

    Columns array, node (the sender), target_array, target_node, instruction (of the send), phase, step,
    level, value, words, message (its id), label ("startup", "words", "hop" or "queue"), and

    * cycles: they sum to arrived - posted of the message;
    * exposed: those of them in which a control unit is stalled for it, directly or through others;
    * hidden: the others;
    * beside: those of the hidden in which its reader is stalled all the same, for something else: of
      the messages of one send an array waits for the last, and the others are hidden beside it;
    * stalled: the cycles of all control units that are stalled for it.

    In order of message; a kind of no cycle has no row. ``charged`` are the run's `charges`, if known.
    InputError if the trace is not of full detail, or its times are not those of the machine.
    """
    run.trace.require("hops")
    charged = charges(run) if charged is None else charged
    axis = _Axis(run, charged)
    pieces = axis.with_reader_still(_pieces(run))
    wasted = charged.filter(pl.col("message").is_not_null())
    exposed = (
        axis.with_reader_still(_once(wasted))
        .group_by("message", "label")
        .agg(pl.col("cycles").sum().alias("exposed"), pl.col("still").sum().alias("of_exposed"))
    )
    stalled = wasted.group_by("message", "label").agg(pl.col("cycles").sum().alias("stalled"))
    key = ["message", "label"]
    return (
        pieces.group_by(key, maintain_order=True)
        .agg(pl.col("cycles", "still").sum())
        .join(exposed, on=key, how="left", maintain_order="left")
        .join(stalled, on=key, how="left", maintain_order="left")
        .with_columns(pl.col("exposed", "of_exposed", "stalled").fill_null(0))
        .with_columns(
            (pl.col("cycles") - pl.col("exposed")).alias("hidden"),
            (pl.col("still") - pl.col("of_exposed")).alias("beside"),
        )
        .join(_messages(run), on="message", how="left", maintain_order="left")
        .select(
            *("array", "node", "target_array", "target_node", "instruction", "phase", "step", "level"),
            *("value", "words", "message", "label", *_SUMS),
        )
    )


def account(table: pl.DataFrame, *by: str) -> pl.DataFrame:
    """`charges` or `flights` added up by any of their columns: ``account(flights(run), "step", "level")``.

    Columns ``by``, then the sums of the table's cycles, and messages (how many different ones); what exposes
    most first, or has most cycles. Without ``by`` it is one row. Whatever the rows are grouped by, their sums
    are those of the table.
    """
    keys = [name for name in table.columns if name not in _NO_KEYS]
    for name in by:
        if name not in keys:
            raise InputError(f"{name!r} is no column to group by; there are {', '.join(keys)}")
    sums = [name for name in _SUMS if name in table.columns]
    different = pl.col("message").drop_nulls().n_unique().cast(pl.Int64).alias("messages")
    added = [*(pl.col(name).sum() for name in sums), different]
    if not by:
        return table.select(added)
    most = ["exposed", "cycles"] if "exposed" in sums else ["cycles"]
    grouped = table.group_by(by, maintain_order=True).agg(added)
    return grouped.sort(most, descending=True, maintain_order=True)


def _messages(run: Recorded) -> pl.DataFrame:
    """Sender and target of each message; the level is that of the send."""
    levels = run.trace.instructions.select("array", pl.col("serial").alias("instruction"), "level")
    return (
        run.trace.messages.drop("level")
        .rename({"source_array": "array", "source_node": "node", "id": "message"})
        .join(levels, on=["array", "instruction"], how="left")
        .with_columns(phase().alias("phase"))
    )


def _pieces(run: Recorded) -> pl.DataFrame:
    """Columns message, label, start, end, cycles: messages from post to arrival, without a gap."""
    startup, hop = (ceil(time) for time in channel_times(run.description["machine"]))
    hops = run.trace.hops.select("message", "hop", "queued", "start", "end")
    queued, begun, left = pl.col("queued"), pl.col("start"), pl.col("end")
    if hop:
        first, last = pl.col("hop") == 0, pl.col("hop") == pl.col("hop").max().over("message")
        parts = [
            _part(hops.filter(first), "startup", queued - startup, queued),
            _part(hops, "hop", begun, begun + hop),
            _part(hops.filter(last), "words", begun + hop, left + hop),
        ]
    else:
        headed = pl.min_horizontal(begun + startup, left)
        parts = [_part(hops, "startup", begun, headed), _part(hops, "words", headed, left)]
    table = pl.concat([*parts, _part(hops, "queue", queued, begun)]).sort("message", "start", "end")
    spans = table.group_by("message").agg(
        pl.col("start").first(), pl.col("end").last(), pl.col("cycles").sum()
    )
    messages = run.trace.messages.select(pl.col("id").alias("message"), "posted", "arrived")
    joins = (pl.col("start") == pl.col("posted")) & (pl.col("end") == pl.col("arrived"))
    joins &= pl.col("cycles") == pl.col("arrived") - pl.col("posted")
    wrong = messages.join(spans, on="message").filter(~joins).sort("message")
    if wrong.height:
        raise InputError(
            f"the hops of message {wrong['message'][0]} do not join its post and its arrival: startup and "
            "hop must be those of the machine that ran"
        )
    return table.filter(pl.col("cycles") > 0)


def _part(hops: pl.DataFrame, label: str, start: pl.Expr, end: pl.Expr) -> pl.DataFrame:
    label_column = pl.lit(label).alias("label")
    part = hops.select("message", label_column, start.alias("start"), end.alias("end"))
    return part.with_columns((pl.col("end") - pl.col("start")).alias("cycles"))


def _once(wasted: pl.DataFrame) -> pl.DataFrame:
    """Columns message, label, start, end, cycles: the stalls of all control units, each cycle once."""
    kinds = wasted.select("message", "label").unique(maintain_order=True).with_row_index("owner")
    table = wasted.join(kinds, on=["message", "label"], how="left")
    horizon = _horizon(wasted["end"], kinds.height)
    origin = table["owner"].to_numpy().astype(np.int64) * horizon
    every = Cycles.union(origin + table["start"].to_numpy(), origin + table["end"].to_numpy())
    owner, start = np.divmod(every.start, horizon)
    cycles = every.end - every.start
    return kinds.drop("owner")[owner].with_columns(
        pl.Series("start", start), pl.Series("end", start + cycles), pl.Series("cycles", cycles)
    )


class _Axis:
    """The stalls of control units: arrays as owners, or nodes where each issues by itself."""

    def __init__(self, run: Recorded, charged: pl.DataFrame) -> None:
        trace = run.trace
        self._alone = per_node(trace)
        used = (trace.activities["node"], trace.messages["target_node"])
        self._nodes = 1 + max(int(column.to_numpy().max(initial=0)) for column in used)
        self._readers = trace.messages.select(
            pl.col("id").alias("message"), self._owner("target_array", "target_node").alias("owner")
        )
        owner = charged.select(self._owner("array", "node").alias("owner"))["owner"].to_numpy()
        arrays = int(trace.instructions["array"].to_numpy().max(initial=0))
        latest = pl.concat([charged["end"], trace.messages["arrived"]])
        self._horizon = _horizon(latest, (1 + arrays) * self._nodes)
        origin = owner * self._horizon
        self._still = Cycles.union(origin + charged["start"].to_numpy(), origin + charged["end"].to_numpy())

    def _owner(self, array: str, node: str) -> pl.Expr:
        return pl.col(array) * self._nodes + pl.col(node) if self._alone else pl.col(array)

    def with_reader_still(self, pieces: pl.DataFrame) -> pl.DataFrame:
        """With ``still``: the number of its cycles in which the reader of the message is stalled."""
        owner = pieces.join(self._readers, on="message", how="left", maintain_order="left")["owner"]
        origin = owner.to_numpy() * self._horizon
        within = self._still.within(origin + pieces["start"].to_numpy(), origin + pieces["end"].to_numpy())
        return pieces.with_columns(pl.Series("still", within))


def _horizon(ends: pl.Series, owners: int) -> int:
    """A number of cycles beyond all ``ends``, if as many owners have that many each in 64 bits."""
    horizon = 1 + int(ends.to_numpy().max(initial=0))
    if (1 + owners) * horizon > np.iinfo(np.int64).max:
        raise InputError(
            f"the cycles up to {horizon - 1:,} of {owners:,} messages or nodes are too many for whole "
            "numbers of 64 bits: give the machine shorter times"
        )
    return horizon


# Every stalled cycle charged to what made it: the channels of a message, or the work of a late processor.
# A stall ends with a message. From there the walk goes back as that along the critical path does, through
# the message's channels to the send that posted it, through the sender's work and what that waited for,
# and stops where the stall began. So nothing is left over: what a stall is charged to joins, and sums to
# it.


def stall_causes(trace: Trace, startup: int | Fraction, hop: int | Fraction = 0) -> pl.DataFrame:
    """The stalled cycles of every control unit by cause.

    Columns array, node (null where the lanes of an array go together), instruction, phase, step, level of
    what waited; start, end, cycles; label, one of `causality.LABELS`; cause_array, cause_node (that sent the
    message, or was late: null where the lanes of an array are late together), cause_instruction, cause_phase,
    cause_step, cause_level and, where channels were the cause, message and value. Compute, post or receive
    means that a sender was late. In order of array, node and start. ``startup`` and ``hop`` are the
    machine's, as `Causality` takes them.
    """
    record = Causality(trace, startup, hop)
    waited = stalls(trace).select("array", "node", "instruction", "start", "released_by")
    rows = [
        ((array, node, serial), piece)
        for array, node, serial, start, message in waited.iter_rows()
        for piece in reversed(list(backwards(record, (None, message), since=start)))
    ]
    stalled = pl.DataFrame(
        [of for of, _ in rows], schema=dict.fromkeys(("array", "node", "instruction"), pl.Int64), orient="row"
    )
    cause = pl.DataFrame(
        [
            (p.start, p.end, p.label, p.array, p.node, p.instruction, p.step, p.level, p.message)
            for _, p in rows
        ],
        schema=_CAUSE,
        orient="row",
    )
    steps = trace.instructions.select("array", pl.col("serial").alias("instruction"), "step", "level")
    values = trace.messages.select(pl.col("id").alias("message"), "value")
    return (
        stalled.hstack(cause)
        .join(steps, on=["array", "instruction"], how="left", maintain_order="left")
        .join(values, on="message", how="left", maintain_order="left")
        .with_columns(
            phase().alias("phase"),
            phase("cause_step").alias("cause_phase"),
            (pl.col("end") - pl.col("start")).alias("cycles"),
        )
        .select(
            *("array", "node", "instruction", "phase", "step", "level", "start", "end", "cycles", "label"),
            *("cause_array", "cause_node", "cause_instruction", "cause_phase", "cause_step", "cause_level"),
            *("message", "value"),
        )
    )


_CAUSE = {
    "start": pl.Int64,
    "end": pl.Int64,
    "label": pl.String,
    "cause_array": pl.Int64,
    "cause_node": pl.Int64,
    "cause_instruction": pl.Int64,
    "cause_step": pl.String,
    "cause_level": pl.Int64,
    "message": pl.Int64,
}

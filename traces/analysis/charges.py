"""Exact accounts of a run: its stalled cycles by what they are charged to, and its communication.

Two tables that add up, and one way to group them. Every stalled cycle is charged to one message or to one
late sender, back through as many arrays and messages as it takes: nothing is left over. And every cycle of
every message, from its post to its arrival, is exposed or hidden: exposed if a control unit is stalled in it
and the arrival of the message ends that stall.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from senn.traces.analysis.accounts import phase
from senn.traces.analysis.causality import Causality, backwards, channel_times
from senn.traces.analysis.control_units import issued, sent, stalls
from senn.traces.analysis.flight import in_flight
from senn.traces.analysis.overlap import exposures, worked_by_reader
from senn.traces.errors import InputError
from senn.traces.record import Trace

_SUMS = ("cycles", "exposed", "hidden", "overlapped", "beside")
_NO_KEYS = (*_SUMS, "start", "end", "words")


def flights(trace: Trace, machine: Mapping[str, Any]) -> pl.DataFrame:
    """The cycles of every message in flight, exposed and hidden: a row for each message and kind of cycle.

    Columns array, node (the sender), target_array, target_node, instruction (of the send), phase, step,
    level, value, words, message (its id), label ("startup", "words", "hop" or "queue"), and

    * cycles: they sum to arrived - posted of the message;
    * exposed, hidden, overlapped and beside, as `exposures` has them.

    In order of message; a kind of no cycle has no row. ``machine`` is the one that ran, as run.json describes
    it. InputError if the trace is not of full detail, or its times are not those of the machine.
    """
    since = exposures(trace, machine.get("dma", True)).select("message", "since")
    pieces = in_flight(trace, *channel_times(machine))
    pieces = pieces.join(since, on="message", how="left", maintain_order="left")
    calm = pl.min_horizontal("end", pl.max_horizontal("start", "since")).alias("calm")
    pieces = pieces.with_columns(calm)
    overlapped = worked_by_reader(trace, pieces["message"], pieces["start"], pieces["calm"])
    return (
        pieces.with_columns(overlapped.alias("overlapped"), exposed=pl.col("end") - pl.col("calm"))
        .group_by("message", "label", maintain_order=True)
        .agg(pl.col("cycles", "exposed", "overlapped").sum())
        .with_columns((pl.col("cycles") - pl.col("exposed")).alias("hidden"))
        .with_columns((pl.col("hidden") - pl.col("overlapped")).alias("beside"))
        .join(sent(trace), on="message", how="left", maintain_order="left")
        .with_columns(phase().alias("phase"))
        .select(
            *("array", "node", "target_array", "target_node", "instruction", "phase", "step", "level"),
            *("value", "words", "message", "label", *_SUMS),
        )
    )


def account(table: pl.DataFrame, *by: str) -> pl.DataFrame:
    """`charges` or `flights` added up by any of their columns: ``account(run.flights, "step", "level")``.

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


def by_label(table: pl.DataFrame) -> dict[str, int]:
    """The cycles of `charges` or `flights` by label, the most first."""
    return dict(account(table, "label").select("label", "cycles").iter_rows())


def overlap_by_step(trace: Trace, dma: bool = True, depth: int | None = None) -> pl.DataFrame:
    """The cycles in flight of the messages of each step that sends: which step exposes most, which hides.

    Columns array, step, cycles, exposed, hidden, overlapped, beside, as `exposures` has them, in order of
    array and first issue. With ``depth`` steps are taken together by the first ``depth`` parts of their
    labels: 3 gives the lines of the paper, "II.b.1" for "II.b.1.vii.i".
    """
    step = line(depth) if depth else pl.col("step")
    return (
        sent(trace)
        .select("message", "array", step.alias("step"))
        .join(exposures(trace, dma), on="message", maintain_order="left")
        .group_by("array", "step", maintain_order=True)
        .agg(pl.col(_SUMS).sum())
        .sort("array", maintain_order=True)
    )


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
    rows = [
        (array, node, serial, *(getattr(piece, name) for name in _PIECE))
        for array, node, serial, start, message in stalls(trace)
        .select(*_STALL, "start", "released_by")
        .rows()
        for piece in reversed(list(backwards(record, (None, message), since=start)))
    ]
    texts = ("label", "cause_step")
    names = (*_STALL, *_PIECE.values())
    schema = {name: pl.String if name in texts else pl.Int64 for name in names}
    steps = issued(trace).select("array", "instruction", "step", "level")
    return (
        pl.DataFrame(rows, schema=schema, orient="row")
        .join(steps, on=["array", "instruction"], how="left", maintain_order="left")
        .join(sent(trace).select("message", "value"), on="message", how="left", maintain_order="left")
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


_STALL = ("array", "node", "instruction")
_PIECE = {name: name for name in ("start", "end", "label", "message")}
_PIECE |= {name: f"cause_{name}" for name in ("array", "node", "instruction", "step", "level")}
"""Fields of a `Piece`, and the columns that they become."""

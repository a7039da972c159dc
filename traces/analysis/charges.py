"""Exact accounts of a run: its stalled cycles by what they are charged to, and its communication.

Two tables that add up, and one way to group them. Every stalled cycle is charged to one message or to one
late sender, back through as many arrays and messages as it takes: nothing is left over. And every cycle of
every message, from its post to its arrival, is exposed or hidden: exposed if a control unit is stalled in it
and the arrival of the message ends that stall.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import polars as pl

from senn.traces.analysis.accounts import phase
from senn.traces.analysis.causality import Causality, backwards
from senn.traces.analysis.control_units import stalls
from senn.traces.analysis.overlap import exposures, worked_by_reader
from senn.traces.errors import InputError
from senn.traces.record import Trace

if TYPE_CHECKING:
    from senn.traces.run import Run

_SUMS = ("cycles", "exposed", "hidden", "overlapped", "beside")
_NO_KEYS = (*_SUMS, "start", "end", "words")


def charges(run: Run) -> pl.DataFrame:
    """Every stalled cycle of every control unit by cause: `stall_causes` with the times of the run's machine.

    The cycles sum to all that stalled: the dependency waits and exposed stalls of all arrays, or of all
    nodes where each issues by itself. InputError if the trace is not of full detail.
    """
    return stall_causes(run.trace, run.description["machine"])


def flights(run: Run) -> pl.DataFrame:
    """The cycles of every message in flight, exposed and hidden: a row for each message and kind of cycle.

    Columns array, node (the sender), target_array, target_node, instruction (of the send), phase, step,
    level, value, words, message (its id), label ("startup", "words", "hop" or "queue"), and

    * cycles: they sum to arrived - posted of the message;
    * exposed, hidden, overlapped and beside, as `exposures` has them.

    In order of message; a kind of no cycle has no row. InputError if the trace is not of full detail, or its
    times are not those of the machine.
    """
    trace = run.trace
    since = exposures(trace, run.description["machine"].get("dma", True)).select("message", "since")
    pieces = run.in_flight.join(since, on="message", how="left", maintain_order="left")
    calm = pl.min_horizontal("end", pl.max_horizontal("start", "since")).alias("calm")
    pieces = pieces.with_columns(calm)
    overlapped = worked_by_reader(trace, pieces["message"], pieces["start"], pieces["calm"])
    return (
        pieces.with_columns(overlapped.alias("overlapped"), exposed=pl.col("end") - pl.col("calm"))
        .group_by("message", "label", maintain_order=True)
        .agg(pl.col("cycles", "exposed", "overlapped").sum())
        .with_columns((pl.col("cycles") - pl.col("exposed")).alias("hidden"))
        .with_columns((pl.col("hidden") - pl.col("overlapped")).alias("beside"))
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


def overlap_by_step(run: Run | Trace, depth: int | None = None) -> pl.DataFrame:
    """The cycles in flight of the messages of each step that sends: which step exposes most, which hides.

    Columns array, step, cycles, exposed, hidden, overlapped, beside, as `exposures` has them, in order of
    array and first issue. With ``depth`` steps are taken together by the first ``depth`` parts of their
    labels: 3 gives the lines of the paper, "II.b.1" for "II.b.1.vii.i". A bare trace is taken for that of a
    machine with DMA.
    """
    trace, machine = (run, {}) if isinstance(run, Trace) else (run.trace, run.description.get("machine", {}))
    sent = trace.messages.select(pl.col("id").alias("message"), pl.col("source_array").alias("array"), "step")
    step = line(depth) if depth else pl.col("step")
    flown = exposures(trace, machine.get("dma", True))
    return (
        sent.with_columns(step.alias("step"))
        .join(flown, on="message", maintain_order="left")
        .group_by("array", "step", maintain_order=True)
        .agg(pl.col(_SUMS).sum())
        .sort("array", maintain_order=True)
    )


def line(depth: int = 3) -> pl.Expr:
    """The first parts of a step's label: of three parts, the line of the paper."""
    return pl.col("step").str.split(".").list.head(depth).list.join(".")


def _messages(run: Run) -> pl.DataFrame:
    """Sender and target of each message; the level is that of the send."""
    levels = run.trace.instructions.select("array", pl.col("serial").alias("instruction"), "level")
    return (
        run.trace.messages.drop("level")
        .rename({"source_array": "array", "source_node": "node", "id": "message"})
        .join(levels, on=["array", "instruction"], how="left")
        .with_columns(phase().alias("phase"))
    )


# Every stalled cycle charged to what made it: the channels of a message, or the work of a late processor.
# A stall ends with a message. From there the walk goes back as that along the critical path does, through
# the message's channels, and the messages that occupied them, to a send, through the sender's work and what
# that waited for, and stops where the stall began. So nothing is left over: what a stall is charged to joins,
# and sums to it.


def stall_causes(trace: Trace, machine: Mapping[str, Any]) -> pl.DataFrame:
    """The stalled cycles of every control unit by cause.

    Columns array, node (null where the lanes of an array go together), instruction, phase, step, level of
    what waited; start, end, cycles; label, one of `causality.LABELS`; cause_array, cause_node (that sent the
    message, or was late: null where the lanes of an array are late together), cause_instruction, cause_phase,
    cause_step, cause_level and, where channels were the cause, message and value. Compute, post or receive
    means that a sender was late. Where a message waited for a busy channel, the one that occupied it is
    charged. In order of array, node and start. ``machine`` is the one that ran, as run.json describes it.
    """
    record = Causality(trace, machine)
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

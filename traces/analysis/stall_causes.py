"""Every stalled cycle charged to what made it: the channels of a message, or the work of a late processor.

A stall ends with a message. From there the walk goes back as that along the critical path does, through the
message's channels to the send that posted it, through the sender's work and what that waited for, and stops
where the stall began. So nothing is left over: what a stall is charged to joins, and sums to it.
"""

from fractions import Fraction

import polars as pl

from senn.traces.analysis.accounts import phase
from senn.traces.analysis.causality import backwards, causality
from senn.traces.record.trace import Trace


def stall_causes(trace: Trace, startup: int | Fraction, hop: int | Fraction = 0) -> pl.DataFrame:
    """The stalled cycles of every control unit by cause.

    Columns array, node (null where the lanes of an array go together), instruction, phase, step, level of
    what waited; start, end, cycles; label, one of `causality.LABELS`; cause_array, cause_node (who sent the
    message, or was late: null where the lanes of an array are late together), cause_instruction, cause_phase,
    cause_step, cause_level and, where channels were the cause, message and value. Compute, post or receive
    means that a sender was late. In order of array, node and start. ``startup`` and ``hop`` are the
    machine's, as `causality` takes them.
    """
    record = causality(trace, startup, hop)
    rows = [
        ((array, node, serial), piece)
        for array, node, serial, start, message in record.stalls().iter_rows()
        for piece in reversed(list(backwards(record, (None, message), since=start)))
    ]
    waited = pl.DataFrame(
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
        waited.hstack(cause)
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

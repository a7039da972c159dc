"""Looking at a recorded run again, cycle by cycle; nothing is simulated.

A cycle t shows the state in [t, t+1): an instruction is under way from its issue up to, not including, its
end, a message in flight from its post to its arrival.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from senn.base.errors import InputError
from senn.traces.analysis import NAMES
from senn.traces.naming import counted, step_text, value_text
from senn.traces.record import NULL, Trace, Values

_SHOWN = 20


@dataclass(frozen=True, eq=False, repr=False)
class State:
    """The machine at a cycle, as tables whose other columns are those of the trace.

    ``arrays``: a row for each, with its instruction, executed or, in a stall, next to be issued; null after
    the end. ``doing``: the array "computes", "posts", "stalls" or "has ended"; where every node issues by
    itself, it "issues node by node", and the instruction is the first not over.
    ``messages``: those in flight by id. ``where`` names the cycle: "queue", "start-up", "header" or "words"
    (`senn.traces.analysis.in_flight`); ``wire`` is the wire of hop number ``hop``, from 0, of ``hops``.
    ``values``: array, value, level, process, and the cycle in which the value was ``born``; None where the
    run kept no values.
    """

    cycle: int
    arrays: pl.DataFrame
    messages: pl.DataFrame
    values: pl.DataFrame | None

    def __repr__(self) -> str:
        flying = self.messages.height
        lines = [f"cycle {self.cycle}"]
        for row in self.arrays.iter_rows(named=True):
            text = f"array {row['array']} {row['doing']}"
            if row["doing"] == "stalls":
                text += f" until {row['issue']}, waiting for message {row['released_by']}"
            if row["step"] is not None:
                lanes = f"{row['operation']} on {counted(row['active'], 'node')}"
                text += f": {step_text(row['step'], row['level'])} {lanes} [{row['issue']}, {row['end']})"
            lines.append(text)
        lines.append(f"{counted(flying, 'message')} in flight")
        for row in self.messages.head(_SHOWN).iter_rows(named=True):
            name = value_text(row["value"], row["level"], row["process"])
            source, target = ((row[f"{side}_array"], row[f"{side}_node"]) for side in ("source", "target"))
            hop = f"{row['wire']}, hop {row['hop'] + 1} of {row['hops']}, arrives {row['arrived']}"
            lines.append(f"  message {row['message']} {name} {source} -> {target}: {row['where']}, {hop}")
        if flying > _SHOWN:
            lines.append(f"  ... and {flying - _SHOWN} more")
        lines.append("values were not kept" if self.values is None else f"{self.values.height} values exist")
        return "\n".join(lines)


def at(trace: Trace, flights: pl.DataFrame, values: Values | None, cycle: int) -> State:
    """The state of the machine at ``cycle``; from the makespan on all has ended, but messages may drain.

    ``flights`` are the messages `analysis.in_flight`, ``values`` those that the run kept. InputError for a
    cycle after the last, in which the last instruction or message ends.
    """
    ends = [trace.instructions["end"].max(), trace.messages["arrived"].max()]
    last = max(end for end in (0, *ends) if isinstance(end, int))
    if not 0 <= cycle <= last:
        raise InputError(f"replay: this run has cycles 0 to {last:,}; there is no cycle {cycle:,}")
    # The first instruction that is not over is under way or waited for.
    pending = trace.instructions.filter(pl.col("end") > cycle)
    pending = pending.unique("array", keep="first", maintain_order=True)
    doing = (
        pl.when(pl.col("step").is_null())
        .then(pl.lit("has ended"))
        .when(pl.col("stall").is_null())
        .then(pl.lit("issues node by node"))
        .when(pl.col("issue") > cycle)
        .then(pl.lit("stalls"))
        .otherwise(pl.col("operation").replace_strict({"compute": "computes"}, default="posts"))
    )
    arrays = trace.instructions.select(pl.col("array").unique()).join(pending, on="array", how="left")
    now = flights.filter(pl.col("start") <= cycle, pl.col("end") > cycle)
    now = now.select("message", "hop", where=pl.col("label").replace_strict(NAMES))
    hops = trace.hops.join(now, on="message", how="semi")
    hops = hops.select("message", "hop", "wire", hops=pl.len().over("message"))
    messages = now.join(hops, on=["message", "hop"]).join(trace.messages, left_on="message", right_on="id")
    born = None
    if values is not None:
        names = ("array", "value", "level", "process", "born")
        table = pl.DataFrame({name: getattr(values, name) for name in names})
        born = table.filter(pl.col("born") <= cycle).with_columns(pl.col("level").replace(NULL, None))
    return State(cycle, arrays.sort("array").with_columns(doing=doing), messages.sort("message"), born)

"""Two traces side by side, aligned by what they did (step, level, process), not by where or when."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from senn.traces.record.trace import Trace

# What a row is called in both traces, what must agree, and the cycle that says how early it is.
_INSTRUCTION = ("array", "step", "level")
_INSTRUCTION_FACTS = ("operation", "active", "issue", "end", "stall", "dependency_wait", "exposed")
_ACTIVITY = ("array", "step", "level", "process", "folded", "class")
_ACTIVITY_FACTS = ("start", "end", "flops")
_MESSAGE = ("source_array", "step", "loop", "value", "level", "process", "target_array", "target_process")
_MESSAGE_FACTS = ("words", "posted", "granted", "arrived", "read_at")


@dataclass(frozen=True, eq=False)
class Comparison:
    """How trace b differs from trace a.

    ``instructions`` has a row per (array, step, level) of either: issue_a, end_a, stall_a, the same of b
    (null where a trace has not got it), and later = end_b - end_a. ``first`` says where they part, in
    words; None if they agree. ``differing`` counts the differing rows by table.
    """

    first: str | None
    differing: dict[str, int]
    instructions: pl.DataFrame


def compare(a: Trace, b: Trace, places: bool = False) -> Comparison:
    """Align two traces and find the first place, in cycles, where they part.

    Compared are instructions, and activities and messages where both traces have them; nodes only with
    ``places`` (two allocations differ in every node, and may yet take the same time).
    """
    a.require("instructions")
    b.require("instructions")
    parts = [
        _differences("instruction", a.instructions, b.instructions, _INSTRUCTION, _INSTRUCTION_FACTS, "issue")
    ]
    if a.detail == b.detail == "full":
        node = ("node",) if places else ()
        nodes = ("source_node", "target_node") if places else ()
        parts.append(
            _differences(
                "activity",
                _steps(a.activities, a),
                _steps(b.activities, b),
                _ACTIVITY,
                _ACTIVITY_FACTS + node,
                "start",
            )
        )
        parts.append(
            _differences("message", _loops(a), _loops(b), _MESSAGE, _MESSAGE_FACTS + nodes, "posted")
        )
    times = ("issue", "end", "stall")
    left = a.instructions.select(*_INSTRUCTION, *(pl.col(name).alias(f"{name}_a") for name in times))
    right = b.instructions.select(*_INSTRUCTION, *(pl.col(name).alias(f"{name}_b") for name in times))
    aligned = left.join(right, on=_INSTRUCTION, how="full", coalesce=True, nulls_equal=True)
    firsts = [first for _, _, first in parts if first is not None]
    return Comparison(
        first=min(firsts, key=lambda found: found[0])[1] if firsts else None,
        differing={
            f"{name[:-1]}ies" if name.endswith("y") else f"{name}s": count for name, count, _ in parts
        },
        instructions=aligned.with_columns((pl.col("end_b") - pl.col("end_a")).alias("later")).sort(
            pl.min_horizontal("issue_a", "issue_b"), "array", maintain_order=True
        ),
    )


def _steps(activities: pl.DataFrame, trace: Trace) -> pl.DataFrame:
    named = trace.instructions.select("array", pl.col("serial").alias("instruction"), "step", "level")
    # A node that acts for several processes is called by its number: none of them is named.
    folded = pl.when(pl.col("process").is_null()).then("node").alias("folded")
    return activities.join(named, on=["array", "instruction"], how="left").with_columns(folded)


def _loops(trace: Trace) -> pl.DataFrame:
    sends = trace.instructions.select(
        pl.col("array").alias("source_array"),
        pl.col("serial").alias("instruction"),
        pl.col("level").alias("loop"),
    )
    return trace.messages.join(sends, on=["source_array", "instruction"], how="left")


def _differences(
    name: str, a: pl.DataFrame, b: pl.DataFrame, key: Sequence[str], facts: Sequence[str], when: str
) -> tuple[str, int, tuple[int, str] | None]:
    """How many rows differ, and the earliest: (its cycle, in words)."""
    a = a.select(*key, *facts).with_columns(pl.lit(True).alias("there"))
    b = b.select(*key, *facts).with_columns(pl.lit(True).alias("there"))
    both = a.join(b, on=key, how="full", coalesce=True, nulls_equal=True, suffix="_b")
    differ = pl.any_horizontal(
        pl.col(f"{fact}").ne_missing(pl.col(f"{fact}_b")) for fact in (*facts, "there")
    )
    cycle = pl.min_horizontal(when, f"{when}_b")
    rows = both.filter(differ).with_columns(cycle.alias("cycle")).sort("cycle", *key, nulls_last=True)
    if not rows.height:
        return name, 0, None
    row = rows.row(0, named=True)
    called = f"{name} " + ", ".join(f"{column} {row[column]}" for column in key if row[column] is not None)
    if row["there"] is None or row["there_b"] is None:
        which = "b" if row["there"] is None else "a"
        return name, rows.height, (row["cycle"], f"cycle {row['cycle']}: {called}: only in {which}")
    changed = [f"{fact} {row[fact]} -> {row[f'{fact}_b']}" for fact in facts if row[fact] != row[f"{fact}_b"]]
    return name, rows.height, (row["cycle"], f"cycle {row['cycle']}: {called}: {', '.join(changed)}")

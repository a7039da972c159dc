"""Comparisons: two traces aligned by step, level and process, and a law over a sweep."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple

import polars as pl

from senn.base.errors import InputError
from senn.traces.analysis.control_units import issued, sent
from senn.traces.naming import listed, step_text, total, value_text, whole_or
from senn.traces.record import Trace, joined

# What a row is called in both traces, what must agree, and the cycle that says how early it is.
_INSTRUCTION = ("array", "step", "level")
_INSTRUCTION_FACTS = ("operation", "active", "issue", "end", "stall", "dependency_wait", "exposed")
_ACTIVITY = ("array", "step", "level", "process", "folded", "class")
_ACTIVITY_FACTS = ("start", "end", "flops")
_MESSAGE = ("source_array", "step", "loop", "value", "level", "process", "target_array", "target_process")
_MESSAGE_FACTS = ("words", "posted", "granted", "arrived", "read_at")
_TIMES = ("issue", "end", "start", "posted", "granted", "arrived", "read_at")
_WORDS = {"dependency_wait": "dependency wait", "read_at": "read", "source_node": "from node"}
_WORDS |= {"target_node": "to node"}


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
    issues = a.instructions, b.instructions
    parts = [_differences("instructions", *issues, _INSTRUCTION, _INSTRUCTION_FACTS, "issue")]
    if a.detail == b.detail == "full":
        facts = _ACTIVITY_FACTS + (("node",) if places else ())
        parts.append(_differences("activities", _steps(a), _steps(b), _ACTIVITY, facts, "start"))
        facts = _MESSAGE_FACTS + (("source_node", "target_node") if places else ())
        parts.append(_differences("messages", _loops(a), _loops(b), _MESSAGE, facts, "posted"))
    times = ("issue", "end", "stall")
    aligned = _aligned([trace.instructions.select(*_INSTRUCTION, *times) for trace in (a, b)], _INSTRUCTION)
    firsts = [first for _, _, first in parts if first is not None]
    return Comparison(
        # In one cycle a message comes before what waited for it.
        first=min(reversed(firsts), key=lambda row: row[0])[1] if firsts else None,
        differing={name: count for name, count, _ in parts},
        instructions=aligned.with_columns((pl.col("end_b") - pl.col("end_a")).alias("later")).sort(
            pl.min_horizontal("issue_a", "issue_b"), "array", maintain_order=True
        ),
    )


def _aligned(sides: Sequence[pl.DataFrame], key: Sequence[str]) -> pl.DataFrame:
    """The rows of a and b beside each other, their other columns with the ending _a or _b."""
    left, right = (
        side.rename({name: f"{name}_{which}" for name in side.columns if name not in key})
        for side, which in zip(sides, "ab", strict=True)
    )
    return left.pipe(joined, right, on=key, how="full", nulls=True)


def _steps(trace: Trace) -> pl.DataFrame:
    named = issued(trace).select("array", "instruction", "step", "level")
    # A node that acts for several processes is called by its number: none of them is named.
    folded = pl.when(pl.col("process").is_null()).then("node").alias("folded")
    return trace.activities.join(named, on=["array", "instruction"], how="left").with_columns(folded)


def _loops(trace: Trace) -> pl.DataFrame:
    loops = sent(trace).select(pl.col("message").alias("id"), pl.col("level").alias("loop"))
    return trace.messages.join(loops, on="id")


def _differences(
    name: str, a: pl.DataFrame, b: pl.DataFrame, key: Sequence[str], facts: Sequence[str], when: str
) -> tuple[str, int, tuple[int, str] | None]:
    """How many rows differ, and the earliest: (the first cycle that differs in it, in words). What is not a
    time, or in one trace only, differs from the row's beginning, ``when``, on."""
    a = a.select(*key, *facts).with_columns(pl.lit(True).alias("there"))
    b = b.select(*key, *facts).with_columns(pl.lit(True).alias("there"))
    both = a.pipe(joined, b, on=key, how="full", nulls=True, suffix="_b")
    differs = {fact: pl.col(fact).ne_missing(pl.col(f"{fact}_b")) for fact in (*facts, "there")}
    since = [
        pl.when(differ).then(pl.min_horizontal(time, f"{time}_b"))
        for fact, differ in differs.items()
        for time in (fact if fact in _TIMES else when,)
    ]
    rows = both.filter(pl.any_horizontal(*differs.values())).with_columns(cycle=pl.min_horizontal(*since))
    if not rows.height:
        return name, 0, None
    row = rows.sort("cycle", *key, nulls_last=True).row(0, named=True)
    step = step_text(row["step"], row["loop" if name == "messages" else "level"])
    if name == "messages":
        value = value_text(row["value"], row["level"], row["process"])
        source, target = row["source_array"], row["target_array"]
        to = f"process {row['target_process']}{'' if source == target else f' of array {target}'}"
        subject = f"message {value} of {step} in array {source} to {to}"
    else:
        subject = f"{step} of array {row['array']}"
    if name == "activities":
        process = "a node" if row["process"] is None else f"process {row['process']}"
        subject = f"{row['class']} of {process} in {subject}"
    only = [side for side, there in (("a", "there_b"), ("b", "there")) if row[there] is None]
    changed = [
        f"{_WORDS.get(fact, fact)} {row[fact]} -> {row[f'{fact}_b']}"
        for fact in facts
        if row[fact] != row[f"{fact}_b"]
    ]
    what = f"only in {only[0]}" if only else ", ".join(changed)
    return name, rows.height, (row["cycle"], f"cycle {row['cycle']}: {subject}: {what}")


# What got slower from one trace to another, and by how many cycles: by step, by level, by process.

By = Literal["step", "level", "process"]


def slower(
    a: Trace, b: Trace, by: By = "step", clocks: tuple[Fraction, Fraction] | None = None
) -> pl.DataFrame:
    """A row for each of both traces, largest differences first.

    By "step" and "level", of each array: instructions, cycles of work (from issue to end) and stall in a and
    in b, and more = what work and stall are longer in b. All rows of an array together are longer by as much
    as its end is later; where every node issues by itself there is no stall, and work overlaps. By "process",
    of each array: busy, the cycles in which the engine of its node works for it, and the end of the last of
    them, in a and in b, and more = what that is later. A node that acts for several processes names none.
    With the `clocks` of a and b in MHz, times are in microseconds.
    """
    for trace in (a, b):
        trace.require("activities" if by == "process" else "instructions")
    if by == "process":
        sides = [
            trace.activities.filter(pl.col("process").is_not_null())
            .group_by("array", "process")
            .agg((pl.col("end") - pl.col("start")).sum().alias("busy"), pl.col("end").max())
            .sort("array", "process")
            for trace in (a, b)
        ]
        more = pl.col("end_b").fill_null(0) - pl.col("end_a").fill_null(0)
    else:
        work = (pl.col("end") - pl.col("issue")).sum().alias("work")
        count = pl.len().cast(pl.Int64).alias("instructions")
        grouped = [trace.instructions.group_by("array", by, maintain_order=True) for trace in (a, b)]
        sides = [groups.agg(count, work, pl.col("stall").sum()) for groups in grouped]
        took_a, took_b = (pl.sum_horizontal(f"work_{side}", f"stall_{side}") for side in "ab")
        more = took_b - took_a
    if clocks:
        times = pl.col("work", "stall") if by != "process" else pl.col("busy", "end")
        sides = [side.with_columns(times / float(clock)) for side, clock in zip(sides, clocks, strict=True)]
    key = ["array", by]
    both = _aligned(sides, key)
    figures = [name for name in sides[0].columns if name not in key]
    beside = [f"{name}_{which}" for name in figures for which in "ab"]
    rows = both.with_columns(more.alias("more")).select(*key, *beside, "more")
    return rows.sort(pl.col("more").abs(), descending=True, maintain_order=True)


# The law of a sweep, in M = log2 n rounded up: the best line; and the line or parabola that is exact.


class Law(NamedTuple):
    """T = square M^2 + a M + b over levels M; ``residual`` is the largest distance of a point (0: exact).

    An exact law says for which ``sizes`` n it holds, from ``start`` on.
    """

    a: Fraction
    b: Fraction
    residual: Fraction = Fraction(0)
    square: Fraction = Fraction(0)
    start: int = 0
    sizes: str = ""

    def __str__(self) -> str:
        return self.text(lambda number: f"{float(number):,.0f}" if number >= 1000 else f"{float(number):.4g}")

    def text(self, digits: Callable[[Fraction], str]) -> str:
        """The sum as text; `digits` formats a magnitude that is not whole."""
        squares = [(self.square, "M^2")] if self.square else []
        return total([*squares, (self.a, "M"), (self.b, "")], whole_or(digits))

    def at(self, level: int) -> Fraction:
        """The value at a level."""
        return self.square * level**2 + self.a * level + self.b

    @property
    def where(self) -> str:
        """The sizes for which an exact law holds, in words."""
        return f"{self.sizes}, from {self.start} on"


def fit(levels: Sequence[int], values: Sequence[int]) -> Law:
    """The least-squares line through (level, value), in exact arithmetic: residual 0 means it holds exactly.

    Needs two different levels; whole numbers.
    """
    if len(levels) != len(values):
        raise InputError(f"fit: {len(levels)} levels but {len(values)} values; give one value per level")
    if len(set(levels)) < 2:
        raise InputError("fit: a line needs two different levels; sweep over n with different ceil(log2 n)")
    count, total_x, total_y = len(levels), sum(levels), sum(values)
    spread = count * sum(x * x for x in levels) - total_x**2
    a = Fraction(count * sum(x * y for x, y in zip(levels, values, strict=True)) - total_x * total_y, spread)
    b = (total_y - a * total_x) / count
    return Law(a, b, max(abs(y - a * x - b) for x, y in zip(levels, values, strict=True)))


SIZES = ("2^k", "3 2^(k-1)", "2^k + 1", "others")
"""Kinds of sizes n: the fullest of their level, the one between them, and the emptiest."""


def exact_law(n: Sequence[int], levels: Sequence[int], values: Sequence[int]) -> Law | None:
    """The line, or else the parabola, through all values from some n on, or at least through those at n =
    2^k.

    It goes through the first values of two levels (three), and has to meet those of another level as well;
    None where neither does. ``sizes`` says which kinds of n lie on it.
    """
    points = sorted(zip(n, levels, values, strict=True))
    powers = [point for point in points if _kind(point[0]) == SIZES[0]]
    lines, parabolas = (
        [law for some in (points, powers) if (law := _first_law(some, degree))] for degree in (1, 2)
    )
    law = min(lines or parabolas, key=lambda law: law.start, default=None)
    if law is None:
        return None
    tried: dict[str, list[bool]] = {}
    for size, level, value in points:
        if size >= law.start:
            tried.setdefault(_kind(size), []).append(law.at(level) == value)
    on, off = ([kind for kind in SIZES if kind in tried and all(tried[kind]) == lie] for lie in (True, False))
    if SIZES[3] in on or (SIZES[2] in on and not off):
        return law._replace(sizes=f"every n tried but {listed(off)}" if off else "every n tried")
    return law._replace(sizes=f"n = {listed(on)}")


def _first_law(points: Sequence[tuple[int, int, int]], degree: int) -> Law | None:
    """The law on which all points (n, level, value) lie from the least n on for which there is one."""
    for first, (start, *_) in enumerate(points):
        by_level = {level: value for _, level, value in reversed(points[first:])}
        if len(by_level) < degree + 2:
            return None
        law = through(sorted(by_level.items())[: degree + 1])
        if all(law.at(level) == value for _, level, value in points[first:]):
            return law._replace(start=start)
    return None


def through(points: Sequence[tuple[int, int]]) -> Law:
    """The line through two points (level, value), or the parabola through three."""
    (x, y), (x_1, y_1), *more = points
    slope, square = Fraction(y_1 - y, x_1 - x), Fraction(0)
    for x_2, y_2 in more:
        square = (Fraction(y_2 - y, x_2 - x) - slope) / (x_2 - x_1)
    return Law(slope - square * (x + x_1), y - slope * x + square * x * x_1, square=square)


def _kind(n: int) -> str:
    """Which of SIZES."""
    if n.bit_count() == 1 or (n - 1).bit_count() == 1:
        return SIZES[0 if n.bit_count() == 1 else 2]
    return SIZES[1 if n % 3 == 0 and (n // 3).bit_count() == 1 else 3]

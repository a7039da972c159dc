"""The energy of a run: work that its tables count, times the figures of a machine, in whole femtojoules.

So sums are exact however they are grouped, and a recorded run can be charged with the figures of any machine.
Voltage and frequency change no figure.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import polars as pl

from senn.base.errors import InputError
from senn.traces.analysis.accounts import makespan, part, phase
from senn.traces.analysis.control_units import issued, nodes
from senn.traces.analysis.joins import joined
from senn.traces.naming import NO_ENERGY, OPERATIONS, USUAL, joules
from senn.traces.record import Trace

CAUSES = ("computing", "moving", "waiting")
_WHERE = ("array", "node", "instruction")
_KEY = (*_WHERE, "cause", "kind")
_MOST = 2**62  # femtojoules, which are summed in 64 bits


def energy(trace: Trace, machine: Mapping[str, Any], size: int = 0) -> pl.DataFrame:
    """The energy of a run: a row for each node, instruction and kind of work that costs something.

    Columns array, node, instruction, phase, part, step, level, cause, kind, count, femtojoules: count times
    the figure of the kind. Causes are

    * computing: operations by kind, and `busy` cycles of compute engines that execute some;
    * moving: of every message, at the node that posts it, its words by kind of wire, on each channel; a
      `startup`, and its words twice as `memory`, read and written, for each channel or, with cut-through,
      once if it crosses one; and `busy` cycles of posts and receives;
    * waiting: `idle`, all other cycles of a node up to the makespan, at the instruction that ends them; after
      the last instruction of the node it is null.

    ``machine`` is that of run.json, with ``energy``; ``size`` the nodes of an array, if the tables may not
    name all. InputError without energies, for less detail than full, and beyond 64 bits.
    """
    if "energy" not in machine:
        raise InputError(NO_ENERGY.format(machine.get("name", "this run")))
    trace.require_work()
    counted = pl.concat([_computed(trace), *_moved(trace, machine), *_cycles(trace, machine, size)])
    sums = dict(counted.group_by("kind").agg(pl.col("count").sum()).iter_rows())
    figures = {kind: _figure(machine["energy"], kind) for kind in sums}
    if (whole := sum(count * figures[kind] for kind, count in sums.items())) > _MOST:
        raise InputError(f"{joules(whole)} are more femtojoules than 64 bits hold: give smaller energies")
    each = pl.col("kind").replace_strict(figures, return_dtype=pl.Int64)
    steps = issued(trace).select("array", "instruction", "step", "level")
    return (
        counted.group_by(_KEY)
        .agg(pl.col("count").sum(), femtojoules=(pl.col("count") * each).sum())
        .filter(pl.col("femtojoules") > 0)
        .sort(_KEY, nulls_last=True)
        .pipe(joined, steps, on=["array", "instruction"], how="left")
        .with_columns(phase().alias("phase"), part().alias("part"))
        .select(*_WHERE, "phase", "part", "step", "level", "cause", "kind", "count", "femtojoules")
    )


def _figure(energies: Mapping[str, Any], kind: str) -> int:
    """Femtojoules of a kind of work; that of a wire is `word` unless it has its own."""
    name = kind if kind in energies else USUAL.get(kind, "word")
    return int(1000 * Fraction(str(energies[name])))


def _computed(trace: Trace) -> pl.DataFrame:
    """Operations by kind."""
    work = trace.activities.filter(pl.col("class") == "compute")
    texts = work["work"].unique()
    schema = dict.fromkeys(OPERATIONS, pl.Int64)
    kinds = pl.DataFrame([_operations(text) for text in texts], schema=schema, orient="row")
    each = joined(work, kinds.with_columns(texts), on="work", how="left")
    each = each.unpivot(OPERATIONS, index=_WHERE, variable_name="kind", value_name="count")
    return each.select(*_WHERE, pl.lit("computing").alias("cause"), "kind", "count")


def _operations(work: str) -> list[int]:
    """Operations by kind: "2 34 30 1 0 0 0" are two processes with 34 multiplications each."""
    parts = [tuple(map(int, part.split())) for part in work.split(", ") if part]
    return [sum(times * each[k] for times, *each in parts) for k in range(len(OPERATIONS))]


def _moved(trace: Trace, machine: Mapping[str, Any]) -> list[pl.DataFrame]:
    """Words on channels, start-ups, and words that DMA engines read and write."""
    sends = trace.messages.select(
        "words", "instruction", message="id", array="source_array", node="source_node"
    )
    hops = joined(trace.hops.select("message", "hop", "kind"), sends, on="message", how="left")
    stored = hops if machine["switching"] == "store-and-forward" else hops.filter(pl.col("hop") == 0)
    unit, moving = pl.lit(1, pl.Int64), pl.lit("moving")
    return [
        hops.select(*_WHERE, cause=moving, kind="kind", count="words"),
        stored.select(*_WHERE, cause=moving, kind=pl.lit("startup"), count=unit),
        stored.select(*_WHERE, cause=moving, kind=pl.lit("memory"), count=2 * pl.col("words")),
    ]


def _cycles(trace: Trace, machine: Mapping[str, Any], size: int) -> list[pl.DataFrame]:
    """Busy and idle cycles of every node of every array."""
    place = ["array", "node"]
    work = trace.activities.sort(*place, "start", "end")
    computes = pl.col("class") == "compute"
    cause = pl.when(computes).then(pl.lit("computing")).otherwise(pl.lit("moving"))
    before = pl.col("end").shift(1, fill_value=0).over(place)
    arrays = pl.DataFrame({"array": range(1, machine["arrays"] + 1)})
    every = arrays.join(pl.DataFrame({"node": range(max(size, nodes(trace)))}), how="cross")
    rest = every.join(work.group_by(place).agg(pl.col("end").max()), on=place, how="left")
    rest = rest.with_columns(pl.lit(None, pl.Int64).alias("instruction"))
    left = makespan(trace) - pl.col("end").fill_null(0)
    waiting, idle = pl.lit("waiting"), pl.lit("idle")
    return [
        work.select(*_WHERE, cause=cause, kind=pl.lit("busy"), count=pl.col("end") - pl.col("start")),
        work.select(*_WHERE, cause=waiting, kind=idle, count=pl.col("start") - before),
        rest.select(*_WHERE, cause=waiting, kind=idle, count=left),
    ]

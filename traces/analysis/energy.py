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
from senn.traces.naming import NO_ENERGY, OPERATIONS, USUAL, joules
from senn.traces.record import Trace, joined

CAUSES = ("computing", "moving", "waiting")
_NODE = ("array", "node")
_WHERE = (*_NODE, "instruction")
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
    counted = _counted(trace, machine, size)
    sums = dict(counted.group_by("kind").agg(pl.col("count").sum()).iter_rows())
    energies = machine["energy"]  # that of a wire is `word` unless it has its own
    named = {kind: kind if kind in energies else USUAL.get(kind, "word") for kind in sums}
    figures = {kind: int(1000 * Fraction(str(energies[name]))) for kind, name in named.items()}
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


def _counted(trace: Trace, machine: Mapping[str, Any], size: int) -> pl.DataFrame:
    """The work of every node by instruction, cause and kind: operations, words, start-ups and cycles."""
    work = trace.activities.sort(*_NODE, "start", "end")
    computes = work.filter(pl.col("class") == "compute")
    texts, rows = computes["work"].unique(), []
    for text in texts:  # "2 34 30 1 0 0 0" are two processes with 34 multiplications each
        parts = [tuple(map(int, part.split())) for part in text.split(", ") if part]
        rows.append([sum(times * each[k] for times, *each in parts) for k in range(len(OPERATIONS))])
    kinds = pl.DataFrame(rows, schema=dict.fromkeys(OPERATIONS, pl.Int64), orient="row").with_columns(texts)
    executed = joined(computes, kinds, on="work", how="left")
    executed = executed.unpivot(OPERATIONS, index=_WHERE, variable_name="kind", value_name="count")
    computing, moving, waiting = (pl.lit(cause) for cause in CAUSES)

    sender = {"message": "id", "array": "source_array", "node": "source_node"}
    sends = trace.messages.select("words", "instruction", **sender)
    hops = joined(trace.hops.select("message", "hop", "kind"), sends, on="message", how="left")
    stored = hops if machine["switching"] == "store-and-forward" else hops.filter(pl.col("hop") == 0)

    cause = pl.when(pl.col("class") == "compute").then(computing).otherwise(moving)
    before = pl.col("end").shift(1, fill_value=0).over(_NODE)
    arrays = pl.DataFrame({"array": range(1, machine["arrays"] + 1)})
    rest = arrays.join(pl.DataFrame({"node": range(max(size, nodes(trace)))}), how="cross")
    rest = rest.join(work.group_by(_NODE).agg(pl.col("end").max()), on=_NODE, how="left")
    rest = rest.with_columns(pl.lit(None, pl.Int64).alias("instruction"))
    left = makespan(trace) - pl.col("end").fill_null(0)
    busy, idle = pl.lit("busy"), pl.lit("idle")
    return pl.concat(
        [
            executed.select(*_WHERE, computing.alias("cause"), "kind", "count"),
            hops.select(*_WHERE, cause=moving, kind="kind", count="words"),
            stored.select(*_WHERE, cause=moving, kind=pl.lit("startup"), count=pl.lit(1, pl.Int64)),
            stored.select(*_WHERE, cause=moving, kind=pl.lit("memory"), count=2 * pl.col("words")),
            work.select(*_WHERE, cause=cause, kind=busy, count=pl.col("end") - pl.col("start")),
            work.select(*_WHERE, cause=waiting, kind=idle, count=pl.col("start") - before),
            rest.select(*_WHERE, cause=waiting, kind=idle, count=left),
        ]
    )

"""Where the cycles went: the critical path for its picture, and the accounts as tables."""

from __future__ import annotations

from typing import Any

import polars as pl

from senn.traces import analysis
from senn.traces.analysis.causality import LABELS, WORDS, share
from senn.traces.analysis.charges import account, charges
from senn.traces.run import Run
from senn.traces.tables import Section, Table

_MOST = 12


def path(run: Run) -> pl.DataFrame:
    """The critical path: columns start, end, label, array, serial, message (null where an engine works)."""
    columns = ("start", "end", "label", "array", "serial", "message")
    kinds = (pl.Int64, pl.Int64, pl.String, pl.Int64, pl.Int64, pl.Int64)
    rows = [(one.start, one.end, one.label, one.array, one.instruction, one.message) for one in run.path]
    return pl.DataFrame(rows, schema=dict(zip(columns, kinds, strict=True)), orient="row")


def causes(run: Run) -> list[Section]:
    """What the makespan was spent on, what stalls were charged to, and which step waited for which."""
    spent = run.spent
    whole = sum(spent.values())
    rows = [(WORDS[name], f"{spent[name]:,}", share(spent[name], whole)) for name in LABELS if spent[name]]
    table = _table(("spent on",), ("cycles", "share"), rows, whole)
    return [Section("The makespan, along the critical path", table=table), _stalled(run), _waited(run)]


def _stalled(run: Run) -> Section:
    by_label = account(charges(run), "label")
    whole = int(by_label["cycles"].sum())
    rows = [
        (WORDS[label], f"{cycles:,}", share(cycles, whole))
        for label, cycles in by_label.select("label", "cycles").iter_rows()
    ]
    who = "nodes" if analysis.per_node(run.trace) else "arrays"
    heading = f"What the {who} stood still for, to the cycle"
    return Section(heading, table=_table(("charged to",), ("cycles", "share"), rows, whole))


def _waited(run: Run) -> Section:
    found = analysis.waits(run.trace)
    rows = [
        (
            f"{one['step']} of array {one['array']}",
            f"{one['value']} of {one['cause']}",
            *(f"{one[name]:,}" for name in ("stalls", "dependency_wait", "exposed")),
        )
        for one in found.head(_MOST).iter_rows(named=True)
    ]
    heading = "Longest waits, all levels together"
    if found.height > _MOST:
        heading += f": the first {_MOST} of {found.height}"
    columns = ("step", "waits for"), ("times", "dependency wait", "exposed")
    return Section(heading, table=Table(*columns, rows))


def traffic(run: Run) -> list[Section]:
    """What every step sent, and the channels that were occupied longest."""
    steps = (
        analysis.traffic(run.trace)
        .group_by("source_array", "step", maintain_order=True)
        .agg(pl.col("messages", "words", "hops", "word_hops").sum())
    )
    sums = ("messages", "words", "hops", "word_hops")
    rows = [
        (f"{one['step']} of array {one['source_array']}", *(f"{one[name]:,}" for name in sums))
        for one in steps.sort("words", descending=True, maintain_order=True).head(_MOST).iter_rows(named=True)
    ]
    heads = ("messages", "words", "hops", "words x hops")
    return [
        Section(
            _first("What the steps sent, most words first", steps.height), table=Table(("step",), heads, rows)
        ),
        _channels(run),
    ]


def _channels(run: Run) -> Section:
    found = analysis.channels(run.trace).sort("busy", descending=True, maintain_order=True)
    whole = max(run.summary["makespan"], 1)
    rows = [_channel(one, whole) for one in found.head(_MOST).iter_rows(named=True)]
    heads = ("messages", "words", "occupied", "share", "queueing")
    heading = _first("Channels, the longest occupied first", found.height)
    return Section(heading, table=Table(("channel",), heads, rows))


def _channel(one: dict[str, Any], whole: int) -> tuple[str, ...]:
    ends = (f"{one[f'{side}_array']}:{one[f'{side}_node']}" for side in ("source", "target"))
    figures = (f"{one[name]:,}" for name in ("load", "words", "busy"))
    return (f"{one['kind']} {' to '.join(ends)}", *figures, share(one["busy"], whole), f"{one['queueing']:,}")


def _first(heading: str, count: int) -> str:
    return f"{heading}: the first {_MOST} of {count:,}" if count > _MOST else heading


def _table(
    left: tuple[str, ...], right: tuple[str, ...], rows: list[tuple[str, str, str]], whole: int
) -> Table:
    """With the sum below."""
    return Table(left, right, (*rows, ("together", f"{whole:,}", "100 %" if whole else "-")))

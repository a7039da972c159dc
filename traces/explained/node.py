"""A node in sentences: its processes, where its cycles went, and its messages."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from senn.base.account import Account
from senn.base.errors import InputError
from senn.traces import analysis, facts
from senn.traces.explained.story import (
    FATES,
    KINDS,
    WORK,
    Part,
    cycles,
    fate,
    kinds,
    levels_text,
    of,
    place,
    put_together,
)
from senn.traces.naming import counted, listed
from senn.traces.run import Run

_ACCOUNT = {**{name: KINDS[name] for name in WORK}, "masked": "masked", "stall": "stalled"}


def of_node(run: Run, array: int, node: int) -> Account:
    """A node by its array, from 1, and its address, from 0; InputError if there is none."""
    arrays, nodes = len(run.summary["arrays"]), int(run.description["schedule"]["nodes"])
    if not 1 <= array <= arrays or not 0 <= node < nodes:
        raise InputError(
            f"this run has no node {array}:{node}; its arrays are 1 to {arrays}, and the nodes of each 0 "
            f"to {nodes - 1}"
        )
    tables = run.allocation.tables
    rows = (tables[array - 1] if len(tables) > 1 else tables[0]).tolist()
    at_home, *others = [[i for i, at in enumerate(row, 1) if at == node] for row in rows]
    by_level = {str(level): some for level, some in enumerate(others, 1)}
    text = f"{place(array, node).capitalize()} is home of {_processes(at_home)}."
    if any(some != at_home for some in others):
        named = [f"{_processes(some)} in level {level}" for level, some in by_level.items()]
        text += f" It is the place of {listed(named)}."
    elif not at_home:
        text += " It only forwards messages."
    home = text, {"home_of": at_home, "lives_there": by_level}
    parts = [home, *_cycles(run, array, node), *_sending(run, array, node)]
    if facts.charged(run):
        parts.append((f"It takes {facts.energy_text(run.energy.filter(array=array, node=node))}.", {}))
    return put_together(place(array, node), parts, array=array, node=node)


def _processes(some: list[int]) -> str:
    return f"process{'es' if len(some) > 1 else ''} {listed(map(str, some))}" if some else "no process"


def _cycles(run: Run, array: int, node: int) -> Iterator[Part]:
    """The account of the node, which adds up to the end of its array, and the causes of its stalls."""
    nodes = int(run.description["schedule"]["nodes"])
    row = analysis.node_accounts(run.trace, nodes).filter(array=array, node=node).row(0, named=True)
    end = run.summary["arrays"][str(array)]["end"]
    spent = {name: row[name] for name in _ACCOUNT}
    most_first = sorted((name for name in spent if spent[name]), key=lambda name: -spent[name])
    named = [f"{of(spent[name], end)} {_ACCOUNT[name]}" for name in most_first] or ["nothing"]
    alone = analysis.per_node(run.trace)
    masked = "after its last work, until its array ends" if alone else "its array works and it does not"
    note = f" (masked: {masked})" if spent["masked"] else ""
    text = f"Its {cycles(end)} until array {array} ends are {listed(named)}{note}."
    yield text, {"cycles": spent, "end": end}
    stalls = run.charges.filter(pl.col("array") == array, pl.col("node").fill_null(node) == node)
    stalled, by_label = int(stalls["cycles"].sum()), analysis.by_label(stalls)
    subject = "Its stalls" if alone else "Its stalls, those of its array,"
    text = f"{subject} are charged to {kinds(by_label, stalled)}." if stalled else ""
    yield text, {"charged": by_label}


def _sending(run: Run, array: int, node: int) -> Iterator[Part]:
    """The work of the DMA of the node, and its messages."""
    rows = analysis.overlap(run.trace).filter(array=array, node=node).drop("array", "node").to_dicts()
    row = rows[0] if rows else {}
    text = "Its DMA sends nothing."
    if busy := row.get("dma", 0):
        under = {"compute": "under its own computing", "stall": "while it is stalled"}
        under |= {"drain": "after its array has ended"}
        named = [f"{of(row[name], busy)} {text}" for name, text in under.items() if row[name]]
        other = row["post"] + row["receive"] + row["masked"]
        named += [f"{of(other, busy)} under other work of its array"] if other else []
        text = f"Its DMA is busy for {cycles(busy)}: {listed(named)}."
    yield text, {"dma": row}
    trace = run.trace
    sent = trace.messages.filter(source_array=array, source_node=node)
    received = trace.messages.filter(target_array=array, target_node=node)
    through = trace.hops.filter(pl.col("hop") > 0, source_array=array, source_node=node)
    flown = run.flights.filter(array=array, node=node)
    sums = flown.select(FATES).sum().row(0, named=True)
    figures = {"sent": sent.height, "taken": received.height, "forwarded": through.height, "of_sent": sums}
    text = (
        f"It sends {counted(sent.height, 'message')} ({counted(int(sent['words'].sum()), 'word')}), receives "
        f"{received.height:,} and forwards {through.height:,}."
    )
    if sent.height:
        to = sent.group_by("target_array", "target_node", maintain_order=True).len()
        *target, count = to.sort("len", descending=True, maintain_order=True).row(0)
        where = "itself" if target == [array, node] else place(*target)
        text += f" Most of these, {count:,}, go to {where}."
    if sums["cycles"]:
        text += f" They are in flight for {cycles(sums['cycles'])}. {fate(sums)}"
    if sums["exposed"]:
        worst = analysis.account(flown, "step").row(0, named=True)
        at = levels_text(flown.filter(step=worst["step"])["level"], " ({})")
        text += f" Most of the exposed cycles are of {worst['step']}{at}: {worst['exposed']:,}."
    yield text, figures

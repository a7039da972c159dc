"""A part of a run in sentences: a step, or all steps whose labels begin alike, a message, or a node."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

import polars as pl

from senn.base.account import Account, Section
from senn.base.errors import InputError
from senn.base.tables import table
from senn.traces import analysis, facts
from senn.traces.analysis import share
from senn.traces.explained.story import (
    FATES,
    KINDS,
    WORK,
    Part,
    all_or,
    cycles,
    fate,
    kinds,
    levels_text,
    of,
    place,
    put_together,
)
from senn.traces.naming import counted, listed, step_text, value_text
from senn.traces.record import joined
from senn.traces.run import Run

_SHOWN = 12
_DOES = {
    "compute": "a computation",
    "send": "a send",
    "arrange": "an arrange: values follow their processes",
    "wait": "a wait",
}
_ACCOUNT = {**{name: KINDS[name] for name in WORK}, "masked": "masked", "stall": "stalled"}
_OFF_PATH = "shortening it gains nothing, as long as channels serve their messages in the same order."


def of_step(run: Run, label: str) -> Account:
    """The step "I.b.5", or the part "I.b"; InputError, listing the steps of the run, if it has none."""
    issued = run.trace.instructions
    exact = issued.filter(step=label)
    rows = exact if exact.height else issued.filter(pl.col("step").str.starts_with(f"{label}."))
    if not rows.height:
        steps = list(dict.fromkeys(issued["step"]))
        near = get_close_matches(label, steps, n=6, cutoff=0.5)
        begins = ", ".join(dict.fromkeys(".".join(step.split(".")[:2]) for step in steps))
        offered = f"near it: {', '.join(near)}; " if near else ""
        raise InputError(f'this run has no step "{label}"; {offered}its steps begin with {begins}')
    arrays = listed(f"array {array}" for array in rows["array"].unique().sort())
    count = rows["step"].n_unique()
    does = _DOES[rows["operation"][0]] if count == 1 else f"{count} steps"
    times = {1: "once", 2: "twice"}.get(rows.height, f"{rows.height:,} times")
    text = f"{label} is {does} of {arrays}, issued {times}{levels_text(rows['level'], ' ({})')}. "
    first, last = int(rows["issue"].to_numpy().min()), int(rows["end"].to_numpy().max())
    begins_ends = f"first begins in cycle {first:,}, the last ends in cycle {last:,}"
    spent = cycles(int((rows["end"] - rows["issue"]).sum()))
    if analysis.per_node(run.trace):
        text += f"Every node issues it by itself: the {begins_ends}."
    elif count == 1:
        shown = [
            f"{levels_text([level], '{} in ')}[{issue:,}, {end:,}) on {counted(active, 'node')}"
            for level, issue, end, active in rows.select("level", "issue", "end", "active").iter_rows()
        ]
        more = "; ..." if len(shown) > _SHOWN else ""
        text += f"It takes {spent}: {'; '.join(shown[:_SHOWN])}{more}."
    else:
        text += f"The {begins_ends}; together they take {spent}."
    keys = rows.select("array", pl.col("serial").alias("instruction"))
    issues: Part = text, {"issued": rows.to_dicts()}
    parts = [issues, _stalls(run, keys), _sends(run, keys), _on_path(run, keys)]
    if facts.charged(run):
        energies = run.energy.join(keys, on=["array", "instruction"], how="semi")
        parts.append((f"It takes {facts.energy_text(energies)}.", {}))
    return put_together(label, parts, step=label)


def _stalls(run: Run, keys: pl.DataFrame) -> Part:
    """The stalls before the step, by cause."""
    charged = run.charges.join(keys, on=["array", "instruction"], how="semi")
    stalled = int(charged["cycles"].sum())
    by = ("cause_array", "cause_step", "value")
    causes = analysis.account(charged, *by).select(*by, "cycles")
    figures = {"still": stalled, "waits_for": causes.to_dicts()}
    if not stalled:
        return "It is never stalled: its operands have arrived when its turn comes.", figures
    named, late = [], []
    for array, step, value, count in causes.iter_rows():
        if value is None:
            late.append(f"{all_or(count, stalled)} because array {array} was late in {step}")
        else:
            named.append(f"{all_or(count, stalled)} for {value} of {step} (array {array})")
    named += late
    alone = analysis.per_node(run.trace)
    subject, unit = ("Its nodes are", "node cycles") if alone else ("Its array is", "cycles")
    more = f" and {counted(len(named) - _SHOWN, 'other cause')}" if len(named) > _SHOWN else ""
    return f"{subject} stalled before it for {stalled:,} {unit}: {', '.join(named[:_SHOWN])}{more}.", figures


def _sends(run: Run, keys: pl.DataFrame) -> Part:
    """The messages of the step, and what they cost."""
    posted = run.trace.messages.rename({"source_array": "array"})
    posted = posted.join(keys, on=["array", "instruction"], how="semi")
    if not posted.height:
        return "", {"messages": 0}
    crossing = run.trace.hops.filter(pl.col("message").is_in(posted["id"].to_list())).height
    flown = run.flights.join(keys, on=["array", "instruction"], how="semi")
    sums = flown.select(FATES).sum().row(0, named=True)
    by_label = analysis.by_label(flown)
    sizes = posted["words"].unique().sort().to_list()
    each = f"{sizes[0]} to {sizes[-1]} words" if len(sizes) > 1 else counted(sizes[0], "word")
    slack = (posted["read_at"] - posted["arrived"]).to_numpy()
    least, most = int(slack.min()), int(slack.max())
    read = f"they are read {least:,} to {most:,} cycles after they arrive"
    if least == most:
        read = f"each is read {cycles(most)} after it arrives"
    if not most:
        read = "each is read in the cycle in which it arrives"
    text = (
        f"It posts {counted(posted.height, 'message')} of {listed(sorted(set(posted['value'])))}, {each} "
        f"each, over {counted(crossing, 'channel')} in all, and {read}."
    )
    if sums["cycles"]:
        text += (
            f" They are in flight for {cycles(sums['cycles'])}, summed over messages: "
            f"{kinds(by_label, sums['cycles'])}. {fate(sums)}"
        )
    return text, {"messages": posted.height, "channels": crossing, "spent": by_label, **sums}


def _on_path(run: Run, keys: pl.DataFrame) -> Part:
    """The cycles of the makespan that the step and its messages take."""
    instructions = set(keys.rows())
    pieces = [piece for piece in run.path if (piece.array, piece.instruction) in instructions]
    totals = analysis.path_totals(pieces)
    length = sum(totals.values())
    if not length:
        return f"None of it is on the critical path: {_OFF_PATH}", {"on_critical_path": totals}
    first = min(pieces, key=lambda piece: piece.start)
    text = (
        f"{cycles(length)} of it and its messages {'is' if length == 1 else 'are'} on the critical path "
        f"({share(length, run.summary['makespan'])} of the makespan): {kinds(totals, length)}; "
        f"the first with {step_text(first.step, first.level)} in cycle {first.start:,}."
    )
    return text, {"on_critical_path": totals}


def of_message(run: Run, number: int) -> Account:
    """The message of an id; InputError, with the ids there are, if there is none."""
    messages = run.trace.messages.filter(id=number)
    if not messages.height:
        last = run.trace.messages.height - 1
        ids = f"they are 0 to {last:,}" if last >= 0 else "it has none"
        raise InputError(f"this run has no message {number:,}; {ids}")
    row, crossed = messages.row(0, named=True), run.trace.hops.filter(message=number)
    hops = crossed.to_dicts()
    value = value_text(row["value"], row["level"], row["process"])
    send = run.trace.instructions.filter(array=row["source_array"], serial=row["instruction"])
    by = step_text(*send.select("step", "level").row(0))
    flown = run.flights.filter(message=number)
    by_label = dict(flown.select("label", "cycles").iter_rows())
    length = row["arrived"] - row["posted"]
    carries = (
        f"Message {number:,} carries {value}, {counted(row['words'], 'word')}, from process "
        f"{row['source_process']} at {place(row['source_array'], row['source_node'])} to process "
        f"{row['target_process']} at {place(row['target_array'], row['target_node'])}. {by} of array "
        f"{row['source_array']} posts it in cycle {row['posted']:,}."
    )
    on_path = sum(piece.end - piece.start for piece in run.path if piece.message == number)
    path = f"It is not on the critical path: {_OFF_PATH}" if hops else ""
    if on_path:
        path = f"{of(on_path, length)} of its cycles are on the critical path."
    sums = flown.select(FATES).sum().row(0, named=True)
    figures = {"message": row, "hops": hops, "spent": by_label, **sums, "on_critical_path": on_path}
    ended = analysis.endings(run.trace, run.dma)
    reader = run.trace.instructions.filter(array=row["target_array"], serial=row["read_by"])
    slack = row["read_at"] - row["arrived"]
    reads = (
        f"Its first reader is {step_text(*reader.select('step', 'level').row(0))} of array "
        f"{row['target_array']}, {f'{cycles(slack)} later' if slack else 'in the same cycle'}."
    )
    texts = (carries, _way(hops, row["arrived"], length, by_label), reads)
    waiting = _waiting(ended, number, sums)
    parts: list[Part] = [(text, {}) for text in (*texts, waiting, path)]
    begin, end = (pl.format("{}:{}", f"{side}_array", f"{side}_node") for side in ("source", "target"))
    queued, start, left = pl.col("queued"), pl.col("start"), pl.col("end")
    times = (queued, start, left, (start - queued).alias("waiting"), (left - start).alias("crossing"))
    rows = crossed.select("wire", begin, end, *times).rows()
    heads = ["queued", "start", "end", "waiting", "crossing"]
    channels = Section("Channels", table=table(["wire", "from", "to"], heads, rows))
    return put_together(f"message {number:,}: {value}", parts, channels, **figures)


def _way(hops: list[dict[str, Any]], arrived: int, length: int, by_label: dict[str, int]) -> str:
    if not hops:
        return "It crosses no channel: its target is the node itself, where it arrives at once."
    crossed = [
        f"{hop['wire']}, from node {hop['source_node']} to node {hop['target_node']}"
        f"{' of the next array' if hop['source_array'] != hop['target_array'] else ''}, in cycles "
        f"[{hop['start']:,}, {hop['end']:,})"
        + (f" after waiting {hop['start'] - hop['queued']:,} for it" if hop["start"] > hop["queued"] else "")
        for hop in hops
    ]
    spent = f": {kinds(by_label, length)}" if length else ""
    return f"It crosses {'; '.join(crossed)}. It arrives in cycle {arrived:,}, after {cycles(length)}{spent}."


def _waiting(ended: pl.DataFrame, number: int, sums: dict[str, int]) -> str:
    """The stalls that end with the message, and with which others they end."""
    if not sums["exposed"]:
        return f"It ends no stall. {fate(sums, 'its cycles')}" if sums["cycles"] else ""
    of_message = ended.filter(message=number)
    stalls = of_message.with_columns(cycles=pl.col("end") - pl.max_horizontal("start", "posted"))
    named = [
        f"{f'array {array}' if node is None else place(array, node)} before {step} for {cycles(count)}"
        for array, node, step, count in stalls.select("array", "node", "step", "cycles").iter_rows()
    ]
    tied = ended.pipe(joined, of_message, on=["array", "node", "instruction"], how="semi", nulls=True)
    others = tied.filter(pl.col("message") != number)["message"].n_unique()
    tie = f", tied with {counted(others, 'message')} that arrived in the same cycle" if others else ""
    return f"Its arrival ends the stall of {listed(named)}{tie}. {fate(sums, 'its cycles')}"


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
    parts = [home, *_node_cycles(run, array, node), *_node_messages(run, array, node)]
    if facts.charged(run):
        parts.append((f"It takes {facts.energy_text(run.energy.filter(array=array, node=node))}.", {}))
    return put_together(place(array, node), parts, array=array, node=node)


def _processes(some: list[int]) -> str:
    return f"process{'es' if len(some) > 1 else ''} {listed(map(str, some))}" if some else "no process"


def _node_cycles(run: Run, array: int, node: int) -> Iterator[Part]:
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


def _node_messages(run: Run, array: int, node: int) -> Iterator[Part]:
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

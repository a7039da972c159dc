"""A step of the program, or all steps whose labels begin alike, and a message: times, causes and effects."""

from __future__ import annotations

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
    row, hops = messages.row(0, named=True), run.trace.hops.filter(message=number).to_dicts()
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
    rows = [
        (
            hop["wire"],
            f"{hop['source_array']}:{hop['source_node']}",
            f"{hop['target_array']}:{hop['target_node']}",
            *(hop[name] for name in ("queued", "start", "end")),
            *(hop["start"] - hop["queued"], hop["end"] - hop["start"]),
        )
        for hop in hops
    ]
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

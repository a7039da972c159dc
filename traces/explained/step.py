"""A step of the program, or all steps whose labels begin so: what it does, when, and what it waits for."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

import polars as pl

from senn.traces import analysis
from senn.traces.analysis.causality import share
from senn.traces.errors import InputError
from senn.traces.explained.story import (
    Explained,
    all_or,
    cycles,
    exposure,
    kinds,
    levels_text,
    listed,
    of,
    place,
    step_text,
)
from senn.traces.naming import counted, value_text
from senn.traces.run import Run

_SHOWN = 12
_DOES = {
    "compute": "a computation",
    "send": "a send",
    "arrange": "an arrange: values follow their processes",
    "wait": "a wait",
}


def of_step(run: Run, label: str) -> Explained:
    """The step "I.b.5", or the part "I.b"; InputError, with what there is, if the run has none."""
    table = run.trace.instructions
    exact = table.filter(step=label)
    found = exact if exact.height else table.filter(pl.col("step").str.starts_with(f"{label}."))
    if not found.height:
        raise InputError(_none(label, list(dict.fromkeys(table["step"]))))
    keys = found.select("array", pl.col("serial").alias("instruction"))
    charged = analysis.charges(run)
    parts = [
        _what(run, label, found),
        _waits(run, charged.join(keys, on=["array", "instruction"], how="semi")),
        _sends(run, charged, keys),
        _on_path(run, set(keys.rows())),
    ]
    facts = {"step": label} | {name: fact for _, some in parts for name, fact in some.items()}
    return Explained(label, tuple(text for text, _ in parts if text), facts)


def _none(label: str, steps: list[str]) -> str:
    near = get_close_matches(label, steps, n=6, cutoff=0.5)
    begins = list(dict.fromkeys(".".join(step.split(".")[:2]) for step in steps))
    offered = f"near it: {', '.join(near)}; " if near else ""
    return f"this run has no step '{label}'; {offered}its steps begin with {', '.join(begins)}"


def _what(run: Run, label: str, found: pl.DataFrame) -> tuple[str, dict[str, Any]]:
    arrays = listed(f"array {array}" for array in found["array"].unique().sort())
    steps = found["step"].n_unique()
    at = levels_text(found["level"])
    does = _DOES[found["operation"][0]] if steps == 1 else f"{steps} steps"
    text = f"{label} is {does} of {arrays}, issued {_times(found.height)}{f' ({at})' if at else ''}."
    first, last = int(found["issue"].to_numpy().min()), int(found["end"].to_numpy().max())
    spent = int((found["end"] - found["issue"]).sum())
    if analysis.per_node(run.trace):
        text += (
            f" Every node issues it by itself: the first begins in cycle {first:,}, the "
            "last ends "
            f"in cycle {last:,}."
        )
    elif steps == 1:
        shown = found.select("level", "issue", "end", "active").head(_SHOWN).iter_rows()
        rows = [
            f"{'' if level is None else f'level {level} in '}[{issue:,}, {end:,}) on "
            f"{counted(active, 'node')}"
            for level, issue, end, active in shown
        ]
        text += f" It takes {cycles(spent)}: {'; '.join(rows)}{'; ...' if found.height > _SHOWN else ''}."
    else:
        text += (
            f" The first begins in cycle {first:,}, the last ends in cycle "
            f"{last:,}; "
            f"together they work {cycles(spent)}."
        )
    return text, {"issued": found.to_dicts()}


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number:,} times")


def _waits(run: Run, own: pl.DataFrame) -> tuple[str, dict[str, Any]]:
    """What it has to wait for."""
    still = int(own["cycles"].sum())
    by = ("cause_array", "cause_step", "value")
    causes = analysis.account(own, *by).select(*by, "cycles")
    late = {
        f"array {array} was late in {step}": count
        for array, step, value, count in causes.iter_rows()
        if value is None
    }
    facts = {"still": still, "waits_for": causes.to_dicts()}
    if not still:
        return "It never has to wait: what it reads is there when its turn comes.", facts
    units = "node cycles" if analysis.per_node(run.trace) else "cycles"
    who = "Its nodes stand" if analysis.per_node(run.trace) else "Its array stands"
    sent = [
        f"{all_or(count, still)} for {value} of {step} (array {array})"
        for array, step, value, count in causes.iter_rows()
        if value is not None
    ]
    slow = [f"{all_or(count, still)} because {why}" for why, count in late.items()]
    named = [*sent, *slow]
    more = f" and {counted(len(named) - _SHOWN, 'other cause')}" if len(named) > _SHOWN else ""
    return f"{who} still before it for {still:,} {units}: {', '.join(named[:_SHOWN])}{more}.", facts


def _sends(run: Run, charged: pl.DataFrame, keys: pl.DataFrame) -> tuple[str, dict[str, Any]]:
    """What its messages cost."""
    posted = run.trace.messages.rename({"source_array": "array"})
    posted = posted.join(keys, on=["array", "instruction"], how="semi")
    if not posted.height:
        return "", {"messages": 0}
    crossing = run.trace.hops.filter(pl.col("message").is_in(posted["id"].to_list())).height
    flown = analysis.flights(run, charged).join(keys, on=["array", "instruction"], how="semi")
    sums = flown.select("cycles", "exposed", "hidden", "beside", "stalled").sum().row(0, named=True)
    by_label = dict(analysis.account(flown, "label").select("label", "cycles").iter_rows())
    sizes = posted["words"].unique().sort().to_list()
    each = f"{sizes[0]} to {sizes[-1]} words" if len(sizes) > 1 else counted(sizes[0], "word")
    text = (
        f"It posts {counted(posted.height, 'message')} of {listed(sorted(set(posted['value'])))}, {each} "
        "each, over "
        f"{counted(crossing, 'channel')} in all, and {_reads(posted)}."
    )
    if sums["cycles"]:
        text += (
            f" They are under way for {cycles(sums['cycles'])}, each message counted for itself: "
            f"{kinds(by_label, sums['cycles'])}. {exposure(sums['exposed'], sums['cycles'])}; "
            f"{sums['hidden']:,} are "
            f"hidden, {sums['beside']:,} of them while the reader stands still for something else."
        )
    return text, {"messages": posted.height, "channels": crossing, "spent": by_label, **sums}


def _reads(posted: pl.DataFrame) -> str:
    slack = posted["read_at"] - posted["arrived"]
    if not slack.max():
        return "each is read in the cycle in which it arrives"
    if slack.min() == slack.max():
        return f"each is read {cycles(int(slack[0]))} after it arrives"
    least, most = int(slack.to_numpy().min()), int(slack.to_numpy().max())
    return f"they are read {least:,} to {most:,} cycles after they arrive"


def _on_path(run: Run, keys: set[tuple[int, ...]]) -> tuple[str, dict[str, Any]]:
    """How much of the makespan is its own."""
    path = run.path
    own = [piece for piece in path if (piece.array, piece.instruction) in keys]
    totals = analysis.path_totals(own)
    length = sum(totals.values())
    if not length:
        return (
            "None of it is on the critical path: quicker, it would help only where it holds a channel that "
            "others wait for.",
            {"on_critical_path": totals},
        )
    first = min(own, key=lambda piece: piece.start)
    text = (
        f"{cycles(length)} of it and its messages {'is' if length == 1 else 'are'} on the critical path "
        f"({share(length, run.summary['makespan'])} of the makespan): {kinds(totals, length)}; "
        "the first "
        f"with {step_text(first.step, first.level)} in cycle {first.start:,}."
    )
    return text, {"on_critical_path": totals}


# ------------------------------------------------------------
# A message: who sent what to whom, channel by channel, and who stood still for it.


def of_message(run: Run, number: int) -> Explained:
    """The message of an id; InputError, with the ids there are, if there is none."""
    trace = run.trace
    row, hops = found(run, number)
    what = value_text(row["value"], row["level"], row["process"])
    send = trace.instructions.filter(array=row["source_array"], serial=row["instruction"]).row(0, named=True)
    charged = analysis.charges(run)
    flown = analysis.flights(run, charged).filter(message=number)
    by_label = dict(flown.select("label", "cycles").iter_rows())
    length = row["arrived"] - row["posted"]
    paragraphs = [
        f"Message {number:,} carries {what}, {counted(row['words'], 'word')}, from process "
        f"{row['source_process']} "
        f"at {place(row['source_array'], row['source_node'])} to process {row['target_process']} at "
        f"{place(row['target_array'], row['target_node'])}. {step_text(send['step'], send['level'])} of "
        "array "
        f"{row['source_array']} posts it in cycle {row['posted']:,}.",
        _way(hops, row["arrived"], length, by_label),
        _reading(run, row),
        _waiting(charged.filter(message=number), flown, length),
    ]
    path = run.path
    on_path = sum(piece.end - piece.start for piece in path if piece.message == number)
    if on_path:
        paragraphs.append("It is on the critical path: all its cycles are cycles of the makespan.")
    elif hops:
        paragraphs.append(
            "It is not on the critical path: quicker, it would help only where it holds a channel that "
            "others wait for."
        )
    exposed, hidden, beside = flown.select("exposed", "hidden", "beside").sum().row(0)
    facts = {
        "message": row,
        "hops": hops,
        "spent": by_label,
        "exposed": exposed,
        "hidden": hidden,
        "beside": beside,
        "on_critical_path": on_path,
    }
    return Explained(f"message {number:,}: {what}", tuple(text for text in paragraphs if text), facts)


def found(run: Run, number: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The row of a message and those of its hops."""
    run.trace.require("messages")
    messages = run.trace.messages.filter(id=number)
    if not messages.height:
        last = run.trace.messages.height - 1
        there = f"they are 0 to {last:,}" if last >= 0 else "it has none"
        raise InputError(f"this run has no message {number:,}; {there}")
    return messages.row(0, named=True), run.trace.hops.filter(message=number).to_dicts()


def _way(hops: list[dict[str, Any]], arrived: int, length: int, by_label: dict[str, int]) -> str:
    if not hops:
        return (
            "It crosses no channel: it is for the node itself, or for its other processes, and there at once."
        )
    waited = [
        f"{one['wire']}, from node {one['source_node']} to node {one['target_node']}"
        f"{' of the next array' if one['source_array'] != one['target_array'] else ''}, in cycles "
        f"[{one['start']:,}, {one['end']:,})"
        + (f" after waiting {one['start'] - one['queued']:,} for it" if one["start"] > one["queued"] else "")
        for one in hops
    ]
    spent = f": {kinds(by_label, length)}" if length else ""
    return f"It crosses {'; '.join(waited)}. It arrives in cycle {arrived:,}, after {cycles(length)}{spent}."


def _reading(run: Run, row: dict[str, int]) -> str:
    reader = run.trace.instructions.filter(array=row["target_array"], serial=row["read_by"])
    step, level = reader.select("step", "level").row(0)
    slack = row["read_at"] - row["arrived"]
    when = "in the same cycle" if not slack else f"{cycles(slack)} later"
    return f"The first to read it is {step_text(step, level)} of array {row['target_array']}, {when}."


def _waiting(own: pl.DataFrame, flown: pl.DataFrame, length: int) -> str:
    if not length:
        return ""
    exposed, beside = flown.select("exposed", "beside").sum().row(0)
    if not exposed:
        text = "Nobody stands still because of it: it is hidden for all its cycles"
        if beside:
            text += f", though in {beside:,} of them its reader stands still for something else"
        return f"{text}."
    units = ["array"] if own["node"].null_count() else ["array", "node"]
    who = analysis.account(own, *units, "step")
    named = [
        f"{place(*unit) if len(unit) == 2 else f'array {unit[0]}'} for {cycles(count)} before {step}"
        for *unit, step, count in who.select(*units, "step", "cycles").head(_SHOWN_message).iter_rows()
    ]
    more = [f"{who.height - _SHOWN_message:,} more"] if who.height > _SHOWN_message else []
    return (
        f"It is exposed for {of(exposed, length)} of its {cycles(length)}: it is waited for by "
        f"{listed([*named, *more])}."
    )


_SHOWN_message = 8

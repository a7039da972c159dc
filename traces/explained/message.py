"""A message: who sent what to whom, channel by channel, and who stood still for it."""

from typing import TYPE_CHECKING, Any

import polars as pl

from senn.traces import analysis
from senn.traces.analysis.causes.spent import channel_times
from senn.traces.errors import InputError
from senn.traces.explained.text import Explained, cycles, kinds, listed, of, place, step_text
from senn.traces.naming import counted, value_text

if TYPE_CHECKING:
    from senn.traces.run import Run


def of_message(run: "Run", number: int) -> Explained:
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
    path = analysis.critical_path(trace, *channel_times(run.description["machine"]))
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


def found(run: "Run", number: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
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


def _reading(run: "Run", row: dict[str, int]) -> str:
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
        for *unit, step, count in who.select(*units, "step", "cycles").head(_SHOWN).iter_rows()
    ]
    more = [f"{who.height - _SHOWN:,} more"] if who.height > _SHOWN else []
    return (
        f"It is exposed for {of(exposed, length)} of its {cycles(length)}: it is waited for by "
        f"{listed([*named, *more])}."
    )


_SHOWN = 8

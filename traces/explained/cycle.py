"""A cycle: what every array does in it, what is under way, and to what the makespan charges it."""

from collections import Counter
from typing import TYPE_CHECKING, Any

import polars as pl

from senn.traces import analysis
from senn.traces.analysis.causes.spent import channel_times
from senn.traces.explained.text import KINDS, Explained, cycles, listed, message_text, place, step_text
from senn.traces.naming import counted, value_text
from senn.traces.replay import ArrayState, Flight, refuse_beyond

if TYPE_CHECKING:
    from senn.traces.run import Run


def of_cycle(run: "Run", cycle: int) -> Explained:
    """The cycle [cycle, cycle + 1); InputError if the run has none of this number."""
    refuse_beyond(run, cycle)
    state = run.at(cycle)
    charged = analysis.charges(run).filter((pl.col("start") <= cycle) & (pl.col("end") > cycle))
    if analysis.per_node(run.trace):
        texts, facts = _of_nodes(run, cycle, charged)
    else:
        texts, facts = _of_arrays(run, cycle, state.arrays, charged)
    under_way = _under_way(run, state.messages)
    path, on_path = _on_path(run, cycle)
    said = {"cycle": cycle, "arrays": facts, "messages": [one.message for one in state.messages]}
    title = f"cycle {cycle:,} of {run.summary['makespan']:,}"
    return Explained(title, (" ".join(texts), under_way, path), {**said, "critical_path": on_path})


def _of_arrays(
    run: "Run", cycle: int, arrays: tuple[ArrayState, ...], charged: pl.DataFrame
) -> tuple[list[str], dict[str, Any]]:
    texts, facts = [], {}
    for one in arrays:
        row = one.instruction
        facts[str(one.array)] = {"doing": one.doing, "step": row.step if row else None}
        if row is None:
            texts.append(f"Array {one.array} has ended.")
        elif one.doing == "stalls":
            (cause,) = charged.filter(array=one.array).iter_rows(named=True)
            assert row.stall is not None
            waits_for = run.trace.messages.filter(id=row.released_by).row(0, named=True)
            facts[str(one.array)] |= {"charged": cause["label"], "message": cause["message"]}
            texts.append(
                f"Array {one.array} stands still before {step_text(row.step, row.level)}, from cycle "
                f"{row.issue - row.stall:,} to {row.issue:,}, for {message_text(waits_for)}: "
                f"{_because(run, cause, row.released_by)}."
            )
        else:
            texts.append(
                f"Array {one.array} {one.doing}: {step_text(row.step, row.level)} on "
                f"{counted(row.active, 'node')}, cycles {row.issue:,} to {row.end:,}."
            )
    return texts, facts


def _because(run: "Run", cause: dict[str, Any], named: int | None = None) -> str:
    """What a stalled cycle is charged to; the message ``named`` needs no name."""
    if cause["message"] is None:
        who = f"array {cause['cause_array']}"
        if cause["cause_node"] is not None:
            who = place(cause["cause_array"], cause["cause_node"])
        late_in = step_text(cause["cause_step"], cause["cause_level"])
        return f"{who} is late, {KINDS[cause['label']]} in {late_in}"
    does = _DOES[cause["label"]]
    if cause["message"] == named:
        return f"it {does}"
    row = run.trace.messages.filter(id=cause["message"]).row(0, named=True)
    return f"{message_text(row)} of {step_text(cause['cause_step'], cause['cause_level'])} {does}"


_DOES = {
    "queue": "waits for a channel",
    "words": "carries its words over a channel",
    "hop": "has its head on a channel",
    "startup": "starts up on a channel",
}


def _of_nodes(run: "Run", cycle: int, charged: pl.DataFrame) -> tuple[list[str], dict[str, Any]]:
    """Where every node issues by itself."""
    working = run.trace.activities.filter((pl.col("start") <= cycle) & (pl.col("end") > cycle))
    texts, facts = [], {}
    for array in run.trace.instructions["array"].unique().sort():
        at_work = dict(working.filter(array=array).group_by("class").len().sort("class").iter_rows())
        still = charged.filter(array=array)
        facts[str(array)] = {"working": at_work, "still": still.height}
        works = (
            listed(f"{counted(count, 'node')} {KINDS[kind]}" for kind, count in at_work.items())
            if at_work
            else ""
        )
        texts.append(f"In array {array}: {works or 'no node working'}, {still.height:,} standing still.")
        for label, count in Counter(still["label"]).most_common(1):
            cause = still.filter(label=label).row(0, named=True)
            texts.append(
                f"Of these {count:,} charge it to {KINDS[label]}: "
                f"{place(array, cause['node'])}, for one, waits before "
                f"{step_text(cause['step'], cause['level'])}, as "
                f"{_because(run, cause)}."
            )
    return texts, facts


def _under_way(run: "Run", messages: tuple[Flight, ...]) -> str:
    if not messages:
        return "No message is under way."
    steps = Counter(run.trace.messages.filter(pl.col("id").is_in([one.message for one in messages]))["step"])
    where = Counter(one.where for one in messages)
    doing = {"crossing": "on a channel", "queued": "waiting for one", "arriving": "arriving"}
    named = listed(f"{count:,} of {step}" for step, count in steps.most_common(_SHOWN))
    more = len(steps) - _SHOWN
    return (
        f"{counted(len(messages), 'message')} under way: "
        f"{named}{f' and those of {more} more steps' if more > 0 else ''}; "
        f"{listed(f'{where[kind]:,} {text}' for kind, text in doing.items() if where[kind])}."
    )


_SHOWN = 4


def _on_path(run: "Run", cycle: int) -> tuple[str, dict[str, Any] | None]:
    """What the makespan spends the cycle on."""
    path = analysis.critical_path(run.trace, *channel_times(run.description["machine"]))
    piece = next((one for one in path if one.start <= cycle < one.end), None)
    if piece is None:
        return "All arrays have ended: it is no cycle of the makespan.", None
    step = step_text(piece.step, piece.level)
    if piece.message is None:
        what = f"{KINDS[piece.label]} of array {piece.array} in {step}"
    else:
        row = run.trace.messages.filter(id=piece.message).row(0, named=True)
        value = value_text(row["value"], row["level"], row["process"])
        what = f"{KINDS[piece.label]} of message {piece.message:,} ({value}), "
        what += f"sent by {step} of array {piece.array}"
    facts = {"label": piece.label, "array": piece.array, "step": piece.step, "message": piece.message}
    return (
        f"The makespan spends it on {what}: of the critical path this is the piece from cycle "
        f"{piece.start:,} to "
        f"{piece.end:,}, {cycles(piece.end - piece.start)}."
    ), facts

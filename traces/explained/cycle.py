"""A cycle: what every array does in it, what is under way, and to what the makespan charges it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import polars as pl

from senn.traces import analysis
from senn.traces.errors import InputError
from senn.traces.explained.story import (
    KINDS,
    Explained,
    cycles,
    exposure,
    kinds,
    levels_text,
    listed,
    message_text,
    of,
    place,
    step_text,
)
from senn.traces.naming import counted, value_text
from senn.traces.replay import ArrayState, Flight, refuse_beyond
from senn.traces.run import Run


def of_cycle(run: Run, cycle: int) -> Explained:
    """The cycle [cycle, cycle + 1); InputError if the run has none of this number."""
    refuse_beyond(run.trace, cycle)
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
    run: Run, cycle: int, arrays: tuple[ArrayState, ...], charged: pl.DataFrame
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


def _because(run: Run, cause: dict[str, Any], named: int | None = None) -> str:
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


def _of_nodes(run: Run, cycle: int, charged: pl.DataFrame) -> tuple[list[str], dict[str, Any]]:
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


def _under_way(run: Run, messages: tuple[Flight, ...]) -> str:
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


def _on_path(run: Run, cycle: int) -> tuple[str, dict[str, Any] | None]:
    """What the makespan spends the cycle on."""
    path = run.path
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


# ------------------------------------------------------------
# A node: who lives there, where its cycles went, and what it sends and takes.

_ACCOUNT = {
    "compute": "computing",
    "post": "posting",
    "receive": "receiving",
    "masked": "masked",
    "stall": "standing still",
}


def of_node(run: Run, array: int, node: int) -> Explained:
    """A node by its array, from 1, and its address, from 0; InputError if there is none."""
    arrays, nodes = len(run.summary["arrays"]), int(run.description["schedule"]["nodes"])
    if not 1 <= array <= arrays or not 0 <= node < nodes:
        raise InputError(
            f"this run has no node {array}:{node}; its arrays are 1 to {arrays}, and the nodes of each 0 "
            f"to {nodes - 1}"
        )
    charged = analysis.charges(run)
    parts = [
        _lives(run, array, node),
        _cycles(run, array, node),
        _still(run, array, node, charged),
        _dma(run, array, node),
        _messages(run, array, node, charged),
    ]
    facts: dict[str, Any] = {"array": array, "node": node}
    facts |= {name: fact for _, some in parts for name, fact in some.items()}
    return Explained(place(array, node), tuple(text for text, _ in parts if text), facts)


def _lives(run: Run, array: int, node: int) -> tuple[str, dict[str, Any]]:
    """Home is row 0 of the table, then a row for each level."""
    said = run.description["allocation"]
    home, *levels = said["tables"][array - 1] if "tables" in said else said["table"]
    at_home = [process for process, at in enumerate(home, 1) if at == node]
    by_level = {
        level: [process for process, at in enumerate(row, 1) if at == node]
        for level, row in enumerate(levels, 1)
    }
    facts = {"home_of": at_home, "lives_there": {str(level): found for level, found in by_level.items()}}
    title = place(array, node).capitalize()
    text = f"{title} is home of {_processes(at_home)}." if at_home else f"{title} is home of no process."
    if any(found != at_home for found in by_level.values()):
        named = [f"{_processes(found)} in level {level}" for level, found in by_level.items()]
        text += f" It is the place of {listed(named)}."
    elif not at_home:
        text += " It only forwards messages."
    return text, facts


def _processes(found: list[int]) -> str:
    if not found:
        return "nobody"
    return f"process{'es' if len(found) > 1 else ''} {listed(map(str, found))}"


def _cycles(run: Run, array: int, node: int) -> tuple[str, dict[str, Any]]:
    """The account of the node, which adds up to the end of its array."""
    nodes = int(run.description["schedule"]["nodes"])
    accounts = analysis.node_accounts(run.trace, nodes).filter(array=array, node=node)
    row = accounts.row(0, named=True)
    end = run.summary["arrays"][str(array)]["end"]
    spent = {name: row[name] for name in _ACCOUNT}
    most_first = sorted((name for name in spent if spent[name]), key=lambda name: -spent[name])
    named = (
        listed(f"{of(spent[name], end)} {_ACCOUNT[name]}" for name in most_first) if most_first else "nothing"
    )
    masked = {
        False: "masked: its array works and it does not",
        True: "masked: after its last work, until its array ends",
    }[analysis.per_node(run.trace)]
    note = f" ({masked})" if spent["masked"] else ""
    return f"Its {cycles(end)} until array {array} ends are {named}{note}.", {"cycles": spent, "end": end}


def _still(run: Run, array: int, node: int, charged: pl.DataFrame) -> tuple[str, dict[str, Any]]:
    """To what its standing still is charged."""
    alone = analysis.per_node(run.trace)
    own = charged.filter((pl.col("array") == array) & ((pl.col("node") == node) if alone else True))
    still = int(own["cycles"].sum())
    by_label = dict(analysis.account(own, "label").select("label", "cycles").iter_rows())
    if not still:
        return "", {"charged": by_label}
    together = "" if alone else " (its array does so as one)"
    return f"That it stands still{together} is charged to {kinds(by_label, still)}.", {"charged": by_label}


def _dma(run: Run, array: int, node: int) -> tuple[str, dict[str, Any]]:
    found = analysis.overlap(run.trace).filter(array=array, node=node).to_dicts()
    row = {name: count for name, count in found[0].items() if name not in ("array", "node")} if found else {}
    busy = row.get("dma", 0)
    if not busy:
        return "Its DMA sends nothing.", {"dma": row}
    under = {
        "hidden": "under its own computing",
        "stall": "while it stands still",
        "drain": "after its array has ended",
    }
    named = [f"{of(row[name], busy)} {text}" for name, text in under.items() if row[name]]
    other = row["post"] + row["receive"] + row["masked"]
    named += [f"{of(other, busy)} under other work of its array"] if other else []
    return f"Its DMA is busy for {cycles(busy)}: {listed(named)}.", {"dma": row}


def _messages(run: Run, array: int, node: int, charged: pl.DataFrame) -> tuple[str, dict[str, Any]]:
    trace = run.trace
    sent = trace.messages.filter(source_array=array, source_node=node)
    taken = trace.messages.filter(target_array=array, target_node=node)
    through = trace.hops.filter(
        (pl.col("source_array") == array) & (pl.col("source_node") == node) & (pl.col("hop") > 0)
    )
    flown = analysis.flights(run, charged).filter(array=array, node=node)
    sums = flown.select("cycles", "exposed", "hidden", "beside").sum().row(0, named=True)
    facts = {"sent": sent.height, "taken": taken.height, "forwarded": through.height, "of_sent": sums}
    text = (
        f"It sends {counted(sent.height, 'message')} ({counted(int(sent['words'].sum()), 'word')}), takes "
        f"{taken.height:,} "
        f"and passes on {through.height:,}."
    )
    if sent.height:
        to = (
            sent.group_by("target_array", "target_node", maintain_order=True)
            .len()
            .sort("len", descending=True, maintain_order=True)
        )
        most = to.row(0)
        where = "itself" if most[:2] == (array, node) else place(most[0], most[1])
        text += f" Most of what it sends, {most[2]:,}, goes to {where}."
    if sums["cycles"]:
        text += (
            f" What it sends is under way for {cycles(sums['cycles'])}. "
            f"{exposure(sums['exposed'], sums['cycles'])}."
        )
    if sums["exposed"]:
        worst = analysis.account(flown, "step").row(0, named=True)
        at = levels_text(flown.filter(step=worst["step"])["level"])
        text += f" Most of these are of {worst['step']}{f' ({at})' if at else ''}: {worst['exposed']:,}."
    return text, facts

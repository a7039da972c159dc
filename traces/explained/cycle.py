"""A cycle of the machine, and a node: what it does, what is in flight, and where its cycles went."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Any

import polars as pl

from senn.base.errors import InputError
from senn.base.tables import Section, table
from senn.traces import analysis
from senn.traces.explained.story import (
    FATES,
    KINDS,
    WORK,
    Explained,
    Part,
    cycles,
    fate,
    kinds,
    levels_text,
    message_text,
    of,
    place,
    put_together,
    step_text,
)
from senn.traces.naming import counted, listed, value_text
from senn.traces.replay import ArrayState, Flight, State, refuse_beyond
from senn.traces.run import Run


def of_cycle(run: Run, cycle: int) -> Explained:
    """The cycle [cycle, cycle + 1); InputError if the run has none of this number."""
    refuse_beyond(run.trace, cycle)
    state = run.at(cycle)
    charged = run.charges.filter((pl.col("start") <= cycle) & (pl.col("end") > cycle))
    doing = _of_nodes if analysis.per_node(run.trace) else _of_arrays
    texts, figures = doing(run, state, charged)
    path, on_path = _on_path(run, cycle)
    messages, makespan = state.messages, run.summary["makespan"]
    parts: list[Part] = [(" ".join(texts), {}), (_in_flight(run, messages), {}), (path, {})]
    issued = []
    for array in state.arrays:
        row = asdict(array.instruction) if array.instruction else {}
        issued.append({"array": array.array, "doing": array.doing, **row})
    flights = [{name: x for name, x in vars(flight).items() if name != "numbers"} for flight in messages]
    facts = {"cycle": cycle, "makespan": makespan, "arrays": figures}
    facts |= {"messages": [flight.message for flight in messages], "critical_path": on_path}
    facts |= {"instructions": issued, "flights": flights}
    tables = _arrays(issued), _messages_in_flight(messages)
    return put_together(f"cycle {cycle:,} of {makespan:,}", parts, *tables, **facts)


def _arrays(issued: list[dict[str, Any]]) -> Section:
    """A row for each array with its instruction."""
    names = ("level", "active", "issue", "end")
    rows = [
        (
            *(f"array {row['array']}", row["doing"], row.get("step", "-")),
            *("-" if row.get(name) is None else f"{row[name]:,}" for name in names),
        )
        for row in issued
    ]
    return Section("Arrays", table=table(["", "does", "step"], ["level", "nodes", "issue", "end"], rows))


def _messages_in_flight(flights: tuple[Flight, ...]) -> Section:
    """A row for each message in flight."""
    rows = [
        (
            value_text(flight.value, flight.level, flight.process),
            f"{flight.where}, {flight.wire}",
            "{}:{} to {}:{}".format(*flight.source, *flight.target),
            *(f"{flight.message:,}", f"{flight.arrived:,}"),
        )
        for flight in flights
    ]
    return Section(
        "Messages in flight", table=table(["value", "where", "nodes"], ["message", "arrives"], rows)
    )


def _of_arrays(run: Run, state: State, charged: pl.DataFrame) -> tuple[list[str], dict[str, Any]]:
    """A sentence for each array whose lanes go together."""
    texts, figures = [], {}
    for member in state.arrays:
        row = member.instruction
        figures[str(member.array)] = {"doing": member.doing, "step": row.step if row else None}
        if row is None:
            texts.append(f"Array {member.array} has ended.")
        elif member.doing == "stalls":
            (cause,) = charged.filter(array=member.array).iter_rows(named=True)
            figures[str(member.array)] |= {"charged": cause["label"], "message": cause["message"]}
            texts.append(_stall(run, member, cause))
        else:
            texts.append(
                f"Array {member.array} {member.doing}: {step_text(row.step, row.level)} on "
                f"{counted(row.active, 'node')}, cycles {row.issue:,} to {row.end:,}."
            )
    return texts, figures


def _stall(run: Run, state: ArrayState, cause: dict[str, Any]) -> str:
    row = state.instruction
    assert row is not None
    assert row.stall is not None
    awaited = run.trace.messages.filter(id=row.released_by).row(0, named=True)
    return (
        f"Array {state.array} is stalled before {step_text(row.step, row.level)}, from cycle "
        f"{row.issue - row.stall:,} to {row.issue:,}, for {message_text(awaited)}: "
        f"{_because(run, cause, row.released_by)}."
    )


_DOES = {
    "words": "carries its words over a channel",
    "hop": "has its header on a channel",
    "startup": "starts up",
}


def _because(run: Run, cause: dict[str, Any], named: int | None = None) -> str:
    """The cause of a stalled cycle; the message ``named`` needs no name."""
    step = step_text(cause["cause_step"], cause["cause_level"])
    if cause["message"] is None:
        array, node = cause["cause_array"], cause["cause_node"]
        sender = f"array {array}" if node is None else place(array, node)
        return f"{sender} is late, {KINDS[cause['label']]} in {step}"
    does = _DOES[cause["label"]]
    if cause["message"] == named:
        return f"it {does}"
    row = run.trace.messages.filter(id=cause["message"]).row(0, named=True)
    return f"{message_text(row)} of {step} {does}"


def _of_nodes(run: Run, state: State, charged: pl.DataFrame) -> tuple[list[str], dict[str, Any]]:
    """Sentences for each array whose nodes issue by themselves."""
    working = run.trace.activities.filter((pl.col("start") <= state.cycle) & (pl.col("end") > state.cycle))
    texts, figures = [], {}
    for array in run.trace.instructions["array"].unique().sort():
        at_work = dict(working.filter(array=array).group_by("class").len().sort("class").iter_rows())
        stalled = charged.filter(array=array)
        figures[str(array)] = {"working": at_work, "still": stalled.height}
        works = [f"{counted(count, 'node')} {KINDS[kind]}" for kind, count in at_work.items()]
        texts.append(
            f"In array {array}: {listed(works) if works else 'no node working'}, {stalled.height:,} stalled."
        )
        for label, count in Counter(stalled["label"]).most_common(1):
            cause = stalled.filter(label=label).row(0, named=True)
            texts.append(
                f"{count:,} of these are charged to {KINDS[label]}: {place(array, cause['node'])}, for one, "
                f"is stalled before {step_text(cause['step'], cause['level'])}, as {_because(run, cause)}."
            )
    return texts, figures


def _in_flight(run: Run, flights: tuple[Flight, ...]) -> str:
    if not flights:
        return "No message is in flight."
    steps = Counter(run.trace.messages.filter(pl.col("id").is_in([f.message for f in flights]))["step"])
    where = Counter(flight.where for flight in flights)
    named = listed(f"{count:,} of {step}" for step, count in steps.most_common(_SHOWN))
    more = f" and those of {len(steps) - _SHOWN} more steps" if len(steps) > _SHOWN else ""
    at = listed(f"{where[name]:,} {text}" for name, text in _IN_FLIGHT.items() if where[name])
    return f"{counted(len(flights), 'message')} in flight: {named}{more}; {at}."


_SHOWN = 4
_IN_FLIGHT = {
    "start-up": "in start-up",
    "header": "with the header on a channel",
    "words": "with words on a channel",
    "queue": "waiting for a channel",
}


def _on_path(run: Run, cycle: int) -> tuple[str, dict[str, Any] | None]:
    """The piece of the critical path that has the cycle."""
    piece = next((piece for piece in run.path if piece.start <= cycle < piece.end), None)
    if piece is None:
        return "All arrays have ended: it is no cycle of the makespan.", None
    step = step_text(piece.step, piece.level)
    if piece.message is None:
        subject = f"{KINDS[piece.label]} of array {piece.array} in {step}"
    else:
        row = run.trace.messages.filter(id=piece.message).row(0, named=True)
        subject = f"{KINDS[piece.label]} of {message_text(row)}, sent by {step} of array {piece.array}"
    figures = {"label": piece.label, "array": piece.array, "step": piece.step, "message": piece.message}
    text = (
        f"The makespan spends it on {subject}: of the critical path this is the piece from cycle "
        f"{piece.start:,} to {piece.end:,}, {cycles(piece.end - piece.start)}."
    )
    return text, figures


_ACCOUNT = {**{name: KINDS[name] for name in WORK}, "masked": "masked", "stall": "stalled"}


def of_node(run: Run, array: int, node: int) -> Explained:
    """A node by its array, from 1, and its address, from 0; InputError if there is none."""
    arrays, nodes = len(run.summary["arrays"]), int(run.description["schedule"]["nodes"])
    if not 1 <= array <= arrays or not 0 <= node < nodes:
        raise InputError(
            f"this run has no node {array}:{node}; its arrays are 1 to {arrays}, and the nodes of each 0 "
            f"to {nodes - 1}"
        )
    parts = [part(run, array, node) for part in (_home, _cycles, _stalls, _dma, _messages)]
    return put_together(place(array, node), parts, array=array, node=node)


def _home(run: Run, array: int, node: int) -> Part:
    """The processes at the node, at home (row 0 of the allocation) and at each level."""
    tables = run.allocation.tables
    rows = (tables[array - 1] if len(tables) > 1 else tables[0]).tolist()
    at_home, *others = [[i for i, at in enumerate(row, 1) if at == node] for row in rows]
    by_level = dict(enumerate(others, 1))
    figures = {"home_of": at_home, "lives_there": {str(level): some for level, some in by_level.items()}}
    text = f"{place(array, node).capitalize()} is home of {_processes(at_home, 'no process')}."
    if any(some != at_home for some in others):
        named = [f"{_processes(some, 'no process')} in level {level}" for level, some in by_level.items()]
        text += f" It is the place of {listed(named)}."
    elif not at_home:
        text += " It only forwards messages."
    return text, figures


def _processes(numbers: list[int], none: str) -> str:
    return f"process{'es' if len(numbers) > 1 else ''} {listed(map(str, numbers))}" if numbers else none


def _cycles(run: Run, array: int, node: int) -> Part:
    """The account of the node, which adds up to the end of its array."""
    nodes = int(run.description["schedule"]["nodes"])
    row = analysis.node_accounts(run.trace, nodes).filter(array=array, node=node).row(0, named=True)
    end = run.summary["arrays"][str(array)]["end"]
    spent = {name: row[name] for name in _ACCOUNT}
    most_first = sorted((name for name in spent if spent[name]), key=lambda name: -spent[name])
    named = [f"{of(spent[name], end)} {_ACCOUNT[name]}" for name in most_first] or ["nothing"]
    alone = analysis.per_node(run.trace)
    masked = "after its last work, until its array ends" if alone else "its array works and it does not"
    note = f" (masked: {masked})" if spent["masked"] else ""
    return f"Its {cycles(end)} until array {array} ends are {listed(named)}{note}.", {
        "cycles": spent,
        "end": end,
    }


def _stalls(run: Run, array: int, node: int) -> Part:
    """The causes of the stalls of the control unit of the node."""
    stalls = run.charges.filter(pl.col("array") == array, pl.col("node").fill_null(node) == node)
    stalled = int(stalls["cycles"].sum())
    by_label = analysis.by_label(stalls)
    if not stalled:
        return "", {"charged": by_label}
    subject = "Its stalls" if analysis.per_node(run.trace) else "Its stalls, those of its array,"
    return f"{subject} are charged to {kinds(by_label, stalled)}.", {"charged": by_label}


def _dma(run: Run, array: int, node: int) -> Part:
    rows = analysis.overlap(run.trace).filter(array=array, node=node).drop("array", "node").to_dicts()
    row = rows[0] if rows else {}
    busy = row.get("dma", 0)
    if not busy:
        return "Its DMA sends nothing.", {"dma": row}
    under = {"compute": "under its own computing", "stall": "while it is stalled"}
    under |= {"drain": "after its array has ended"}
    named = [f"{of(row[name], busy)} {text}" for name, text in under.items() if row[name]]
    other = row["post"] + row["receive"] + row["masked"]
    named += [f"{of(other, busy)} under other work of its array"] if other else []
    return f"Its DMA is busy for {cycles(busy)}: {listed(named)}.", {"dma": row}


def _messages(run: Run, array: int, node: int) -> Part:
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
    return text, figures

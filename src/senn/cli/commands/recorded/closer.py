"""A run looked at closely, in tables: a message, a cycle, the critical path.

Each is a document, as `--json` prints it, and how that is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.console import Console

from senn.cli.printing.screen import facts, heading, indented
from senn.cli.printing.tables import table
from senn.traces.naming import counted, value_text

if TYPE_CHECKING:
    from senn.traces.run import Run

Document = Mapping[str, Any]


def message(run: Run, number: int) -> Document:
    """A message and the channels that it crossed: rows of the trace."""
    from senn.traces.explained.step import found

    row, hops = found(run, number)
    return {"message": row, "hops": hops}


def show_message(page: Console, said: Document) -> None:
    page.print(facts(_of_message(said["message"])))
    heading(page, "Channels")
    lines = [
        (
            one["wire"],
            _place(one["source_array"], one["source_node"]),
            _place(one["target_array"], one["target_node"]),
            *(f"{one[name]:,}" for name in ("queued", "start", "end")),
            f"{one['start'] - one['queued']:,}",
            f"{one['end'] - one['start']:,}",
        )
        for one in said["hops"]
    ]
    _table(page, ["wire", "from", "to"], ["queued", "start", "end", "waiting", "crossing"], lines)


def _of_message(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "message", f"{row['id']:,}: {value_text(row['value'], row['level'], row['process'])}"
    yield "words", f"{row['words']:,}"
    at = _place(row["source_array"], row["source_node"])
    yield (
        "from",
        f"process {row['source_process']} at node {at}, by {row['step']} (instruction {row['instruction']})",
    )
    at = _place(row["target_array"], row["target_node"])
    yield "to", f"process {row['target_process']} at node {at}, read by instruction {row['read_by']}"
    yield "posted", f"{row['posted']:,}"
    yield "arrived", f"{row['arrived']:,}, after {counted(row['arrived'] - row['posted'], 'cycle')}"
    yield "read at", f"{row['read_at']:,}, after {counted(row['read_at'] - row['arrived'], 'cycle')}"


def cycle(run: Run, number: int) -> Document:
    """What the arrays do in a cycle, and the messages under way."""
    from senn.traces.replay import refuse_beyond

    refuse_beyond(run.trace, number)
    state = run.at(number)
    arrays = [
        {"array": one.array, "doing": one.doing, **(asdict(one.instruction) if one.instruction else {})}
        for one in state.arrays
    ]
    flights = [
        {name: found for name, found in vars(one).items() if name != "numbers"} for one in state.messages
    ]
    return {"cycle": number, "makespan": run.summary["makespan"], "arrays": arrays, "messages": flights}


def show_cycle(page: Console, said: Document) -> None:
    page.print(facts([("cycle", f"{said['cycle']:,} of {said['makespan']:,}")]))
    heading(page, "Arrays")
    lines = [
        (
            f"array {row['array']}",
            row["doing"],
            row.get("step", "-"),
            *(_number(row.get(name)) for name in ("level", "active", "issue", "end")),
        )
        for row in said["arrays"]
    ]
    _table(page, ["", "does", "step"], ["level", "nodes", "issue", "end"], lines)
    heading(page, "Messages under way")
    lines = [
        (
            value_text(one["value"], one["level"], one["process"]),
            f"{one['where']}, {one['wire']}",
            f"{_place(*one['source'])} to {_place(*one['target'])}",
            f"{one['message']:,}",
            f"{one['arrived']:,}",
        )
        for one in said["messages"]
    ]
    _table(page, ["value", "where", "nodes"], ["message", "arrives"], lines)


def critical(run: Run) -> Document:
    """The critical path, piece by piece."""

    path = run.path
    pieces = [asdict(one) for one in path]
    return {"makespan": run.summary["makespan"], "spent": run.spent, "critical_path": pieces}


def show_critical(page: Console, said: Document) -> None:
    from senn.traces.analysis.causality import WORDS, spent_text

    taken = counted(said["makespan"], "cycle")
    page.print(facts([("makespan", taken), ("spent on", spent_text(said["spent"]))]))
    heading(page, "Critical path")
    lines = [
        (
            WORDS[one["label"]],
            one["step"],
            *(_number(one[name]) for name in ("array", "level", "message", "start")),
            f"{one['end'] - one['start']:,}",
        )
        for one in said["critical_path"]
    ]
    _table(page, ["spent on", "step"], ["array", "level", "message", "from", "cycles"], lines)


def _table(
    page: Console, texts: Sequence[str], numbers: Sequence[str], lines: Sequence[Sequence[str]]
) -> None:
    indented(page, table(texts, numbers, lines) if lines else "none")


def _number(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _place(array: int, node: int) -> str:
    return f"{array}:{node}"

"""The schedule of a run made again from what its record says, and held against it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from senn.traces.errors import InputError

if TYPE_CHECKING:
    import polars as pl

    from senn.algorithms.catalogue import Algorithm
    from senn.machine.model import Machine
    from senn.machine.placing.schedule import Schedule
    from senn.machine.program import Program
    from senn.traces.run import Run


def rebuilt(run: Run) -> tuple[Schedule, Machine]:
    """The schedule of a run of `senn.run`, and its machine.

    InputError where the record does not say enough, or says something else than what is made of it here:
    every instruction, message and hop that it has is compared.
    """
    from senn.algorithms import catalogue
    from senn.machine.model.reader import of_description
    from senn.machine.placing.schedule import place
    from senn.machine.search.combining import combined

    said = run.description
    if "algorithm" not in said or "problem" not in said:
        raise InputError(
            "this run does not say which algorithm it is a run of, so its program cannot be made again: "
            "give its schedule, as senn.placed makes it"
        )
    taken, machine = catalogue.algorithm(said["algorithm"]), of_description(said["machine"])
    places = said["allocation"].get("table") or said["allocation"]["tables"]
    for assignment in _assignments(taken, run):
        try:
            schedule = place(_program(taken, said, assignment), np.array(places), machine)
            if said.get("combined"):
                schedule = combined(schedule, machine)
        except InputError:
            continue
        if _is_of(schedule, run):
            return schedule, machine
    made_by = said.get("versions", {}).get("senn")
    raise InputError(
        f"the program that run.json names (senn {made_by}) is not the one that was recorded: "
        "make the run again"
    )


def _assignments(taken: Algorithm, run: Run) -> Iterator[Any]:
    """What steps can have been given to: a number of arrays, or the arrays that did each by the record."""
    arrays = run.description["machine"]["arrays"]
    yield arrays
    if "arrays" in taken.choices and run.trace.detail != "summary":
        done: dict[str, set[int]] = {}
        computed = run.trace.instructions.filter(operation="compute")
        for array, step in computed.select("array", "step").iter_rows():
            done.setdefault(step, set()).add(array)
        yield {step: tuple(sorted(by)) for step, by in done.items()}


def _program(taken: Algorithm, said: Mapping[str, Any], arrays: Any) -> Program:
    from senn.algorithms.problems.contacts import ContactShape
    from senn.algorithms.programs.variants import ELIMINATIONS
    from senn.algorithms.robots.side_tree import SideTree

    about, joints = said["program"], said["problem"]["joints"]
    words = {title: word for word, title in ELIMINATIONS.items()}
    chosen = {**about, "elimination": words.get(about["elimination"]), "arrays": arrays}
    kept: dict[str, Any] = {name: chosen[name] for name in taken.choices}
    if taken.closed:
        kept["contact"] = ContactShape(about["contact_kind"], about["contact"])
    if branches := said["problem"].get("branches"):
        kept["branches"] = tuple(
            SideTree(one["link"], tuple(one["joints"]), tuple(one["hang_on"])) for one in branches
        )
    return taken.program(len(joints), joints=joints, **kept)


def _is_of(schedule: Schedule, run: Run) -> bool:
    """Whether the schedule is the one of the record, as far as that goes."""
    summary, trace, m = run.summary, run.trace, schedule.messages
    counts = len(m), len(m.paths.channels), sum(map(len, schedule.tasks))
    issued = sum(one["instructions"] for one in summary["arrays"].values())
    if counts != (summary["messages"], summary["hops"], issued):
        return False
    if trace.detail == "summary":
        return True
    tasks = [task for of_array in schedule.tasks for task in of_array]
    of_tasks = [
        (task.array, task.serial, task.step, task.line.instruction.operation, len(task.lanes))
        for task in tasks
    ]
    columns = ("array", "serial", "step", "operation", "active")
    if trace.instructions.select(columns).rows() != of_tasks:
        return False
    return trace.detail != "full" or (
        _same(trace.messages, _messages(schedule)) and _same_ways(schedule, trace.hops)
    )


def _messages(schedule: Schedule) -> dict[str, Any]:
    m = schedule.messages
    return {
        "source_array": m.source_array,
        "instruction": m.serial,
        "source_node": m.source_node,
        "target_array": m.target_array,
        "target_node": m.target_node,
        "words": m.words,
        "read_by": m.read_by,
    }


def _same_ways(schedule: Schedule, hops: pl.DataFrame) -> bool:
    """Whether every message crossed the channels of its route."""
    import polars as pl

    paths, columns = schedule.messages.paths, schedule.wiring.columns()
    numbers = {
        name: np.asarray(columns[name])[paths.channels]
        for name in ("source_array", "target_array", "source_node", "target_node")
    }
    wires = pl.Series(columns["wire"], dtype=pl.String).gather(paths.channels)
    message = np.repeat(np.arange(len(paths)), paths.hops)
    return _same(hops, {"message": message, **numbers}) and bool((hops["wire"] == wires).all())


def _same(table: pl.DataFrame, columns: Mapping[str, Any]) -> bool:
    return all(np.array_equal(table[name].to_numpy(), column) for name, column in columns.items())

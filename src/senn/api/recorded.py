"""Recorded runs: opened from their folders, and their programs, made again from the choices in the record."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from typing import Any

from senn.algorithms.account import sections
from senn.base.errors import InputError
from senn.machine.program import Program
from senn.traces.run import Run

Recorded = str | PathLike[str] | Run


def open_run(folder: str | PathLike[str]) -> Run:
    """The run of a run folder; InputError if a file of it is missing or damaged."""
    return replace(Run.load(folder), sections=sections)


def recorded_run(run: Recorded) -> Run:
    """The run itself, or the run of a folder; InputError for anything else, such as a motion."""
    if not isinstance(run, Run | str | PathLike):
        raise InputError(f"{run!r:.80} is neither a run nor the folder of a run")
    return run if isinstance(run, Run) else open_run(run)


def program_of(run: Run) -> Program:
    """The program of a run of `senn.run`, for its listing.

    InputError where the record lacks its choices, where they no longer make the recorded program, and where
    it is Python code that has not run in this process.
    """
    from senn.algorithms import catalogue
    from senn.algorithms.problems.contacts import ContactShape
    from senn.algorithms.robots.side_tree import SideTree
    from senn.api import own
    from senn.api.programs import placed
    from senn.machine.model.machine import of_description
    from senn.machine.placing.schedule import hash_of
    from senn.machine.rewrite import read_assignment
    from senn.machine.search.combining import combined

    record = run.description
    machine, choices, problem = of_description(record["machine"]), record["program"], record.get("problem")
    if problem:
        algorithm = catalogue.algorithm(record["algorithm"])
        values: dict[str, Any] = {name: choices[name] for name in algorithm.choices}
        if "arrays" in values:
            values["arrays"] = read_assignment(values["arrays"])
        if algorithm.closed:
            values["contact"] = ContactShape(choices["contact_kind"], choices["contact"])
        if trees := problem.get("branches"):
            branches = ((tree["link"], tuple(tree["joints"]), tuple(tree["hang_on"])) for tree in trees)
            values["branches"] = tuple(SideTree(*branch) for branch in branches)
        program = algorithm.program(len(problem["joints"]), joints=problem["joints"], **values)
    else:
        program = own.recorded(choices)
    if record["combined"]:
        tables = run.allocation.tables  # not its name, which may be that of Python code
        schedule = placed(program, machine, allocation=tables if len(tables) > 1 else tables[0])
        program = combined(schedule, machine).program
    if hash_of(program, machine) != record["schedule"]["hash"]:
        raise InputError("the program that run.json names is not the one that was recorded")
    return program

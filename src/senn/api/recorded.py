"""The program of a recorded run, made again from the choices in its record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from senn.api import own
from senn.api.programs import placed
from senn.base.errors import InputError

if TYPE_CHECKING:
    from senn.machine.program import Program
    from senn.traces.run import Run


def program_of(run: Run) -> Program:
    """The program of a run of `senn.run`, for its listing.

    InputError where the record lacks its choices, where they no longer make the recorded program, and where
    it is Python code that has not run in this process.
    """
    from senn.algorithms import catalogue
    from senn.algorithms.problems.contacts import ContactShape
    from senn.algorithms.robots.side_tree import SideTree
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

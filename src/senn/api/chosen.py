"""From what was chosen: the algorithm, its program, the machine, and the program on the machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from senn.choices import MachineChoices, ProgramChoices, choices
from senn.traces.errors import InputError
from senn.words import loaded, placed

if TYPE_CHECKING:
    from senn.algorithms.catalogue import Algorithm
    from senn.algorithms.problems.contact.contact import ContactShape
    from senn.algorithms.problems.problem import Problem
    from senn.algorithms.robots.chain import Chain
    from senn.algorithms.robots.side_tree import SideTree
    from senn.machine.model import Machine
    from senn.machine.placing.schedule import Schedule
    from senn.machine.program import Program


def algorithm(chosen: ProgramChoices) -> Algorithm:
    """The algorithm of the catalogue."""
    from senn.algorithms import catalogue

    return catalogue.algorithm(chosen["algorithm"])


def program(
    chosen: ProgramChoices,
    n: int,
    joints: Sequence[str] | None = None,
    contact: int | ContactShape = 6,
    problem: Problem | None = None,
) -> Program:
    """The program, by default of revolute joints and a welded tip. A serial one is for a problem."""
    taken = algorithm(chosen)
    given = _of_program(chosen)
    for name, (value, usual) in given.items():
        if name not in taken.choices and value != usual:
            raise InputError(
                f"the algorithm {taken.name} has no choice of {option(name)}; leave it out "
                f"({_options(taken.choices)})"
            )
    kept: dict[str, Any] = {name: value for name, (value, _) in given.items() if name in taken.choices}
    if taken.closed:
        kept["contact"] = contact
    if taken.serial:
        kept["problem"] = problem
    if problem is not None and problem.chain.branches:
        kept["branches"] = side_trees(taken, problem.chain)
    return taken.program(n, joints=joints, **kept)


def _of_program(chosen: ProgramChoices) -> dict[str, tuple[Any, Any]]:
    """What changes a program: the value chosen, and the usual one. Of the residencies "ahead" does."""
    from senn.machine.rewrite import read_assignment

    asked: dict[str, Any] = {**chosen, "arrays": read_assignment(chosen["arrays"])}
    rows = choices(ProgramChoices)
    given = {
        name: (asked[name], row.default)
        for name, row in rows.items()
        if name not in ("algorithm", "residency")
    }
    return {**given, "ahead": (chosen["residency"] == "ahead", False)}


def _options(names: Sequence[str]) -> str:
    """In words, for a message."""
    return f"it has {', '.join(map(option, names))}" if names else "it has none"


def option(name: str) -> str:
    """A choice of an algorithm as it is written on a command line."""
    return "--residency ahead" if name == "ahead" else f"--{name}"


def side_trees(taken: Algorithm, chain: Chain) -> tuple[SideTree, ...]:
    """What hangs beside the chain, for an algorithm that takes it; the others refuse."""
    from senn.algorithms import catalogue
    from senn.algorithms.robots import side_tree

    if not taken.branched:
        able = ", ".join(one.name for one in catalogue.ALGORITHMS.values() if one.branched)
        raise InputError(
            f"the algorithm {taken.name} takes single chains, and robot '{chain.name}' has side branches "
            f"({', '.join(chain.all_joint_names[chain.n :])}): choose one that takes them ({able}), or make "
            "those joints fixed"
        )
    return side_tree.structure(chain)


def machine(chosen: MachineChoices) -> Machine:
    """The machine, with its fields set."""
    found = loaded(chosen["machine"])
    return found.with_settings(chosen["set"]) if chosen["set"] else found


def schedule(chosen: MachineChoices, program: Program, machine: Machine) -> Schedule:
    """A program on the nodes of a machine; "ahead" has the places of "migrating"."""
    return placed(program, machine, chosen["residency"], chosen["allocation"])


def combined(schedule: Schedule, machine: Machine) -> Schedule:
    """The same with its messages together that make it no slower."""
    from senn.machine.placing.schedule import place
    from senn.machine.search.combining import combined

    return place(combined(schedule.program, schedule.allocation, machine), schedule.allocation, machine)


def allocation_name(chosen: MachineChoices) -> str:
    """What run.json calls the allocation."""
    from senn.machine.placing import allocation as allocations

    asked = chosen["allocation"]
    if callable(asked):
        return allocations.called(asked)
    return asked if isinstance(asked, str) else "table"


def residency(chosen: MachineChoices, schedule: Schedule) -> str:
    """A table of one's own, also from a file, says itself where the processes are."""
    from senn.machine.placing import allocation as allocations

    asked = chosen["allocation"]
    named = isinstance(asked, str) and not allocations.is_file(asked)
    return chosen["residency"] if named else allocations.residency_of(schedule.allocation)

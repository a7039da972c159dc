"""From choices to objects: the algorithm, program, machine and schedule; and their description."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from numpy.typing import ArrayLike, NDArray

from senn.algorithms import catalogue
from senn.algorithms.catalogue import Algorithm
from senn.algorithms.certificate.certificate import Certificate
from senn.algorithms.problems import states
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.problems.problem import Problem
from senn.algorithms.robots import side_tree
from senn.algorithms.robots.chain import Chain
from senn.algorithms.robots.side_tree import SideTree
from senn.algorithms.spatial import Numbers
from senn.api import own
from senn.api.arguments import flag
from senn.api.programs import placed
from senn.base.errors import InputError
from senn.choices import MachineChoices, ProgramChoices, RunChoices, choices
from senn.machine.engines import classes
from senn.machine.engines.runs import Unfit
from senn.machine.model import Machine
from senn.machine.network.named import is_graph_file
from senn.machine.placing import allocation as allocations
from senn.machine.placing.allocation import Function, is_file
from senn.machine.placing.schedule import Schedule
from senn.machine.program import Program
from senn.machine.program.values import LARGEST
from senn.machine.rewrite import assignment_text, read_assignment
from senn.machine.search.combining import combined

Certified: TypeAlias = tuple[dict[str, Numbers], Certificate]
"""Answers, and the certificate of them."""

T = TypeVar("T")


def algorithm_of(options: ProgramChoices) -> Algorithm:
    """Algorithm of the catalogue that the options name, or a program of a user."""
    if own.is_own(options["algorithm"]):
        return own.algorithm(options["algorithm"])
    return catalogue.algorithm(options["algorithm"])


def program_of(
    options: ProgramChoices,
    n: int,
    joints: Sequence[str] | None = None,
    contact: int | ContactShape = 6,
    problem: Problem | None = None,
) -> Program:
    """Program that the options name for n links, by default with revolute joints and a welded tip.

    A program with a serial solution needs its problem. InputError for an option that it does not have.
    """
    algorithm = algorithm_of(options)
    values: dict[str, Any] = {}
    settings: dict[str, Any] = {**options, "arrays": read_assignment(options["arrays"])}
    settings["ahead"] = options["residency"] == "ahead"  # the one residency that changes a program
    defaults = {name: row.default for name, row in choices(ProgramChoices).items()} | {"ahead": False}
    for name, default in defaults.items():
        if name in algorithm.choices:
            values[name] = settings[name]
        elif name not in ("algorithm", "residency") and settings[name] != default:
            flags = ", ".join(map(flag, algorithm.choices))
            which = f" (it has {flags})" if flags else ""
            raise InputError(
                f"the algorithm {algorithm.name} has no choice of {flag(name)}; leave it out{which}"
            )
    if algorithm.closed:
        values["contact"] = contact
    if algorithm.whole:
        values["problem"] = problem
    if problem is not None and problem.chain.branches:
        values["branches"] = side_trees(algorithm, problem.chain)
    program = algorithm.program(n, joints=joints, **values)
    if "arrays" not in values:
        return program
    arrays = values["arrays"]  # recorded, so that a run folder names every choice of its program
    text = arrays if isinstance(arrays, int) else assignment_text(arrays)
    return replace(program, about={**program.about, "arrays": text})


def side_trees(algorithm: Algorithm, chain: Chain) -> tuple[SideTree, ...]:
    """Side branches of a chain; InputError for an algorithm of single chains."""
    if not algorithm.branched:
        able = ", ".join(other.name for other in catalogue.ALGORITHMS.values() if other.branched)
        raise InputError(
            f"the algorithm {algorithm.name} takes single chains, and robot '{chain.name}' has side branches "
            f"({', '.join(chain.all_joint_names[chain.n :])}): choose one that takes them ({able}), or make "
            "those joints fixed"
        )
    return side_tree.structure(chain)


def timed_by_classes(
    options: MachineChoices | RunChoices, program: Program, machine: Machine
) -> classes.Timed | None:
    """Times and counts by classes of channels; None where they do not fit a program of at most LARGEST
    processes, which other engines run. InputError for a longer one."""
    try:
        for name, values in _OF_CLASSES.items():
            value = options.get(name, values[0])  # an allocation may be a table
            if not (value is None or isinstance(value, str | bool)) or value not in values:
                raise Unfit(f"they need {name} {' or '.join(values)}" if values[0] else f"without {name}")
        return classes.timed(program, machine)
    except (Unfit, InputError) as unfit:  # what the network lacks, another engine says too
        if program.n <= LARGEST:
            return None
        raise InputError(
            f"n = {program.n}: more than {LARGEST:,} links are timed by classes of channels alone, and "
            f"{unfit}: change that, or take fewer links"
        ) from None


_OF_CLASSES: Mapping[str, tuple[Any, ...]] = {
    "allocation": ("identity",),
    "residency": ("migrating", "ahead"),
    "detail": ("summary",),
    "engine": ("auto",),
    **dict.fromkeys(("check", "combine", "bounds"), (False,)),
}
"""Options with which classes of channels can time a run."""


@dataclass(eq=False)
class Question:
    """The subject of a run: its program and memory, `n` joints or processes, and how it is judged."""

    program: Program
    memory: Callable[[], Mapping[str, NDArray[Any]]]
    n: int
    inputs: object
    entries: Mapping[str, Any]
    certified: Callable[[Mapping[str, NDArray[Any]]], Certified] | None = None
    solution: Certified | None = None
    """Answers and certificate, of the first run with numbers on."""


class Shared:
    """Common parts of runs that differ in their numbers or times alone: the last schedules that were placed,
    and the last questions, with the answers to them; the `most` of each."""

    def __init__(self, most: int = 4) -> None:
        self._most = most
        self._last: dict[str, list[tuple[object, Any]]] = {}

    def latest(self, kind: str, key: object, make: Callable[[], T]) -> T:
        """The schedule or question of a key, made where there is none."""
        last = self._last.setdefault(kind, [])
        if not (values := [value for other, value in last if other == key]):
            values = [make()]
            last[:] = [(key, values[0]), *last][: self._most]
        value: T = values[0]
        return value

    def placed(self, program: Program, machine: Machine, options: RunChoices) -> Schedule | classes.Timed:
        """The program timed by classes of channels, or else its schedule.

        It is placed anew where program, allocation or network are others than before, or in files, which may
        have changed.
        """
        if (timed := timed_by_classes(options, program, machine)) is not None:
            return timed
        residency, allocation = options["residency"], options["allocation"]
        place = partial(placed, program, machine, residency, allocation)
        if isinstance(allocation, str) and not (is_file(allocation) or is_graph_file(machine.network)):
            key = program, residency, allocation, machine.network_fields(), machine.arrays_at_once
            schedule = self.latest("schedule", key, place)
        else:
            schedule = place()
        return combined(schedule, machine) if options["combine"] else schedule


def allocation_entry(options: RunChoices, tables: Mapping[str, Any]) -> dict[str, Any]:
    """Name, residency and tables of the allocation for run.json; tables of a user determine their residency.

    Of a run that keeps its summary alone, tables that the name determines are left out.
    """
    allocation = options["allocation"]
    if is_named(allocation):
        entry = {"name": allocation, "residency": options["residency"]}
        return entry if options["detail"] == "summary" else {**entry, **tables}
    name = allocations.called(allocation) if callable(allocation) else "table"
    name = allocation if isinstance(allocation, str) else name
    return {"name": name, "residency": allocations.residency_of(*tables.values()), **tables}


def is_named(allocation: str | ArrayLike | Function) -> bool:
    """Whether an allocation is one of `senn list allocations`, and no table of a user's."""
    return isinstance(allocation, str) and not allocations.is_file(allocation)


def run_entries(options: RunChoices) -> dict[str, Any]:
    """Entries of run.json for how the machine was run, which program, machine and schedule do not say."""
    values: dict[str, Any] = {**options}
    others, rows = choices(MachineChoices), choices(RunChoices).items()
    return {row.record_key: values[name] for name, row in rows if row.record_key and name not in others}


def problem_entry(problem: Problem) -> dict[str, Any]:
    """Robot, state and contact as JSON; `labels` names each component of qd, tau and qdd."""
    chain, written = problem.chain, problem.chain.written
    beside: dict[str, Any] = {}
    if chain.branches:
        names = iter(chain.all_joint_names[chain.n :])
        beside["branches"] = [
            {"link": x.at, "joints": [*x.joints], "names": [*islice(names, x.size)], "hang_on": [*x.parents]}
            for x in side_tree.structure(chain)
        ]
    if written and written.form == "urdf":  # the same file and choices give the same arm
        at = {name: list(position) for name, position in written.at.items()}
        beside["part"] = {"tip": written.tip, "base": written.base, "lock": list(written.lock), "at": at}
    return {
        "name": problem.name,
        "source": problem.source,
        "changed": list(problem.changed),
        "robot": chain.name,
        "joints": list(chain.joints),
        "joint_names": list(chain.all_joint_names),
        "labels": states.labels(chain),
        **beside,
        **{name: getattr(problem, name).tolist() for name in ("gravity", "q", "qd", "tau", "qdd")},
        "tip_vector": problem.tip_vector.tolist(),
        "contact": problem.contact.described(),
        "notes": list(problem.notes),
    }


def folder_named(name: str, inputs: str) -> Path:
    """A folder in runs/ for a name and the hash of inputs."""
    plain = "".join(c if c.isalnum() or c in "-_." else "-" for c in name)
    return Path("runs") / f"{plain[:60].lstrip('.')}-{inputs[:12]}"


@cache  # each is read by a parser of e-mails
def versions() -> Mapping[str, str]:
    """Versions of Python and of the libraries that compute a run."""
    packages = ("senn", "numpy", "simpy", "networkx", "polars")
    return {"python": platform.python_version(), **{name: version(name) for name in packages}}

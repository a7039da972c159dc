"""Which program runs where: what `senn.run`, `senn.steps`, `senn.optimise` and experiments are asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

from senn.traces.errors import InputError
from senn.words import Residency as Residency
from senn.words import loaded, placed

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from senn.algorithms.catalogue import Algorithm
    from senn.algorithms.problems.contact.shape import ContactShape
    from senn.algorithms.problems.problem import Problem
    from senn.algorithms.robots.chain import Chain
    from senn.algorithms.robots.side_tree import SideTree
    from senn.machine.model import Machine
    from senn.machine.placing.schedule import Schedule
    from senn.machine.program import Program

Form = Literal["paper", "short", "omega"]
Strategy = Literal[1, 2]
Elimination = Literal["oee", "oer"]

ELIMINATIONS = {"oee": "odd-even elimination", "oer": "odd-even reduction"}
"""What the short names mean."""


_USUAL = {
    "form": "paper",
    "refine": 0,
    "strategy": 2,
    "elimination": ELIMINATIONS["oee"],
    "arrays": 2,
    "ahead": False,
}
"""What an algorithm without the choice accepts: what is not given."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Setup:
    """The arguments that these functions share, as `senn.run` describes them."""

    algorithm: str = "closed-chain"
    form: str = "paper"
    refine: int = 0
    strategy: int = 2
    elimination: str = "oee"
    arrays: int = 2
    residency: Residency = "migrating"
    allocation: str | ArrayLike = "identity"
    machine: str | PathLike[str] | Machine = "mark3"
    set: Mapping[str, str | int] | None = None

    @property
    def chosen(self) -> Algorithm:
        """The algorithm of the catalogue."""
        from senn.algorithms import catalogue

        return catalogue.algorithm(self.algorithm)

    def program(
        self,
        n: int,
        joints: Sequence[str] | None = None,
        contact: int | ContactShape = 6,
        problem: Problem | None = None,
    ) -> Program:
        """The program, by default of revolute joints and a welded tip. A serial one is for a problem."""
        if self.elimination not in ELIMINATIONS:
            raise InputError(f'elimination "{self.elimination}" is not one of {", ".join(ELIMINATIONS)}')
        chosen = self.chosen
        given = {
            "form": self.form,
            "refine": self.refine,
            "strategy": self.strategy,
            "elimination": ELIMINATIONS[self.elimination],
            "arrays": self.arrays,
            "ahead": self.residency == "ahead",
        }
        for name, value in given.items():
            if name not in chosen.choices and value != _USUAL[name]:
                said = "--residency ahead" if name == "ahead" else f"--{name}"
                raise InputError(
                    f"the algorithm {chosen.name} has no choice of {said}; leave it out "
                    f"({_choices(chosen.choices)})"
                )
        kept: dict[str, Any] = {name: value for name, value in given.items() if name in chosen.choices}
        if chosen.closed:
            kept["contact"] = contact
        if chosen.serial:
            kept["problem"] = problem
        if problem is not None and problem.chain.branches:
            kept["branches"] = side_trees(chosen, problem.chain)
        return chosen.program(n, joints=joints, **kept)

    def loaded(self) -> Machine:
        """The machine, with its fields set."""
        found = loaded(self.machine)
        return found.with_settings(self.set) if self.set else found

    def placed(self, program: Program, machine: Machine) -> Schedule:
        """A program on the nodes of a machine; "ahead" has the places of "migrating"."""
        return placed(program, machine, self.residency, self.allocation)

    def residency_of(self, schedule: Schedule) -> str:
        """A table of one's own, also from a file, says itself where the processes are."""
        from senn.machine.placing import allocation as allocations

        named = isinstance(self.allocation, str) and not allocations.is_file(self.allocation)
        return self.residency if named else allocations.residency_of(schedule.allocation)


def side_trees(algorithm: Algorithm, chain: Chain) -> tuple[SideTree, ...]:
    """What hangs beside the chain, for an algorithm that takes it; the others refuse."""
    from senn.algorithms import catalogue
    from senn.algorithms.robots import side_tree

    if not algorithm.branched:
        able = ", ".join(one.name for one in catalogue.ALGORITHMS.values() if one.branched)
        raise InputError(
            f"the algorithm {algorithm.name} takes single chains, and robot '{chain.name}' has side branches "
            f"({', '.join(chain.all_joint_names[chain.n :])}): choose one that takes them ({able}), or make "
            "those joints fixed"
        )
    return side_tree.structure(chain)


def _choices(names: Sequence[str]) -> str:
    """In words, for a message."""
    options = ["--residency ahead" if name == "ahead" else f"--{name}" for name in names]
    return f"it has {', '.join(options)}" if options else "it has none"

"""Every algorithm by name: its question, its answers, its cost, and the program that runs it.

`senn run --algorithm NAME`, the API and studies take the names from here. An algorithm of many processes is a
module with `program`, `memory` and `answers`. A serial algorithm is a page with `solve` and `operations`, put
on one node of the machine: one process, one instruction, all operations in it. So it has the same run, trace
and certificate as a program of many processes, and its makespan can be put beside theirs. Its cycles are the
cycles of its arithmetic; the node reads its memory at no cost, as every node does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from senn.algorithms import gallery
from senn.algorithms.answers import ANSWERS
from senn.algorithms.arm import joint_types
from senn.algorithms.blocks import Blocks
from senn.algorithms.family import gather_and_solve as gather
from senn.algorithms.family.arm import NOTHING_HELD
from senn.algorithms.family.gather_and_solve import with_numbers
from senn.algorithms.family.pages import PAGES, Page, answered
from senn.algorithms.family.parts import both_ends
from senn.algorithms.family.parts import star_blocks as blocks
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs import divide_and_conquer, numerics, star, variants
from senn.algorithms.programs import operational_space as space
from senn.algorithms.programs.free import hybrid, inverse_dynamics, mass_matrix_inversion
from senn.algorithms.programs.free import memory as memory_of_free
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.robots.side_tree import SideTree
from senn.algorithms.spatial import Numbers
from senn.algorithms.variant import about
from senn.base import files
from senn.base.errors import InputError, suggestion
from senn.base.gone import refuse_former
from senn.machine.program import Compute, Kernel, Operations, Program, Resident, Value


@dataclass(frozen=True, eq=False)
class Algorithm:
    """One member of the family."""

    name: str
    title: str
    question: str  # forward dynamics, inverse dynamics, mass matrix or operational space
    order: str  # Of the number of its steps, in n
    source: str  # Paper, section, equations
    program: Callable[..., Program]
    """``program(n, joints=..., **choices)``; with `contact` if closed, with `problem` if `whole`."""
    memory: Callable[[Problem], Mapping[str, Numbers]]
    answers: Callable[[Problem, Mapping[str, NDArray[Any]]], Mapping[str, Numbers]]
    quantities: tuple[str, ...] = ()
    """Answers to every problem, by the names of `senn.algorithms.answers`: the certificate fails if one is
    missing, except `unbranched` ones with side branches. Of a serial algorithm it is what its page returns,
    all in one value."""
    choices: tuple[str, ...] = ()  # The arguments of `senn.run` that change its program
    closed: bool = False  # Whether the algorithm solves with the contact; otherwise the tip is free
    branched: bool = False
    """Whether the algorithm takes arms with side branches; its program then has `branches`."""
    whole: bool = False
    """Whether a node solves the whole problem by a page of the serial family: in double precision, and with
    the operations of revolute joints."""
    unbranched: tuple[str, ...] = ()
    """Those of `quantities` that `answers` has only of arms without side branches."""
    counted: str = ""
    """The assumption about numbers under which operations of a serial algorithm are counted, as its title has
    it: "n iterations" of conjugate gradients, "n_c joints" behind which a contact is solved."""
    operations: Callable[[int], Operations] | None = None
    """Operations of a serial algorithm for n revolute joints; if closed, with a welded tip."""

    def promised(self, problem: Problem) -> tuple[str, ...]:
        """Names in `quantities` that `answers` has of this problem."""
        left_out = self.unbranched if problem.chain.branches else ()
        return tuple(name for name in self.quantities if name not in left_out)

    @property
    def serial(self) -> bool:
        """Whether the algorithm runs on one node."""
        return self.operations is not None


def algorithm(name: str) -> Algorithm:
    """The algorithm of this name; `InputError` for an unknown name lists all, and suggests a near one."""
    refuse_former("algorithm", name)
    if name not in ALGORITHMS:
        names = (*ALGORITHMS, *gallery.NAMES)
        raise InputError(
            f'algorithm "{name}" is not known: choose {", ".join(names)}{suggestion(name, names)}'
        )
    return ALGORITHMS[name]


_TABLE = files.toml(Path(__file__).with_suffix(".toml"))
"""Title, order, source, answers, choices and limits of every algorithm of many processes."""


def _of_table(
    name: str,
    program: Callable[..., Program],
    memory: Callable[[Problem], Mapping[str, Numbers]] = numerics.memory,
    answers: Callable[[Problem, Mapping[str, NDArray[Any]]], Mapping[str, Numbers]] = numerics.answers,
) -> Algorithm:
    fields: dict[str, Any]
    fields = {key: tuple(entry) if isinstance(entry, list) else entry for key, entry in _TABLE[name].items()}
    question = ANSWERS[fields["quantities"][0]].question
    return Algorithm(name, question=question, program=program, memory=memory, answers=answers, **fields)


_PARALLEL = (
    _of_table("closed-chain", variants.closed_chain),
    _of_table("open-chain", variants.open_chain),
    _of_table("divide-and-conquer", divide_and_conquer.program),
    _of_table("star", star.program, star.memory),
    _of_table("star-together", partial(star.program, one_message=True), star.memory),
    _of_table("star-blocks", blocks.program, blocks.memory, blocks.answers),
    _of_table(
        "star-blocks-together", partial(blocks.program, one_message=True), blocks.memory, blocks.answers
    ),
    _of_table("both-ends", both_ends.program, both_ends.memory, both_ends.answers),
    _of_table("gather-and-solve", gather.program, gather.memory, gather.answers),
    _of_table(
        "gather-solve-scatter", partial(gather.program, everywhere=False), gather.memory, gather.answers
    ),
    _of_table("hybrid", hybrid.program, memory_of_free),
    _of_table("mass-matrix-inversion", mass_matrix_inversion.program, mass_matrix_inversion.memory),
    _of_table("inverse-dynamics", inverse_dynamics.program),
    _of_table("lambda-inverse", space.program),
    _of_table("lambda", partial(space.program, mass=True), space.memory_of_mass),
    _of_table("lambda-inverse-times", partial(space.program, vector=True)),
    _of_table("lambda-times", partial(space.program, mass=True, vector=True), space.memory_of_mass),
)


# ---------------------------------------------------------------- serial algorithms, on one node

STATE = ("q", "qd", "tau", "qdd", "tip_vector")
"""Memory of the node besides the constants of the arm."""

ANSWER = "answer"


def _serial(page: Page) -> Algorithm:
    """A page of the serial family on one node; its operations are those of a chain of revolute joints."""

    def program(
        n: int,
        *,
        joints: Sequence[str] | None = None,
        contact: int | ContactShape = NOTHING_HELD,
        branches: Sequence[SideTree] = (),
        problem: Problem | None = None,
    ) -> Program:
        """One Compute, whose value holds the answers one after the other; without a problem, to be timed."""
        every = (*joint_types(n, joints), *(joint for tree in branches for joint in tree.joints))
        shape, title = ContactShape.of(contact), page.title
        names, degrees = answered(page, problem, shape), sum(JOINTS[joint].degrees for joint in every)
        sizes = {"q": sum(JOINTS[joint].coordinates for joint in every), "tip_vector": 6}
        state = tuple(Value(name, None, (sizes.get(name, degrees),)) for name in STATE)
        target = Value(ANSWER, None, (sum(prod(ANSWERS[name].sizes(degrees)) for name in names),))

        def evaluate(*blocks: Blocks) -> Blocks:
            at_state = {name: block[0] for name, block in zip(STATE, blocks, strict=True)}
            solution = page.solve(replace(with_numbers(problem), **at_state))
            return np.concatenate([np.ravel(solution[name]) for name in names])[None]

        inputs = ", ".join(f"{{{place}}}" for place in range(len(state)))
        operations = page.operations(len(every), shape if page.in_contact else NOTHING_HELD)
        kernel = Kernel(title, f"{title}: {', '.join(names)} from {inputs}", evaluate, declared=operations)
        return Program(
            name=title,
            n=1,
            streams=((Compute("I", target, kernel(*state)),),),
            resident=tuple(Resident(x, (1,)) for x in state),
            results={ANSWER: (1, target)},
            parts={"I": "Step I. All of it, by one node"},
            about=about(shape),
        )

    def answers(problem: Problem, result: Mapping[str, NDArray[Any]]) -> Mapping[str, Numbers]:
        names = answered(page, problem, problem.contact.shape)
        shapes = [ANSWERS[name].sizes(len(problem.tau)) for name in names]
        parts = np.split(result[ANSWER][0], np.cumsum([prod(shape) for shape in shapes])[:-1])
        return {name: part.reshape(shape) for name, part, shape in zip(names, parts, shapes, strict=True)}

    def memory(problem: Problem) -> dict[str, Numbers]:
        return {name: getattr(problem, name)[None] for name in STATE}

    welded = ContactShape() if page.in_contact else NOTHING_HELD
    return Algorithm(
        page.name.replace("_", "-"),
        page.title,
        page.question,
        f"O(n^{page.degree})".replace("^1", ""),
        page.source,
        program,
        memory,
        answers,
        closed=bool(page.in_contact),
        branched=page.branched,
        whole=True,
        counted=page.counted,
        operations=lambda n: page.operations(n, welded),
    )


ALGORITHMS: dict[str, Algorithm] = {
    entry.name: entry for entry in (*_PARALLEL, *map(_serial, PAGES.values()))
}
"""Every algorithm by name, the parallel ones first."""

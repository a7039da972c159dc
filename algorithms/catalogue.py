"""Every algorithm by name: what it answers, on what, at which cost, and the program that runs it.

`senn run --algorithm NAME`, the API and studies take the names from here. An algorithm of many processes is a
module with `program`, `memory` and `answers`; a serial one is a page with `solve` and `operations`, which
`senn.algorithms.family.one_node` puts on one node of the machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from typing import Any

from numpy.typing import NDArray

from senn.algorithms.arm.choice import joint_types
from senn.algorithms.family import one_node
from senn.algorithms.family.arm import NOTHING_HELD
from senn.algorithms.family.page import Page, answered
from senn.algorithms.family.table import PAGES
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs import divide_and_conquer, numerics, operational_space, star, variants
from senn.algorithms.programs.free import hybrid, inverse_dynamics, mass_matrix_inversion
from senn.algorithms.robots.side_tree import SideTree
from senn.algorithms.spatial import Numbers
from senn.machine.program import Operations, Program
from senn.traces.errors import InputError


@dataclass(frozen=True, eq=False)
class Algorithm:
    """One member of the family."""

    name: str
    title: str
    question: str
    """forward dynamics, inverse dynamics, mass matrix or operational space."""
    order: str
    """Of its steps, in n."""
    source: str
    """Paper, section, equations."""
    program: Callable[..., Program]
    """``program(n, joints=..., **choices)``; with `contact` if closed, with `problem` if serial."""
    memory: Callable[[Problem], Mapping[str, Numbers]]
    answers: Callable[[Problem, Mapping[str, NDArray[Any]]], Mapping[str, Numbers]]
    choices: tuple[str, ...] = ()
    """Which arguments of `senn.run` change its program."""
    closed: bool = False
    """Whether it solves with the contact; else the tip is free."""
    branched: bool = False
    """Whether it takes arms with side branches; its program then has `branches`."""
    constrained: bool = False
    """Whether it goes over constraint forces, or inverts what they do: it then loses what A loses."""
    operations: Callable[[int], Operations] | None = None
    """Of a serial algorithm: executed operations for n revolute joints; if closed, of a welded tip."""

    @property
    def serial(self) -> bool:
        """Whether it runs on one node."""
        return self.operations is not None


def algorithm(name: str) -> Algorithm:
    """The algorithm of this name; `InputError` names the one that is meant, or lists what there is."""
    found = ALGORITHMS.get(name)
    if found is None:
        near = get_close_matches(name.lower().replace("_", "-"), ALGORITHMS, n=1, cutoff=0.75)
        if near:
            raise InputError(f'algorithm "{name}" is not known; did you mean {near[0]}?')
        raise InputError(f'algorithm "{name}" is not one of {", ".join(ALGORITHMS)}')
    return found


def _closed_chain_answers(problem: Problem, result: Mapping[str, NDArray[Any]]) -> Mapping[str, Numbers]:
    return numerics.named(numerics.solution(problem, result))


_PARALLEL = (
    Algorithm(
        "closed-chain",
        "constraint forces, the tip in contact",
        "forward dynamics",
        "O(log n)",
        "Fijany VI.D",
        variants.closed_chain,
        numerics.memory,
        _closed_chain_answers,
        ("form", "refine", "strategy", "elimination", "motion", "arrays", "ahead"),
        closed=True,
        branched=True,
        constrained=True,
    ),
    Algorithm(
        "open-chain",
        "constraint forces, the tip free",
        "forward dynamics",
        "O(log n)",
        "Fijany II.C and V, Eq. (81); Yang, Wu and Pan III",
        variants.open_chain,
        numerics.memory,
        numerics.open_chain,
        ("refine", "strategy", "elimination", "motion", "arrays", "ahead"),
        branched=True,
        constrained=True,
    ),
    Algorithm(
        "divide-and-conquer",
        "articulated bodies joined in a tree",
        "forward dynamics",
        "O(log n)",
        "Featherstone 1999",
        divide_and_conquer.program,
        divide_and_conquer.memory,
        divide_and_conquer.answers,
        ("arrays",),
        closed=True,
        branched=True,
        constrained=True,
    ),
    Algorithm(
        "star",
        "articulated bodies as two-ports, by scans of star products",
        "forward dynamics",
        "O(log n)",
        "this project; two-ports after Redheffer 1960",
        star.program,
        star.memory,
        star.answers,
        ("arrays",),
        closed=True,
        branched=True,
        constrained=True,
    ),
    Algorithm(
        "star-together",
        "star products with one message a level",
        "forward dynamics",
        "O(log n)",
        "this project; two-ports after Redheffer 1960",
        partial(star.program, one_message=True),
        star.memory,
        star.answers,
        ("arrays",),
        closed=True,
        branched=True,
        constrained=True,
    ),
    Algorithm(
        "hybrid",
        "articulated inertias on one node, the rest by scans",
        "forward dynamics",
        "O(n)",
        "Yang, Wu and Pan II.C, Eq. (8)",
        hybrid.program,
        hybrid.memory,
        hybrid.answers,
        branched=True,
    ),
    Algorithm(
        "mass-matrix-inversion",
        "M by scans, eliminated by rows",
        "forward dynamics",
        "O(n log n)",
        "Yang, Wu and Pan II.C, Eq. (7)",
        mass_matrix_inversion.program,
        mass_matrix_inversion.memory,
        mass_matrix_inversion.answers,
        branched=True,
    ),
    Algorithm(
        "inverse-dynamics",
        "Newton-Euler by scans",
        "inverse dynamics",
        "O(log n)",
        "Fijany VI.A; Yang, Wu and Pan II.B",
        inverse_dynamics.program,
        inverse_dynamics.memory,
        inverse_dynamics.answers,
        ("motion", "ahead"),
        branched=True,
    ),
)


def _operational_space(name: str, title: str, what: str, *, vector: bool = False) -> Algorithm:
    """A matrix at the end effector, or its product with a vector; where it is Lambda, that must exist."""
    space = operational_space
    choices = ("elimination",) if what == space.BOTH else ("form", "strategy", "elimination")
    program = partial(space.program, what=what, vector=vector)
    if what == space.BOTH:
        program = partial(program, form="short")  # it has no other
    memory = space.memory if what == space.INVERSE else space.memory_of_mass
    source = "Fijany IV.C, (82)" if what == space.INVERSE else "Fijany, operational space mass matrix, (43)"
    return Algorithm(
        name,
        title,
        "operational space",
        "O(log n)",
        source,
        program,
        memory,
        space.answers,
        choices,
        branched=True,
        constrained=True,
    )


_AT_END = (
    _operational_space("lambda-inverse", "Lambda^-1 by the factorisation with A", operational_space.INVERSE),
    _operational_space("lambda", "Lambda by the factorisation with Y", operational_space.MASS),
    _operational_space("lambda-both", "Lambda^-1 and Lambda by one elimination", operational_space.BOTH),
    _operational_space(
        "lambda-inverse-times", "Lambda^-1 x, no matrix", operational_space.INVERSE, vector=True
    ),
    _operational_space("lambda-times", "Lambda x, no matrix", operational_space.MASS, vector=True),
)


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
        types = (*joint_types(n, joints), *(joint for tree in branches for joint in tree.joints))
        shape = ContactShape.of(contact)
        count = page.held.operations(len(types), shape) if page.held else page.operations(len(types))
        return one_node.program(
            page.title, types, answered(page, problem, shape), count, page.solve, problem, shape
        )

    def answers(problem: Problem, result: Mapping[str, NDArray[Any]]) -> Mapping[str, Numbers]:
        return one_node.answers(answered(page, problem, problem.contact.shape), problem, result)

    return Algorithm(
        page.name.replace("_", "-"),
        page.title,
        page.question,
        f"O({page.order.lower()})",
        page.source,
        program,
        one_node.memory,
        answers,
        closed=page.held is not None,
        branched=page.branched,
        constrained=any(part in page.name for part in ("constraint_force", "gradient", "pv")),
        operations=partial(_welded, page) if page.held else page.operations,
    )


def _welded(page: Page, n: int) -> Operations:
    """For n revolute joints, the tip held in six directions."""
    assert page.held is not None
    return page.held.operations(n, ContactShape())


ALGORITHMS: dict[str, Algorithm] = {
    one.name: one for one in (*_PARALLEL, *_AT_END, *map(_serial, PAGES.values()))
}
"""Every algorithm by name, the parallel ones first."""

"""Where the programs use kernels: every kernel with the operands that some Compute gives it.

The programs are walked, not the kernel files, so a kernel that is new in a program is tested without being
named anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, reduce
from itertools import product
from operator import or_
from typing import Any, NamedTuple

import numpy as np

from senn.algorithms import problems
from senn.algorithms.catalogue import ALGORITHMS
from senn.algorithms.problems import contacts
from senn.algorithms.problems.contacts import Contact, ContactShape
from senn.algorithms.problems.problem import Problem
from senn.algorithms.robots import generators, side_tree
from senn.algorithms.robots.chain import Branch, Chain
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.robots.side_tree import SideTree
from senn.algorithms.spatial import rotation_quaternion
from senn.machine.program import Compute, Expression, Kernel, Operations, Program
from senn.machine.program.counting import Scalar, Tally

REVOLUTE, PRISMATIC = "revolute", "prismatic"
# All pairs of neighbours, and each type at the end of the arm, alone and mixed.
ARMS = (
    (REVOLUTE,) * 5,
    (PRISMATIC,) * 5,
    (REVOLUTE, REVOLUTE, PRISMATIC, PRISMATIC, REVOLUTE),
    (PRISMATIC, PRISMATIC, REVOLUTE, REVOLUTE, PRISMATIC),
)

# What hangs on links: one on another, a fork beside a single one, one alone, two side by side.
BRANCHES = (
    SideTree(1, (PRISMATIC, REVOLUTE), (0, 1)),
    SideTree(3, (REVOLUTE, PRISMATIC, REVOLUTE, PRISMATIC), (0, 1, 1, 0)),
    SideTree(4, (REVOLUTE,), (0,)),
    SideTree(5, (PRISMATIC, PRISMATIC), (0, 0)),
)
EVERY_LINK = tuple(SideTree(at, (REVOLUTE,), (0,)) for at in range(1, 6))
# Joints with several axes, and axes that depend on q.
OF_ANY_JOINTS = (
    SideTree(1, ("spherical", "universal"), (0, 1)),
    SideTree(3, ("planar", "helical", "cylindrical"), (0, 1, 1)),
    SideTree(4, ("free",), (0,)),
)
# Wide arms: blocks of 6, 5 and 3 rows, and every type of joint.
WIDE = (
    ("spherical", "welded", "universal", "planar"),
    ("free", "universal", "helical", "cylindrical", "planar", "prismatic", "revolute"),
    ("spherical", "planar", "spherical"),
)

# Operands of which both exist or neither: a block off the diagonal and the phi that it multiplies.
TOGETHER = {
    "minus_products": ((2, 3),),
    "row_solution": ((3, 4),),
    "joint_force": ((3, 4),),
    "with_acceleration": ((4, 5),),
    "affine": ((1, 2),),
    "chained_ahead": ((1, 2),),
    "compliance_behind": ((1, 2),),
    "compliance_ahead": ((1, 2), (2, 3)),
    "inertia_behind": ((2, 3),),
    "few_behind": ((1, 2),),
    "few_ahead": ((1, 2), (2, 3)),
    "packed_behind": ((1, 2),),
    "packed_ahead": ((1, 2), (2, 3)),
    "bias_behind": ((1, 2), (2, 3), (3, 4)),
    "bias_ahead": ((1, 3), (3, 4), (4, 5)),
    "free_behind": ((1, 2),),
    "still_at_cut": ((1, 2), (2, 3)),
    "motion_at_cut": ((3, 4),),
}

# Operands that exist only where another one does: of a span that does not begin at the base.
NEEDING = {"bias_behind": ((5, 1),)}


@dataclass(frozen=True)
class Use:
    """A kernel, the expression it stands in, and the shape it has to make."""

    kernel: Kernel
    expression: Expression
    shape: tuple[int, ...]
    step: str

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Of the operands."""
        return tuple(operand.value.shape for operand in self.expression.operands)

    def __str__(self) -> str:
        return f"{self.step} {self.kernel.name}"

    def presences(self) -> Iterator[tuple[bool, ...]]:
        """Which operands are there, in every way in which the kernel is ever executed."""
        optional = self.expression.optional
        for chosen in product((False, True), repeat=len(optional)):
            present = [k not in optional for k in range(len(self.shapes))]
            for k, here in zip(optional, chosen, strict=True):
                present[k] = here
            pairs = TOGETHER.get(self.kernel.name.split(".")[0], ())
            pairs = tuple(pair for pair in pairs if max(pair) < len(present))
            idle = bool(optional) and not any(chosen) and not self.kernel.runs_without_operands
            needing = NEEDING.get(self.kernel.name, ())
            alone = any(present[a] and not present[b] for a, b in needing)
            if not idle and not alone and all(present[a] == present[b] for a, b in pairs):
                yield tuple(present)


class Walk(NamedTuple):
    """A program of the catalogue: its structure, and how to make numbers for it."""

    algorithm: str
    joints: tuple[str, ...]
    branches: tuple[SideTree, ...] = ()
    contact: ContactShape | None = None
    """None: drawn, as many directions as the arm can take."""
    choices: tuple[tuple[str, Any], ...] = ()

    @property
    def shape(self) -> ContactShape:
        """Prismatic joints alone move the tip in three directions."""
        most = 3 if set(self.joints) == {PRISMATIC} else min(6, sum(JOINTS[x].degrees for x in self.joints))
        return self.contact or ContactShape("I", most)

    @cache  # noqa: B019 - a walk is a value, and there are few
    def program(self) -> Program:
        algorithm, choices = ALGORITHMS[self.algorithm], dict(self.choices)
        if algorithm.closed:
            choices["contact"] = self.shape
        return algorithm.program(len(self.joints), joints=self.joints, branches=self.branches, **choices)

    def problem(self) -> Problem:
        """An arm of this structure at a drawn state; every number of its contact is drawn."""
        drawn = problems.draw(_chain(self.joints, self.branches), 3, {"gravity": [1.3, -2.1, -9.1]})
        rng = np.random.default_rng(7)
        contact = _contact(self.shape, rng) if ALGORITHMS[self.algorithm].closed else contacts.none()
        qdd = rng.standard_normal(drawn.chain.degrees)
        return replace(drawn, contact_input=contact, qdd=qdd, tip_vector=np.arange(1.0, 7.0))


@cache
def _chain(joints: tuple[str, ...], branches: tuple[SideTree, ...]) -> Chain:
    letters = {joint: letter for letter, joint in generators.LETTERS.items()}
    rng = np.random.default_rng(11)

    def hanging(tree: SideTree, body: int, at: int) -> tuple[Branch, ...]:
        """The branches on a body of a tree, from 1, or on its link, 0."""
        return tuple(
            Branch(at, replace(of_one(tree.joints[k]), branches=hanging(tree, k + 1, 1)))
            for k, parent in enumerate(tree.parents)
            if parent == body
        )

    def of_one(joint: str) -> Chain:
        side = generators.generate(f"joints:{letters[joint]}:seed={rng.integers(1000)}")
        turn = rotation_quaternion(rng.standard_normal(4))
        return replace(side, base_rotation=turn, base_position=rng.uniform(-0.3, 0.3, 3))

    main = generators.generate(f"joints:{''.join(letters[x] for x in joints)}:seed=4")
    chain = replace(main, branches=tuple(x for tree in branches for x in hanging(tree, 0, tree.at)))
    assert side_tree.structure(chain) == branches
    return chain


def _contact(shape: ContactShape, rng: np.random.Generator) -> Contact:
    n_c, n_f = shape.constrained, shape.free
    if shape.kind == "general":
        return contacts.general(*(rng.standard_normal(size) for size in ((6, 6), 6, (6, 6), 6)))
    if not n_c:
        return contacts.type_i(np.zeros((6, 0)), np.eye(6), None, rng.standard_normal(6))
    basis = np.linalg.qr(rng.standard_normal((6, 6)))[0]
    held, free, g_c, force = (
        basis[:, :n_c],
        basis[:, n_c:],
        rng.standard_normal(n_c),
        rng.standard_normal(n_f),
    )
    if shape.kind == "I":
        return contacts.type_i(held, free, g_c, force)
    return contacts.type_ii(held, free, 0.3 * rng.standard_normal((n_f, n_c)), force, g_c)


@cache
def walks() -> tuple[Walk, ...]:
    """Every form, arms of all kinds of joints, 0..6 constrained directions; and what refinement, the other
    strategies, eliminations, widths, contacts and side branches use, and the other algorithms."""

    def closed(joints: tuple[str, ...], *branches: SideTree, contact: Any = None, **choices: Any) -> Walk:
        shape = None if contact is None else ContactShape.of(contact)
        return Walk("closed-chain", joints, branches, shape, tuple(choices.items()))

    plain, sliding, mixed, _ = ARMS
    free_base, ball = WIDE[1], WIDE[0]
    shapes = (*range(5), *(ContactShape("II", c) for c in range(1, 6)), ContactShape("general"))
    others = ("divide-and-conquer", "star", "hybrid", "mass-matrix-inversion")
    return (
        *(closed(joints, form="paper", refine=1) for joints in (*ARMS[3:], *WIDE)),
        *(closed(joints, form="omega") for joints in WIDE[1:]),
        *(closed(joints, form="short", motion="jets") for joints in WIDE[:2]),
        *(closed(mixed, *branches, form="short", motion="outward") for branches in ((), BRANCHES)),
        *(closed(plain, contact=shape, form="short") for shape in shapes),
        *(closed(joints, arrays=8) for joints in (plain, ball)),
        *(
            closed(joints, form=form, strategy=strategy, elimination="oer")
            for form, strategy, joints in product(("short", "omega"), (1, 2), (plain, ball))
        ),
        closed(WIDE[2], form="short"),
        closed(free_base, *BRANCHES, form="short"),
        closed(mixed, *EVERY_LINK, form="paper"),
        closed(plain, *EVERY_LINK, form="omega"),
        closed(sliding, *BRANCHES, form="omega"),
        closed(mixed, *OF_ANY_JOINTS, form="omega"),
        closed(sliding, *OF_ANY_JOINTS, form="short"),
        *(Walk(name, joints) for name, joints in product(others, (*ARMS[2:], *WIDE))),
        *(Walk(name, joints, BRANCHES) for name, joints in product(others, (mixed, free_base))),
        *(Walk(name, ball, OF_ANY_JOINTS) for name in (*others[:3], "inverse-dynamics")),
        *(Walk(name, plain, BRANCHES) for name in ("star", "inverse-dynamics")),
        *(
            Walk("inverse-dynamics", joints, choices=(("motion", "jets"),))
            for joints in (plain, sliding, *WIDE[:2])
        ),
        *(Walk(name, joints) for name, joints in product(("lambda-inverse-times", "lambda-times"), WIDE)),
        *(Walk("lambda", (*(REVOLUTE,) * 6, last)) for last in JOINTS),
        *(Walk("lambda-times", joints, BRANCHES) for joints in (mixed, free_base)),
    )


@cache
def uses() -> tuple[Use, ...]:
    """Each kernel once for every shape of its operands and every choice of optional ones."""
    found: dict[tuple[object, ...], Use] = {}
    for walk in walks():
        for use in uses_in(walk.program()):
            found.setdefault((id(use.kernel), use.shapes, use.expression.optional, use.shape), use)
    return tuple(found.values())


def uses_in(program: Program) -> Iterator[Use]:
    for line in (line for stream in program.streams for line in stream):
        if isinstance(line, Compute):
            for kernel in line.expression.kernels:
                yield Use(kernel, line.expression, line.target.shape, line.step)


def reached(tally: Tally, results: np.ndarray) -> Operations:
    """The operations that results come from: forward, by the set that each operation stands on."""
    stands_on: list[int] = []
    for k, reads in enumerate(tally.reads):
        stands_on.append(reduce(or_, (stands_on[x] for x in reads if x >= 0), 1 << k))
    origins = [x.origin for x in results.flat if isinstance(x, Scalar) and x.origin >= 0]
    wanted = reduce(or_, (stands_on[origin] for origin in origins), 0)
    return Operations.of([kind for k, kind in enumerate(tally.kinds) if wanted >> k & 1])

"""Where the programs use kernels: every kernel with the operands that some Compute gives it.

The programs are walked, not the kernel files, so a kernel that is new in a program is tested without being
named anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, reduce
from itertools import product
from operator import or_

import numpy as np

from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.programs import divide_and_conquer, operational_space, star, variants
from senn.algorithms.programs.free import hybrid, inverse_dynamics, mass_matrix_inversion
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.robots.side_tree import SideTree
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
    "inertia_ahead": ((2, 3),),
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


def programs() -> Iterator[Program]:
    """Every form, with and without refinement, arms of all kinds of joints, 0..6 constrained directions; and
    what the other strategies, eliminations, widths, contacts and side branches use, and the other
    algorithms."""
    for form, refine, joints in product(variants.FORMS, (0, 1), ARMS):
        for contact in range(7) if joints == ARMS[0] and not refine else (6,):
            yield variants.closed_chain(len(joints), form, refine, joints, contact)
    for form, strategy in product(variants.FORMS, (1, 2)):
        yield variants.closed_chain(5, form, strategy=strategy, elimination="oer")
    yield variants.closed_chain(5, arrays=8)
    for form, refine, joints in product(variants.FORMS, (0, 1), WIDE):
        yield variants.closed_chain(len(joints), form, refine, joints)
    for form, strategy in product(variants.FORMS, (1, 2)):
        choices = {"strategy": strategy, "elimination": "oer"}
        yield variants.closed_chain(len(WIDE[0]), form, joints=WIDE[0], **choices)
    yield variants.closed_chain(len(WIDE[0]), joints=WIDE[0], arrays=8)
    for joints in WIDE:
        yield inverse_dynamics.program(len(joints), joints)
        yield divide_and_conquer.program(len(joints), joints)
        yield hybrid.program(len(joints), joints)
        yield mass_matrix_inversion.program(len(joints), joints)
        yield star.program(len(joints), joints)
        yield variants.closed_chain(len(joints), "short", joints=joints, motion="jets")
    for joints in (*ARMS[:2], *WIDE):
        yield inverse_dynamics.program(len(joints), joints, motion="jets")
    yield variants.closed_chain(5, "short", joints=ARMS[2], motion="jets")
    for branches in ((), BRANCHES):
        yield variants.closed_chain(5, "short", joints=ARMS[2], motion="outward", branches=branches)
    yield inverse_dynamics.program(5, branches=BRANCHES)
    for joints in (ARMS[2], WIDE[1]):
        yield divide_and_conquer.program(len(joints), joints, branches=BRANCHES)
        yield hybrid.program(len(joints), joints, branches=BRANCHES)
        yield mass_matrix_inversion.program(len(joints), joints, branches=BRANCHES)
        yield star.program(len(joints), joints, branches=BRANCHES)
    yield star.program(5, branches=BRANCHES)
    for joints in ARMS:
        for algorithm in (inverse_dynamics, divide_and_conquer, star, hybrid, mass_matrix_inversion):
            yield algorithm.program(len(joints), joints)
    for joints, branches in (*((x, ()) for x in (*ARMS, *WIDE)), (ARMS[2], BRANCHES), (WIDE[1], BRANCHES)):
        given = {"joints": joints, "branches": branches}
        for what, vector in product((operational_space.INVERSE, operational_space.MASS), (False, True)):
            yield operational_space.program(len(joints), what=what, vector=vector, **given)
    for last in (*JOINTS,):
        yield operational_space.program(2, ("revolute", last), what=operational_space.MASS)
    for shape in (*(ContactShape("II", c) for c in range(1, 6)), ContactShape("general")):
        yield variants.closed_chain(5, contact=shape)
    for program in (divide_and_conquer, hybrid, inverse_dynamics, star):
        yield program.program(4, WIDE[0], branches=OF_ANY_JOINTS)
    for form, joints, branches in product(variants.FORMS, ARMS, (BRANCHES, EVERY_LINK, OF_ANY_JOINTS)):
        yield variants.closed_chain(5, form, 0, joints, branches=branches)


@cache
def uses() -> tuple[Use, ...]:
    """Each kernel once for every shape of its operands and every choice of optional ones."""
    found: dict[tuple[object, ...], Use] = {}
    for program in programs():
        for instruction in (line for stream in program.streams for line in stream):
            if isinstance(instruction, Compute):
                expression = instruction.expression
                for kernel in expression.kernels:
                    use = Use(kernel, expression, instruction.target.shape, instruction.step)
                    found.setdefault((id(kernel), use.shapes, expression.optional, use.shape), use)
    return tuple(found.values())


def reached(tally: Tally, results: np.ndarray) -> Operations:
    """The operations that results come from: forward, by the set that each operation stands on."""
    stands_on: list[int] = []
    for k, reads in enumerate(tally.reads):
        stands_on.append(reduce(or_, (stands_on[x] for x in reads if x >= 0), 1 << k))
    origins = [x.origin for x in results.flat if isinstance(x, Scalar) and x.origin >= 0]
    wanted = reduce(or_, (stands_on[origin] for origin in origins), 0)
    return Operations.of([kind for k, kind in enumerate(tally.kinds) if wanted >> k & 1])

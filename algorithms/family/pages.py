"""The serial family as a table: the answer, order, source and cost of each page.

Operations are counted, not declared: a page runs on scalars that count, for a few small arms of revolute
joints, and the polynomial in n through these counts holds for every n.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass
from functools import cache
from itertools import pairwise
from math import factorial, prod
from operator import sub
from pathlib import Path
from typing import Any

import numpy as np

from senn.algorithms.answers import ANSWERS, END
from senn.algorithms.blocks import Blocks, apply
from senn.algorithms.family import constraint_force, forward, joint_space, null_space, outward
from senn.algorithms.family import popov_vereshchagin as pv
from senn.algorithms.family.arm import NOTHING_HELD, SerialArm, arm_of, at_state
from senn.algorithms.family.closing import OpenChain, at_tip, closed, of_contact
from senn.algorithms.family.link import Constants, Rigid
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs.operational_space import check_mass_exists
from senn.base import files
from senn.machine.program import Operations
from senn.machine.program.counting import Tally

Solve = Callable[[Problem], dict[str, Blocks]]


@dataclass(frozen=True)
class Page:
    """One algorithm of the family."""

    name: str
    solve: Solve
    on_arm: Callable[[SerialArm, Blocks], Any]
    """The counted part: the answer for an arm and its accelerations or torques, flat; at the end effector for
    a vector (6,)."""
    _: KW_ONLY
    on_contact: Callable[[SerialArm, Blocks, Blocks, Blocks, ContactShape], Any] | None = None
    """Of a forward dynamics in contact the counted part: accelerations, flat, for an arm, its torques,
    columns W (6, m), their prescribed accelerations (m,) and the shape of the contact."""
    apart: Callable[[ContactShape], Operations] = lambda shape: Operations()
    """The part that is counted apart: lines of Step III, or none."""
    in_contact: tuple[str, ...] = ()
    """The names of the answers of `solve` in contact; empty for a page that ignores it."""
    heading: str
    answer: str  # The name of the answer of `solve`
    degree: int
    """Its operations for the open chain grow as N to this power, N its degrees of freedom."""
    source: str
    branched: bool = True  # Whether the page takes side branches
    counted: str = ""
    """The assumption about numbers under which operations are counted: "n iterations", "n_c joints"."""
    least: int = 2  # Number of joints from which on operations in contact are a polynomial

    @property
    def title(self) -> str:
        """The heading with the assumption of the counts."""
        return f"{self.heading} ({self.counted} counted)" if self.counted else self.heading

    @property
    def question(self) -> str:
        """Question that the answer belongs to."""
        return ANSWERS[self.answer].question

    def operations(self, n: int, shape: ContactShape = NOTHING_HELD) -> Operations:
        """Operations for n revolute joints, in a contact of this shape (PV-early: for n >= n_c)."""
        return _counted(self, shape, n) + self.apart(shape)


def operations_with_tip(n: int, shape: ContactShape) -> Operations:
    """Operations of `popov_vereshchagin.solve_with_tip` for n revolute joints: six unit forces, as in a
    general contact, and Step III of this one."""
    return _counted(PAGES["forward_pv"], ContactShape("general"), n) + of_contact(shape)


def answered(page: Page, problem: Problem | None, shape: ContactShape) -> tuple[str, ...]:
    """The names of the answers of a page: with a free tip one, in contact all; where nothing is constrained
    and a given force presses, the accelerations and that force."""
    if not page.in_contact or (problem is not None and problem.contact.kind == "none"):
        return (page.answer,)
    return ("qdd", "force") if shape == NOTHING_HELD else page.in_contact


# ---------------------------------------------------------------------------- counted operations


def _counted(page: Page, shape: ContactShape, n: int) -> Operations:
    """The counted operations for n joints, from those of `degree` + 1 arms."""
    first = max(page.least, shape.constrained if shape.kind == "I" else 6)
    return polynomial(lambda k: (executed(page, k, shape),), n, first, page.degree)[0]


def polynomial(
    count: Callable[[int], tuple[Operations, ...]], n: int, first: int, degree: int
) -> tuple[Operations, ...]:
    """`count(n)` by the polynomial through counts from `first` on: Newton's differences of integers."""
    rows = np.array([[[*part] for part in count(first + k)] for k in range(degree + 1)], dtype=object)
    binomials = (prod(n - first - i for i in range(k)) // factorial(k) for k in range(degree + 1))
    terms = (binomial * np.diff(rows, k, axis=0)[0] for k, binomial in enumerate(binomials))
    return tuple(Operations(*part) for part in sum(terms).tolist())


@cache
def executed(page: Page, n: int, shape: ContactShape = NOTHING_HELD) -> Operations:
    """Operations that the counted part of a page executes for n revolute joints, every constant a scalar."""

    def counted(arm: SerialArm, some: Scalars) -> Iterator[Any]:
        if page.on_contact is None or shape == NOTHING_HELD:
            yield page.on_arm(arm, some(6 if page.question == END else n))
        else:
            m = shape.constrained if shape.kind == "I" else 6
            yield page.on_contact(arm, some(n), some(6, m), some(m), shape)

    (total,) = in_parts(n, counted)
    return total


Scalars = Callable[..., Blocks]  # Scalars of a tally, in a block of this shape
Passes = Callable[[SerialArm, Scalars], Iterator[Any]]


@cache
def in_parts(n: int, parts: Passes, *, turning: bool = False) -> tuple[Operations, ...]:
    """Operations up to each `yield` of `parts`, which computes with n links on revolute joints, all of whose
    constants are scalars of a tally; the first part begins with the arm at its state. `turning`: so does the
    base."""
    tally = Tally()
    some = tally.scalars
    spin = some(3) if turning else None
    arm = at_state(counted_links(tally, n), some(n), some(n), some(3), turning=spin)
    totals = [Operations(), *(tally.operations for _ in parts(arm, some))]
    return tuple(Operations(*map(sub, b, a)) for a, b in pairwise(totals))


def counted_links(tally: Tally, n: int) -> list[Constants]:
    """The constants of n links on revolute joints, all of them scalars of the tally."""
    (x,), some = tally.scalars(1), tally.scalars
    bodies = [Rigid(x, some(3), some(6)) for _ in range(n)]
    return [
        Constants("revolute", 0.0, some(3, 3), some(3), some(3), body, x, some(6), some(21))
        for body in bodies
    ]


# ----------------------------------------------------------------------------- kinds of pages


_TABLE = files.toml(Path(__file__).with_suffix(".toml"))
"""Heading, answer, degree, source and limits of every page."""


def _page(name: str, of_arm: Callable[[SerialArm, Blocks], Blocks], operand: str = "tip_vector") -> Page:
    """A page whose answer is a function of the arm and a vector of the problem; Lambda must exist."""
    answer, branched = _TABLE[name]["answer"], _TABLE[name].get("branched", True)

    def solve(problem: Problem) -> dict[str, Blocks]:
        arm = arm_of(problem, branched=branched)
        if ANSWERS[answer].of_mass:
            check_mass_exists(problem)
        return {answer: of_arm(arm, getattr(problem, operand))}

    return Page(name, solve, of_arm, **_TABLE[name])


def _forward(name: str, open_chain: OpenChain, solve: Solve | None = None) -> Page:
    """A contact by Fijany Table I around the open chain. `solve`: where other than the counted form."""
    branched = _TABLE[name].get("branched", True)

    def by_table_i(problem: Problem) -> dict[str, Blocks]:
        return closed(problem, open_chain, arm_of(problem, branched=branched))

    def on_arm(arm: SerialArm, tau: Blocks, W: Blocks, prescribed: Blocks, shape: ContactShape) -> Blocks:
        free = open_chain(arm, tau)
        responses, _, acceleration = at_tip(arm, free)
        return free.qdd - apply(responses, acceleration)

    answers = ("qdd", "force", "lambda_inverse", "qdd0", "acceleration0")
    return _in_contact(name, solve or by_table_i, on_arm, open_chain, in_contact=answers, apart=of_contact)


def _in_contact(
    name: str,
    solve: Solve,
    on_contact: Callable[..., Blocks],
    open_chain: OpenChain = forward.by_articulated_bodies,
    **of_page: Any,
) -> Page:
    fields = {"in_contact": ("qdd", "force"), "apart": pv.apart, "on_contact": on_contact, **of_page}
    return Page(name, solve, lambda arm, tau: open_chain(arm, tau).qdd, **fields, **_TABLE[name])


def _by_gradients(name: str, precondition: Callable[[SerialArm], forward.Precondition]) -> Page:
    """The counted form has as many iterations as there are degrees of freedom."""
    return _forward(
        name,
        lambda arm, tau: forward.by_gradients(arm, tau, precondition(arm), arm.degrees),
        lambda problem: forward.solve_by_gradients(problem, precondition),
    )


_ALL = (
    _page("inverse_dynamics_newton_euler", joint_space.newton_euler, "qdd"),
    _page("inverse_dynamics_composite", joint_space.composite_bodies, "qdd"),
    _page("mass_matrix_direct", lambda arm, _: joint_space.mass_matrix_by_columns(arm)),
    _page("mass_matrix_symmetry", lambda arm, _: joint_space.mass_matrix_by_half_columns(arm)),
    _page("mass_matrix_composite", lambda arm, _: joint_space.mass_matrix(arm)),
    _forward("forward_by_mass_matrix", joint_space.by_mass_matrix),
    _by_gradients("forward_conjugate_gradient", forward.plain),
    _by_gradients("forward_preconditioned_gradient", forward.diagonal),
    _forward("forward_innovations", forward.by_innovations),
    _forward("forward_articulated", forward.by_articulated_bodies),
    _forward("forward_articulated_precomputed", forward.by_articulated_bodies_precomputed),
    _forward("forward_constraint_force", constraint_force.open_chain),
    _in_contact("forward_pv", pv.solve, pv.counted),
    _in_contact("forward_pv_early", pv.solve_early, pv.counted_early),
    _in_contact(
        "forward_outward", outward.solve, outward.counted, in_contact=outward.ANSWERS, apart=of_contact
    ),
    _in_contact("forward_null_space", null_space.solve, null_space.counted, joint_space.by_mass_matrix),
    _page("lambda_inverse_constraint_force", lambda arm, _: constraint_force.lambda_inverse(arm)),
    _page("lambda_inverse_times_constraint_force", constraint_force.lambda_inverse_times),
    _page("lambda_constraint_force", lambda arm, _: constraint_force.operational_mass(arm)),
    _page("lambda_times_constraint_force", constraint_force.operational_mass_times),
    _page("lambda_inverse_articulated", lambda arm, _: constraint_force.lambda_inverse_articulated(arm)),
)

PAGES = {page.name: page for page in _ALL}  # Every page of the family by name

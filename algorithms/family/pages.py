"""The serial family as a table: the answer, order, source and cost of each page.

Operations are counted, not declared: a page runs on scalars that count, for a few small arms of revolute
joints, and the polynomial in n through these counts holds for every n.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, dataclass
from functools import cache
from itertools import pairwise
from math import factorial, prod
from typing import Any

from senn.algorithms.answers import ANSWERS, END
from senn.algorithms.blocks import Blocks
from senn.algorithms.family import constraint_force, forward, joint_space
from senn.algorithms.family import popov_vereshchagin as pv
from senn.algorithms.family.arm import NOTHING_HELD, SerialArm, arm_of, at_state, chain_of, joined
from senn.algorithms.family.closing import OpenChain, at_tip, closed, of_contact, under_force
from senn.algorithms.family.link import Constants, Rigid
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs.operational_space import check_mass_exists
from senn.machine.program import Operations
from senn.machine.program.kernels import Tally

Solve = Callable[[Problem], dict[str, Blocks]]


@dataclass(frozen=True)
class InContact:
    """A forward dynamics in contact."""

    answers: tuple[str, ...]
    """The names of the answers of `solve`."""
    on_arm: Callable[[SerialArm, Blocks, Blocks, Blocks, ContactShape], Any]
    """The counted part: accelerations, flat, for an arm, its torques, columns W (6, m), their prescribed
    accelerations (m,) and the shape of the contact."""
    apart: Callable[[ContactShape], Operations]
    """The part that is counted apart: lines of Step III."""


@dataclass(frozen=True)
class Page:
    """One algorithm of the family."""

    name: str
    heading: str
    answer: str
    """The name of the answer of `solve`."""
    degree: int
    """Its operations for the open chain grow as N to this power, N its degrees of freedom."""
    source: str
    solve: Solve
    on_arm: Callable[[SerialArm, Blocks], Any]
    """The counted part: the answer for an arm and its accelerations or torques, flat; at the end effector for
    a vector (6,)."""
    branched: bool = True
    """Whether the page takes side branches."""
    in_contact: InContact | None = None
    """Of a forward dynamics, its solution in contact."""
    constrained: bool = False
    """Whether the page goes over constraint forces, or inverts their effect, and loses the digits that A
    loses."""
    counted: str = ""
    """The assumption about numbers under which operations are counted: "n iterations", "n_c joints"."""

    @property
    def title(self) -> str:
        """The heading with the assumption of the counts."""
        return f"{self.heading} ({self.counted} counted)" if self.counted else self.heading

    @property
    def order(self) -> str:
        """Order of the operations for the open chain."""
        return "N" if self.degree == 1 else f"N^{self.degree}"

    @property
    def question(self) -> str:
        """Question that the answer belongs to."""
        return ANSWERS[self.answer].question

    def operations(self, n: int, shape: ContactShape = NOTHING_HELD) -> Operations:
        """Operations for n revolute joints: of the open chain, or in a contact of this shape (PV-early: for
        n >= n_c)."""
        if shape == NOTHING_HELD:
            return _polynomial(self, NOTHING_HELD)(n)
        assert self.in_contact is not None
        return _polynomial(self, shape)(n) + self.in_contact.apart(shape)


def operations_with_tip(n: int, shape: ContactShape) -> Operations:
    """Operations of `popov_vereshchagin.solve_with_tip` for n revolute joints: six unit forces, as in a
    general contact, and Step III of this one."""
    return _polynomial(PAGES["forward_pv"], ContactShape("general"))(n) + of_contact(shape)


def answered(page: Page, problem: Problem | None, shape: ContactShape) -> tuple[str, ...]:
    """The names of the answers of a page: with a free tip one, in contact all; where nothing is constrained
    and a given force presses, the accelerations and that force."""
    if page.in_contact is None or (problem is not None and problem.contact.kind == "none"):
        return (page.answer,)
    return ("qdd", "force") if shape == NOTHING_HELD else page.in_contact.answers


# ---------------------------------------------------------------------------- counted operations


@cache
def _polynomial(page: Page, shape: ContactShape) -> Callable[[int], Operations]:
    """The operations as a function of n, from `degree` + 1 arms, by Newton's divided differences."""
    directions = shape.constrained if shape.kind == "I" else 6
    first = max(2, directions)
    rows = [astuple(executed(page, first + k, shape)) for k in range(page.degree + 1)]
    leading = [rows[0]]
    while len(rows) > 1:
        rows = [tuple(b - a for a, b in zip(x, y, strict=True)) for x, y in pairwise(rows)]
        leading.append(rows[0])

    def at(n: int) -> Operations:
        binomials = [prod(n - first - i for i in range(k)) // factorial(k) for k in range(len(leading))]
        kinds = zip(*leading, strict=True)
        return Operations(*(sum(c * x for c, x in zip(binomials, kind, strict=True)) for kind in kinds))

    return at


def executed(page: Page, n: int, shape: ContactShape = NOTHING_HELD) -> Operations:
    """Operations that the counted part of a page executes for n revolute joints, every constant a scalar."""
    tally = Tally()
    arm = at_state(counted_links(tally, n), tally.scalars(n), tally.scalars(n), tally.scalars(3))
    if shape == NOTHING_HELD:
        page.on_arm(arm, tally.scalars(6 if page.question == END else n))
    else:
        assert page.in_contact is not None
        m = shape.constrained if shape.kind == "I" else 6
        page.in_contact.on_arm(arm, tally.scalars(n), tally.scalars(6, m), tally.scalars(m), shape)
    return tally.operations


def counted_links(tally: Tally, n: int) -> list[Constants]:
    """The constants of n links on revolute joints, all of them scalars of the tally."""
    (x,), some = tally.scalars(1), tally.scalars

    def link() -> Constants:
        inertia = Rigid(x, some(3), some(6))
        return Constants("revolute", 0.0, some(3, 3), some(3), some(3), inertia, x, some(6), some(21))

    return [link() for _ in range(n)]


# ----------------------------------------------------------------------------- kinds of pages


def _page(
    name: str,
    heading: str,
    answer: str,
    degree: int,
    source: str,
    of_arm: Callable[[SerialArm, Blocks], Blocks],
    *,
    operand: str = "tip_vector",
    by_constraint_forces: bool = False,
) -> Page:
    """A page whose answer is a function of the arm and a vector of the problem; where that is Lambda, it must
    exist. Constraint forces are those of a single chain."""

    def solve(problem: Problem) -> dict[str, Blocks]:
        arm = chain_of(problem) if by_constraint_forces else arm_of(problem)
        if ANSWERS[answer].of_mass:
            check_mass_exists(problem)
        return {answer: of_arm(arm, getattr(problem, operand))}

    branched, constrained = not by_constraint_forces, by_constraint_forces
    return Page(name, heading, answer, degree, source, solve, of_arm, branched, constrained=constrained)


def _forward(
    name: str,
    method: str,
    degree: int,
    source: str,
    open_chain: OpenChain,
    solve: Solve | None = None,
    *,
    branched: bool = True,
    constrained: bool = False,
    counted: str = "",
) -> Page:
    """A contact by Fijany Table I around the open chain; on an arm, under any force. `solve`: where other
    than the counted form."""

    def by_table_i(problem: Problem) -> dict[str, Blocks]:
        return closed(problem, open_chain, arm_of(problem) if branched else chain_of(problem))

    def on_arm(arm: SerialArm, tau: Blocks, W: Blocks, prescribed: Blocks, shape: ContactShape) -> Blocks:
        free = open_chain(arm, tau)
        tip = at_tip(arm, free)
        return under_force(free, tip, tip.acceleration)

    return Page(
        f"forward_{name}",
        f"forward dynamics by {method}",
        "qdd",
        degree,
        source,
        solve or by_table_i,
        lambda arm, tau: open_chain(arm, tau).qdd,
        branched,
        InContact(("qdd", "force", "lambda_inverse", "qdd0", "acceleration0"), on_arm, of_contact),
        constrained,
        counted,
    )


# ---------------------------------------------------------------------------------- the table

_ALL = (
    _page(
        "inverse_dynamics_newton_euler",
        "inverse dynamics by Newton-Euler",
        "tau",
        1,
        "Luh, Walker and Paul 1980; Jain (17)",
        lambda arm, qdd: joined(joint_space.newton_euler(arm, arm.split(qdd))),
        operand="qdd",
    ),
    _page(
        "inverse_dynamics_composite",
        "inverse dynamics by composite-body inertias",
        "tau",
        1,
        "Fijany and Scheid 1989; Jain (29)",
        lambda arm, qdd: joined(joint_space.composite_bodies(arm, arm.split(qdd))),
        operand="qdd",
    ),
    _page(
        "mass_matrix_direct",
        "mass matrix, a column per inverse dynamics",
        "mass_matrix",
        2,
        "Walker and Orin 1982, method 1; Jain (23)",
        lambda arm, _: joint_space.mass_matrix_by_columns(arm),
    ),
    _page(
        "mass_matrix_symmetry",
        "mass matrix, half a column per inverse dynamics",
        "mass_matrix",
        2,
        "Walker and Orin 1982, method 2; Jain section 3",
        lambda arm, _: joint_space.mass_matrix_by_half_columns(arm),
    ),
    _page(
        "mass_matrix_composite",
        "mass matrix by composite rigid bodies",
        "mass_matrix",
        2,
        "Walker and Orin 1982, method 3; Jain (28)",
        lambda arm, _: joint_space.mass_matrix(arm),
    ),
    _forward(
        "by_mass_matrix",
        "the mass matrix",
        3,
        "Walker and Orin 1982, method 3; Jain (22)",
        joint_space.by_mass_matrix,
    ),
    _forward(
        "conjugate_gradient",
        "conjugate gradients",
        2,
        "Walker and Orin 1982, method 4; Jain (30)",
        lambda arm, tau: forward.by_gradients(arm, tau, forward.plain, arm.degrees),
        forward.solve_by_plain_gradients,
        constrained=True,
        counted="n iterations",
    ),
    _forward(
        "preconditioned_gradient",
        "conjugate gradients preconditioned with diag(H R H*)",
        2,
        "Fijany and Scheid 1989; Jain (30)",
        lambda arm, tau: forward.by_gradients(arm, tau, forward.diagonal(arm), arm.degrees),
        forward.solve_by_gradients,
        constrained=True,
        counted="n iterations",
    ),
    _forward(
        "innovations",
        "triangular equations (innovations factorisation)",
        2,
        "Rodriguez 1987, Rosenthal 1988; Jain section 4, Lemma 6.2",
        forward.by_innovations,
    ),
    _forward(
        "articulated",
        "articulated bodies",
        1,
        "Vereshchagin 1974, Featherstone 1983; Jain (45)-(46), (60)",
        forward.by_articulated_bodies,
    ),
    _forward(
        "articulated_precomputed",
        "articulated bodies, the bias computed before",
        1,
        "Rodriguez 1987; Jain (45)-(46), (55)",
        forward.by_articulated_bodies_precomputed,
    ),
    _forward(
        "constraint_force",
        "constraint forces, block LDL'",
        1,
        "Fijany V, (61), (81)",
        constraint_force.open_chain,
        branched=False,
        constrained=True,
    ),
    Page(
        "forward_pv",
        "forward dynamics by Popov and Vereshchagin, the contact solved at the base",
        "qdd",
        1,
        "Popov, Vereshchagin and Zenkevich 1978; Sathya, Bruyninckx, Decre and Pipeleers 2024 (PV)",
        pv.solve,
        pv.open_chain,
        in_contact=InContact(("qdd", "force"), pv.counted, pv.apart),
        constrained=True,
    ),
    Page(
        "forward_pv_early",
        "forward dynamics by Popov and Vereshchagin, the contact solved on the way",
        "qdd",
        1,
        "Sathya, Bruyninckx, Decre and Pipeleers 2024 (PV-early)",
        pv.solve_early,
        pv.open_chain,
        in_contact=InContact(("qdd", "force"), pv.counted_early, pv.apart),
        constrained=True,
        counted="n_c joints",
    ),
    _page(
        "lambda_inverse_constraint_force",
        "Lambda^-1 by constraint forces, block LDL'",
        "lambda_inverse",
        1,
        "Fijany IV.C, (82)",
        lambda arm, _: constraint_force.lambda_inverse(arm),
        by_constraint_forces=True,
    ),
    _page(
        "lambda_inverse_times_constraint_force",
        "Lambda^-1 x by constraint forces, no matrix",
        "tip_acceleration",
        1,
        "Fijany IV.C, (82)",
        constraint_force.lambda_inverse_times,
        by_constraint_forces=True,
    ),
    _page(
        "lambda_constraint_force",
        "Lambda by constraint forces, block LDL'",
        "operational_mass",
        1,
        "Fijany, operational space mass matrix, (43)",
        lambda arm, _: constraint_force.operational_mass(arm),
        by_constraint_forces=True,
    ),
    _page(
        "lambda_times_constraint_force",
        "Lambda x by constraint forces, no matrix",
        "tip_wrench",
        1,
        "Fijany, operational space mass matrix, (43)",
        constraint_force.operational_mass_times,
        by_constraint_forces=True,
    ),
    _page(
        "lambda_inverse_articulated",
        "Lambda^-1 by articulated bodies",
        "lambda_inverse",
        1,
        "Kreutz-Delgado, Jain and Rodriguez 1992; Jain Lemma 6.4; PV-OSIM, Sathya, Decre and Swevers 2024",
        lambda arm, _: constraint_force.lambda_inverse_articulated(arm),
    ),
)

PAGES = {page.name: page for page in _ALL}
"""Every page of the family by name."""

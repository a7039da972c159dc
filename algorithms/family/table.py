"""The serial family as a table: what each page answers, of what order it is, and where it comes from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from senn.algorithms.answers import ANSWERS
from senn.algorithms.blocks import Blocks
from senn.algorithms.family.arm import Arm
from senn.algorithms.family.end_effector import (
    lambda_constraint_force,
    lambda_inverse_articulated,
    lambda_inverse_constraint_force,
)
from senn.algorithms.family.forward import (
    articulated_bodies as forward_articulated,
)
from senn.algorithms.family.forward import (
    articulated_precomputed as forward_articulated_precomputed,
)
from senn.algorithms.family.forward import (
    by_mass_matrix as forward_by_mass_matrix,
)
from senn.algorithms.family.forward import (
    conjugate_gradient as forward_conjugate_gradient,
)
from senn.algorithms.family.forward import (
    constraint_force as forward_constraint_force,
)
from senn.algorithms.family.forward import (
    innovations as forward_innovations,
)
from senn.algorithms.family.inverse import (
    composite_bodies as inverse_dynamics_composite,
)
from senn.algorithms.family.inverse import (
    newton_euler as inverse_dynamics_newton_euler,
)
from senn.algorithms.family.mass_matrix import (
    composite_bodies as mass_matrix_composite,
)
from senn.algorithms.family.mass_matrix import (
    direct as mass_matrix_direct,
)
from senn.algorithms.family.mass_matrix import (
    symmetry as mass_matrix_symmetry,
)
from senn.algorithms.problems.problem import Problem
from senn.machine.program import Operations


@dataclass(frozen=True)
class Page:
    """One algorithm of the family."""

    name: str
    title: str
    answer: str
    """The name under which `solve` has it."""
    order: str
    """Of the open chain, in its degrees of freedom N."""
    source: str
    solve: Callable[[Problem], dict[str, Blocks]]
    operations: Callable[[int], Operations]
    """For n revolute joints, open chain."""
    on_arm: Callable[[Arm, Blocks], Any]
    """What `operations` counts: the answer for an arm and its accelerations or torques, flat; at the end
    effector for a vector (6,)."""

    @property
    def question(self) -> str:
        return ANSWERS[self.answer].question


def _inverse(torques: Callable[[Arm, list[Blocks]], Any]) -> Callable[[Arm, Blocks], Any]:
    return lambda arm, qdd: torques(arm, arm.split(qdd))


def _matrix(matrix: Callable[[Arm], Blocks]) -> Callable[[Arm, Blocks], Any]:
    return lambda arm, _: matrix(arm)


_ALL = (
    Page(
        "inverse_dynamics_newton_euler",
        "inverse dynamics by Newton-Euler",
        "tau",
        "N",
        "Luh, Walker and Paul 1980; Jain (17)",
        inverse_dynamics_newton_euler.solve,
        inverse_dynamics_newton_euler.operations,
        _inverse(inverse_dynamics_newton_euler.torques),
    ),
    Page(
        "inverse_dynamics_composite",
        "inverse dynamics by composite-body inertias",
        "tau",
        "N",
        "Fijany and Scheid 1989; Jain (29)",
        inverse_dynamics_composite.solve,
        inverse_dynamics_composite.operations,
        _inverse(inverse_dynamics_composite.torques),
    ),
    Page(
        "mass_matrix_direct",
        "mass matrix, a column per inverse dynamics",
        "mass_matrix",
        "N^2",
        "Walker and Orin 1982, method 1; Jain (23)",
        mass_matrix_direct.solve,
        mass_matrix_direct.operations,
        _matrix(mass_matrix_direct.mass_matrix),
    ),
    Page(
        "mass_matrix_symmetry",
        "mass matrix, half a column per inverse dynamics",
        "mass_matrix",
        "N^2",
        "Walker and Orin 1982, method 2; Jain section 3",
        mass_matrix_symmetry.solve,
        mass_matrix_symmetry.operations,
        _matrix(mass_matrix_symmetry.mass_matrix),
    ),
    Page(
        "mass_matrix_composite",
        "mass matrix by composite rigid bodies",
        "mass_matrix",
        "N^2",
        "Walker and Orin 1982, method 3; Jain (28)",
        mass_matrix_composite.solve,
        mass_matrix_composite.operations,
        _matrix(mass_matrix_composite.mass_matrix),
    ),
    Page(
        "forward_by_mass_matrix",
        "forward dynamics by the mass matrix",
        "qdd",
        "N^3",
        "Walker and Orin 1982, method 3; Jain (22)",
        forward_by_mass_matrix.solve,
        forward_by_mass_matrix.operations,
        forward_by_mass_matrix.open_chain,
    ),
    Page(
        "forward_conjugate_gradient",
        "forward dynamics by conjugate gradients (n iterations counted)",
        "qdd",
        "N^2",
        "Walker and Orin 1982, method 4; Jain (30)",
        forward_conjugate_gradient.solve_plain,
        forward_conjugate_gradient.operations_plain,
        lambda arm, tau: forward_conjugate_gradient.open_chain(
            arm, tau, forward_conjugate_gradient.plain, arm.degrees
        ),
    ),
    Page(
        "forward_preconditioned_gradient",
        "forward dynamics by conjugate gradients preconditioned with diag(H R H*) (n iterations counted)",
        "qdd",
        "N^2",
        "Fijany and Scheid 1989; Jain (30)",
        forward_conjugate_gradient.solve,
        forward_conjugate_gradient.operations,
        lambda arm, tau: forward_conjugate_gradient.open_chain(
            arm, tau, forward_conjugate_gradient.diagonal(arm), arm.degrees
        ),
    ),
    Page(
        "forward_innovations",
        "forward dynamics by triangular equations (innovations factorisation)",
        "qdd",
        "N^2",
        "Rodriguez 1987, Rosenthal 1988; Jain section 4, Lemma 6.2",
        forward_innovations.solve,
        forward_innovations.operations,
        forward_innovations.open_chain,
    ),
    Page(
        "forward_articulated",
        "forward dynamics by articulated bodies",
        "qdd",
        "N",
        "Vereshchagin 1974, Featherstone 1983; Jain (45)-(46), (60)",
        forward_articulated.solve,
        forward_articulated.operations,
        forward_articulated.open_chain,
    ),
    Page(
        "forward_articulated_precomputed",
        "forward dynamics by articulated bodies, the bias computed before",
        "qdd",
        "N",
        "Rodriguez 1987; Jain (45)-(46), (55)",
        forward_articulated_precomputed.solve,
        forward_articulated_precomputed.operations,
        forward_articulated_precomputed.open_chain,
    ),
    Page(
        "forward_constraint_force",
        "forward dynamics by constraint forces, block LDL'",
        "qdd",
        "N",
        "Fijany V, (61), (81)",
        forward_constraint_force.solve,
        forward_constraint_force.operations,
        forward_constraint_force.open_chain,
    ),
    Page(
        "lambda_inverse_constraint_force",
        "Lambda^-1 by constraint forces, block LDL'",
        "lambda_inverse",
        "N",
        "Fijany IV.C, (82)",
        lambda_inverse_constraint_force.solve,
        lambda_inverse_constraint_force.operations,
        _matrix(lambda_inverse_constraint_force.lambda_inverse),
    ),
    Page(
        "lambda_inverse_times_constraint_force",
        "Lambda^-1 x by constraint forces, no matrix",
        "tip_acceleration",
        "N",
        "Fijany IV.C, (82)",
        lambda_inverse_constraint_force.solve_times,
        lambda_inverse_constraint_force.operations_times,
        lambda_inverse_constraint_force.times,
    ),
    Page(
        "lambda_constraint_force",
        "Lambda by constraint forces, block LDL'",
        "operational_mass",
        "N",
        "Fijany, operational space mass matrix, (43)",
        lambda_constraint_force.solve,
        lambda_constraint_force.operations,
        _matrix(lambda_constraint_force.operational_mass),
    ),
    Page(
        "lambda_times_constraint_force",
        "Lambda x by constraint forces, no matrix",
        "tip_wrench",
        "N",
        "Fijany, operational space mass matrix, (43)",
        lambda_constraint_force.solve_times,
        lambda_constraint_force.operations_times,
        lambda_constraint_force.times,
    ),
    Page(
        "lambda_inverse_articulated",
        "Lambda^-1 by articulated bodies",
        "lambda_inverse",
        "N",
        "Kreutz-Delgado, Jain and Rodriguez 1992; Jain Lemma 6.4",
        lambda_inverse_articulated.solve,
        lambda_inverse_articulated.operations,
        _matrix(lambda_inverse_articulated.lambda_inverse),
    ),
)

PAGES = {page.name: page for page in _ALL}
"""Every page of the family by name."""

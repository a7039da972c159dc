"""The serial family as a table: what each page answers, of what order it is, and where it comes from."""

from __future__ import annotations

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
from senn.algorithms.family.forward import (
    popov_vereshchagin as forward_pv,
)
from senn.algorithms.family.forward import (
    popov_vereshchagin_early as forward_pv_early,
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
from senn.algorithms.family.page import Held, Page, inverse, matrix, table_one

_ALL = (
    Page(
        "inverse_dynamics_newton_euler",
        "inverse dynamics by Newton-Euler",
        "tau",
        "N",
        "Luh, Walker and Paul 1980; Jain (17)",
        inverse_dynamics_newton_euler.solve,
        inverse_dynamics_newton_euler.operations,
        inverse(inverse_dynamics_newton_euler.torques),
    ),
    Page(
        "inverse_dynamics_composite",
        "inverse dynamics by composite-body inertias",
        "tau",
        "N",
        "Fijany and Scheid 1989; Jain (29)",
        inverse_dynamics_composite.solve,
        inverse_dynamics_composite.operations,
        inverse(inverse_dynamics_composite.torques),
    ),
    Page(
        "mass_matrix_direct",
        "mass matrix, a column per inverse dynamics",
        "mass_matrix",
        "N^2",
        "Walker and Orin 1982, method 1; Jain (23)",
        mass_matrix_direct.solve,
        mass_matrix_direct.operations,
        matrix(mass_matrix_direct.mass_matrix),
    ),
    Page(
        "mass_matrix_symmetry",
        "mass matrix, half a column per inverse dynamics",
        "mass_matrix",
        "N^2",
        "Walker and Orin 1982, method 2; Jain section 3",
        mass_matrix_symmetry.solve,
        mass_matrix_symmetry.operations,
        matrix(mass_matrix_symmetry.mass_matrix),
    ),
    Page(
        "mass_matrix_composite",
        "mass matrix by composite rigid bodies",
        "mass_matrix",
        "N^2",
        "Walker and Orin 1982, method 3; Jain (28)",
        mass_matrix_composite.solve,
        mass_matrix_composite.operations,
        matrix(mass_matrix_composite.mass_matrix),
    ),
    Page(
        "forward_by_mass_matrix",
        "forward dynamics by the mass matrix",
        "qdd",
        "N^3",
        "Walker and Orin 1982, method 3; Jain (22)",
        forward_by_mass_matrix.solve,
        forward_by_mass_matrix.operations,
        lambda arm, tau: forward_by_mass_matrix.open_chain(arm, tau).qdd,
        held=table_one(
            forward_by_mass_matrix.open_chain,
            forward_by_mass_matrix.operations,
            forward_by_mass_matrix.closing,
        ),
    ),
    Page(
        "forward_conjugate_gradient",
        "forward dynamics by conjugate gradients (n iterations counted)",
        "qdd",
        "N^2",
        "Walker and Orin 1982, method 4; Jain (30)",
        forward_conjugate_gradient.solve_plain,
        forward_conjugate_gradient.operations_plain,
        lambda arm, tau: forward_conjugate_gradient.counted_plain(arm, tau).qdd,
        held=table_one(
            forward_conjugate_gradient.counted_plain,
            forward_conjugate_gradient.operations_plain,
            forward_conjugate_gradient.closing_plain,
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
        lambda arm, tau: forward_conjugate_gradient.counted(arm, tau).qdd,
        held=table_one(
            forward_conjugate_gradient.counted,
            forward_conjugate_gradient.operations,
            forward_conjugate_gradient.closing,
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
        lambda arm, tau: forward_innovations.open_chain(arm, tau).qdd,
        held=table_one(
            forward_innovations.open_chain, forward_innovations.operations, forward_innovations.closing
        ),
    ),
    Page(
        "forward_articulated",
        "forward dynamics by articulated bodies",
        "qdd",
        "N",
        "Vereshchagin 1974, Featherstone 1983; Jain (45)-(46), (60)",
        forward_articulated.solve,
        forward_articulated.operations,
        lambda arm, tau: forward_articulated.open_chain(arm, tau).qdd,
        held=table_one(
            forward_articulated.open_chain, forward_articulated.operations, forward_articulated.closing
        ),
    ),
    Page(
        "forward_articulated_precomputed",
        "forward dynamics by articulated bodies, the bias computed before",
        "qdd",
        "N",
        "Rodriguez 1987; Jain (45)-(46), (55)",
        forward_articulated_precomputed.solve,
        forward_articulated_precomputed.operations,
        lambda arm, tau: forward_articulated_precomputed.open_chain(arm, tau).qdd,
        held=table_one(
            forward_articulated_precomputed.open_chain,
            forward_articulated_precomputed.operations,
            forward_articulated_precomputed.closing,
        ),
    ),
    Page(
        "forward_constraint_force",
        "forward dynamics by constraint forces, block LDL'",
        "qdd",
        "N",
        "Fijany V, (61), (81)",
        forward_constraint_force.solve,
        forward_constraint_force.operations,
        lambda arm, tau: forward_constraint_force.open_chain(arm, tau).qdd,
        branched=False,
        held=table_one(
            forward_constraint_force.open_chain,
            forward_constraint_force.operations,
            forward_constraint_force.closing,
        ),
    ),
    Page(
        "forward_pv",
        "forward dynamics by Popov and Vereshchagin, the contact solved at the base",
        "qdd",
        "N",
        "Popov, Vereshchagin and Zenkevich 1978; Sathya, Bruyninckx, Decre and Pipeleers 2024 (PV)",
        forward_pv.solve,
        forward_pv.operations,
        forward_pv.open_chain,
        held=Held(
            ("qdd", "force"),
            forward_pv.in_contact,
            lambda arm, tau, W, wanted: forward_pv.closed_chain(arm, tau, W, forward_pv.along(wanted))[0],
            forward_pv.force_of,
        ),
    ),
    Page(
        "forward_pv_early",
        "forward dynamics by Popov and Vereshchagin, the contact solved on the way (n_c joints counted)",
        "qdd",
        "N",
        "Sathya, Bruyninckx, Decre and Pipeleers 2024 (PV-early)",
        forward_pv_early.solve,
        forward_pv_early.operations,
        forward_pv_early.open_chain,
        held=Held(
            ("qdd", "force"),
            forward_pv_early.in_contact,
            lambda arm, tau, W, wanted: forward_pv_early.closed_chain(
                arm, tau, W, wanted, forward_pv_early.soon(W.shape[1])
            )[0],
            forward_pv.force_of,
        ),
    ),
    Page(
        "lambda_inverse_constraint_force",
        "Lambda^-1 by constraint forces, block LDL'",
        "lambda_inverse",
        "N",
        "Fijany IV.C, (82)",
        lambda_inverse_constraint_force.solve,
        lambda_inverse_constraint_force.operations,
        matrix(lambda_inverse_constraint_force.lambda_inverse),
        branched=False,
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
        branched=False,
    ),
    Page(
        "lambda_constraint_force",
        "Lambda by constraint forces, block LDL'",
        "operational_mass",
        "N",
        "Fijany, operational space mass matrix, (43)",
        lambda_constraint_force.solve,
        lambda_constraint_force.operations,
        matrix(lambda_constraint_force.operational_mass),
        branched=False,
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
        branched=False,
    ),
    Page(
        "lambda_inverse_articulated",
        "Lambda^-1 by articulated bodies",
        "lambda_inverse",
        "N",
        "Kreutz-Delgado, Jain and Rodriguez 1992; Jain Lemma 6.4; PV-OSIM, Sathya, Decre and Swevers 2024",
        lambda_inverse_articulated.solve,
        lambda_inverse_articulated.operations,
        matrix(lambda_inverse_articulated.lambda_inverse),
    ),
)

PAGES = {page.name: page for page in _ALL}
"""Every page of the family by name."""

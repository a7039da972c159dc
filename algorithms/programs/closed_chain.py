"""The multilevel parallel O(log N) algorithm of Fijany VI.D: Steps I to IV as printed, errata corrected.

PR_{1,i} does Step I, PR_{2,i} Steps II to IV. Labels and letters are the paper's; a label with a prime is a
step that the paper leaves out. The operators for an arm are those of the arm (`senn.algorithms.arm`), the
system A phi = psi is the solver's; the paper's own solver, odd-even elimination in which the owner of an
inverse computes all that needs it, is on this page: `diagonalise`, `sweep`.
"""

from __future__ import annotations

from functools import partial

from senn.algorithms.arm import Arm, Lines
from senn.algorithms.arm.letters import *
from senn.algorithms.kernels import end_effector as touch
from senn.algorithms.kernels.link import (
    end_acceleration,
    lever_rate,
    premultiply,
    reaction,
    transpose,
    turn,
    turning,
)
from senn.algorithms.kernels.operators import carried
from senn.algorithms.kernels.system import (
    ldl,
    negative_product,
    product,
    solve,
    solve_transposed,
    transposed_product,
    transposed_times,
)
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.programs import newton_euler as ne
from senn.algorithms.programs.recurrence import broadcast, scan
from senn.algorithms.programs.refinement import Results, refined
from senn.algorithms.system.solver import Solver, after_last_level
from senn.machine.program import *  # the words of a program


def program(arm: Arm, solver: Solver, refine: int = 0) -> Program:
    """Section VI.D, and behind it so many steps of refinement.

    >>> from senn.algorithms.programs.variants import closed_chain
    >>> print(closed_chain(2).levels, len(closed_chain(2).streams))
    1 2
    """
    lines, latest = refined(arm.contact, refine, partial(steps_ii_to_iv, arm, solver), results(arm))
    return arm.program(
        "closed chain",
        [*projection(arm, solver), *solver.diagonalise(), *factor(arm.n), *lambda_inverse(arm, solver)],
        lines,
        also=[Resident(NO_E, where=i < arm.n), Resident(UNIT, where=i == arm.n)]
        + [Resident(GRAVITY, where=i == 1)],
        results=latest,
        parts=TITLES,
        form="paper",
    )


def steps_ii_to_iv(arm: Arm, solver: Solver, qdd: Value | None = None, tip: Value | None = None) -> Lines:
    yield from frames(arm)
    yield from bias(arm, qdd, tip)
    yield from open_chain(arm, solver)
    yield from end_acceleration_0(arm)
    yield from contact_force(arm.contact)
    yield from closed_chain(arm, solver)


# ------------------------------- Step I: Diagonalize Matrix A and Compute Lambda^-1, by PR_{1,i}
# ------------------------------- a. Projection and Computation of Matrix A


def projection(arm: Arm, solver: Solver) -> Lines:
    yield from arm.inverse_inertia()  # I.a.1-2                                        (76)
    yield Send("I.a.3", I_INVERSE, PR2[i])
    yield from arm.coupling()  # I.a.4: B_i                                            (74), (79)-(80)
    yield Send("I.a.4'", B[0], PR1[i + 1].only(solver.coupled.shifted(-1)))
    yield Name("I.a.4'", L[0], B[0][i - 1], where=solver.coupled)
    yield from arm.end_coupling()  # I.a.4'': E_N                                      (83)
    yield Compute("I.a.5", A[0], arm.diagonal())  #                                    (75)


# ------------------------------- b. Diagonalize Matrix A


def diagonalise(j: int, h: int, rows: Solver) -> Lines:
    """Eqs. (90)-(91): row i of A is [L_i', A_i, B_i] at columns i-h, i, i+h, and L_i = B_{i-h}."""
    yield Compute("I.b.1", LDL[j - 1], ldl(A[j - 1]), rows.pivots(j))
    yield Compute("I.b.2", C[j - 1], solve(LDL[j - 1], B[j - 1]))
    yield Send("I.b.3", C[j - 1], PR2[i])
    yield Compute("I.b.4", D[j - 1], transposed_product(B[j - 1], C[j - 1]))
    yield Send("I.b.5", D[j - 1], PR1[i + h])
    yield Compute("I.b.6", F[j - 1], solve_transposed(LDL[j - 1], L[j - 1]))
    yield Send("I.b.7", F[j - 1], PR2[i])
    yield Compute("I.b.8", G[j - 1], product(L[j - 1], F[j - 1]))
    yield Send("I.b.9", G[j - 1], PR1[i - h])
    if j < rows.last:  # who uses the new blocks are the pivots of the next level
        then = rows.pivots(j + 1)
        yield Compute("I.b.10", K[j - 1], negative_product(L[j - 1], C[j - 1]))  #     (91)
        yield Send("I.b.11", K[j - 1], PR1[i - h].only(then.shifted(h)), PR1[i + h].only(then.shifted(-h)))
        yield Name("I.b.11", B[j], K[j - 1][i + h], where=then)
        yield Name("I.b.11", L[j], K[j - 1][i - h], where=then)
    update = minus(A[j - 1], D[j - 1][i - h].or_zero, G[j - 1][i + h].or_zero)  #      (90)
    yield Compute("I.b.12", A[j], update, rows.kept(j))
    if j < rows.last:
        yield Arrange("I.b.12'", A[j], j, j + 1)


def factor(n: int) -> Lines:
    """The solver gets the factor of A_i^M instead of A_i^M, 15 words either way."""
    yield after_last_level(Compute("I.b.12''", last(LDL, n), ldl(last(A, n))), n)
    yield after_last_level(Send("I.b.13", last(LDL, n), PR2[i]), n)


# ------------------------------- c. Compute Matrix Lambda^-1


def lambda_inverse(arm: Arm, solver: Solver) -> Lines:
    n, M_ = arm.n, solver.last
    yield Name("I.c.1", PSI[0], E, NO_E)
    yield from solver.sweep("I.c.2", PSI, E_SENT, H_SENT, PR1)
    yield after_last_level(Compute("I.c.3.i", OMEGA_E, solve(LDL[M_], PSI[M_])), n)  # (85)
    yield after_last_level(Arrange("I.c.3.i'", OMEGA_E, M_, 0), n)
    yield Compute("I.c.3.ii", THETA, transposed_product(PSI[0], OMEGA_E))
    yield Compute("I.c.4", LAMBDA, minus(arm.tip_inertia, THETA), i == n)  #            (82)
    yield from send_lambda(arm)
    yield Remark("I.c.6", "wait (end of operation)")


def send_lambda(arm: Arm) -> Lines:
    if arm.contact.constrained:
        yield Send("I.c.5", LAMBDA, PR2[i])


def sweep(j: int, h: int, rows: Solver, step: str, psi: Letter, e: Letter, h_: Letter, array: Array) -> Lines:
    """Eq. (92), Steps I.c.2 and II.c.3: psi is a vector or six of them; C and F are where they were used."""
    yield Compute(f"{step}.i", e[j - 1], transposed_times(C[j - 1], psi[j - 1]))
    yield Send(f"{step}.ii", e[j - 1], array[i + h])
    yield Compute(f"{step}.iii", h_[j - 1], transposed_times(F[j - 1], psi[j - 1]))
    yield Send(f"{step}.iv", h_[j - 1], array[i - h])
    update = minus(psi[j - 1], e[j - 1][i - h].or_zero, h_[j - 1][i + h].or_zero)
    yield Compute(f"{step}.v", psi[j], update, rows.kept(j))
    if j < rows.last:
        yield Arrange(f"{step}.v'", psi[j], j, j + 1)


# ------------------------------- Step II: Compute F_T and Vdot_0, by PR_{2,i}
# ------------------------------- a. Projection, on frame N+1


def frames(arm: Arm) -> Lines:
    n = arm.n
    yield from arm.frames("II.a.1", P_LINK, S_LINK)
    yield from arm.own_axes("II.a.1''", H)
    yield Compute("II.a.2", C_TO[0], transpose(C_NEXT))
    yield from scan("II.a.2", C_TO, premultiply, n, PR2, outward=False, absent="unit")
    yield Send("II.a.2'", last(C_TO, n), PR2[i - 1])
    yield Name("II.a.2'", TURN, last(C_TO, n)[i + 1], UNIT)
    yield from arm.axes_from_tip("II.a.3.i", last(C_TO, n))
    yield Compute("II.a.3.ii", S, turn(TURN, S_LINK))
    yield Compute("II.a.3.iii", P, turn(TURN, P_LINK))
    yield Compute("II.a.3'", G_TO[0], turn(last(C_TO, n), GRAVITY))
    yield from broadcast("II.a.3'", G_TO, n, PR2, outward=True)


# ------------------------------- b. Compute F_T


def bias(arm: Arm, qdd: Value | None = None, tip: Value | None = None) -> Lines:
    """II.b.1: b(theta, Qdot) by Newton-Euler, a page of its own."""
    gravity = last(G_TO, arm.n)
    yield from ne.motion(arm, gravity, PR2, qdd=qdd)
    yield from arm.loads(gravity, qdd, tip)
    yield from ne.forces(arm, PR2, arm.load(tip))


def open_chain(arm: Arm, solver: Solver) -> Lines:
    yield from arm.own_axes("II.b.1'", TILT)
    yield from arm.own_axes("II.b.1''", W_A)
    yield Compute("II.b.2", F_T, minus(TAU, BIAS))
    yield Name("II.b.3", F_G, F_T)
    yield from wrench("II.", F_G, STEP_II, arm)  # II.b.4-5
    yield after_last_level(Wait("II.b.6", last(LDL, arm.n)), arm.n)

    # --------------------------- c. Compute Qdd_0
    yield Remark("II.c.1", "receive A_i^M, as its factor LDL, from PR_{1,i}", last(LDL, arm.n))
    yield from solver.solve("II.", STEP_II.x2, STEP_II)  # II.c.2-4                    (92)-(93)
    yield from accelerations("II.", QDD_0, STEP_II, arm)  # II.c.5-7
    yield Remark("II.c.8", "Qdd_0 = Qdd_G")


def wrench(step: str, f_g: Value, names: Names, arm: Arm, less: Value | None = None) -> Lines:
    """The right of Eq. (81): X^1 = I^-1 R H F_G, less what is given, and X^2 = W' R' X^1."""
    yield from arm.wrench_of(f"{step}b.4", f_g, names, less=less)
    yield Compute(f"{step}b.5.i", names.carried, carried(C_NEXT, P_LINK, names.x1), i < arm.n)
    yield Send(f"{step}b.5.ii", names.carried, PR2[i + 1])
    yield Compute(f"{step}b.5.iii", names.x2, arm.constrained(names))


def accelerations(step: str, qdd: Value, names: Names, arm: Arm) -> Lines:
    """The left of Eq. (81): X^4 = I^-1 R W phi, X^5 = X^1 - X^4, and Qdd_G = H' R' X^5."""
    yield from arm.constraint_wrench(f"{step}c.5", names)
    yield Compute(f"{step}c.6", names.x5, minus(names.x1, names.x4))
    yield from arm.joint_accelerations(f"{step}c.7", qdd, names)


# ------------------------------- d. Compute Vdot_0


def end_acceleration_0(arm: Arm) -> Lines:
    n = arm.n
    yield Compute("II.d.1.i", DW[0], arm.each(turning, arm.axes, QDD_0))  #                 (86)
    yield from scan("II.d.1.i", DW, plus, n, PR2, outward=True)
    yield Compute("II.d.1.ii", DV[0], arm.each(lever_rate, last(DW, n), P, arm.axes, QDD_0))
    yield from scan("II.d.1.ii", DV, plus, n, PR2, outward=True)
    yield Compute("II.d.2", V_0, end_acceleration(last(DW, n), last(DV, n), last(WDOT, n), last(V, n)))
    if arm.contact.constrained:
        yield Wait("II.d.3", LAMBDA, where=i == n)
        yield Remark("III.1", "receive Lambda^-1 from PR_{1,N}", LAMBDA)


# ------------------------------- Step III: Compute F_{N+1}, by PR_{2,N}


def contact_force(contact: ContactShape) -> Lines:
    """III.2: the contact force, Eqs. (29), (25) and (24), or Eqs. (39) and (38). The kind of contact and its
    numbers of directions are structure."""
    c, f = contact.constrained, contact.free
    blocks = contact_values(contact)
    if contact.kind == "general":
        yield Compute("III.2.i", UNKNOWNS, touch.unknowns(LAMBDA, V_0, *blocks.values()))
        yield Compute("III.2.ii", FORCE[0], touch.general_force(blocks["M2"], UNKNOWNS, blocks["k2"]))
        return
    if c == 0:
        yield Compute("III.2", FORCE[0], turn(*blocks.values()))
        return
    k_c, k_f = Value("K_C", None, (c,)), Value("K_F", None, (f,))
    if contact.kind == "II":
        yield Compute("III.2.i", k_c, touch.oblique_force(LAMBDA, V_0, *blocks.values()))
        yield Compute("III.2.i'", k_f, touch.general_force(blocks["phi_C"], k_c, blocks["d"]))
    else:
        yield Compute("III.2.i", k_c, touch.constraint_force(LAMBDA, V_0, *blocks.values()))
    free = (blocks["H"], k_f) if f else ()
    yield Compute("III.2.ii", FORCE[0], touch.contact_force(f)(blocks["W"], k_c, *free))


# ------------------------------- Step IV: Compute Qdd, by PR_{2,i}
# ------------------------------- a. Compute tau', b. Compute Qdd_C


def closed_chain(arm: Arm, solver: Solver) -> Lines:
    n = arm.n
    yield from broadcast("IV.a.1'", FORCE, n, PR2, outward=False)
    yield Name("IV.a.1", P_TIP[0], P)
    yield from scan("IV.a.1", P_TIP, plus, n, PR2, outward=False)  #                   (87)
    reactions = arm.each(reaction, arm.axes, last(P_TIP, n), last(FORCE, n))  #         (88)
    yield Compute("IV.a.2", REACTION, reactions)
    # IV.b.1: set F_G = tau', repeat II.b.4-5 and II.c.2-7
    yield from wrench("IV.b.1.", REACTION, STEP_IV, arm)
    yield from solver.solve("IV.b.1.", STEP_IV.x2, STEP_IV)
    yield from accelerations("IV.b.1.", QDD_C, STEP_IV, arm)
    yield from arm.difference()  # IV.b.2: Qdd


# ------------------------------- headings and results

TITLES = {
    "I": "Step I: Diagonalize Matrix A and Compute Lambda^-1 by Processor {arrays}",
    "I.a": "a. Projection and Computation of Matrix A",
    "I.b": "b. Diagonalize Matrix A",
    "I.c": "c. Compute Matrix Lambda^-1",
    "II": "Step II: Compute F_T and Vdot_0 by Processor {arrays}",
    "II.a": "a. Projection",
    "II.b": "b. Compute F_T",
    "II.c": "c. Compute Qdd_0",
    "II.d": "d. Compute Vdot_0",
    "III": "Step III: Compute F_{N+1} by Processor {last}",
    "IV": "Step IV: Compute Qdd by Processor {arrays}",
    "IV.a": "a. Compute tau'",
    "IV.b": "b. Compute Qdd_C",
    "V": "Step V: Refine Qdd_0 and Vdot_0 by Processor {arrays}",
    "VI": "Step VI: Refine Qdd and F_{N+1} by Processor {arrays}",
}
"""The headings of VI.D, as listings print them above the steps; `{arrays}` are the processors of a step."""


def results(arm: Arm) -> Results:
    """Results of form paper."""
    n = arm.n
    return {
        **table_i(arm),
        "forces.turn": (2, last(C_TO, n)),
        "forces.n": (2, last(MOMENTS, n)),
        "forces.f": (2, last(FORCES, n)),
        "forces.tip": (2, last(FORCE, n)),
        "forces.lever": (2, last(P_TIP, n)),
        "forces.reaction": (2, arm.along(STEP_IV, REACTION)),
        "forces.phi_c": (2, arm.across(STEP_IV)),
    }


def table_i(arm: Arm) -> Results:
    """The answers of Fijany Table I, and the parts of the interbody forces that every form has
    (`senn.algorithms.programs.numerics.wrenches`)."""
    return {
        "qdd": (2, QDD),
        "force": (2, FORCE[0]),
        "lambda_inverse": (1, LAMBDA),
        "qdd0": (2, QDD_0),
        "acceleration0": (2, V_0),
        "forces.drive": (2, arm.along(STEP_II, F_T)),
        "forces.phi": (2, arm.across(STEP_II)),
        **arm.results(),
    }

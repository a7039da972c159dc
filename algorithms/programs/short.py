"""The short forms of Fijany VI.D: what they leave out, and why that is exact.

Left out are the sweep I.c.2 (psi_N^M = E_N exactly: E is zero but at process N, and no neighbour changes it),
the recurrences (86) (X^5 = Vdot, Eq. (51), so J Qdd_0 is local to process N) and (87) (M^-1 J' = H'P'K beta',
as K P W = 0), the broadcast of gravity (all vectors are in frame 1), and the sweeps of right-hand sides that
are zero but at process N: at level j only processes i > N - h have anything to send.

`program` is form short. `omega` is form omega: array 1 makes the rows of M^-1 J' while array 2 does Step II,
and Step IV is a broadcast of the force and a product.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from senn.algorithms.arm import Arm, Lines
from senn.algorithms.arm.letters import *
from senn.algorithms.kernels.link import end_acceleration_turned
from senn.algorithms.kernels.operators import carried, end_response, end_wrench, less_or_negative
from senn.algorithms.kernels.system import ldl, negative_transposed_times, theta
from senn.algorithms.programs.closed_chain import (
    TITLES,
    accelerations,
    contact_force,
    projection,
    send_lambda,
    table_i,
    wrench,
)
from senn.algorithms.programs.newton_euler import RECURRENCES, NewtonEuler, alone
from senn.algorithms.programs.recurrence import broadcast
from senn.algorithms.programs.refinement import Results, refined
from senn.algorithms.system.solver import Solver, after_last_level
from senn.machine.program import *  # the words of a program


def program(arm: Arm, solver: Solver, newton_euler: NewtonEuler = RECURRENCES, refine: int = 0) -> Program:
    """Form short: Step IV by the tip form of the sweep, without a broadcast."""
    parts = {"forces.phi_c": (2, arm.across(STEP_IV))}
    step_iv = partial(closed_chain, arm, solver)
    return _program("short", arm, solver, newton_euler, refine, step_iv, parts)


def omega(arm: Arm, solver: Solver, newton_euler: NewtonEuler = RECURRENCES, refine: int = 0) -> Program:
    """Form omega: the rows of M^-1 J' in array 1."""
    parts = {"forces.omega": (1, arm.across(UNIT_WRENCHES)), "forces.tip": (2, FORCE[0])}
    step_iv, rows = partial(closed_chain_by_rows, arm), rows_of_response(arm, solver)
    return _program("omega", arm, solver, newton_euler, refine, step_iv, parts, rows)


def _program(
    form: str,
    arm: Arm,
    solver: Solver,
    newton_euler: NewtonEuler,
    refine: int,
    step_iv: Callable[[], Lines],
    parts: Results,
    more: Iterable[Instruction] = (),
) -> Program:
    steps = partial(steps_ii_to_iv, arm, solver, newton_euler, step_iv)
    lines, results = refined(
        arm.contact, refine, steps, {**table_i(arm), **parts, **newton_euler.parts(arm, refine)}
    )
    return arm.program(
        "closed chain",
        [*projection(arm, solver), *solver.diagonalise(), *factor(arm.n), *lambda_inverse(arm), *more],
        lines,
        also=[Resident(GRAVITY)],
        results=results,
        parts=TITLES,
        form=form,
    )


# ------------------------------- Step I, by PR_{1,i}: a and b as printed


def factor(n: int) -> Lines:
    """Process N makes Theta at home and takes the factor along (it moves if N < 2^M)."""
    yield after_last_level(Compute("I.b.12''", last(LDL, n), ldl(last(A, n))), n)
    yield after_last_level(Send("I.b.13", last(LDL, n), PR2[i], PR1[i].only(i == n)), n)


# ------------------------------- c. Compute Matrix Lambda^-1


def lambda_inverse(arm: Arm) -> Lines:
    n = arm.n
    yield Compute("I.c.3", THETA, theta(last(LDL, n).delivered, E))
    yield Compute("I.c.4", LAMBDA, minus(arm.tip_inertia, THETA), i == n)  #            (82)
    yield from send_lambda(arm)


def rows_of_response(arm: Arm, solver: Solver) -> Lines:
    """Form omega: Omega = A^-1 E by the tip form, and Y_i, the rows of M^-1 J' (X^1 is zero but at N)."""
    names = UNIT_WRENCHES
    yield from arm.frames_of_response("I.c.1'")
    yield from solver.solve_tip("I.c.2'.", E, names, PR1)
    yield Compute("I.c.3'", names.x1, end_response(I_INVERSE, C_NEXT, P_LINK), i == arm.n)
    yield from accelerations_of_tip("I.c.3'.", Y_ROW, names, arm, PR1)
    yield Send("I.c.5'", Y_ROW, PR2[i])
    yield from arm.branch_rows()


# ------------------------------- Steps II to IV, by PR_{2,i}


def steps_ii_to_iv(
    arm: Arm,
    solver: Solver,
    newton_euler: NewtonEuler,
    step_iv: Callable[[], Lines],
    qdd: Value | None = None,
    tip: Value | None = None,
) -> Lines:
    n = arm.n
    yield from newton_euler.at_base(arm, PR2, qdd=qdd, tip=tip)
    yield from arm.own_axes("II.b.1'", TILT)
    yield from arm.own_axes("II.b.1''", W_A)
    without_bias = qdd is None and not newton_euler.whole
    if without_bias:
        yield from alone(arm)
    else:
        yield Compute("II.b.2", F_T, minus(TAU, BIAS))
    yield Name("II.b.3", F_G, F_T)
    less = INERTIAL_X if without_bias else None
    yield from wrench("II.", F_G, STEP_II, arm, less)  # II.b.4-5
    yield from solver.solve("II.", STEP_II.x2, STEP_II)  # II.c.2-4                    (92)-(93)
    yield from accelerations("II.", QDD_0, STEP_II, arm)  # II.c.5-7
    yield Remark("II.c.8", "Qdd_0 = Qdd_G")
    yield Compute("II.d.1", V_END, carried(C_NEXT, P_LINK, STEP_II.x5), i == n)
    parts = (TURN, last(WDOT, n), last(V, n))
    yield Compute("II.d.2", V_0, end_acceleration_turned(V_END, *parts), i == n)
    yield from contact_force(arm.contact)
    yield from step_iv()


# ------------------------------- Step IV, by PR_{2,i}


def closed_chain(arm: Arm, solver: Solver) -> Lines:
    """Form short: X^1_N = I_N^-1 P^_N F, X^2_N = W' X^1, and both are zero elsewhere."""
    names = STEP_IV
    yield Compute("IV.b.1.b.4", names.x1, end_wrench(I_INVERSE, C_NEXT, P_LINK, FORCE[0]))
    yield Compute("IV.b.1.b.5", names.x2, arm.projected(names.x1))
    yield from solver.solve_tip("IV.b.1.", names.x2, names)
    yield from accelerations_of_tip("IV.b.1.", QDD_C, names, arm, PR2)
    yield from arm.difference()  # IV.b.2: Qdd


def closed_chain_by_rows(arm: Arm) -> Lines:
    """Form omega: Qdd_i = Qdd_0i - Y_i F."""
    yield from broadcast("IV.a.1'", FORCE, arm.n, PR2, outward=False)
    yield from arm.response(last(FORCE, arm.n))


def accelerations_of_tip(step: str, qdd: Value, names: Names, arm: Arm, array: Array) -> Lines:
    """c.5-7 where X^1 exists at process N only."""
    yield from arm.constraint_wrench(f"{step}c.5", names, array)
    yield Compute(f"{step}c.6", names.x5, less_or_negative(names.x4, names.x1.or_zero))
    yield from arm.joint_accelerations(f"{step}c.7", qdd, names, array)


def tip_sweep(j: int, h: int, rows: Solver, step: str, psi: Letter, h_: Letter, array: Array) -> Lines:
    """Eq. (92) for psi[0] that is non-zero at process N only: a tree of N - 1 messages instead of a sweep.

    psi_{i-h} = -F_i' psi_i is just another name for what arrives; nothing that is zero is computed or sent.
    Bit for bit the result of the full sweep.
    """
    yield Compute(f"{step}.iii", h_[j - 1], negative_transposed_times(F[j - 1], psi[j - 1]))
    yield Send(f"{step}.iv", h_[j - 1], array[i - h])
    yield Name(f"{step}.v", psi[j], psi[j - 1], h_[j - 1][i + h])
    if j < rows.last:
        yield Arrange(f"{step}.v'", psi[j], j, j + 1)

"""Lambda^-1 and Lambda at the end effector, and their products with a vector, in O(log N) steps.

Two factorisations (Fijany IV.C, Eqs. (82)-(85); Fijany, operational space mass matrix, Eqs. (37)-(43)):

    Lambda^-1 = D - E' A^-1 E        Lambda = S + R' Y^-1 R

The letters are those of `senn.algorithms.family.constraint_force`; Y is A with another block at N. Both are
eliminated as in VI.D, Step I.b.

Forms: "paper" sweeps six right-hand sides over all levels, Step I.c.2. "short" has the local form: E_N and
R_N pass the elimination unchanged, so that process N needs its own pivot and nothing else.

Lambda^-1 has the rank of the Jacobian; Lambda exists where that is 6, and is refused elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence

from senn.algorithms.arm import Arm, Lines, arm_of
from senn.algorithms.arm.letters import LAMBDA, LDL, NO_COLUMN, NO_E, ROWS, THETA, A, E, last
from senn.algorithms.kernels import end_effector as end
from senn.algorithms.kernels import system as k
from senn.algorithms.kernels.link import turn
from senn.algorithms.problems import contact_force, contacts
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs import numerics
from senn.algorithms.programs.closed_chain import projection
from senn.algorithms.programs.variants import solver
from senn.algorithms.references import articulated
from senn.algorithms.robots.side_tree import SideTree
from senn.algorithms.spatial import Numbers
from senn.algorithms.system.solver import Solver, after_last_level
from senn.base.errors import InputError
from senn.machine.program import *  # the words of a program
from senn.machine.rewrite import keep

FORMS = ("paper", "short")

R_N = value("R_N", ROWS, 6)
S = value("I_{i,i+1}", 21)
RISE = value("R'Y^-1R", 21)
MASS_TIP = value("Lambda", 21)
VECTOR = value("x", 6)  # The operand of Lambda^-1 (a wrench) or Lambda (an acceleration), frame N+1
RESPONSE = value("response", 6)


def program(
    n: int,
    joints: Sequence[str] | None = None,
    *,
    mass: bool = False,
    vector: bool = False,
    form: str = "paper",
    strategy: int = 2,
    elimination: str = "oee",
    branches: Sequence[SideTree] = (),
) -> Program:
    """The program for n processes on one array.

    `mass`: Lambda in place of Lambda^-1. `vector`: the product with the vector of the problem instead of the
    matrix. `form`: "paper" or "short". `InputError` for combinations that cannot be.

    >>> [len(program(8, mass=x, form="short").streams[0]) for x in (False, True)]
    [45, 47]
    """
    if form not in FORMS:
        raise InputError(f'form "{form}": the operational space has the forms paper and short')
    if strategy == 1 and elimination == "oer":
        raise InputError(
            "strategy 1 with odd-even reduction keeps blocks for the way back, and nothing at the end "
            "effector needs one: choose strategy 2, or odd-even elimination"
        )
    arm, how = arm_of(n, joints, 0, branches), solver(n, strategy, elimination)
    answer_lines = (_product if vector else _matrix)(arm, how, mass, form)
    lines = [*_projection(arm, how, mass), *how.diagonalise(), *answer_lines]
    name, answer = ("operational_mass", MASS_TIP) if mass else ("lambda_inverse", LAMBDA)
    if vector:
        name, answer = "tip_wrench" if mass else "tip_acceleration", RESPONSE
    whole = arm.program(
        "operational space",
        lines,
        [Remark("II", "nobody")],
        also=[Resident(x, where=i == n) for x in ((VECTOR,) if arm.at_tip else (S, VECTOR))]
        + [Resident(NO_E, where=i < n), Resident(NO_COLUMN, where=i < n)],
        results={name: (1, answer)},
        parts={
            "I": "Step I: the Operational Space by Processor {arrays}",
            "I.a": "a. Projection",
            "I.b": "b. Diagonalisation of " + ("Y" if mass else "A"),
            "I.c": "c. " + ("The product" if vector else "The matrix"),
        },
        form=form,
        strategy=strategy,
        elimination=elimination,
    )
    return keep(whole, *whole.results)  # lines that serve solutions of all processes are cut


def memory_of_mass(problem: Problem) -> dict[str, Numbers]:
    """The resident values for Lambda; `InputError` where it does not exist."""
    check_mass_exists(problem)
    return numerics.memory(problem)


def check_mass_exists(problem: Problem) -> None:
    """`InputError` unless the end effector can move in all six directions, by the contact's pivot test."""
    chain = problem.chain
    inverse = articulated.lambda_inverse(chain, problem.q)
    alone = articulated.tip_inverse_inertia(chain, problem.q)
    ratio = contact_force.pivot_ratio(contacts.welded(), inverse, alone)
    if ratio > contact_force.SINGULAR:
        return
    degrees = chain.main.degrees
    few = f"; with {degrees} degrees of freedom it never can" if degrees < 6 else ""
    raise InputError(
        f"Lambda does not exist: the end effector cannot move in all six directions (pivot ratio "
        f"{ratio:.1e}){few}; ask for Lambda^-1, or leave the singular configuration (q)"
    )


# --------------------------------------------------------------------------------- the parts


def _projection(arm: Arm, how: Solver, mass: bool) -> Lines:
    """Step I.a, and R_N; the block of Y at N is that of link N-1 alone."""
    for line in projection(arm, how):
        if mass and isinstance(line, Compute) and line.target == A[0]:
            yield from arm.reach("I.a.4''", R_N)
            yield from arm.tip_mass("I.a.4''.iv", S)
            yield Compute(line.step, A[0], arm.diagonal(without_last=True))
        else:
            yield line


def _matrix(arm: Arm, how: Solver, mass: bool, form: str) -> Lines:
    """Step I.c: D less Theta, or S and what rises above it."""
    side, inner = (R_N, RISE) if mass else (E, THETA)
    if form == "short":
        yield from _factor_at_home(arm)
        yield Compute("I.c.3", inner, k.theta(last(LDL, arm.n).delivered, side))
    else:
        solved = value("Omega", ROWS, 6)
        yield from _swept(arm, how, side, NO_E, solved)
        yield Compute("I.c.3.ii", inner, k.transposed_product(side, solved.delivered))
    if mass:
        yield Compute("I.c.4", MASS_TIP, plus(S, inner))
    else:
        yield Compute("I.c.4", LAMBDA, minus(arm.tip_inertia, inner))


def _product(arm: Arm, how: Solver, mass: bool, form: str) -> Lines:
    """Step I.c for one vector: D x - E'A^-1 (E x), S x + R'Y^-1 (R x), and no 6x6 matrix."""
    side, join = (R_N, end.PLUS_REACTION) if mass else (E, end.LESS_REACTION)
    last_link = S[i] if mass else arm.tip_inertia
    right_side, solved = value("psi_N", ROWS), value("phi_N", ROWS)
    yield Compute("I.c.1", right_side, turn(side, VECTOR), i == arm.n)
    if form == "short":
        yield from _factor_at_home(arm)
        yield Compute("I.c.3", solved, k.solve(last(LDL, arm.n).delivered, right_side))
    else:
        yield from _swept(arm, how, right_side, NO_COLUMN, solved)
    at_home = solved if form == "short" else solved.delivered
    yield Compute("I.c.4", RESPONSE, join(last_link, VECTOR, side, at_home), i == arm.n)


def _factor_at_home(arm: Arm) -> Lines:
    """The factor of process N's last pivot, brought home: it is enough, as the right-hand side is zero but
    at N."""
    m = levels(arm.n)
    yield after_last_level(Compute("I.b.12''", LDL[m], k.ldl(A[m])), arm.n)
    yield after_last_level(Send("I.b.13", LDL[m], PR1[i].only(i == arm.n)), arm.n)


def _swept(arm: Arm, how: Solver, side: Value, absent: Value, solved: Value) -> Lines:
    """Steps I.c.1-3 as printed: the right-hand side, zero but at N, goes through all levels."""
    m, shape = levels(arm.n), side.shape
    psi, e, h = (Letter(name, shape) for name in ("psi", "e", "h"))
    yield after_last_level(Compute("I.b.12''", LDL[m], k.ldl(A[m])), arm.n)
    yield Name("I.c.1", psi[0], side, absent)
    yield from how.sweep("I.c.2", psi, e, h, PR1)
    yield after_last_level(Compute("I.c.3.i", solved, k.solve(LDL[m], psi[m])), arm.n)
    yield after_last_level(Send("I.c.3.i'", solved, PR1[i].only(i == arm.n)), arm.n)

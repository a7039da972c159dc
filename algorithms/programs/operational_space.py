"""Lambda^-1 and Lambda at the end effector, and their products with a vector, in O(log N) steps.

Two factorisations (Fijany IV.C, Eqs. (82)-(85); Fijany, operational space mass matrix, Eqs. (37)-(43)):

    Lambda^-1 = D - E' A^-1 E      D = I_{N,N+1}^-1, and E is zero but for E_N = W_N' I_N^-1 P^_N
    Lambda    = S + R' Y^-1 R      S = I_{N,N+1},    and R is zero but for R_N = W_N' C6 P^_N^-1'

Y is A with another block at N, (I_{N-1,N})^-1 restricted to W_N: A without what link N adds. (The paper's Y
is minus this one; "A with a changed block" forgets the sign.) Both are eliminated as in VI.D, Step I.b.

Forms: "paper" sweeps six right-hand sides over all levels, Step I.c.2. "short" has the local form: E_N and
R_N pass the elimination unchanged, so that process N needs its own pivot and nothing else. "both" gives
Lambda^-1 and Lambda by one elimination: process N carries its pivot of Y along, with the same messages D.

Lambda^-1 has the rank of the Jacobian; Lambda exists where that is 6, and is refused elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from senn.algorithms.arm.links import link_frames
from senn.algorithms.kernels import end_effector as end
from senn.algorithms.kernels import link
from senn.algorithms.kernels import system as k
from senn.algorithms.problems.contact import force as contacts
from senn.algorithms.problems.contact.shape import ContactShape
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs import memory as held
from senn.algorithms.programs.recurrence import following
from senn.algorithms.programs.step_i import LAMBDA, RZ, THETA
from senn.algorithms.programs.variant import Variant, joint_types, refuse_wide
from senn.algorithms.references import articulated
from senn.algorithms.robots import side_tree
from senn.algorithms.robots.chain import tip_inverse_inertia
from senn.algorithms.spatial import Numbers, inertia, pack, unpack
from senn.algorithms.system.block_system import DIAGONALISE, RIGHT_HAND_SIDE, at_last
from senn.algorithms.system.inverse_mass import C_NEXT, INVERSE_I, P_LINK
from senn.machine.program import (
    Arrange,
    Compute,
    Instruction,
    Kernel,
    Letter,
    Name,
    Program,
    Resident,
    Send,
    Value,
    by_process,
    i,
    loop,
    value,
)
from senn.traces.errors import InputError

INVERSE, MASS, BOTH = "inverse", "mass", "both"
FORMS = ("paper", "short")

E, R = value("E", 5, 6), value("R_N", 5, 6)
S = value("I_{i,i+1}", 21)
RISE = value("R'Y^-1R", 21)
MASS_TIP = value("Lambda", 21)
VECTOR = value("x", 6)
"""What Lambda^-1 (a wrench) or Lambda (an acceleration) is applied to, frame N+1."""
RESPONSE = value("response", 6)
OWN_PIVOT = Letter("Y_N", (15,))
PIVOT_FACTOR = value("LDL(Y_N)", 15)


def program(
    n: int,
    joints: Sequence[str] | None = None,
    *,
    what: str = INVERSE,
    vector: bool = False,
    form: str = "paper",
    strategy: int = 2,
    elimination: str = "odd-even elimination",
) -> Program:
    """The program for n processes on one array.

    `what`: "inverse", "mass" or "both" (local, and by strategy 2 only). `vector`: the product with the vector
    of the problem instead of the matrix. `form`: "paper" or "short". What cannot be is refused (InputError).

    >>> [len(program(8, what=x, form="short").streams[0]) for x in ("inverse", "mass", "both")]
    [45, 47, 58]
    """
    types = joint_types(n, joints)
    refuse_wide(types, "the operational space")
    if form not in FORMS:
        raise InputError(f'form "{form}": the operational space has the forms paper and short')
    if what == BOTH and strategy != 2:
        raise InputError(
            "strategy 1: Lambda^-1 and Lambda by one elimination need the messages D of strategy 2; choose "
            "strategy 2, or one of the two matrices"
        )
    if strategy == 1 and elimination == "odd-even reduction":
        raise InputError(
            "strategy 1 with odd-even reduction keeps blocks for the way back, and nothing at the end "
            "effector needs one: choose strategy 2, or odd-even elimination"
        )
    v = Variant(n, form, 0, types, ContactShape.of(6), strategy, elimination, 1, False)
    lines = [*_projection(v, what), *DIAGONALISE[strategy](v.how)]
    if what == BOTH:
        lines += _own_pivot(v)
    lines += _products(v, what) if vector else _matrices(v, what)
    if vector:
        results = {_PRODUCT[what]: RESPONSE}
    else:
        matrices = {"lambda_inverse": (LAMBDA, MASS), "operational_mass": (MASS_TIP, INVERSE)}
        results = {name: x for name, (x, other) in matrices.items() if what != other}
    return Program(
        name="operational space",
        n=n,
        streams=(tuple(lines),),
        resident=_resident(v, what, vector),
        results={name: (1, x) for name, x in results.items()},
        titles={
            "I": "Step I: the Operational Space by Processor Array PR_{1,i}",
            "I.a": "a. Projection",
            "I.b": "b. Diagonalisation of " + ("Y" if what == MASS else "A"),
            "I.c": "c. " + ("The product" if vector else "The matrix" if what != BOTH else "Both matrices"),
        },
        form=form,
        joints=types,
        strategy=strategy,
        elimination=elimination,
    )


_PRODUCT = {INVERSE: "tip_acceleration", MASS: "tip_wrench"}
"""What the products are called."""


def memory(problem: Problem) -> dict[str, Numbers]:
    """The resident values of a problem by letter, each with a row per process."""
    chain, n = problem.chain, problem.chain.n
    side_tree.refuse(chain)
    about = inertia(chain.mass[-1], chain.inertia[-1], chain.centre[-1] - chain.position[-1])
    return {
        **held.memory(problem),
        S.letter: np.tile(pack(about), (n, 1)),
        VECTOR.letter: np.tile(problem.tip_vector, (n, 1)),
    }


def memory_of_mass(problem: Problem) -> dict[str, Numbers]:
    """The same where Lambda is asked for; `InputError` where it does not exist."""
    held_values = memory(problem)
    check_mass_exists(problem)
    return held_values


def answers(problem: Problem, result: Mapping[str, Numbers]) -> dict[str, Numbers]:
    """The matrices (6, 6) or the product (6,), frame n+1."""
    packed = ("lambda_inverse", "operational_mass")
    return {name: unpack(x[-1]) if name in packed else x[-1] for name, x in result.items()}


def check_mass_exists(problem: Problem) -> None:
    """`InputError` unless the end effector can move in all six directions, by the contact's pivot test."""
    chain = problem.chain
    inverse = articulated.lambda_inverse(chain, problem.q)
    ratio = contacts.pivot_ratio(contacts.welded(), inverse, tip_inverse_inertia(chain))
    if ratio > contacts.SINGULAR:
        return
    few = f"; with {chain.degrees} degrees of freedom it never can" if chain.degrees < 6 else ""
    raise InputError(
        f"Lambda does not exist: the end effector cannot move in all six directions (pivot ratio "
        f"{ratio:.1e}){few}; ask for Lambda^-1, or leave the singular configuration (q)"
    )


# --------------------------------------------------------------------------------- the parts


def _projection(v: Variant, what: str) -> Iterator[Instruction]:
    """Step I.a, and E_N or R_N; the block of Y at N is what link N-1 alone gives."""
    joints, last = v.joints, i == v.n
    yield Compute("I.a.1", RZ, by_process(link.PLANAR[x] for x in joints)(held.Q))
    inverse = by_process(link.INVERSE_INERTIA[x] for x in joints)
    yield Compute("I.a.2", INVERSE_I, inverse(RZ, held.Q, held.S_TURNED, held.INVERSE_J, held.INVERSE_M))
    couple = by_process(link.coupling(x, 5) for x in joints)
    yield Compute("I.a.4", v.how.B[0], couple(RZ, held.Q, INVERSE_I, held.P_TURNED, held.X_NEXT))
    users = i > 1 if v.strategy == 1 else v.how.pivots(1)
    yield Send("I.a.4'", v.how.B[0], v.eliminating[i + 1].only(users.shifted(-1)))
    yield Name("I.a.4'", v.how.L[0], v.how.B[0][i - 1], where=users)
    if what != MASS:
        tip = link.coupling(joints[-1], 6)
        yield Compute("I.a.4''", E, tip(RZ, held.Q, INVERSE_I, held.P_TURNED, held.X_TIP))
    if what != INVERSE:
        yield from link_frames("I.a.4''.i", "I.a.4''.ii", joints, (P_LINK,))
        yield Compute("I.a.4''.iii", R, end.reach(joints[-1])(C_NEXT, P_LINK), last)
    diagonal: list[Kernel] = [link.DIAGONAL[x] for x in joints]
    if what == MASS:
        diagonal[-1] = end.BEFORE_ALONE
    yield Compute("I.a.5", v.how.A[0], by_process(diagonal)(INVERSE_I, held.BEFORE))
    if what == BOTH:
        yield Name("I.a.5'", OWN_PIVOT[0], held.BEFORE, where=last)


def _own_pivot(v: Variant) -> Iterator[Instruction]:
    """Y_N^j = Y_N^{j-1} - D_{N-h}: process N does to its block of Y what it does to that of A."""

    def level(j: int, h: int) -> Iterator[Instruction]:
        less = k.difference(15)(OWN_PIVOT[j - 1], v.how.D[j - 1][i - h])
        yield Compute("I.b.12.Y", OWN_PIVOT[j], less, i == v.n)
        yield Arrange("I.b.12.Y'", OWN_PIVOT[j], j, following(j, v.n))

    yield from loop(v.n, level)


def _matrices(v: Variant, what: str) -> Iterator[Instruction]:
    """Step I.c: D less Theta, or S and what rises above it."""
    if what == BOTH:
        last = i == v.n
        yield from _factor_at_home(v)
        yield Compute("I.c.3", THETA, k.theta(v.how.LDL[v.levels].delivered, E))
        yield Compute("I.c.4", LAMBDA, k.difference(21)(held.TIP, THETA))
        yield Compute("I.c.3.Y.i", PIVOT_FACTOR, k.ldl(OWN_PIVOT[v.levels]), last)
        yield Compute("I.c.3.Y", RISE, k.theta(PIVOT_FACTOR, R))
        yield Compute("I.c.4.Y", MASS_TIP, k.total(21)(S, RISE))
        return
    side, inner = (R, RISE) if what == MASS else (E, THETA)
    if v.form == "short":
        yield from _factor_at_home(v)
        yield Compute("I.c.3", inner, k.theta(v.how.LDL[v.levels].delivered, side))
    else:
        solved = value("Omega", 5, 6)
        yield from _swept(v, side, held.no_e(v), solved, k.solve_columns(6))
        yield Compute("I.c.3.ii", inner, k.inner_product(side, solved.delivered))
    if what == MASS:
        yield Compute("I.c.4", MASS_TIP, k.total(21)(S, inner))
    else:
        yield Compute("I.c.4", LAMBDA, k.difference(21)(held.TIP, inner))


def _products(v: Variant, what: str) -> Iterator[Instruction]:
    """The same for one vector: D x - E'A^-1 (E x), S x + R'Y^-1 (R x), and no 6x6 matrix."""
    side, own, join = (R, S, end.PLUS_REACTION) if what == MASS else (E, held.TIP, end.LESS_REACTION)
    given, solved = value("psi_N", 5), value("phi_N", 5)
    yield Compute("I.c.1", given, end.REACH_OF(side, VECTOR), i == v.n)
    if v.form == "short":
        yield from _factor_at_home(v)
        yield Compute("I.c.3", solved, k.solve_columns()(v.how.LDL[v.levels].delivered, given))
    else:
        yield from _swept(v, given, held.no_column(v), solved, k.solve_columns())
    at_home = solved if v.form == "short" else solved.delivered
    yield Compute("I.c.4", RESPONSE, join(own, VECTOR, side, at_home), i == v.n)


def _factor_at_home(v: Variant) -> Iterator[Instruction]:
    """The factor of process N's last pivot, brought home."""
    m, last = v.levels, i == v.n
    yield at_last(Compute("I.b.12''", v.how.LDL[m], k.ldl(v.how.A[m])), v.n)
    yield at_last(Send("I.b.13", v.how.LDL[m], v.eliminating[i].only(last)), v.n)


def _swept(v: Variant, side: Value, absent: Value, solved: Value, solve: Kernel) -> Iterator[Instruction]:
    """Steps I.c.1-3 as printed: the right-hand side, zero but at N, goes through all levels."""
    m, shape = v.levels, side.shape
    psi, e, h = (Letter(name, shape) for name in ("psi", "e", "h"))
    yield at_last(Compute("I.b.12''", v.how.LDL[m], k.ldl(v.how.A[m])), v.n)
    yield Name("I.c.1", psi[0], side, absent)
    yield from RIGHT_HAND_SIDE[v.strategy]("I.c.2", psi, e, h, v.how, v.eliminating)
    yield at_last(Compute("I.c.3.i", solved, solve(v.how.LDL[m], psi[m])), v.n)
    yield at_last(Send("I.c.3.i'", solved, v.eliminating[i].only(i == v.n)), v.n)


def _resident(v: Variant, what: str, vector: bool) -> tuple[Resident, ...]:
    last, before = i == v.n, i < v.n
    values = [held.Q, held.S_TURNED, held.P_TURNED, held.INVERSE_J, held.INVERSE_M, held.BEFORE]
    found = [Resident(x, (1,)) for x in values]
    found.append(Resident(held.X_NEXT, (1,), before))
    if what != MASS:
        found += [Resident(x, (1,), last) for x in (held.X_TIP, held.TIP)]
    if what != INVERSE:
        found += [Resident(x, (1,)) for x in (held.R, held.P_0)]
        found.append(Resident(S, (1,), last))
    if vector:
        found.append(Resident(VECTOR, (1,), last))
    if v.form == "paper" and what != BOTH:
        found.append(Resident(held.no_column(v) if vector else held.no_e(v), (1,), before))
    return tuple(found)

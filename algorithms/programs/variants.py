"""The closed and the open chain as users choose them: a page, a solver, and passes over the program.

The page of eight arrays is here too (`by_columns`): A Omega = E of Eq. (84) has six right-hand sides, the
columns of E, and PR_{3..8} solve for one each. C and F go from array 1 to array 3 and then from each array to
the next, so no wire carries a block twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from senn.algorithms.arm import Arm, Lines, arm_of
from senn.algorithms.arm.letters import *
from senn.algorithms.kernels import system as k
from senn.algorithms.problems.contacts import ContactShape
from senn.algorithms.programs import closed_chain as paper
from senn.algorithms.programs import short
from senn.algorithms.programs.newton_euler import NEWTON_EULER
from senn.algorithms.programs.refinement import of_open_chain
from senn.algorithms.robots.side_tree import BRANCH_QDD_0, SideTree
from senn.algorithms.system.owner_of_row import OWNER_OF_ROW
from senn.algorithms.system.solver import Reduction, Solver, Strategy, after_last_level
from senn.base.errors import InputError
from senn.machine import rewrite
from senn.machine.program import *  # the words of a program

FORMS = ("paper", "short", "omega")
ELIMINATIONS = ("oee", "oer")
STRATEGIES = (1, 2)

OWNER_OF_INVERSE = Strategy(paper.diagonalise, paper.sweep, short.tip_sweep)
"""Strategy 2, the paper's choice."""
_OWNERS = {1: OWNER_OF_ROW, 2: OWNER_OF_INVERSE}
_SOLVERS = {"oee": Solver, "oer": Reduction}
_FORMS = {"short": short.program, "omega": short.omega}

_OPEN_CHAIN_TITLES = {
    prefix: title
    for prefix, title in paper.TITLES.items()
    if prefix in ("I.a", "I.b", "II.a", "II.b", "II.c") or prefix == "V"
} | {
    "I": "Step I: Diagonalize Matrix A by Processor {arrays}",
    "II": "Step II: Compute F_T and Qdd_0 by Processor {arrays}",
}
"""Headings without a contact."""

Assignment = Mapping[str, int | tuple[int, ...]]
_APART: Assignment = {"II.a": 3, "II.b.1": 3, "II.a.1": (2, 3)}
"""Newton-Euler apart; the solving array makes those frames itself that it needs."""
_WIDTHS: Mapping[int, Assignment | None] = {1: {"": 1}, 2: None, 3: _APART, 8: None}


_KNOWN: Mapping[str, tuple[object, ...]] = {
    "form": FORMS,
    "strategy": STRATEGIES,
    "elimination": ELIMINATIONS,
    "motion": (*NEWTON_EULER,),
    "arrays": (*_WIDTHS,),
    "refine": (0, 1, 2, 3, 4, 5),
}


def check_choices(**choices: object) -> None:
    """`InputError` for the first of some choices that has no such value."""
    for name, choice in choices.items():
        if choice not in (known := _KNOWN[name]):
            raise InputError(f"{name} {choice!r} is not one of {', '.join(map(str, known))}")


def solver(n: int, strategy: int = 2, elimination: str = "oee") -> Solver:
    """The solver of A phi = psi; `InputError` for values that do not exist."""
    check_choices(strategy=strategy, elimination=elimination)
    return _SOLVERS[elimination](n, _OWNERS[strategy])


def closed_chain(
    n: int,
    form: str = "paper",
    refine: int = 0,
    joints: Sequence[str] | None = None,
    contact: int | ContactShape = 6,
    *,
    strategy: int = 2,
    elimination: str = "oee",
    motion: str = "recurrences",
    arrays: int | Assignment = 2,
    ahead: bool = False,
    branches: Sequence[SideTree] = (),
) -> Program:
    """The program of the closed chain, for n links with these joints, contact and branches.

    Choices are those of `senn run`. `form`: "paper" is Section VI.D as printed, errata corrected; "short"
    drops what is not needed; "omega" is short, with the rows of M^-1 J' made by array 1 while array 2 does
    Step II. `arrays`: also an assignment of steps to arrays (`rewrite.on_arrays`). `ahead`: values that a
    level updates move on at the start of the level. `InputError` for values that do not exist, and for
    combinations that cannot be.
    """
    check_choices(form=form, **({} if isinstance(arrays, Mapping) else {"arrays": arrays}))
    reasons = {
        "short": "form short has no sweep of six right-hand sides (psi_N^M = E_N)",
        "omega": "the six of form omega end in rows of M^-1 J' that need all of them in one array",
    }
    if arrays == 8 and form in reasons:
        raise InputError(
            f"8 arrays take one right-hand side of Eq. (84) each, but {reasons[form]}: choose form paper, or "
            "1, 2 or 3 arrays"
        )
    arm = arm_of(n, joints, contact, branches)
    program = _page(arm, form, arrays, refine, strategy, elimination, motion)
    return _placed(program, arm, arrays, ahead)


def _page(
    arm: Arm, form: str, arrays: int | Assignment, refine: int, strategy: int, elimination: str, motion: str
) -> Program:
    check_choices(refine=refine, motion=motion)
    how = solver(arm.n, strategy, elimination)
    if form != "paper":
        page = _FORMS[form](arm, how, NEWTON_EULER[motion], refine)
    elif motion != "recurrences":
        raise InputError(
            f"motion {motion} has all vectors in frame 1, but form paper goes on with them in frame N+1, as "
            "it is printed: take form short or omega"
        )
    else:
        page = (by_columns if arrays == 8 else paper.program)(arm, how, refine)
    about = {"refine": refine, "strategy": strategy, "elimination": elimination, "motion": motion}
    return replace(page, about={**page.about, **about})


def open_chain(
    n: int,
    joints: Sequence[str] | None = None,
    *,
    refine: int = 0,
    strategy: int = 2,
    elimination: str = "oee",
    motion: str = "recurrences",
    arrays: int | Assignment = 2,
    ahead: bool = False,
    branches: Sequence[SideTree] = (),
) -> Program:
    """The rest of form short when nothing touches the end effector: Qdd_0 = M^-1 (tau - b).

    The constraint force algorithm (Fijany II.C and V; Yang, Wu and Pan III, their CFA): Lambda^-1, the
    acceleration of the end effector, and Steps III and IV are cut. The arguments are those of `closed_chain`.

    >>> [len(stream) for stream in open_chain(4).streams]
    [34, 80]
    """
    arm = arm_of(n, joints, 0, branches)
    if not isinstance(arrays, Mapping) and arrays not in (1, 2):
        raise InputError(
            f"{arrays} arrays: the open chain is written for 1 or 2 (A in the first, all else in the second)"
        )
    whole = _page(arm, "short", arrays, refine, strategy, elimination, motion)
    names = ("qdd0", "forces.drive", "forces.phi", "forces.turn", "forces.pfn", BRANCH_QDD_0)
    parts = {name: (k, of_open_chain(x)) for name, (k, x) in whole.results.items() if name in names}
    cut = rewrite.keep(replace(whole, results=parts), *parts)
    return _placed(replace(cut, name="open chain", parts=_OPEN_CHAIN_TITLES), arm, arrays, ahead)


def _placed(program: Program, arm: Arm, arrays: int | Assignment, ahead: bool) -> Program:
    """The program on its arrays, and with `ahead`; lines that served only an array that is gone are cut. Of
    the two new blocks of a level, L comes first where both meet on their way ahead."""
    steps = arrays if isinstance(arrays, Mapping) else _WIDTHS[arrays]
    if arrays == 3 and not arm.lean:
        steps = {**_APART, "II.b.1'": 2}  # axes for the solving array
    elif arrays == 3 and arm.branches:
        steps = {**_APART, "II.b.1.v'": 3}  # what the drives need goes at once
    if steps is not None:
        moved = rewrite.on_arrays(program, steps)
        program = rewrite.keep(moved, *moved.results)
    program = replace(program, about={**program.about, "ahead": ahead})
    return rewrite.ahead(rewrite.earlier(program, "I.b.6", "I.b.9", "I.b.2")) if ahead else program


# ------------------------------------------------------------------------- eight arrays

ARRAYS = tuple(Array(number) for number in range(3, 9))
E_COLUMNS = tuple(value(f"E.{c}", ROWS) for c in range(1, 7))
OMEGA_COLUMNS = tuple(value(f"Omega.{c}", ROWS) for c in range(1, 7))


def by_columns(arm: Arm, solver: Solver, refine: int = 0) -> Program:
    """Section VI.D with Step I.c by columns: eight arrays."""
    page = paper.program(arm, solver, refine)
    factor, columns = last(LDL, arm.n), [array[i].only(i == arm.n) for array in reversed(ARRAYS)]
    step_i = [
        *_with_columns(paper.projection(arm, solver)),
        *_passed_down(solver.diagonalise()),
        after_last_level(Compute("I.b.12''", factor, k.ldl(last(A, arm.n))), arm.n),
        after_last_level(Send("I.b.13", factor, PR2[i], *columns), arm.n),  # the farthest column first
        Compute("I.c.3.ii", THETA, k.inner_product_of_columns(E, *OMEGA_COLUMNS)),
        Compute("I.c.4", LAMBDA, minus(arm.tip_inertia, THETA), i == arm.n),
        *paper.send_lambda(arm),
        Remark("I.c.6", "wait (end of operation)"),
    ]
    return arm.program(
        "closed chain",
        step_i,
        page.streams[1],
        *(list(_column(number, solver)) for number in range(1, 7)),
        also=[Resident(NO_COLUMN, where=i < arm.n), Resident(UNIT, where=i == arm.n)]
        + [Resident(GRAVITY, where=i == 1)],
        results=page.results,
        parts=page.parts,
        form="paper",
    )


def _with_columns(lines: Lines) -> Lines:
    """I.a.4'': the columns of E_N, to the arrays that solve for them."""
    for line in lines:
        yield line
        if isinstance(line, Compute) and line.target == E:
            for c, (column, array) in enumerate(zip(E_COLUMNS, ARRAYS, strict=True), 1):
                yield Compute(f"I.a.4''.{c}", column, k.column(c)(E))
                yield Send(f"I.a.4''.{c}", column, array[i])


def _passed_down(lines: Lines) -> Lines:
    """Send C and F to array 3 too, under the letters of either strategy."""
    for line in lines:
        to_solver = (
            isinstance(line, Send) and line.values[0].letter[0] in "CF" and PR2[i] in line.destinations
        )
        yield changed(line, destinations=(PR2[i], ARRAYS[0][i])) if to_solver else line


def _column(number: int, solver: Solver) -> Lines:
    """Steps I.c.1-3 for one right-hand side: column `number` (from 1) of Omega_N."""
    array, n, m, mark = ARRAYS[number - 1], solver.n, solver.last, f".{number}"
    psi, e, h = (Letter(name + mark, (ROWS,)) for name in ("Psi", "e.E", "h.E"))
    omega = OMEGA_COLUMNS[number - 1]
    yield Name("I.c.1", psi[0], E_COLUMNS[number - 1], NO_COLUMN)
    yield from _passed_on(solver.sweep("I.c.2", psi, e, h, array), number)
    yield after_last_level(Compute("I.c.3.i", omega, k.solve(LDL[m], psi[m]), i == n), n)
    yield after_last_level(Send("I.c.3.i'", omega, PR1[i]), n)
    yield after_last_level(Wait("I.c.6", psi[m]), n)  # psi^M of other processes, which no step reads


def _passed_on(lines: Iterable[Instruction], number: int) -> Lines:
    """The blocks of a sweep from one column to the next, before each is used."""
    for line in lines:
        block = line.expression.operands[0].value if isinstance(line, Compute) else None
        if block is not None and block.letter[0] in "CF" and number < len(ARRAYS):
            yield changed(Send(f"{line.step}'", block, ARRAYS[number][i]), level=line.level, at=line.at)
        yield line

"""The closed and the open chain as users choose them: a page, a solver, and passes over what they give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from senn.algorithms.arm import Arm, arm_of
from senn.algorithms.arm.wide import Wide
from senn.algorithms.problems.contact.contact import ContactShape
from senn.algorithms.programs import closed_chain as paper
from senn.algorithms.programs import columns, short, titles
from senn.algorithms.programs.jets import NEWTON_EULER
from senn.algorithms.robots.side_tree import BRANCH_QDD_0, SideTree
from senn.algorithms.system.owner_of_row import OWNER_OF_ROW
from senn.algorithms.system.reduction import Reduction
from senn.algorithms.system.rows import EveryOther, Rows
from senn.algorithms.system.solver import Solver, Strategy
from senn.machine import rewrite
from senn.machine.program import Program
from senn.traces.errors import InputError

FORMS = ("paper", "short", "omega")
ELIMINATIONS = {"oee": "odd-even elimination", "oer": "odd-even reduction"}
STRATEGIES = (1, 2)
WIDTHS = (1, 2, 3, 8)
REFINEMENTS = (0, 1, 2)

OWNER_OF_INVERSE = Strategy(paper.diagonalise, paper.sweep, short.tip_sweep)
"""Strategy 2, the paper's choice."""

Assignment = Mapping[str, int | tuple[int, ...]]
ON_ONE: Assignment = {"": 1}
NEWTON_EULER_APART: Assignment = {"II.a": 3, "II.b.1": 3, "II.a.1": (2, 3)}
"""What the solving array needs of the frames it makes itself."""


def solver(n: int, strategy: int = 2, elimination: str = "oee", refine: int = 0) -> Solver:
    """How A phi = psi is solved; what there is not is refused (InputError)."""
    if refine not in REFINEMENTS:
        raise InputError(f"refine = {refine}: 0, 1 or 2 (already the second step gains nothing)")
    if strategy not in STRATEGIES:
        raise InputError(
            f"strategy {strategy}: 1 (the owner of a row computes its update) or 2 (the owner of an "
            "inverse computes all that needs it)"
        )
    if elimination not in ELIMINATIONS:
        raise InputError(f'elimination "{elimination}" is not one of {", ".join(ELIMINATIONS)}')
    owner = OWNER_OF_ROW if strategy == 1 else OWNER_OF_INVERSE
    if elimination == "oer":
        return Reduction(EveryOther(n), owner, refine)
    return Solver(Rows(n), owner, refine)


def closed_chain(
    n: Arm | int,
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
    """The program of the closed chain, for an arm or for n links with these joints, contact and branches.

    `form`: "paper" is Section VI.D as printed, errata corrected; "short" drops what is not needed; "omega" is
    short, with the rows of M^-1 J' made by array 1 while array 2 does Step II. `refine` steps of iterative
    refinement (0..2) follow every solution with A. `strategy` (Fijany VI.B): 2, the owner of an inverse
    computes all that needs it; 1, the owner of a row computes its update. `elimination`: "oee", odd-even
    elimination, or "oer", odd-even reduction. `motion`: "recurrences", as printed, "jets", one scan
    outward and one inward, or "outward", the former alone (neither in form paper, which is the paper's).
    `arrays`: 1, all in one; 2, Step I and Steps II-IV; 3, Newton-Euler apart; 8, every right-hand side of
    Eq. (84) apart; or which array does which step (`rewrite.on_arrays`). `ahead`: what a level updates moves
    on at the start of the level. What cannot be is refused (InputError).
    """
    arm = n if isinstance(n, Arm) else arm_of(n, joints, contact, branches)
    if form not in FORMS:
        raise InputError(f'form "{form}" is not one of {", ".join(FORMS)}')
    how = solver(arm.n, strategy, elimination, refine)
    if isinstance(arrays, int):
        _check_width(arrays, form)
    found = _page(arm, how, form, motion, arrays)
    about = {
        "refine": refine,
        "strategy": strategy,
        "elimination": ELIMINATIONS[elimination],
        "motion": motion,
        "ahead": ahead,
    }
    found = replace(found, about={**found.about, **about})
    return _moved(_on(found, arrays, arm), ahead)


def _page(arm: Arm, how: Solver, form: str, motion: str, arrays: int | Assignment) -> Program:
    if motion not in NEWTON_EULER:
        raise InputError(f'motion "{motion}" is not one of {", ".join(NEWTON_EULER)}')
    if form != "paper":
        page = short.omega if form == "omega" else short.program
        return page(arm, how, NEWTON_EULER[motion])
    if motion != "recurrences":
        raise InputError(
            f"motion {motion} has all vectors in frame 1, but form paper goes on with them in frame N+1, as "
            "it is printed: take form short or omega"
        )
    return columns.program(arm, how) if arrays == 8 else paper.program(arm, how)


def open_chain(
    n: Arm | int,
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
    """What is left of form short when nothing touches the end effector: Qdd_0 = M^-1 (tau - b).

    The constraint force algorithm (Fijany II.C and V; Yang, Wu and Pan III, their CFA): Lambda^-1, the
    acceleration of the end effector, and Steps III and IV are cut. The arguments are those of `closed_chain`.

    >>> [len(stream) for stream in open_chain(4).streams]
    [34, 80]
    """
    free = ContactShape("I", 0)
    arm = replace(n, contact=free) if isinstance(n, Arm) else arm_of(n, joints, free, branches)
    if isinstance(arrays, int) and arrays not in (1, 2):
        raise InputError(
            f"{arrays} arrays: the open chain is written for 1 or 2 (A in the first, all else in the second)"
        )
    whole = closed_chain(arm, "short", refine, strategy=strategy, elimination=elimination, motion=motion)
    names = ("qdd0", "forces.drive", "forces.phi", "forces.turn", "forces.pfn")
    parts = tuple(name for name in names if name in whole.results)
    cut = rewrite.keep(whole, *parts, *((BRANCH_QDD_0,) if arm.branches else ()))
    about = {**whole.about, "ahead": ahead}
    found = replace(cut, name="open chain", titles=titles.OPEN_CHAIN, about=about)
    return _moved(_on(found, arrays, arm), ahead)


def _check_width(arrays: int, form: str) -> None:
    if arrays not in WIDTHS:
        raise InputError(
            f"{arrays} arrays: the program is written for 1, 2, 3 (Newton-Euler apart) or 8 (each "
            "right-hand side of Eq. (84) apart)"
        )
    if arrays == 8 and form == "short":
        raise InputError(
            "8 arrays take one right-hand side of Eq. (84) each, but form short has no sweep of six "
            "right-hand sides (psi_N^M = E_N): choose form paper, or 1, 2 or 3 arrays"
        )
    if arrays == 8 and form == "omega":
        raise InputError(
            "8 arrays take one right-hand side of Eq. (84) each, but the six of form omega end in rows "
            "of M^-1 J' that need all of them in one array: choose form paper, or 1, 2 or 3 arrays"
        )


def _on(program: Program, arrays: int | Assignment, arm: Arm) -> Program:
    """The program on its arrays; what only an array that is gone has used is cut."""
    if isinstance(arrays, int):
        if arrays not in (1, 3):
            return program
        arrays = ON_ONE if arrays == 1 else NEWTON_EULER_APART
        if len(arrays) > 1 and isinstance(arm, Wide):
            arrays = {**arrays, "II.b.1'": 2}  # axes for the solving array
        elif len(arrays) > 1 and arm.branches:
            arrays = {**arrays, "II.b.1.v'": 3}  # what the drives need goes at once
    moved = rewrite.on_arrays(program, arrays)
    return rewrite.keep(moved, *moved.results)


def _moved(program: Program, ahead: bool) -> Program:
    """Of the two new blocks of the level before, L comes first where both meet on their way ahead."""
    return rewrite.ahead(rewrite.earlier(program, "I.b.6", "I.b.9", "I.b.2")) if ahead else program

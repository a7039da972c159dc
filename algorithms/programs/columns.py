"""Eight arrays: each right-hand side of Eq. (84) in an array of its own, the rest as printed.

A Omega = E has six right-hand sides, the columns of E, and PR_{3..8} solve for one each. C and F go from
array 1 to array 3 and then from each to the next: no wire carries a block twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from senn.algorithms.arm import Arm
from senn.algorithms.arm.letters import *
from senn.algorithms.kernels import sums
from senn.algorithms.kernels import system as k
from senn.algorithms.programs import closed_chain as page
from senn.algorithms.programs import results
from senn.algorithms.programs.contact_force import contact_force
from senn.algorithms.programs.titles import TITLES
from senn.algorithms.system.solver import Solver, at_last
from senn.machine.program import (
    PR1,
    PR2,
    Array,
    Compute,
    Instruction,
    Letter,
    Name,
    Program,
    Remark,
    Resident,
    Send,
    Wait,
    changed,
    i,
    value,
)

Lines = Iterator[Instruction]
ARRAYS = tuple(Array(number) for number in range(3, 9))
E_COLUMNS = tuple(value(f"E.{c}", ROWS) for c in range(1, 7))
OMEGA_COLUMNS = tuple(value(f"Omega.{c}", ROWS) for c in range(1, 7))


def program(arm: Arm, solver: Solver) -> Program:
    """Section VI.D with Step I.c by columns."""
    step_i = [*_with_columns(page.projection(arm, solver)), *_passed_down(solver.diagonalise())]
    return arm.program(
        "closed chain",
        [*step_i, *factor(arm.n), *lambda_inverse(arm)],
        [*page.frames(arm), *page.bias(arm), *page.open_chain(arm, solver), *page.end_acceleration_0(arm)]
        + [*contact_force(arm.contact), *page.closed_chain(arm, solver)],
        *(list(column(number, solver)) for number in range(1, 7)),
        also=[Resident(NO_COLUMN, where=i < arm.n), Resident(UNIT, where=i == arm.n)]
        + [Resident(GRAVITY, where=i == 1)],
        results=results.paper(arm),
        titles=TITLES,
        form="paper",
    )


def _with_columns(lines: Lines) -> Lines:
    """I.a.4'': the columns of E_N, to the arrays that solve for them."""
    for line in lines:
        yield line
        if isinstance(line, Compute) and line.target == E:
            for c, (one, array) in enumerate(zip(E_COLUMNS, ARRAYS, strict=True), 1):
                yield Compute(f"I.a.4''.{c}", one, k.column(c)(E))
                yield Send(f"I.a.4''.{c}", one, array[i])


def _passed_down(lines: Lines) -> Lines:
    """C and F to array 3 too, whatever the strategy calls them."""
    for line in lines:
        to_solver = (
            isinstance(line, Send) and line.values[0].letter[0] in "CF" and PR2[i] in line.destinations
        )
        yield changed(line, destinations=(PR2[i], ARRAYS[0][i])) if to_solver else line


def factor(n: int) -> Lines:
    """And the factor of A_N^M to the columns, the farthest first."""
    yield at_last(Compute("I.b.12''", last(LDL, n), k.ldl(last(A, n))), n)
    columns = (array[i].only(i == n) for array in reversed(ARRAYS))
    yield at_last(Send("I.b.13", last(LDL, n), PR2[i], *columns), n)


def lambda_inverse(arm: Arm) -> Lines:
    """I.c.3.ii-5 from the columns of Omega_N."""
    yield Compute("I.c.3.ii", THETA, k.inner_product_of_columns(E, *OMEGA_COLUMNS))
    yield Compute("I.c.4", LAMBDA, sums.difference(arm.tip_inertia, THETA), i == arm.n)
    yield from page.send_lambda(arm)
    yield Remark("I.c.6", "wait (end of operation)")


def column(number: int, solver: Solver) -> Lines:
    """Steps I.c.1-3 for one right-hand side: column `number` (from 1) of Omega_N."""
    array, n, m, mark = ARRAYS[number - 1], solver.n, solver.rows.last, f".{number}"
    psi, e, h = (Letter(name + mark, (ROWS,)) for name in ("Psi", "e.E", "h.E"))
    omega = OMEGA_COLUMNS[number - 1]
    yield Name("I.c.1", psi[0], E_COLUMNS[number - 1], NO_COLUMN)
    yield from _passed_on(solver.sweep("I.c.2", psi, e, h, array), number)
    yield at_last(Compute("I.c.3.i", omega, k.solve_columns()(LDL[m], psi[m]), i == n), n)
    yield at_last(Send("I.c.3.i'", omega, PR1[i]), n)
    yield at_last(Wait("I.c.6", psi[m]), n)  # psi^M of the others, which nobody needs


def _passed_on(lines: Iterable[Instruction], number: int) -> Lines:
    """The blocks of a sweep from one column to the next, before each is used."""
    for line in lines:
        block = line.expression.operands[0].value if isinstance(line, Compute) else None
        if block is not None and block.letter[0] in "CF" and number < len(ARRAYS):
            yield changed(Send(f"{line.step}'", block, ARRAYS[number][i]), level=line.level, at=line.at)
        yield line

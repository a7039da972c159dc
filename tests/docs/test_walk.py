"""The walk of docs/machine/walk.md: Step I.b for four links, whose cycles stand on the page."""

from dataclasses import replace

from senn.algorithms.arm import arm_of
from senn.algorithms.arm.letters import A, B, L
from senn.algorithms.programs.variants import solver
from senn.machine import model
from senn.machine.engines import events
from senn.machine.placing import allocation
from senn.machine.placing.schedule import place
from senn.machine.program import PR2, Compute, Letter, Operations, Program, Resident, i
from senn.machine.rewrite.lines import with_values


def ten_cycles(line):
    """The instruction; a computation counts ten operations."""
    if not isinstance(line, Compute):
        return line
    kernels = tuple(replace(kernel, declared=Operations(add=10)) for kernel in line.expression.kernels)
    return replace(line, expression=replace(line.expression, kernels=kernels))


n = 4
psi, e, h = (Letter(name, (5,)) for name in ("psi", "e", "h"))
elimination, sized = solver(n), arm_of(n).sized  # an arm decides how large a block is
array_1 = tuple(ten_cycles(with_values(line, sized)) for line in elimination.diagonalise())
array_2 = tuple(with_values(line, sized) for line in elimination.sweep("II.c.3", psi, e, h, PR2))
a, b, left = (sized(x[0]) for x in (A, B, L))
blocks = (Resident(a, (1,)), Resident(b, (1,), i < n), Resident(left, (1,), i > 1))
at_start = (*blocks, Resident(psi[0], (2,)))
program = Program("Step I.b", n, (array_1, array_2), at_start, {})
machine = model.load("ideal").with_settings({"timing.startup": 20, "timing.word": 1})


def issues(residency):
    """(line, level) -> the cycle of its issue in array 1; and the end."""
    schedule = place(program, allocation.named("identity", n, residency), machine)
    table = events.simulate(schedule, machine, None).trace.instructions.filter(array=1)
    rows = table.select("step", "level", "issue").rows()
    return {(step, level): issue for step, level, issue in rows}, table["end"].max()


def test_cycles_of_the_walk() -> None:
    """Instructions of both residencies, and their ends, as the page counts them by hand."""
    migrating, end = issues("migrating")
    assert [migrating[f"I.b.{k}", 1] for k in range(1, 13)] == [0, 10, 20, 21, 31, 32, 42, 43, 53, 54, 64, 89]
    assert (migrating["I.b.12'", 1], migrating["I.b.1", 2], migrating["I.b.2", 2]) == (99, 135, 180)
    assert (migrating["I.b.12", 2], end) == (259, 269)

    home, end = issues("home")
    assert [home[f"I.b.{k}", 1] for k in range(1, 13)] == [0, 10, 20, 21, 31, 32, 42, 43, 53, 54, 64, 89]
    assert (home["I.b.1", 2], home["I.b.2", 2], home["I.b.5", 2], home["I.b.9", 2]) == (99, 134, 155, 177)
    assert (home["I.b.12", 2], end) == (248, 258)

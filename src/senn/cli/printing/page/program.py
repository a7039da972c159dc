"""The program of a run for its page: the listing, line by line, and the matrix that it takes apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from senn.traces.errors import InputError

if TYPE_CHECKING:
    from senn.machine.program import Program
    from senn.machine.program.flow import Line as FlowLine
    from senn.traces.report import Line, Stage
    from senn.traces.run import Run


def of_run(run: Run) -> tuple[tuple[Line, ...], tuple[Stage, ...]]:
    """The listing and the stages of the matrix; nothing where the program cannot be made again."""
    from senn.api.what_if.rebuilt import rebuilt

    try:
        program = rebuilt(run)[0].program
    except InputError:
        return (), ()
    return tuple(_listing(program)), tuple(_stages(program))


def _listing(program: Program) -> Iterator[Line]:
    """As `senn program` prints it, each line with its instruction, if it is issued."""
    from senn.machine.program.listing import printed
    from senn.traces.report import Line

    for text, line in printed(program):
        for part in text.split("\n"):
            if line is not None and line.instruction.issued:
                yield Line(part, line.array, line.instruction.step, line.instruction.level)
            else:
                yield Line(part)


def _stages(program: Program) -> Iterator[Stage]:
    """The blocks beside the diagonal after each level of Step I.b, and the instruction that ends the level.

    Level j leaves the blocks B_i^j, from i to i + 2^j, and those on the other side, which are their
    transposes; the instruction that writes A^j ends it. Programs without these letters have no stage.
    """
    from senn.machine.program.dataflow import flow
    from senn.traces.report import Stage

    lines = [line for stream in flow(program).lines for line in stream]
    for level in range(program.levels + 1):
        ending = _written(lines, "A", level)
        if not ending:
            return
        above = [(i, i + 2**level) for line in _written(lines, "B", level) for i in line.processes.tolist()]
        below = [(i - 2**level, i) for line in _written(lines, "L", level) for i in line.processes.tolist()]
        last = ending[-1]
        yield Stage(level, last.array, last.instruction.step, last.instruction.level, tuple({*above, *below}))


def _written(lines: list[FlowLine], letter: str, level: int) -> list[FlowLine]:
    """The lines that compute or name a value."""
    from senn.machine.program import Compute, Name

    return [
        line
        for line in lines
        if isinstance(line.instruction, Compute | Name)
        and (line.instruction.target.letter, line.instruction.target.level) == (letter, level)
    ]

"""Instructions of a program rewritten one by one: what a line makes, and the line with other operands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import groupby

from senn.machine.program import *  # the words of a program


def on_units(program: Program, units: int, times: Sequence[Fraction | int] = (1, 1, 1, 20, 1, 1)) -> Program:
    """The program for nodes of several arithmetic units, which share every kernel.

    A kernel costs what is on the longest way through its schedule on them
    (`senn.machine.program.counting`), for a process that has all operands. `times` are those of the machine
    (`machine.timing.operations`), or in their proportions. Operations are then those that take time, not all
    that are executed. InputError for a kernel whose arithmetic is not in it (a serial algorithm on one node).
    """

    def shared(line: Instruction) -> Instruction:
        if not isinstance(line, Compute):
            return line
        shapes = tuple(operand.value.shape for operand in line.expression.operands)
        kernels = tuple(_shared(kernel, shapes, units, tuple(times)) for kernel in line.expression.kernels)
        return replace(line, expression=replace(line.expression, kernels=kernels))

    return replace(program, streams=tuple(tuple(map(shared, stream)) for stream in program.streams))


@cache
def _shared(
    kernel: Kernel, shapes: tuple[tuple[int, ...], ...], units: int, times: tuple[Fraction | int, ...]
) -> Kernel:
    return replace(kernel, declared=kernel.graph(*shapes).shared(units, times))


def target_of(line: Instruction) -> Value | None:
    """The value that a line computes or names; arranging makes no new value."""
    return line.target if isinstance(line, Compute | Name) else None


def with_operands(line: Compute | Name, change: Callable[[Operand], Operand]) -> Compute | Name:
    """The line with every operand changed."""
    if isinstance(line, Name):
        return changed(line, operands=tuple(map(change, line.operands)))
    operands = tuple(map(change, line.expression.operands))
    return replace(line, expression=replace(line.expression, operands=operands))


def with_values(line: Instruction, change: Callable[[Value], Value]) -> Instruction:
    """The line with every value changed."""
    if isinstance(line, Compute | Name):
        renamed = with_operands(line, lambda operand: replace(operand, value=change(operand.value)))
        return changed(renamed, target=change(line.target))
    if isinstance(line, Send):
        return changed(line, cargo=tuple(tuple(map(change, together)) for together in line.cargo))
    if isinstance(line, Arrange | Wait):
        return changed(line, values=tuple(map(change, line.values)))
    assert isinstance(line, Remark)
    return line if line.of is None else changed(line, of=change(line.of))


def readdressed(line: Send, to: Callable[[Value], Iterable[Destination]]) -> Iterator[Send]:
    """A send each of whose values goes to other destinations, if any: values of the same ones together."""
    groups: dict[tuple[Destination, ...], set[Value]] = defaultdict(set)
    for value in line.values:
        groups[tuple(to(value))].add(value)
    for destinations, values in groups.items():
        parts = (tuple(value for value in together if value in values) for together in line.cargo)
        if destinations:
            yield changed(line, cargo=tuple(filter(None, parts)), destinations=destinations)


def runs(stream: Iterable[Instruction]) -> Iterator[list[Instruction]]:
    """A stream in pieces: the lines of one level of one loop, and the lines between loops."""
    return (list(lines) for _, lines in groupby(stream, key=lambda line: line.level))

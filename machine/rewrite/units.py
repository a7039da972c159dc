"""Parallelism inside the operations of a node: several arithmetic units share every kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache

from senn.machine.program import Compute, Instruction, Kernel, Program


def on_units(program: Program, units: int, times: Sequence[Fraction | int] = (1, 1, 1, 20)) -> Program:
    """The same program for nodes of so many arithmetic units: every kernel costs what is on the longest way
    through its schedule on them (`senn.machine.program.arithmetic`), for a process that has all operands.

    `times` are those of the machine, or in their proportions: multiplication, addition, division, sine and
    cosine. Operations are then those that take time, not all that are executed. InputError for a kernel whose
    arithmetic is not in it (a serial algorithm on one node).
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

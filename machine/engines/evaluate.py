"""The numbers of one instruction: gather operands, call kernels on whole batches, hand out results.

A lane is here a process that takes part, alone on its node or not. Lanes that execute the same kernel with
the same operands present go through it together, always in the order of their processes. So neither the
allocation nor the engine can change a bit of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from senn.machine.network.topology import Integers
from senn.machine.placing.tasks import Task
from senn.machine.program import Compute, Kernel, Operations
from senn.machine.program.flow import NONE, Flow, Line

Block = NDArray[np.floating[Any]]
"""The numbers of one value. A run has one kind of floating point, that of its resident values."""


def lanes(line: Line) -> Iterator[tuple[Kernel, tuple[bool, ...], Integers]]:
    """The groups of lanes that act alike: (kernel, which operands are present, lane numbers)."""
    assert isinstance(line.instruction, Compute)
    expression = line.instruction.expression
    choice = np.zeros(len(line.processes), dtype=np.int64)
    if expression.choice is not None:
        choice = np.array(expression.choice)[line.processes - 1]
    code = choice.copy()
    for read in line.reads:
        code = 2 * code + (read != NONE)
    for key in np.unique(code):
        group = np.flatnonzero(code == key)
        present = tuple(bool(read[group[0]] != NONE) for read in line.reads)
        yield expression.kernels[choice[group[0]]], present, group


def executed(found: Flow) -> Operations:
    """The operations that a program executes, over all processes of all arrays, by kind."""
    total = Operations()
    for line in (line for stream in found.lines for line in stream):
        if isinstance(line.instruction, Compute):
            expression = line.instruction.expression
            for kernel, present, group in lanes(line):
                total += expression.operations(kernel, present).times(len(group))
    return total


def flops(task: Task) -> Integers:
    """Operations executed by each lane of a compute; 0 for anything else."""
    executed = np.zeros(len(task.nodes), dtype=np.int64)
    if isinstance(task.line.instruction, Compute):
        expression = task.line.instruction.expression
        for kernel, present, group in lanes(task.line):
            executed[group] = expression.operations(kernel, present).flops
    return executed


def evaluate(
    task: Task, gather: Callable[[Integers, Integers], Block], chosen: Integers | None = None
) -> Iterator[tuple[Integers, Block]]:
    """What a compute writes, group by group: (lanes, their blocks stacked); all lanes, or those chosen.

    ``gather(nodes, slots)`` reads one slot from the memory of each node and stacks the blocks.
    """
    assert isinstance(task.line.instruction, Compute)
    target = task.line.instruction.target
    for kernel, present, group in lanes(task.line):
        if chosen is not None and len(chosen) < len(task.nodes):
            group = np.intersect1d(group, chosen)
            if not len(group):
                continue
        operands = [
            gather(task.nodes[group], read[group]) if here else None
            for here, read in zip(present, task.reads, strict=True)
        ]
        # As in hardware: a division by zero gives infinity or NaN, which goes on to the results.
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            blocks = kernel.evaluate(*operands)
        if blocks.shape != (len(group), *target.shape):
            raise TypeError(
                f"{task.step}: kernel {kernel.name} made blocks of shape {blocks.shape[1:]}, but "
                f"{target.text()} has shape {target.shape}"
            )
        if given := {one.dtype for one in operands if one is not None} - {blocks.dtype}:
            raise TypeError(
                f"{task.step}: kernel {kernel.name} made {blocks.dtype} of {given.pop()}; a kernel keeps the "
                "floating point of its operands"
            )
        blocks.flags.writeable = False
        yield group, blocks

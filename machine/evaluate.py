"""The numbers of one instruction: gather operands, call kernels on whole batches, hand out results.

Lanes that execute the same kernel with the same operands present go through it together, always in the
order of their processes. So neither the allocation nor the engine can change a bit of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from senn.machine.dataflow import NONE
from senn.machine.program import Compute, Kernel
from senn.machine.schedule import Task
from senn.machine.topology import Integers

Block = NDArray[np.float64]


def lanes(task: Task) -> Iterator[tuple[Kernel, tuple[bool, ...], Integers]]:
    """The groups of lanes that act alike: (kernel, which operands are present, lane numbers)."""
    assert isinstance(task.line.instruction, Compute)
    expression = task.line.instruction.expression
    choice = np.zeros(len(task.nodes), dtype=np.int64)
    if expression.choice is not None:
        choice = np.array(expression.choice)[task.line.processes - 1]
    code = choice.copy()
    for read in task.reads:
        code = 2 * code + (read != NONE)
    for key in np.unique(code):
        group = np.flatnonzero(code == key)
        present = tuple(bool(read[group[0]] != NONE) for read in task.reads)
        yield expression.kernels[choice[group[0]]], present, group


def flops(task: Task) -> Integers:
    """Operations executed by each lane of a compute; 0 for anything else."""
    executed = np.zeros(len(task.nodes), dtype=np.int64)
    if isinstance(task.line.instruction, Compute):
        expression = task.line.instruction.expression
        for kernel, present, group in lanes(task):
            executed[group] = expression.operations(kernel, present).flops
    return executed


def evaluate(task: Task, fetch: Callable[[int, int], Block]) -> list[Block]:
    """The value that each lane of a compute writes; `fetch(node, slot)` reads the memory of a node."""
    assert isinstance(task.line.instruction, Compute)
    target = task.line.instruction.target
    written: list[Block] = [np.empty(0)] * len(task.nodes)
    for kernel, present, group in lanes(task):
        operands = []
        for here, read in zip(present, task.reads, strict=True):
            blocks = [fetch(int(task.nodes[k]), int(read[k])) for k in group] if here else None
            operands.append(None if blocks is None else np.array(blocks))
        result = kernel.evaluate(*operands)
        if result.shape != (len(group), *target.shape):
            raise TypeError(
                f"{task.step}: kernel {kernel.name} made blocks of shape {result.shape[1:]}, but "
                f"{target.text()} has shape {target.shape}"
            )
        result.flags.writeable = False
        for k, block in zip(group.tolist(), result, strict=True):
            written[k] = block
    return written

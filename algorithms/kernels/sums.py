"""Kernels of plain sums and differences, some of optional operands; an addition an entry, of whatever
size."""

from __future__ import annotations

import operator
from functools import reduce

from senn.algorithms.blocks import Blocks
from senn.machine.program import Expression, Kernel, Operand, Value, kernel_family


@kernel_family(lambda subtrahends: " - ".join(f"{{{k}}}" for k in range(subtrahends + 1)))
def minus_of(x: Blocks, *others: Blocks | None, subtrahends: int) -> Blocks:
    """x - y - z; y and z, as many as there are subtrahends, are optional."""
    return reduce(operator.sub, (y for y in others if y is not None), x)


@kernel_family(lambda summands: " + ".join(f"{{{k}}}" for k in range(summands + 1)))
def plus_of(x: Blocks, *others: Blocks | None, summands: int) -> Blocks:
    """x + y + ...; the summands after the first are optional."""
    return reduce(operator.add, (y for y in others if y is not None), x)


def minus(x: Operand | Value, *others: Operand | Value) -> Expression:
    """x less what there is of the others."""
    return minus_of(len(others))(x, *others)


def plus(x: Operand | Value, *others: Operand | Value) -> Expression:
    """x and what there is of the others."""
    return plus_of(len(others))(x, *others)


difference = Kernel("difference", "{0} - {1}", lambda x, y: x - y)
"""x - y, both required."""
total = Kernel("total", "{0} + {1}", lambda x, y: x + y)
"""x + y, both required."""

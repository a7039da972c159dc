"""Kernels of plain sums and differences, some of optional operands; an addition an entry, of whatever
size."""

from __future__ import annotations

from functools import cache

from senn.algorithms.blocks import Blocks
from senn.machine.program import Expression, Kernel, Operand, Value


@cache
def minus_of(subtrahends: int) -> Kernel:
    """x - y - z; y and z, as many as there are subtrahends, are optional."""

    def evaluate(x: Blocks, *others: Blocks | None) -> Blocks:
        for y in others:
            if y is not None:
                x = x - y
        return x

    form = "{0}" + "".join(f" - {{{k}}}" for k in range(1, subtrahends + 1))
    return Kernel(f"minus_of.{subtrahends}", form, evaluate)


@cache
def plus_of(summands: int) -> Kernel:
    """x + y + ...; the summands after the first are optional."""

    def evaluate(x: Blocks, *others: Blocks | None) -> Blocks:
        for y in others:
            if y is not None:
                x = x + y
        return x

    form = "{0}" + "".join(f" + {{{k}}}" for k in range(1, summands + 1))
    return Kernel(f"plus_of.{summands}", form, evaluate)


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

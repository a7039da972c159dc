"""Ready kernels that work entry by entry, on blocks of any size: sums, products, extremes and choices."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, reduce

import numpy as np

from senn.machine.program.kernels import Blocks, Expression, Kernel, kernel
from senn.machine.program.values import Operand, Value


@dataclass(frozen=True)
class Fold:
    """One operation on all operands, from left to right: ``plus(x, y, z)``. Only the first is required."""

    name: str
    operation: Callable[[Blocks, Blocks], Blocks]
    symbol: str = ""

    def __call__(self, x: Operand | Value, *others: Operand | Value) -> Expression:
        return self.of(len(others))(x, *others)

    @cache  # noqa: B019 - the five below live as long as the module
    def of(self, others: int) -> Kernel:
        """The kernel of so many operands after the first."""

        def folded(x: Blocks, *rest: Blocks | None) -> Blocks:
            return reduce(self.operation, (y for y in rest if y is not None), x)

        operands = [f"{{{k}}}" for k in range(others + 1)]
        form = f" {self.symbol} ".join(operands) if self.symbol else f"{self.name}({', '.join(operands)})"
        return Kernel(f"{self.name}_of.{others}", form, folded)


plus = Fold("plus", operator.add, "+")
minus = Fold("minus", operator.sub, "-")
times = Fold("times", operator.mul, "*")
minimum = Fold("minimum", np.minimum)
maximum = Fold("maximum", np.maximum)


@kernel("{0} > {1}")
def greater(x: Blocks, y: Blocks) -> Blocks:
    """1 where x > y, else 0."""
    return np.where(x > y, np.ones_like(x), np.zeros_like(x))


@kernel("{0} > 0 ? {1} : {2}")
def select(which: Blocks, x: Blocks, y: Blocks) -> Blocks:
    """x where `which` is above 0, else y."""
    return np.where(which > 0, x, y)

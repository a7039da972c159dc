"""Kernels: local block operations with their counts, and kernels applied to values: no numbers yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from numpy.typing import NDArray

from senn.machine.program.values import Operand, Value


@dataclass(frozen=True)
class Operations:
    """Arithmetic of one process: multiplications, additions, divisions, sines and cosines."""

    multiply: int = 0
    add: int = 0
    divide: int = 0
    trig: int = 0

    def __add__(self, other: Operations) -> Operations:
        return Operations(
            self.multiply + other.multiply,
            self.add + other.add,
            self.divide + other.divide,
            self.trig + other.trig,
        )

    def times(self, count: int) -> Operations:
        """The same for so many processes."""
        return Operations(self.multiply * count, self.add * count, self.divide * count, self.trig * count)

    @property
    def flops(self) -> int:
        return self.multiply + self.add + self.divide + self.trig


Cost: TypeAlias = Operations | Callable[..., Operations]
"""A count, or what makes it of the shapes of all operands: a kernel that takes blocks of any size."""


@dataclass(frozen=True, eq=False)
class Kernel:
    """A local block operation with its operation count.

    ``evaluate(*operands)`` works over leading axes; an absent optional operand is ``None``. ``operations``
    is what it always costs, ``each`` what an optional operand adds where it is present (one entry for all
    of them, or one for each). ``form`` is the text in listings, with ``{0}``, ``{1}``, ... for the operands.
    A kernel that is not ``alone`` leaves its first operand unchanged, at no cost, where none of its
    optional operands is present; one that is ``alone`` acts there too.
    """

    name: str
    form: str
    evaluate: Callable[..., NDArray[Any]] = field(repr=False)
    operations: Cost
    each: tuple[Cost, ...] = (Operations(),)
    alone: bool = False

    def cost(self, *shapes: tuple[int, ...]) -> Operations:
        """What it always costs for operands of these shapes."""
        return _count(self.operations, shapes)

    def __call__(self, *operands: Operand | Value) -> Expression:
        return Expression((self,), None, as_operands(operands))


def _count(cost: Cost, shapes: Iterable[tuple[int, ...]]) -> Operations:
    return cost if isinstance(cost, Operations) else cost(*shapes)


def as_operands(operands: Iterable[Operand | Value]) -> tuple[Operand, ...]:
    return tuple(Operand(x) if isinstance(x, Value) else x for x in operands)


def by_process(kernels: Iterable[Kernel]) -> Callable[..., Expression]:
    """One kernel per process 1..n (an arm mixes joint types); the longest of them is charged to all."""
    per_process = tuple(kernels)
    distinct = tuple(dict.fromkeys(per_process))
    choice = tuple(distinct.index(k) for k in per_process)

    def apply(*operands: Operand | Value) -> Expression:
        return Expression(distinct, choice if len(distinct) > 1 else None, as_operands(operands))

    return apply


@dataclass(frozen=True)
class Expression:
    """A kernel applied to operands: a description, not a number."""

    kernels: tuple[Kernel, ...]
    choice: tuple[int, ...] | None
    operands: tuple[Operand, ...]

    @property
    def optional(self) -> tuple[int, ...]:
        """The positions of the optional operands."""
        return tuple(k for k, operand in enumerate(self.operands) if operand.absent is not None)

    def operations(self, kernel: Kernel, present: Sequence[bool] | None = None) -> Operations:
        """Cost of one process with these operands present (default: all, an interior process)."""
        shapes = [operand.value.shape for operand in self.operands]
        total = kernel.cost(*shapes)
        for rank, k in enumerate(self.optional):
            if present is None or present[k]:
                total += _count(kernel.each[rank % len(kernel.each)], shapes)
        return total

    def texts(self) -> tuple[str, ...]:
        """As printed, for each kernel."""
        return tuple(kernel.form.format(*self.operands) for kernel in self.kernels)

    def __str__(self) -> str:
        return " or ".join(dict.fromkeys(self.texts()))

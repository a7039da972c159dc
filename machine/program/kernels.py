"""Kernels, local block operations of one process, applied to values. Their cost is counted
(`senn.machine.program.counting`), so no declaration can differ from it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial, update_wrapper
from inspect import signature
from pathlib import Path
from traceback import extract_tb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from senn.base.errors import InputError
from senn.machine.program.counting import Operations, Tally
from senn.machine.program.values import Operand, Value

Blocks = NDArray[Any]
Present = Sequence[bool]
"""Whether each operand of a kernel is present at a process; the required ones always are."""


@dataclass(frozen=True, eq=False)
class Kernel:
    """A local block operation of one process.

    ``evaluate(*operands)`` works over leading axes; an absent optional operand is ``None``. ``form`` is the
    text in listings, with ``{0}``, ``{1}``, ... for the operands. Where none of its optional operands is
    present, a kernel leaves its first operand unchanged, at no cost, unless it ``runs_without_operands``. The
    cost is the count of operations in ``evaluate``, unless ``declared``: constant, or by presence. A declared
    kernel is evaluated process by process.
    """

    name: str
    form: str
    evaluate: Callable[..., Blocks] = field(repr=False)
    runs_without_operands: bool = False
    declared: Operations | Callable[[Present], Operations] | None = None
    _costs: dict[tuple[object, ...], tuple[Operations, tuple[int, ...]]] = field(
        default_factory=dict, init=False, repr=False
    )

    def cost(
        self, *shapes: tuple[int, ...], present: Present | None = None, makes: tuple[int, ...] | None = None
    ) -> Operations:
        """Operations of one process with operands of these shapes; `present`: default all. InputError where
        they cannot be counted, or the result has another shape than it `makes`."""
        present = (True,) * len(shapes) if present is None else tuple(present)
        if self.declared is not None:
            return self._declared(present)
        if (shapes, present) not in self._costs:
            tally, shape = self._executed(shapes, present)
            self._costs[shapes, present] = tally.operations, shape
        operations, shape = self._costs[shapes, present]
        if makes not in (None, shape):
            raise InputError(f"kernel {self.name} makes blocks of shape {shape}, but its target has {makes}")
        return operations

    def _declared(self, present: Present) -> Operations:
        operations = self.declared(present) if callable(self.declared) else self.declared
        if isinstance(operations, Operations) and all(
            isinstance(x, int) and 0 <= x < 2**62 for x in operations
        ):
            return operations
        raise InputError(
            f"kernel {self.name}: declared is {operations!r:.90}; write Operations(multiply=36, add=30) with "
            "whole numbers, or a function that returns them"
        )

    def graph(self, *shapes: tuple[int, ...]) -> Tally:
        """The arithmetic on operands of these shapes, all present; InputError where it is not known."""
        if self.declared is None:
            return self._executed(shapes, (True,) * len(shapes))[0]
        raise InputError(
            f"the kernel {self.name} does not show its arithmetic: it cannot be shared out between "
            "arithmetic units; take a program of many processes"
        )

    def _executed(self, shapes: Sequence[tuple[int, ...]], present: Present) -> tuple[Tally, tuple[int, ...]]:
        """The arithmetic of one of two processes, and the shape of its result."""
        tally = Tally()
        each = zip(shapes, present, strict=True)
        blocks = [tally.scalars_of_two(*shape) if there else None for shape, there in each]
        try:
            result = self.evaluate(*blocks)
        except Exception as error:
            frames = [x for x in extract_tb(error.__traceback__)[1:2] if not x.name.startswith("__array_")]
            place = "".join(f" (line {x.lineno} of {Path(x.filename).name})" for x in frames)
            raise InputError(
                f"kernel {self.name}{place} fails where it is counted, with numbers that have no values: "
                f"{type(error).__name__}: {error}. Choose with np.where, np.minimum or np.maximum, compute "
                "in floating point, or give the cost: Kernel(..., declared=Operations(...))"
            ) from None
        if not isinstance(result, np.ndarray) or result.shape[:1] != (2,):
            what = f"shape {result.shape}" if isinstance(result, np.ndarray) else type(result).__name__
            raise InputError(
                f"kernel {self.name} returns {what} for two processes: return an array with a block for "
                "each; its first axis counts processes"
            )
        if (needed := tally.needed_by(result)) is None:
            raise InputError(
                f"kernel {self.name} mixes processes: a result of one depends on numbers of another, which "
                "only a message may bring, or on its place in the block. The first axis counts processes: "
                "reduce and shift along the others"
            )
        return needed, result.shape[1:]

    def __call__(self, *operands: Operand | Value) -> Expression:
        return Expression((self,), None, as_operands(operands))


def kernel(form: str, *, runs_without_operands: bool = False) -> Callable[[Callable[..., Blocks]], Kernel]:
    """Decorator: the kernel that evaluates a function, with its name."""
    return lambda function: Kernel(function.__name__, form, function, runs_without_operands)


def kernel_family(
    form: str | Callable[..., str], *, runs_without_operands: bool = False
) -> Callable[[Callable[..., Blocks]], Callable[..., Kernel]]:
    """Decorator: kernels by structure, such as the type of a joint.

    Operands are the positional parameters of the function, structure the keyword-only ones. The family takes
    the structure, in that order or by name, and returns its kernel, one for each. The form may be a function
    of the structure, which it takes by name.
    """

    def family(function: Callable[..., Blocks]) -> Callable[..., Kernel]:
        parameters = signature(function).parameters.values()
        names = [x.name for x in parameters if x.kind is x.KEYWORD_ONLY]

        @cache
        def member(*structure: Hashable, **named: Hashable) -> Kernel:
            values = dict(zip(names, structure, strict=False)) | named
            texts = ("-".join(map(str, x)) if isinstance(x, tuple) else str(x) for x in values.values())
            name = ".".join((function.__name__, *texts))
            text = form if isinstance(form, str) else form(**values)
            return Kernel(name, text, partial(function, **values), runs_without_operands)

        return update_wrapper(member, function)

    return family


def as_operands(operands: Iterable[Operand | Value]) -> tuple[Operand, ...]:
    return tuple(Operand(x) if isinstance(x, Value) else x for x in operands)


def by_process(kernels: Iterable[Kernel]) -> Callable[..., Expression]:
    """One kernel per process 1..n (an arm mixes joint types); the longest of them is charged to all."""
    per_process = tuple(kernels)
    distinct = tuple(dict.fromkeys(per_process))
    choice = tuple(distinct.index(k) for k in per_process) if len(distinct) > 1 else None

    def apply(*operands: Operand | Value) -> Expression:
        return Expression(distinct, choice, as_operands(operands))

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

    @cached_property
    def counts(self) -> tuple[tuple[int, ...], ...]:
        """Operations of a process that has all operands by kind, for each kernel."""
        shapes = [operand.value.shape for operand in self.operands]
        return tuple(tuple(kernel.cost(*shapes)) for kernel in self.kernels)

    def texts(self) -> tuple[str, ...]:
        """As printed, for each kernel."""
        return tuple(kernel.form.format(*self.operands) for kernel in self.kernels)

    def __str__(self) -> str:
        return " or ".join(dict.fromkeys(self.texts()))

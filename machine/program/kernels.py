"""Kernels: local block operations, and kernels applied to values: no numbers yet."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial, update_wrapper
from inspect import signature
from typing import Any, TypeVar

from numpy.typing import NDArray

from senn.machine.program.arithmetic import Graph, Operations, Tally
from senn.machine.program.values import Operand, Value
from senn.traces.errors import InputError

T = TypeVar("T", bound=Tally)


Blocks = NDArray[Any]
Present = Sequence[bool]
"""Whether each operand of a kernel is present at a process; the required ones always are."""


@dataclass(frozen=True, eq=False)
class Kernel:
    """A local block operation of one process.

    ``evaluate(*operands)`` works over leading axes; an absent optional operand is ``None``. ``form`` is the
    text in listings, with ``{0}``, ``{1}``, ... for the operands. A kernel that is not ``alone`` leaves its
    first operand unchanged, at no cost, where none of its optional operands is present; one that is ``alone``
    acts there too. The cost is what ``evaluate`` executes, unless it is ``declared``: constant, or by
    presence.
    """

    name: str
    form: str
    evaluate: Callable[..., Blocks] = field(repr=False)
    alone: bool = False
    declared: Operations | Callable[[Present], Operations] | None = None
    _costs: dict[tuple[object, ...], Operations] = field(default_factory=dict, init=False, repr=False)

    def cost(self, *shapes: tuple[int, ...], present: Present | None = None) -> Operations:
        """Operations of one process with operands of these shapes; `present`: default all."""
        present = (True,) * len(shapes) if present is None else tuple(present)
        if self.declared is not None:
            return self.declared(present) if callable(self.declared) else self.declared
        if (shapes, present) not in self._costs:
            self._costs[shapes, present] = self._executed(Tally(), shapes, present).operations
        return self._costs[shapes, present]

    def graph(self, *shapes: tuple[int, ...]) -> Graph:
        """The arithmetic on operands of these shapes, all of them present; InputError for a kernel of which
        it is not known."""
        try:
            if self.declared is None:
                return self._executed(Graph(), shapes, (True,) * len(shapes))
        except TypeError:
            pass
        raise InputError(
            f"the kernel {self.name} does not show its arithmetic: it cannot be shared out between "
            "arithmetic units; take a program of many processes"
        )

    def _executed(self, tally: T, shapes: Sequence[tuple[int, ...]], present: Present) -> T:
        """`tally` after one process."""
        blocks = (
            tally.scalars(1, *shape) if there else None for shape, there in zip(shapes, present, strict=True)
        )
        self.evaluate(*blocks)
        return tally

    def __call__(self, *operands: Operand | Value) -> Expression:
        return Expression((self,), None, as_operands(operands))


def kernel(form: str, *, alone: bool = False) -> Callable[[Callable[..., Blocks]], Kernel]:
    """Decorator: the kernel that evaluates a function, with its name."""
    return lambda function: Kernel(function.__name__, form, function, alone)


def kernel_family(
    form: str, *, alone: bool = False
) -> Callable[[Callable[..., Blocks]], Callable[..., Kernel]]:
    """Decorator: kernels by structure, such as the type of a joint.

    Operands are the positional parameters of the function, structure the keyword-only ones. The family takes
    the structure, in that order or by name, and returns its kernel, one for each.
    """

    def family(function: Callable[..., Blocks]) -> Callable[..., Kernel]:
        parameters = signature(function).parameters.values()
        names = [x.name for x in parameters if x.kind is x.KEYWORD_ONLY]

        @cache
        def member(*structure: Hashable, **named: Hashable) -> Kernel:
            values = dict(zip(names, structure, strict=False)) | named
            texts = ("-".join(map(str, x)) if isinstance(x, tuple) else str(x) for x in values.values())
            name = ".".join((function.__name__, *texts))
            return Kernel(name, form, partial(function, **values), alone)

        return update_wrapper(member, function)

    return family


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
        return kernel.cost(*(operand.value.shape for operand in self.operands), present=present)

    def texts(self) -> tuple[str, ...]:
        """As printed, for each kernel."""
        return tuple(kernel.form.format(*self.operands) for kernel in self.kernels)

    def __str__(self) -> str:
        return " or ".join(dict.fromkeys(self.texts()))

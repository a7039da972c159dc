"""Kernels, local block operations of one process, applied to values; and what their arithmetic costs.

The cost of a kernel is what it executes: it is run once on scalars that have no value and record what is
done to them, so nothing is declared that could differ. Copying and changing a sign are free, and so is
comparing, which only the choice of a pivot does.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property, partial, update_wrapper
from heapq import heappop, heappush
from inspect import signature
from math import lcm
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from senn.machine.program.values import Operand, Value
from senn.traces.errors import InputError

_MULTIPLY, _ADD, _DIVIDE, _TRIG = range(4)


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
        """Operations of `count` processes that do the same."""
        return Operations(self.multiply * count, self.add * count, self.divide * count, self.trig * count)

    @property
    def flops(self) -> int:
        return self.multiply + self.add + self.divide + self.trig


class Tally:
    """Operations executed so far on the scalars made here, by kind."""

    def __init__(self) -> None:
        self.counts = [0, 0, 0, 0]

    def scalars(self, *shape: int) -> NDArray[Any]:
        """A block of operands."""
        block = np.empty(shape, dtype=object)
        block.fill(Scalar(self, -1))
        return block

    @property
    def operations(self) -> Operations:
        """All of them."""
        return Operations(*self.counts)

    def execute(self, kind: int, operands: tuple[object, ...]) -> Scalar:
        """The result of one operation."""
        self.counts[kind] += 1
        return Scalar(self, -1)


class Graph(Tally):
    """Operations in the order in which a kernel executes them: of which kind each is, and whose results it
    reads."""

    def __init__(self) -> None:
        super().__init__()
        self.kinds: list[int] = []
        self.reads: list[tuple[int, ...]] = []

    def execute(self, kind: int, operands: tuple[object, ...]) -> Scalar:
        super().execute(kind, operands)
        origins = {x.origin for x in operands if isinstance(x, Scalar)}
        self.kinds.append(kind)
        self.reads.append(tuple(origins - {-1}))
        return Scalar(self, len(self.kinds) - 1)

    def shared(self, units: int, times: Sequence[Fraction | int]) -> Operations:
        """Operations that follow each other without a gap from the first to the last of a schedule on so many
        units: the schedule takes as long as these.

        `times` are those of a multiplication, an addition, a division, and a sine or cosine, in any unit. A
        free unit starts, of the operations whose operands are there, the one from which the most time has
        still to pass. With one unit these are all operations, with enough of them a longest chain: no number
        of units does it in less. Between, no schedule is shorter than half of this one (Graham 1966).
        """
        parts = [Fraction(time) for time in times]
        scale = lcm(*(part.denominator for part in parts))
        cost = [int(parts[kind] * scale) for kind in self.kinds]
        longest = [self.kinds[k] for k in _critical(cost, self.reads, units)]
        return Operations(*(longest.count(kind) for kind in (_MULTIPLY, _ADD, _DIVIDE, _TRIG)))


class Scalar:
    """A number without a value: the result of an operation, or (origin -1) an operand of the kernel.

    Whatever would need its value raises TypeError, but for what the choice of a pivot does: all pivots cost
    the same, so the first is taken.
    """

    __slots__ = ("origin", "tally")

    def __init__(self, tally: Tally, origin: int) -> None:
        self.tally, self.origin = tally, origin

    def __mul__(self, other: object) -> Scalar:
        return self.tally.execute(_MULTIPLY, (self, other))

    def __add__(self, other: object) -> Scalar:
        return self.tally.execute(_ADD, (self, other))

    def __truediv__(self, other: object) -> Scalar:
        return self.tally.execute(_DIVIDE, (self, other))

    def cos(self) -> Scalar:
        """Called by `np.cos` for each element of an object array."""
        return self.tally.execute(_TRIG, (self,))

    __rmul__, __rtruediv__, sin = __mul__, __truediv__, cos
    __sub__ = __radd__ = __rsub__ = __add__

    def __neg__(self) -> Scalar:
        return self

    __abs__ = __neg__

    def __gt__(self, other: object) -> bool:
        return False  # of the pivots that there are, the first

    def __int__(self) -> int:
        return 0  # the row that a pivot stood in

    def _refuse(self, *other: object) -> NoReturn:
        raise TypeError("a kernel must not decide by its numbers: a counted scalar has no value")

    __eq__ = __ne__ = __lt__ = __le__ = __ge__ = __bool__ = __float__ = _refuse


def _critical(cost: Sequence[int], reads: Sequence[tuple[int, ...]], units: int) -> list[int]:
    """Operations that follow each other without a gap up to the end of a schedule, the last first."""
    readers: list[list[int]] = [[] for _ in cost]
    for reader, sources in enumerate(reads):
        for source in sources:
            readers[source].append(reader)
    left = list(cost)  # from its start to the end, along the longest chain of readers
    for operation in reversed(range(len(cost))):
        left[operation] += max((left[other] for other in readers[operation]), default=0)
    missing = [len(before) for before in reads]
    ready = [(-left[operation], operation) for operation in range(len(cost)) if not missing[operation]]
    ready.sort()
    cause: dict[int, int] = {}
    busy: list[tuple[int, int]] = []
    now, ended, free = 0, -1, units
    while ready or busy:
        while ready and free:
            _, operation = heappop(ready)
            cause[operation] = ended
            heappush(busy, (now + cost[operation], operation))
            free -= 1
        now, ended = heappop(busy)
        free += 1
        for other in readers[ended]:
            missing[other] -= 1
            if not missing[other]:
                heappush(ready, (-left[other], other))
    chain = []
    while ended >= 0:
        chain.append(ended)
        ended = cause[ended]
    return chain


# ------------------------------------------------------------------------------------------ kernels

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
    form: str | Callable[..., str], *, alone: bool = False
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
            return Kernel(name, text, partial(function, **values), alone)

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

    def operations(self, kernel: Kernel, present: Sequence[bool] | None = None) -> Operations:
        """Cost of one process with these operands present (default: all, an interior process)."""
        return kernel.cost(*(operand.value.shape for operand in self.operands), present=present)

    @cached_property
    def counts(self) -> tuple[tuple[int, ...], ...]:
        """(multiply, add, divide, trig) of a process that has all operands, for each kernel."""
        costs = (self.operations(kernel) for kernel in self.kernels)
        return tuple((cost.multiply, cost.add, cost.divide, cost.trig) for cost in costs)

    def texts(self) -> tuple[str, ...]:
        """As printed, for each kernel."""
        return tuple(kernel.form.format(*self.operands) for kernel in self.kernels)

    def __str__(self) -> str:
        return " or ".join(dict.fromkeys(self.texts()))

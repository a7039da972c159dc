"""The instruction set: what a SIMD program of several arrays says, before anyone knows a node or a cycle.

A program is one stream of instructions per array. It is written for the symbolic process ``i``:

    yield Compute("I.b.4", D[j - 1], transposed_product(B[j - 1], C[j - 1]))
    yield Send("I.b.5", D[j - 1], PR1[i + h])
    yield Compute("I.b.12", A[j], minus(A[j - 1], D[j - 1][i - h].or_zero, G[j - 1][i + h].or_zero))

First bracket the superscript (level), second the subscript (process). A subscript is always the process
that wrote the value. Operands are required, or optional and then written ``.or_zero`` / ``.or_unit``.
A value exists at the processes where all its required operands exist (`senn.machine.dataflow`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

# ---------------------------------------------------------------- processes


@dataclass(frozen=True)
class Where:
    """A set of processes: closed intervals of process numbers, 1..n; printed and decided before the run."""

    intervals: tuple[tuple[int, int], ...]

    def __or__(self, other: Where) -> Where:
        return Where(self.intervals + other.intervals)

    def __and__(self, other: Where) -> Where:
        met = ((max(a, c), min(b, d)) for a, b in self.intervals for c, d in other.intervals)
        return Where(tuple((lo, hi) for lo, hi in met if lo <= hi))

    def mask(self, n: int) -> NDArray[np.bool_]:
        """Membership of the processes 1..n (entry i - 1 is process i)."""
        chosen = np.zeros(n, dtype=bool)
        for lo, hi in self.intervals:
            chosen[max(lo, 1) - 1 : max(hi, 0)] = True
        return chosen


_FIRST, _LAST = 1, 2**40


@dataclass(frozen=True, eq=False)
class Subscript:
    """``i`` and what arithmetic and comparison make of it: ``i + h``, ``i < n``, ``i == n``."""

    offset: int = 0

    def __add__(self, h: int) -> Subscript:
        return Subscript(self.offset + h)

    def __sub__(self, h: int) -> Subscript:
        return Subscript(self.offset - h)

    def __lt__(self, bound: int) -> Where:
        return Where(((_FIRST, bound - self.offset - 1),))

    def __le__(self, bound: int) -> Where:
        return self < bound + 1

    def __gt__(self, bound: int) -> Where:
        return Where(((bound - self.offset + 1, _LAST),))

    def __ge__(self, bound: int) -> Where:
        return self > bound - 1

    def __eq__(self, process: int) -> Where:  # type: ignore[override]
        return Where(((process - self.offset, process - self.offset),))

    __hash__ = None  # type: ignore[assignment]


i = Subscript()


def levels(n: int) -> int:
    """M = ceil(log2 n), the number of levels of n processes; 0 for n = 1."""
    return (n - 1).bit_length()


# ------------------------------------------------------------------- values

_INDEX = re.compile(r"(?<![A-Za-z])i([+-]\d+)?(?![A-Za-z])")


def _shifted(found: re.Match[str], process: int | None, offset: int) -> str:
    """The index found in a letter, for process i + offset or for a given process."""
    own = int(found[1] or 0)
    if process is not None:
        return str(process + own)
    return f"i{own + offset:+d}" if own + offset else "i"


@dataclass(frozen=True)
class Value:
    """One quantity per process: a letter and, where the paper gives one, a superscript (the level)."""

    letter: str
    level: int | None
    shape: tuple[int, ...]

    @property
    def words(self) -> int:
        """Size in 64-bit words."""
        return math.prod(self.shape)

    def __getitem__(self, process: Subscript) -> Operand:
        return Operand(self, process.offset)

    @property
    def or_zero(self) -> Operand:
        return Operand(self).or_zero

    @property
    def delivered(self) -> Operand:
        return Operand(self, delivered=True)

    def text(self, offset: int = 0, process: int | None = None) -> str:
        """As printed: ``D_{i-1}^0``; with a process number ``D_2^0``. A letter that names its process
        itself, like ``C(i,i+1)``, takes no subscript."""
        subscript = str(process) if process is not None else f"i{offset:+d}" if offset else "i"
        superscript = "" if self.level is None else f"^{self.level}"
        if _INDEX.search(self.letter):
            return _INDEX.sub(lambda found: _shifted(found, process, offset), self.letter) + superscript
        subscript = f"{{{subscript}}}" if len(subscript) > 1 and not subscript.isdigit() else subscript
        return f"{self.letter}_{subscript}{superscript}"


@dataclass(frozen=True)
class Letter:
    """A family of values, one per level: ``A[j - 1]``. The shape is that of one process's value."""

    name: str
    shape: tuple[int, ...]

    def __getitem__(self, level: int) -> Value:
        return Value(self.name, level, self.shape)


def value(name: str, *shape: int) -> Value:
    """A value without superscript."""
    return Value(name, None, shape)


@dataclass(frozen=True)
class Operand:
    """A value as read by process i: whose it is, and what stands in for it where it does not exist.

    ``delivered`` means the copy that a Send of the process to itself left at the reader's place, where the
    process still has its own as well.
    """

    value: Value
    offset: int = 0
    absent: Literal["zero", "unit"] | None = None
    delivered: bool = False

    @property
    def or_zero(self) -> Operand:
        return replace(self, absent="zero")

    @property
    def or_unit(self) -> Operand:
        return replace(self, absent="unit")

    def __str__(self) -> str:
        return self.value.text(self.offset)


# ------------------------------------------------------------------ kernels


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

    @property
    def flops(self) -> int:
        return self.multiply + self.add + self.divide + self.trig


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
    operations: Operations
    each: tuple[Operations, ...] = (Operations(),)
    alone: bool = False

    def __call__(self, *operands: Operand | Value) -> Expression:
        return Expression((self,), None, _operands(operands))


def _operands(operands: Iterable[Operand | Value]) -> tuple[Operand, ...]:
    return tuple(Operand(x) if isinstance(x, Value) else x for x in operands)


def by_process(kernels: Iterable[Kernel]) -> Callable[..., Expression]:
    """One kernel per process 1..n (an arm mixes joint types); the longest of them is charged to all."""
    per_process = tuple(kernels)
    distinct = tuple(dict.fromkeys(per_process))
    choice = tuple(distinct.index(k) for k in per_process)

    def apply(*operands: Operand | Value) -> Expression:
        return Expression(distinct, choice if len(distinct) > 1 else None, _operands(operands))

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
        total = kernel.operations
        for rank, k in enumerate(self.optional):
            if present is None or present[k]:
                total += kernel.each[rank % len(kernel.each)]
        return total

    def texts(self) -> tuple[str, ...]:
        """As printed, for each kernel."""
        return tuple(kernel.form.format(*self.operands) for kernel in self.kernels)

    def __str__(self) -> str:
        return " or ".join(dict.fromkeys(self.texts()))


# ------------------------------------------------------------- instructions


@dataclass(frozen=True)
class Destination:
    """``PR1[i + h]``: the process at a distance in an array; ``.only(i == n)`` restricts the senders."""

    array: int
    offset: int
    where: Where | None = None

    def only(self, where: Where) -> Destination:
        return replace(self, where=where)

    def __str__(self) -> str:
        subscript = f"i{self.offset:+d}" if self.offset else "i"
        return f"PR_{{{self.array},{subscript}}}"


@dataclass(frozen=True)
class Array:
    """A processor array as the program sees it."""

    number: int

    def __getitem__(self, process: Subscript) -> Destination:
        return Destination(self.number, process.offset)


PR1, PR2 = Array(1), Array(2)


@dataclass(frozen=True)
class Instruction:
    """What all instructions share: the paper's label, the loop's level, and the row of the allocation.

    ``at`` is the row at which the instruction executes: inside a loop its own level, after the loops M,
    else 0 (home).
    """

    step: str
    level: int | None = field(default=None, kw_only=True)
    at: int = field(default=0, kw_only=True)

    operation = ""
    issued = True

    @property
    def phase(self) -> str:
        """I, II, III or IV."""
        return self.step.split(".", 1)[0]


@dataclass(frozen=True)
class Compute(Instruction):
    """``target := expression`` at every process of the mask."""

    target: Value
    expression: Expression
    where: Where | None = None

    operation = "compute"

    def __str__(self) -> str:
        return f"{self.target.text()} = {self.expression}"


@dataclass(frozen=True, init=False)
class Send(Instruction):
    """Hand values to the DMA: each value, a message to each destination that exists."""

    values: tuple[Value, ...]
    destinations: tuple[Destination, ...]

    operation = "send"

    def __init__(
        self,
        step: str,
        values: Value | tuple[Value, ...],
        *destinations: Destination,
        level: int | None = None,
        at: int = 0,
    ) -> None:
        _set(
            self,
            step=step,
            values=(values,) if isinstance(values, Value) else values,
            destinations=destinations,
            level=level,
            at=at,
        )

    def __str__(self) -> str:
        values = ", ".join(v.text() for v in self.values)
        return f"send {values} -> {', '.join(map(str, self.destinations))}"


@dataclass(frozen=True)
class Arrange(Instruction):
    """The value follows its process to the place of another level: a send of every holder to itself."""

    value: Value
    start: int
    stop: int

    operation = "arrange"

    def __str__(self) -> str:
        places = ["home" if row == 0 else f"the place of level {row}" for row in (self.start, self.stop)]
        return f"arrange {self.value.text()}: from {places[0]} to {places[1]}"


@dataclass(frozen=True, init=False)
class Wait(Instruction):
    """Issue only when all values are there at all processes of the mask (default: where they will be)."""

    values: tuple[Value, ...]
    where: Where | None

    operation = "wait"

    def __init__(
        self,
        step: str,
        *values: Value,
        where: Where | None = None,
        level: int | None = None,
        at: int = 0,
    ) -> None:
        _set(self, step=step, values=values, where=where, level=level, at=at)

    def __str__(self) -> str:
        return "wait for " + ", ".join(v.text() for v in self.values)


@dataclass(frozen=True, init=False)
class Name(Instruction):
    """Another name for what is already there, own or arrived; printed, not issued.

    Where several operands are given, each process takes the one that exists there; two that exist at the
    same process are refused.
    """

    target: Value
    operands: tuple[Operand, ...]

    issued = False

    def __init__(
        self,
        step: str,
        target: Value,
        *operands: Operand | Value,
        level: int | None = None,
        at: int = 0,
    ) -> None:
        _set(self, step=step, target=target, operands=_operands(operands), level=level, at=at)

    def __str__(self) -> str:
        return f"{self.target.text()} := {' or '.join(map(str, self.operands))}"


@dataclass(frozen=True)
class Remark(Instruction):
    """A line of the paper that needs neither work nor message; printed, not issued."""

    text: str

    issued = False

    def __str__(self) -> str:
        return self.text


def _set(instance: object, **fields: object) -> None:
    for name, content in fields.items():
        object.__setattr__(instance, name, content)


def loop(n: int, body: Callable[[int, int], Iterable[Instruction]]) -> Iterator[Instruction]:
    """``for j = 1 to M do body(j, h)``, h = 2^(j-1): instructions get the level j and execute at row j."""
    for j in range(1, levels(n) + 1):
        for instruction in body(j, 2 ** (j - 1)):
            yield replace_place(instruction, level=j, at=j)


def replace_place(instruction: Instruction, *, level: int | None, at: int) -> Instruction:
    """The same instruction at another level and row. (Send, Wait and Name have constructors of their own.)"""
    copy = object.__new__(type(instruction))
    _set(copy, **{**instruction.__dict__, "level": level, "at": at})
    return copy


# ------------------------------------------------------------------ program


@dataclass(frozen=True)
class Resident:
    """A value that is in memory before the first cycle, at processes `where` of the given arrays."""

    value: Value
    arrays: tuple[int, ...] = (1, 2)
    where: Where | None = None


@dataclass(frozen=True)
class Program:
    """One stream of instructions per array, and what is in memory at the start; no node and no cycle.

    ``results`` names what a run returns: key -> (array, value). ``titles`` maps a step prefix ("I.b") to
    the heading that listings print above it. The last four say which variant of a robot program this is,
    for listings and run.json; a program about something else leaves them out.
    """

    name: str
    n: int
    streams: tuple[tuple[Instruction, ...], ...]
    resident: tuple[Resident, ...]
    results: Mapping[str, tuple[int, Value]]
    titles: Mapping[str, str] = field(default_factory=dict)
    form: str = ""
    refine: int = 0
    joints: tuple[str, ...] = ()
    contact: int = 0

    @property
    def levels(self) -> int:
        """M = ceil(log2 n)."""
        return levels(self.n)

    @property
    def arrays(self) -> int:
        """The number of processor arrays the program runs on."""
        return len(self.streams)

    def __str__(self) -> str:
        from senn.machine.listing import listing  # the listing needs the masks, which need the program

        return listing(self)

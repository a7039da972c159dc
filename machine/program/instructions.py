"""Programs: the instructions that each array's control unit issues to all its processors at once.

A program knows no node and no cycle.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, TypedDict, TypeVar, Unpack

import numpy as np
from numpy.typing import NDArray

from senn.base.errors import InputError
from senn.base.tables import folded, html_table, text
from senn.machine.program.counting import Operations
from senn.machine.program.kernels import Expression, Kernel, as_operands
from senn.machine.program.subscripts import Offset, ProcessSet, Subscript
from senn.machine.program.values import Operand, PackedValues, Value, cargo, cargo_text, levels
from senn.traces.naming import index_text


@dataclass(frozen=True)
class Destination:
    """A process of an array: ``PR1[i + h]``, ``PR1[5]``; ``.only(i == n)`` restricts the senders."""

    array: int
    offset: Offset
    where: ProcessSet | None = None

    def only(self, where: ProcessSet | None) -> Destination:
        return replace(self, where=where)

    def __str__(self) -> str:
        return f"PR_{{{self.array},{index_text(self.offset)}}}"


@dataclass(frozen=True)
class Array:
    """A processor array as the program sees it."""

    number: int

    def __getitem__(self, process: Subscript | int | Iterable[int]) -> Destination:
        return Destination(self.number, Subscript.of(process).offset)


PR1, PR2 = Array(1), Array(2)


class Place(TypedDict, total=False):
    """The level of an instruction, and the row of the allocation at which it executes."""

    level: int | None
    at: int


@dataclass(frozen=True)
class Instruction:
    """Base of all instructions: the paper's label, the level of the loop, and the row of the allocation.

    ``at`` is the row at which it executes: inside a loop its level, after the loops M, else 0 (home).
    """

    step: str
    level: int | None = field(default=None, kw_only=True)
    at: int = field(default=0, kw_only=True)

    operation = ""
    issued = True
    counts: ClassVar[tuple[tuple[int, ...], ...]] = ()

    @property
    def phase(self) -> str:
        """I, II, III or IV."""
        return self.step.split(".", 1)[0]


@dataclass(frozen=True)
class Compute(Instruction):
    """``target := expression`` at every process of the mask."""

    target: Value
    expression: Expression
    where: ProcessSet | None = None

    operation = "compute"

    @property
    def counts(self) -> tuple[tuple[int, ...], ...]:  # type: ignore[override]
        """Operations of a process that has all operands by kind, for each kernel."""
        return self.expression.counts

    def operations(self, kernel: Kernel, present: Sequence[bool] | None = None) -> Operations:
        """Operations of one process with these operands present (default: all); InputError names the step."""
        shapes = (operand.value.shape for operand in self.expression.operands)
        try:
            return kernel.cost(*shapes, present=present, makes=self.target.shape)
        except InputError as error:
            raise InputError(f"{self.step}: {error}") from None

    def __str__(self) -> str:
        return f"{self.target.text()} = {self.expression}"


@dataclass(frozen=True, init=False)
class Send(Instruction):
    """Hand values to the DMA: each value, a message to each destination that exists.

    ``D[j] + K[j]`` is one message with the values that exist at the process; the receiver may read either
    when the message has arrived. `cargo` has, for each message to a destination, the values that it carries.
    """

    cargo: tuple[tuple[Value, ...], ...]
    destinations: tuple[Destination, ...]

    operation = "send"

    def __init__(
        self,
        step: str,
        values: Value | PackedValues | tuple[Value | PackedValues, ...],
        *destinations: Destination,
        **place: Unpack[Place],
    ) -> None:
        each = tuple(map(cargo, values if isinstance(values, tuple) else (values,)))
        _set(self, step=step, cargo=each, destinations=destinations)
        super().__init__(step, **place)

    @property
    def values(self) -> tuple[Value, ...]:
        """All values sent, message by message."""
        return tuple(value for values in self.cargo for value in values)

    def __str__(self) -> str:
        values = ", ".join(map(cargo_text, self.cargo))
        return f"send {values} -> {', '.join(map(str, self.destinations))}"


@dataclass(frozen=True, init=False)
class Arrange(Instruction):
    """Values follow their process to the place of another level in one message of every holder to itself."""

    values: tuple[Value, ...]
    start: int
    stop: int

    operation = "arrange"

    def __init__(
        self, step: str, values: Value | PackedValues, start: int, stop: int, **place: Unpack[Place]
    ) -> None:
        _set(self, step=step, values=cargo(values), start=start, stop=stop)
        super().__init__(step, **place)

    def __str__(self) -> str:
        places = ["home" if row == 0 else f"the place of level {row}" for row in (self.start, self.stop)]
        return f"arrange {cargo_text(self.values)}: from {places[0]} to {places[1]}"


@dataclass(frozen=True, init=False)
class Wait(Instruction):
    """Issue only when all values exist at all processes of the mask (default: wherever they will exist)."""

    values: tuple[Value, ...]
    where: ProcessSet | None

    operation = "wait"

    def __init__(
        self, step: str, *values: Value, where: ProcessSet | None = None, **place: Unpack[Place]
    ) -> None:
        _set(self, step=step, values=values, where=where)
        super().__init__(step, **place)

    def __str__(self) -> str:
        return "wait for " + ", ".join(v.text() for v in self.values)


@dataclass(frozen=True, init=False)
class Name(Instruction):
    """Another name for values that a process holds, its own or arrived; printed, not issued.

    Of several operands each process takes the one that exists there; two at one process are refused. `where`
    restricts the name to some processes.
    """

    target: Value
    operands: tuple[Operand, ...]
    where: ProcessSet | None

    issued = False

    def __init__(
        self,
        step: str,
        target: Value,
        *operands: Operand | Value,
        where: ProcessSet | None = None,
        **place: Unpack[Place],
    ) -> None:
        _set(self, step=step, target=target, operands=as_operands(operands), where=where)
        super().__init__(step, **place)

    def __str__(self) -> str:
        return f"{self.target.text()} := {' or '.join(map(str, self.operands))}"


@dataclass(frozen=True)
class Remark(Instruction):
    """A line of the paper that needs neither work nor message; printed, not issued.

    `of` is the value of another array that the line mentions, if any.
    """

    text: str
    of: Value | None = None

    issued = False

    def __str__(self) -> str:
        return self.text


Executed = tuple[tuple[tuple[int, ...], ...], NDArray[np.int64]]
"""Operations by kind, an entry for all processes that execute equally many; and the entry of each process."""


@dataclass(frozen=True, eq=False)
class Recorded(Instruction):
    """An instruction as a record has it: without values, but with the operations that processes execute.

    `counts` are those of a process that has all operands, for each kernel.
    """

    operation: str = field()
    counts: tuple[tuple[int, ...], ...] = field()  # type: ignore[misc]
    executed: Executed


AnyInstruction = TypeVar("AnyInstruction", bound=Instruction)


def _set(instance: object, **fields: object) -> None:
    for name, content in fields.items():
        object.__setattr__(instance, name, content)


def loop(
    n: int, body: Callable[[int, int], Iterable[Instruction]], *, downward: bool = False
) -> Iterator[Instruction]:
    """``for j = 1 to M do body(j, h)``, h = 2^(j-1): instructions get the level j and execute at row j.

    An instruction that has a level already keeps its place: `changed` moved it to another row.
    `downward`: j = M to 1."""
    rising = range(1, levels(n) + 1)
    for j in reversed(rising) if downward else rising:
        for instruction in body(j, 2 ** (j - 1)):
            placed = instruction.level is not None
            yield instruction if placed else changed(instruction, level=j, at=j)


def changed(instruction: AnyInstruction, **fields: object) -> AnyInstruction:
    """A copy with some fields replaced; `dataclasses.replace` fails for Send, Arrange, Wait and Name."""
    copy = object.__new__(type(instruction))
    _set(copy, **{**instruction.__dict__, **fields})
    return copy


def interior(lines: Iterable[Instruction], *starts: str) -> Operations:
    """Operations of an interior process in the lines whose steps begin so."""
    computes = (line for line in lines if isinstance(line, Compute) and line.step.startswith(starts))
    return sum((Operations(*line.counts[0]) for line in computes), start=Operations())


# ------------------------------------------------------------ programs


@dataclass(frozen=True)
class Resident:
    """A value that is in memory before the first cycle, at processes `where` of the given arrays."""

    value: Value
    arrays: tuple[int, ...] = (1, 2)
    where: ProcessSet | None = None


@dataclass(frozen=True)
class Program:
    """One stream of instructions per array, and the values in memory at the start.

    ``results`` names the answers of a run: key -> (array, value). ``parts`` names the parts of the algorithm:
    the label with which steps begin ("S" of S.1, or "I.b") -> its title. Listings print it above the steps,
    with the arrays that do it for `{arrays}` and their last process for `{last}`. Pictures and tables name a
    part by a title without braces or a colon: "S: prefix sums", else "Step S".
    """

    name: str
    n: int
    streams: tuple[tuple[Instruction, ...], ...]
    resident: tuple[Resident, ...]
    results: Mapping[str, tuple[int, Value]]
    parts: Mapping[str, str] = field(default_factory=dict)
    about: Mapping[str, Any] = field(default_factory=dict)
    """Further facts that identify the program, in the order in which listings and runs print them."""
    head: Callable[[Program], str] | None = None
    """First line of its listing; None: name, n and M."""

    def __post_init__(self) -> None:
        """Refuse kernels that cannot be counted, or that mix processes."""
        for line in (line for stream in self.streams for line in stream if isinstance(line, Compute)):
            for kernel in line.expression.kernels:
                line.operations(kernel)

    @property
    def levels(self) -> int:
        """M = ceil(log2 n)."""
        return levels(self.n)

    @property
    def arrays(self) -> int:
        """The number of processor arrays the program runs on."""
        return len(self.streams)

    def step(self, array: int, position: int) -> str:
        """The step of a line; at -1 is the memory at the start."""
        return self.streams[array - 1][position].step if position >= 0 else "the memory at the start"

    def _repr_html_(self) -> str:
        """How many instructions each step has in each array, and the listing folded."""
        counts = Counter(
            (line.step, array) for array, stream in enumerate(self.streams) for line in stream if line.issued
        )
        steps = dict.fromkeys(step for step, _ in counts)
        rows = [(step, *(counts[step, array] for array in range(self.arrays))) for step in steps]
        header = ("step", *(f"instructions of array {array + 1}" for array in range(self.arrays)))
        caption = f"program {self.name}, n = {self.n}, M = {self.levels}"
        return folded(caption, html_table(rows, header)) + folded("listing", text(str(self)))

    def __str__(self) -> str:
        from senn.machine.program.listing import listing  # which needs the masks, and they the program

        return listing(self)

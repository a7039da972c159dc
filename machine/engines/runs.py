"""The flow of a long program by runs: what `dataflow` and `places` resolve process by process.

A run is a stretch of consecutive processes that are alike. Masks, names and reads are functions of the
process with a few runs each, however many processes there are. They resolve to *pieces*: the messages of a
transfer that have the same first reader. The allocation is "identity", the residency "migrating", and every
node has a process.

A program with a message of several values, a process i ^ h or a mask of many runs raises Unfit, and so does a
program with an error, which `dataflow` names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise, product
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

from senn.machine.program import (
    Arrange,
    Compute,
    Destination,
    Instruction,
    Name,
    Operand,
    ProcessSet,
    Program,
    Send,
    Value,
    Wait,
)
from senn.machine.program.bindings import Origins, operands_of

Runs: TypeAlias = list[tuple[int, int, Any]]
"""A function of the process: first and last process and value of each run, ascending; None elsewhere."""

_MOST_RUNS = 8


class Unfit(ValueError):
    """A program or machine that runs and classes do not time; the text says why."""


@dataclass(eq=False)
class Content:
    """A value in the memories of some processes: resident, written by a line, or brought by a transfer."""

    row: int | None  # of the allocation, where it is; None: where the first reader of each message works
    targets: Runs = field(default_factory=list)  # the processes that messages bring it to
    readers: Runs = field(default_factory=list)  # serial of the first reader
    workers: Runs = field(default_factory=list)  # row of the first reader that is no Wait


@dataclass(frozen=True)
class Piece:
    """Messages of one value to one destination with the same first reader."""

    array: int
    target_array: int
    reader: int  # serial of the first reader
    words: int
    offset: int  # from a sending process to the receiving one
    at: int  # row of the allocation where the senders are
    row: int  # and where the readers are
    targets: tuple[tuple[int, int], ...]  # first and last of each run of receiving processes

    def __len__(self) -> int:
        return sum(last - first + 1 for first, last in self.targets)


class Transfer(NamedTuple):
    """The messages of one value to one destination."""

    value: Value
    array: int  # of the receivers
    offset: int  # from a sending process to the receiving one
    content: Content


@dataclass(eq=False)
class Line:
    """An instruction as an array issues it."""

    instruction: Instruction
    reads: list[Runs]  # per operand, the contents that processes read
    transfers: list[Transfer] = field(default_factory=list)
    pieces: Sequence[Piece] = ()  # that it posts, in the order of their ids at any channel
    received: int = 0  # the most messages that one process receives


def issued(program: Program) -> tuple[tuple[Line, ...], ...]:
    """The lines that each array issues, with the pieces that they post."""
    streams = _Resolver(program).streams()
    for serial, line in ((serial, line) for stream in streams for serial, line in enumerate(stream)):
        _enter_reader(line, serial, program.levels)
    for array, line in ((array, line) for array, stream in enumerate(streams, 1) for line in stream):
        # Messages of one send meet at a channel from the node before it, its own node and the node after it.
        ordered = sorted(line.transfers, key=lambda transfer: -transfer.offset)
        line.pieces = [piece for t in ordered for piece in _pieces(array, line.instruction, t)]
    return streams


def rotation(row: int, levels: int) -> int:
    """Un-shuffles that lead from home to the places of a row of the allocation, modulo `levels`."""
    return (row - 1) % levels if row else 0


def _enter_reader(line: Line, serial: int, levels: int) -> None:
    """Enter a line as a reader of what it reads; refuse a value that is at another node."""
    at, received = line.instruction.at, []
    for first, last, content in (run for runs in line.reads for run in runs):
        here: Runs = [(first, last, serial)]
        if content.targets:
            received.append(combined(lambda new, old: new if old is None else None, here, content.readers))
        content.readers = overlaid(content.readers, here)
        if isinstance(line.instruction, Wait):
            continue
        content.workers = overlaid(content.workers, [(first, last, at)])
        rows = content.workers if content.row is None else [(first, last, content.row)]
        if any(rotation(row, levels) != rotation(at, levels) for *_, row in restricted(rows, here)):
            raise Unfit(f"{line.instruction.step} reads a value that is at another node")
    line.received = max((len(new) - new.count(None) for *_, new in together(*received)), default=0)


def _pieces(array: int, instruction: Instruction, transfer: Transfer) -> Iterator[Piece]:
    content, at = transfer.content, instruction.at
    targets: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for first, last, (_, reader, worker) in together(content.targets, content.readers, content.workers):
        if reader is None:
            raise Unfit(f"nothing reads what {instruction.step} sends")
        row = next(row for row in (content.row, worker, at) if row is not None)
        targets[reader, row].append((first, last))
    for (reader, row), runs in targets.items():
        words = transfer.value.words
        yield Piece(array, transfer.array, reader, words, transfer.offset, at, row, tuple(runs))


class _Resolver:
    """One pass over the instructions in an order in which every producer precedes its readers."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.origins = Origins(program)
        # (array, value) -> [(position, contents)], one entry per version, oldest first
        self.versions: dict[tuple[int, Value], list[tuple[int, Runs]]] = defaultdict(list)
        # (array, value, writer - reader) -> contents that messages brought
        self.delivered: dict[tuple[int, Value, Any], Runs] = defaultdict(list)

    def streams(self) -> tuple[tuple[Line, ...], ...]:
        """The lines of each array in which some process takes part."""
        for resident in self.program.resident:
            for array in resident.arrays:
                runs = [(first, last, Content(row=0)) for first, last, _ in self._mask(resident.where)]
                self.versions[array, resident.value].append((-1, runs))
        lines = {key: self._line(*key) for key in self.origins.order()}
        streams = enumerate(self.program.streams, 1)
        each = ((lines[array, k] for k in range(len(stream))) for array, stream in streams)
        return tuple(tuple(line for line in stream if line is not None) for stream in each)

    def _line(self, array: int, position: int) -> Line | None:
        instruction = self.program.streams[array - 1][position]
        if isinstance(instruction, Send | Arrange):
            return self._send(array, position, instruction)
        if isinstance(instruction, Name):
            self._name(array, position, instruction)
        if not isinstance(instruction, Compute | Wait):
            return None
        mask = self._mask(instruction.where)
        reads = self._reads(array, position, operands_of(instruction), mask)
        if isinstance(instruction, Compute):
            reads = self._write(array, position, instruction, reads)
        elif instruction.where is not None and combined(lambda _: True, reads) != mask:
            raise Unfit(f"{instruction.step} waits for a value that never exists")
        return Line(instruction, _by_operand(reads)) if reads else None

    def _write(self, array: int, position: int, instruction: Compute, reads: Runs) -> Runs:
        """The reads where the value is computed; elsewhere it is the first operand unchanged."""
        expression, content = instruction.expression, Content(row=instruction.at)
        follows = bool(expression.optional) and not expression.kernels[0].alone

        def works(read: tuple[Content | None, ...]) -> bool:
            return not follows or any(read[k] for k in expression.optional)

        bound = combined(lambda read: content if works(read) else read[0], reads)
        self.versions[array, instruction.target].append((position, bound))
        return [run for run in reads if works(run[2])]

    def _send(self, array: int, position: int, instruction: Send | Arrange) -> Line | None:
        arrange = instruction if isinstance(instruction, Arrange) else None
        cargo = instruction.cargo if isinstance(instruction, Send) else (instruction.values,)
        destinations = instruction.destinations if isinstance(instruction, Send) else (Destination(array, 0),)
        line, everywhere = Line(instruction, []), self._mask(None)
        for values, to in product(cargo, destinations):
            offset, value = to.offset, values[0]
            if len(values) > 1 or not isinstance(offset, int):
                raise Unfit(f"{instruction.step} packs several values, or sends to a process i ^ h")
            senders = restricted(self._mask(to.where), _shifted(everywhere, -offset))
            sources = self._reads(array, position, (Operand(value),), senders)
            targets = combined(lambda _: True, _shifted(sources, offset))
            content = Content(arrange.stop if arrange else None, targets)
            bound: Runs = [(first, last, content) for first, last, _ in targets]
            if arrange:
                if self._rotation(arrange.start) == self._rotation(arrange.stop):  # stays, with its content
                    bound, sources = combined(itemgetter(0), sources), []
                versions = self.versions[array, value]
                versions.append((position, overlaid(bound, versions[-1][1] if versions else [])))
            else:
                delivered = self.delivered[to.array, value, -offset]
                if restricted(delivered, bound):
                    raise Unfit(f"{instruction.step} sends a value a second time")
                delivered[:] = overlaid(delivered, bound)
            if sources:
                line.reads += _by_operand(sources)
                line.transfers.append(Transfer(value, to.array, offset, content))
        return line if line.reads else None

    def _name(self, array: int, position: int, instruction: Name) -> None:
        bound: Runs = []
        for operand in instruction.operands:
            reads = self._reads(array, position, (operand,), self._mask(instruction.where))
            if restricted(bound, reads):
                raise Unfit(f"{instruction.step} gives a name two meanings at a process")
            bound = overlaid(bound, combined(itemgetter(0), reads))
        self.versions[array, instruction.target].append((position, bound))

    def _mask(self, where: ProcessSet | None) -> Runs:
        n = self.program.n
        intervals = ((1, n),) if where is None else where.intervals
        if len(intervals) > _MOST_RUNS:
            raise Unfit(f"a mask has {len(intervals)} runs")
        inside = ((max(first, 1), min(last, n)) for first, last in intervals)
        return combined(lambda *_: True, *([(first, last, True)] for first, last in inside if first <= last))

    def _lookup(self, array: int, position: int, operand: Operand) -> tuple[Runs, Runs]:
        """The contents that processes read for an operand, and where its value exists at the writer."""
        value, offset = operand.value, operand.offset
        if not isinstance(offset, int):
            raise Unfit(f"{operand} is read from a process i ^ h")
        if offset == 0 and not operand.delivered:
            for since, contents in reversed(self.versions[array, value]):
                if since < position:
                    return contents, contents
        written = self.versions[self.origins.writer(array, operand, position), value][0][1]
        senders = self.origins.senders[array, value, offset]
        if any(sender == array and sent > position for sender, sent in senders):
            raise Unfit(f"{operand} is read before it is sent")
        delivered = self.delivered[array, value, offset]
        expected = restricted(_shifted(written, -offset), self._mask(None))
        optional = operand.absent is not None and senders  # its partner may send to others only
        return delivered, restricted(expected, delivered) if optional else expected

    def _reads(self, array: int, position: int, operands: tuple[Operand, ...], mask: Runs) -> Runs:
        """The contents of all operands, None where there is none, where all required ones exist."""
        required = [operand.absent is None for operand in operands]

        def read(inside: bool | None, *columns: Content | None) -> tuple[Content | None, ...] | None:
            contents, expected = columns[::2], [column is not None for column in columns[1::2]]
            if not inside or not all(there for there, must in zip(expected, required, strict=True) if must):
                return None
            if any(there and content is None for content, there in zip(contents, expected, strict=True)):
                raise Unfit(f"{', '.join(map(str, operands))}: no Send delivers it")
            return tuple(
                content if there else None for content, there in zip(contents, expected, strict=True)
            )

        lookups = (self._lookup(array, position, operand) for operand in operands)
        return combined(read, mask, *chain.from_iterable(lookups))

    def _rotation(self, row: int) -> int:
        return rotation(row, self.program.levels)


# ------------------------------------------------------------ functions of the process


def together(*functions: Runs) -> Iterator[tuple[int, int, tuple[Any, ...]]]:
    """Runs of several functions at once with the value of each, where any has one."""
    edges = sorted({edge for runs in functions for first, last, _ in runs for edge in (first, last + 1)})
    for first, stop in pairwise(edges):
        values = tuple(next((x for low, high, x in runs if low <= first <= high), None) for runs in functions)
        if any(value is not None for value in values):
            yield first, stop - 1, values


def combined(function: Callable[..., Any], *functions: Runs) -> Runs:
    """`function` of the values of several functions; neighbouring runs of equal values are one."""
    runs: Runs = []
    for first, last, values in together(*functions):
        value = function(*values)
        if runs and runs[-1][1:] == (first - 1, value):
            runs[-1] = (runs[-1][0], last, value)
        elif value is not None:
            runs.append((first, last, value))
    return runs


def overlaid(upper: Runs, lower: Runs) -> Runs:
    """`upper` where it has values, `lower` elsewhere."""
    return combined(lambda above, below: below if above is None else above, upper, lower)


def restricted(runs: Runs, where: Runs) -> Runs:
    """`runs` where both have values."""
    return combined(lambda value, inside: None if inside is None else value, runs, where)


def _shifted(runs: Runs, distance: int) -> Runs:
    """The function whose value at i + distance is that of `runs` at i."""
    return [(first + distance, last + distance, value) for first, last, value in runs]


def _by_operand(reads: Runs) -> list[Runs]:
    """A function of the contents of all operands as one function for each operand."""
    return [combined(itemgetter(k), reads) for k in range(len(reads[0][2]) if reads else 0)]

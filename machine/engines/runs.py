"""The flow of a long program by runs: what `dataflow` and `places` resolve process by process.

A run is a progression of processes that are alike: consecutive, or every 2^k-th. Masks, names and reads are
functions of the process with a few runs each, however many processes there are. They resolve to *pieces*: the
messages of a transfer that have the same first reader. The allocation is "identity", the residency
"migrating", and every node has a process.

A program with a message of several values, with an offset that is no distance, such as i ^ h, or with a mask
of many runs raises Unfit, and so does a program with an error, which `dataflow` names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple, TypeAlias

from senn.machine.program import (
    Arrange,
    Compute,
    Instruction,
    Name,
    Operand,
    ProcessSet,
    Program,
    Send,
    Value,
    Wait,
)
from senn.machine.program.flow import Origins, operands_of, sent_by
from senn.machine.program.subscripts import common, moved, rest

Runs: TypeAlias = list[tuple[range, Any]]
"""A function of the process: disjoint runs with the value of each; None elsewhere."""

_MOST_RUNS = 8


class Unfit(ValueError):
    """A program or machine that runs and classes do not time; the text says why."""


class Origin(NamedTuple):
    """Where the content of a process was written: resident or computed."""

    content: Content
    distance: int | None  # to the process that wrote it; None: to the only one

    def writers(self, readers: range) -> range:
        """The processes that wrote what some read, or the only one."""
        return self.content.origins[0][0] if self.distance is None else moved(readers, self.distance)

    def behind(self, offset: int) -> Origin:
        """The origin for a process that a message over `offset` reaches."""
        return self if self.distance is None else Origin(self.content, self.distance - offset)


@dataclass(eq=False)
class Content:
    """A value in the memories of some processes: resident, written by a line, or brought by a transfer."""

    row: int | None  # of the allocation, where it is; None: where the first reader of each message works
    targets: Runs = field(default_factory=list)  # the processes that messages bring it to
    readers: Runs = field(default_factory=list)  # serial of the first reader
    workers: Runs = field(default_factory=list)  # row of the first reader that is no Wait
    origins: Runs = field(default_factory=list)  # of its processes, see `Origin`

    def write(self, runs: Runs) -> None:
        """Enter the processes that have it at first."""
        origin = Origin(self, None if sum(len(part) for part, _ in runs) == 1 else 0)
        self.origins = merged((part, origin) for part, _ in runs)


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
    targets: tuple[range, ...]  # receiving processes

    def __len__(self) -> int:
        return sum(map(len, self.targets))


class Transfer(NamedTuple):
    """The messages of one value to one destination."""

    value: Value
    array: int  # of the receivers
    offset: int  # from a sending process to the receiving one
    content: Content


@dataclass(eq=False)
class IssuedLine:
    """An instruction as an array issues it."""

    instruction: Instruction
    reads: Runs  # the contents that processes read, one for each operand, None where there is none
    target: Content | None = None  # that it writes
    transfers: list[Transfer] = field(default_factory=list)
    pieces: Sequence[Piece] = ()  # that it posts, in the order of their ids at any channel
    received: int = 0  # the most messages that one process receives


class Resolved(NamedTuple):
    """A program with every mask and every read resolved."""

    n: int  # processes
    streams: tuple[tuple[IssuedLine, ...], ...]  # by array, the lines that it issues
    residents: dict[Content, Value]  # in memory at the start
    results: dict[str, Runs]  # by name, the contents at the end


def resolved(program: Program) -> Resolved:
    """Resolve masks, names and reads to pieces. Raises Unfit for a program that runs do not fit."""
    resolver = _Resolver(program)
    streams = resolver.streams()
    for serial, line in ((serial, line) for stream in streams for serial, line in enumerate(stream)):
        at, received = line.instruction.at, Runs()
        for part, content in [(part, content) for part, read in line.reads for content in read if content]:
            if content.targets:
                new = without([(part, 1)], content.readers)
                more = [(both, 1 + count) for both, _, count in overlaps(new, received)]
                received = overlaid(more, overlaid(new, received))
            content.readers = overlaid(content.readers, [(part, serial)])
            if isinstance(line.instruction, Wait):
                continue
            content.workers = overlaid(content.workers, [(part, at)])
            rows = content.workers if content.row is None else [(part, content.row)]
            turns = {rotation(row, program.levels) for _, row, _ in overlaps(rows, [(part, at)])}
            if turns - {rotation(at, program.levels)}:
                raise Unfit(f"{line.instruction.step} reads a value that is at another node")
        line.received = max((count for _, count in received), default=0)
    for array, line in ((array, line) for array, stream in enumerate(streams, 1) for line in stream):
        # Messages of one send meet at a channel from the node before it, its own node and the node after it.
        ordered = sorted(line.transfers, key=lambda transfer: -transfer.offset)
        line.pieces = [piece for t in ordered for piece in _pieces(array, line.instruction, t)]
    return Resolved(program.n, streams, resolver.residents, resolver.results())


def rotation(row: int, levels: int) -> int:
    """Un-shuffles that lead from home to the places of a row of the allocation, modulo `levels`."""
    return (row - 1) % levels if row else 0


def _pieces(array: int, instruction: Instruction, transfer: Transfer) -> Iterator[Piece]:
    value, target, offset, content = transfer
    if without(content.targets, content.readers):
        raise Unfit(f"nothing reads what {instruction.step} sends")
    if content.row is None:
        rows = overlaid(content.workers, [(part, instruction.at) for part, _ in content.targets])
    else:
        rows = [(part, content.row) for part, _ in content.targets]
    targets: dict[tuple[int, int], list[range]] = defaultdict(list)
    for part, reader, row in overlaps(content.readers, rows):
        targets[reader, row].append(part)
    for (reader, row), parts in targets.items():
        yield Piece(array, target, reader, value.words, offset, instruction.at, row, tuple(joined(parts)))


class _Resolver:
    """One pass over the instructions in an order in which every producer precedes its readers."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.origins = Origins(program)
        # (array, value) -> [(position, contents)], one entry per version, oldest first
        self.versions: dict[tuple[int, Value], list[tuple[int, Runs]]] = defaultdict(list)
        # (array, value, writer - reader) -> contents that messages brought
        self.delivered: dict[tuple[int, Value, Any], Runs] = defaultdict(list)
        self.residents: dict[Content, Value] = {}
        if any(len(makers) > 1 for makers in self.origins.makers.values()):
            raise Unfit("several lines write one value")

    def streams(self) -> tuple[tuple[IssuedLine, ...], ...]:
        """The lines of each array in which some process takes part."""
        for resident in self.program.resident:
            for array in resident.arrays:
                content, mask = Content(row=0), self._mask(resident.where)
                content.write(mask)
                self.residents[content] = resident.value
                self.versions[array, resident.value].append((-1, [(part, content) for part, _ in mask]))
        lines = {key: self._line(*key) for key in self.origins.order()}
        streams = enumerate(self.program.streams, 1)
        each = ((lines[array, k] for k in range(len(stream))) for array, stream in streams)
        return tuple(tuple(line for line in stream if line is not None) for stream in each)

    def _line(self, array: int, position: int) -> IssuedLine | None:
        instruction = self.program.streams[array - 1][position]
        if isinstance(instruction, Send | Arrange):
            return self._send(array, position, instruction)
        if isinstance(instruction, Name):
            self._name(array, position, instruction)
        if not isinstance(instruction, Compute | Wait):
            return None
        mask = self._mask(instruction.where)
        reads = self._reads(array, position, operands_of(instruction), mask)
        target = None
        if isinstance(instruction, Compute):
            target, reads = self._write(array, position, instruction, reads)
        elif instruction.where is not None and without(mask, reads):
            raise Unfit(f"{instruction.step} waits for a value that never exists")
        return IssuedLine(instruction, reads, target) if reads else None

    def _write(self, array: int, position: int, instruction: Compute, reads: Runs) -> tuple[Content, Runs]:
        """The value, and the reads where it is computed; elsewhere it is the first operand unchanged."""
        expression, content = instruction.expression, Content(row=instruction.at)
        follows = bool(expression.optional) and not expression.kernels[0].runs_without_operands

        def works(read: tuple[Content | None, ...]) -> bool:
            return not follows or any(read[k] for k in expression.optional)

        bound = merged((part, content if works(read) else read[0]) for part, read in reads)
        self.versions[array, instruction.target].append((position, bound))
        computed = [(part, read) for part, read in reads if works(read)]
        content.write(computed)
        return content, computed

    def _send(self, array: int, position: int, instruction: Send | Arrange) -> IssuedLine | None:
        arrange = instruction if isinstance(instruction, Arrange) else None
        line, everywhere = IssuedLine(instruction, []), self._mask(None)
        for values, to in product(*sent_by(instruction, array)):
            offset, value = to.offset, values[0]
            if len(values) > 1 or not isinstance(offset, int):
                raise Unfit(f"{instruction.step} packs several values, or sends over no distance")
            senders = restricted(self._mask(to.where), _shifted(everywhere, -offset))
            sources = self._reads(array, position, (Operand(value),), senders)
            targets = merged((moved(part, offset), True) for part, _ in sources)
            content = Content(arrange.stop if arrange else None, targets)
            content.origins = merged(
                (moved(part, offset), origin.behind(offset))
                for part, origin in origins((part, read[0]) for part, read in sources)
            )
            bound: Runs = [(part, content) for part, _ in targets]
            if arrange:
                turns = {rotation(row, self.program.levels) for row in (arrange.start, arrange.stop)}
                if len(turns) == 1:  # stays, with its content
                    bound, sources = [(part, read[0]) for part, read in sources], []
                versions = self.versions[array, value]
                versions.append((position, overlaid(bound, versions[-1][1] if versions else [])))
            else:
                delivered = self.delivered[to.array, value, -offset]
                if restricted(delivered, bound):
                    raise Unfit(f"{instruction.step} sends a value a second time")
                delivered[:] = overlaid(delivered, bound)
            if sources:
                line.reads += sources
                line.transfers.append(Transfer(value, to.array, offset, content))
        return line if line.reads else None

    def _name(self, array: int, position: int, instruction: Name) -> None:
        bound: Runs = []
        for operand in instruction.operands:
            reads = self._reads(array, position, (operand,), self._mask(instruction.where))
            if restricted(bound, reads):
                raise Unfit(f"{instruction.step} gives a name two meanings at a process")
            bound = overlaid(bound, [(part, read[0]) for part, read in reads])
        self.versions[array, instruction.target].append((position, bound))

    def results(self) -> dict[str, Runs]:
        """The contents of the results at the end."""
        if missing := [name for name, result in self.program.results.items() if not self.versions[result]]:
            raise Unfit(f"no line writes the result {missing[0]}")
        return {name: self.versions[result][-1][1] for name, result in self.program.results.items()}

    def _mask(self, where: ProcessSet | None) -> Runs:
        all_processes = range(1, self.program.n + 1)
        parts = (all_processes,) if where is None else where.parts
        if any(part.step & (part.step - 1) for part in parts):
            raise Unfit("a set of processes has a step that is no power of two")
        if len(parts) > _MOST_RUNS:
            raise Unfit(f"a set of processes has {len(parts)} parts, more than {_MOST_RUNS}")
        mask: Runs = []
        for part in parts:
            mask = overlaid(mask, [(common(part, all_processes), True)])
        return mask

    def _lookup(self, array: int, position: int, operand: Operand) -> tuple[Runs, Runs]:
        """The contents that processes read for an operand, and where its value exists at the writer."""
        value, offset = operand.value, operand.offset
        if not isinstance(offset, int):
            raise Unfit(f"{operand} is read over no distance")
        if offset == 0 and not operand.delivered:
            for since, contents in reversed(self.versions[array, value]):
                if since < position:
                    return contents, contents
        written = self.versions[self.origins.writer(array, operand, position), value][0][1]
        senders = self.origins.senders(array, operand)
        if any(sender == array and sent > position for sender, sent in senders):
            raise Unfit(f"{operand} is read before it is sent")
        delivered = self.delivered[array, value, offset]
        expected = restricted(_shifted(written, -offset), self._mask(None))
        optional = operand.absent is not None and senders  # its partner may send to others only
        return delivered, restricted(expected, delivered) if optional else expected

    def _reads(self, array: int, position: int, operands: tuple[Operand, ...], mask: Runs) -> Runs:
        """The contents of all operands, None where there is none, where all required ones exist."""
        lookups = [(operand, *self._lookup(array, position, operand)) for operand in operands]
        for operand, _, expected in lookups:
            mask = mask if operand.absent else restricted(mask, expected)
        reads: Runs = [(part, ()) for part, _ in mask]
        for operand, contents, expected in lookups:
            expected = restricted(expected, mask)
            if without(expected, contents):
                raise Unfit(f"{operand}: no Send delivers it")
            present = overlaps(reads, restricted(contents, expected))
            absent = ((part, read, None) for part, read in without(reads, expected))
            reads = merged((part, (*read, content)) for part, read, content in (*present, *absent))
        return reads


# ------------------------------------------------------------ functions of the process


def origins(contents: Iterable[tuple[range, Content]]) -> Iterator[tuple[range, Origin]]:
    """The origins of contents, by the processes that have them."""
    for part, content in contents:
        for both, origin, _ in overlaps(content.origins, [(part, None)]):
            yield both, origin


def overlaps(first: Runs, second: Runs) -> Iterator[tuple[range, Any, Any]]:
    """Where both have values, with the value of each."""
    for (part, value), (other, other_value) in product(first, second):
        if both := common(part, other):
            yield both, value, other_value


def restricted(runs: Runs, where: Runs) -> Runs:
    """`runs` where both have values."""
    return [(part, value) for part, value, _ in overlaps(runs, where)]


def without(runs: Runs, where: Runs) -> Runs:
    """`runs` where `where` has no value."""
    for other, _ in where:
        runs = [(left, value) for part, value in runs for left in rest(part, other) if left]
    return runs


def overlaid(upper: Runs, lower: Runs) -> Runs:
    """`upper` where it has values, `lower` elsewhere."""
    return merged([*upper, *without(lower, upper)])


def merged(runs: Iterable[tuple[range, Any]]) -> Runs:
    """Disjoint runs, those of equal values in as few as may be."""
    parts: dict[Any, list[range]] = defaultdict(list)
    for part, value in runs:
        if part and value is not None:
            parts[value].append(part)
    return [(part, value) for value, some in parts.items() for part in joined(some)]


def joined(parts: Iterable[range]) -> list[range]:
    """Disjoint progressions as fewer ones."""
    disjoint: list[range] = []
    for part in parts:
        while union := next(((x, both) for x in disjoint if (both := _union(x, part))), None):
            disjoint.remove(union[0])
            part = union[1]
        disjoint.append(part)
    return disjoint


def _union(first: range, second: range) -> range | None:
    """Two disjoint progressions as a single one, where they are."""
    low, high = min(first[0], second[0]), max(first[-1], second[-1])
    step, rest = divmod(high - low, len(first) + len(second) - 1)
    whole = range(low, high + 1, step)
    members = (process for part in (first, second) for process in part[:2])
    return whole if not rest and not step & (step - 1) and all(x in whole for x in members) else None


def _shifted(runs: Runs, distance: int) -> Runs:
    """The function f with f(i + distance) = runs(i)."""
    return [(moved(part, distance), value) for part, value in runs]

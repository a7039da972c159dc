"""What some results of a program need, and nothing else: a backward slice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from senn.machine.program import (
    Arrange,
    Destination,
    Instruction,
    Operand,
    ProcessSet,
    Program,
    Remark,
    Send,
    Value,
    Wait,
    changed,
)
from senn.machine.program.bindings import Origins, operands_of
from senn.machine.program.dataflow import resolved, unread
from senn.machine.program.flow import Flow, Line
from senn.machine.rewrite.lines import only, part_of, target_of
from senn.traces.errors import InputError


class _Reading(NamedTuple):
    """A value that is read in an array: the reader's own, or what a message from `offset` away brought."""

    array: int
    value: Value
    offset: int = 0
    message: bool = False


def keep(program: Program, *results: str) -> Program:
    """The same program without the lines and messages that none of these results needs.

    A wait needs nothing itself: it stays where what it waits for is read. Where a value that came along for
    somebody is now read by nobody, a wait takes it in its place: every message has a reader.
    """
    unknown = [name for name in results if name not in program.results]
    if unknown or not results:
        raise InputError(
            f"the program {program.name} has no result {', '.join(unknown) or 'without a name'}; it has "
            f"{', '.join(program.results)}"
        )
    kept = {name: program.results[name] for name in results}
    needed = {_Reading(array, value) for array, value in kept.values()}
    origins = Origins(program)
    lines = {key: _needed_part(program, origins, key, needed) for key in reversed(list(origins.order()))}
    streams = [
        tuple(line for position in range(len(stream)) if (line := lines[array, position]) is not None)
        for array, stream in enumerate(program.streams, 1)
    ]
    read = {(x.array, x.value) for x in needed}
    resident = tuple(
        replace(one, arrays=arrays)
        for one in program.resident
        if (arrays := tuple(array for array in one.arrays if (array, one.value) in read))
    )
    cut = replace(program, streams=_in_use(streams, read), resident=resident, results=kept)
    return everything_read(cut)


def _needed_part(
    program: Program, origins: Origins, key: tuple[int, int], needed: set[_Reading]
) -> Instruction | None:
    """What is left of a line, all of whose readers have been asked; what it reads is needed then."""
    array, position = key
    line = program.streams[array - 1][position]
    if isinstance(line, Remark | Wait):
        return line
    if isinstance(line, Send):
        asked = [
            (value, to)
            for to in line.destinations
            for value in line.values
            if _Reading(to.array, value, -to.offset, True) in needed
        ]
        if not asked:
            return None
        values, destinations = (tuple(dict.fromkeys(x)) for x in zip(*asked, strict=True))
        line = changed(only(line, values), destinations=destinations)
    elif isinstance(line, Arrange):
        values = tuple(value for value in line.values if _Reading(array, value) in needed)
        if not values:
            return None
        line = changed(line, values=values)
    else:
        value = target_of(line)
        if value is None or _Reading(array, value) not in needed:
            return None
    needed.update(_reading(origins, array, position, operand) for operand in operands_of(line))
    return line


def _reading(origins: Origins, array: int, position: int, operand: Operand) -> _Reading:
    own = any(born < position for born in origins.definers[array, operand.value])
    message = bool(operand.offset) or operand.delivered or not own
    return _Reading(array, operand.value, operand.offset, message)


def _in_use(
    streams: list[tuple[Instruction, ...]], read: set[tuple[int, Value]]
) -> tuple[tuple[Instruction, ...], ...]:
    """The streams without waits for what nobody reads, without remarks on parts that are gone, and without
    the last arrays if they have nothing to do."""
    found = []
    for array, stream in enumerate(streams, 1):
        waited = [
            line
            for line in stream
            if not isinstance(line, Wait) or all((array, value) in read for value in line.values)
        ]
        parts = {part_of(line.step) for line in waited if line.issued}
        found.append(
            tuple(line for line in waited if not isinstance(line, Remark) or part_of(line.step) in parts)
        )
    while not any(line.issued for line in found[-1]):
        found.pop()
    return tuple(found)


# ------------------------------------------------------------
# Every message has a reader: what brings nothing to anybody is not sent, and what comes along is
# taken.


def everything_read(program: Program) -> Program:
    """The program whose messages to other processes go where they are read, with waits for those within a
    process that nothing reads, as they arrive with what is read elsewhere."""
    found = resolved(program)
    while (lean := _to_readers(found)) != program:
        program, found = lean, resolved(lean)
    alone: dict[tuple[int, Value, int], list[int]] = defaultdict(list)
    for slot in unread(found).tolist():
        fill = found.slots.fill(slot)
        since = fill.position if fill.origin == fill.array else -1  # else it is of another stream
        alone[fill.array, found.values[fill.value], since].append(found.slots.process(slot))
    streams = [list(stream) for stream in program.streams]
    for (array, value, since), processes in sorted(alone.items(), key=lambda x: -x[0][2]):
        stream = streams[array - 1]
        readers = (k for k in range(since + 1, len(stream)) if Operand(value) in operands_of(stream[k]))
        line = stream[after := next(readers, max(since, 0))]
        waiting = Wait(f"{line.step}'", value, where=_these(processes), level=line.level, at=line.at)
        stream.insert(after + 1, waiting)
    return replace(program, streams=tuple(map(tuple, streams)))


def _to_readers(found: Flow) -> Program:
    """The program without messages to other processes that nothing reads."""
    read = np.ones(len(found.slots), dtype=bool)
    read[unread(found)] = False
    if read.all():
        return found.program
    streams = (tuple(x for line in lines for x in _read_part(line, read)) for lines in found.lines)
    return replace(found.program, streams=tuple(streams))


def _read_part(line: Line, read: NDArray[np.bool_]) -> Iterator[Instruction]:
    """A line as it is, or what is left of a send."""
    said = line.instruction
    if not isinstance(said, Send):
        yield said
        return
    by_destinations: dict[tuple[Destination, ...], set[Value]] = defaultdict(set)
    for value in said.values:
        wanted = []
        for to in said.destinations:
            sent = [x for x in line.transfers if x.destination == to and value in x.values]
            reaches = np.array(
                [one for x in sent for one in read[x.slots[x.values.index(value)]]], dtype=bool
            )
            if not to.offset or reaches.all():
                wanted.append(to)
            elif reaches.any():
                sources = np.concatenate([x.sources for x in sent])
                wanted.append(to.only(_these(sources[reaches].tolist())))
        by_destinations[tuple(wanted)].add(value)
    for destinations, values in by_destinations.items():
        if destinations:
            yield changed(only(said, values), destinations=destinations)


def _these(processes: list[int]) -> ProcessSet:
    return ProcessSet(tuple((process, process) for process in processes))

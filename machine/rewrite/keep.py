"""Backward slice of a program: the lines and messages that some results need, each message with a reader."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from senn.base.errors import InputError
from senn.machine.program import *  # the words of a program
from senn.machine.program.dataflow import resolved, unread
from senn.machine.program.flow import Line, Origins, operands_of
from senn.machine.program.subscripts import meet
from senn.machine.rewrite.lines import readdressed, target_of
from senn.traces.naming import part_of

Needed = dict[tuple[int, Value, bool], set[Offset]]
"""Array, value, and whether a message brings it -> the offsets with which it is read."""


def keep(program: Program, *results: str) -> Program:
    """The program without the lines and messages that none of these results needs.

    A wait needs nothing itself: it stays where the value that it awaits is read. Where a value arrives with
    others and now has no reader, a wait reads it: every message has a reader.
    """
    unknown = [name for name in results if name not in program.results]
    if unknown or not results:
        raise InputError(
            f"the program {program.name} has no result {', '.join(unknown) or 'without a name'}; it has "
            f"{', '.join(program.results)}"
        )
    kept = {name: program.results[name] for name in results}
    needed: Needed = defaultdict(set, {(*key, False): {0} for key in kept.values()})
    origins = Origins(program)
    lines = {key: _needed_part(program, origins, key, needed) for key in reversed(list(origins.order()))}
    read = {(array, value) for array, value, _ in needed}
    resident = tuple(
        replace(entry, arrays=arrays)
        for entry in program.resident
        if (arrays := tuple(array for array in entry.arrays if (array, entry.value) in read))
    )
    streams: list[tuple[Instruction, ...]] = []  # without waits and remarks on what is gone
    for array, stream in enumerate(program.streams, 1):
        left = [part for position in range(len(stream)) for part in lines[array, position]]
        left = [
            x for x in left if not isinstance(x, Wait) or all((array, value) in read for value in x.values)
        ]
        parts = {part_of(x.step) for x in left if x.issued}
        streams.append(tuple(x for x in left if not isinstance(x, Remark) or part_of(x.step) in parts))
    while not any(line.issued for line in streams[-1]):
        streams.pop()
    cut = replace(program, streams=tuple(streams), resident=resident, results=kept)
    return everything_read(cut)


def _needed_part(
    program: Program, origins: Origins, key: tuple[int, int], needed: Needed
) -> list[Instruction]:
    """The needed parts of a line, all of whose readers are in `needed`; its operands are then needed, too."""
    array, position = key
    line = program.streams[array - 1][position]
    parts: list[Instruction] = [line]
    if isinstance(line, Remark | Wait):
        return parts
    if isinstance(line, Send):
        sent = line.destinations

        def readers(value: Value) -> Iterator[Destination]:
            needs = ((to, needed.get((to.array, value, True), ())) for to in sent)
            return (to for to, reads in needs if any(meet(to.offset, x, program.n) for x in reads))

        parts = [*readdressed(line, readers)]
    elif isinstance(line, Arrange):
        values = tuple(value for value in line.values if (array, value, False) in needed)
        parts = [changed(line, values=values)] if values else []
    elif (array, target_of(line), False) not in needed:
        parts = []
    for x in (x for part in parts for x in operands_of(part)):
        is_own = any(definer < position for definer in origins.definers[array, x.value])
        if x.offset or x.delivered or not is_own:
            needed[array, x.value, True].add(x.offset)
        if is_own and not x.delivered and (x.offset == 0 or not isinstance(x.offset, int)):
            needed[array, x.value, False].add(0)
    return parts


def everything_read(program: Program) -> Program:
    """The program whose messages to other processes go where they are read.

    Messages within a process that nothing reads, as they arrive with others that are read, get a wait.
    """
    flow = resolved(program)
    while (slots := unread(flow)).size:
        read = np.ones(len(flow.slots), dtype=bool)
        read[slots] = False
        streams = (tuple(x for line in lines for x in _read_part(line, read)) for lines in flow.lines)
        if (lean := replace(program, streams=tuple(streams))) == program:
            break
        program, flow = lean, resolved(lean)
    alone: dict[tuple[int, Value, int], list[int]] = defaultdict(list)
    for slot in slots.tolist():
        fill, process, _ = flow.slots.fill(slot)
        since = fill.position if fill.origin == fill.array else -1  # written in another stream
        alone[fill.array, flow.values[fill.value], since].append(process)
    lines = [list(stream) for stream in program.streams]
    for (array, value, since), processes in sorted(alone.items(), key=lambda x: -x[0][2]):
        stream = lines[array - 1]
        readers = (k for k in range(since + 1, len(stream)) if Operand(value) in operands_of(stream[k]))
        line = stream[after := next(readers, max(since, 0))]
        waiting = Wait(f"{line.step}'", value, where=ProcessSet.of(processes), level=line.level, at=line.at)
        stream.insert(after + 1, waiting)
    return replace(program, streams=tuple(map(tuple, lines)))


def _read_part(line: Line, read: NDArray[np.bool_]) -> Iterator[Instruction]:
    """A line as it is, or the parts of a send that are read."""
    send = line.instruction
    if not isinstance(send, Send):
        yield send
        return

    def readers(value: Value) -> Iterator[Destination]:
        for to in send.destinations:
            sent = [x for x in line.transfers if x.destination == to and value in x.values]
            reaches = np.array(
                [is_read for x in sent for is_read in read[x.slots[x.values.index(value)]]], dtype=bool
            )
            if reaches.all() or (not to.offset and reaches.any()):
                yield to
            elif reaches.any():
                sources = np.concatenate([x.sources for x in sent])
                yield to.only(ProcessSet.of(sources[reaches].tolist()))

    yield from readdressed(send, readers)

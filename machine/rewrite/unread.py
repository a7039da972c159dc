"""Every message has a reader: what brings nothing to anybody is not sent, and what comes along is taken."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from senn.machine.program import Destination, Instruction, Operand, Program, Send, Value, Wait, Where, changed
from senn.machine.program.dataflow import resolved, unread
from senn.machine.program.flow import Flow, Line
from senn.machine.program.origins import operands_of
from senn.machine.rewrite.lines import only


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


def _these(processes: list[int]) -> Where:
    return Where(tuple((process, process) for process in processes))

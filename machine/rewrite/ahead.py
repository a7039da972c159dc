"""Values move on to the place of the next level at the start of a level, and are updated there.

As printed, a level sends to its neighbours, updates its own values, and then the result follows its process
to the place of the next level: a message whose start-up nothing hides. The value to be updated may go first,
while the level computes the operands of its neighbours; their messages come to the new place directly.
"""

from __future__ import annotations

from dataclasses import replace

from senn.machine.program import *  # the words of a program
from senn.machine.program.flow import operands_of
from senn.machine.rewrite.lines import runs, target_of, with_operands


def ahead(program: Program) -> Program:
    """The program in which every value that a level updates and arranges for the next moves first."""
    streams = []
    for array, stream in enumerate(program.streams, 1):
        rows = {resident.value: 0 for resident in program.resident if array in resident.arrays}  # at home
        lines: list[Instruction] = []
        for run in runs(stream):
            lines += _moved_ahead(run, array, rows) if run[0].level is not None else run
            rows |= {value: line.at for line in lines if (value := target_of(line)) is not None}
        streams.append(tuple(lines))
    return replace(program, streams=tuple(streams))


def _moved_ahead(run: list[Instruction], array: int, rows: dict[Value, int]) -> list[Instruction]:
    """One level, its update at the place of the next."""
    updates = _updates(run)
    goals = {line.stop for line in run if isinstance(line, Arrange) and updates & {*line.values}}
    if not goals:
        return run
    (row,) = goals
    values = [
        x.value for line in run if target_of(line) in updates for x in operands_of(line) if not x.offset
    ]
    carried = tuple(dict.fromkeys(x for x in values if x not in updates and rows.get(x, row) != row))
    passed = {*values} - rows.keys() - {target_of(line) for line in run}  # came from another array
    to_neighbours = [
        line for line in run if isinstance(line, Send) and any(to.array == array for to in line.destinations)
    ]
    sends = {x: line for line in to_neighbours if {*line.values} <= {*carried} for x in line.values}
    first = [value for value in carried if value not in sends]
    masks = (line.where for line in run if isinstance(line, Compute) and line.target in updates)
    then = Destination(array, 0, next((where for where in masks if where is not None), None))

    def as_carried(x: Operand) -> Operand:
        return x if x.offset or x.value not in carried else replace(x, delivered=True)

    lines: list[Instruction] = []
    if first:
        step = run[0].step.rsplit(".", 1)[0]
        lines.append(Send(f"{step}.0'", tuple(first), then, level=run[0].level, at=run[0].at))
    for line in run:
        if isinstance(line, Arrange) and updates & {*line.values}:
            stay = tuple(value for value in line.values if value not in updates)
            if not stay:
                continue
            line = changed(line, values=stay)
        if line in sends.values():
            assert isinstance(line, Send)
            line = changed(line, destinations=(then, *line.destinations))
        elif target_of(line) in updates:
            assert isinstance(line, Compute | Name)
            line = changed(with_operands(line, as_carried), at=row)
        elif isinstance(line, Send) and set(line.values) <= updates | passed:
            line = changed(line, at=row)
        lines.append(line)
    return lines


def _updates(run: list[Instruction]) -> set[Value]:
    """Values that a level computes from messages of neighbours in this level, directly or by other values."""
    sent = {value for line in run if isinstance(line, Send) for value in line.values}
    updates: set[Value] = set()
    for line in run:
        here = (x.value in (sent if x.offset else updates) for x in operands_of(line))
        if isinstance(line, Compute | Name) and any(here):
            updates.add(line.target)
    return updates


def earlier(program: Program, first: str, last: str, before: str) -> Program:
    """The program in which the lines of steps `first` to `last` come before step `before` of their level."""
    streams = []
    for stream in program.streams:
        lines: list[Instruction] = []
        for run in runs(stream):
            steps = [line.step for line in run]
            if {first, last, before} <= set(steps):
                start, stop, to = steps.index(first), steps.index(last) + 1, steps.index(before)
                run = [*run[:to], *run[start:stop], *run[to:start], *run[stop:]]
            lines += run
        streams.append(tuple(lines))
    return replace(program, streams=tuple(streams))

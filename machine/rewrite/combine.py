"""Messages of one process to one place as one message: each way to do so is a function of the program.

A start-up is worth many words. Two sends of a process to one place in a level may be one message, posted when
the later value is ready (`Pair`). What a message brings for the next level may stop where it comes to, and
follow its process in one message with what follows anyway (`Along`): then it can have come with what is read
at once. Two loops that do not need each other may go level by level (`SideBySide`), and then send together.
Which of these pay is for a machine to say (`senn.machine.search.combining`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, groupby

import numpy as np
from numpy.typing import NDArray

from senn.machine.program import *  # the words of a program
from senn.machine.program.flow import operands_of
from senn.machine.program.subscripts import mask, reached
from senn.machine.rewrite.lines import runs, target_of

Way = Callable[[Program], Program]
Key = tuple[str, str, int]
"""A line of a level, whatever the level, or of a stream: its label, its kind, and which of those it is."""
Masks = dict[tuple[int, Offset], NDArray[np.bool_]]
"""Array and offset of a destination -> which processes send there, if they have what is sent."""


@dataclass(frozen=True)
class Pair:
    """Two lines of an array, in every piece of the program that has them, as one as far as they go to the
    same place; or one that sends several messages there."""

    array: int
    first: Key
    second: Key

    def __call__(self, program: Program) -> Program:
        return _rewritten(program, self.array, lambda piece: self._joined(piece, program.n))

    def _joined(self, piece: list[Instruction], n: int) -> list[Instruction]:
        at = {key: k for k, key in enumerate(_keys(piece)) if key in (self.first, self.second)}
        if len(at) < len({self.first, self.second}):
            return piece
        k, last = at[self.first], at[self.second]
        if not _meet(piece[k], piece[last], n):
            return piece
        early, late = _merged(piece[k], piece[last], n)
        return [*piece[:k], *(early if k < last else ()), *piece[k + 1 : last], *late, *piece[last + 1 :]]


@dataclass(frozen=True)
class Along:
    """Values that neighbours send for the next level move there with the value that an array arranges.

    Their messages are read at the place of their own level.
    """

    array: int
    key: Key

    def __call__(self, program: Program) -> Program:
        return _rewritten(program, self.array, self._arranged)

    def _arranged(self, piece: list[Instruction]) -> list[Instruction]:
        return [
            changed(line, values=_union(line.values, tuple(_brought(piece))))
            if key == self.key and isinstance(line, Arrange)
            else line
            for key, line in zip(_keys(piece), piece, strict=True)
        ]


def pairs(program: Program) -> Iterator[Pair]:
    """Every two lines of a piece that have a destination in common, and every line of several messages."""
    seen: set[Pair] = set()
    for array, piece in _pieces(program):
        lines = [x for x in zip(_keys(piece), piece, strict=True) if isinstance(x[1], Send | Arrange)]
        several = (each for each in lines if isinstance(each[1], Send) and len(each[1].cargo) > 1)
        alone = ((each, each) for each in several)
        for (first, early), (second, late) in (*alone, *combinations(lines, 2)):
            way = Pair(array, first, second)
            if way not in seen and _meet(early, late, program.n):
                seen.add(way)
                yield way


def alongs(program: Program) -> Iterator[Along]:
    """Every arrangement in a piece in which neighbours send something that is only named."""
    lines = (
        (Along(array, key), line)
        for array, piece in _pieces(program)
        if any(_brought(piece))
        for key, line in zip(_keys(piece), piece, strict=True)
    )
    yield from dict.fromkeys(way for way, line in lines if isinstance(line, Arrange))


def _pieces(program: Program) -> Iterator[tuple[int, list[Instruction]]]:
    for array, stream in enumerate(program.streams, 1):
        yield from ((array, piece) for piece in runs(stream))


def _rewritten(
    program: Program, array: int, change: Callable[[list[Instruction]], list[Instruction]]
) -> Program:
    """The program with the pieces of one array changed: the lines of a level, and those between loops."""
    streams = list(program.streams)
    streams[array - 1] = tuple(line for piece in runs(streams[array - 1]) for line in change(piece))
    return replace(program, streams=tuple(streams))


def _keys(piece: Sequence[Instruction]) -> list[Key]:
    count: Counter[tuple[str, str]] = Counter()
    keys = []
    for line in piece:
        name = line.step, type(line).__name__
        keys.append((*name, count[name]))
        count[name] += 1
    return keys


def _brought(piece: list[Instruction]) -> Iterator[Value]:
    """Values of neighbours' messages that a piece only names."""
    for line in piece:
        if isinstance(line, Name) and any(x.offset for x in line.operands):
            yield line.target


def _masks(line: Send, n: int) -> Masks:
    return {(to.array, to.offset): reached(to.offset, n)[1] & mask(to.where, n) for to in line.destinations}


def _meet(one: Instruction, other: Instruction, n: int) -> bool:
    """Whether some process sends to the same place in both lines, from the same place."""
    if one.at != other.at:
        return False
    if isinstance(one, Arrange) and isinstance(other, Arrange):
        return (one.start, one.stop) == (other.start, other.stop)
    if not isinstance(one, Send) or not isinstance(other, Send):
        return False
    first, second = _masks(one, n), _masks(other, n)
    return any((first[key] & second[key]).any() for key in first.keys() & second.keys())


def _merged(one: Instruction, other: Instruction, n: int) -> tuple[list[Instruction], list[Instruction]]:
    """Lines that remain in the place of the earlier line, and lines that come in that of the later."""
    if isinstance(one, Arrange) and isinstance(other, Arrange):
        return [], [changed(other, values=_union(one.values, other.values))]
    assert isinstance(one, Send)
    assert isinstance(other, Send)
    if one is other:
        return [], [changed(one, cargo=(one.values,))]
    first, second = _masks(one, n), _masks(other, n)
    both = {key: first[key] & second[key] for key in second if key in first}
    joint = _to(changed(other, cargo=(_union(one.values, other.values),)), both)
    early = _to(one, {key: senders & ~both.get(key, _NOBODY) for key, senders in first.items()})
    late = _to(other, {key: senders & ~both.get(key, _NOBODY) for key, senders in second.items()})
    return early, [*joint, *late]


_NOBODY = np.False_


def _to(line: Send, masks: Masks) -> list[Instruction]:
    """The line to these destinations, if there is anybody to send there."""
    destinations = []
    for (array, offset), senders in masks.items():
        if senders.any():
            _, everybody = reached(offset, len(senders))
            processes = ProcessSet.of((np.flatnonzero(senders) + 1).tolist())
            where = None if (senders == everybody).all() else processes
            destinations.append(Destination(array, offset, where))
    return [changed(line, destinations=tuple(destinations))] if destinations else []


def _union(one: tuple[Value, ...], other: tuple[Value, ...]) -> tuple[Value, ...]:
    return tuple(dict.fromkeys((*one, *other)))


@dataclass(frozen=True)
class SideBySide:
    """Two loops of an array over the same levels, by their first lines, as one loop.

    The later comes to the place of the earlier, with the lines between that it needs. In every level the
    lines up to the first send go first, and arrangements last.
    """

    array: int
    first: Key
    second: Key

    def __call__(self, program: Program) -> Program:
        stream = program.streams[self.array - 1]
        keys, spans = _keys(stream), {span.start: span for span in _loops(stream)}
        first_loop, second_loop = (spans[keys.index(key)] for key in (self.first, self.second))
        between = range(first_loop.stop, second_loop.start)
        wanted = {x.value for k in second_loop for x in operands_of(stream[k])}
        needed: set[int] = set()  # between: operands of the second loop, and operands of these
        for k in reversed(between):
            line = stream[k]
            if wanted & ({*line.values} if isinstance(line, Send | Arrange) else {target_of(line)}):
                needed.add(k)
                wanted |= {x.value for x in operands_of(line)}
        levels = zip(_levels(stream, first_loop), _levels(stream, second_loop), strict=True)
        order = [
            *range(first_loop.start),
            *(k for k in between if k in needed),
            *(k for level in levels for k in _in_turn(stream, *level)),
            *(k for k in between if k not in needed),
            *range(second_loop.stop, len(stream)),
        ]
        streams = list(program.streams)
        streams[self.array - 1] = tuple(stream[k] for k in order)
        return replace(program, streams=tuple(streams))


def neighbours(program: Program) -> Iterator[SideBySide]:
    """Every two loops of an array over the same levels."""
    for array, stream in enumerate(program.streams, 1):
        keys = _keys(stream)
        for first, second in combinations(_loops(stream), 2):
            levels = ([stream[k[0]].level for k in _levels(stream, span)] for span in (first, second))
            if next(levels) == next(levels):
                yield SideBySide(array, keys[first.start], keys[second.start])


def _loops(stream: tuple[Instruction, ...]) -> list[range]:
    """Positions of the loops of a stream: lines of rising levels, one after the other."""
    loops, start, before = [], 0, 0
    for k, line in enumerate(stream):
        if line.level is None or line.level < before:
            if before:
                loops.append(range(start, k))
            start, before = k, 0
        if line.level is not None:
            start, before = (k if not before else start), line.level
    if before:
        loops.append(range(start, len(stream)))
    return loops


def _levels(stream: tuple[Instruction, ...], loop: range) -> list[list[int]]:
    return [list(lines) for _, lines in groupby(loop, key=lambda k: stream[k].level)]


def _in_turn(stream: tuple[Instruction, ...], one: list[int], other: list[int]) -> list[int]:
    """Two levels as one: each up to its first send, then the rest of each, then what is arranged."""
    turns: list[list[int]] = [[], [], []]
    for level in (one, other):
        first = next((x for x, k in enumerate(level) if isinstance(stream[k], Send)), -1) + 1
        turns[0] += level[:first]
        turns[1] += [k for k in level[first:] if not isinstance(stream[k], Arrange)]
        turns[2] += [k for k in level[first:] if isinstance(stream[k], Arrange)]
    return [k for turn in turns for k in turn]

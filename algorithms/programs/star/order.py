"""In which order an array does what belongs to different recurrences, and what its messages bring.

A level of products is long; of the velocities, and of b and eta, a level is little but a message. So these
are woven into the products, two of their rounds a level: first the M rounds of the velocities, then the M of
b and eta, which so run behind the products that they need. Each value is sent when its turn comes (`woven`).

Or all that a level sends is one message, and one more brings what it makes to the place of the next
(`together`): that is for machines where every message costs the processor time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from itertools import chain, groupby, repeat
from math import inf
from typing import NamedTuple

from senn.machine.program import Arrange, Destination, Instruction, Send, changed, levels, replace_place
from senn.machine.rewrite.lines import target_of


class Turn(Enum):
    """Where in a level of products a round has its turn."""

    LEAVES = "its messages are sent"
    ARRIVES = "they are read, and what they make goes to the place of its next level"


LEAVES, ARRIVES = Turn


class Round(NamedTuple):
    """A level of a short recurrence."""

    leaves: tuple[Instruction, ...] = ()
    arrives: tuple[Instruction, ...] = ()


def rounds(lines: Iterable[Instruction]) -> Iterator[Round]:
    """The levels of recurrences that follow each other; what is between them belongs to the next."""
    between: list[Instruction] = []
    for level, run in groupby(lines, key=lambda line: line.level):
        if level is None:
            between += run
            continue
        of_level = tuple(run)
        sent = {value for line in of_level if isinstance(line, Send) for value in line.values}
        leaves = tuple(line for line in of_level if isinstance(line, Send) or target_of(line) in sent)
        yield Round((*between, *leaves), tuple(line for line in of_level if line not in leaves))
        between = []
    if between:
        yield Round(tuple(between))


def woven(
    n: int, level: Callable[[int, int], Iterable[Instruction | Turn]], rounds: Iterable[Round]
) -> list[list[Instruction]]:
    """The levels of the products, each as a list, with a round at every turn; then what is left of them."""
    waiting = iter(rounds)
    found = []
    for j in range(1, levels(n) + 1):
        lines: list[Instruction] = []
        for one in level(j, 2 ** (j - 1)):
            if one is LEAVES:
                turn = next(waiting)
                lines += turn.leaves
            elif isinstance(one, Turn):
                lines += turn.arrives
            else:
                lines.append(one if one.level is not None else replace_place(one, level=j, at=j))
        found.append(lines)
    return [*found, [line for left in waiting for part in left for line in part]]


def plain(n: int, level: Callable[[int, int], Iterable[Instruction | Turn]]) -> Iterator[Instruction]:
    """The levels of the products, without anything between."""
    return chain.from_iterable(woven(n, level, repeat(Round(), 2 * levels(n))))


def together(lines: Iterable[Instruction]) -> Iterator[Instruction]:
    """The lines of several recurrences in one direction, level by level, each with one message to the partner
    and one to the next place."""
    for level, run in groupby(by_level(lines), key=lambda line: line.level):
        if level is None:
            yield from run
            continue
        of_level = list(run)
        sends = [line for line in of_level if isinstance(line, Send)]
        arranges = [line for line in of_level if isinstance(line, Arrange)]
        work = [line for line in of_level if not isinstance(line, Send | Arrange)]
        sent = tuple(value for line in sends for (value,) in line.cargo)
        (last,) = {line.stop for line in arranges}
        whom = max((line.destinations for line in sends), key=_reach)
        yield from (line for line in work if target_of(line) in sent)
        yield changed(sends[0], cargo=(sent,), destinations=whom)
        yield from (line for line in work if target_of(line) not in sent)
        moved = tuple(value for line in arranges for value in line.values)
        yield changed(arranges[-1], values=moved, stop=last)


def by_level(lines: Iterable[Instruction]) -> list[Instruction]:
    """In the order of levels, what is of none before."""
    return sorted(lines, key=lambda line: line.level or 0)


def _reach(destinations: tuple[Destination, ...]) -> float:
    """How many processes may send there, of which a value that fewer have needs no fewer."""
    (to,) = destinations
    return inf if to.where is None else sum(high - low for low, high in to.where.intervals)

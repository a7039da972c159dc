"""One line of a program, read and written anew: what it makes, and the same line about other operands."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import replace

from senn.machine.program import (
    Arrange,
    Compute,
    Instruction,
    Name,
    Operand,
    Remark,
    Send,
    Value,
    Wait,
    changed,
)


def made(line: Instruction) -> Value | None:
    """The value that a line writes or names; arranging makes nothing new."""
    return line.target if isinstance(line, Compute | Name) else None


def part_of(step: str) -> str:
    """The part of the algorithm that a step belongs to: II.c of II.c.3, III of III.2.

    >>> part_of("II.c.3"), part_of("III.2")
    ('II.c', 'III')
    """
    phase, *rest = step.split(".")
    return f"{phase}.{rest[0]}" if rest and rest[0].isalpha() else phase


def with_operands(line: Compute | Name, change: Callable[[Operand], Operand]) -> Compute | Name:
    """The same line with every operand changed."""
    if isinstance(line, Name):
        return changed(line, operands=tuple(map(change, line.operands)))
    operands = tuple(map(change, line.expression.operands))
    return replace(line, expression=replace(line.expression, operands=operands))


def with_values(line: Instruction, change: Callable[[Value], Value]) -> Instruction:
    """The same line about other values."""
    if isinstance(line, Compute | Name):
        renamed = with_operands(line, lambda operand: replace(operand, value=change(operand.value)))
        return changed(renamed, target=change(line.target))
    if isinstance(line, Send):
        return changed(line, cargo=tuple(tuple(map(change, together)) for together in line.cargo))
    if isinstance(line, Arrange | Wait):
        return changed(line, values=tuple(map(change, line.values)))
    assert isinstance(line, Remark)
    return line if line.of is None else changed(line, of=change(line.of))


def only(line: Send, values: Container[Value]) -> Send:
    """What is left of a send of these values."""
    left = (tuple(value for value in together if value in values) for together in line.cargo)
    return changed(line, cargo=tuple(together for together in left if together))


def runs(stream: Iterable[Instruction]) -> Iterator[list[Instruction]]:
    """A stream in pieces: the lines of one level of one loop, and the lines between loops."""
    piece: list[Instruction] = []
    for line in stream:
        if piece and piece[-1].level != line.level:
            yield piece
            piece = []
        piece.append(line)
    if piece:
        yield piece

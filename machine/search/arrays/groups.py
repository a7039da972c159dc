"""The steps of a program in groups that one array does: who sends a value is who makes it."""

from __future__ import annotations

from dataclasses import dataclass

from senn.machine.program import Arrange, Program, Send, Value
from senn.machine.rewrite.lines import made, part_of


@dataclass(frozen=True)
class Group:
    """Beginnings of labels, as an assignment has them, in the order of the text; all of one part."""

    part: str
    labels: tuple[str, ...]


def groups(program: Program) -> tuple[Group, ...]:
    """All groups of a program, by their first label; a label is the beginning of those of its own steps."""
    lines = [line for stream in program.streams for line in stream]
    labels = list(dict.fromkeys(label_of(line.step) for line in lines))
    together = {label: label for label in labels}

    def root(label: str) -> str:
        while together[label] != label:
            label = together[label]
        return label

    makers: dict[Value, str] = {}
    for line in lines:
        if (value := made(line)) is not None:
            first = makers.setdefault(value, label_of(line.step))
            together[root(label_of(line.step))] = root(first)
    for line in lines:
        for value in line.values if isinstance(line, Send | Arrange) else ():
            if value in makers:
                together[root(label_of(line.step))] = root(makers[value])
    found: dict[str, list[str]] = {}
    for label in labels:
        found.setdefault(root(label), []).append(label)
    return tuple(Group(part_of(each[0]), tuple(each)) for each in found.values())


def label_of(step: str) -> str:
    """The numbered step that a step belongs to.

    >>> label_of("II.c.3.iv"), label_of("I.a.4''"), label_of("III.2.i"), label_of("keep A")
    ('II.c.3', 'I.a.4', 'III.2', 'keep A')
    """
    part = part_of(step)
    rest = step[len(part) + 1 :].split(".")[0].rstrip("'")
    return f"{part}.{rest}" if rest else part.rstrip("'")

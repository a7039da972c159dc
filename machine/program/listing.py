"""A program as text, in the manner of Fijany VI.D: step, instruction, and the processes that take part."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from senn.base.errors import InputError
from senn.machine.program import Arrange, Compute, Name, Program
from senn.machine.program.dataflow import flow
from senn.machine.program.flow import Ints, Line
from senn.traces.naming import belongs


class Printed(NamedTuple):
    """A line of a listing, and the instruction that it prints, if any."""

    text: str
    line: Line | None = None


def listing(program: Program, step: str | None = None) -> str:
    """Every instruction with its mask; lines that are printed but not issued carry a dot.

    `step` keeps the steps that start with it ("I.b", "II.c.3"); one that matches nothing is refused.
    """
    return "\n".join(line.text for line in printed(program, step)) + "\n"


def printed(program: Program, step: str | None = None) -> list[Printed]:
    """The lines of `listing`, each with its instruction; some texts span several lines."""
    lines = [line for stream in flow(program).lines for line in stream]
    selected = [line for line in lines if step is None or belongs(line.instruction.step, step)]
    if not selected:
        prefixes = ", ".join(dict.fromkeys(".".join(x.instruction.step.split(".")[:2]) for x in lines))
        raise InputError(f'no step of this program is "{step}" or starts with it: the steps are {prefixes}')
    head = f"{program.name}, n = {program.n}, M = {program.levels}"
    return [Printed(program.head(program) if program.head else head), *_body(selected, program)]


def _body(lines: list[Line], program: Program) -> Iterator[Printed]:
    """Headings, levels and instructions; the columns are as wide as the chosen lines need."""
    label = max(len(line.instruction.step) for line in lines)
    text = max(len(sentence) for line in lines for sentence, executors in _sentences(line) if executors)
    seen: set[str] = set()
    array, level = 0, None
    for line in lines:
        if line.array != array:
            array, level = line.array, None
            seen.clear()
            if program.arrays > 2:  # with two arrays, the headings name the array of a step
                yield Printed(f"\nArray {array}")
        parts = line.instruction.step.split(".")
        for prefix in (parts[0], ".".join(parts[:2])):
            if prefix in program.parts and prefix not in seen:
                seen.add(prefix)
                level = None
                title = _title(program, prefix)
                yield Printed(f"  {title}" if "." in prefix else f"\n{title}")
        if line.instruction.level != level and line.instruction.level is not None:
            yield Printed(f"    level j = {line.instruction.level}, h = {2 ** (line.instruction.level - 1)}")
        level = line.instruction.level
        mark = " " if line.instruction.issued else "."
        place = ""  # where it executes, if not at the place of its level
        moves = isinstance(line.instruction, Arrange | Name)
        if len(line.processes) and level not in (None, line.instruction.at) and not moves:
            at = line.instruction.at
            place = f", at the place of level {at}" if at else ", at home"
        for sentence, executors in _sentences(line):
            written = f"    {mark} {line.instruction.step:<{label}}  {sentence:<{text}}  {executors}{place}"
            yield Printed(written.rstrip(), line)


def _title(program: Program, prefix: str) -> str:
    """The heading of a step, with the arrays that have a line of it."""
    issued = {
        number: any(line.issued for line in lines)
        for number, stream in enumerate(program.streams, 1)
        if (lines := [line for line in stream if belongs(line.step, prefix)])
    }
    numbers = [number for number in issued if issued[number] or not any(issued.values())]
    arrays = ", ".join(f"PR_{{{number},i}}" for number in numbers)
    arrays = f"Array{'s' * (len(numbers) > 1)} {arrays}"
    return program.parts[prefix].replace("{arrays}", arrays).replace("{last}", f"PR_{{{numbers[0]},N}}")


def _sentences(line: Line) -> Iterator[tuple[str, str]]:
    """Pairs (instruction, processes) as text: one pair for each joint type that executes another kernel."""
    instruction = line.instruction
    if not len(line.processes):
        yield str(instruction), "no process: not issued" if instruction.issued else ""
    elif isinstance(instruction, Compute) and instruction.expression.choice is not None:
        texts = np.array(instruction.expression.texts())
        each = texts[np.array(instruction.expression.choice)[line.processes - 1]]
        for text in dict.fromkeys(each.tolist()):
            numbers = processes(line.processes[each == text])
            yield f"{instruction.target.text()} = {text}", f"i = {numbers}"
    else:
        yield str(instruction), f"i = {processes(line.processes)}"


def processes(numbers: Ints) -> str:
    """Ascending process numbers as ranges.

    >>> processes(np.array([1, 2, 3, 7]))
    '1..3, 7'
    """
    runs = np.split(numbers, np.flatnonzero(np.diff(numbers) > 1) + 1)
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}..{run[-1]}" for run in runs)

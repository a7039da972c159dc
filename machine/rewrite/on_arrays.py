"""Which array does which step, as data: the same program on more or on fewer processor arrays.

    on_arrays(program, {"": 1})                                       all steps on one array
    on_arrays(program, {"II.a": 3, "II.b.1": 3, "II.a.1": (2, 3)})    Newton-Euler apart, frames made twice

What a step reads of another array is sent there: by the message that is in the program already, which goes to
whom it concerns now; else by a new one, at once for a value of a loop, and for all others where the array has
done its piece of the work (a part that is named within another, on the same array, is a piece of its own).
Values follow their process to the place of another level in the arrays that make them.
Messages between arrays that have become one are left out, and with them waits and remarks about them. What
was made in two arrays that have become one is made once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import Any

from senn.base import files
from senn.base.errors import InputError
from senn.machine.program import *  # the words of a program
from senn.machine.program.flow import operands_of
from senn.machine.program.subscripts import meet
from senn.machine.rewrite.keep import keep
from senn.machine.rewrite.lines import readdressed, target_of
from senn.traces.naming import part_of

MOST_ARRAYS = 64


def on_arrays(program: Program, assignment: Assignment) -> Program:
    """The program with its steps on these arrays, without lines and messages that are then in vain.

    The longest beginning of a label counts; a step without any stays where it is. InputError for steps that
    the program does not have, for arrays without instructions, and for steps that cannot be apart.
    """
    work = _Moving(program, assignment)
    work.cross()
    rewritten = work.program()
    if rewritten.arrays > 1:
        try:
            rewritten = keep(rewritten, *rewritten.results)
        except InputError as error:
            parted = f"arrays: {assignment_text(assignment)} parts steps that cannot be apart"
            raise InputError(f"{parted}: {error}, or move a whole part") from None
    empty = [k for k, stream in enumerate(rewritten.streams, 1) if not any(line.issued for line in stream)]
    if empty:
        raise InputError(
            f"arrays: {assignment_text(assignment)} leaves array {', '.join(map(str, empty))} without "
            "instructions; number the arrays 1, 2, 3, ... without gaps"
        )
    return rewritten


@dataclass(eq=False)
class _Task:
    """A line in the order of the text; `was` is its array in the given program, `array` its new one."""

    was: int
    array: int
    line: Instruction


Wanted = dict[tuple[int, Value], list[tuple[Offset, int, Instruction]]]
"""Array before and value -> offset, array now and line of each reader."""


class _Moving:
    """A program while its lines move between arrays."""

    def __init__(self, before: Program, assignment: Assignment) -> None:
        self.before, self.assignment = before, assignment
        self._refuse()
        self.own = {(array, x.value) for x in before.resident for array in x.arrays}
        # What two arrays computed is computed once: array and content of a line -> the line.
        once: dict[tuple[int, object], _Task] = {}
        for was, stream in enumerate(before.streams, 1):
            self.own |= {(was, value) for line in stream if (value := target_of(line)) is not None}
            for task in (task for line in stream for task in self._tasks(was, line)):
                x, content = task.line, object()
                if isinstance(x, Compute | Name):
                    content = type(x), x.target, x.where, operands_of(x)
                once.setdefault((task.array, content), task)
        self.tasks = list(once.values())

    def _tasks(self, was: int, line: Instruction) -> Iterator[_Task]:
        """A line on each of its arrays; an Arrange where its values are made, or else read."""
        if not isinstance(line, Arrange):
            yield from (_Task(was, array, line) for array in self._arrays(was, line.step))
            return
        stream, by_array = self.before.streams[was - 1], defaultdict(list)
        for value in line.values:
            makers = [x.step for x in stream if target_of(x) == value]
            readers = [x.step for x in stream if x.at == line.stop and Operand(value) in operands_of(x)]
            for array in {k for step in makers or readers or [line.step] for k in self._arrays(was, step)}:
                by_array[array].append(value)
        for array, values in by_array.items():
            yield _Task(was, array, changed(line, values=tuple(values)))

    def _arrays(self, was: int, step: str) -> tuple[int, ...]:
        prefixes = [prefix for prefix in self.assignment if begins(step, prefix)]
        return several(self.assignment[max(prefixes, key=len)] if prefixes else was)

    def _refuse(self) -> None:
        steps = {line.step for stream in self.before.streams for line in stream}
        for prefix, arrays in self.assignment.items():
            if not any(begins(step, prefix) for step in steps):
                parts = ", ".join(sorted({part_of(step) for step in steps}))
                raise InputError(
                    f'arrays: no step of the program {self.before.name} begins with "{prefix}"; the steps '
                    f"are those of its listing, in {parts}"
                )
            if not arrays or min(several(arrays)) < 1:
                raise InputError(f'arrays: "{prefix}" needs an array, counted from 1')
            if max(several(arrays)) > MOST_ARRAYS:
                raise InputError(f'arrays: "{prefix}" names an array above {MOST_ARRAYS}, the most there are')
        arrays_of: dict[tuple[int, Value], tuple[int, ...]] = {}
        for was, line in ((k, line) for k, stream in enumerate(self.before.streams, 1) for line in stream):
            if (value := target_of(line)) is None:
                continue
            on = self._arrays(was, line.step)
            if on != arrays_of.setdefault((was, value), on):
                raise InputError(
                    f"arrays: {line.step} and another step write {value.text()}, at other processes: assign "
                    "both to the same array"
                )

    # -- messages

    def cross(self) -> None:
        """Address every message to its present readers, and add those for values read in another array."""
        wanted: Wanted = defaultdict(list)
        for task in self.tasks:
            for x in operands_of(task.line):
                wanted[task.was, x.value].append((x.offset, task.array, task.line))
        made_in = {(task.array, value) for task in self.tasks if (value := target_of(task.line)) is not None}
        addressed: list[_Task] = []
        for task in self.tasks:
            if isinstance(task.line, Send):
                addressed += (_Task(task.was, task.array, x) for x in self._sends(task, wanted, made_in))
            elif isinstance(task.line, Wait):
                values = tuple(
                    x for x in task.line.values if (task.array, x) not in made_in or (task.was, x) in self.own
                )
                if values:
                    addressed.append(_Task(task.was, task.array, changed(task.line, values=values)))
            elif not (isinstance(task.line, Remark) and (task.array, task.line.of) in made_in):
                addressed.append(task)
        self.tasks = addressed
        self._send_what_crosses(made_in)

    def _sends(self, task: _Task, wanted: Wanted, made_in: set[tuple[int, Value]]) -> Iterable[Send]:
        """Sends with the present destinations of a send's values; of several senders each serves itself."""
        assert isinstance(task.line, Send)
        senders, sent = self._arrays(task.was, task.line.step), task.line.destinations

        def present(value: Value) -> Iterator[Destination]:
            places: dict[tuple[int, Offset], ProcessSet | None] = {}
            for to in sent:
                by_array: dict[int, list[Instruction]] = defaultdict(list)
                for read, array, line in wanted[to.array, value]:
                    if meet(to.offset, read, self.before.n):
                        by_array[array].append(line)
                for array, readers in sorted(by_array.items()):
                    if task.array != (array if array in senders else senders[0]):
                        continue
                    between_arrays = not to.offset and to.array != task.was
                    if between_arrays and (array, value) in made_in:
                        continue
                    # Every process sends what readers that have gone to another array read of their own.
                    local = Operand(value)
                    reads = (replace(x, absent=None) for line in readers for x in operands_of(line))
                    apart = to.array == task.was and array != task.array and local in reads
                    alone = None if apart else to.where
                    key = (array, to.offset)
                    places[key] = _together([places[key], alone]) if key in places else alone
            return (Destination(*key, where) for key, where in places.items())

        return readdressed(task.line, present)

    def _send_what_crosses(self, made_in: set[tuple[int, Value]]) -> None:
        there, resident = set(made_in), {(k, x.value) for x in self.before.resident for k in x.arrays}
        for task in self.tasks:
            there |= {
                (task.array, x.value) for x in operands_of(task.line) if (task.was, x.value) in resident
            }
            if isinstance(task.line, Send):
                reached = [to.array for to in task.line.destinations if not to.offset]
                there |= {(array, value) for array in reached for value in task.line.values}
        readers: dict[tuple[Value, int], list[Instruction]] = defaultdict(list)
        for task in self.tasks:
            for operand in operands_of(task.line):
                if not operand.offset and (task.array, operand.value) not in there:
                    readers[operand.value, task.array].append(task.line)
        for (value, array), lines in readers.items():
            places = [line.where if isinstance(line, Compute | Name | Wait) else None for line in lines]
            self._send(value, array, _together(places))
        self._join_sends()

    def _piece(self, task: _Task) -> tuple[int, str]:
        """The piece of an array's work that a task is in: all of it, or a part that is named apart."""
        prefixes = sorted((prefix for prefix in self.assignment if begins(task.line.step, prefix)), key=len)
        apart = len(prefixes) > 1 and self.assignment[prefixes[-1]] == self.assignment[prefixes[-2]]
        return task.array, prefixes[-1] if apart else ""

    def _send(self, value: Value, array: int, where: ProcessSet | None) -> None:
        """Insert a message of `value` to an array, from the first that has it, once it is in its place."""
        about = [
            k
            for k, task in enumerate(self.tasks)
            if value == target_of(task.line) or (isinstance(task.line, Arrange) and value in task.line.values)
        ]
        last = max(k for k in about if self.tasks[k].array == self.tasks[about[0]].array)
        writer = self.tasks[last]
        row = writer.line.stop if isinstance(writer.line, Arrange) else writer.line.at
        if isinstance(writer.line, Name):  # what came by a message is where the array reads it
            others = (task.line for task in self.tasks[last + 1 :] if task.array == writer.array)
            row = next((line.at for line in others if value in {x.value for x in operands_of(line)}), row)
        in_loop = writer.line.level is not None and row != 0
        after = last + 1
        if not in_loop:
            while after < len(self.tasks) and self._piece(self.tasks[after]) == self._piece(writer):
                after += 1
        step = f"{self.tasks[after - 1].line.step}'"
        level = writer.line.level if in_loop else None
        line = Send(step, value, Destination(array, 0, where), level=level, at=row)
        self.tasks.insert(after, _Task(writer.was, writer.array, line))

    def _join_sends(self) -> None:
        """Merge neighbouring new sends to the same place."""
        joined: list[_Task] = []
        for task in self.tasks:
            line, before = task.line, joined[-1].line if joined else None
            if (
                isinstance(line, Send)
                and isinstance(before, Send)
                and (joined[-1].array, before.destinations, before.at, before.level)
                == (task.array, line.destinations, line.at, line.level)
                and line.step.rstrip("'") == before.step.rstrip("'")
                and line.step != before.step[: len(line.step) - 1]
            ):
                line = changed(before, cargo=(*before.cargo, *line.cargo))
                joined[-1] = _Task(task.was, task.array, line)
            else:
                joined.append(task)
        self.tasks = joined

    # -- the program

    def program(self) -> Program:
        arrays = max(task.array for task in self.tasks)
        streams = tuple(
            tuple(task.line for task in self.tasks if task.array == array) for array in range(1, arrays + 1)
        )
        moved = {(task.was, target_of(task.line)): task.array for task in reversed(self.tasks)}
        results = {name: (moved[key], key[1]) for name, key in self.before.results.items()}
        return replace(self.before, streams=streams, resident=tuple(self._resident()), results=results)

    def _resident(self) -> Iterable[Resident]:
        """Values that the memories hold at the start, in the arrays that read them."""
        places: dict[Value, dict[int, list[ProcessSet | None]]] = defaultdict(dict)
        for resident in self.before.resident:
            for task in (task for task in self.tasks if task.was in resident.arrays):
                if resident.value in {x.value for x in operands_of(task.line)}:
                    masks = places[resident.value].setdefault(task.array, [])
                    if resident.where not in masks:
                        masks.append(resident.where)
        for value, by_array in places.items():
            together: dict[ProcessSet | None, list[int]] = defaultdict(list)
            for array in sorted(by_array):
                together[_together(by_array[array])].append(array)
            for where, arrays in together.items():
                yield Resident(value, tuple(arrays), where)


def _together(places: Sequence[ProcessSet | None]) -> ProcessSet | None:
    """Union of sets of processes; None stands for all processes."""
    sets = dict.fromkeys(where for where in places if where is not None)
    return None if None in places else reduce(or_, sets)


Assignment = Mapping[str, int | tuple[int, ...]]
"""The beginning of a step's label, and the array (or each of the arrays) that does it."""
_WAY = "write a number of arrays, or STEP=ARRAY,... as in II.a=3,II.b.1=3,II.a.1=2+3, or name a TOML file"


def read_assignment(arrays: int | str | Mapping[str, Any]) -> int | Assignment:
    """A number of arrays, or the assignment that a text or a TOML file describes; InputError if it is wrong.

    3                                  a number that the program knows
    II.a=3,II.b.1=3,II.a.1=2+3         the beginning of a label, and the array, or the arrays, that do it
    mine.toml                          "II.a" = 3 and "II.a.1" = [2, 3], a line each

    >>> read_assignment("2"), read_assignment("II.a=3,II.a.1=2+3")
    (2, {'II.a': 3, 'II.a.1': (2, 3)})
    """
    if type(arrays) is int:
        return arrays
    if isinstance(arrays, Mapping):
        checked: dict[str, int | tuple[int, ...]] = {}
        for step, entry in arrays.items():
            if isinstance(entry, Mapping):  # TOML takes the dots of II.a = 3 for tables in tables
                raise InputError(
                    f'arrays: "{step}" is a table: write steps at the top and in quotes, as "II.a" = 3'
                )
            entries: Sequence[Any] = entry if isinstance(entry, list | tuple) else [entry]
            if not entries or not all(isinstance(x, int) and not isinstance(x, bool) for x in entries):
                raise InputError(
                    f'arrays: step "{step}" needs an array, as 3, or a list of them, as [2, 3]; {_WAY}'
                )
            checked[str(step)] = tuple(entries) if entries is entry else int(entry)
        return checked
    if not isinstance(arrays, str):
        raise InputError(f"arrays is {arrays}; {_WAY}")
    if _is_number(arrays):
        return int(arrays)
    if arrays.endswith(".toml"):
        try:
            tables = files.toml(arrays)
        except InputError as error:
            raise InputError(f"arrays: {error}; {_WAY}") from None
        return read_assignment(tables)
    assignment: dict[str, int | tuple[int, ...]] = {}
    for part in arrays.split(","):
        step, equals, numbers = (word.strip() for word in part.partition("="))
        if not equals or not all(map(_is_number, numbers.split("+"))):
            raise InputError(f'arrays is "{arrays}"; "{part}" is no step with its array: {_WAY}')
        if step in assignment:
            raise InputError(f'arrays is "{arrays}"; step {step} is given twice: drop one')
        several_arrays = tuple(int(number) for number in numbers.split("+"))
        assignment[step] = several_arrays if len(several_arrays) > 1 else several_arrays[0]
    return assignment


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


def begins(step: str, prefix: str) -> bool:
    """Whether a label names a step or a part of it: II.a.1' and II.a.1.i, but not II.a.10, of II.a.1."""
    return step.startswith(prefix) and (not prefix or step[len(prefix) :][:1] in ("", ".", "'"))


def several(arrays: int | tuple[int, ...]) -> tuple[int, ...]:
    """A tuple of arrays, also of a single one.

    >>> several(3), several((1, 2))
    ((3,), (1, 2))
    """
    return arrays if isinstance(arrays, tuple) else (arrays,)


def assignment_text(assignment: Assignment) -> str:
    """An assignment as it is written on a command line.

    >>> assignment_text({"II.a": 3, "II.a.1": (2, 3)})
    'II.a=3,II.a.1=2+3'
    """
    return ",".join(f"{step}={'+'.join(map(str, several(to)))}" for step, to in assignment.items())

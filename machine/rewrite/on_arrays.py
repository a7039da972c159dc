"""Which array does which step, as data: the same program on more or on fewer processor arrays.

    on_arrays(program, {"": 1})                                       all steps on one array
    on_arrays(program, {"II.a": 3, "II.b.1": 3, "II.a.1": (2, 3)})    Newton-Euler apart, frames made twice

What a step reads of another array is sent there: by the message that is in the program already, which goes to
whom it concerns now; else by a new one, at once for a value of a loop, and for all others where the array has
done its piece of the work (a part that is named within another, on the same array, is a piece of its own).
Messages between arrays that have become one are left out, and with them waits and remarks about them. What
was made in two arrays that have become one is made once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import or_
from typing import Any

from senn.machine.program import (
    Arrange,
    Compute,
    Destination,
    Instruction,
    Name,
    ProcessSet,
    Program,
    Remark,
    Resident,
    Send,
    Value,
    Wait,
    changed,
)
from senn.machine.program.bindings import operands_of
from senn.machine.rewrite.keep import keep
from senn.machine.rewrite.lines import only, part_of, target_of
from senn.traces import files
from senn.traces.errors import InputError

MOST_ARRAYS = 64


def on_arrays(program: Program, assignment: Assignment) -> Program:
    """The same program on these arrays. The longest beginning of a label counts; a step without any stays
    where it is. `InputError` for steps that the program has not, for arrays that would have no work, and for
    steps that cannot be apart. What is made or sent in vain then is left out."""
    work = _Work(program, assignment)
    work.cross()
    found = work.program()
    if found.arrays > 1:
        try:
            found = keep(found, *found.results)
        except InputError as error:
            said = f"arrays: {assignment_text(assignment)} parts steps that cannot be apart"
            raise InputError(f"{said}: {error}, or move a whole part") from None
    for array, stream in enumerate(found.streams, 1):
        if not any(line.issued for line in stream):
            raise InputError(f"arrays: array {array} of {found.arrays} has no work; number them from 1 on")
    return found


@dataclass(eq=False)
class _Task:
    """A line in the order of the text; `was` is the array that did it, `array` the one that does."""

    was: int
    array: int
    line: Instruction


@dataclass(eq=False)
class _Work:
    """A program while its lines move between arrays."""

    before: Program
    assignment: Assignment
    tasks: list[_Task] = field(init=False)

    def __post_init__(self) -> None:
        self._refuse()
        self.own = {
            (array, value)
            for array, stream in enumerate(self.before.streams, 1)
            for line in stream
            if (value := target_of(line)) is not None
        }
        self.own |= {(array, one.value) for one in self.before.resident for array in one.arrays}
        everything = [
            _Task(was, array, line)
            for was, stream in enumerate(self.before.streams, 1)
            for line in stream
            for array in self._arrays(was, line.step)
        ]
        # array, what a line says -> the line: what two arrays made is made once
        once: dict[tuple[int, object], _Task] = {}
        self.tasks = [one for one in everything if once.setdefault((one.array, _says(one)), one) is one]

    def _arrays(self, was: int, step: str) -> tuple[int, ...]:
        said = [prefix for prefix in self.assignment if begins(step, prefix)]
        return several(self.assignment[max(said, key=len)] if said else was)

    def _refuse(self) -> None:
        steps = {line.step for stream in self.before.streams for line in stream}
        for prefix, arrays in self.assignment.items():
            if not any(begins(step, prefix) for step in steps):
                known = ", ".join(sorted({part_of(step) for step in steps}))
                raise InputError(
                    f'arrays: no step of the program {self.before.name} begins with "{prefix}"; the steps '
                    f"are those of its listing, in {known}"
                )
            if not arrays or min(several(arrays)) < 1:
                raise InputError(f'arrays: "{prefix}" needs an array, counted from 1')
            if max(several(arrays)) > MOST_ARRAYS:
                raise InputError(f'arrays: "{prefix}" names an array above {MOST_ARRAYS}, the most there are')

    # -- messages

    def cross(self) -> None:
        """Every message to where it is read now, and new ones for what is read in another array."""
        wanted: dict[tuple[int, Value, int], dict[int, list[Instruction]]] = defaultdict(dict)
        for one in self.tasks:
            for x in operands_of(one.line):
                wanted[one.was, x.value, x.offset].setdefault(one.array, []).append(one.line)
        made_in = {(one.array, value) for one in self.tasks if (value := target_of(one.line)) is not None}
        addressed: list[_Task] = []
        for one in self.tasks:
            if isinstance(one.line, Send):
                addressed += (_Task(one.was, one.array, x) for x in self._sends(one, wanted, made_in))
            elif isinstance(one.line, Wait):
                values = tuple(
                    x for x in one.line.values if (one.array, x) not in made_in or (one.was, x) in self.own
                )
                if values:
                    addressed.append(_Task(one.was, one.array, changed(one.line, values=values)))
            elif not (isinstance(one.line, Remark) and (one.array, one.line.of) in made_in):
                addressed.append(one)
        self.tasks = addressed
        self._send_what_crosses(made_in)

    def _sends(
        self,
        one: _Task,
        wanted: Mapping[tuple[int, Value, int], Mapping[int, list[Instruction]]],
        made_in: set[tuple[int, Value]],
    ) -> Iterable[Send]:
        """A send with the destinations that its values have now; of several senders each serves itself."""
        assert isinstance(one.line, Send)
        senders = self._arrays(one.was, one.line.step)
        by_destinations: dict[tuple[Destination, ...], set[Value]] = defaultdict(set)
        for value in one.line.values:
            found: dict[tuple[int, int], ProcessSet | None] = {}
            for to in one.line.destinations:
                for array, readers in sorted(wanted[to.array, value, -to.offset].items()):
                    if one.array != (array if array in senders else senders[0]):
                        continue
                    between_arrays = not to.offset and to.array != one.was
                    if between_arrays and (array, value) in made_in:
                        continue
                    apart = to.array == one.was and array != one.array and _reads_own(readers, value)
                    alone = None if apart else to.where
                    key = (array, to.offset)
                    found[key] = _together([found[key], alone]) if key in found else alone
            destinations = tuple(Destination(*key, where) for key, where in found.items())
            by_destinations[destinations].add(value)
        for destinations, values in by_destinations.items():
            if destinations:
                yield changed(only(one.line, values), destinations=destinations)

    def _send_what_crosses(self, made_in: set[tuple[int, Value]]) -> None:
        there = {
            (to.array, value)
            for one in self.tasks
            if isinstance(one.line, Send)
            for value in one.line.values
            for to in one.line.destinations
            if not to.offset
        }
        there |= made_in | {(one.array, x) for one in self.tasks for x in self._resident_of(one)}
        readers: dict[tuple[Value, int], list[Instruction]] = defaultdict(list)
        for one in self.tasks:
            for operand in operands_of(one.line):
                if not operand.offset and (one.array, operand.value) not in there:
                    readers[operand.value, one.array].append(one.line)
        for (value, array), lines in readers.items():
            self._send(value, array, _where(lines))
        self._join_sends()

    def _piece(self, one: _Task) -> tuple[int, str]:
        """A piece of an array's work: what it does without a break, or a part of it that is named apart."""
        said = sorted((prefix for prefix in self.assignment if begins(one.line.step, prefix)), key=len)
        apart = len(said) > 1 and self.assignment[said[-1]] == self.assignment[said[-2]]
        return one.array, said[-1] if apart else ""

    def _resident_of(self, one: _Task) -> Iterable[Value]:
        held = {x.value for x in self.before.resident if one.was in x.arrays}
        return (operand.value for operand in operands_of(one.line) if operand.value in held)

    def _send(self, value: Value, array: int, where: ProcessSet | None) -> None:
        """A message of `value` to an array, from the first that has it, once it is in its place."""
        about = [
            k for k, one in enumerate(self.tasks) if value in (target_of(one.line), *_arranged(one.line))
        ]
        last = max(k for k in about if self.tasks[k].array == self.tasks[about[0]].array)
        writer = self.tasks[last]
        row = writer.line.stop if isinstance(writer.line, Arrange) else writer.line.at
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
        """Neighbouring new sends to the same place as one."""
        joined: list[_Task] = []
        for one in self.tasks:
            before = joined[-1] if joined else None
            if (
                before is not None
                and isinstance(one.line, Send)
                and isinstance(before.line, Send)
                and before.array == one.array
                and (before.line.destinations, before.line.at, before.line.level)
                == (one.line.destinations, one.line.at, one.line.level)
                and one.line.step.rstrip("'") == before.line.step.rstrip("'")
                and one.line.step != before.line.step[: len(one.line.step) - 1]
            ):
                cargo = (*before.line.cargo, *one.line.cargo)
                joined[-1] = _Task(one.was, one.array, changed(before.line, cargo=cargo))
            else:
                joined.append(one)
        self.tasks = joined

    # -- the program

    def program(self) -> Program:
        arrays = max(one.array for one in self.tasks)
        streams = tuple(
            tuple(one.line for one in self.tasks if one.array == array) for array in range(1, arrays + 1)
        )
        moved = {
            (one.was, value): one.array
            for one in reversed(self.tasks)
            if (value := target_of(one.line)) is not None
        }
        return replace(
            self.before,
            streams=streams,
            resident=tuple(self._resident()),
            results={name: (moved[key], key[1]) for name, key in self.before.results.items()},
        )

    def _resident(self) -> Iterable[Resident]:
        """What the memories hold at the start: what is read there."""
        found: dict[Value, dict[int, list[ProcessSet | None]]] = defaultdict(dict)
        for held in self.before.resident:
            for one in self.tasks:
                if one.was in held.arrays and any(x.value == held.value for x in operands_of(one.line)):
                    places = found[held.value].setdefault(one.array, [])
                    if held.where not in places:
                        places.append(held.where)
        for value, by_array in found.items():
            together: dict[ProcessSet | None, list[int]] = defaultdict(list)
            for array in sorted(by_array):
                together[_together(by_array[array])].append(array)
            for where, arrays in together.items():
                yield Resident(value, tuple(arrays), where)


def _says(one: _Task) -> object:
    """What a line makes of what; only lines that make a value can be the same."""
    if isinstance(one.line, Compute | Name):
        return type(one.line), one.line.target, operands_of(one.line)
    return one


def _arranged(line: Instruction) -> tuple[Value, ...]:
    return line.values if isinstance(line, Arrange) else ()


def _reads_own(readers: Iterable[Instruction], value: Value) -> bool:
    """Whether any of these lines reads its own value, which everybody has, not what a message brought."""
    return any(
        x.value == value and not x.offset and not x.delivered for line in readers for x in operands_of(line)
    )


def _where(lines: Iterable[Instruction]) -> ProcessSet | None:
    """The processes at which any of these lines reads."""
    said = [line.where if isinstance(line, Compute | Name | Wait) else None for line in lines]
    return _together(said)


def _together(said: Sequence[ProcessSet | None]) -> ProcessSet | None:
    """All of these sets of processes; None is everybody."""
    return None if None in said else reduce(or_, dict.fromkeys(where for where in said if where is not None))


# ------------------------------------------------------------
# Which array does which step, as a user writes it: a number of arrays, a text, or a TOML file. 3 a
# number that the program knows II.a=3,II.b.1=3,II.a.1=2+3 the beginning of a label, and the array, or
# the arrays, that do it mine.toml "II.a" = 3 and "II.a.1" = [2, 3], a line each

Assignment = Mapping[str, int | tuple[int, ...]]
"""The beginning of a step's label, and the array (or each of the arrays) that does it."""
_WAY = "write a number of arrays, or STEP=ARRAY,... as in II.a=3,II.b.1=3,II.a.1=2+3, or name a TOML file"


def read_assignment(arrays: int | str | Mapping[str, Any]) -> int | Assignment:
    """A number as it is, else which array does which step; `InputError` says what is wrong with it.

    >>> read_assignment("2"), read_assignment("II.a=3,II.a.1=2+3")
    (2, {'II.a': 3, 'II.a.1': (2, 3)})
    """
    if isinstance(arrays, int):
        return arrays
    if isinstance(arrays, Mapping):
        return {str(step): _arrays(step, found) for step, found in arrays.items()}
    if _is_number(arrays):
        return int(arrays)
    if arrays.endswith(".toml"):
        return read_assignment(_file(arrays))
    found: dict[str, int | tuple[int, ...]] = {}
    for part in arrays.split(","):
        step, equals, numbers = (word.strip() for word in part.partition("="))
        if not equals or not all(map(_is_number, numbers.split("+"))):
            raise InputError(f'arrays "{arrays}": "{part}" is no step with its array; {_WAY}')
        if step in found:
            raise InputError(f'arrays "{arrays}": step {step} is given twice')
        said = tuple(int(number) for number in numbers.split("+"))
        found[step] = said if len(said) > 1 else said[0]
    return found


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


def _file(path: str) -> Mapping[str, Any]:
    try:
        return files.toml(path)
    except InputError as error:
        raise InputError(f"arrays: {error}; {_WAY}") from None


def _arrays(step: object, found: Any) -> int | tuple[int, ...]:
    if isinstance(found, Mapping):  # TOML takes the dots of II.a = 3 for tables in tables
        raise InputError(f'arrays: "{step}" is a table: write steps at the top and in quotes, as "II.a" = 3')
    said: list[Any] = list(found) if isinstance(found, list | tuple) else [found]
    if not said or not all(isinstance(x, int) and not isinstance(x, bool) for x in said):
        raise InputError(f'arrays: step "{step}" needs an array, as 3, or a list of them, as [2, 3]; {_WAY}')
    return tuple(said) if isinstance(found, list | tuple) else int(found)


def begins(step: str, prefix: str) -> bool:
    """Whether a label is that of a step or of a part of it: II.a.1' and II.a.1.i, but not II.a.10, of
    II.a.1."""
    return step.startswith(prefix) and (not prefix or step[len(prefix) :][:1] in ("", ".", "'"))


def several(arrays: int | tuple[int, ...]) -> tuple[int, ...]:
    """One array as the only one of several.

    >>> several(3), several((1, 2))
    ((3,), (1, 2))
    """
    return arrays if isinstance(arrays, tuple) else (arrays,)


def assignment_text(assignment: Assignment) -> str:
    """As it is written on a command line.

    >>> assignment_text({"II.a": 3, "II.a.1": (2, 3)})
    'II.a=3,II.a.1=2+3'
    """
    return ",".join(f"{step}={'+'.join(map(str, several(to)))}" for step, to in assignment.items())

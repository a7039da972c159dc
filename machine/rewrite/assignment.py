"""Which array does which step, as a user writes it: a number of arrays, a text, or a TOML file.

3                                  a number that the program knows
II.a=3,II.b.1=3,II.a.1=2+3         the beginning of a label, and the array, or the arrays, that do it
mine.toml                          "II.a" = 3 and "II.a.1" = [2, 3], a line each
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from senn.traces import files
from senn.traces.errors import InputError

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


def text(assignment: Assignment) -> str:
    """As it is written on a command line.

    >>> text({"II.a": 3, "II.a.1": (2, 3)})
    'II.a=3,II.a.1=2+3'
    """
    return ",".join(f"{step}={'+'.join(map(str, several(to)))}" for step, to in assignment.items())

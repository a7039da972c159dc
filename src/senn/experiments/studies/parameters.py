"""What a run of a study is asked for: the arguments of `senn.run`, fields of the machine, and n.

The names are `problem` and the rows of `senn.choices`, so a choice that is added there is a parameter here. A
field of the machine is written `machine.FIELD` or `timing.FIELD`, as with --set. `n` is the number
that stands for {n} in texts: problem = "random:{n}".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_origin

from senn.choices import Choice, RunChoices, Scalar, choices
from senn.machine import model
from senn.machine.network.named import GRAPH_ENDINGS
from senn.traces.errors import InputError

SIZE = "n"
_SIZE_IN_TEXT = "{n}"


def arguments_of_run() -> dict[str, Choice]:
    """The arguments of `senn.run` that are parameters, by name: fields of the machine have names of their
    own, and no run is kept."""
    problem = Choice("ssrms", "The problem.", name="problem", kind=str)
    return {"problem": problem} | {name: row for name, row in choices(RunChoices).items() if row.studied}


def defaults() -> dict[str, Scalar | None]:
    """What every argument is unless it is given."""
    return {name: one.default for name, one in arguments_of_run().items()}


_BEYOND = 2**63  # the table of runs has 64 bits


def checked(name: str, value: object, where: str) -> Scalar:
    """The value if there is such a parameter and it may be so; `InputError` begins with `where`."""
    check_name(name, where)
    if name == SIZE:
        if not _is_whole(value) or value < 1:  # type: ignore[operator]  # an int by now
            raise InputError(f"{where} is {said(value)}; write a whole number of processes, from 1")
    elif "." in name:
        if isinstance(value, float):
            raise InputError(f'{where} is {value}; write it in quotes, "{value}", so that it stays exact')
        if not isinstance(value, str | int):
            raise InputError(f"{where} is {said(value)}; write a text, a whole number, true or false")
        if isinstance(value, int) and abs(value) >= _BEYOND:
            raise InputError(f"{where} is {said(value)}; write a whole number below 2^63")
    else:
        wanted, fits = _wanted(arguments_of_run()[name])
        if not fits(value):
            raise InputError(f"{where} is {said(value)}; write {wanted}")
    assert isinstance(value, str | int)
    return value


def check_name(name: str, where: str) -> None:
    """`InputError`, beginning with `where`, unless there is a parameter of this name."""
    table, dot, field = name.partition(".")
    if dot and table in model.FIELDS:
        if field not in model.FIELDS[table]:
            there = ", ".join(f"{table}.{one}" for one in model.FIELDS[table])
            raise InputError(f"{where} is not known; the fields are {there}")
    elif name != SIZE and name not in arguments_of_run():
        there = ", ".join([SIZE, *arguments_of_run()])
        raise InputError(
            f"{where} is not known; the parameters are {there}, and machine.FIELD or timing.FIELD"
        )


def said(value: object) -> str:
    """A value as it is written in a file."""
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def arguments(parameters: Mapping[str, Scalar | None], folder: Path, where: str) -> dict[str, Any]:
    """The arguments of `senn.run`, as they stand on their own: {n} filled in, files of `folder` absolute.

    `InputError`, beginning with `where`, for a file that is not there and for {n} without n.
    """
    filled = {
        name: _filled(value, parameters.get(SIZE), f"{where}: {name}")
        for name, value in parameters.items()
        if name != SIZE
    }
    if SIZE in parameters and filled == {name: parameters[name] for name in filled}:
        raise InputError(f'{where}: n is given and nothing depends on it; write problem = "random:{{n}}"')
    found = {
        name: _absolute(value, folder, f"{where}: {name}") if isinstance(value, str) else value
        for name, value in filled.items()
    }
    plain = {name: value for name, value in found.items() if "." not in name}
    return {
        **plain,
        "set": {name: value for name, value in found.items() if "." in name and value is not None},
    }


# ----------------------------------------------------------------------------------- values


def _wanted(row: Choice) -> tuple[str, Any]:
    """What an argument may be, in words and as a test."""
    if get_origin(row.kind) is Literal or row.values:
        known = [(type(one), one) for one in row.values]  # True is 1, but not a choice
        return f"one of {', '.join(map(str, row.values))}", lambda value: (type(value), value) in known
    if row.kind is bool:
        return "true or false", lambda value: isinstance(value, bool)
    if row.kind in (int, int | None):
        least, most = (-(2**63) if row.least is None else row.least), row.most or 2**63 - 1
        return f"a whole number, {least} to {most}", lambda value: _is_whole(value) and least <= value <= most
    if _is_whole(row.default):  # of no kind that a file can hold alone
        return "a whole number, or a text in quotes", lambda value: _is_whole(value) or isinstance(value, str)
    return "a text in quotes", lambda value: isinstance(value, str)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _filled(value: Scalar | None, n: Scalar | None, where: str) -> Scalar | None:
    if not isinstance(value, str) or _SIZE_IN_TEXT not in value:
        return value
    if n is None:
        raise InputError(f'{where} is "{value}", but there is no n; vary n, or write a number there')
    return value.replace(_SIZE_IN_TEXT, str(n))


# ------------------------------------------------------------------------------------ files

_ENDINGS = (".toml", ".urdf", ".xml", ".csv", ".py", *GRAPH_ENDINGS)
_FUNCTION = re.compile(r"(.*\.py)(:\w+)")


def files(value: str) -> list[str]:
    """The files that a text names: one, one for each array (with commas), or FILE.py:FUNCTION."""
    return [file for file, _ in _parts(value) if file]


def code(value: str) -> list[str]:
    """The functions of Python files that a text names, FILE.py:FUNCTION."""
    return [file + rest for file, rest in _parts(value) if file.lower().endswith(".py")]


def _absolute(value: str, folder: Path, where: str) -> str:
    for file in files(value):
        if not (folder / file).is_file():
            raise InputError(f"{where}: {folder / file}: no such file")
    return ",".join(f"{(folder / file).absolute()}{rest}" if file else rest for file, rest in _parts(value))


def _parts(value: str) -> list[tuple[str, str]]:
    """(file, what follows it) of every part between commas; no file: ("", the part)."""
    parts = []
    for part in value.split(","):
        function = _FUNCTION.fullmatch(part)
        file, rest = function.groups() if function else (part, "")
        parts.append((file, rest) if file.lower().endswith(_ENDINGS) else ("", part))
    return parts

"""TOML files into typed tables, and what is wrong with one in the words of its author: file, key, way out."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar, get_args, get_type_hints

import msgspec

from senn.base import files
from senn.base.errors import InputError, within

Table = TypeVar("Table", bound=msgspec.Struct)

_WORDS = {"str": "a text", "array": "a list", "object": "a table", "bool": "true or false"}
_WORDS |= dict.fromkeys(("float", "int"), "a number")
_MISSING = re.compile(r"missing required field `(.*?)`")
_UNKNOWN = re.compile(r"unknown field `(.*?)`")
_LENGTH = re.compile(r"Expected `array` of length (\d+), got (\d+)")
_TYPE = re.compile(r"Expected `(\w+(?: \| \w+)*)`, got `(\w+)`")
_SEGMENT = re.compile(r"\.(\w+)((?:\[\d+\])*)")


def with_named(path: Path) -> Iterator[Path]:
    """A file and, if it is TOML, those beside it whose names stand in it as texts, anywhere; each once."""
    seen, waiting = set[Path](), [path]
    while waiting:
        file = waiting.pop(0)
        if file not in seen:
            seen.add(file)
            yield file
            values: list[Any] = [files.toml(file)] if file.suffix.lower() == ".toml" else []
            while values:
                value = values.pop()
                if isinstance(value, str) and files.is_file(file.parent / value):
                    waiting.append(file.parent / value)
                elif isinstance(value, dict | list):
                    values.extend(value.values() if isinstance(value, dict) else value)


def decode(path: str | Path, content: str, kind: type[Table]) -> Table:
    """The content of the file `path` as a table of this kind; `InputError` names the file and the key."""
    tables = files.toml_of(content, path)
    with within(path):
        return converted(tables, kind)


def converted(tables: Mapping[str, Any], kind: type[Table]) -> Table:
    """A mapping like a file as a table of this kind; `InputError` names the key."""
    try:
        return msgspec.convert(tables, kind)
    except msgspec.ValidationError as error:
        raise InputError(_message(str(error), kind)) from None


def _message(error: str, kind: type[msgspec.Struct]) -> str:
    """The parser's message in our words: where, what is wrong, and what to write.

    Places are counted from 1: "q, number 6", "contact.W, row 3, number 1", "link 2: axis".
    """
    message, _, at = error.partition(" - at `$")
    segments = [
        (key, [int(k) + 1 for k in re.findall(r"\d+", indices)]) for key, indices in _SEGMENT.findall(at)
    ]
    names = [f"{key} {counted[0]}: " if counted else f"{key}." for key, counted in segments]
    tables = [kind]  # along the path of keys, from the whole file inwards
    for key, _ in segments:
        hint = get_type_hints(tables[-1])[key]
        inner = [part for part in (hint, *get_args(hint)) if isinstance(part, type)]
        tables += [part for part in inner if issubclass(part, msgspec.Struct)]
    for pattern, fault in ((_MISSING, "is missing"), (_UNKNOWN, "is not known")):
        if match := pattern.search(message):
            fields = msgspec.structs.fields(tables[-1])
            keys = ", ".join(field.name for field in fields if field.required)
            optional = ", ".join(field.name for field in fields if not field.required)
            keys += f", and optionally {optional}" if optional else ""
            return f"{''.join(names)}{match[1]} {fault}; the keys are {keys}"
    wanted, got = match.groups() if (match := _TYPE.search(message)) else ("", "")
    kinds = [name for name in wanted.split(" | ") if name not in ("", "null")]
    key, counted = segments[-1]
    where = f"{''.join(names[:-1])}{key}"
    if kinds == ["object"] and counted:
        where += f" {counted[0]}"
    else:
        units = ("row", "number") if len(counted) == 2 or kinds == ["array"] else ("number",)
        where = ", ".join([where, *(f"{unit} {k}" for unit, k in zip(units, counted, strict=False))])
    if kinds == ["array"] and len(tables) > len(segments):
        return f"{where} is {_WORDS.get(got, got)}; write [[{key}]] above each entry"
    if kinds:
        words = " or ".join(f"{_WORDS[name]}{' in quotes' if name == 'str' else ''}" for name in kinds)
        return f"{where} is {_WORDS.get(got, f'a {got}')}; write {words}"
    if match := _LENGTH.search(message):
        return f"{where} has length {match[2]}; write {match[1]} numbers"
    return f"{where}: {message.lower()}"

"""Files that users name: regular files of a size that can be read, text in UTF-8, and TOML as TOML may be.

A pipe may never end, a device may be endless, and a parser may take either for hours: whatever a user names
is read here and nowhere else.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from senn.traces.errors import InputError

LARGEST = 64 * 2**20
"""Bytes of a file."""
DEEPEST = 64
"""Tables and lists of a TOML file inside each other, and parts of a key."""
_KINDS = ((stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"))
_NO_KEY = re.compile(r"[^\w\"' \t.-]")  # what stands in no dotted key


def content(path: str | Path) -> bytes:
    """The bytes of a file; `InputError` says why there are none."""
    refuse_absent(path)
    try:
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with open(number, "rb", buffering=0) as file:
            _refuse_irregular(path, os.fstat(number))
            found = bytearray()
            while (part := file.read(2**20)) and len(found) <= LARGEST:
                found += part
            if part is None:
                raise InputError(f"{path}: is no file that ends; name a regular file")
    except OSError as error:
        raise _unreadable(path, error) from None
    if len(found) > LARGEST:
        raise _too_large(path, len(found))
    return bytes(found)


def text(path: str | Path) -> str:
    """The text of a file, with or without a byte order mark, its lines ended by line feeds."""
    try:
        found = content(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path}: cannot be read (not a text file in UTF-8)") from None
    return found.replace("\r\n", "\n").replace("\r", "\n")


def refuse_absent(path: str | Path) -> None:
    """`InputError` unless there is a regular file at `path`."""
    if "\0" in str(path):
        raise InputError(f"{path}: no such file")
    try:
        found = os.stat(path)
    except OSError as error:
        raise _unreadable(path, error) from None
    _refuse_irregular(path, found)


def toml(path: str | Path) -> dict[str, Any]:
    """The tables of a TOML file."""
    return toml_of(text(path), path)


def toml_of(written: str, where: str | Path) -> dict[str, Any]:
    """The tables of a text in TOML; `InputError` begins with `where`.

    Refused is also what parsers take and the specification does not: integers of more than 64 bits; and what
    is nested so deeply that nobody wrote it.
    """
    import tomllib  # here: a program reads no file

    if max(piece.count(".") for line in written.split("\n") for piece in _NO_KEY.split(line)) > _MOST_DOTS:
        raise InputError(f"{where}: is not TOML that can be read: a key has too many parts; write fewer")
    try:
        found = tomllib.loads(written)
    except RecursionError:
        raise InputError(_TOO_DEEP.format(where)) from None
    except ValueError as error:  # a TOMLDecodeError, or an integer of thousands of digits
        raise InputError(f"{where}: is not TOML: {error}") from None
    _refuse_extremes(found, where)
    return found


_MOST_DOTS = 1000  # of what might be a key: the parser's work grows with the square
_TOO_DEEP = f"{{}}: lists or tables are more than {DEEPEST} deep inside each other; write fewer"


def _refuse_extremes(tables: dict[str, Any], where: str | Path) -> None:
    level: list[tuple[str, Any]] = [("", tables)]
    for _ in range(DEEPEST):
        level = [inner for at, outer in level for inner in _inside(at, outer)]
        if not level:
            return
        for at, one in level:
            if isinstance(one, int) and not -(2**63) <= one < 2**63:
                raise InputError(f"{where}: {at} has more than 64 bits; write it as 1.0e20, or smaller")
    raise InputError(_TOO_DEEP.format(where))


def _inside(at: str, outer: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(outer, dict):
        yield from ((f"{at}.{key}" if at else key, one) for key, one in outer.items())
    elif isinstance(outer, list):
        yield from ((f"{at}, number {k}", one) for k, one in enumerate(outer, 1))


def _refuse_irregular(path: str | Path, found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise InputError(f"{path}: is a folder, not a file; name a file in it")
    if not stat.S_ISREG(found.st_mode):
        kind = next((text for test, text in _KINDS if test(found.st_mode)), "a device")
        raise InputError(f"{path}: is {kind}, not a regular file; copy what it gives to a file")
    if found.st_size > LARGEST:
        raise _too_large(path, found.st_size)


def _unreadable(path: str | Path, error: OSError) -> InputError:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return InputError(f"{path}: no such file")
    return InputError(f"{path}: cannot be read ({error.strerror})")


def _too_large(path: str | Path, size: int) -> InputError:
    return InputError(f"{path}: has {size:,} bytes or more; at most {LARGEST:,} are read")

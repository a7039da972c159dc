"""Python code of users, named FILE.py:FUNCTION.

Whether a text names code is decided here and nowhere else, so that what is asked about is what will be run.
"""

from __future__ import annotations

import ast
import hashlib
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from senn.base import files
from senn.base.errors import InputError

_NAME = re.compile(r"(.+\.py):(\w+)")
_SIZED = re.compile(r"(.+\.py:\w+):(\d+|\{n\})")


def parts(text: str, folder: Path = Path()) -> list[str]:
    """The names in a text, between commas, without the blanks around them.

    A path with commas is one name if its file exists, in `folder` or by an absolute path.
    """
    words, names = text.split(","), []
    while words:
        for count in range(len(words), 0, -1):
            name = ",".join(words[:count]).strip()
            file, _ = named(name) or (name, "")
            if count == 1 or files.is_file(folder / file):
                break
        names.append(name)
        del words[:count]
    return names


def named(part: str) -> tuple[str, str] | None:
    """File and function of a name FILE.py:FUNCTION; None of any other name."""
    match = _NAME.fullmatch(part)
    return (match[1], match[2]) if match else None


def sized(part: str) -> tuple[str, str]:
    """FILE.py:FUNCTION and N of a name FILE.py:FUNCTION:N; of any other name the name itself, and "".

    InputError for a file of Python without a function, which lists its functions.

    >>> sized("prefix.py:sums:64"), sized("prefix.py:sums"), sized("random:8")
    (('prefix.py:sums', '64'), ('prefix.py:sums', ''), ('random:8', ''))
    """
    if part.endswith(".py") and files.is_file(Path(part)):
        with foreign(part):
            lines = ast.parse(files.text(part)).body
        there = ", ".join(line.name for line in lines if isinstance(line, ast.FunctionDef)) or "none"
        raise InputError(f"{part}: add :FUNCTION; the functions there are {there}")
    match = _SIZED.fullmatch(part)
    return (match[1], match[2]) if match else (part, "")


_RUN: set[str] = set()
"""Digests of the files whose text has been run in this process: that may be run again."""


def digest(path: str | Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(files.content(path)).hexdigest()


def allow(path: str | Path) -> None:
    """Allow the file to be run again in this process, as long as it does not change."""
    _RUN.add(digest(path))


def is_allowed(path: str | Path) -> bool:
    """Whether the file, as it is, has been run in this process."""
    return digest(path) in _RUN


def loaded(path: str | Path, name: str, arguments: str) -> Callable[..., Any]:
    """Run a Python file and return its function of this name; call both inside `foreign`."""
    allow(path)
    names: dict[str, Any] = {"__name__": Path(path).stem, "__file__": str(path)}
    exec(compile(files.text(path), str(path), "exec"), names)  # the user names the file
    if not callable(names.get(name)):
        raise InputError(f"{path}: there is no function {name}: write def {name}({arguments})")
    function: Callable[..., Any] = names[name]
    return function


IN_COMMAND: ContextVar[bool] = ContextVar("in_command", default=False)
"""Whether a command runs, whose process has no other user."""


@contextmanager
def foreign(path: str | Path) -> Iterator[None]:
    """Run a user's code: report its errors with their line (not Ctrl-C). In a command, send its output to
    stderr and restore the working folder afterwards; in a library both belong to other threads too."""
    with ExitStack() as stack:
        if IN_COMMAND.get():
            stack.callback(os.chdir, os.getcwd())
            stack.enter_context(redirect_stdout(sys.stderr))
        try:
            yield
        except (InputError, KeyboardInterrupt):
            raise
        except BaseException as error:
            frames = traceback.extract_tb(error.__traceback__)
            lines = [frame.lineno for frame in frames if frame.filename == str(path)]
            reason = " ".join(str(error).split())
            if isinstance(error, SyntaxError):
                lines, reason = [error.lineno], error.msg
            at = f", line {lines[-1]}" if lines and lines[-1] else ""
            raise InputError(f"{path}{at}: {type(error).__name__}: {reason}") from None

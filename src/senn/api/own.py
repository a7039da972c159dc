"""Programs of users: a function of n that returns a `Program`, or its name, FILE.py:FUNCTION."""

from __future__ import annotations

import inspect
import io
import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

from senn.base import code, files
from senn.base.errors import InputError

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import NDArray
    from typing_extensions import TypeIs

    from senn.algorithms.catalogue import Algorithm
    from senn.machine.program import Program

    Written = str | Callable[[int], Program]


_LISTED = 1024
"""Processes of a program that is listed when it is made: the time grows with their number."""


def is_own(spec: object) -> TypeIs[Written]:
    """Whether this is a program of a user: a function, or a text FILE.py:FUNCTION or FILE.py:FUNCTION:N."""
    return callable(spec) or (isinstance(spec, str) and code.named(code.sized(spec)[0]) is not None)


def algorithm(spec: Written) -> Algorithm:
    """The function as an algorithm without choices, of memories and results as they are.

    Its programs record the file, the function and the SHA-256 of the file's text. InputError names the line
    of an error in the file.
    """
    from senn.algorithms.catalogue import Algorithm

    function, name, source = _found(spec)

    def program(n: int, joints: object = None) -> Program:
        from senn.machine.program import Program

        with guard(spec):
            whole = function(n)
            if n <= _LISTED:
                str(whole)  # whatever is of a wrong kind is an error here
        if not isinstance(whole, Program) or whole.n != n:
            raise InputError(f"{name}: {n} gives {whole!r:.60}; return a senn.Program of n processes")
        for text in (whole.name, *whole.results):
            if not isinstance(text, str):
                raise InputError(f"{name}: {text!r:.60} names a program or a result; write a text")
        return replace(whole, about={**whole.about, **source})

    question, order, origin = "its own", "", source.get("file", "Python")
    return Algorithm(name, name, question, order, origin, program, lambda x: x, lambda _, x: x)  # type: ignore[arg-type, return-value]


def guard(spec: Written) -> AbstractContextManager[None]:
    """Context in which code of this program runs: errors in its file name the line."""
    return nullcontext() if callable(spec) else code.foreign((code.named(code.sized(spec)[0]) or ("", ""))[0])


def _found(spec: Written) -> tuple[Callable[[int], Program], str, dict[str, str]]:
    """Function, name, and what is recorded of it: nothing if it is not at the top of a file."""
    if callable(spec):
        name = str(getattr(spec, "__qualname__", type(spec).__name__))
        path = inspect.getsourcefile(spec) if inspect.isfunction(spec) else None
        if path is None or not os.path.isfile(path) or not name.isidentifier():
            return spec, name, {}
        code.allow(path)
        return spec, name, _source(path, name)
    if (found := code.named(spec)) is None:
        raise InputError(f"{spec}: the size stands elsewhere; write {code.sized(spec)[0]}")
    path, name = found
    with code.foreign(path):
        return code.loaded(path, name, "n"), spec, _source(path, name)


def _source(path: str, name: str) -> dict[str, str]:
    return {"file": str(Path(path).absolute()), "function": name, "sha256": code.digest(path)}


def recorded(entry: Mapping[str, Any]) -> Program:
    """The program of a record, made again; InputError unless its file has run in this process as it is."""
    spec = f"{entry.get('file')}:{entry.get('function')}"
    if not ("file" in entry and os.path.isfile(entry["file"]) and code.is_allowed(entry["file"])):
        raise InputError(f"the record names Python code that has not run in this process: {spec}")
    program: Program = algorithm(spec).program(entry["n"])
    return program


def numbers(
    memory: str | PathLike[str] | Mapping[str, Any] | None, spec: Written, *, timed: bool
) -> dict[str, NDArray[Any]]:
    """Memory of a program before the first cycle: a mapping by letter, or an .npz file of it; none if it is
    only `timed`, at the size in its name."""
    import numpy as np

    name = f"{getattr(spec, '__name__', 'it')}(n)" if callable(spec) else code.sized(spec)[0]
    if memory is None and timed and isinstance(spec, str) and code.sized(spec)[1]:
        return {}
    if memory is None:
        times = f"senn.timed({name})" if callable(spec) else f"{name}:N --no-numbers"
        raise InputError(
            f"{name} needs its numbers: --given, an .npz file with an array for each value in memory at the "
            f"start, a row for each process; the times alone of N processes: {times}"
        )
    if isinstance(memory, Mapping):
        return {name: np.asarray(array) for name, array in memory.items()}
    return arrays(memory)


def arrays(file: str | PathLike[str]) -> dict[str, NDArray[Any]]:
    """Arrays of an .npz file by name; nothing is unpickled."""
    import numpy as np

    content = io.BytesIO(files.content(Path(file)))
    try:
        with np.load(content, allow_pickle=False) as named:
            return dict(named)
    except (ValueError, OSError, EOFError, TypeError, BadZipFile):
        raise InputError(f"{file}: is not an .npz file of numbers; write it with numpy.savez") from None


def size(memory: Mapping[str, NDArray[Any]], said: str) -> int:
    """Number of processes: rows of the first value, which may be `said` in the name too."""
    first = next(iter(memory.values()), None)
    if said and (not memory or (first is not None and first.shape[:1] == (int(said),))):
        return int(said)
    if first is None or first.ndim == 0:
        raise InputError("given: a value is an array with a row for each process; give one at least")
    if said:
        raise InputError(f"given has {len(first)} rows, a row for each process, but the name says {said}")
    return len(first)

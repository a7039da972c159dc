"""Programs of users: a function of n that returns a `Program`, its name FILE.py:FUNCTION, or a classic."""

from __future__ import annotations

import inspect
import io
import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, TypeGuard
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from senn.algorithms import gallery
from senn.algorithms.catalogue import Algorithm
from senn.algorithms.certificate.certificate import Certificate
from senn.algorithms.certificate.refined import norm, relative
from senn.base import code, files
from senn.base.errors import InputError
from senn.machine.program import Program

Written = str | Callable[[int], Program]


_LISTED = 1024
"""Processes of a program that is listed when it is made: the time grows with their number."""


def is_own(spec: object) -> TypeGuard[Written]:
    """Whether this is a program of a user: a function, or FILE.py:FUNCTION or a classic, also with :N."""
    if not isinstance(spec, str):
        return callable(spec)
    name, _ = sized(spec)
    return name in gallery.NAMES or code.named(name) is not None


def sized(spec: str) -> tuple[str, str]:
    """Name and N of a program's text, NAME:N; "" for no N.

    >>> sized("sort:64"), sized("prefix.py:sums:64"), sized("random:8")
    (('sort', '64'), ('prefix.py:sums', '64'), ('random:8', ''))
    """
    name, colon, size = spec.partition(":")
    if name not in gallery.NAMES:
        return code.sized(spec)
    if colon and not (size.isdecimal() or size == "{n}"):
        raise InputError(f"{spec}: write {name}:N, N the number of processes, such as {name}:64")
    return name, size


def algorithm(spec: Written) -> Algorithm:
    """The function as an algorithm without choices, of memories and results as they are.

    Its programs record the file, the function and the SHA-256 of the file's text. InputError names the line
    of an error in the file.
    """
    function, name, source = _found(spec)

    def program(n: int, joints: object = None) -> Program:
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


def guard(spec: object) -> AbstractContextManager[None]:
    """Context in which code of a program FILE.py:FUNCTION runs: errors in its file name the line."""
    named = code.named(sized(spec)[0]) if isinstance(spec, str) else None
    return code.foreign(named[0]) if named else nullcontext()


def _found(spec: Written) -> tuple[Callable[[int], Program], str, dict[str, str]]:
    """Function, name, and what is recorded of it: nothing if it is not at the top of a file."""
    if callable(spec):
        name = str(getattr(spec, "__qualname__", type(spec).__name__))
        path = inspect.getsourcefile(spec) if inspect.isfunction(spec) else None
        if path is None or not os.path.isfile(path) or not name.isidentifier():
            return spec, name, {}
        code.allow(path)
        return spec, name, _source(path, name)
    if spec in gallery.NAMES:
        return gallery.classic(spec).program, spec, {"function": spec}
    if (named := code.named(spec)) is None:
        raise InputError(f"{spec}: the size stands elsewhere; write {sized(spec)[0]}")
    path, name = named
    with code.foreign(path):
        return code.loaded(path, name, "n"), spec, _source(path, name)


def _source(path: str, name: str) -> dict[str, str]:
    return {"file": str(Path(path).absolute()), "function": name, "sha256": code.digest(path)}


def recorded(entry: Mapping[str, Any]) -> Program:
    """The program of a record, made again; InputError unless its file has run in this process as it is."""
    spec = f"{entry['file']}:{entry.get('function')}" if "file" in entry else str(entry.get("function"))
    there = "file" in entry and os.path.isfile(entry["file"]) and code.is_allowed(entry["file"])
    if not (there or spec in gallery.NAMES):
        raise InputError(f"the record names Python code that has not run in this process: {spec}")
    program: Program = algorithm(spec).program(entry["n"])
    return program


def numbers(
    memory: str | PathLike[str] | Mapping[str, Any] | None,
    spec: Written,
    *,
    timed: bool = False,
    seed: int | None = None,
) -> dict[str, NDArray[Any]]:
    """Memory of a program before the first cycle: a mapping by letter, or an .npz file of it; of a classic
    else numbers from the seed. None if it is only `timed`, at the size in its name."""
    name, count = (f"{getattr(spec, '__name__', 'it')}(n)", "") if callable(spec) else sized(spec)
    if memory is None and timed and count:
        return {}
    if memory is None and seed is not None and name in gallery.NAMES:
        if not count:
            raise InputError(f"{name}: add the number of processes, such as {name}:64")
        example: dict[str, NDArray[Any]] = gallery.classic(name).example(
            int(count), np.random.default_rng(seed)
        )
        return example
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
    content = io.BytesIO(files.content(Path(file)))
    try:
        with np.load(content, allow_pickle=False) as named:
            return dict(named)
    except (ValueError, OSError, EOFError, TypeError, BadZipFile):
        raise InputError(f"{file}: is not an .npz file of numbers; write it with numpy.savez") from None


def size(memory: Mapping[str, NDArray[Any]], in_name: str) -> int:
    """Number of processes: rows of the first value, which may stand in the name too."""
    first = next(iter(memory.values()), None)
    if in_name and (not memory or (first is not None and first.shape[:1] == (int(in_name),))):
        return int(in_name)
    if first is None or first.ndim == 0:
        raise InputError("given: a value is an array with a row for each process; give one at least")
    if in_name:
        raise InputError(f"given has {len(first)} rows, a row for each process, but the name says {in_name}")
    return len(first)


def certificate(
    name: str, memory: Mapping[str, NDArray[Any]], result: Mapping[str, NDArray[Any]], digits: int
) -> Certificate:
    """Certificate of a classic's results: their distances to NumPy's."""
    right: Mapping[str, NDArray[Any]]
    try:
        right = gallery.classic(name).answer(memory)
    except np.linalg.LinAlgError as error:
        raise InputError(f"{name}: NumPy finds no answer for these numbers: {error}") from None
    errors = {key: relative(norm(result[key] - right[key]), norm(right[key])) for key in right}
    return Certificate({f"{key}_error": error for key, error in errors.items()}, digits, against="NumPy")

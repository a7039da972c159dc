"""Torques of a motion: constant, a table over time, or a Python function."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from senn.traces import code, files
from senn.traces.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from senn.algorithms.problems.problem import Problem
    from senn.algorithms.spatial import Numbers

    Function = Callable[[float, Numbers, Numbers], ArrayLike]
    Torque = str | ArrayLike | Function | None


@dataclass(frozen=True, eq=False)
class Source:
    """Where torques come from."""

    name: str
    at: Callable[[float, Numbers, Numbers], Any]
    """Torques at a time, q and qd; unchecked."""
    content: object
    """What the torques depend on, for the hash of the inputs."""


def source(torque: Torque, problem: Problem, until: float) -> Source:
    """Torques as they are given to `senn.simulate`; InputError for what cannot be any."""
    degrees = problem.chain.degrees
    if torque is None:
        return Source("of the problem", lambda time, q, qd: problem.tau, problem.tau)
    if isinstance(torque, str):
        return _of_text(torque, degrees, until)
    if callable(torque):
        name = str(getattr(torque, "__qualname__", type(torque).__name__))
        return Source(name, _guarded(torque, name), _text(torque) or name)
    try:
        numbers = np.array(torque, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"torque is {torque!r:.60}; give numbers, a table, a file or a function") from None
    return _of_numbers("torque", numbers, degrees, until)


def checked(tau: Any, source: Source, degrees: int) -> Numbers:
    """Torques (degrees,) that a source gives; InputError for others."""
    try:
        numbers = np.array(tau, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"torque {source.name} gives {tau!r:.60}, which is no row of numbers") from None
    if numbers.shape != (degrees,):
        raise InputError(
            f"torque {source.name} gives shape {numbers.shape}, expected ({degrees},): "
            "one number for each degree of freedom"
        )
    return numbers


def _guarded(function: Function, name: str) -> Function:
    """The function, with its errors as InputError."""

    def at(time: float, q: Numbers, qd: Numbers) -> ArrayLike:
        try:
            return function(time, q, qd)
        except InputError:
            raise
        except Exception as error:
            raise InputError(f"torque {name}: {type(error).__name__}: {error}") from error

    return at


def _text(function: Function) -> str:
    """Source of a function; empty where there is none."""
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        return ""


def _of_text(text: str, degrees: int, until: float) -> Source:
    """FILE.py:FUNCTION, numbers between commas, or a CSV file."""
    if (named := code.named(text)) is not None:
        path, function = named
        with code.foreign(path):
            loaded = code.loaded(path, function, "t, q, qd")

        def at(time: float, q: Numbers, qd: Numbers) -> Any:
            with code.foreign(path):
                return loaded(time, q, qd)

        return Source(text, at, code.digest(path))
    try:
        constant = [float(word) for word in text.split(",")]
    except ValueError:
        return _of_numbers(text, _read(text), degrees, until)
    return _of_numbers(
        "torque", np.array(constant if len(constant) > 1 else constant * degrees), degrees, until
    )


def _of_numbers(name: str, numbers: Numbers, degrees: int, until: float) -> Source:
    """A constant (degrees,), or a table (rows, 1 + degrees) of times and torques, straight between rows."""
    if numbers.ndim == 2:
        if numbers.shape[1] != 1 + degrees or len(numbers) < 2:
            raise InputError(
                f"{name} has shape {numbers.shape}, expected (rows, {1 + degrees}): the time in s and one "
                "number for each degree of freedom, in two rows at least"
            )
    elif numbers.shape != (degrees,):
        raise InputError(
            f"{name} has shape {numbers.shape}, expected ({degrees},): one number for each degree of freedom"
        )
    if not np.isfinite(numbers).all():
        raise InputError(f"{name} holds a number that is not finite")
    if numbers.ndim == 1:
        return Source("constant", lambda time, q, qd: numbers, numbers)
    times, rows = numbers[:, 0], numbers[:, 1:]
    if (np.diff(times) <= 0).any():
        raise InputError(f"{name}: the times of its rows do not rise")
    if times[0] > 0 or times[-1] < until * (1 - 1e-9):
        raise InputError(
            f"{name} is from {times[0]:g} to {times[-1]:g} s, the motion from 0 to {until:g} s; give it all"
        )

    def at(time: float, q: Numbers, qd: Numbers) -> Numbers:
        k = int(np.clip(np.searchsorted(times, time, side="right") - 1, 0, len(times) - 2))
        part = min((time - times[k]) / (times[k + 1] - times[k]), 1.0)
        return np.asarray((1 - part) * rows[k] + part * rows[k + 1])

    return Source(name, at, numbers)


def _read(path: str) -> Numbers:
    """Rows of a CSV file; its first line may be a head."""
    rows: list[list[float]] = []
    for number, line in enumerate(files.text(path).splitlines(), 1):
        cells = line.split(",")
        if not line.strip():
            continue
        try:
            rows.append([float(cell) for cell in cells])
        except ValueError:
            if number > 1:
                raise InputError(f"{path}, line {number}: is no row of numbers between commas") from None
            continue
        if len(rows[-1]) != len(rows[0]):
            raise InputError(f"{path}, line {number}: has {len(cells)} numbers, others {len(rows[0])}")
    if not rows:
        raise InputError(f"{path}: has no rows of numbers between commas; give the time in s and the torques")
    return np.array(rows)

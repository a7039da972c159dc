"""Torques of a motion: constant, a table over time, or a Python function."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from senn.base import code, files
from senn.base.errors import InputError

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
    function: Function
    content: object
    """What the torques depend on, for the hash of the inputs."""

    def at(self, time: float, q: Numbers, qd: Numbers) -> Numbers:
        """Torques (degrees,) at a time and state; InputError for what is none."""
        name = f"torque {self.name}"
        try:
            numbers = _real(name, self.function(time, q, qd))
        except InputError:
            raise
        except Exception as error:
            raise InputError(f"{name}: {type(error).__name__}: {error}") from error
        if numbers.shape != qd.shape:
            raise InputError(
                f"{name} gives shape {numbers.shape}, expected {qd.shape}: "
                "one number for each degree of freedom"
            )
        return numbers


def source(torque: Torque, problem: Problem, until: float) -> Source:
    """Torques as they are given to `senn.simulate`; InputError for what cannot be any."""
    if torque is None:
        return Source("of the problem", lambda time, q, qd: problem.tau, problem.tau)
    if isinstance(torque, str) and (named := code.named(torque)) is not None:
        path = named[0]
        with code.foreign(path):
            function = code.loaded(*named, "t, q, qd")

        def called(time: float, q: Numbers, qd: Numbers) -> Any:
            with code.foreign(path):
                return function(time, q, qd)

        return Source(torque, called, code.digest(path))
    if callable(torque):
        return Source(str(getattr(torque, "__qualname__", type(torque).__name__)), torque, _content(torque))
    name, values = "torque", torque
    if isinstance(torque, str):
        try:
            values = [float(word) for word in torque.split(",")]
        except ValueError:
            if torque.endswith(".py"):
                raise InputError(f"{torque}: name its function of (t, q, qd): {torque}:FUNCTION") from None
            name, values = torque, _read(torque)
    try:
        numbers = _real(name, values)
    except (TypeError, ValueError):
        raise InputError(f"torque is {torque!r:.60}; give numbers, a table, a file or a function") from None
    degrees = problem.chain.degrees
    if numbers.size == 1:
        numbers = np.full(degrees, numbers)
    table = numbers.ndim == 2
    if numbers.shape != ((max(len(numbers), 1), 1 + degrees) if table else (degrees,)):
        expected = f"(rows, {1 + degrees}): the time in s and " if table else f"({degrees},): "
        raise InputError(
            f"{name} has shape {numbers.shape}, expected {expected}one number for each degree of freedom"
        )
    if not np.isfinite(numbers).all():
        raise InputError(f"{name} holds a number that is not finite")
    if not table:
        return Source("constant", lambda time, q, qd: numbers, numbers)
    times, columns = numbers[:, 0], numbers[:, 1:].T
    if (np.diff(times) <= 0).any():
        raise InputError(f"{name}: the times of its rows do not rise")
    if times[0] > 0 or times[-1] < until * (1 - 1e-9):
        raise InputError(f"{name} covers {times[0]:g} to {times[-1]:g} s; the motion needs 0 to {until:g} s")
    return Source(name, lambda time, q, qd: [np.interp(time, times, tau) for tau in columns], numbers)


def _content(function: Function) -> object:
    """Identity of a function: its text or its class's, where there is any, and numbers it uses."""
    if isinstance(function, partial):
        return [_content(function.func), _plain([*function.args, *function.keywords.values()])]
    is_written = inspect.isfunction(function) or inspect.ismethod(function)
    values = [*getattr(getattr(function, "__self__", function), "__dict__", {}).values()]
    if is_written:
        outside = inspect.getclosurevars(function)
        values += [*outside.globals.values(), *outside.nonlocals.values(), *(function.__defaults__ or ())]
    try:
        return [inspect.getsource(function if is_written else type(function)), _plain(values)]
    except (OSError, TypeError):
        return _plain(values)


def _plain(values: list[Any]) -> list[str]:
    """Values that are numbers, texts, arrays or rows of them, to be hashed."""
    kinds = int, float, complex, str, tuple, list, np.generic, np.ndarray
    plain = [value for value in values if isinstance(value, kinds)]
    return [repr(value.tolist() if isinstance(value, np.ndarray) else value) for value in plain]


def _real(name: str, numbers: ArrayLike) -> Numbers:
    """Numbers of double precision; InputError for texts and complex numbers, which NumPy would convert."""
    array = np.array(numbers)
    if array.dtype.kind not in "biufO":
        raise InputError(f"{name} gives {array.dtype}, expected real numbers")
    return array.astype(np.float64)


def _read(path: str) -> Numbers:
    """Rows of a CSV file; its first line may be a head, without a number."""

    def value(text: str) -> float:
        try:
            return float(text)
        except ValueError:
            return np.nan

    rows: list[list[float]] = []
    for number, line in enumerate(files.text(path).splitlines(), 1):
        cells = [value(cell) for cell in line.split(",")]
        if not line.strip() or (number == 1 and not np.isfinite(cells).any()):
            continue
        if not np.isfinite(cells).all():
            raise InputError(f"{path}, line {number}: expected numbers between commas, got {line!r:.60}")
        rows.append(cells)
        if len(cells) != len(rows[0]):
            raise InputError(f"{path}, line {number}: has {len(cells)} numbers, others {len(rows[0])}")
    if not rows:
        raise InputError(f"{path}: has no rows of numbers between commas; give the time in s and the torques")
    return np.array(rows)

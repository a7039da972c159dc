"""Allocations of one's own: a table in a CSV file, or a function in a Python file that makes it."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np

from senn.machine.network.topology import Integers
from senn.machine.program.values import levels
from senn.traces import files
from senn.traces.errors import InputError


def from_csv(path: str | Path, n: int) -> Integers:
    """(M + 1, n) integers read from a file of M + 1 rows of n nodes, or of one row: a static home."""
    rows = []
    for number, line in enumerate(files.text(path).splitlines(), start=1):
        cells = [cell.strip() for cell in line.split(",")]
        if cells == [""]:
            continue
        for column, cell in enumerate(cells, start=1):
            if not (cell.isascii() and cell.isdigit() and len(cell) < 19):
                raise InputError(
                    f'{path}: line {number}, column {column}: "{cell}" is not a node: write an integer from 0'
                )
        if len(cells) != n:
            raise InputError(
                f"{path}: line {number} has {len(cells)} columns: write {n}, one node for each process"
            )
        rows.append([int(cell) for cell in cells])
    m = levels(n)
    if len(rows) not in (1, m + 1):
        raise InputError(
            f"{path}: the file has {len(rows)} rows: for {n} processes write {m + 1}, home and one for each "
            "level, or 1, a static home"
        )
    return np.array(rows * (m + 1) if len(rows) == 1 else rows, dtype=np.int64)


def to_csv(table: Integers) -> str:
    """The text of a file from which `from_csv` reads this table, (M + 1, n)."""
    return "".join(",".join(map(str, row)) + "\n" for row in table.tolist())


def from_function(path: str | Path, name: str, n: int, nodes: int) -> np.ndarray:
    """What a function of a Python file returns: ``name(n, levels, nodes)``, a table (M + 1, n) of nodes or
    one for each array. An error in the file is reported with its line."""
    with _foreign(path):
        return np.asarray(_function(path, name)(n, levels(n), nodes))


def _function(path: str | Path, name: str) -> Callable[[int, int, int], Any]:
    text = files.text(path)
    names: dict[str, Any] = {"__name__": Path(path).stem, "__file__": str(path)}
    exec(compile(text, str(path), "exec"), names)  # the user names the file
    if not callable(names.get(name)):
        raise InputError(f"{path}: there is no function {name}: write def {name}(n, levels, nodes)")
    function: Callable[[int, int, int], Any] = names[name]
    return function


@contextmanager
def _foreign(path: str | Path) -> Iterator[None]:
    """Code of a user's: what it raises is said with its line, but for Ctrl-C; what it prints goes to stderr,
    and the folder it changes to is not where we go on."""
    here = os.getcwd()
    try:
        with redirect_stdout(sys.stderr):
            yield
    except (InputError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise _failed(path, error) from None
    finally:
        os.chdir(here)


def _failed(path: str | Path, error: BaseException) -> InputError:
    """An error with the last line of the file that it passed through."""
    frames = [one.lineno for one in traceback.extract_tb(error.__traceback__) if one.filename == str(path)]
    line = error.lineno if isinstance(error, SyntaxError) else frames[-1] if frames else None
    what = error.msg if isinstance(error, SyntaxError) else " ".join(str(error).split())
    return InputError(f"{path}{'' if line is None else f', line {line}'}: {type(error).__name__}: {what}")

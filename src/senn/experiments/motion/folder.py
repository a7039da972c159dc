"""The folder of a motion.

motion.json            what moves, on which machine, how it was integrated
problem.toml           the arm and its state at the start
states.parquet         a row for every time
certificates.parquet   a row for every evaluation that was judged
"""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from senn.algorithms.problems import reader
from senn.traces import files
from senn.traces.digest import json_text
from senn.traces.errors import InputError

if TYPE_CHECKING:
    from senn.algorithms.problems.problem import Problem

    Row = dict[str, Any]

DOCUMENT, PROBLEM = "motion.json", "problem.toml"
STATES, CERTIFICATES = "states.parquet", "certificates.parquet"
_ENTRIES = (
    *("problem", "algorithm", "program", "allocation", "schedule", "machine", "until", "step", "integrator"),
    *("judge", "project", "torque", "inputs", "makespan", "clock_mhz", "evaluations_per_step", "versions"),
    "impact",
)
_WITH_NULLS = ("normal_force", "drift_pose", "drift_velocity")
_CERTIFICATE = {
    "evaluation": pl.Int64,
    "time": pl.Float64,
    "ok": pl.Boolean,
    "digits": pl.Int64,
    "message": pl.String,
}
_SECONDS, _SHARE = 1.0, 0.05
"""A motion is written after so long, or later where writing would take more than this share of the time."""


class Kept:
    """Rows of states and of certificates, in a folder or nowhere."""

    def __init__(self, folder: Path | None) -> None:
        self.rows: list[Row] = []
        self.judged: list[Row] = []
        self._folder, self._count = folder, 0
        self._written, self._cost = time.monotonic(), 0.0
        if folder is not None and (folder / STATES).exists():
            table = _table(folder / STATES)
            columns = {
                name: table[name].to_list() if name in _WITH_NULLS else table[name].to_numpy()
                for name in table.columns
            }
            self.rows = [{name: columns[name][k] for name in columns} for k in range(len(table))]
            self.judged = _table(folder / CERTIFICATES).to_dicts()
            self._count = len(table)

    def tables(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        """States, vectors as arrays in one column, and certificates."""
        columns = {}
        for name in self.rows[0] if self.rows else ():
            values = [row[name] for row in self.rows]
            columns[name] = pl.Series(name, values, pl.Float64) if name in _WITH_NULLS else np.array(values)
        return pl.DataFrame(columns), pl.DataFrame(self.judged, _CERTIFICATE)

    def write(self, seldom: bool = False) -> None:
        """Write the tables; those of the certificates first, as rows without them would never get any."""
        begun = time.monotonic()
        is_due = not seldom or begun - self._written > max(_SECONDS, self._cost / _SHARE)
        if self._folder is None or len(self.rows) == self._count or not is_due:
            return
        for name, table in zip((CERTIFICATES, STATES), reversed(self.tables()), strict=True):
            content = io.BytesIO()
            table.write_parquet(content, compression="zstd")
            files.write(self._folder / name, content.getvalue())
        self._count, self._written = len(self.rows), time.monotonic()
        self._cost = self._written - begun

    @property
    def until(self) -> str:
        """How much is in the folder, at the end of a message."""
        if not self._count:
            return ""
        return f"; the motion up to {self.rows[self._count - 1]['time']:g} s is kept in {self._folder}"


@contextmanager
def opened(
    place: Path | None,
    force: bool,
    description: Mapping[str, Any],
    problem: Problem,
    inputs: Callable[[float], str],
) -> Iterator[Kept]:
    """The folder of this motion, locked for this process, and written at the end, also of an error.

    InputError if something else is there.

    `inputs` is the hash of this motion with another end: one that ends earlier goes on.
    """
    if place is None:
        yield Kept(None)
        return
    _check_free(place)
    there = read_document(place) if (place / DOCUMENT).exists() and not force else {}
    is_this = bool(there) and there["inputs"] == inputs(there["until"])
    goes_on = is_this and there["until"] <= description["until"]
    if not goes_on and (place / STATES).exists() and not force:
        if is_this:
            raise InputError(
                f"{place} holds this motion until {there['until']:g} s; give that --until, or later"
            )
        raise InputError(f"{place} holds another motion; give another name, or --force to replace it")
    files.make_folder(place)
    with files.locked(place) as is_locked:
        if is_locked is False:
            raise InputError(
                f"{place}: another process is at work there; wait for it, or choose another with -o"
            )
        for name in () if goes_on else (STATES, CERTIFICATES):
            (place / name).unlink(missing_ok=True)
        files.write_text(place / DOCUMENT, json_text(description))
        problem.write(place / PROBLEM)
        kept = Kept(place)
        try:
            try:
                yield kept
            finally:
                kept.write()
        except InputError as error:
            raise InputError(f"{error}{kept.until}") from error


def _check_free(place: Path) -> None:
    """Refuse a folder of something else; what a killed process left half-written is nothing."""
    files.check_place(place / DOCUMENT)
    if place.is_dir() and not files.is_file(place / DOCUMENT) and any(place.glob("[!.]*")):
        raise InputError(f"{place} is there and is not the folder of a motion; choose another with -o")


def read_document(folder: Path) -> dict[str, Any]:
    """The description of a motion."""
    try:
        document: dict[str, Any] = dict(json.loads(files.text(folder / DOCUMENT)))
        return {name: document[name] for name in _ENTRIES} | {"control": document.get("control")}
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(f"{folder / DOCUMENT} is damaged; make the motion again") from error


def read(folder: Path) -> tuple[Problem, dict[str, Any], pl.DataFrame, pl.DataFrame]:
    """The arm at the start of a motion, the description, the states and the certificates."""
    if not files.is_file(folder / DOCUMENT):
        raise InputError(f"{folder} is not the folder of a motion; name one that `senn simulate` wrote")
    document = read_document(folder)
    if not (folder / STATES).exists():
        raise InputError(f"{folder} has no states yet; the command that began the motion goes on with it")
    tables = _table(folder / STATES), _table(folder / CERTIFICATES)
    return reader.read(folder / PROBLEM), document, *tables


def _table(path: Path) -> pl.DataFrame:
    try:
        return pl.read_parquet(io.BytesIO(path.read_bytes()))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(f"{path} is damaged; make the motion again") from error

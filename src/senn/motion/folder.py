"""The folder of a motion.

motion.json            what moves, on which machine, how it was integrated
problem.toml           the arm and its state at the start
states.parquet         a row for every time
certificates.parquet   a row for every evaluation that was judged
SHA256SUMS             the seal of all of them, `senn.traces.seal`
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from senn.algorithms.problems import reader
from senn.base import files
from senn.base.digest import json_text
from senn.base.errors import InputError
from senn.traces import seal

if TYPE_CHECKING:
    from senn.algorithms.problems.problem import Problem

    Row = dict[str, Any]

SCHEMA_VERSION = 1
DOCUMENT, PROBLEM = "motion.json", "problem.toml"
STATES, CERTIFICATES = "states.parquet", "certificates.parquet"
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

    def __init__(
        self, folder: Path | None, contents: Mapping[str, bytes], begun: Begun | None = None
    ) -> None:
        self.rows: list[Row] = []
        self.judged: list[Row] = []
        self._folder, self._contents, self.count = folder, contents, 0  # rows in the folder
        self._written, self._cost = time.monotonic(), 0.0
        if begun is not None:
            vectors = begun.states.select(pl.col(pl.Array)).columns
            rows = begun.states.iter_rows(named=True)
            self.rows = [{**row, **{name: np.array(row[name]) for name in vectors}} for row in rows]
            self.judged, self.count = begun.certificates.to_dicts(), len(self.rows)

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
        if self._folder is None or len(self.rows) == self.count or not is_due:
            return
        written = {**self._contents}
        for name, table in zip((CERTIFICATES, STATES), reversed(self.tables()), strict=True):
            written[name] = files.written(partial(table.write_parquet, compression="zstd"))
        seal.replace(self._folder, self._contents, written)
        self._contents, self.count, self._written = written, len(self.rows), time.monotonic()
        self._cost = self._written - begun


@contextmanager
def opened(
    place: Path | None,
    force: bool,
    description: Mapping[str, Any],
    problem: Problem,
    inputs: Callable[[float], str],
) -> Iterator[Kept]:
    """The folder of this motion, locked for this process, and written at the end, also of an error.

    InputError if something else is there. `inputs` is the hash of this motion with another end: one that ends
    earlier goes on.
    """
    if place is None:
        yield Kept(None, {})
        return
    with files.working_in(place, "motion", DOCUMENT, owned=True):
        begun = None if force or not os.path.lexists(place / STATES) else _begun(place, problem)
        if begun is not None:
            with seal.guarded(place / DOCUMENT):
                until = float(begun.document["until"])
                is_other = begun.document["inputs"] != inputs(until)
            if is_other:
                raise InputError(f"{place} holds another motion; give another name, or --force to replace it")
            if until > description["until"]:
                raise InputError(f"{place} holds this motion until {until:g} s; give that --until, or later")
        for name in (STATES, CERTIFICATES) if begun is None else ():
            (place / name).unlink(missing_ok=True)
        before = {} if begun is None else begun.contents
        texts = {DOCUMENT: json_text({"schema": SCHEMA_VERSION, **description}), PROBLEM: problem.text}
        contents = {**before, **{name: files.utf8(place / name, text) for name, text in texts.items()}}
        seal.replace(place, before, contents)
        kept = Kept(place, contents, begun)
        try:
            try:
                yield kept
            finally:
                kept.write()
        except InputError as error:
            if not kept.count:
                raise
            left = f"the motion up to {kept.rows[kept.count - 1]['time']:g} s is kept in {place}"
            raise InputError(f"{error}; {left}") from error


class Begun(NamedTuple):
    """Contents of the folder of a motion."""

    contents: Mapping[str, bytes]
    problem: Problem
    document: Mapping[str, Any]
    states: pl.DataFrame
    certificates: pl.DataFrame


def _begun(folder: Path, problem: Problem | None = None) -> Begun:
    """The folder of the motion of a problem, by default of that in it."""
    contents = seal.unsealed(folder)
    start = problem or reader.read(folder / PROBLEM)
    document = seal.document(folder, DOCUMENT, contents, SCHEMA_VERSION)
    if "control" in document:
        raise InputError(f"{folder} is of senn control, which is now python -m experiments control")
    degrees = start.chain.degrees
    widths = {"q": start.chain.coordinates, **dict.fromkeys(("qd", "tau", "qdd"), degrees), "force": 6}
    numbers = dict.fromkeys(("time", "kinetic", "potential", *_WITH_NULLS), pl.Float64)
    rows = {**numbers, **{name: pl.Array(pl.Float64, width) for name, width in widths.items()}}
    tables = []
    for name, columns in ((STATES, rows), (CERTIFICATES, _CERTIFICATE)):
        table = seal.read(folder, name, contents, pl.read_parquet)
        if dict(table.schema) != columns or (name == STATES and not len(table)):
            raise InputError(
                f"{folder / name} is damaged: its rows are not those of this motion; make it again"
            )
        tables.append(table)
    return Begun(contents, start, document, *tables)


def read(folder: Path) -> tuple[Problem, Mapping[str, Any], pl.DataFrame, pl.DataFrame]:
    """The arm at the start of a motion, the description, the states and the certificates."""
    if not files.is_file(folder / DOCUMENT):
        raise InputError(f"{folder} is not the folder of a motion; name one that `senn simulate` wrote")
    if not os.path.lexists(folder / STATES):
        raise InputError(f"{folder} has no states yet; the command that began the motion goes on with it")
    return _begun(folder)[1:]

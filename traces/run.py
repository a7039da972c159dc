"""A run: its trace, what ran, the numbers it gave, and the folder it is kept in.

run.json               what ran, trace hash, summary and certificate
TABLE.parquet          the tables that the level of detail has: instructions, activities, messages, hops
result.npz             the numbers
values.npz             if values were kept: every value of the program and what each message carried
"""

import json
import math
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from senn.traces import analysis
from senn.traces.errors import InputError
from senn.traces.record.trace import KEPT, SCHEMA, Detail, Trace
from senn.traces.record.values import Values

if TYPE_CHECKING:
    from senn.traces.replay import Instruction, State

__all__ = ["Run", "Values"]

SCHEMA_VERSION = 1
_OWN = ("schema", "trace_hash", "instructions_hash", "detail", "summary", "certificate")
PICTURE = "timeline.png"
"""The picture of a run that may lie in its folder; it goes when the run is replaced."""
_FILES = {"run.json", "result.npz", "values.npz", *(f"{name}.parquet" for name in SCHEMA), PICTURE}


@dataclass(frozen=True, eq=False)
class Run:
    """What a simulation leaves behind.

    ``description`` says what ran (program, allocation, machine, problem, versions, seed, ...) in JSON's
    terms; ``result`` are the numbers by name; ``values`` every value of the program, if kept;
    ``certificate`` the comparison with the serial reference, if made; ``summary`` is
    ``analysis.summary(trace)`` unless given (a trace reduced to less detail can no longer give it).
    """

    trace: Trace
    description: Mapping[str, Any]
    result: Mapping[str, NDArray[np.generic]] = field(default_factory=dict)
    values: Values | None = None
    certificate: Mapping[str, Any] | None = None
    summary: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        reserved = [name for name in _OWN if name in self.description]
        if reserved:
            raise InputError(
                f"run: {', '.join(reserved)} cannot be in the description; the run itself says it"
            )
        if not self.summary and self.trace.detail != "summary":
            object.__setattr__(self, "summary", analysis.summary(self.trace))

    def __repr__(self) -> str:
        """Short: what ran, how long it took, and what the trace holds."""
        program = self.description.get("program", {})
        return f"Run({program.get('name', 'program')}, n = {program.get('n')}, {self.trace!r})"

    def at_detail(self, detail: Detail) -> Self:
        """This run with a trace of less detail and the summary it has; values go with the messages."""
        values = self.values if detail == "full" else None
        return replace(self, trace=self.trace.at_detail(detail), values=values)

    def at(self, cycle: int) -> "State":
        """The state of the machine at a cycle: a look at the record, nothing is run again."""
        from senn.traces import replay  # here, because a replay is made of a run

        return replay.at(self, cycle)

    def steps(self) -> "Iterator[tuple[Instruction, State]]":
        """The instructions of all arrays in order of issue, each with the state at its issue."""
        from senn.traces import replay

        return replay.steps(self)

    def save(self, folder: str | os.PathLike[str], force: bool = False) -> Path:
        """Write the run as a folder, whole or not at all, and return its path.

        A folder that is there is refused; with ``force`` an earlier run is replaced, and only that: a folder
        with anything else in it is never removed.
        """
        folder = Path(folder)
        check_free(folder, force)
        folder.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}.", suffix=".partial"))
        try:
            self._write(beside / "new")
            _exchange(folder, beside / "new", beside / "old")
        finally:
            shutil.rmtree(beside)
        return folder

    def _write(self, folder: Path) -> None:
        folder.mkdir()
        for name in KEPT[self.trace.detail]:
            self.trace.table(name).write_parquet(folder / f"{name}.parquet", compression="zstd")
        result: dict[str, Any] = dict(self.result)
        np.savez_compressed(folder / "result.npz", **result)
        if self.values is not None:
            self.values.save(folder / "values.npz")
        has_instructions = "instructions" in KEPT[self.trace.detail]
        document = {
            "schema": SCHEMA_VERSION,
            **self.description,
            "detail": self.trace.detail,
            "trace_hash": self.trace.hash,
            "instructions_hash": self.trace.instructions_hash if has_instructions else None,
            "summary": self.summary,
            "certificate": self.certificate,
        }
        # Last, because a folder without it is not a run.
        (folder / "run.json").write_text(_json(document))

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Self:
        """Read a run folder; InputError, naming the file, if one is missing, damaged or too old."""
        folder = Path(folder)
        document = _document(folder)
        detail = document["detail"]
        tables = {name: _table(folder, name) for name in KEPT[detail]}
        try:
            trace = Trace.from_tables(detail, tables)
        except InputError as error:
            raise InputError(f"{folder} is damaged ({error}); make the run again") from error
        if trace.hash != document["trace_hash"]:
            raise InputError(
                f"{folder}: the tables are not those of this run: their hash is {trace.hash}, run.json says "
                f"{document['trace_hash']}; a file was changed or exchanged, make the run again"
            )
        values = Values.load(folder / "values.npz") if (folder / "values.npz").exists() else None
        return cls(
            trace=trace,
            description={name: entry for name, entry in document.items() if name not in _OWN},
            result=_result(folder / "result.npz"),
            values=values,
            certificate=document["certificate"],
            summary=document["summary"],
        )


def _exchange(folder: Path, new: Path, old: Path) -> None:
    """Give ``new`` the name of ``folder``; what had it before is at ``old``, or back if that fails."""
    if folder.exists():
        os.rename(folder, old)
    try:
        os.rename(new, folder)
    except BaseException:
        if old.exists():
            os.rename(old, folder)
        raise


def check_free(folder: Path, force: bool) -> None:
    """Refuse what `save` would not write to: a file, a folder of other things, a run without `force`."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise InputError(f"{folder} is a file; a run is written as a folder, choose another name")
    names = {entry.name for entry in folder.iterdir()}
    if not names:
        return
    if "run.json" not in names:
        raise InputError(
            f"{folder} is there and is not a run folder; choose another name (it is left as it is)"
        )
    foreign = sorted(names - _FILES)
    if foreign:
        raise InputError(
            f"{folder} holds files that are no part of a run ({', '.join(foreign)}); "
            "move them away or choose another name"
        )
    if not force:
        raise InputError(f"{folder} holds a run already; give another name, or --force to replace it")


def _document(folder: Path) -> dict[str, Any]:
    path = folder / "run.json"
    if not path.is_file():
        raise InputError(
            f"{folder} is not a run folder: it has no run.json; name a folder that `senn run` wrote"
        )
    try:
        document = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read ({error}); make the run again") from error
    if not isinstance(document, dict) or document.get("schema") != SCHEMA_VERSION:
        found = document.get("schema") if isinstance(document, dict) else None
        raise InputError(
            f"{path} is of schema {found}, this version reads schema {SCHEMA_VERSION}; make the run again or "
            "use the version that wrote it"
        )
    missing = [name for name in _OWN if name not in document]
    if missing:
        raise InputError(f"{path} is damaged: it has no {', '.join(missing)}; make the run again")
    if document["detail"] not in KEPT:
        raise InputError(f"{path} is damaged: detail is {document['detail']!r}; make the run again")
    return document


def _table(folder: Path, name: str) -> pl.DataFrame:
    path = folder / f"{name}.parquet"
    if not path.is_file():
        raise InputError(f"{folder} is damaged: it has no {path.name}; make the run again")
    try:
        return pl.read_parquet(path)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise InputError(f"{path} cannot be read ({error}); make the run again") from error


def _result(path: Path) -> dict[str, NDArray[np.generic]]:
    try:
        with np.load(path, allow_pickle=False) as file:
            return dict(file)
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise InputError(f"{path} cannot be read ({error}); make the run again") from error


def _json(document: Mapping[str, Any]) -> str:
    return _lines(_plain(document), "\n") + "\n"


def _lines(entry: Any, line: str) -> str:
    """The text of a plain entry; `line` begins a line of what contains it.

    Rows of numbers are on one line: an allocation is a table, not a column.
    """
    into = line + " "
    if isinstance(entry, dict) and entry:
        parts = (f"{_text(name)}: {_lines(value, into)}" for name, value in entry.items())
        return "{" + into + ("," + into).join(parts) + line + "}"
    if isinstance(entry, list) and not {str, list, dict}.isdisjoint(map(type, entry)):
        return "[" + into + ("," + into).join(_lines(one, into) for one in entry) + line + "]"
    return _text(entry)


def _text(entry: Any) -> str:
    return json.dumps(entry, ensure_ascii=False, allow_nan=False)


def _plain(entry: Any) -> Any:
    """The entry in JSON's terms: arrays as lists, what JSON cannot say (nan, a fraction) as text."""
    if isinstance(entry, Mapping):
        return {str(name): _plain(value) for name, value in entry.items()}
    if isinstance(entry, np.ndarray | np.generic):
        return _plain(entry.tolist())
    if isinstance(entry, list | tuple):
        if set(map(type, entry)) <= {int, str}:  # a row of an allocation has tens of thousands
            return list(entry)
        return [_plain(value) for value in entry]
    if (
        entry is None
        or isinstance(entry, bool | int | str)
        or (isinstance(entry, float) and math.isfinite(entry))
    ):
        return entry
    return str(entry)

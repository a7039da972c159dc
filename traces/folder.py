"""The folder that a run is kept in.

run.json               what ran, trace hash, summary and certificate
TABLE.parquet          the tables that the level of detail has: instructions, activities, messages, hops
result.npz             the numbers
values.npz             if values were kept: every value of the program and what each message carried
"""

import json
import os
import shutil
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from senn.traces.errors import InputError
from senn.traces.json_text import json_text
from senn.traces.record.trace import KEPT, SCHEMA, Trace
from senn.traces.record.values import Values

if TYPE_CHECKING:
    from senn.traces.run import Run

SCHEMA_VERSION = 1
RESERVED = ("schema", "trace_hash", "instructions_hash", "detail", "summary", "certificate")
"""What run.json says beside the description of a run, so that this cannot."""
PICTURE = "timeline.png"
"""The picture of a run that may lie in its folder; it goes when the run is replaced."""
_FILES = {"run.json", "result.npz", "values.npz", *(f"{name}.parquet" for name in SCHEMA), PICTURE}


def write_folder(run: "Run", folder: Path, force: bool = False) -> Path:
    """Write a run whole or not at all; `check_free` says what is refused."""
    check_free(folder, force)
    folder.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}.", suffix=".partial"))
    try:
        _write(run, beside / "new")
        _exchange(folder, beside / "new", beside / "old")
    finally:
        shutil.rmtree(beside)
    return folder


def _write(run: "Run", folder: Path) -> None:
    folder.mkdir()
    for name in KEPT[run.trace.detail]:
        run.trace.table(name).write_parquet(folder / f"{name}.parquet", compression="zstd")
    result: dict[str, Any] = dict(run.result)
    np.savez_compressed(folder / "result.npz", **result)
    if run.values is not None:
        run.values.save(folder / "values.npz")
    has_instructions = "instructions" in KEPT[run.trace.detail]
    document = {
        "schema": SCHEMA_VERSION,
        **run.description,
        "detail": run.trace.detail,
        "trace_hash": run.trace.hash,
        "instructions_hash": run.trace.instructions_hash if has_instructions else None,
        "summary": run.summary,
        "certificate": run.certificate,
    }
    # Last, because a folder without it is not a run.
    (folder / "run.json").write_text(json_text(document))


def read_folder(folder: Path) -> dict[str, Any]:
    """The fields of a run by name; InputError, naming the file, if one is missing, damaged or too old."""
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
    return {
        "trace": trace,
        "description": {name: entry for name, entry in document.items() if name not in RESERVED},
        "result": _result(folder / "result.npz"),
        "values": Values.load(folder / "values.npz") if (folder / "values.npz").exists() else None,
        "certificate": document["certificate"],
        "summary": document["summary"],
    }


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
    missing = [name for name in RESERVED if name not in document]
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

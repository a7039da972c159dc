"""The folder that a run is kept in.

run.json               what ran, trace hash, summary and certificate
TABLE.parquet          the tables that the level of detail has: instructions, activities, messages, hops
result.npz             the numbers
values.npz             if values were kept: every value of the program and what each message carried
SHA256SUMS             the seal: the SHA-256 of every file, under one of them all
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import stat
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from senn.traces.digest import json_text
from senn.traces.errors import InputError
from senn.traces.files import PICTURE, SEAL, check_folder, sweep, writing_folder
from senn.traces.record import KEPT, SCHEMA, Detail, Trace, Values
from senn.traces.run import RESERVED, Run

Read = TypeVar("Read")

SCHEMA_VERSION = 3
LARGEST = 2**32
"""Bytes of a file of a run that are read, packed or not."""
INPUTS = "inputs"
"""The entry of a description that runs have in common if all that went into them was the same."""
PICTURES = (".png", ".svg", ".pdf")
"""Files that may lie in a run folder beside what is sealed: nothing reads them."""
_DOCUMENT, _RESULT, _VALUES = "run.json", "result.npz", "values.npz"
_FILES = {_DOCUMENT, _RESULT, _VALUES, SEAL, PICTURE, *(f"{name}.parquet" for name in SCHEMA)}


def write_folder(run: Run, folder: Path, force: bool = False) -> Path:
    """Write a run whole or not at all; `check_free` says what is refused.

    Where this very run is there already, to the last bit, it stays, with whatever lies beside it.
    """
    files = sealed(_files(run))
    if _holds(folder, files):
        return folder
    check_free(folder, force, run.description.get(INPUTS))
    with writing_folder(folder) as new:
        for name, content in files.items():
            (new / name).write_bytes(content)
    return folder


def _files(run: Run) -> dict[str, bytes]:
    """The content of every file by name."""
    contents = {}
    for name in KEPT[run.trace.detail]:
        table = io.BytesIO()
        run.trace.table(name).write_parquet(table, compression="zstd")
        contents[f"{name}.parquet"] = table.getvalue()
    result, numbers = io.BytesIO(), dict(run.result)
    np.savez_compressed(result, **numbers)  # type: ignore[arg-type]
    contents[_RESULT] = result.getvalue()
    if run.values is not None:
        values = io.BytesIO()
        run.values.save(values)
        contents[_VALUES] = values.getvalue()
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
    # Of the name of a file that is not UTF-8, JSON's escapes keep every byte.
    return {**contents, _DOCUMENT: json_text(document).encode(errors="backslashreplace")}


def _holds(folder: Path, files: Mapping[str, bytes]) -> bool:
    try:
        paths = {name: folder / name for name in _FILES - {PICTURE} if os.path.lexists(folder / name)}
        return paths.keys() == files.keys() and all(
            path.is_file() and path.read_bytes() == files[name] for name, path in paths.items()
        )
    except OSError:
        return False


def read_folder(folder: Path) -> dict[str, Any]:
    """The fields of a run by name; InputError, naming the file, if one is not as it was saved, or too old."""
    if not os.path.isfile(folder / _DOCUMENT):  # False also of what is no name
        if os.path.isfile(folder / "motion.json"):
            raise InputError(f"{folder} is a motion, not a run; senn explain, plot and report take it")
        raise InputError(
            f"{folder} is not a run folder: it has no run.json; name a folder that `senn run` wrote"
        )
    files = unsealed(folder)
    document = _document(folder / _DOCUMENT, _file(folder, _DOCUMENT, files))
    trace = _trace(folder, document["detail"], files)
    if trace.hash != document["trace_hash"]:
        raise InputError(
            f"{folder}: the tables are not those of this run: their hash is {trace.hash}, run.json says "
            f"{document['trace_hash']}; make the run again"
        )
    return {
        "trace": trace,
        "description": {name: entry for name, entry in document.items() if name not in RESERVED},
        "result": _read(folder, _RESULT, files, _result),
        "values": _read(folder, _VALUES, files, Values.load) if _VALUES in files else None,
        "certificate": document["certificate"],
        "summary": document["summary"],
    }


def check_free(folder: Path, force: bool, inputs: str | None = None) -> None:
    """Refuse what `save` would not write to: a file, a folder of other things, another run without `force`.

    A run of the same `inputs` is no other: it is made again.
    """
    check_folder(folder)
    sweep(folder)
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
    if not force and (inputs is None or _inputs(folder) != inputs):
        raise InputError(f"{folder} holds another run; give another name, or --force to replace it")


def _inputs(folder: Path) -> object:
    """The digest of inputs of the run in a folder; None without a readable run."""
    path = folder / _DOCUMENT
    try:
        return _document(path, path.read_bytes()).get(INPUTS) if path.is_file() else None
    except (OSError, InputError):
        return None


def _document(path: Path, content: bytes) -> dict[str, Any]:
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} cannot be read ({error}); make the run again") from error
    if not isinstance(document, dict) or document.get("schema") != SCHEMA_VERSION:
        version = document.get("schema") if isinstance(document, dict) else None
        raise InputError(
            f"{path} is of schema {version}, this version reads schema {SCHEMA_VERSION}; make the run again "
            "or use the version that wrote it"
        )
    missing = [name for name in RESERVED if name not in document]
    if missing:
        raise InputError(f"{path} is damaged: it has no {', '.join(missing)}; make the run again")
    for name, kinds in _KINDS.items():
        if not isinstance(document[name], kinds):
            raise InputError(f"{path} is damaged: {name} is {document[name]!r}; make the run again")
    if document["detail"] not in KEPT:
        raise InputError(f"{path} is damaged: detail is {document['detail']!r}; make the run again")
    return document


_KINDS: Mapping[str, tuple[type, ...]] = {
    "detail": (str,),
    "trace_hash": (str,),
    "summary": (dict,),
    "certificate": (dict, type(None)),
}


def _file(folder: Path, name: str, files: Mapping[str, bytes]) -> bytes:
    if name not in files:
        raise InputError(f"{folder} is damaged: it has no {name}; make the run again")
    return files[name]


def _read(folder: Path, name: str, files: Mapping[str, bytes], reader: Callable[[io.BytesIO], Read]) -> Read:
    """The result of the reader of a foreign format for a file.

    The seal holds, so what goes wrong here was sealed by another program: whatever the reader raises says so,
    also what is no Exception (polars panics).
    """
    content = io.BytesIO(_file(folder, name, files))
    try:
        if _unpacked(name, content) > LARGEST:
            raise ValueError(f"it is packed, and has more than {LARGEST:,} bytes")
        return reader(content)
    except (Exception, pl.exceptions.PanicException) as error:
        raise InputError(
            f"{folder / name} cannot be read ({type(error).__name__}: {error}); make the run again"
        ) from error


def _unpacked(name: str, content: io.BytesIO) -> int:
    """Bytes of a table or of an archive in memory, from what it says at its end; a number has eight."""
    if name.endswith(".npz"):
        with zipfile.ZipFile(content) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
    else:
        lazy = pl.scan_parquet(content)
        size = 8 * lazy.select(pl.len()).collect().item() * len(lazy.collect_schema())
    content.seek(0)
    return size


def _trace(folder: Path, detail: Detail, files: Mapping[str, bytes]) -> Trace:
    tables = {name: _read(folder, f"{name}.parquet", files, pl.read_parquet) for name in KEPT[detail]}
    try:
        return Trace.from_tables(detail, tables)
    except (InputError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise InputError(f"{folder} is damaged ({error}); make the run again") from error


def _result(file: io.BytesIO) -> dict[str, NDArray[np.generic]]:
    with np.load(file, allow_pickle=False) as arrays:
        return dict(arrays)


# The seal is checked before any file is read, so no reader sees a byte that the run did not write:
#   # The seal of a run: <SHA-256 of all lines below>; sha256sum -c SHA256SUMS compares the files
#   <SHA-256>  hops.parquet
#   ...

_HEAD = "# The seal of a run: {}; sha256sum -c SHA256SUMS compares the files\n"
_LINE = re.compile(r"([0-9a-f]{64})  (\w[\w.-]*)", re.ASCII)


def sealed(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files by name, and their seal with them."""
    lines = "".join(f"{_digest(files[name])}  {name}\n" for name in sorted(files))
    return {**files, SEAL: (_HEAD.format(_digest(lines.encode())) + lines).encode()}


def unsealed(folder: Path) -> dict[str, bytes]:
    """The content of all sealed files by name; InputError, naming it, for one that is not as it was sealed.

    So is one that is missing and one that was added, but pictures and hidden files, which nothing reads.
    """
    digests = _digests(folder)
    files = {name: _content(folder / name) for name in digests}
    whole = {name: content for name, content in files.items() if content is not None}
    wrong = [f"{name} is missing" for name in files if name not in whole]
    wrong += [f"{name} was altered" for name in whole if _digest(whole[name]) != digests[name]]
    others = sorted({*os.listdir(folder)} - {*digests, SEAL})
    added = [f"{x} was added" for x in others if not x.startswith(".") and not x.endswith(PICTURES)]
    if wrong or added:
        way_out = "make the run again" if wrong else "move what was added away"
        raise InputError(f"{folder} is not as it was saved: {', '.join([*wrong, *added])}; {way_out}")
    return whole


def _digests(folder: Path) -> dict[str, str]:
    """The digests of the seal by file; InputError for a missing or altered seal."""
    content = _content(folder / SEAL)
    if content is None:
        raise InputError(
            f"{folder} has no {SEAL}, the seal of its files: it was taken away, or the run is of an earlier "
            "version of senn; make the run again"
        )
    head, _, rest = content.decode("ascii", "replace").partition("\n")
    lines = [_LINE.fullmatch(line) for line in rest.splitlines()]
    digests = {line[2]: line[1] for line in lines if line}
    if len(digests) < len(lines) or f"{head}\n" != _HEAD.format(_digest(rest.encode())):
        raise InputError(
            f"{folder} is not as it was saved: {SEAL}, its seal, was altered; make the run again"
        )
    return digests


def _content(path: Path) -> bytes | None:
    """The content of a file; None if there is none: what is a folder or a pipe is no file of a run."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            return None
        if status.st_size > LARGEST:
            raise InputError(f"{path}: has {status.st_size:,} bytes; at most {LARGEST:,} are read")
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror})") from error


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()

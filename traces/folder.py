"""The folder that a run is kept in.

run.json               what ran, trace hash, summary and certificate
TABLE.parquet          the tables that the level of detail has: instructions, activities, messages, hops
result.npz             the numbers
values.npz             if values were kept: every value of the program and what each message carried
SHA256SUMS             the seal of all of them, `senn.traces.seal`
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from senn.base.digest import digest, json_text
from senn.base.errors import InputError
from senn.base.files import PICTURE, SEAL, check_folder, content, sweep, writing_folder, written
from senn.traces import seal
from senn.traces.record import KEPT, SCHEMA, Trace, Values, refuse_fork
from senn.traces.run import RESERVED, Run

SCHEMA_VERSION = 3
INPUTS = "inputs"
"""The entry of a description that runs have in common if all that went into them was the same."""
_DOCUMENT, _RESULT, _VALUES = "run.json", "result.npz", "values.npz"
_FILES = {_DOCUMENT, _RESULT, _VALUES, SEAL, PICTURE, *(f"{name}.parquet" for name in SCHEMA)}


def write_folder(run: Run, folder: Path, force: bool = False) -> Path:
    """Write a run whole or not at all; `check_free` refuses folders with other content.

    An identical folder is left untouched, with other files in it.
    """
    _refuse_changed(run.result, run.certificate)
    contents = {
        f"{name}.parquet": written(partial(run.trace.table(name).write_parquet, compression="zstd"))
        for name in KEPT[run.trace.detail]
    }
    contents[_RESULT] = written(lambda file: np.savez_compressed(file, **dict(run.result)))  # type: ignore[arg-type]
    if run.values is not None:
        contents[_VALUES] = written(run.values.save)
    document = {
        "schema": SCHEMA_VERSION,
        **run.description,
        "detail": run.trace.detail,
        "trace_hash": run.trace.hash,
        "instructions_hash": None if run.trace.detail == "summary" else run.trace.instructions_hash,
        "summary": run.summary,
        "certificate": run.certificate,
    }
    # Of the name of a file that is not UTF-8, JSON's escapes keep every byte.
    contents[_DOCUMENT] = json_text(document).encode(errors="backslashreplace")
    files = {**contents, SEAL: seal.of("run", contents)}
    there = [name for name in _FILES - {PICTURE} if os.path.lexists(folder / name)]
    with suppress(OSError):
        if {name: (folder / name).read_bytes() for name in there} == files:
            return folder
    check_free(folder, force, run.description.get(INPUTS))
    with writing_folder(folder) as new:
        for name, whole in files.items():
            (new / name).write_bytes(whole)
    return folder


def _refuse_changed(result: Mapping[str, Any], certificate: Mapping[str, Any] | None) -> None:
    """InputError if a certificate, but for one of an earlier version, has judged other numbers than these."""
    if certificate and certificate.get("answers_hash", digest(result)) != digest(result):
        raise InputError(
            "the result of this run was changed after its certificate was made; make the run again, or "
            "take the certificate away: dataclasses.replace(run, certificate=None)"
        )


def read_folder(folder: Path) -> dict[str, Any]:
    """The fields of a run by name; InputError, naming the file, if one is not as it was saved, or too old."""
    if not os.path.isfile(folder / _DOCUMENT):  # False also of what is no name
        if os.path.isfile(folder / "motion.json"):
            raise InputError(f"{folder} is a motion, not a run; senn explain, plot and report take it")
        raise InputError(
            f"{folder} is not a run folder: it has no run.json; name a folder that `senn run` wrote"
        )
    refuse_fork()
    files = seal.unsealed(folder)
    document = seal.document(folder, _DOCUMENT, files, SCHEMA_VERSION)
    with seal.guarded(folder / _DOCUMENT):
        detail, trace_hash = document["detail"], document["trace_hash"]
        names = KEPT[detail]
        entries = {name: document[name] for name in ("certificate", "summary")}
    tables = {name: seal.read(folder, f"{name}.parquet", files, pl.read_parquet) for name in names}
    with seal.guarded(folder):
        trace = Trace.from_tables(detail, tables)
    if trace.hash != trace_hash:
        raise InputError(
            f"{folder}: the tables are not those of this run: their hash is {trace.hash}, run.json says "
            f"{trace_hash}; make it again"
        )
    result: dict[str, NDArray[np.generic]] = seal.read(
        folder, _RESULT, files, lambda file: dict(np.load(file, allow_pickle=False))
    )
    with seal.guarded(folder / _DOCUMENT, InputError):
        _refuse_changed(result, entries["certificate"])
    return {
        "trace": trace,
        "description": {name: entry for name, entry in document.items() if name not in RESERVED},
        "result": result,
        "values": seal.read(folder, _VALUES, files, Values.load) if _VALUES in files else None,
        **entries,
    }


def check_free(folder: Path, force: bool, inputs: str | None = None) -> None:
    """Refuse what `save` would not write to: a file, a folder of other things, another run without `force`.

    A run of the same `inputs` is no other: it is made again.
    """
    check_folder(folder)
    sweep(folder)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; a run is written as a folder, choose another name")
    names = {entry.name for entry in folder.iterdir()} if folder.exists() else set()
    if names and _DOCUMENT not in names:
        raise InputError(
            f"{folder} is there and is not a run folder; choose another name (it is left as it is)"
        )
    if foreign := sorted(names - _FILES):
        raise InputError(
            f"{folder} holds files that are no part of a run ({', '.join(foreign)}); "
            "move them away or choose another name"
        )
    if force or not names:
        return
    with suppress(InputError):  # what cannot be read is another run
        contents = {_DOCUMENT: content(folder / _DOCUMENT)}
        there = seal.document(folder, _DOCUMENT, contents, SCHEMA_VERSION).get(INPUTS)
        if inputs is not None and there == inputs:
            return
    raise InputError(f"{folder} holds another run; give another name, or --force to replace it")

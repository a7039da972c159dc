"""The seal of a folder: SHA256SUMS, the SHA-256 of every file, under one of them all.

    # The seal of a run: <SHA-256 of all lines below>; sha256sum -c SHA256SUMS compares the files
    <SHA-256>  hops.parquet
    ...

It is checked before any file is read, so no reader sees a byte that senn did not write. While the files of a
motion are replaced, one after the other, a file has two lines, for its old content and its new one.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import polars as pl

from senn.base import files
from senn.base.errors import InputError
from senn.base.files import SEAL

Read = TypeVar("Read")

LARGEST = 2**32
"""Bytes of a sealed file that are read, packed or not."""
PICTURES = (".png", ".svg", ".pdf")
"""Files that may lie in a sealed folder beside what is sealed: nothing reads them."""
_KINDS = ("run", "motion")
_HEAD = "# The seal of a {}: {}; sha256sum -c SHA256SUMS compares the files\n"
_LINE = re.compile(r"([0-9a-f]{64})  (\w[\w.-]*)", re.ASCII)


def of(kind: str, *contents: Mapping[str, bytes]) -> bytes:
    """The seal of the files of a run or a motion, whose content is, or may be, one of these."""
    lines = {(name, _digest(content)) for these in contents for name, content in these.items()}
    text = "".join(f"{digest}  {name}\n" for name, digest in sorted(lines))
    return (_HEAD.format(kind, _digest(text.encode())) + text).encode()


def replace(folder: Path, before: Mapping[str, bytes], contents: Mapping[str, bytes]) -> None:
    """Write the files of a motion that differ from those before, one after the other, in this order.

    However this ends, every file that is there has a line in the seal.
    """
    files.put(folder / SEAL, of("motion", before, contents), owned=True)
    for name, content in contents.items():
        if content != before.get(name):
            files.put(folder / name, content, owned=True)
    files.put(folder / SEAL, of("motion", contents), owned=True)


def unsealed(folder: Path) -> dict[str, bytes]:
    """The content of all sealed files by name; InputError, naming it, for one that is not as it was sealed.

    So is one that is missing and one that was added, but pictures and hidden files, which nothing reads.
    """
    lines = _read_lines(folder)
    names = sorted({name for _, name in lines})
    # A folder or a pipe is no sealed file.
    whole = {x: files.content(folder / x, LARGEST) for x in names if files.is_file(folder / x)}
    wrong = [f"{name} is missing" for name in names if name not in whole]
    wrong += [f"{name} was altered" for name in whole if (_digest(whole[name]), name) not in lines]
    others = sorted({*os.listdir(folder)} - {*names, SEAL})
    added = [f"{x} was added" for x in others if not x.startswith(".") and not x.endswith(PICTURES)]
    if wrong and _read_lines(folder) != lines:  # its process has just written more of it
        return unsealed(folder)
    if wrong or added:
        way_out = "make it again" if wrong else "move what was added away"
        raise InputError(f"{folder} is not as it was saved: {', '.join([*wrong, *added])}; {way_out}")
    return whole


@contextmanager
def guarded(path: Path, *told: type[Exception]) -> Iterator[None]:
    """Errors that the contents of a file cause, as an InputError that names it; those `told` pass.

    The seal holds, so the file was written and sealed by another program. Whatever a reader raises is caught,
    also what is no Exception (polars panics).
    """
    try:
        yield
    except told:
        raise
    except (Exception, pl.exceptions.PanicException) as error:
        kind = "" if isinstance(error, InputError) else f"{type(error).__name__}: "
        raise InputError(f"{path} cannot be read ({kind}{error}); make it again") from error


def document(folder: Path, name: str, contents: Mapping[str, bytes], schema: int) -> dict[str, Any]:
    """The entries of a JSON file of a folder; InputError for another schema."""
    table: dict[str, Any] = read(folder, name, contents, lambda file: dict(json.load(file)))
    if (version := table.get("schema")) != schema:
        raise InputError(
            f"{folder / name} is of schema {version}, this version reads schema {schema}; make it again or "
            "use the version that wrote it"
        )
    return table


def read(
    folder: Path, name: str, contents: Mapping[str, bytes], reader: Callable[[io.BytesIO], Read]
) -> Read:
    """The result of the reader of a foreign format for a file that has to be there."""
    if name not in contents:
        raise InputError(f"{folder} is damaged: it has no {name}; make it again")
    content, size = io.BytesIO(contents[name]), 0
    with guarded(folder / name):
        if name.endswith(".npz"):
            size = sum(entry.file_size for entry in zipfile.ZipFile(content).infolist())
        elif name.endswith(".parquet"):  # rows up to the first beyond `LARGEST`, whatever the footer says
            names = list(pl.read_parquet_schema(content))
            content.seek(0)
            most = LARGEST // (8 * len(names)) + 1
            size = 8 * len(names) * len(pl.read_parquet(content, columns=names[:1], n_rows=most))
        if size > LARGEST:
            raise ValueError(f"it is packed, and has more than {LARGEST:,} bytes")
        content.seek(0)
        return reader(content)


def _read_lines(folder: Path) -> set[tuple[str, str]]:
    """Digest and name of every file in the seal of a folder; InputError for a missing or altered seal."""
    if not files.is_file(folder / SEAL):
        raise InputError(
            f"{folder} has no {SEAL}, the seal of its files: it was taken away, or is of an earlier version "
            "of senn; make it again"
        )
    content = files.content(folder / SEAL, LARGEST)
    head, _, rest = content.decode("ascii", "replace").partition("\n")
    lines = [_LINE.fullmatch(line) for line in rest.splitlines()]
    sealed = {(line[1], line[2]) for line in lines if line}
    heads = [_HEAD.format(kind, _digest(rest.encode())) for kind in _KINDS]
    if len(sealed) < len(lines) or f"{head}\n" not in heads:
        raise InputError(f"{folder} is not as it was saved: {SEAL}, its seal, was altered; make it again")
    return sealed


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()

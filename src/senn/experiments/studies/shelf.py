"""The folder of a study, and the rows that are kept in it: written once, each as soon as it is there.

study.toml         a copy of the study file that was run last
rows/KEY.json      one finished run each, named by what was asked for (`Point.key`)
table.parquet      all of them, when all are there
comparison.md      the same for people
comparison.png     the picture
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from senn.experiments.studies.grid import Point
from senn.experiments.studies.row import Row, is_row
from senn.traces import files
from senn.traces.errors import InputError

COPY, ROWS = "study.toml", "rows"
TABLE, PICTURE, TEXT = "table.parquet", "comparison.png", "comparison.md"


def check_folder(folder: Path) -> None:
    """Refuse a place where no study can be kept, and a folder that holds something else."""
    above = next(one for one in (folder.absolute(), *folder.absolute().parents) if one.exists())
    if not above.is_dir():
        raise InputError(f"{above} is a file, not a folder; choose another place with -o")
    if not os.access(above, os.W_OK | os.X_OK):
        raise InputError(f"{above} may not be written; choose another place with -o")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / COPY).is_file():
        raise InputError(f"{folder} is there and is not the folder of a study; choose another with -o")


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """While this process works in the folder no other study does; `InputError` if one is at it.

    A lock ends with its process, however that ends. Where nothing was written, no folder is left.
    """
    made = [one for one in (folder, *folder.parents) if not one.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with files.locked(folder) as ours:
            if ours is False:
                raise InputError(
                    f"{folder}: another study is at work there; wait for it, or choose another with -o"
                )
            yield
    finally:
        with suppress(OSError):  # which it is if anything is in it
            for one in made:
                one.rmdir()


def kept(folder: Path, points: Iterable[Point]) -> dict[str, Row]:
    """The rows of these points that are there, by key."""
    rows = {}
    for point in points:
        try:
            found = json.loads(files.content(folder / ROWS / f"{point.key}.json"))
        except (ValueError, RecursionError):  # none, or what a failing disk left: it is computed again
            continue
        if is_row(found, point):
            rows[point.key] = found
    return rows


def keep(folder: Path, key: str, row: Row) -> None:
    """Keep a row, whole or not at all, also if the computer stops at this moment."""
    # What is no finite number (the error of a failed certificate may be NaN) is JSON's extension NaN.
    files.put(folder / ROWS / f"{key}.json", (json.dumps(row, ensure_ascii=False) + "\n").encode())

"""`senn.compare` and `senn.study`: runs computed in this process, or one by one into the folder of a study.

The folder of a study has

study.toml         a copy of the study file that was run last
rows/KEY.json      a file for each finished run, named by `Point.key`
table.parquet      all runs, once all are finished
comparison.md      the table for people
comparison.png     the picture
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from os import PathLike
from pathlib import Path

import polars as pl

from senn.base import files
from senn.base.errors import InputError
from senn.choices import Scalar
from senn.studies.grid import Grid, Point, converted, points
from senn.studies.row import Compute, Row, compute_row, is_row, markdown, table
from senn.studies.study import Study, read

COPY, ROWS = "study.toml", "rows"
TABLE, PICTURE, TEXT = "table.parquet", "comparison.png", "comparison.md"


def compare_grid(vary: Mapping[str, Scalar | Sequence[Scalar]]) -> Grid:
    """Grid of all combinations of values, each a value or a list; `InputError` for a value out of range."""
    if not isinstance(vary, Mapping):
        raise InputError(
            f'vary is {vary!r}; write a table of values: compare({{"problem": ["ssrms", "ur5"]}})'
        )
    valid = {}
    for name, values in vary.items():
        several = values if isinstance(values, list | tuple) else [values]
        valid[name] = [converted(name, value, name) for value in several]
    return Grid(vary=valid, where="compare")


def compare(
    vary: Mapping[str, Scalar | Sequence[Scalar]], *, progress: Callable[[Row], None] = lambda row: None
) -> pl.DataFrame:
    """Run all combinations of the values of `vary` in this process, and return a table with a row for each.

    Names are the arguments of `senn.run`, the fields of a machine ("timing.word"), and "n", which replaces
    {n} in texts. A run that fails is a row with its error. `progress(row)` is called after each run.

    >>> import senn
    >>> table = senn.compare({"problem": "random:4:seed=1", "residency": ["home", "migrating"]})
    >>> table["residency"].to_list()
    ['home', 'migrating']
    """
    combinations = points(compare_grid(vary))
    rows = []
    for _, result in here(combinations):
        rows.append(result)
        progress(result)
    return table(combinations, rows)


def study(
    file: str | PathLike[str],
    folder: str | PathLike[str] | None = None,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    allow_code: bool = False,
    retry_failed: bool = False,
    progress: Callable[[Row, bool], None] = lambda row, was_there: None,
) -> pl.DataFrame:
    """Run the study of a TOML file in a folder, by default runs/study-NAME, and return its table of runs.

    Finished runs are kept at once, so that an interrupted study goes on when it is called again;
    `retry_failed` repeats runs that ended in an error. `workers` is the number of processes of this computer,
    by default one for each processor, and `scheduler` the address of a Dask scheduler to use in their place.
    A file that names Python code needs `allow_code`. `progress(row, was_there)` is called for each run.
    """
    from senn.studies import processes

    computing = processes.crew(workers, scheduler)
    request = read(Path(file))
    if request.code and not allow_code:
        raise InputError(f"{file} runs Python code: {', '.join(request.code)}; look at it, then allow_code")
    place = Path(folder) if folder else request.folder
    return conduct(request, Path(file), place, computing, retry_failed=retry_failed, progress=progress)


def here(points: Sequence[Point]) -> Iterator[tuple[Point, Row]]:
    """Compute points in this process, one after the other."""
    for point in points:
        yield point, compute_row(point)


def conduct(
    study: Study,
    file: Path,
    folder: Path,
    computing: Callable[[], AbstractContextManager[Compute]] = lambda: nullcontext(here),
    *,
    retry_failed: bool = False,
    progress: Callable[[Row, bool], None] = lambda row, was_there: None,
) -> pl.DataFrame:
    """`study` of a file that was read; `computing` is entered only if a row is missing.

    `InputError` if another study uses the folder.
    """
    with files.working_in(folder, "study", COPY):
        files.sweep(folder / ROWS)
        try:
            rows = kept_rows(folder, study.points)
            if retry_failed:
                rows = {key: row for key, row in rows.items() if row["error"] is None}
            alike: dict[str, list[Point]] = {}  # a process computes neighbours of the same numbers once
            for point in (point for point in study.points if point.key not in rows):
                arguments = sorted(point.arguments.items(), key=lambda entry: entry[0])
                numbers = repr([entry for entry in arguments if entry[0] not in _NO_NUMBER])
                alike.setdefault(numbers, []).append(point)
            missing = [point for points in alike.values() for point in points]
            for row in rows.values():
                progress(row, True)
            with computing() if missing else nullcontext(here) as compute:
                files.write(folder / COPY, file.read_bytes())
                if missing:
                    for name in (TABLE, PICTURE, TEXT):  # of fewer runs
                        (folder / name).unlink(missing_ok=True)
                for point, row in compute(missing):
                    # A number that is not finite (an error of a failed certificate) is JSON's extension NaN.
                    text = json.dumps(row, ensure_ascii=False) + "\n"
                    place = folder / ROWS / f"{point.key}.json"
                    files.put(place, text.encode(errors="backslashreplace"))  # whole or not at all
                    rows[point.key] = row
                    progress(row, False)
            runs = table(study.points, [rows[point.key] for point in study.points])
            files.write(folder / TABLE, files.written(partial(runs.write_parquet, compression="zstd")))
            files.write(folder / TEXT, markdown(runs, study.varied).encode())
            return runs
        except InputError as error:  # a full disk, a scheduler that is gone
            done, total = len(kept_rows(folder, study.points)), len(study.points)
            if not done:
                raise
            raise InputError(
                f"{error}; {done} of {total} runs are kept in {folder}, and the same command goes on"
            ) from None


_NO_NUMBER = ("machine", "set", "allocation", "residency")
"""Arguments on which no number depends, or rarely."""


def kept_rows(folder: Path, points: Iterable[Point]) -> dict[str, Row]:
    """Rows of these points that the folder has, by key."""
    rows = {}
    for point in points:
        try:
            entry = json.loads(files.content(folder / ROWS / f"{point.key}.json"))
        except (ValueError, RecursionError):  # no row, or a damaged one: it is computed again
            continue
        if is_row(entry, point):
            rows[point.key] = entry
    return rows

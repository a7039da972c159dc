"""A study from beginning to end: what is missing is computed, kept at once, and in the end put together."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from senn.experiments.studies import shelf
from senn.experiments.studies.grid import Point
from senn.experiments.studies.row import Row, row
from senn.experiments.studies.study import Study
from senn.traces import files

if TYPE_CHECKING:
    import polars as pl

Compute: TypeAlias = Callable[[Sequence[Point]], Iterable[tuple[Point, Row]]]
"""Computes points, in any order, and hands out every row as soon as it is there."""


def here(points: Sequence[Point]) -> Iterator[tuple[Point, Row]]:
    """Compute in this process, one after the other."""
    for point in points:
        yield point, row(point)


def conduct(
    study: Study,
    file: Path,
    folder: Path,
    computing: Callable[[], AbstractContextManager[Compute]] = lambda: nullcontext(here),
    *,
    retry_failed: bool = False,
    progress: Callable[[Row, bool], None] = lambda row, was_there: None,
) -> pl.DataFrame:
    """Run the points of a study that `folder` has not got, and write its table, which is returned.

    Every row is kept as soon as it is there: however this ends, the next call goes on. Rows with an error
    count as finished unless `retry_failed`. `computing` is entered only if something is missing. `progress`
    is told every row and whether it was there before. `InputError` while another study is at work there.
    """
    for place in (folder, folder / shelf.ROWS):
        files.sweep(place)
    shelf.check_folder(folder)
    with shelf.held(folder):
        return _conducted(study, file, folder, computing, retry_failed, progress)


def _conducted(
    study: Study,
    file: Path,
    folder: Path,
    computing: Callable[[], AbstractContextManager[Compute]],
    retry_failed: bool,
    progress: Callable[[Row, bool], None],
) -> pl.DataFrame:
    from senn.experiments.studies.table import markdown, table

    rows = shelf.kept(folder, study.points)
    if retry_failed:
        rows = {key: one for key, one in rows.items() if one["error"] is None}
    missing = [point for point in study.points if point.key not in rows]
    for one in rows.values():
        progress(one, True)
    with computing() if missing else nullcontext(here) as compute:
        files.write(folder / shelf.COPY, file.read_bytes())
        if missing:
            for name in (shelf.TABLE, shelf.PICTURE, shelf.TEXT):  # those of fewer runs
                (folder / name).unlink(missing_ok=True)
        for point, one in compute(missing):
            shelf.keep(folder, point.key, one)
            rows[point.key] = one
            progress(one, False)
    found = table(study.points, [rows[point.key] for point in study.points])
    parquet = io.BytesIO()
    found.write_parquet(parquet, compression="zstd")
    files.write(folder / shelf.TABLE, parquet.getvalue())
    files.write(folder / shelf.TEXT, markdown(found, study.varied).encode())
    return found

"""A study from beginning to end: what is missing is computed, kept at once, and in the end put together."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from senn.studies import shelf
from senn.studies.grid import Case
from senn.studies.row import Row, row
from senn.studies.study import Study

if TYPE_CHECKING:
    import polars as pl

Compute: TypeAlias = Callable[[Sequence[Case]], Iterable[tuple[Case, Row]]]
"""Computes cases, in any order, and hands out every row as soon as it is there."""


def here(cases: Sequence[Case]) -> Iterator[tuple[Case, Row]]:
    """Compute in this process, one after the other."""
    for case in cases:
        yield case, row(case)


def conduct(
    study: Study,
    file: Path,
    folder: Path,
    computing: Callable[[], AbstractContextManager[Compute]] = lambda: nullcontext(here),
    *,
    retry_failed: bool = False,
    progress: Callable[[Row, bool], None] = lambda row, was_there: None,
) -> pl.DataFrame:
    """Run the cases of a study that `folder` has not got, and write its table, which is returned.

    Every row is kept as soon as it is there: however this ends, the next call goes on. Rows with an error
    count as finished unless `retry_failed`. `computing` is entered only if something is missing. `progress`
    is told every row and whether it was there before.
    """
    from senn.studies.table import markdown, table

    shelf.check_folder(folder)
    rows = shelf.kept(folder, study.cases)
    if retry_failed:
        rows = {key: one for key, one in rows.items() if one["error"] is None}
    missing = [case for case in study.cases if case.key not in rows]
    for one in rows.values():
        progress(one, True)
    with computing() if missing else nullcontext(here) as compute:
        shelf.write(folder / shelf.COPY, file.read_bytes())
        if missing:
            for name in (shelf.TABLE, shelf.PICTURE, shelf.TEXT):  # those of fewer runs
                (folder / name).unlink(missing_ok=True)
        for case, one in compute(missing):
            shelf.keep(folder, case.key, one)
            rows[case.key] = one
            progress(one, False)
    found = table(study.cases, [rows[case.key] for case in study.cases])
    parquet = io.BytesIO()
    found.write_parquet(parquet, compression="zstd")
    shelf.write(folder / shelf.TABLE, parquet.getvalue())
    shelf.write(folder / shelf.TEXT, markdown(found, study.varied).encode())
    return found

"""Runs side by side: `senn.compare` in this process, and `senn.study` of a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from senn.choices import Scalar
from senn.experiments.studies import parameters
from senn.experiments.studies.conduct import here
from senn.experiments.studies.grid import Grid, points
from senn.experiments.studies.row import Row
from senn.traces.errors import InputError

if TYPE_CHECKING:
    import polars as pl


def grid(vary: Mapping[str, Scalar | Sequence[Scalar]]) -> Grid:
    """Grid of all combinations of values, each a value or a list; `InputError` for a value out of range."""
    checked = {}
    for name, values in vary.items():
        several = values if isinstance(values, list | tuple) else [values]
        checked[name] = [parameters.checked(name, value, name) for value in several]
    return Grid(vary=checked, where="compare")


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
    from senn.experiments.studies.table import table

    combinations = points(grid(vary))
    rows = []
    for _, row in here(combinations):
        rows.append(row)
        progress(row)
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
    from senn.experiments.studies import cluster, processes
    from senn.experiments.studies.conduct import conduct
    from senn.experiments.studies.study import read

    if scheduler and workers:
        raise InputError("workers are processes of this computer; a scheduler has its own: leave one out")
    request = read(Path(file))
    if request.code and not allow_code:
        raise InputError(f"{file} runs Python code: {', '.join(request.code)}; look at it, then allow_code")
    computing = partial(processes.computing, workers)
    if scheduler:
        cluster.check_installed()
        computing = partial(cluster.computing, scheduler)
    place = Path(folder) if folder else Path("runs") / f"study-{request.name}"
    return conduct(request, Path(file), place, computing, retry_failed=retry_failed, progress=progress)

"""A few runs side by side, in this process."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from senn.choice import Scalar
from senn.experiments.studies import parameters
from senn.experiments.studies.conduct import here
from senn.experiments.studies.grid import Grid, points
from senn.experiments.studies.row import Row

if TYPE_CHECKING:
    import polars as pl


def grid(asked: Mapping[str, Scalar | Sequence[Scalar]]) -> Grid:
    """All combinations of the values given, each one value or a list; `InputError` for what may not be."""
    vary = {}
    for name, given in asked.items():
        values = given if isinstance(given, list | tuple) else [given]
        vary[name] = [parameters.checked(name, value, name) for value in values]
    return Grid(vary=vary, where="compare")


def compare(
    asked: Mapping[str, Scalar | Sequence[Scalar]], *, progress: Callable[[Row], None] = lambda row: None
) -> pl.DataFrame:
    """Run all combinations of the values given, here and now, and return a row a run (`studies.table.table`).

    The names are the arguments of `senn.run`, the fields of a machine ("timing.word"), and "n", which stands
    for {n} in texts. A run that fails is a row with its error. `progress` is told every row.
    """
    from senn.experiments.studies.table import table

    made = points(grid(asked))
    rows = []
    for _, row in here(made):
        rows.append(row)
        progress(row)
    return table(made, rows)

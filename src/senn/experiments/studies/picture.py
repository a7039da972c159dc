"""The picture of a study: what stands along x, what is measured, and which runs are one series."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from senn.choices import Scalar
from senn.experiments.studies import parameters
from senn.experiments.studies.grid import Point
from senn.experiments.studies.row import SCORES
from senn.traces.errors import InputError

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Picture:
    """`colour` are the columns that set the series apart; of the runs only those that are as `where` says."""

    x: str
    y: str = "makespan"
    colour: tuple[str, ...] = ()
    where: Mapping[str, Scalar] = field(default_factory=dict)


def suiting(varied: Sequence[str], table: pl.DataFrame) -> Picture:
    """The picture of runs about which nothing else was said: over n, else over a number, else over words."""
    from senn.traces.pictures.comparison import numeric

    numbers = [name for name in varied if numeric(table[name].to_list())]
    x = next(iter([*(name for name in varied if name == parameters.SIZE), *numbers, *varied, "problem"]))
    return Picture(x, colour=tuple(name for name in varied if name != x))


def check(picture: Picture, points: Iterable[Point], where: str) -> None:
    """`InputError`, beginning with `where`, if these runs cannot be drawn so."""
    from senn.experiments.studies.table import of_parameters
    from senn.traces.pictures.comparison import arranged

    if picture.y not in SCORES and not re.fullmatch(r"instructions_[1-9]", picture.y):
        raise InputError(f"{where}.y: {picture.y} is not a score; the scores are {', '.join(SCORES)}")
    try:
        chosen = _chosen(of_parameters(points), picture)
        if chosen.is_empty():
            raise InputError("where: no run is so")
        arranged(chosen, picture.x, picture.colour)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def drawn(picture: Picture, table: pl.DataFrame, caption: str) -> Axes:
    """The picture of a table of finished runs."""
    from senn.traces.pictures import plots

    return plots.comparison(
        _chosen(table, picture), picture.x, picture.y, picture.colour, caption=_said(picture, caption)
    )


def _chosen(table: pl.DataFrame, picture: Picture) -> pl.DataFrame:
    import polars as pl

    for name, value in picture.where.items():
        if name not in table.columns:
            raise InputError(f"where: {name} is not a column; the columns are {', '.join(table.columns)}")
        # As text: a column that holds "0.5" holds "4", not 4.
        table = table.filter(pl.col(name).cast(pl.String).str.to_lowercase() == str(value).lower())
    return table


def _said(picture: Picture, caption: str) -> str:
    from senn.traces.pictures.comparison import label

    return ", ".join([caption, *([label(dict(picture.where))] if picture.where else [])])

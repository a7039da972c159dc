"""The rows of a study as one table: parameters, scores, and which score is the best."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ForwardRef

import polars as pl

from senn.algorithms.catalogue import ALGORITHMS
from senn.experiments.studies.grid import Point
from senn.experiments.studies.parameters import SIZE, arguments_of_run
from senn.experiments.studies.row import SCORES, Row

QUESTION = (SIZE, "problem", "tip", "seed")
"""Runs that agree in these, and whose algorithms answer the same question with or without the contact, solve
the same problem: only they are better or worse than each other."""

LESS_IS_BETTER = (
    "makespan",
    "microseconds",
    "instructions",
    "network_steps",
    "messages",
    "hops",
    "words",
    "word_hops",
    "dilation",
    "congestion",
    "load",
    "stall",
    "exposed",
)

_LAST = ("trace_hash", "seconds", "version", "error")
_KINDS: Mapping[type, type[pl.DataType]] = {
    int: pl.Int64,
    float: pl.Float64,
    bool: pl.Boolean,
    str: pl.String,
}


def table(points: Sequence[Point], rows: Sequence[Row]) -> pl.DataFrame:
    """A row a run, in the order of the points: key, case (where cases are labelled), n, every other
    parameter, every score, trace_hash, seconds, version, error (null in a run that came to its end).

    A field of the machine that a run was not asked for is null: as the machine has it.
    """
    asked = list(dict.fromkeys(name for point in points for name in point.parameters if name != SIZE))
    counted = sorted({name for row in rows for name in row if name.startswith("instructions_")})
    others = {name for row in rows for name in row} - {SIZE, *asked, *counted, *SCORES, *_LAST}
    scores = [name for name in SCORES if name not in _LAST]
    by_array = scores.index("instructions") + 1
    columns = {"key": pl.Series([point.key for point in points], dtype=pl.String)}
    if any(point.label for point in points):
        columns["case"] = pl.Series([point.label for point in points], dtype=pl.String)
    for name in (SIZE, *asked, *scores[:by_array], *counted, *scores[by_array:], *sorted(others), *_LAST):
        columns[name] = _column([row.get(name) for row in rows], _kind(name))
    return pl.DataFrame(columns)


def of_parameters(points: Iterable[Point]) -> pl.DataFrame:
    """What is known of the runs before they run: case and parameters, as in `table`."""
    points = list(points)
    whole = table(points, [dict(point.parameters) for point in points])
    names = {"case", *(name for point in points for name in point.parameters)}
    return whole.select(name for name in whole.columns if name in names)


_CYCLES = ("makespan", "stall", "exposed")


def best(found: pl.DataFrame) -> dict[str, list[bool]]:
    """For each score of which less is better: which runs are the best of all that solve the same problem.

    Cycles are compared on machines of one clock only; microseconds on all. Runs that are not fine are no
    candidates, and where all have the same there is no best.
    """
    fine = pl.col("error").is_null() & pl.col("certificate_ok").fill_null(True)
    asked = {name: f"{one.question} {one.closed}" for name, one in ALGORITHMS.items()}
    question = [pl.col(name) for name in QUESTION if name in found.columns]
    if "algorithm" in found.columns:
        question.append(pl.col("algorithm").replace(asked))
    clock = (pl.col("makespan") / pl.col("microseconds")).round(6)
    marks = {}
    for name in LESS_IS_BETTER:
        score = pl.when(fine).then(pl.col(name))
        alike = [*question, *([clock] if name in _CYCLES else [])]
        least, most = score.min().over(alike), score.max().over(alike)
        is_best = ((score == least) & (least < most)).fill_null(False)
        marks[name] = found.select(is_best).to_series().to_list()
    return marks


def markdown(found: pl.DataFrame, varied: Sequence[str]) -> str:
    """The table for people: what varies and the scores, the best of each in bold."""
    marks = best(found)
    names = [*varied, *(name for name in LESS_IS_BETTER if found[name].null_count() < found.height)]
    lines = [names, ["---" if name in varied else "--:" for name in names]]
    for index, row in enumerate(found.iter_rows(named=True)):
        bold = {name for name in marks if marks[name][index]}
        lines.append([f"**{shown(row[name])}**" if name in bold else shown(row[name]) for name in names])
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def shown(value: Any) -> str:
    """A value of the table in words."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:,.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _kind(name: str) -> type | None:
    """The type of a column where it is known."""
    if name in SCORES:
        return SCORES[name]
    if name in ("trace_hash", "version", "error"):
        return str
    if name == SIZE or name.startswith("instructions_"):
        return int
    asked = arguments_of_run().get(name)
    if asked is None:
        return None
    if isinstance(asked.kind, ForwardRef) and isinstance(asked.default, int):
        return None  # a number, or a text
    if isinstance(asked.default, bool | int | str):
        return type(asked.default)
    return int if asked.kind == int | None else str


def _column(values: list[Any], kind: type | None) -> pl.Series:
    """A typed column; of unknown kind: whole numbers or truth values if all are, numbers, else texts."""
    there = {type(value) for value in values if value is not None}
    if kind is None:
        kind = there.pop() if len(there) == 1 else float if there == {int, float} else str
    if kind is str:
        values = [str(value).lower() if isinstance(value, bool) else value for value in values]
        values = [value if value is None else str(value) for value in values]
    return pl.Series(values, dtype=_KINDS[kind], strict=kind is not float)

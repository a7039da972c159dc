"""Runs of a study as rows of one table: parameters, scores or the error, and the best scores."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import polars as pl

from senn import __version__
from senn.algorithms.catalogue import ALGORITHMS
from senn.api import solving
from senn.api.building import Shared
from senn.base.errors import InputError
from senn.machine.engines.control import Deadlock
from senn.machine.engines.memory import Violation
from senn.studies import CERTIFICATE, COUNTED, JUDGED, SPENT
from senn.studies.grid import SIZE, Point, arguments_of_run
from senn.traces.analysis.causality import LABELS
from senn.traces.facts import facts, figures, levels
from senn.traces.record import refuse_fork
from senn.traces.run import Run

Row: TypeAlias = dict[str, Any]
Compute: TypeAlias = Callable[[Sequence[Point]], Iterable[tuple[Point, Row]]]
"""Function that computes points in any order and yields each row when it is finished."""

SCORES: dict[str, type] = {
    **dict.fromkeys(("levels", "nodes", "makespan"), int),  # nodes of each array
    "microseconds": float,  # of the makespan, at the machine's clock
    **dict.fromkeys(("instructions", "network_steps", "messages", "hops", "words", "word_hops"), int),
    **dict.fromkeys(("dilation", "congestion", "congestion_in_all", "load"), int),
    **dict.fromkeys(("stall", "dependency_wait", "exposed_stall", "in_flight", "exposed", "hidden"), int),
    **{f"{SPENT}{name}": int for name in LABELS},  # the makespan, by what the critical path spent it on
    "femtojoules": int,  # with energies of the machine
    "free_network": int,  # with `bounds`: T0
    "blocking": int,  # with `bounds`: T_block
    "certificate_error": float,
    "certificate_residual": float,
    "certificate_digits": int,
    "certificate_ok": bool,
    "seconds": float,
}
"""The scores that every row has, some null, in the order of the columns, and their types."""


_SHARED = Shared()
"""Of this process: neighbours in a study often differ in times or numbers alone."""


def compute_row(point: Point) -> Row:
    """Row of a run, which is computed: a pure function of the point, except for `seconds`, the time it took.

    An error of the run is the row's `error`, which is null in a finished run.
    """
    start = time.perf_counter()
    try:
        if point.version != __version__:
            raise InputError(
                f"the study is of senn {point.version}, this worker has {__version__}; install the same"
            )
        scores = _scores(solving.run(**point.arguments, values=False, shared=_SHARED))
    except Exception as error:
        is_foreseen = isinstance(error, InputError | Deadlock | Violation)
        scores = {"error": str(error) if is_foreseen else f"{type(error).__name__}: {error}"}
    seconds = round(time.perf_counter() - start, 3)
    return {**point.parameters, "error": None, **scores, "seconds": seconds, "version": __version__}


def failed(point: Point, error: str) -> Row:
    """Row of a run whose worker died."""
    return {**point.parameters, "error": error, "version": __version__}


def is_row(entry: object, point: Point) -> bool:
    """Whether an entry that was read is a row of this point: its parameters, and scores of their types."""
    if not (isinstance(entry, dict) and {**entry, **point.parameters} == entry and "error" in entry):
        return False
    kinds: dict[str, type | tuple[type, ...]] = {**SCORES, "error": str}
    for name, value in entry.items():
        kind = (int, float) if kinds.get(name) is float else kinds.get(name, str | int | float | bool)
        if not (value is None or isinstance(value, kind)):
            return False
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            return False
    return True


def is_fine(row: Mapping[str, Any]) -> bool:
    """Whether the run finished without an error, and its certificate holds if it has numbers."""
    return row["error"] is None and row.get("certificate_ok") is not False


def _scores(run: Run) -> Row:
    scores, certificate = figures(run), run.certificate or {}
    return {
        **{name: scores[name] for name in SCORES if name in scores},
        SIZE: facts(run).n,
        "levels": levels(run),
        **{f"{COUNTED}{k}": array["instructions"] for k, array in scores["by_array"].items()},
        **{f"{SPENT}{name}": count for name, count in (scores["spent"] or {}).items()},
        **{f"{JUDGED}{name}": certificate.get(entry) for name, entry in CERTIFICATE.items()},
        "trace_hash": run.trace.hash,
    }


QUESTION = (SIZE, "problem", "tip", "seed")
"""Runs that agree in these, and whose algorithms answer the same question with or without the contact, solve
the same problem: only they are better or worse than each other."""

LESS_IS_BETTER = (
    *("makespan", "microseconds", "instructions", "network_steps", "messages", "hops", "words", "word_hops"),
    *("dilation", "congestion", "load", "stall", "exposed_stall", "exposed", "femtojoules"),
)

_LAST = ("trace_hash", "seconds", "version", "error")
_KINDS = {int: pl.Int64, float: pl.Float64, bool: pl.Boolean, str: pl.String}


def table(points: Sequence[Point], rows: Sequence[Row]) -> pl.DataFrame:
    """Table with a row for each run, in the order of the points: key, case (if cases have labels), n, every
    other parameter, every score, trace_hash, seconds, version, error (null in a finished run).

    A field of the machine that a run does not change is null.
    """
    refuse_fork()
    parameters = list(dict.fromkeys(name for point in points for name in point.parameters if name != SIZE))
    counted = sorted({name for row in rows for name in row if name.startswith(COUNTED)})
    others = {name for row in rows for name in row} - {SIZE, *parameters, *counted, *SCORES, *_LAST}
    scores = [name for name in SCORES if name not in _LAST]
    behind = scores.index("instructions") + 1
    scores[behind:behind] = counted
    columns = {"key": pl.Series([point.key for point in points], dtype=pl.String)}
    if any(point.label for point in points):
        columns["case"] = pl.Series([point.label for point in points], dtype=pl.String)
    kinds = {name: {*row.kinds(written=True)} for name, row in arguments_of_run().items()}
    kinds |= {name: {kind} for name, kind in SCORES.items()} | {key: {int} for key in (SIZE, *counted)}
    for name in (SIZE, *parameters, *scores, *sorted(others), *_LAST):
        values = [row.get(name) for row in rows]
        types = kinds.get(name, {str} if name in _LAST else set())
        if len(types) != 1:  # numbers, or texts
            types = {type(value) for value in values if value is not None}
        kind = next(iter(types)) if len(types) == 1 else float if types == {int, float} else str
        if kind is str:
            values = [str(value).lower() if isinstance(value, bool) else value for value in values]
            # Names of files need not be UTF-8, the table is.
            values = [v if v is None else str(v).encode(errors="backslashreplace").decode() for v in values]
        columns[name] = pl.Series(values, dtype=_KINDS[kind], strict=kind is not float)
    return pl.DataFrame(columns)


def of_parameters(points: Iterable[Point]) -> pl.DataFrame:
    """Case and parameters of runs that have not run yet, as in `table`."""
    points = list(points)
    whole = table(points, [dict(point.parameters) for point in points])
    names = {"case", *(name for point in points for name in point.parameters)}
    return whole.select(name for name in whole.columns if name in names)


_CYCLES = ("makespan", "stall", "exposed_stall", "exposed")


def best(runs: pl.DataFrame) -> dict[str, list[bool]]:
    """For each score of which less is better, whether each run is the best with its problem.

    Cycles are compared on machines of one clock, microseconds on all. A run with an error is no candidate,
    and if all scores are equal no run is the best.
    """
    fine = pl.col("error").is_null() & pl.col("certificate_ok").fill_null(True)
    questions = {name: f"{algorithm.question} {algorithm.closed}" for name, algorithm in ALGORITHMS.items()}
    question = [pl.col(name) for name in QUESTION if name in runs.columns]
    if "algorithm" in runs.columns:
        question.append(pl.col("algorithm").replace(questions))
    clock = (pl.col("makespan") / pl.col("microseconds")).round(6)
    marks = {}
    for name in LESS_IS_BETTER:
        score = pl.when(fine).then(pl.col(name))
        alike = [*question, *([clock] if name in _CYCLES else [])]
        least, most = score.min().over(alike), score.max().over(alike)
        is_best = ((score == least) & (least < most)).fill_null(False)
        marks[name] = runs.select(is_best).to_series().to_list()
    return marks


def markdown(runs: pl.DataFrame, varied: Sequence[str]) -> str:
    """The table in Markdown: columns that vary, and the scores, the best in bold."""
    marks = best(runs)
    names = [*varied, *(name for name in LESS_IS_BETTER if runs[name].null_count() < runs.height)]
    lines = [names, ["---" if name in varied else "--:" for name in names]]
    for index, row in enumerate(runs.iter_rows(named=True)):
        bold = {name for name in marks if marks[name][index]}
        lines.append([f"**{shown(row[name])}**" if name in bold else shown(row[name]) for name in names])
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def shown(value: Any) -> str:
    """A value of the table as text."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:,.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)

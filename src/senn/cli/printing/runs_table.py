"""Many runs on the screen: what they differ in, their scores, the best of each, and what went wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.console import Console

from senn.cli.printing.screen import facts, heading, indented, table

if TYPE_CHECKING:
    import polars as pl

_FIRST = (
    *("makespan", "microseconds", "network_steps", "exposed_stall", "stall"),
    *("instructions", "hops", "words", "messages", "word_hops", "dilation", "congestion", "load"),
)
"""Scores in the order of their columns."""


def show_runs(page: Console, found: pl.DataFrame, varied: Sequence[str], most: int | None = None) -> None:
    """A line a run, with at most `most` lines: the columns `varied`, the makespan and scores that differ.

    A star marks the best of the runs that solve the same problem; what is the same in all comes below.
    """
    from senn.experiments.studies.row import best, shown

    lines = found.head(most or found.height)
    ended = found.filter(found["error"].is_null())
    there = [name for name in _FIRST if found[name].null_count() < found.height]
    if (found["makespan"] / found["microseconds"]).round(9).drop_nulls().n_unique() < 2:
        there = [name for name in there if name != "microseconds"]  # one clock: cycles say it all
    differ = [name for name in there if name == _FIRST[0] or ended[name].n_unique() > 1]
    twins = {name: twin for name in differ if (twin := _twin(found, name, differ))}
    differ = [name for name in differ if name not in twins]
    marks = best(found)
    columns = {name: [name, *(shown(value) for value in lines[name])] for name in varied}
    for name in differ:
        pad = " " * any(marks[name])
        stars = ["*" if is_best else pad for is_best in marks[name]]
        title = name.replace("_", f"{pad}\n") + pad
        columns[name] = [title, *(shown(x) + star for x, star in zip(lines[name], stars, strict=False))]
    columns |= _shares(found, lines)
    if columns:  # none where nothing varies and nothing came of it
        titles, *rows = zip(*columns.values(), strict=True)
        page.print(table(titles[: len(varied)], titles[len(varied) :], rows))
    notes = _notes(found, [name for name in there if name not in differ and name not in twins], twins)
    if lines.height < found.height:
        notes.insert(0, ("...", f"{found.height - lines.height:,} more runs"))
    if any(any(marks[name]) for name in columns if name in marks):
        notes.insert(0, ("*", "the least of the runs that solve the same problem"))
    if notes:
        page.print()
        page.print(facts(notes))
    failures = failures_of(found, varied)
    if failures:
        heading(page, "Failed")
        indented(page, facts(failures[: most or len(failures)]))


def _shares(found: pl.DataFrame, lines: pl.DataFrame) -> dict[str, list[str]]:
    """Shares of the makespan by kind of cycle, in per cent: a column for each of 1 % or more."""
    from senn.experiments.studies.row import SPENT
    from senn.traces.analysis.causality import WORDS, share

    there = {
        name: f"{SPENT}{name}"
        for name in WORDS
        if (100 * found[f"{SPENT}{name}"] >= found["makespan"]).fill_null(False).any()
    }
    columns = {}
    for name, column in there.items():
        parts = zip(lines[column], lines["makespan"], strict=True)
        shares = ("-" if part is None else share(part, whole).removesuffix(" %") for part, whole in parts)
        columns[column] = [f"{WORDS[name]} %", *shares]
    return columns


def _twin(found: pl.DataFrame, name: str, others: Sequence[str]) -> str | None:
    """The score before this one that is equal to it in every run."""
    before = others[: others.index(name)]
    return next((other for other in before if found[other].equals(found[name])), None)


def _notes(found: pl.DataFrame, same: Sequence[str], twins: Mapping[str, str]) -> list[tuple[str, str]]:
    """Notes below the table: scores equal in all runs, and certificates."""
    from senn.experiments.studies.row import shown

    notes = []
    if same and found.height > 1:
        values = (f"{name.replace('_', ' ')} {shown(found[name].drop_nulls()[0])}" for name in same)
        notes.append(("same", f"in all runs: {', '.join(values)}"))
    notes += [
        ("equal", f"{name.replace('_', ' ')}, in all runs, is {twin.replace('_', ' ')}")
        for name, twin in twins.items()
    ]
    if found["certificate_ok"].any():
        errors = found.filter("certificate_ok")["certificate_error"].to_list()
        text = f"{len(errors):,} certificates hold; the largest error is {max(errors):.1e}"
        notes.append(("checked", text))
    return notes


def failures_of(found: pl.DataFrame, varied: Sequence[str]) -> list[tuple[str, str]]:
    """Which runs are not fine, and why: an error, or a certificate that does not hold."""
    from senn.experiments.studies.row import is_fine
    from senn.traces.pictures.comparison import label

    bad = [row for row in found.iter_rows(named=True) if not is_fine(row)]
    return [(label({name: row[name] for name in varied}) or row["problem"], _why(row)) for row in bad]


def _why(row: dict[str, object]) -> str:
    if row["error"] is not None:
        return str(row["error"])
    return (
        f"the certificate fails: error {row['certificate_error']:.1e}, residual "
        f"{row['certificate_residual']:.1e}; the tolerance is {row['certificate_tolerance']:.1e}"
    )


def verdict(found: pl.DataFrame, varied: Sequence[str]) -> tuple[int, str]:
    """The exit status of a table of runs, and what stderr says about it."""
    failures = failures_of(found, varied)
    if not failures:
        return 0, ""
    which, why = failures[0]
    return 1, f"{len(failures)} of {found.height} runs failed; the first, {which}: {why}"

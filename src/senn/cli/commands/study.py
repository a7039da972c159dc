"""`senn study`: a grid of runs kept as one table; and `senn compare`: a few runs side by side."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from senn.api import arguments
from senn.base.account import Account, Section
from senn.base.errors import InputError, message
from senn.base.tables import table
from senn.choices import RunChoices, choices
from senn.cli import options as cli
from senn.cli.printing import document, pictures
from senn.cli.printing.progress import counting
from senn.cli.printing.screen import complain, quiet
from senn.studies import SPENT

if TYPE_CHECKING:
    import polars as pl

_SHOWN = 40
"""Largest number of runs that are printed; the folder has all."""
_NAMED = 3
"""Largest number of functions that the question names."""


@cli.command(short_help="A grid of runs, on a cluster, as one table.")
@click.argument("file", type=cli.PATH)
@cli.written_to("DIR", "Folder of the study.  [default: runs/study-NAME]")
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Dask scheduler, such as tls://host:8786.  [default: processes of this computer]",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    metavar="N",
    help="Number of processes of this computer.  [default: one for each processor]",
)
@click.option("--allow-code", is_flag=True, help="Run the Python code that FILE names, without asking.")
@click.option("--retry-failed", is_flag=True, help="Repeat runs that ended in an error.")
@cli.quiet_option
def study(
    file: Path,
    output: Path | None,
    scheduler: str | None,
    workers: int | None,
    allow_code: bool,
    retry_failed: bool,
) -> Account:
    """Run every combination of the parameters of FILE, in TOML, and write one table of all runs.

    The folder gets table.parquet with a row for every run, comparison.md and comparison.png. Each finished
    run is kept at once: after Ctrl-C or a crash the same command continues, and after a change of FILE it
    computes only new runs. A run that fails is a row with its error. The exit status is 0 if all runs
    succeed, 1 if one fails, 2 if FILE is refused.

    FILE may name Python code, for its own allocations: on a terminal senn asks before it runs it, elsewhere
    --allow-code is needed.

    \b
    Examples:
      senn study residency.toml
      senn study mine.toml --workers 4 -o runs/mine
      senn study mine.toml --scheduler tls://head:8786
    """
    from senn.studies import conduct, processes
    from senn.studies import study as drawing
    from senn.studies.row import is_fine

    computing = processes.crew(workers, scheduler)
    request = drawing.read(file)
    if request.code and not allow_code:
        _ask(file, request.code)
    if scheduler and processes.is_open(scheduler):
        complain(
            f"{scheduler} is not encrypted, nor on this computer: who reaches it may run code as you; "
            "with certificates of your own it can be tls://"
        )
    folder, total = output or request.folder, len(request.points)
    with counting(total) as count:

        def progress(row: Mapping[str, Any], was_there: bool) -> None:
            count(is_fine(row), was_there)

        try:
            kept: dict[str, Any] = {"retry_failed": retry_failed, "progress": progress}
            rows = conduct.conduct(request, file, folder, computing, **kept)
        except KeyboardInterrupt:
            done = len(conduct.kept_rows(folder, request.points))
            text = f"interrupted: {done} of {total} runs are kept in {folder}; the same command goes on"
            raise click.Abort(text) from None
    picture: Path | None = folder / conduct.PICTURE
    shown = request.picture or drawing.suiting(request.varied, rows)
    try:
        drawing.check(shown, request.points, "no picture was drawn")
    except InputError as error:
        (folder / conduct.PICTURE).unlink(missing_ok=True)
        complain(f"{error} (in [plot] of the file)")
        picture = None
    else:
        pictures.write(lambda: drawing.drawn(shown, rows, request.name), folder / conduct.PICTURE)
    account = _account(rows, request.varied, most=_SHOWN)
    figures = {"study": request.name, **account.figures, "folder": folder, "picture": picture}
    whole = {"table": folder / conduct.TABLE, "text": folder / conduct.TEXT, "picture": picture}
    return replace(account, figures=figures, files={"study": folder} if quiet() else whole)


def _ask(file: Path, code: Sequence[str]) -> None:
    """InputError unless the user, at a terminal, allows the Python functions that a file names to run."""
    many = f", and {len(code) - _NAMED} more" if len(code) > _NAMED else ""
    names = message(f"{file} runs Python code: {', '.join(code[:_NAMED])}{many}")
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise InputError(f"{names}; look at it, then run it with --allow-code")
    if not click.confirm(f"senn: {names}. Run it?", err=True):
        raise InputError(f"{file}: its Python code was not allowed to run")


@cli.command(short_help="A few runs side by side.")
@click.argument("problem", nargs=-1, shell_complete=cli.PROBLEMS)
@cli.basic_option("--n", metavar="SIZES", help="Values of {n} in PROBLEM: 8,16,32 or 1:64 or 8:64:8.")
@cli.quiet_option
@cli.picture_option("the runs")
def compare(
    problem: Sequence[str],
    n: str | None,
    set: Mapping[str, Sequence[Any]],
    picture: Path | None,
    **options: Any,
) -> Account:
    """Run every combination of the values of the options, and print one line for each run.

    Options with a value may be repeated: --residency home --residency migrating runs both. (A comma does not
    separate values: --allocation identity,gray gives each array its own.) PROBLEM may be repeated too; {n} in
    it stands for each value of --n. For many runs write a file for `senn study`.

    \b
    Examples:
      senn compare --residency home --residency migrating --machine raw --machine mark3
      senn compare ssrms ur5 --set timing.word=1 --set timing.word=4
      senn compare random:{n} --n 8:64:8 --form paper --form short --plot forms.png
    """
    if picture:
        pictures.check(picture)
    from senn.studies import conduct as studies
    from senn.studies import study as drawing
    from senn.studies.grid import points
    from senn.studies.row import is_fine

    # Options that were not used keep the defaults of `senn run`.
    sizes = {} if n is None else {"n": arguments.sizes(n)}
    problems = {"problem": problem} if problem else {}
    used = {name: values for name, values in {**options, **set}.items() if values != ()}
    grid = studies.compare_grid({**sizes, **problems, **used})
    with counting(len(points(grid))) as count:
        rows = studies.compare(grid.vary, progress=lambda row: count(is_fine(row)))
    if picture:
        drawn = drawing.suiting(grid.varied, rows)
        names = [] if "problem" in grid.varied else [str(rows["problem"][0])]
        caption = ", ".join([*names, f"{rows.height} runs"])
        pictures.write(lambda: drawing.drawn(drawn, rows, caption), picture)
    account = _account(rows, grid.varied)
    return replace(account, figures={**account.figures, "picture": picture}, files={"picture": picture})


compare.params[1:1] = [
    cli.repeatable_option(row) for row in choices(RunChoices).values() if row.studied or row.name == "set"
]


_FIRST = (
    *("makespan", "microseconds", "femtojoules", "network_steps", "exposed_stall", "stall"),
    *("instructions", "hops", "words", "messages", "word_hops", "dilation", "congestion", "load"),
)
"""Scores in the order of their columns."""
_FAILED = (
    "the certificate fails: {certificate_digits} digits (error {certificate_error:.1e}, "
    "residual {certificate_residual:.1e})"
)


def _account(found: pl.DataFrame, varied: Sequence[str], most: int | None = None) -> Account:
    """The account of a table of runs; a failure if one of them is not fine."""
    from senn.studies.row import is_fine
    from senn.traces.pictures.comparison import label

    failures = []
    for row in found.iter_rows(named=True):
        if not is_fine(row):
            which = label({name: row[name] for name in varied}) or row["problem"]
            failures.append((which, row["error"] or _FAILED.format(**row)))
    failure, sections = None, [*_runs(found, varied, most)]
    if failures:
        which, why = failures[0]
        failure = f"{len(failures)} of {found.height} runs failed; the first, {which}: {why}"
        sections.append(Section("Failed", tuple(failures[: most or len(failures)])))
    return Account(sections, {"runs": document.of_rows(found)}, failure=failure)


def _runs(found: pl.DataFrame, varied: Sequence[str], most: int | None) -> Iterator[Section]:
    """A line a run, with at most `most` lines: the columns `varied`, the makespan and scores that differ.

    A star marks the best of the runs that solve the same problem; what is the same in all comes below.
    """
    from senn.studies.row import best, shown

    lines = found.head(most or found.height)
    ended = found.filter(found["error"].is_null())
    there = [name for name in _FIRST if found[name].null_count() < found.height]
    if (found["makespan"] / found["microseconds"]).round(9).drop_nulls().n_unique() < 2:
        there = [name for name in there if name != "microseconds"]  # one clock: cycles say it all
    differ = [name for name in there if name == _FIRST[0] or ended[name].n_unique() > 1]
    twins = {}  # scores, each with the first one that is equal to it in every run
    for name, other in combinations(differ[::-1], 2):
        if found[other].equals(found[name]):
            twins[name] = other
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
        yield Section(table=table(titles[: len(varied)], titles[len(varied) :], rows))
    notes = _notes(found, [name for name in there if name not in differ and name not in twins], twins)
    if lines.height < found.height:
        notes.insert(0, ("...", f"{found.height - lines.height:,} more runs"))
    if any(any(marks[name]) for name in columns if name in marks):
        notes.insert(0, ("*", "the least of the runs that solve the same problem"))
    if notes:
        yield Section(lines=tuple(notes))


def _shares(found: pl.DataFrame, lines: pl.DataFrame) -> dict[str, list[str]]:
    """Shares of the makespan by kind of cycle, in per cent: a column for each of 1 % or more."""
    from senn.traces.analysis.causality import WORDS, share

    columns = {}
    for name, word in WORDS.items():
        column = f"{SPENT}{name}"
        if (100 * found[column] >= found["makespan"]).fill_null(False).any():
            parts = zip(lines[column], lines["makespan"], strict=True)
            shares = ("-" if part is None else share(part, whole).removesuffix(" %") for part, whole in parts)
            columns[column] = [f"{word} %", *shares]
    return columns


def _notes(found: pl.DataFrame, same: Sequence[str], twins: Mapping[str, str]) -> list[tuple[str, str]]:
    """Notes below the table: scores equal in all runs, and certificates."""
    from senn.studies.row import shown

    notes = []
    if same and found.height > 1:
        values = (f"{name.replace('_', ' ')} {shown(found[name].drop_nulls()[0])}" for name in same)
        notes.append(("same", f"in all runs: {', '.join(values)}"))
    notes += [
        ("equal", f"{name.replace('_', ' ')}, in all runs, is {twin.replace('_', ' ')}")
        for name, twin in twins.items()
    ]
    if found["certificate_ok"].any():
        digits = found.filter("certificate_ok")["certificate_digits"].to_list()
        hold = "certificate holds" if len(digits) == 1 else "certificates hold"
        text = f"{len(digits):,} {hold}, with {min(digits)} digits or more"
        notes.append(("checked", text))
    return notes

"""`senn study`: a grid of runs kept as one table; and `senn compare`: a few runs side by side."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from senn import api
from senn.choices import RunChoices, choices
from senn.cli import options as completion
from senn.cli.options import (
    basic_option,
    command,
    json_option,
    picture_option,
    quiet_option,
    repeatable_option,
    written_to,
)
from senn.cli.printing import document, pictures
from senn.cli.printing.progress import counting
from senn.cli.printing.runs_table import show_runs, verdict
from senn.cli.printing.screen import complain, files, quiet, say_json, screen
from senn.traces.errors import InputError, message

if TYPE_CHECKING:
    import polars as pl

    from senn.experiments.studies.study import Study

_SHOWN = 40
"""Largest number of runs that are printed; the folder has all."""
_NAMED = 3
"""Largest number of functions that the question names."""


@command(short_help="A grid of runs, on a cluster, as one table.")
@click.argument("file", type=click.Path(path_type=Path))
@written_to("DIR", "Folder of the study.  [default: runs/study-NAME]")
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
@json_option
@quiet_option
def study(
    file: Path,
    output: Path | None,
    scheduler: str | None,
    workers: int | None,
    allow_code: bool,
    retry_failed: bool,
    as_json: bool,
) -> int:
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
    from senn.experiments.studies import conduct, processes
    from senn.experiments.studies.row import is_fine
    from senn.experiments.studies.study import read

    computing = processes.crew(workers, scheduler)
    request = read(file)
    if request.code and not allow_code:
        _ask(file, request.code)
    if scheduler and processes.is_open(scheduler):
        complain(
            f"{scheduler} is not encrypted, nor on this computer: who reaches it may run code as you; "
            "with certificates of your own it can be tls://"
        )
    folder = output or request.folder
    total = len(request.points)
    with counting(total) as count:
        try:
            table = conduct.conduct(
                request,
                file,
                folder,
                computing,
                retry_failed=retry_failed,
                progress=lambda row, was_there: count(is_fine(row), was_there),
            )
        except KeyboardInterrupt:
            done = len(conduct.kept_rows(folder, request.points))
            raise click.Abort(
                f"interrupted: {done} of {total} runs are kept in {folder}; the same command goes on"
            ) from None
    drawn = _draw(request, table, folder / conduct.PICTURE)
    picture = folder / conduct.PICTURE if drawn else None
    if as_json:
        runs = document.of_rows(table)
        say_json({"study": request.name, "runs": runs, "folder": folder, "picture": picture})
    else:
        with screen() as page:
            show_runs(page, table, request.varied, most=_SHOWN)
        whole = {"table": folder / conduct.TABLE, "text": folder / conduct.TEXT, "picture": picture}
        files({"study": folder} if quiet() else whole)
    status, text = verdict(table, request.varied)
    if status:
        complain(text)
    return status


def _ask(file: Path, code: Sequence[str]) -> None:
    """Ask on a terminal whether this code may run; InputError without a terminal, or if the answer is no."""
    many = f", and {len(code) - _NAMED} more" if len(code) > _NAMED else ""
    names = message(f"{file} runs Python code: {', '.join(code[:_NAMED])}{many}")
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise InputError(f"{names}; look at it, then run it with --allow-code")
    if not click.confirm(f"senn: {names}. Run it?", err=True):
        raise InputError(f"{file}: its Python code was not allowed to run")


def _draw(request: Study, table: pl.DataFrame, path: Path) -> bool:
    """Draw the picture of a study; without [plot] in its file, the picture that suits its runs."""
    from senn.experiments.studies import study as picture

    shown = request.picture or picture.suiting(request.varied, table)
    try:
        picture.check(shown, request.points, "no picture was drawn")
    except InputError as error:
        path.unlink(missing_ok=True)
        complain(f"{error} (in [plot] of the file)")
        return False
    pictures.write(lambda: picture.drawn(shown, table, request.name), path)
    return True


# -- compare


@command(short_help="A few runs side by side.")
@click.argument("problem", nargs=-1, shell_complete=completion.PROBLEMS)
@basic_option("--n", metavar="SIZES", help="Values of {n} in PROBLEM: 8,16,32 or 1:64 or 8:64:8.")
@json_option
@quiet_option
@picture_option("the runs")
def compare(
    problem: Sequence[str],
    n: str | None,
    set: Mapping[str, Sequence[Any]],
    as_json: bool,
    picture: Path | None,
    **options: Any,
) -> int:
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
    from senn.experiments.studies import conduct as studies
    from senn.experiments.studies import study as drawing
    from senn.experiments.studies.grid import points
    from senn.experiments.studies.row import is_fine

    grid = studies.compare_grid(_varied(problem, n, {**options, **set}))
    with counting(len(points(grid))) as count:
        rows = studies.compare(grid.vary, progress=lambda row: count(is_fine(row)))
    if picture:
        drawn = drawing.suiting(grid.varied, rows)
        names = [] if "problem" in grid.varied else [str(rows["problem"][0])]
        caption = ", ".join([*names, f"{rows.height} runs"])
        pictures.write(lambda: drawing.drawn(drawn, rows, caption), picture)
    if as_json:
        say_json({"runs": document.of_rows(rows), "picture": picture})
    else:
        with screen() as page:
            show_runs(page, rows, grid.varied)
        files({"picture": picture})
    status, text = verdict(rows, grid.varied)
    if status:
        complain(text)
    return status


compare.params[1:1] = [
    repeatable_option(row) for row in choices(RunChoices).values() if row.studied or row.name == "set"
]


def _varied(problem: Sequence[str], n: str | None, options: Mapping[str, Any]) -> dict[str, Any]:
    """Values of every option that was used; the others keep the defaults of `senn run`."""
    sizes = {} if n is None else {"n": api.sizes(n)}
    problems = {"problem": problem} if problem else {}
    return {**sizes, **problems, **{name: values for name, values in options.items() if values != ()}}

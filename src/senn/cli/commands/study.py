"""`senn study`: a grid of runs, on all processors or on a cluster, kept as one table."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from senn.cli.options import command, json_option, quiet_option, written_to
from senn.cli.printing import document, pictures
from senn.cli.printing.progress import counting
from senn.cli.printing.runs_table import show_runs, verdict
from senn.cli.printing.screen import complain, files, quiet, say_json, screen
from senn.traces.errors import InputError, message

if TYPE_CHECKING:
    import polars as pl

    from senn.experiments.studies.study import Study

_SHOWN = 40
"""So many runs are printed; the whole table is in the folder."""
_NAMED = 3
"""So many functions are named before it is asked whether they may run."""


@command(short_help="A grid of runs, on a cluster, as one table.")
@click.argument("file", type=click.Path(path_type=Path))
@written_to("DIR", "The folder of the study.  [default: runs/study-NAME]")
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="A Dask scheduler, such as tls://host:8786.  [default: processes of this computer]",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    metavar="N",
    help="Processes of this computer.  [default: one for each processor]",
)
@click.option("--allow-code", is_flag=True, help="Run the Python that FILE names, without asking.")
@click.option("--retry-failed", is_flag=True, help="Run those again that ended in an error.")
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
    """Run every combination of parameters that FILE, in TOML, asks for, and write one table of all runs.

    The folder gets table.parquet with a row for every run, comparison.md and comparison.png. Every
    finished run is kept at once: after Ctrl-C or a crash the same command goes on, and after a change of FILE
    only what is new is computed. A run that fails is a row with its error. The exit status is 0 if all runs
    are fine, 1 if one is not, 2 for a FILE that is refused.

    A FILE may name Python code, for allocations of its own: it is asked for on a terminal, and elsewhere
    refused without --allow-code.

    \b
    Examples:
      senn study residency.toml
      senn study mine.toml --workers 4 -o runs/mine
      senn study mine.toml --scheduler tls://head:8786
    """
    if scheduler and workers:
        raise click.UsageError("--workers are processes of this computer; those of a --scheduler are there")
    from senn.experiments.studies import conduct, processes
    from senn.experiments.studies.row import is_fine
    from senn.experiments.studies.study import read

    asked = read(file)
    if asked.code and not allow_code:
        _ask(file, asked.code)
    computing = partial(processes.computing, workers)
    if scheduler:
        processes.check_installed()
        if processes.is_open(scheduler):
            complain(
                f"{scheduler} is not encrypted, nor on this computer: who reaches it may run code as you; "
                "with certificates of your own it can be tls://"
            )
        computing = partial(processes.computing_on_cluster, scheduler)
    folder = output or Path("runs") / f"study-{asked.name}"
    total = len(asked.points)
    with counting(total) as count:
        try:
            found = conduct.conduct(
                asked,
                file,
                folder,
                computing,
                retry_failed=retry_failed,
                progress=lambda row, was_there: count(is_fine(row), was_there),
            )
        except KeyboardInterrupt:
            done = len(conduct.kept_rows(folder, asked.points))
            raise click.Abort(
                f"interrupted: {done} of {total} runs are kept in {folder}; the same command goes on"
            ) from None
    drawn = _draw(asked, found, folder / conduct.PICTURE)
    if as_json:
        say_json(
            {
                "study": asked.name,
                "runs": document.of_rows(found),
                "folder": folder,
                "picture": folder / conduct.PICTURE if drawn else None,
            }
        )
    else:
        with screen() as page:
            show_runs(page, found, asked.varied, most=_SHOWN)
        picture = folder / conduct.PICTURE if drawn else None
        whole = {"table": folder / conduct.TABLE, "text": folder / conduct.TEXT, "picture": picture}
        files({"study": folder} if quiet() else whole)
    status, text = verdict(found, asked.varied)
    if status:
        complain(text)
    return status


def _ask(file: Path, code: Sequence[str]) -> None:
    """Ask on a terminal whether this code may run; refuse where nobody can answer, or by that answer."""
    many = f", and {len(code) - _NAMED} more" if len(code) > _NAMED else ""
    names = message(f"{file} runs Python code: {', '.join(code[:_NAMED])}{many}")
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise InputError(f"{names}; look at it, then run it with --allow-code")
    if not click.confirm(f"senn: {names}. Run it?", err=True):
        raise InputError(f"{file}: its Python code was not allowed to run")


def _draw(asked: Study, found: pl.DataFrame, path: Path) -> bool:
    """Draw the picture of a study; without [plot] in its file, only if one suits its runs."""
    from senn.experiments.studies import study as picture

    shown = asked.picture or picture.suiting(asked.varied, found)
    try:
        picture.check(shown, asked.points, "no picture was drawn")
    except InputError as error:
        path.unlink(missing_ok=True)
        complain(f"{error} (in [plot] of the file)")
        return False
    pictures.write(lambda: picture.drawn(shown, found, asked.name), path)
    return True

"""`senn compare`: a few runs side by side, now and here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from senn import api
from senn.choices import RunChoices, choices
from senn.cli import completion
from senn.cli.options import (
    basic_option,
    command,
    json_option,
    picture_option,
    quiet_option,
    repeatable_option,
)
from senn.cli.printing import document, pictures
from senn.cli.printing.progress import counting
from senn.cli.printing.runs_table import show_runs, verdict
from senn.cli.printing.screen import complain, files, say_json, screen


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

"""`senn compare`: a few runs side by side, now and here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from senn import api
from senn.choice import Choice
from senn.choices import RunChoices, choices
from senn.cli import completion
from senn.cli.options import (
    Option,
    command,
    json_option,
    machine_option,
    option_of,
    picture_option,
    problem_option,
    quiet_option,
    setting,
)
from senn.cli.printing import document, pictures
from senn.cli.printing.progress import counting
from senn.cli.printing.runs_table import show_runs, verdict
from senn.cli.printing.screen import complain, files, say_json, screen


def _repeatable(row: Choice) -> Option:
    """The option of a row that may be given several times; a switch stays as it is."""
    words, attributes = option_of(row)
    if row.kind is bool:
        return Option(words, **attributes)
    said = "" if row.default is None else f"{row.help}  [default: {row.default}]"
    return Option(
        words,
        type=attributes["type"],
        metavar=row.metavar,
        multiple=True,
        help=said or row.help,
        group=row.group,
        shell_complete=attributes["shell_complete"],
    )


def _fields(context: click.Context, option: click.Parameter, texts: tuple[str, ...]) -> dict[str, list[Any]]:
    """{"timing.word": [1, 4]} from ("timing.word=1", "timing.word=4")."""
    fields: dict[str, list[Any]] = {}
    for text in texts:
        key, value = setting(text, context, option)
        fields.setdefault(key, []).append(int(value) if value.isascii() and value.isdigit() else value)
    return fields


@command(short_help="A few runs side by side.")
@click.argument("problem", nargs=-1, shell_complete=completion.PROBLEMS)
@problem_option(
    "--n", "n", metavar="SIZES", help="What {n} in PROBLEM stands for: 8,16,32 or 1:64 or 8:64:8."
)
@machine_option(
    "--set",
    shell_complete=completion.BY_OPTION["set"],
    metavar="FIELD=VALUE",
    multiple=True,
    callback=_fields,
    help="A field of the machine; given twice with the same FIELD: both values.",
)
@json_option
@quiet_option
@picture_option("them", once_output=True)
def compare(
    problem: Sequence[str],
    n: str | None,
    set: Mapping[str, Sequence[Any]],
    as_json: bool,
    picture: Path | None,
    **options: Any,
) -> int:
    """Run every combination of the values given, in this process, and print one line for each.

    Options with a value may be repeated: --residency home --residency migrating runs both. (A comma does not
    divide: in --allocation identity,gray it gives each array its own.) PROBLEM may be repeated too; {n} in it
    stands for each of --n. For many runs write a file for `senn study`.

    \b
    Examples:
      senn compare --residency home --residency migrating --machine raw --machine mark3
      senn compare ssrms ur5 --set timing.word=1 --set timing.word=4
      senn compare random:{n} --n 8:64:8 --form paper --form short --plot forms.png
    """
    if picture:
        pictures.check(picture)
    from senn.experiments.studies import compare as studies
    from senn.experiments.studies import picture as drawing
    from senn.experiments.studies.grid import points
    from senn.experiments.studies.row import is_fine

    grid = studies.grid(_asked(problem, n, {**options, **set}))
    with counting(len(points(grid))) as count:
        found = studies.compare(grid.vary, progress=lambda row: count(is_fine(row)))
    if picture:
        drawn = drawing.suiting(grid.varied, found)
        same = [] if "problem" in grid.varied else [str(found["problem"][0])]
        caption = ", ".join([*same, f"{found.height} runs"])
        pictures.write(lambda: drawing.drawn(drawn, found, caption), picture)
    if as_json:
        say_json({"runs": document.of_rows(found), "picture": picture})
    else:
        with screen() as page:
            show_runs(page, found, grid.varied)
        files({"picture": picture})
    status, text = verdict(found, grid.varied)
    if status:
        complain(text)
    return status


compare.params += [_repeatable(row) for row in choices(RunChoices).values() if row.studied]


def _asked(problem: Sequence[str], n: str | None, given: Mapping[str, Any]) -> dict[str, Any]:
    """The values of everything that was given; what was not keeps the default of `senn run`."""
    sizes = {} if n is None else {"n": api.sizes(n)}
    problems = {"problem": problem} if problem else {}
    return {**sizes, **problems, **{name: one for name, one in given.items() if one != ()}}

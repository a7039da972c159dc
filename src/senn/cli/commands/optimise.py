"""`senn optimise`: search for a better allocation, and say how far from the optimum it can be."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from senn.choices import MachineChoices
from senn.cli import folders
from senn.cli.options import (
    command,
    json_option,
    options,
    picture_option,
    problem_option,
    quiet_option,
    written_to,
)
from senn.cli.printing import pictures
from senn.cli.printing.progress import search
from senn.cli.printing.screen import files, heading, indented, say_json, screen
from senn.cli.printing.tables import table
from senn.traces import beside
from senn.traces.errors import InputError

if TYPE_CHECKING:
    from senn.machine.search.optimise import Found


_SEVERAL = (
    "{}: the arrays have different tables, and a file holds one: leave out -o, and take them from --json"
)


@command(short_help="Search for a better allocation; lower bounds.")
@problem_option(
    "--n", type=click.IntRange(min=1), metavar="N", default=8, show_default=True, help="Processes: joints."
)
@options(MachineChoices)
@click.option(
    "--budget",
    type=click.IntRange(min=1),
    metavar="RUNS",
    default=200,
    show_default=True,
    help="Runs at most; a thousand times as many placements are bounded without a run.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    metavar="N",
    default=0,
    show_default=True,
    help="Of all random choices.",
)
@json_option
@quiet_option
@picture_option("the search")
@written_to("FILE.csv", "Write the table found, for --allocation FILE.csv; a file that is there is replaced.")
def optimise(as_json: bool, picture: Path | None, output: Path | None, **arguments: Any) -> None:
    """Search for an allocation with which the program ends sooner.

    The search renames the nodes of the allocation that is given, at all levels alike: every static home, or
    every renaming of the migrating pattern. It says what it found, below which cycles no renaming can come,
    and where the two meet: optimal, and why. With up to 8 nodes all renamings are bounded, so the answer is
    the optimum unless the budget ends first. Timing only, for revolute joints and a welded tip.

    \b
    Examples:
      senn optimise --n 8 --residency home
      senn optimise --n 16 --machine raw --budget 500 -o better.csv
      senn optimise --n 16 --residency home --set machine.network=hypercube
      senn run random:16 --allocation better.csv
    """
    if picture:
        pictures.check(picture)
    if output:
        _check(output, arguments["allocation"])
    from senn import api

    with search(arguments["budget"]) as progress:
        found = api.optimise(**arguments, progress=progress)
    if output:
        _write(found, output)
    if picture:
        _draw(found, arguments, picture)
    if as_json:
        say_json(_document(found, output, picture))
    else:
        _print(found)
        files({"table": output, "picture": picture})


def _check(output: Path, allocation: str) -> None:
    """Refuse a file that no table can be written to, before the search."""
    if "," in allocation:
        raise InputError(_SEVERAL.format(output))
    if output.suffix != ".csv":
        raise InputError(f"{output}: a table ends in .csv; write {output.stem}.csv")
    if output.is_dir():
        raise InputError(f"{output} is a folder; name a file in it, such as {output / 'table.csv'}")
    folders.refuse_unwritable(output.parent)


def _write(found: Found, output: Path) -> None:
    """The table, whole or not at all."""
    from senn.machine.placing.allocation_files import to_csv

    first = found.best.table[0]
    if (found.best.table != first).any():
        raise InputError(_SEVERAL.format(output))
    try:
        beside.write(output, to_csv(first).encode())
    except OSError as error:
        raise InputError(f"{output}: the table cannot be written: {error.strerror}") from error


def _draw(found: Found, arguments: Mapping[str, Any], picture: Path) -> None:
    from senn.traces.pictures import plots

    caption = f"n = {arguments['n']}, {arguments['residency']}, {arguments['machine']}"
    lower = {bound.name: bound.cycles for bound in found.bounds}
    pictures.write(lambda: plots.search(found.history, found.runs, lower, caption=caption), picture)


def _document(found: Found, output: Path | None, picture: Path | None) -> dict[str, Any]:
    """What `--json` prints; tables are (arrays, M + 1, n)."""
    return {
        "makespan": found.best.makespan,
        "word_hops": found.best.word_hops,
        "optimal": found.gap == 0,
        "gap": found.gap,
        "because": found.because,
        "bounds": {bound.name: {"cycles": bound.cycles, "because": bound.because} for bound in found.bounds},
        "starts": [
            {"name": one.name, "makespan": one.makespan, "word_hops": one.word_hops} for one in found.starts
        ],
        "history": [list(one) for one in found.history],
        "runs": found.runs,
        "bounded": found.bounded,
        "table": found.best.table.tolist(),
        "file": output,
        "picture": picture,
    }


def _print(found: Found) -> None:
    given = found.starts[0].makespan
    placements = [*found.starts, found.best]
    names = [*(one.name for one in found.starts), "best found"]
    rows = (
        (name, f"{one.makespan:,}", f"{100 * (one.makespan - given) / given:+.1f} %", f"{one.word_hops:,}")
        for name, one in zip(names, placements, strict=True)
    )
    lower = ((bound.name, bound.because, f"{bound.cycles:,}") for bound in found.bounds)
    with screen() as page:
        page.print(table(["allocation"], ["makespan\n(cycles)", "against\ngiven", "words x hops"], rows))
        heading(page, "Below these no renaming can come")
        indented(page, table(["bound", "because"], ["cycles"], lower))
        heading(page, f"{found.because[0].upper()}{found.because[1:]}.")
        page.print(f"{found.runs:,} runs, {found.bounded:,} placements bounded.")
        heading(page, "Nodes of processes 1, 2, ...")
        for array, rows_of in enumerate(_different(found), start=1):
            for level, row in rows_of:
                which = f"array {array}, " if (found.best.table != found.best.table[0]).any() else ""
                page.print(f"  {which}{level:<10} {' '.join(map(str, row))}")


def _different(found: Found) -> list[list[tuple[str, list[int]]]]:
    """The tables of the arrays, one if they are the same; a row if it differs from that before."""
    tables = found.best.table
    kept = []
    for one in tables if (tables != tables[0]).any() else tables[:1]:
        rows = one.tolist()
        named = [("home" if level == 0 else f"level {level}", row) for level, row in enumerate(rows)]
        kept.append([each for k, each in enumerate(named) if k == 0 or each[1] != rows[k - 1]])
    return kept

"""`senn optimise`: search for better places or arrays, and say how far from the optimum they can be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from senn.base import files as beside
from senn.base.errors import InputError
from senn.choices import MachineChoices
from senn.cli.options import (
    command,
    count_option,
    json_option,
    options,
    picture_option,
    quiet_option,
    written_to,
)
from senn.cli.printing import pictures
from senn.cli.printing.progress import search
from senn.cli.printing.screen import files, heading, indented, say_json, screen, table

if TYPE_CHECKING:
    from senn.machine.search.local_search import SearchResult


_ONE = {"renamings": "renaming", "levels": "table", "arrays": "assignment"}
"""What is searched, one of them."""
_SEVERAL = (
    "{}: the arrays have different tables, and a file holds one: leave out -o, and take them from --json"
)


@command(short_help="Search for better places or arrays; lower bounds.")
@count_option("--n", "N", 8, "Number of processes: joints.", group="problem")
@options(MachineChoices)
@click.option(
    "--search",
    type=click.Choice(list(_ONE)),
    default="renamings",
    show_default=True,
    help="Candidates: renamings of the nodes, tables that differ by level, or arrays that do the steps.",
)
@count_option(
    *("--budget", "RUNS", 200),
    "Largest number of runs; bounds exclude a thousand times as many placements without a run.",
)
@count_option("--seed", "N", 0, "Seed of the random search.", least=0)
@json_option
@quiet_option
@picture_option("the search")
@written_to(
    "FILE",
    "Write the best table, for --allocation FILE.csv, or arrays, for --arrays FILE.toml; an existing file is "
    "replaced.",
)
def optimise(as_json: bool, picture: Path | None, output: Path | None, **arguments: Any) -> None:
    """Search for an allocation, or for arrays, with which the program ends sooner.

    --search selects the candidates. renamings: the nodes of the given allocation are renamed, equally at all
    levels. levels: every level has its own table, and moving costs messages. arrays: places stay, and steps
    move from one array to another. The output has the best candidate and lower bounds; where they meet, the
    candidate is optimal. Timing only, for revolute joints and a welded tip.

    \b
    Examples:
      senn optimise --n 8 --residency home
      senn optimise --n 16 --machine raw --budget 500 -o better.csv
      senn optimise --n 8 --search levels -o better.csv
      senn optimise --n 16 --machine raw --search arrays -o arrays.toml
      senn run random:16 --allocation better.csv --arrays arrays.toml
    """
    if picture:
        pictures.check(picture)
    if output:
        _check(output, arguments["allocation"], arguments["search"])
    from senn import api

    with search(arguments["budget"]) as progress:
        result = api.optimise(**arguments, progress=progress)
    written = _write(result, output) if output else None
    if picture:
        _draw(result, arguments, picture)
    if as_json:
        say_json(_document(result, written, picture))
    else:
        _print(result, _ONE[arguments["search"]])
        if output != written:
            click.echo(f"  nothing better was found, so {output} is not written")
        files({"table": written, "picture": picture})


def _check(output: Path, allocation: str, search: str) -> None:
    """Refuse a file that what is found cannot be written to, before the search."""
    what, ending = ("arrays", ".toml") if search == "arrays" else ("table", ".csv")
    if what == "table" and "," in allocation:
        raise InputError(_SEVERAL.format(output))
    if output.suffix != ending:
        contents = "which array does which step" if what == "arrays" else "a table"
        raise InputError(f"{output}: {contents} ends in {ending}; write {output.stem}{ending}")
    beside.check_file(output, f"{what}{ending}")


def _write(result: SearchResult[Any], output: Path) -> Path | None:
    """Write the table or the arrays, whole or not at all; None if no better arrays exist."""
    if output.suffix != ".toml":
        text = _table(result, output)
    elif not result.best.assignment:
        return None
    else:
        text = "".join(f'"{label}" = {array}\n' for label, array in result.best.assignment.items())
    beside.write_text(output, text)
    return output


def _table(result: SearchResult[Any], output: Path) -> str:
    from senn.machine.placing.allocation import to_csv

    first = result.best.table[0]
    if (result.best.table != first).any():
        raise InputError(_SEVERAL.format(output))
    return to_csv(first)


def _draw(result: SearchResult[Any], arguments: Mapping[str, Any], picture: Path) -> None:
    from senn.traces.pictures import plots

    parts = {"n": arguments["n"], "machine": arguments["machine"], **arguments["set"]}
    settings = ", ".join(f"{name} = {value}" for name, value in parts.items())
    caption = f"{settings}, {arguments['residency']}, {arguments['search']}"
    lower = {bound.name: bound.cycles for bound in result.bounds}
    pictures.write(lambda: plots.search(result.history, result.runs, lower, caption=caption), picture)


def _document(result: SearchResult[Any], output: Path | None, picture: Path | None) -> dict[str, Any]:
    """Document of `--json`; tables are (arrays, M + 1, n)."""
    best = (
        {"assignment": dict(result.best.assignment)}
        if hasattr(result.best, "assignment")
        else {"table": result.best.table.tolist()}
    )
    return {
        "makespan": result.best.makespan,
        "word_hops": result.best.word_hops,
        "optimal": result.gap == 0,
        "gap": result.gap,
        "because": result.because,
        "bounds": {bound.name: {"cycles": bound.cycles, "because": bound.because} for bound in result.bounds},
        "starts": [
            {"name": start.name, "makespan": start.makespan, "word_hops": start.word_hops}
            for start in result.starts
        ],
        "history": [list(entry) for entry in result.history],
        "runs": result.runs,
        "bounded": result.bounded,
        **best,
        "file": output,
        "picture": picture,
    }


def _print(result: SearchResult[Any], candidate: str) -> None:
    start, assigned = result.starts[0].makespan, candidate == "assignment"
    placements = [*result.starts, result.best]
    names = [*(each.name for each in result.starts), "best found"]
    rows = (
        (name, f"{each.makespan:,}", f"{100 * (each.makespan - start) / start:+.1f} %", f"{each.word_hops:,}")
        for name, each in zip(names, placements, strict=True)
    )
    lower = ((bound.name, bound.because, f"{bound.cycles:,}") for bound in result.bounds)
    with screen() as page:
        page.print(
            table(
                ["arrays" if assigned else "allocation"],
                ["makespan\n(cycles)", "against\ngiven", "words x hops"],
                rows,
            )
        )
        heading(page, f"Below these no {candidate} can come")
        indented(page, table(["bound", "because"], ["cycles"], lower))
        heading(page, f"{result.because[0].upper()}{result.because[1:]}.")
        what = "assignments" if assigned else "placements"
        page.print(f"{result.runs:,} runs, {result.bounded:,} {what} bounded.")
        if assigned:
            heading(page, "The array of each step")
            for line in _by_array(result.best):
                page.print(line)
            return
        heading(page, "Nodes of processes 1, 2, ...")
        for array, rows_of in enumerate(_different(result), start=1):
            for level, row in rows_of:
                which = f"array {array}, " if (result.best.table != result.best.table[0]).any() else ""
                page.print(f"  {which}{level:<10} {' '.join(map(str, row))}")


def _by_array(best: Any) -> Iterator[str]:
    """A line for each array, with the steps that it does."""
    if not best.assignment:
        yield "  as given"
    for array in sorted(set(best.assignment.values())):
        steps = (label for label, number in best.assignment.items() if number == array)
        yield f"  array {array}: {', '.join(steps)}"


def _different(result: SearchResult[Any]) -> list[list[tuple[str, list[int]]]]:
    """The tables of the arrays, one if they are the same; a row if it differs from that before."""
    tables = result.best.table
    kept = []
    for places in tables if (tables != tables[0]).any() else tables[:1]:
        rows = places.tolist()
        named = [("home" if level == 0 else f"level {level}", row) for level, row in enumerate(rows)]
        kept.append([each for k, each in enumerate(named) if k == 0 or each[1] != rows[k - 1]])
    return kept

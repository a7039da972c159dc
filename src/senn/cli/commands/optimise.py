"""`senn optimise`: search for better places, and say how far from the optimum they can be."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from senn.base import files as beside
from senn.base.errors import InputError
from senn.choices import MachineChoices
from senn.cli.options import (
    NamedChoice,
    command,
    count_option,
    json_option,
    options,
    quiet_option,
    written_to,
)
from senn.cli.printing.progress import search
from senn.cli.printing.screen import files, heading, indented, say_json, screen, table

if TYPE_CHECKING:
    from senn.machine.search.local_search import SearchResult


_ONE = {"renamings": "renaming", "levels": "table"}
"""One candidate of each search."""
_SEVERAL = (
    "{}: the arrays have different tables, and a file holds one: leave out -o, and take them from --json"
)


@command(short_help="Search for better places; lower bounds.")
@count_option("--n", "N", 8, "Number of processes: joints.", group="problem")
@options(MachineChoices)
@click.option(
    "--search",
    type=NamedChoice("search", _ONE),
    default="renamings",
    show_default=True,
    help="Candidates: renamings of the nodes, or tables that differ by level.",
)
@count_option(
    *("--budget", "RUNS", 200),
    "Largest number of runs; bounds exclude a thousand times as many placements without a run.",
)
@count_option("--seed", "N", 0, "Seed of the random search.", least=0)
@json_option
@quiet_option
@written_to("FILE", "Write the best table, for --allocation FILE.csv; an existing file is replaced.")
def optimise(as_json: bool, output: Path | None, **arguments: Any) -> None:
    """Search for an allocation with which the program ends sooner.

    --search selects the candidates. renamings: the nodes of the given allocation are renamed, equally at all
    levels. levels: every level has its own table, and moving costs messages. The output has the best
    candidate and lower bounds; where they meet, the candidate is optimal. Timing only, for revolute joints
    and a welded tip.

    \b
    Examples:
      senn optimise --n 8 --residency home
      senn optimise --n 16 --machine raw --budget 500 -o better.csv
      senn optimise --n 8 --search levels -o better.csv
      senn run random:8 --allocation better.csv
    """
    if output:
        if "," in arguments["allocation"]:
            raise InputError(_SEVERAL.format(output))
        if output.suffix != ".csv":
            raise InputError(f"{output}: a table ends in .csv; write {output.stem}.csv")
        beside.check_file(output, "table.csv")
    from senn import api

    with search(arguments["budget"]) as progress:
        result = api.optimise(**arguments, progress=progress)
    if output:
        beside.write_text(output, _table(result, output))
    if as_json:
        say_json(_document(result, output))
    else:
        _print(result, _ONE[arguments["search"]])
        files({"table": output})


def _table(result: SearchResult, output: Path) -> str:
    from senn.machine.placing.allocation import to_csv

    first = result.best.table[0]
    if (result.best.table != first).any():
        raise InputError(_SEVERAL.format(output))
    return to_csv(first)


def _document(result: SearchResult, output: Path | None) -> dict[str, Any]:
    """Document of `--json`; tables are (arrays, M + 1, n)."""
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
        "table": result.best.table.tolist(),
        "file": output,
    }


def _print(result: SearchResult, candidate: str) -> None:
    start = result.starts[0].makespan
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
                ["allocation"],
                ["makespan\n(cycles)", "against\ngiven", "words x hops"],
                rows,
            )
        )
        heading(page, f"Below these no {candidate} can come")
        indented(page, table(["bound", "because"], ["cycles"], lower))
        heading(page, f"{result.because[0].upper()}{result.because[1:]}.")
        page.print(f"{result.runs:,} runs, {result.bounded:,} placements bounded.")
        heading(page, "Nodes of processes 1, 2, ...")
        for array, rows_of in enumerate(_different(result), start=1):
            for level, row in rows_of:
                which = f"array {array}, " if (result.best.table != result.best.table[0]).any() else ""
                page.print(f"  {which}{level:<10} {' '.join(map(str, row))}")


def _different(result: SearchResult) -> list[list[tuple[str, list[int]]]]:
    """The tables of the arrays, one if they are the same; a row if it differs from that before."""
    tables = result.best.table
    kept = []
    for places in tables if (tables != tables[0]).any() else tables[:1]:
        rows = places.tolist()
        named = [("home" if level == 0 else f"level {level}", row) for level, row in enumerate(rows)]
        kept.append([each for k, each in enumerate(named) if k == 0 or each[1] != rows[k - 1]])
    return kept

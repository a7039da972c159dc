"""`senn optimise`: search for better places, and say how far from the optimum they can be."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from senn.base import files as beside
from senn.base.account import Account, Section
from senn.base.errors import InputError
from senn.base.tables import table
from senn.choices import OF_ONE_COMMAND, MachineChoices
from senn.cli import options as cli
from senn.cli.printing.progress import search

if TYPE_CHECKING:
    from senn.machine.search.optimise import SearchResult


_ONE = {"renamings": "renaming", "levels": "table"}
"""One candidate of each search."""
_SEVERAL = (
    "{}: the arrays have different tables, and a file holds one: leave out -o, and take them from --json"
)


@cli.command(short_help="Search for better places; lower bounds.")
@cli.count_option("--n", "N", 8, "Number of processes: joints.", group="problem")
@cli.options(MachineChoices)
@cli.option(OF_ONE_COMMAND["search"])
@cli.option(OF_ONE_COMMAND["budget"])
@cli.option(OF_ONE_COMMAND["seed"])
@cli.quiet_option
@cli.written_to("FILE", "Write the best table, for --allocation FILE.csv; an existing file is replaced.")
def optimise(output: Path | None, **arguments: Any) -> Account:
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
    from senn.api import timing

    with search(arguments["budget"]) as progress:
        result = timing.optimise(**arguments, progress=progress)
    if output:
        from senn.machine.placing.allocation import to_csv

        first = result.best.table[0]
        if (result.best.table != first).any():
            raise InputError(_SEVERAL.format(output))
        beside.write_text(output, to_csv(first))
    figures = {
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
        "table": result.best.table.tolist(),  # (arrays, M + 1, n)
        "file": output,
    }
    return Account(tuple(_sections(result, _ONE[arguments["search"]])), figures, {"table": output})


def _sections(result: SearchResult, candidate: str) -> Iterator[Section]:
    start = result.starts[0].makespan
    placements = [*result.starts, result.best]
    names = [*(each.name for each in result.starts), "best found"]
    rows = (
        (name, each.makespan, f"{100 * (each.makespan - start) / start:+.1f} %", each.word_hops)
        for name, each in zip(names, placements, strict=True)
    )
    heads = ["makespan\n(cycles)", "against\ngiven", "words x hops"]
    yield Section(table=table(["allocation"], heads, rows))
    lower = ((bound.name, bound.because, bound.cycles) for bound in result.bounds)
    yield Section(
        f"Below these no {candidate} can come", table=table(["bound", "because"], ["cycles"], lower)
    )
    because = f"{result.because[0].upper()}{result.because[1:]}."
    yield Section(because, (("", f"{result.runs:,} runs, {result.bounded:,} placements bounded."),))
    tables, nodes = result.best.table, []
    several = (tables != tables[0]).any()
    for array, places in enumerate(tables if several else tables[:1], start=1):
        which = f"array {array}, " if several else ""
        for level, row in enumerate(places.tolist()):
            if level == 0 or row != places[level - 1].tolist():
                name = f"level {level}" if level else "home"
                nodes.append(("", f"{which}{name:<10} {' '.join(map(str, row))}"))
    yield Section("Nodes of processes 1, 2, ...", tuple(nodes))

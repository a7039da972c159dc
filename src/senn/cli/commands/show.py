"""`senn show`: a run folder in numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from senn.cli import folders
from senn.cli.printing.report import report
from senn.cli.printing.screen import heading, indented, say_json, screen, table

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table

    from senn.traces.run import Run

_LONGEST = 8


@click.command(short_help="A run folder in numbers: summary, steps, waits.")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of the tables.")
def show(run: Path, as_json: bool) -> None:
    """Show a run folder: its summary, its steps, and what it waited for.

    \b
    Example:
      senn show runs/demo
    """
    with folders.opened(run) as found:
        if as_json:
            say_json(_document(found))
        else:
            _print(found)


def _print(found: Run) -> None:
    from senn.traces import analysis

    with screen() as page:
        report(page, found)
        if found.trace.detail == "summary":
            page.print()
            page.print("Steps and waits were not kept: the detail of this run is summary.")
            return
        alone = analysis.per_node(found.trace)
        counted = "from the first node to begin to the last to end" if alone else "cycles of the control unit"
        heading(page, f"Steps ({counted}, all levels together)")
        indented(page, _steps(found, alone))
        if found.trace.detail == "full":
            heading(page, f"Longest waits ({'node ' if alone else ''}cycles, all levels together)")
            indented(page, _waits(found))


def _document(run: Run) -> dict[str, Any]:
    """What `--json` prints: run.json, and all rows of both tables as far as the run kept them."""
    from senn.traces import analysis

    kept, full = run.trace.detail != "summary", run.trace.detail == "full"
    return {
        **run.description,
        "summary": run.summary,
        "steps": _parts(run).to_dicts() if kept else None,
        "waits": analysis.waits(run.trace).to_dicts() if full else None,
    }


def _steps(run: Run, alone: bool) -> Table:
    rows = []
    for array, part, issued, cycles, late, exposed, begins, ends in _parts(run).iter_rows():
        figures = (issued, begins, ends) if alone else (issued, cycles, late, exposed)
        rows.append((f"array {array}", part, *(f"{x:,}" for x in figures)))
    spent = ["begins", "ends"] if alone else ["working", "dependency\nwait", "exposed"]
    return table(["", "step"], ["instructions", *spent], rows)


def _parts(run: Run) -> pl.DataFrame:
    """The instructions by array and lettered section of the paper, as analysis.spans divides them."""
    import polars as pl

    part = pl.col("step").str.extract(r"^([IV]+(?:\.[a-z])?)").alias("part")
    return run.trace.instructions.group_by("array", part, maintain_order=True).agg(
        pl.len().alias("instructions"),
        (pl.col("end") - pl.col("issue")).sum().alias("cycles"),
        pl.col("dependency_wait", "exposed").sum(),
        pl.col("issue").min(),
        pl.col("end").max(),
    )


def _waits(run: Run) -> Table:
    from senn.traces import analysis

    rows = []
    for one in analysis.waits(run.trace).head(_LONGEST).iter_rows(named=True):
        other = "" if one["cause_array"] == one["array"] else f", array {one['cause_array']}"
        figures = (f"{one[name]:,}" for name in ("stalls", "dependency_wait", "exposed"))
        rows.append(
            (f"array {one['array']}", one["step"], f"{one['value']} of {one['cause']}{other}", *figures)
        )
    return table(["", "step", "waits for"], ["times", "dependency\nwait", "exposed"], rows)

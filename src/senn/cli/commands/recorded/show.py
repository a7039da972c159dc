"""`senn show`: a run folder in numbers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from senn.cli import completion, folders
from senn.cli.commands.recorded import closer
from senn.cli.options import command, json_option
from senn.cli.printing import document
from senn.cli.printing.report import report
from senn.cli.printing.screen import heading, indented, say_json, screen
from senn.cli.printing.tables import Sheet, table

if TYPE_CHECKING:
    from senn.traces.run import Run

_LONGEST = 8
_COUNT = click.IntRange(min=0)


@command(short_help="A run folder in numbers: summary, steps, waits.")
@click.argument("run", type=click.Path(path_type=Path), shell_complete=completion.RUNS)
@click.option(
    "--message", type=_COUNT, metavar="N", help="A message instead, and the channels that it crossed."
)
@click.option("--at", "cycle", type=_COUNT, metavar="CYCLE", help="What goes on in a cycle instead.")
@click.option("--critical", is_flag=True, help="The critical path instead, piece by piece.")
@json_option
def show(run: Path, message: int | None, cycle: int | None, critical: bool, as_json: bool) -> None:
    """Show a run folder: its summary, its steps, and what it waited for; or one message, one cycle, or the
    critical path. In sentences: senn explain RUN.

    \b
    Examples:
      senn show runs/demo
      senn show runs/demo --message 3
      senn show runs/demo --at 1809
    """
    asked = {"--message": message is not None, "--at": cycle is not None, "--critical": critical}
    given = [name for name, there in asked.items() if there]
    if len(given) > 1:
        raise click.UsageError(f"{' and '.join(given)} are shown one at a time; leave all but one out")
    with folders.opened(run) as found:
        if not given and as_json:
            say_json(document.of_run(found, run))
        elif not given:
            _print(found)
        elif message is not None:
            _closer(closer.message(found, message), closer.show_message, run, as_json)
        elif cycle is not None:
            _closer(closer.cycle(found, cycle), closer.show_cycle, run, as_json)
        else:
            _closer(closer.critical(found), closer.show_critical, run, as_json)


def _closer(
    said: closer.Document, shown: Callable[[Console, closer.Document], None], run: Path, as_json: bool
) -> None:
    if as_json:
        say_json({**said, "folder": run})
    else:
        with screen() as page:
            shown(page, said)


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


def _steps(run: Run, alone: bool) -> Sheet:
    rows = []
    for array, part, issued, cycles, late, exposed, begins, ends in document.parts(run).iter_rows():
        figures = (issued, begins, ends) if alone else (issued, cycles, late, exposed)
        rows.append((f"array {array}", part, *(f"{x:,}" for x in figures)))
    spent = ["begins", "ends"] if alone else ["working", "dependency\nwait", "exposed"]
    return table(["", "step"], ["instructions", *spent], rows)


def _waits(run: Run) -> Sheet:
    from senn.traces import analysis

    rows = []
    for one in analysis.waits(run.trace).head(_LONGEST).iter_rows(named=True):
        other = "" if one["cause_array"] == one["array"] else f", array {one['cause_array']}"
        figures = (f"{one[name]:,}" for name in ("stalls", "dependency_wait", "exposed"))
        rows.append(
            (f"array {one['array']}", one["step"], f"{one['value']} of {one['cause']}{other}", *figures)
        )
    return table(["", "step", "waits for"], ["times", "dependency\nwait", "exposed"], rows)

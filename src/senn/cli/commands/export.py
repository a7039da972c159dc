"""`senn export`: a run folder for other people's tools."""

from __future__ import annotations

from pathlib import Path

import click

from senn.cli import completion, folders
from senn.cli.options import command, json_option, output_option, quiet_option, written_to
from senn.cli.printing.screen import say_json
from senn.traces.exports import FORMATS, format_of
from senn.traces.exports import export as write


@command(short_help="A run folder for Perfetto and other tools.")
@click.argument("run", type=click.Path(path_type=Path), shell_complete=completion.RUNS)
@output_option(
    "--to",
    type=click.Choice(list(FORMATS)),
    help=f"The format; left out, by how FILE ends: "
    f"{', '.join(f'{one.suffix} {name}' for name, one in FORMATS.items())}.",
)
@written_to("FILE", "One that is there is replaced; what ends in .gz is compressed.", required=True)
@json_option
@quiet_option
def export(run: Path, to: str | None, output: Path, as_json: bool) -> None:
    """Write a run folder for another tool: every interval of every control unit, engine and channel.

    \b
    Examples:
      senn export runs/demo -o demo.pftrace       for ui.perfetto.dev
      senn export runs/demo --to chrome -o demo.json.gz
    """
    chosen = format_of(output, to)
    with folders.opened(run) as found:
        write(found.trace, output, chosen.name)
    if as_json:
        say_json({"folder": run, "format": chosen.name, "file": output})
    else:
        click.echo(output)

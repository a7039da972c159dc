"""`senn plot`: a picture of a run folder."""

from __future__ import annotations

from pathlib import Path

import click

from senn.cli import completion, folders
from senn.cli.options import command, json_option, output_option, quiet_option
from senn.cli.printing import pictures
from senn.cli.printing.screen import say_json
from senn.traces.errors import InputError


@command(short_help="A run folder as a picture.")
@click.argument("run", type=click.Path(path_type=Path), shell_complete=completion.RUNS)
@output_option(
    "--kind",
    type=click.Choice(["timeline", "phases", "overlap"]),
    default="timeline",
    show_default=True,
    help="Every engine and DMA over time; the paper's steps over time; what each step hid and exposed.",
)
@output_option("--arrows", is_flag=True, help="Timeline only: draw every message.")
@output_option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path),
    required=True,
    help="A .png, .svg or .pdf file; one that is there is replaced.",
)
@json_option
@quiet_option
def plot(run: Path, kind: str, arrows: bool, output: Path, as_json: bool) -> None:
    """Draw a run folder as a picture.

    How steps and cycles grow with n is drawn by `senn steps --plot FILE`.

    \b
    Example:
      senn plot runs/demo --kind phases -o phases.svg
    """
    if arrows and kind != "timeline":
        raise InputError(f"--arrows belongs to --kind timeline; {kind} has no messages to draw")
    pictures.check(output)
    with folders.opened(run) as found:
        from senn.traces.pictures import plots

        if kind == "timeline":
            pictures.write(lambda: plots.timeline(found, arrows=arrows), output)
        else:
            draw = {"phases": plots.phases, "overlap": plots.overlap}[kind]
            pictures.write(lambda: draw(found), output)
    if as_json:
        say_json({"folder": run, "kind": kind, "picture": output})
    else:
        click.echo(output)

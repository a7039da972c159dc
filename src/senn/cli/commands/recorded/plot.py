"""`senn plot`: a picture of a run folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from senn.cli import completion, folders
from senn.cli.options import Span, command, json_option, output_option, quiet_option, written_to
from senn.cli.printing import pictures
from senn.cli.printing.screen import say_json
from senn.traces.pictures import KINDS, check, draw

_ALL = ""
"""--arrows alone: of all steps."""
_SAID = {name: f"--{name}" for kind in KINDS.values() for name in kind.choices} | {
    "start": "--from",
    "stop": "--to",
}
"""How who types a command says what a picture calls its choices."""


@command(short_help="A run folder as a picture.")
@click.argument("run", type=click.Path(path_type=Path), shell_complete=completion.RUNS)
@output_option(
    "--kind",
    type=click.Choice(list(KINDS)),
    default="timeline",
    show_default=True,
    help=f"{'; '.join(f'{name}: {kind.shows}' for name, kind in KINDS.items())}.",
)
@output_option(
    "--arrows",
    metavar="[STEP]",
    is_flag=False,
    flag_value=_ALL,
    help="Timeline: draw every message, or those of a step, such as I.b.5.",
)
@output_option("--from", "start", metavar="CYCLE", type=click.IntRange(0), help="Timeline: begin there.")
@output_option("--to", "stop", metavar="CYCLE", type=click.IntRange(0), help="Timeline, phases: end there.")
@output_option("--step", metavar="LABEL", help="Spacetime, wavefront: these steps, such as I.b.5.")
@output_option(
    "--level", metavar="J", type=click.IntRange(1), help="Spacetime: this level of the loop.  [default: 1]"
)
@output_option("--nodes", metavar="A:B", type=Span(), help="Timeline, spacetime: only the nodes from A to B.")
@output_option(
    "--cycle", metavar="CYCLE", type=click.IntRange(0), help="Moment: of this cycle.  [default: 0]"
)
@output_option(
    "--of",
    type=click.Choice(["waiting", "sending", "computing", "exposed"]),
    help="Heat: of which cycles.  [default: waiting]",
)
@written_to("FILE", "A .png, .svg or .pdf file; one that is there is replaced.", required=True)
@json_option
@quiet_option
def plot(run: Path, kind: str, output: Path, as_json: bool, **given: Any) -> None:
    """Draw a run folder as a picture.

    How steps and cycles grow with n is drawn by `senn steps --plot FILE`.

    \b
    Examples:
      senn plot runs/demo --kind phases -o phases.svg
      senn plot runs/demo --from 13000 --to 26000 --arrows I.b -o level.png
      senn plot runs/demo --kind spacetime --level 2 -o level.svg
    """
    choices = {name: value for name, value in given.items() if value is not None}
    if choices.get("arrows") == _ALL:
        choices["arrows"] = True
    check(kind, choices, _SAID)
    pictures.check(output)
    with folders.opened(run) as found:
        pictures.write(lambda: draw(kind, found, **choices), output)
    if as_json:
        say_json({"folder": run, "kind": kind, "picture": output})
    else:
        click.echo(output)

"""`senn plot-arm`: the arm of a problem as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from senn.choices import ProblemChoices
from senn.cli import completion
from senn.cli.options import command, json_option, options, quiet_option, written_to
from senn.cli.printing import pictures
from senn.cli.printing.screen import say_json


@command(short_help="The arm of a problem as a picture.")
@click.argument("problem", default="ssrms", shell_complete=completion.PROBLEMS)
@options(ProblemChoices)
@written_to("FILE", "A .png, .svg or .pdf file; one that is there is replaced.", required=True)
@json_option
@quiet_option
def plot_arm(problem: str, output: Path, as_json: bool, **arguments: Any) -> None:
    """Draw the arm of PROBLEM, which is what `senn run` takes, in the position that it has there.

    Every link has the colour of its process, from process 1 to process n.

    \b
    Examples:
      senn plot-arm -o ssrms.png
      senn plot-arm arm.urdf --tip tool0 -o arm.svg
    """
    from senn import api

    pictures.check(output)
    found = api.problem(problem, **arguments)
    pictures.write(found.plot, output)
    if as_json:
        say_json({"problem": found.name, "links": found.chain.n, "picture": output})
    else:
        click.echo(output)

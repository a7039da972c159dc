"""`senn new`: a problem file to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from senn.choices import ProblemChoices
from senn.cli import completion
from senn.cli.options import command, json_option, options, output_option, problem_option, quiet_option
from senn.cli.printing.screen import say_json


@command(short_help="A problem file to begin with.")
@click.argument("file", type=click.Path(path_type=Path))
@problem_option(
    "--robot",
    metavar="ROBOT",
    shell_complete=completion.PROBLEMS,
    required=True,
    help="A URDF or robot file, a robot of `senn list robots`, or a generator.",
)
@options(ProblemChoices)
@output_option("--force", is_flag=True, help="Replace a file that is there.")
@json_option
@quiet_option
def new(file: Path, robot: str, force: bool, as_json: bool, **arguments: Any) -> None:
    """Write a problem file of a robot: every joint by its name, with its limits and its units.

    State and torques are drawn from the seed, within the limits, to be changed. The tip is held as --contact
    says; by default it is welded, or on a plane where the arm is too short for that, or free.

    \b
    Examples:
      senn new my.toml --robot arm.urdf --tip tool0
      senn run my.toml
      senn new snake.toml --robot snake:12 --contact point
    """
    from senn import api

    written = api.new(file, robot, force=force, **arguments)
    if as_json:
        say_json({"file": str(written)})
    else:
        click.echo(written)

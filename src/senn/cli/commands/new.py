"""`senn new`: a problem file to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from senn.choices import ProblemChoices
from senn.cli.options import options


@click.command(short_help="A problem file to begin with.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--robot",
    metavar="ROBOT",
    required=True,
    help="A URDF or robot file, a robot of `senn list robots`, or a generator.",
)
@options(ProblemChoices)
@click.option("--force", is_flag=True, help="Replace a file that is there.")
def new(file: Path, robot: str, force: bool, **arguments: Any) -> None:
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

    click.echo(api.new(file, robot, force=force, **arguments))

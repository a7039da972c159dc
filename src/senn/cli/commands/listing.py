"""`senn listing`: the program as text."""

from __future__ import annotations

from typing import Any

import click

from senn.choices import ProgramChoices
from senn.cli.options import options


@click.command(short_help="The program as text, as the paper prints it.")
@click.option(
    "--n", type=click.IntRange(min=1), metavar="N", default=8, show_default=True, help="Number of processes."
)
@options(ProgramChoices)
@click.option("--step", metavar="LABEL", help="Only this part: I.b, or II.c.3.")
def listing(n: int, **arguments: Any) -> None:
    """Print the program in the manner of the paper's Section VI.D: every instruction with its mask.

    Lines with a dot name what another instruction delivered; they are not issued.

    \b
    Examples:
      senn listing --n 4 --step I.b
      senn listing --form short | less
      senn listing --n 4 --strategy 1 --elimination oer --step I.b
    """
    from senn import api

    click.echo(api.listing(n, **arguments), nl=False)

"""`senn program`: the program as text."""

from __future__ import annotations

from typing import Any

import click

from senn.choices import ProgramChoices
from senn.cli.options import command, json_option, options, problem_option
from senn.cli.printing.screen import say_json


@command(short_help="The program as text, as the paper prints it.")
@problem_option(
    "--n", type=click.IntRange(min=1), metavar="N", default=8, show_default=True, help="Number of processes."
)
@options(ProgramChoices)
@click.option("--step", metavar="LABEL", help="Print only this part, such as I.b or II.c.3.")
@json_option
def program(n: int, as_json: bool, **arguments: Any) -> None:
    """Print the program in the manner of the paper's Section VI.D: every instruction with its mask.

    A line with a dot names a value that another instruction delivered; it is not issued.

    \b
    Examples:
      senn program --n 4 --step I.b
      senn program --form short | less
      senn program --n 4 --strategy 1 --elimination oer --step I.b
    """
    from senn import api

    text = api.program(n, **arguments)
    if as_json:
        say_json({"n": n, "levels": (n - 1).bit_length(), **arguments, "lines": text.splitlines()})
    else:
        click.echo(text, nl=False)

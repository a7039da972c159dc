"""Options that several commands share; each is an argument of the API of the same name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def program_options(command: Command) -> Command:
    """--form and --refine: which program runs."""
    for option in (
        click.option(
            "--refine",
            type=click.IntRange(0, 1),
            metavar="0|1",
            default=0,
            show_default=True,
            help="Steps of iterative refinement after every solution.",
        ),
        click.option(
            "--form",
            type=click.Choice(["paper", "short", "omega"]),
            default="paper",
            show_default=True,
            help="The paper's program, one without its needless steps, or one without a second solution.",
        ),
    ):
        command = option(command)
    return command


def machine_options(command: Command) -> Command:
    """--residency, --allocation, --machine and --set: where the program runs."""
    for option in (
        click.option(
            "--set",
            metavar="FIELD=VALUE",
            multiple=True,
            callback=_settings,
            help="Change a field of the machine, e.g. timing.word=4 or machine.ports=one. Repeatable.",
        ),
        click.option(
            "--machine",
            metavar="NAME|FILE",
            default="mark3",
            show_default=True,
            help="A machine of `senn list machines`, or a TOML file.",
        ),
        click.option(
            "--allocation",
            metavar="NAME|FILE",
            default="identity",
            show_default=True,
            help="A name of `senn list allocations`, FILE.csv or FILE.py:FUNCTION; several, parted by "
            "commas, are for one array each.",
        ),
        click.option(
            "--residency",
            type=click.Choice(["migrating", "home"]),
            default="migrating",
            show_default=True,
            help="Processes move between levels so that partners are neighbours, or stay.",
        ),
    ):
        command = option(command)
    return command


def _settings(context: click.Context, option: click.Parameter, texts: tuple[str, ...]) -> dict[str, str]:
    """{"timing.word": "4"} from ("timing.word=4",)."""
    settings: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not (key and equals and value):
            raise click.BadParameter(f'"{text}": write FIELD=VALUE, such as timing.word=4', context, option)
        if key in settings:
            raise click.BadParameter(f'"{key}" is given twice', context, option)
        settings[key] = value
    return settings

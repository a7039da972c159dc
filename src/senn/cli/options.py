"""Options that several commands share; each is an argument of the API of the same name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def program_options(command: Command) -> Command:
    """--algorithm, --form, --refine, --strategy, --elimination and --arrays: which program runs."""
    for option in (
        click.option(
            "--arrays",
            type=click.Choice([1, 2, 3, 8]),
            default=2,
            show_default=True,
            help="All in one; as the paper; Newton-Euler apart; each right-hand side of Eq. (84) apart.",
        ),
        click.option(
            "--elimination",
            type=click.Choice(["oee", "oer"]),
            default="oee",
            show_default=True,
            help="Odd-even elimination, or odd-even reduction: half the rows at every level, and back.",
        ),
        click.option(
            "--strategy",
            type=click.Choice([1, 2]),
            default=2,
            show_default=True,
            help="Who computes a term: the owner of the row to be updated, or of the inverse (the paper's).",
        ),
        click.option(
            "--refine",
            type=click.IntRange(0, 2),
            metavar="0|1|2",
            default=0,
            show_default=True,
            help="Steps of iterative refinement after every solution; the second gains nothing.",
        ),
        click.option(
            "--form",
            type=click.Choice(["paper", "short", "omega"]),
            default="paper",
            show_default=True,
            help="The paper's program, one without its needless steps, or one without a second solution.",
        ),
        click.option(
            "--algorithm",
            metavar="NAME",
            default="closed-chain",
            show_default=True,
            help="A name of `senn list algorithms`. Not all have the choices that follow.",
        ),
    ):
        command = option(command)
    return command


def residency_option(command: Command) -> Command:
    """--residency: a matter of places; "ahead" is one of the program as well."""
    return click.option(
        "--residency",
        type=click.Choice(["migrating", "ahead", "home"]),
        default="migrating",
        show_default=True,
        help="Processes move after a level's update so that partners are neighbours, or before it, or stay.",
    )(command)


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
        residency_option,
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

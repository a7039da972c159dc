"""The choices of a user as options of commands: one for every row of a table of `senn.choices`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click

from senn.choice import GROUPS, Choice
from senn.choices import choices
from senn.cli.completion import BY_OPTION
from senn.cli.printing.screen import QUIET
from senn.traces.errors import printable

Command = TypeVar("Command", bound=Callable[..., Any])


def options(table: type) -> Callable[[Command], Command]:
    """An option for every row of a table."""

    def decorated(command: Command) -> Command:
        for row in reversed(choices(table).values()):
            command = option(row)(command)
        return command

    return decorated


def option(row: Choice, **otherwise: Any) -> Callable[[Command], Command]:
    """The option of a row, or of one that is otherwise in a command."""
    words, attributes = option_of(replace(row, **otherwise))
    return click.option(*words, cls=Option, **attributes)


def option_of(row: Choice) -> tuple[list[str], dict[str, Any]]:
    """What an `Option` wants to know of a row."""
    words, attributes = _kind_of(row)
    return words, {**attributes, "group": row.group, "shell_complete": BY_OPTION.get(row.name)}


def _kind_of(row: Choice) -> tuple[list[str], dict[str, Any]]:
    if row.name == "set":
        more = {"multiple": True, "callback": _settings, "metavar": row.metavar}
        return ["--set"], {**more, "help": row.help}
    if row.kind is bool and not row.default:
        return [f"--{row.name}"], {"is_flag": True, "help": row.help}
    if row.kind in (bool, bool | None):
        said = f"{row.help}  [default: {row.name}]" if row.default else row.help
        return [f"--{row.name}/--no-{row.name}"], {"default": row.default, "help": said}
    attributes = {"default": row.default, "show_default": row.default is not None, "help": row.help}
    if row.several:
        said = f"{row.help} Repeatable."
        return [f"--{row.name}"], {
            "type": _type(row),
            "multiple": True,
            "callback": lambda context, option, texts: texts or row.default,
            "help": said,
            "metavar": row.metavar,
        }
    return [f"--{row.name}"], {**attributes, "type": _type(row), "metavar": row.metavar}


def _type(row: Choice) -> click.ParamType[Any]:
    if row.values:
        return click.Choice(list(row.values))
    if row.kind in (int, int | None):
        return click.IntRange(row.least, row.most)
    return _NumberOrText() if isinstance(row.default, int) else click.STRING


class _NumberOrText(click.ParamType[Any]):
    """A whole number if it is one, else the text as it is."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 19
        return int(value) if number else value


class Span(click.ParamType[tuple[int, int]]):
    """The first and the last of something that is counted, "0:31"; one number is both."""

    name = "span"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        if isinstance(value, tuple):
            return value
        words = str(value).split(":")
        if not 1 <= len(words) <= 2 or not all(word.isascii() and word.isdigit() for word in words):
            self.fail(f"{printable(str(value))!r} is no first and last; write 0:31", param, ctx)
        if max(map(len, words)) > 18 or int(words[0]) > int(words[-1]):
            self.fail(f"{value!r}: the first comes before the last; write 0:31", param, ctx)
        return int(words[0]), int(words[-1])


class Option(click.Option):
    """An option that stands in a group of the help: problem, program, machine, output or checks."""

    def __init__(self, *words: Any, group: str | None = None, **attributes: Any) -> None:
        super().__init__(*words, **attributes)
        self.group = group


class _Grouped(click.Command):
    """A command whose help has its options in groups, those of none last."""

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        found: dict[str, list[tuple[str, str]]] = {group: [] for group in (*GROUPS, "options")}
        for parameter in self.get_params(context):
            record = parameter.get_help_record(context) if isinstance(parameter, click.Option) else None
            if record is not None:
                found[getattr(parameter, "group", None) or "options"].append(record)
        for group, records in found.items():
            if records:
                with formatter.section(group.capitalize()):
                    formatter.write_dl(records)


command = partial(click.command, cls=_Grouped)
"""As click's, with the options in groups."""
problem_option = partial(click.option, cls=Option, group="problem")
machine_option = partial(click.option, cls=Option, group="machine")
output_option = partial(click.option, cls=Option, group="output")
"""As click's, in these groups."""


def written_to(metavar: str, help: str, *, required: bool = False) -> Callable[[Command], Command]:
    """`-o`: the file or folder that a command writes."""
    kind = click.Path(path_type=Path)
    return output_option("-o", "--output", metavar=metavar, type=kind, required=required, help=help)


json_option = output_option(
    "--json", "as_json", is_flag=True, help="Print one JSON object instead of the text."
)


def _be_quiet(context: click.Context, option: click.Parameter, given: bool) -> None:
    context.meta[QUIET] = given


quiet_option = output_option(
    "-q",
    "--quiet",
    is_flag=True,
    expose_value=False,
    callback=_be_quiet,
    help="Print nothing but the paths of what was written, and errors.",
)


def picture_option(what: str, once_output: bool = False) -> Callable[[Command], Command]:
    """--plot: a picture beside what a command prints. `once_output`: it was called -o, which is refused."""

    def decorated(command: Command) -> Command:
        if once_output:
            command = _REFUSED(command)
        return output_option(
            "--plot",
            "picture",
            metavar="FILE",
            type=click.Path(path_type=Path),
            help=f"Draw {what} too: a .png, .svg or .pdf file.",
        )(command)

    return decorated


def _refuse_output(context: click.Context, option: click.Parameter, given: str | None) -> None:
    if given is not None:
        raise click.UsageError(
            f"the picture of {context.command_path} is drawn by --plot {given}; -o is for what a command "
            "makes: a run, a study, a table",
            context,
        )


_REFUSED = click.option("-o", "--output", hidden=True, expose_value=False, callback=_refuse_output)


def _settings(context: click.Context, option: click.Parameter, texts: tuple[str, ...]) -> dict[str, str]:
    """{"timing.word": "4"} from ("timing.word=4",)."""
    settings: dict[str, str] = {}
    for text in texts:
        key, value = setting(text, context, option)
        if key in settings:
            raise click.BadParameter(f'"{key}" is given twice', context, option)
        settings[key] = value
    return settings


def setting(text: str, context: click.Context, option: click.Parameter) -> tuple[str, str]:
    """("timing.word", "4") from "timing.word=4"."""
    key, equals, value = text.partition("=")
    if not (key and equals and value):
        raise click.BadParameter(f'"{text}": write FIELD=VALUE, such as timing.word=4', context, option)
    return key, value

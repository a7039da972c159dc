"""Options of commands, one for every row of a table of `senn.choices`, and shell completion of their values.

A shell calls `senn` itself for them, with _SENN_COMPLETE set.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import augment_usage_errors
from click.shell_completion import CompletionItem

from senn.base.account import Account
from senn.base.errors import InputError, printable
from senn.base.gone import refuse_former
from senn.choices import BASIC, GROUPS, Choice, choices
from senn.cli.printing.pictures import COMMAND
from senn.cli.printing.screen import QUIET, tell

JSON = "senn.json"
"""Where a context keeps whether --json was given."""
Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def completer(names: Callable[[], Iterable[str]], kind: str = "") -> Completer:
    """Completer of names by their beginning; if no name matches, of files ("file") or folders ("dir")."""

    def completed(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
        items = [CompletionItem(name) for name in names() if name.startswith(begun)]
        return items or ([CompletionItem(begun, type=kind)] if kind else [])

    return completed


def _names(module: str, name: str) -> Callable[[], Any]:
    """Names that a module of `senn` has, a mapping or a function; it is imported when they are needed."""

    def names() -> Any:
        entry = getattr(import_module(f"senn.{module}"), name)
        return entry() if callable(entry) else entry

    return names


_robots = _names("algorithms.robots.reader", "bundled")
_bundled = _names("algorithms.problems", "bundled")
_generators = _names("algorithms.robots.generators", "DESCRIPTIONS")
_classics = _names("algorithms.gallery", "NAMES")
_networks = _names("machine.network.named", "PURPOSES")
_fields = _names("machine.model", "FIELDS")
_words = _names("cli.glossary", "words")


def _problems() -> Iterable[str]:
    generators = (f"{name.partition(':')[0]}:" for name in _generators())
    return dict.fromkeys([*_bundled(), *_robots(), *generators, *(f"{name}:" for name in _classics())])


def _folders(*files: str) -> list[str]:
    """Folders of runs (of run.json) or of motions, here and in runs/."""
    places = [f"{where}/{file}" for where in ("*", "runs/*") for file in files]
    return sorted(str(path.parent) for place in places for path in Path().glob(place))


ROBOTS = completer(_robots)
BUNDLED_PROBLEMS = completer(_bundled)
PROBLEMS = completer(_problems, "file")
RUNS = completer(lambda: _folders("run.json"), "dir")
PLOTTED = completer(lambda: [*_folders("run.json", "motion.json"), *_problems()], "dir")
FILES = completer(list, "file")
NETWORKS = completer(_networks, "file")
EXPLAINED = completer(lambda: [*_folders("run.json", "motion.json"), *_words()], "dir")
BY_OPTION: dict[str, Completer] = {
    "algorithm": completer(lambda: [*_names("algorithms.catalogue", "ALGORITHMS")(), *_classics()]),
    "machine": completer(_names("machine.model", "presets"), "file"),
    "allocation": completer(_names("machine.placing.allocation", "NAMES"), "file"),
    "set": completer(
        lambda: [
            *(f"{group}.{field}=" for group, fields in _fields().items() for field in fields),
            *(f"machine.network={name}" for name in _networks()),
        ]
    ),
}
"""Completers of choices, by name."""


# -- arguments and options


Command = TypeVar("Command", bound=Callable[..., Any])
PATH = click.Path(path_type=Path)
problem_argument = click.argument("problem", default="ssrms", shell_complete=PROBLEMS)
run_argument = click.argument("run", type=PATH, shell_complete=RUNS)


def options(table: type) -> Callable[[Command], Command]:
    """Decorator that adds an option for every row of a table."""

    def decorated(command: Command) -> Command:
        for row in reversed(choices(table).values()):
            command = option(row)(command)
        return command

    return decorated


def option(row: Choice, **changes: Any) -> Callable[[Command], Command]:
    """Decorator that adds the option of a row, with fields of the row changed."""
    words, attributes = _attributes(replace(row, **changes))
    return click.option(*words, cls=Option, **attributes)


def repeatable_option(row: Choice) -> Option:
    """Option of a row that may be given several times; a switch stays as it is."""
    words, attributes = _attributes(row)
    if row.name == "set":
        help = "Change a field of the machine; a FIELD that is given twice takes both values."
        attributes |= {"callback": _set_callback(several=True), "help": help}
    elif row.kind is not bool:
        default = "" if row.default is None else f"  [default: {row.default}]"
        kept = ("type", "metavar", "group", "shell_complete")
        attributes = {name: attributes[name] for name in kept}
        attributes |= {"multiple": True, "help": f"{row.help}{default}"}
    return Option(words, **attributes)


def _attributes(row: Choice) -> tuple[list[str], dict[str, Any]]:
    words = [f"--{row.name}"]
    attributes: dict[str, Any] = {
        "help": row.help,
        "group": row.group or BASIC,
        "metavar": row.metavar or (f"[{'|'.join(map(str, row.values))}]" if row.values else None),
        "shell_complete": BY_OPTION.get(row.name, completer(lambda: map(str, row.values))),
    }
    if row.name == "set":
        return words, {**attributes, "multiple": True, "callback": _set_callback(several=False)}
    if row.kind is bool and not row.default:
        return words, {**attributes, "is_flag": True}
    if row.kind in (bool, bool | None):
        help = f"{row.help}  [default: {row.name}]" if row.default else row.help
        return [f"--{row.name}/--no-{row.name}"], {**attributes, "default": row.default, "help": help}
    attributes["type"] = Value(row)
    if row.several:
        attributes |= {"multiple": True, "callback": lambda context, option, texts: texts or row.default}
        return words, {**attributes, "help": f"{row.help} Repeatable."}
    return words, {**attributes, "default": row.default, "show_default": row.default is not None}


class NamedChoice(click.Choice):  # type: ignore[type-arg]
    """One of these names; a former name ends with its replacement, `senn.base.gone`."""

    def __init__(self, kind: str, names: Iterable[str]) -> None:
        super().__init__(list(names))
        self.kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        refuse_former(self.kind, value)
        return super().convert(value, param, ctx)


class Value(click.ParamType):  # type: ignore[type-arg]  # a generic since click 8.4
    """The value of a row: a text, or a whole number."""

    name = "text"

    def __init__(self, row: Choice) -> None:
        self.row = row

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, str) and int in self.row.kinds(written=True):
            value = _number_or_text(value)
        try:
            return self.row.convert(value, f"--{self.row.name}", written=True)
        except InputError as error:
            raise click.UsageError(str(error), ctx) from None


def _number_or_text(word: str) -> int | str:
    """A word of a command line: a whole number of at most 19 digits, or else the word as it is."""
    return int(word) if re.fullmatch("-?[0-9]{1,19}", word) else word


class Span(click.ParamType):  # type: ignore[type-arg]
    """First and last number of a range, written "0:31"; a single number is both."""

    name = "span"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        if isinstance(value, tuple):
            return value
        words = str(value).split(":")
        if not 1 <= len(words) <= 2 or not all(word.isascii() and word.isdigit() for word in words):
            self.fail(f"{printable(str(value))!r} is not a range; write 0:31", param, ctx)
        if max(map(len, words)) > 18 or int(words[0]) > int(words[-1]):
            self.fail(f"{value!r}: the first comes before the last; write 0:31", param, ctx)
        return int(words[0]), int(words[-1])


class Option(click.Option):
    """An option with its group in the help; without a group it is a basic option."""

    def __init__(self, *words: Any, group: str = BASIC, **attributes: Any) -> None:
        super().__init__(*words, **attributes)
        self.group = group


_FEW = 12
"""Number of options that a command shows in one list."""


class GroupedCommand(click.Command):
    """A command that returns an account, or yields several, which are told here, with --json as JSON.

    Its help shows the basic options first; the others follow in their groups.
    """

    def __init__(self, *words: Any, **attributes: Any) -> None:
        super().__init__(*words, **attributes)
        text = "Print one JSON object instead of the text."
        self.params.append(Option(["--json"], help=text, **_kept_as(JSON)))

    def invoke(self, ctx: click.Context) -> int:
        """Call the command, tell its accounts, and return the exit status."""
        outcome: Account | Iterator[Account] = super().invoke(ctx)
        accounts = [outcome] if isinstance(outcome, Account) else outcome
        with augment_usage_errors(ctx):
            return max(tell(account, ctx.meta.get(JSON, False)) for account in accounts)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[COMMAND] = [*ctx.command_path.split(), *args]
        with augment_usage_errors(ctx):  # an option without its value does not say of which command
            return super().parse_args(ctx, args)

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options of the command by group, or in one list if they are few."""
        parameters = [p for p in self.get_params(context) if isinstance(p, click.Option)]
        few = len(parameters) <= _FEW
        records: dict[str, list[tuple[str, str]]] = {group: [] for group in (BASIC, *GROUPS)}
        for parameter in parameters:
            record = parameter.get_help_record(context)
            if record is not None:
                group = BASIC if few else getattr(parameter, "group", BASIC)
                records.setdefault(group, []).append(record)
        for group, lines in records.items():
            if lines:
                title = f"Advanced ({group})" if group in GROUPS else group.capitalize() or "Options"
                with formatter.section(title):
                    formatter.write_dl(lines)


command = partial(click.command, cls=GroupedCommand)
"""Decorator as click's, for a `GroupedCommand`."""
basic_option = partial(click.option, cls=Option, group=BASIC)
problem_option = partial(click.option, cls=Option, group="problem")
machine_option = partial(click.option, cls=Option, group="machine")
output_option = partial(click.option, cls=Option, group="output")
"""Decorators as click's, for an option of a group."""


def count_option(
    name: str, metavar: str, default: int, help: str, *, least: int = 1, group: str = BASIC
) -> Callable[[Command], Command]:
    """An option with a whole number, from `least` on."""
    return option(Choice(default, help, metavar, least=least, name=name[2:], kind=int, group=group))


def written_to(metavar: str, help: str, *, required: bool = False) -> Callable[[Command], Command]:
    """`-o`: the file or folder that a command writes."""
    return basic_option("-o", "--output", metavar=metavar, type=PATH, required=required, help=help)


def _kept_as(key: str) -> Any:
    """A switch of how accounts are told, kept in the context."""

    def keep(context: click.Context, option: click.Parameter, given: bool) -> None:
        context.meta[key] = given

    return {"is_flag": True, "expose_value": False, "callback": keep}


quiet_option = output_option(
    "-q", "--quiet", **_kept_as(QUIET), help="Print only the paths of written files, and errors."
)


def picture_option(subject: str) -> Callable[[Command], Command]:
    """--plot: the file of a picture, besides the printed text."""
    help = f"Also draw {subject}: a .png, .svg or .pdf file."
    return basic_option("--plot", "picture", metavar="FILE", type=PATH, help=help)


def _set_callback(several: bool) -> Callable[[click.Context, click.Parameter, tuple[str, ...]], Any]:
    """Callback of --set: {"timing.word": "4"} from ("timing.word=4",), [4] for "4" if `several`."""

    def parsed(context: click.Context, option: click.Parameter, texts: tuple[str, ...]) -> Any:
        fields: dict[str, list[Any]] = {}
        for text in texts:
            key, equals, value = text.partition("=")
            if not (key and equals and value):
                raise click.BadParameter(
                    f'"{text}": write FIELD=VALUE, such as timing.word=4', context, option
                )
            if key in fields and not several:
                raise click.BadParameter(f'"{key}" is given twice', context, option)
            fields.setdefault(key, []).append(value)
        if several:
            return {key: list(map(_number_or_text, values)) for key, values in fields.items()}
        return {key: values[0] for key, values in fields.items()}

    return parsed

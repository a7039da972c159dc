"""Every command as Markdown, from the commands themselves: what it does, how it is called, its options."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import click

from experiments.page import head, row
from senn.cli.glossary import words as known
from senn.cli.main import cli


def commands() -> str:
    """A section for every command, and one below it for those of a group."""
    return "\n".join(_command(cli, "senn", 2))


def _command(command: click.Command, words: str, level: int) -> Iterator[str]:
    context = click.Context(command, info_name=words)
    yield f"{'#' * level} {words}\n"
    yield from _text(inspect.cleandoc(command.help or ""))
    arguments = " ".join(command.collect_usage_pieces(context))
    yield f"```text\n{words} {arguments}\n```\n"
    options = [one for one in command.get_params(context) if isinstance(one, click.Option)]
    yield from _options([one for one in options if "--help" not in one.opts], context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None  # it has just been listed
            yield from _command(below, f"{words} {name}", level + 1 if level > 2 else level)


def _text(said: str) -> Iterator[str]:
    """Paragraphs; one that click leaves as it stands, its lines and all, is a block of text."""
    for paragraph in said.split("\n\n"):
        before, *blocks = paragraph.split("\b\n")
        if before.strip():
            yield f"{plain(before)}\n"
        for lines in blocks:
            title, _, examples = lines.partition("\n") if not lines.startswith(" ") else ("", "", lines)
            yield from ([f"{title}\n"] if title else [])
            yield f"```text\n{inspect.cleandoc(examples)}\n```\n"


def _options(options: list[click.Option], context: click.Context) -> Iterator[str]:
    if not options:
        return
    yield from head("option", "")
    for one in options:
        record = one.get_help_record(context)
        if record is not None:
            words, said = record
            yield row(f"`{_cell(words)}`", plain(_cell(said)))
    yield ""


def _cell(text: str) -> str:
    """In one line, and without what parts the cells."""
    return " ".join(text.split()).replace("|", "\\|")


def plain(text: str) -> str:
    """As it is: no character of it is Markdown's, but the quotes of what is typed."""
    parts = text.split("`")
    parts[::2] = [re.sub(r"([*_<>\[\]])", r"\\\1", part) for part in parts[::2]]
    return "`".join(parts)


def glossary() -> str:
    """Every word that `senn explain` knows, by the alphabet: what else it is called, and what it means."""
    return "\n".join(_entries())


def _entries() -> Iterator[str]:
    for word in sorted(known().values(), key=lambda one: one.name.strip().lower()):
        also = f" ({', '.join(word.also)})" if word.also else ""
        yield f"**{plain(word.name.strip())}**{plain(also)}\n: {plain(word.text)}\n"

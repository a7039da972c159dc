"""An account on a terminal, on a page of its width, or as JSON; messages on stderr."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, JustifyMethod, RenderableType
from rich.padding import Padding
from rich.table import Table as Grid

from senn.base.account import Account, Lines, Section
from senn.base.errors import message, printable
from senn.base.tables import Table, figure

QUIET = "senn.quiet"
"""Where the context of a command keeps whether --quiet was given."""
NARROWEST, WIDEST = 60, 200


def width() -> int:
    """Columns of a page: COLUMNS, or the terminal's, or 80."""
    return min(max(shutil.get_terminal_size((80, 24)).columns, NARROWEST), WIDEST)


def quiet() -> bool:
    """Whether nothing is wanted but the paths of what is written, and errors."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(QUIET))


@contextmanager
def screen() -> Iterator[Console]:
    """A page whose content goes to stdout at the end, without blanks at the ends of lines.

    Texts are shown as they are: no markup, no emoji, no colour of their own, control characters escaped.
    """
    page = Console(width=width(), markup=False, highlight=False, emoji=False, force_jupyter=False)
    with page.capture() as captured:
        yield page
    if quiet():
        return
    styled = _STYLE.split(captured.get())  # every second part is a style
    text = "".join(part if k % 2 else printable(part, "\n") for k, part in enumerate(styled))
    click.echo("\n".join(line.rstrip() for line in text.split("\n")), nl=False)


_STYLE = re.compile(r"(\x1b\[[0-9;]*m)")  # colours and weights on a terminal, as Rich writes them


def complain(text: str) -> None:
    """A message on stderr: its lines as they are, but of printable characters, and of no endless length."""
    click.echo("senn: " + "\n".join(map(message, text.split("\n"))), err=True)


def tell(account: Account, as_json: bool) -> int:
    """Print an account, as one JSON object or for readers, and return the exit status."""
    if as_json:
        if account.figures:
            say_json(account.figures)
    else:
        if account.text and not quiet():
            click.echo(account.text, nl=not account.text.endswith("\n"))
        if account.sections:
            with screen() as page:
                for place, section in enumerate(account.sections):
                    _print(page, section, first=not place)
        # The paths of files by label; with --quiet, and without a label, the paths alone.
        paths = {label: path for label, path in account.files.items() if path is not None}
        if quiet() or "" in paths:
            for path in paths.values():
                click.echo(path)
        elif paths:
            longest = max(map(len, paths))
            with screen() as page:
                page.print()
                page.print("Files", style="bold")
                for label, path in paths.items():  # on one line each, however long, to be copied
                    page.print(f"  {label:<{longest}}  {path}", soft_wrap=True)
    if account.failure:
        complain(account.failure)
    return 0 if account.failure is None else 1


def _print(page: Console, section: Section, first: bool) -> None:
    """Print a section below an empty line: its parts below each other, indented below a heading."""

    def printed(shown: RenderableType) -> None:
        page.print(Padding(shown, (0, 0, 0, 2), expand=False) if section.heading else shown)

    if not first:
        page.print()
    if section.heading:
        page.print(section.heading, style="bold")
    for place, paragraph in enumerate(section.paragraphs):
        if place or section.heading:
            page.print()
        page.print(paragraph)
    if section.lines:
        printed(_labelled(section.lines))
    if section.table is not None:
        if section.lines:
            page.print()
        printed(Sheet(**vars(section.table)) if section.table.rows else "none")
    for note in section.notes:
        printed(_labelled((note,)))


def _labelled(lines: Lines) -> Grid:
    """Lines with their labels, if any has one; long texts wrap below themselves."""
    grid = Grid.grid(padding=(0, 2, 0, 0))
    labelled = any(label for label, _ in lines)
    if labelled:
        grid.add_column(no_wrap=True, style="dim")
    grid.add_column()
    for label, text in lines:
        grid.add_row(*[label] * labelled, text)
    return grid


def say_json(document: Mapping[str, Any]) -> None:
    """One JSON object on one line of stdout, also if all else is quiet; what is no finite number is null."""
    click.echo(json.dumps(_plain(document), allow_nan=False))


def _plain(entry: Any) -> Any:
    if isinstance(entry, Mapping):
        return {name: _plain(value) for name, value in entry.items()}
    if isinstance(entry, list | tuple):
        return [_plain(value) for value in entry]
    if isinstance(entry, Path):
        return str(entry)
    if isinstance(entry, float) and entry - entry != 0:  # infinite, or not a number
        return None
    return entry


_BETWEEN = 3
"""Blanks and the line between columns."""
_LEGIBLE = 24
"""Texts that are longer may wrap, down to this, before numbers go below."""
_LONGEST_WORD = 40
"""A longer one is broken."""


class Sheet(Table):
    """A `Table` on a terminal: in parts, one below the other, where the page is too narrow.

    Every part repeats the texts and the first `keys` numbers.
    """

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        titles, texts, room = [*self.texts, *self.numbers], len(self.texts), options.max_width
        cells = [[title, *(figure(row[k]) for row in self.rows)] for k, title in enumerate(titles)]
        widths = [max(len(line) for cell in column for line in cell.split("\n")) for column in cells]
        words = [max((len(word) for cell in column for word in cell.split()), default=0) for column in cells]
        least = [min(word, _LONGEST_WORD) for word in words[:texts]]  # a text wraps between words
        needed = [max(word, min(width, _LEGIBLE)) for word, width in zip(least, widths, strict=False)]
        for place, part in enumerate(self._parts(needed, widths, room)):
            if place:
                yield ""
            left = room - sum(widths[k] + _BETWEEN for k in part) - _BETWEEN * (texts - 1)
            shown = _narrowed(widths[:texts], least, left) + [widths[k] for k in part]
            grid = Grid(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1), header_style="bold")
            for k, width in zip((*range(texts), *part), shown, strict=True):
                justify: JustifyMethod = "left" if k < texts else "right"
                grid.add_column(titles[k], justify=justify, overflow="fold", width=width)
            for row in range(1, len(self.rows) + 1):
                grid.add_row(*(cells[k][row] for k in (*range(texts), *part)))
            yield grid

    def _parts(self, needed: Sequence[int], widths: Sequence[int], room: int) -> Iterator[list[int]]:
        """Which numbers stand side by side: as many as there is room for, one at least."""
        first = len(self.texts)
        keys = list(range(first, first + self.keys))
        left = room + _BETWEEN - sum(width + _BETWEEN for width in (*needed, *(widths[k] for k in keys)))
        part: list[int] = []
        for column in range(first + self.keys, len(widths)):
            if part and sum(widths[k] + _BETWEEN for k in (*part, column)) > left:
                yield [*keys, *part]
                part = []
            part.append(column)
        if part or len(self.numbers) == self.keys:
            yield [*keys, *part]


def _narrowed(widths: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """Widths of texts: as they are, or the widest made narrower, first down to their longest words."""
    narrow = [min(width, room) for width in widths]
    while sum(narrow) > max(room, len(narrow)):
        *_, widest = max((max(width - least[k], 0), width, k) for k, width in enumerate(narrow))
        narrow[widest] -= 1
    return narrow

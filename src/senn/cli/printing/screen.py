"""What people read: a page as wide as the terminal, labelled lines, the files that were written; JSON."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table

from senn.traces.errors import message, printable

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
    """What is printed on the page goes to stdout at the end, without blanks at the ends of lines.

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


def heading(page: Console, text: str) -> None:
    """An empty line and a heading."""
    page.print()
    page.print(text, style="bold")


def indented(page: Console, shown: RenderableType) -> None:
    """Below a heading."""
    page.print(Padding(shown, (0, 0, 0, 2), expand=False))


def files(written: Mapping[str, Path | None]) -> None:
    """Print what was written, by label, None for what was not; the paths alone where all else is quiet."""
    there = {label: path for label, path in written.items() if path is not None}
    if quiet():
        for path in there.values():
            click.echo(path)
    elif there:
        longest = max(map(len, there))
        with screen() as page:
            heading(page, "Files")
            for label, path in there.items():  # on one line each, however long, to be copied
                page.print(f"  {label:<{longest}}  {path}", soft_wrap=True)


def facts(lines: Iterable[tuple[str, str]]) -> Table:
    """Labelled lines; long texts wrap below themselves."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True, style="dim")
    grid.add_column()
    for label, text in lines:
        grid.add_row(label, text)
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

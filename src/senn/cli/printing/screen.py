"""What people read: tables and labelled lines, at most 100 columns on a terminal, 80 and plain elsewhere."""

from __future__ import annotations

import json
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from senn.traces.errors import message, printable


@contextmanager
def screen() -> Iterator[Console]:
    """What is printed on the page goes to stdout at the end, without blanks at the ends of lines.

    Texts are shown as they are: no markup, no emoji, no colour of their own, control characters escaped.
    """
    width = min(shutil.get_terminal_size().columns, 100) if sys.stdout.isatty() else 80
    page = Console(width=width, markup=False, highlight=False, emoji=False, force_jupyter=False)
    with page.capture() as captured:
        yield page
    styled = _STYLE.split(captured.get())  # every second part is a style
    text = "".join(part if k % 2 else printable(part, "\n") for k, part in enumerate(styled))
    click.echo("\n".join(line.rstrip() for line in text.split("\n")), nl=False)


_STYLE = re.compile(r"(\x1b\[[0-9;]*m)")  # colours and weights on a terminal, as Rich writes them


def complain(text: str) -> None:
    """A message on stderr: its lines as they are, but of printable characters, and of no endless length."""
    click.echo("senn: " + "\n".join(map(message, text.split("\n"))), err=True)


@contextmanager
def stages(names: Sequence[str]) -> Iterator[Callable[[str], None]]:
    """A progress bar on stderr over named stages, where somebody watches; call it as each begins."""
    columns = (TextColumn("{task.description:<10}"), BarColumn(24), TimeElapsedColumn())
    watched = sys.stderr.isatty()
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not watched) as bar:
        task = bar.add_task("", total=len(names))
        yield lambda name: bar.update(task, description=name, completed=names.index(name))


class Count(Protocol):
    """Called for each run that is there: whether it is fine, and whether it was there before."""

    def __call__(self, fine: bool, was_there: bool = False) -> None: ...


@contextmanager
def counting(total: int) -> Iterator[Count]:
    """How many of `total` runs are there, how many failed, and the time to go.

    On stderr: a bar where somebody watches, else a line now and then.
    """
    if not sys.stderr.isatty():
        yield _Lines(total)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("to go"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task, done, failed = bar.add_task("runs", total=total), 0, 0

        def count(fine: bool, was_there: bool = False) -> None:
            nonlocal done, failed
            done += 1
            failed += not fine
            text = f"runs, {failed} failed" if failed else "runs"
            if was_there:
                bar.reset(task, completed=done, description=text)  # the clock too
            else:
                bar.update(task, completed=done, description=text)

        yield count


class _Lines:
    """Progress in lines: at most one in `_EVERY` seconds, so that a log stays short."""

    _EVERY = 10.0

    def __init__(self, total: int) -> None:
        self.total, self.done, self.there, self.failed = total, 0, 0, 0
        self.start = self.last = time.monotonic()

    def __call__(self, fine: bool, was_there: bool = False) -> None:
        self.done += 1
        self.there += was_there
        self.failed += not fine
        now = time.monotonic()
        if now - self.last >= self._EVERY and not was_there:
            self.last = now
            left = (now - self.start) / (self.done - self.there) * (self.total - self.done)
            failed = f", {self.failed} failed" if self.failed else ""
            click.echo(f"senn: {self.done} of {self.total} runs{failed}, about {left:.0f} s to go", err=True)


def heading(page: Console, text: str) -> None:
    """An empty line and a heading."""
    page.print()
    page.print(text, style="bold")


def indented(page: Console, shown: RenderableType) -> None:
    """Below a heading."""
    page.print(Padding(shown, (0, 0, 0, 2), expand=False))


def facts(lines: Iterable[tuple[str, str]]) -> Table:
    """Labelled lines; long texts wrap below themselves."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True, style="dim")
    grid.add_column()
    for label, text in lines:
        grid.add_row(label, text)
    return grid


def table(texts: Iterable[str], numbers: Iterable[str], rows: Iterable[Iterable[str]]) -> Table:
    """A table with columns of text, set left, followed by columns of numbers, set right."""
    found = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1), header_style="bold")
    for title in texts:
        found.add_column(title, justify="left")
    for title in numbers:
        found.add_column(title, justify="right")
    for row in rows:
        found.add_row(*row)
    return found


def say_json(document: Mapping[str, Any]) -> None:
    """One JSON object on one line of stdout; what is no finite number is null."""
    click.echo(json.dumps(_plain(document), allow_nan=False))


def _plain(entry: Any) -> Any:
    if isinstance(entry, Mapping):
        return {name: _plain(value) for name, value in entry.items()}
    if isinstance(entry, list | tuple):
        return [_plain(value) for value in entry]
    if isinstance(entry, float) and entry - entry != 0:  # infinite, or not a number
        return None
    return entry

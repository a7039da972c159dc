"""How far a long command is: on stderr, where somebody watches; nothing where it goes to a file or a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Thing = TypeVar("Thing")


def each(things: Sequence[Thing], said: Callable[[Thing], str]) -> Iterator[Thing]:
    """The things one after the other, with a bar that names the one at work."""
    if not sys.stderr.isatty():
        yield from things
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(24), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=len(things))
        for done, thing in enumerate(things):
            bar.update(task, description=said(thing), completed=done)
            yield thing

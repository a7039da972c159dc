"""Progress of a long command: a bar on stderr, if it is a terminal.

Where it goes to a file or a pipe there is nothing, but for a line now and then of runs that take long.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, TypeVar

import click

from senn.cli.printing.screen import quiet

if TYPE_CHECKING:
    from rich.progress import Progress

Thing = TypeVar("Thing")


def watched() -> bool:
    """Whether progress is shown: stderr is a terminal, without --quiet."""
    return sys.stderr.isatty() and not quiet()


def each(things: Sequence[Thing], said: Callable[[Thing], str]) -> Iterator[Thing]:
    """The things one after the other, with a bar that names the one at work."""
    if not watched():
        yield from things
        return
    with _bar("done") as bar:
        task = bar.add_task("", total=len(things))
        for done, thing in enumerate(things):
            bar.update(task, description=said(thing), completed=done)
            yield thing


@contextmanager
def stages(names: Sequence[str]) -> Iterator[Callable[[str], None]]:
    """A bar over named stages; call it as each begins."""
    if not watched():
        yield lambda name: None
        return
    with _bar() as bar:
        task = bar.add_task("", total=len(names))
        yield lambda name: bar.update(task, description=f"{name:<10}", completed=names.index(name))


@contextmanager
def search(budget: int) -> Iterator[Callable[[int, int], None]]:
    """A bar over the runs of a search, with the least makespan so far; in a log, a line now and then."""
    if not watched():
        due = _Due()

        def line(runs: int, makespan: int) -> None:
            if due():
                click.echo(f"senn: {runs} of at most {budget} runs, {makespan:,} cycles so far", err=True)

        yield line
        return
    with _bar() as bar:
        task = bar.add_task("bounding", total=budget)
        yield lambda runs, makespan: bar.update(
            task, completed=runs, description=f"{runs} runs, {makespan:,} cycles"
        )


class Count(Protocol):
    """Called for each run that is there: whether it is fine, and whether it was there before."""

    def __call__(self, fine: bool, was_there: bool = False) -> None: ...


@contextmanager
def counting(total: int) -> Iterator[Count]:
    """How many of `total` runs are there, how many failed, and the time to go.

    A bar on a terminal, else a line now and then.
    """
    if not watched():
        yield _Lines(total)
        return
    with _bar("done", "to go") as bar:
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


def _bar(*more: str) -> Progress:
    """A bar with a text and the time so far, and more: how many are "done", and the time "to go"."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    done = [MofNCompleteColumn()] if "done" in more else []
    to_go = [TextColumn("to go"), TimeRemainingColumn()] if "to go" in more else []
    columns = (TextColumn("{task.description}"), BarColumn(24), *done, TimeElapsedColumn(), *to_go)
    return Progress(*columns, console=Console(stderr=True), transient=True)


class _Due:
    """Whether the next line of progress is due: at most one in `EVERY` seconds, so that a log stays short."""

    EVERY = 10.0

    def __init__(self) -> None:
        self.start = self.last = time.monotonic()

    def __call__(self) -> bool:
        now = time.monotonic()
        if quiet() or now - self.last < self.EVERY:
            return False
        self.last = now
        return True


class _Lines:
    """Progress in lines."""

    def __init__(self, total: int) -> None:
        self.total, self.done, self.there, self.failed = total, 0, 0, 0
        self.due = _Due()

    def __call__(self, fine: bool, was_there: bool = False) -> None:
        self.done += 1
        self.there += was_there
        self.failed += not fine
        if not was_there and self.due():
            left = (self.due.last - self.due.start) / (self.done - self.there) * (self.total - self.done)
            failed = f", {self.failed} failed" if self.failed else ""
            click.echo(f"senn: {self.done} of {self.total} runs{failed}, about {left:.0f} s to go", err=True)

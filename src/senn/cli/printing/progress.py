"""Progress of a long command: a bar on stderr, if it is a terminal.

Where it goes to a file or a pipe there is nothing, but for a line now and then of runs that take long.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from senn.cli.printing.screen import quiet

Thing = TypeVar("Thing")


def each(things: Sequence[Thing], said: Callable[[Thing], str]) -> Iterator[Thing]:
    """The things one after the other, with a bar that names the one at work."""
    with _shown(len(things), "", "done") as update:
        for done, thing in enumerate(things):
            update(done, said(thing), "")
            yield thing


@contextmanager
def stages(names: Sequence[str]) -> Iterator[Callable[[str], None]]:
    """A bar over named stages; call it as each begins."""
    with _shown(len(names)) as update:
        yield lambda name: update(names.index(name), f"{name:<10}", "")


@contextmanager
def search(budget: int) -> Iterator[Callable[[int, int], None]]:
    """A bar over the runs of a search, with the least makespan so far; in a log, a line now and then."""
    with _shown(budget, "bounding") as update:
        yield lambda runs, makespan: update(
            runs,
            f"{runs} runs, {makespan:,} cycles",
            f"{runs} of at most {budget} runs, {makespan:,} cycles so far",
        )


@contextmanager
def motion() -> Iterator[Callable[[int, int], None]]:
    """How many of the steps of a motion are there, and the time to go; in a log, a line now and then."""
    first, start = None, time.monotonic()
    with _shown(1, "steps", "done", "to go") as update:

        def count(done: int, steps: int) -> None:
            nonlocal first
            first = done if first is None else first
            left = (time.monotonic() - start) / max(done - first, 1) * (steps - done)
            update(done, "steps", f"{done} of {steps} steps, about {left:.0f} s to go", total=steps)

        yield count


@contextmanager
def counting(total: int) -> Iterator[Callable[..., None]]:
    """How many of `total` runs are there, how many failed, and the time to go: called for each run, with
    whether it is fine and whether it was there before. A bar on a terminal, else a line now and then."""
    start, done, there, failures = time.monotonic(), 0, 0, 0
    with _shown(total, "runs", "done", "to go") as update:

        def count(fine: bool, was_there: bool = False) -> None:
            nonlocal done, there, failures
            done, there, failures = done + 1, there + was_there, failures + (not fine)
            failed = f", {failures} failed" if failures else ""
            left = (time.monotonic() - start) / max(done - there, 1) * (total - done)
            line = f"{done} of {total} runs{failed}, about {left:.0f} s to go"
            update(done, f"runs{failed}", "" if was_there else line, restart=was_there)

        yield count


@contextmanager
def _shown(total: int, text: str = "", *columns: str) -> Iterator[Callable[..., None]]:
    """A bar on a terminal; elsewhere a line at most every _EVERY seconds, so that a log stays short.

    It is called with the number done, the text of the bar, and the line in a log, if there is one.
    """
    if sys.stderr.isatty() and not quiet():
        from rich import progress
        from rich.console import Console

        done = [progress.MofNCompleteColumn()] if "done" in columns else []
        to_go = [progress.TextColumn("to go"), progress.TimeRemainingColumn()] if "to go" in columns else []
        parts = [progress.TextColumn("{task.description}"), progress.BarColumn(24), *done]
        parts += [progress.TimeElapsedColumn(), *to_go]
        with progress.Progress(*parts, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(text, total=total)

            def draw(done: int, text: str, line: str, restart: bool = False, total: Any = None) -> None:
                change = bar.reset if restart else bar.update  # the clock too, or not
                change(task, completed=done, description=text, total=total)

            yield draw
        return
    last = time.monotonic()

    def log(done: int, text: str, line: str, **_: object) -> None:
        nonlocal last
        now = time.monotonic()
        if line and not quiet() and now - last >= _EVERY:
            last = now
            click.echo(f"senn: {line}", err=True)

    yield log


_EVERY = 10.0

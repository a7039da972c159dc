"""`senn explain`: a run folder in numbers and sentences, or the meaning of a printed word."""

from __future__ import annotations

import os.path
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from senn.base.account import Account, Section
from senn.base.errors import InputError
from senn.cli import folders, options
from senn.cli.glossary import Word, find, words
from senn.cli.options import command

if TYPE_CHECKING:
    from senn.traces.run import Run


@command(short_help="A run folder in numbers and sentences, or the meaning of a word.")
@click.argument("asked", nargs=-1, metavar="[RUN [PART] | WORD]", shell_complete=options.EXPLAINED)
def explain(asked: tuple[str, ...]) -> Account:
    """Explain a RUN folder: its summary, steps and longest waits, and in sentences how long it took, where
    its cycles went, why, and what would help. For the folder of a motion, print its figures. Or explain a
    PART of it: a step (I.b.5) or the beginning of steps (I.b), "message 3", "node 1:4", or the "critical"
    path. Or explain a WORD that commands print, an option, or an answer; without any argument, list the
    words.

    \b
    Examples:
      senn explain runs/demo
      senn explain runs/demo I.b.5
      senn explain runs/demo message 3
      senn explain runs/demo critical
      senn explain exposed
      senn explain Lambda^-1
    """
    if asked and os.path.lexists(Path(asked[0], "motion.json")):
        from senn.cli.printing import motion

        if asked[1:]:
            raise InputError(
                f"{Path(asked[0])} is a motion, which has no parts; leave {' '.join(asked[1:])} out"
            )
        with folders.opened_motion(Path(asked[0])) as moved:
            return motion.account_of(moved)
    if asked and _is_run(asked):
        with folders.opened(Path(asked[0])) as run:
            return _of_run(Path(asked[0]), run, asked[1:])
    if asked:
        word = find(" ".join(asked))
        return Account([Section(word.name, paragraphs=(word.text,))], _figures(word))
    lines = tuple((word.name, f"{word.text.split('. ')[0].rstrip('.')}.") for word in words().values())
    end = Section(paragraphs=("A word in full: senn explain WORD",))
    return Account([Section(lines=lines), end], {"words": [_figures(word) for word in words().values()]})


def _figures(word: Word) -> dict[str, Any]:
    return {"word": word.name, "also": word.also, "text": word.text}


def _is_run(asked: tuple[str, ...]) -> bool:
    """Whether the first argument names a run: any folder with a run in it, also one named as a word is."""
    first = asked[0]
    if os.path.exists(Path(first, "run.json")):
        return True
    try:
        find(" ".join(asked))
    except InputError:
        return os.path.exists(Path(first)) or any(mark in first for mark in "/\\")
    return False


def _of_run(folder: Path, run: Run, part: tuple[str, ...]) -> Account:
    """The account of a part of a run; that of the whole begins with its summary and its tables."""
    from senn.cli.printing.report import account_of
    from senn.traces.explained import explained

    if part:
        account = explained(run, *part)
        return replace(account, figures={**account.figures, "folder": folder})
    summary = account_of(run, folder)
    figures = {"run": summary.figures}
    if run.trace.detail != "full":
        return Account([*summary.sections, *_less(run)], {**figures, "folder": folder})
    story, *tables = (account := explained(run)).sections
    return Account([*summary.sections, *tables, story], {**figures, **account.figures, "folder": folder})


def _less(run: Run) -> Iterator[Section]:
    """The steps of a run without messages, and what its detail leaves out."""
    from senn.traces import facts

    detail = run.trace.detail
    if detail == "instructions":
        yield facts.steps(run)
    missing = "Steps and waits" if detail == "summary" else "Messages"
    text = f"{missing} were not kept: the detail of this run is {detail}. Run again with --detail full."
    yield Section(paragraphs=(text,))

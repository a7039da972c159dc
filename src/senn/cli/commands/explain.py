"""`senn explain`: a run folder in numbers and sentences, or the meaning of a printed word."""

from __future__ import annotations

import os.path
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from senn.base.account import Account, Section
from senn.base.errors import InputError
from senn.cli import options as cli
from senn.cli.glossary import Word, find, words
from senn.cli.printing import report


@cli.command(short_help="A run folder in numbers and sentences, or the meaning of a word.")
@click.argument("asked", nargs=-1, metavar="[RUN [PART] | WORD]", shell_complete=cli.EXPLAINED)
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
        if asked[1:]:
            raise InputError(
                f"{Path(asked[0])} is a motion, which has no parts; leave {' '.join(asked[1:])} out"
            )
        with report.opened_motion(Path(asked[0])) as motion:
            return report.account_of_motion(motion)
    if asked and _is_run(asked):
        from senn.traces import facts
        from senn.traces.explained import explained

        folder = Path(asked[0])
        with report.opened(folder) as run:
            if asked[1:]:
                account = explained(run, *asked[1:])
                return replace(account, figures={**account.figures, "folder": folder})
            summary, detail = report.account_of(run, folder), run.trace.detail
            if detail == "full":
                account = explained(run)
                story, *tables = account.sections
            else:
                tables = [facts.steps(run)] if detail == "instructions" else []
                missing = f"{'Messages' if tables else 'Steps and waits'} were not kept"
                text = f"{missing}: the detail of this run is {detail}. Run again with --detail full."
                account, story = Account(), Section(paragraphs=(text,))
            figures = {"run": summary.figures, **account.figures, "folder": folder}
            return Account([*summary.sections, *tables, story], figures)
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

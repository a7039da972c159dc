"""`senn explain`: a run folder in numbers and sentences, or the meaning of a printed word."""

from __future__ import annotations

import os.path
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.text import Text

from senn.base.errors import InputError
from senn.cli import folders, options
from senn.cli.glossary import find, words
from senn.cli.options import command, json_option
from senn.cli.printing.screen import facts, print_section, say_json, screen, show

if TYPE_CHECKING:
    from senn.traces.explained import Explained
    from senn.traces.run import Run


@command(short_help="A run folder in numbers and sentences, or the meaning of a word.")
@click.argument("asked", nargs=-1, metavar="[RUN [PART] | WORD]", shell_complete=options.EXPLAINED)
@json_option
def explain(asked: tuple[str, ...], as_json: bool) -> None:
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
        _explain_motion(Path(asked[0]), asked[1:], as_json)
    elif asked and _is_run(asked):
        with folders.opened(Path(asked[0])) as run:
            _explain_run(Path(asked[0]), run, asked[1:], as_json)
    elif asked:
        entry = find(" ".join(asked))
        document = {"word": entry.name, "also": entry.also, "text": entry.text}
        show(as_json, document, Text.assemble((entry.name, "bold"), f"\n{entry.text}"))
    else:
        _print_all(as_json)


def _explain_motion(folder: Path, part: tuple[str, ...], as_json: bool) -> None:
    from senn.cli.printing.motion import show_motion

    if part:
        raise InputError(f"{folder} is a motion, which has no parts; leave {' '.join(part)} out")
    with folders.opened_motion(folder) as motion:
        show_motion(as_json, motion)


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


def _explain_run(folder: Path, run: Run, part: tuple[str, ...], as_json: bool) -> None:
    """Print the run, or a part of it; of a run of less detail only the summary is printed."""
    from senn.cli.printing import document
    from senn.cli.printing.report import report
    from senn.traces.explained import explained

    whole, sentences = not part, bool(part) or run.trace.detail == "full"
    explanation = explained(run, *part) if sentences else None
    if as_json:
        figures: dict[str, Any] = {"run": document.of_run(run, folder)} if whole else {}
        if explanation is not None:
            figures |= {"title": explanation.title, "text": explanation.paragraphs, **explanation.facts}
        say_json({**figures, "folder": folder})
        return
    with screen() as page:
        if whole:
            report(page, run)
            page.print()
        if explanation is not None:
            _print(page, explanation, whole)
        else:
            _print_less(page, run)


def _print(page: Console, explanation: Explained, whole: bool) -> None:
    """Print the tables of a run before its sentences, and those of a part after them."""
    if whole:
        for section in explanation.sections:
            print_section(page, section)
        page.print()
    page.print(explanation.title, style="bold")
    for paragraph in explanation.paragraphs:
        page.print()
        page.print(paragraph)
    if not whole:
        for section in explanation.sections:
            print_section(page, section)


def _print_less(page: Console, run: Run) -> None:
    """Print the steps of a run without messages, and what its detail leaves out."""
    from senn.traces import facts as of_run

    detail = run.trace.detail
    if detail == "instructions":
        print_section(page, of_run.steps(run))
        page.print()
    missing = "Steps and waits" if detail == "summary" else "Messages"
    page.print(f"{missing} were not kept: the detail of this run is {detail}. Run again with --detail full.")


def _print_all(as_json: bool) -> None:
    entries = words().values()
    document = {"words": [{"word": x.name, "also": x.also, "text": x.text} for x in entries]}
    lines = facts((x.name, f"{x.text.split('. ')[0].rstrip('.')}.") for x in entries)
    show(as_json, document, lines, "A word in full: senn explain WORD")

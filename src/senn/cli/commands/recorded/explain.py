"""`senn explain`: a run folder in sentences, or what a word means that commands print."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from senn.cli import completion, folders
from senn.cli.glossary import find, words
from senn.cli.options import command, json_option
from senn.cli.printing.screen import facts, say_json, screen
from senn.traces.errors import InputError


@command(short_help="A run folder in sentences, or what a printed word means.")
@click.argument("asked", nargs=-1, metavar="[RUN [PART] | WORD]", shell_complete=completion.EXPLAINED)
@json_option
def explain(asked: tuple[str, ...], as_json: bool) -> None:
    """Explain a RUN folder in sentences with figures: how long it took, where its cycles went, why, and what
    would help; or a PART of it: a step (I.b.5) or the beginning of steps (I.b), "message 3", "cycle 1809" or
    "node 1:4". Or explain a WORD that commands print, an option, or an answer; without any, list the words.

    \b
    Examples:
      senn explain runs/demo
      senn explain runs/demo I.b.5
      senn explain runs/demo message 3
      senn explain exposed
      senn explain Lambda^-1
    """
    if asked and _is_run(asked):
        _explain_run(Path(asked[0]), asked[1:], as_json)
    elif asked:
        _explain_word(" ".join(asked), as_json)
    else:
        _print_all(as_json)


def _is_run(asked: tuple[str, ...]) -> bool:
    """A folder with a run in it is a run, whatever it is called."""
    first = asked[0]
    if _is_there(Path(first, "run.json")):
        return True
    try:
        find(" ".join(asked))
    except InputError:
        return _is_there(Path(first)) or any(mark in first for mark in "/\\")
    return False


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # no name that a file could have
        return False


def _explain_run(folder: Path, part: tuple[str, ...], as_json: bool) -> None:
    from senn.traces.explained import explained

    with folders.opened(folder) as found:
        said = explained(found, *part)
        if as_json:
            say_json({"title": said.title, "text": said.paragraphs, **said.facts, "folder": folder})
            return
        with screen() as page:
            page.print(said.title, style="bold")
            for paragraph in said.paragraphs:
                page.print()
                page.print(paragraph)


def _explain_word(asked: str, as_json: bool) -> None:
    found = find(asked)
    if as_json:
        say_json({"word": found.name, "also": found.also, "text": found.text})
        return
    with screen() as page:
        page.print(found.name, style="bold")
        page.print(found.text)


def _print_all(as_json: bool) -> None:
    known = words().values()
    if as_json:
        said: dict[str, Any] = {"words": [{"word": x.name, "also": x.also, "text": x.text} for x in known]}
        say_json(said)
        return
    with screen() as page:
        page.print(facts((one.name, f"{one.text.split('. ')[0].rstrip('.')}.") for one in known))
        page.print()
        page.print("One in full: senn explain WORD")

"""`senn explain`: what a word means that commands print."""

from __future__ import annotations

import click

from senn.cli import completion
from senn.cli.glossary import find, words
from senn.cli.options import command, json_option
from senn.cli.printing.screen import facts, say_json, screen


@command(short_help="What a word means that is printed.")
@click.argument("word", nargs=-1, shell_complete=completion.WORDS)
@json_option
def explain(word: tuple[str, ...], as_json: bool) -> None:
    """Explain a WORD that commands print, an option, or an answer; without WORD, list the words.

    \b
    Examples:
      senn explain exposed
      senn explain dependency wait
      senn explain Lambda^-1
    """
    if not word:
        _print_all(as_json)
        return
    found = find(" ".join(word))
    if as_json:
        say_json({"word": found.name, "also": found.also, "text": found.text})
        return
    with screen() as page:
        page.print(found.name, style="bold")
        page.print(found.text)


def _print_all(as_json: bool) -> None:
    known = words().values()
    if as_json:
        say_json({"words": [{"word": one.name, "also": one.also, "text": one.text} for one in known]})
        return
    with screen() as page:
        page.print(facts((one.name, f"{one.text.split('. ')[0].rstrip('.')}.") for one in known))
        page.print()
        page.print("One in full: senn explain WORD")

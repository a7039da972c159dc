"""A word looked up: it stands in the table, or it is a choice or an answer and says so in its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches

from senn.cli.glossary.table import WORDS
from senn.cli.glossary.word import Word
from senn.traces.errors import InputError


def words() -> dict[str, Word]:
    """All of them by name, in the order in which one needs the other."""
    found: dict[str, Word] = {}
    known: set[str] = set()
    for word in (*WORDS, *_of_tables()):
        if _plain(word.name) not in known:
            found[word.name] = word
            known |= {_plain(name) for name in (word.name, *word.also)}
    return found


def find(asked: str) -> Word:
    """The word of this name, however it is written; `InputError` with what comes near if there is none."""
    known = {_plain(name): word for word in words().values() for name in (word.name, *word.also)}
    plain = _plain(asked)
    if found := known.get(plain) or known.get(plain.removesuffix("s")):
        return found
    near = [known[name].name for name in get_close_matches(plain, known, n=4, cutoff=0.6)]
    near += [word.name for name, word in known.items() if plain and plain in name.split()]
    several = list(dict.fromkeys(name.strip() for name in near))[:6]
    way_out = f"near it: {', '.join(several)}" if several else "senn explain lists the words"
    raise InputError(f"'{asked}' is explained nowhere; {way_out}")


def _plain(name: str) -> str:
    """As all spellings of it are compared: "Dependency_wait" is "dependency wait"."""
    return re.sub(r"[\s_-]+", " ", name.removeprefix("--")).strip().lower()


def _of_tables() -> Iterator[Word]:
    """Choices of a user, and answers."""
    from senn.algorithms.answers import ANSWERS, figures
    from senn.choices import RunChoices, choices

    for row in choices(RunChoices).values():
        values = f" One of {', '.join(map(str, row.values))}." if row.values else ""
        yield Word(row.name, f"{row.help}{values} The option --{row.name}.")
    for one in ANSWERS.values():
        note = one.note.format(order="base to tip", x="the problem's tip_vector")
        unit = " and ".join(dict.fromkeys(one.units))
        said = f"An answer of {one.question}: {note}, in {unit}. Compared with {one.against}."
        yield Word(one.title, said, (one.name, one.error, one.printed or one.name))
    answers = {one.title for one in ANSWERS.values()}
    for name, figure in figures().items():
        if figure.title not in answers:
            yield Word(figure.title, f"A figure of the certificate: {figure.phrase}.", (name,))

"""`senn explain WORD`: the words that commands print, as glossary.toml, choices and answers explain them."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.resources import files

from senn.base.errors import InputError


@dataclass(frozen=True)
class Word:
    """A word and the paragraph that explains it."""

    name: str
    text: str
    also: tuple[str, ...] = ()
    """Other names of the word in printed output."""


_FILE = files("senn.cli").joinpath("glossary.toml")
WORDS = tuple(
    Word(name, " ".join(entry["text"].split()), tuple(entry.get("also", ())))
    for name, entry in tomllib.loads(_FILE.read_text(encoding="utf-8")).items()
)


def words() -> dict[str, Word]:
    """All words by name; a word follows those that its explanation uses."""
    from senn.algorithms.answers import ANSWERS, figures
    from senn.choices import RunChoices, choices

    all_words = list(WORDS)
    for row in choices(RunChoices).values():
        values = f" One of {', '.join(map(str, row.values))}." if row.values else ""
        all_words.append(Word(row.name, f"{row.help}{values} The option --{row.name}."))
    for answer in ANSWERS.values():
        note = answer.note.format(order="base to tip", x="the problem's tip_vector")
        text = f"An answer of {answer.question}: {note}, in {' and '.join(dict.fromkeys(answer.units))}."
        all_words.append(Word(answer.title, text, (answer.name, answer.error, answer.printed or answer.name)))
    titles = {answer.title for answer in ANSWERS.values()}
    for name, figure in figures().items():
        if figure.title not in titles:
            all_words.append(Word(figure.title, f"A figure of the certificate: {figure.phrase}.", (name,)))
    by_name: dict[str, Word] = {}
    names: set[str] = set()
    for word in all_words:
        if _plain(word.name) not in names:
            by_name[word.name] = word
            names |= {_plain(name) for name in (word.name, *word.also)}
    return by_name


def find(name: str) -> Word:
    """Word of a name in any spelling; `InputError` with similar words if there is none."""
    by_name = {_plain(alias): word for word in words().values() for alias in (word.name, *word.also)}
    plain = _plain(name)
    if word := by_name.get(plain) or by_name.get(plain.removesuffix("s")):
        return word
    near = [by_name[match].name for match in get_close_matches(plain, by_name, n=4, cutoff=0.6)]
    near += [word.name for alias, word in by_name.items() if plain and plain in alias.split()]
    similar = list(dict.fromkeys(match.strip() for match in near))[:6]
    way_out = f"near it: {', '.join(similar)}" if similar else "senn explain lists the words"
    raise InputError(f'"{name}" is explained nowhere; {way_out}')


def _plain(name: str) -> str:
    """Spelling that is compared: "Dependency_wait" is "dependency wait"."""
    return re.sub(r"[\s_-]+", " ", name.removeprefix("--")).strip().lower()

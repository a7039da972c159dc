"""Every word that `senn explain` knows, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from docs.site.commands import plain
from senn.cli.glossary import words


def glossary() -> str:
    """By the alphabet: the word, what else it is called, and what it means."""
    return "\n".join(_entries())


def _entries() -> Iterator[str]:
    for word in sorted(words().values(), key=lambda one: one.name.strip().lower()):
        also = f" ({', '.join(word.also)})" if word.also else ""
        yield f"**{plain(word.name.strip())}**{plain(also)}\n: {plain(word.text)}\n"

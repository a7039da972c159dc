"""What a word and its explanation are."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Word:
    """A word and the paragraph that explains it."""

    name: str
    text: str
    also: tuple[str, ...] = ()
    """What else it is called where it is printed."""

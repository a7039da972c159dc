"""A statement of a paper, and the figure that decides it: a row of statements.csv."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Statement(NamedTuple):
    """What a paper says, where, and what is measured here."""

    source: str
    """Author, section and paragraph: "Fijany VI.A, 4"."""
    sentence: str
    """Verbatim but for formulas."""
    verdict: str
    """confirmed, refuted or explained."""
    decide: Callable[[], str]
    """The figure that decides it, with its unit and its scope; no Markdown."""

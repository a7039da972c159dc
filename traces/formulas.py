"""Formulas as text: a sum of letters with rational coefficients."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fractions import Fraction
from math import prod

from senn.traces.errors import InputError


def times(size: Fraction, letters: str) -> str:
    """A term without its sign, the number before the letters: ``3/2 n M``."""
    return letters if letters and size == 1 else f"{size} {letters}".rstrip()


def over(size: Fraction, letters: str) -> str:
    """A term without its sign, what divides it behind the letters: ``3 n^2/2``."""
    below = "" if size.denominator == 1 else f"/{size.denominator}"
    return f"{times(Fraction(size.numerator), letters)}{below}"


def whole_or(digits: Callable[[Fraction], str]) -> Callable[[Fraction, str], str]:
    """Terms without their sign, with decimals: whole numbers as they are, others by `digits`."""

    def term(size: Fraction, letters: str) -> str:
        number = f"{size.numerator:,}" if size.denominator == 1 else digits(size)
        return f"{number} {letters}".rstrip()

    return term


def total(terms: Iterable[tuple[Fraction, str]], term: Callable[[Fraction, str], str] = times) -> str:
    """Terms as a sum, each a coefficient and its letters; `term` writes one without its sign.

    >>> total([(Fraction(3), "n M"), (Fraction(-1, 2), "n"), (Fraction(7), "")])
    '3 n M - 1/2 n + 7'
    >>> total([(Fraction(-1, 2), "n^2"), (Fraction(1), "n")], over)
    '-n^2/2 + n'
    """
    text = " ".join(f"{'-' if c < 0 else '+'} {term(abs(c), letters)}" for c, letters in terms)
    return f"-{text[2:]}" if text.startswith("- ") else text.removeprefix("+ ") or "0"


_TERM = re.compile(
    r"\s*([+-]?)\s*(\d+(?:/[1-9]\d*)?)?\s*((?:[A-Za-z](?:\^\d+)?\s*)*)(?:/([1-9]\d*))?\s*(?=[+-]|$)"
)
_LETTER = re.compile(r"([A-Za-z])(?:\^(\d+))?")


def value(text: str, **letters: int) -> Fraction:
    """What a formula is worth, written as `total` writes them.

    >>> value("3 n M - 1/2 n + 7", n=8, M=3)
    Fraction(75, 1)
    >>> value("-n^2/2 + n", n=4)
    Fraction(-4, 1)
    """
    found, place = Fraction(0), 0
    while place < len(text) or not text.strip():
        term = _TERM.match(text, place)
        if term is None or not (term[2] or term[3]) or (place and not term[1]):
            raise InputError(f'"{text}" is no formula: a sum of terms such as 19 M, 3/2 n M, n^2/2 or 7')
        powers = _LETTER.findall(term[3])
        unknown = [letter for letter, _ in powers if letter not in letters]
        if unknown:
            raise InputError(
                f'"{text}": there is no letter {unknown[0]}; its letters are {", ".join(letters)}'
            )
        size = Fraction(term[2] or 1) / int(term[4] or 1)
        size *= prod(letters[letter] ** int(power or 1) for letter, power in powers)
        found += -size if term[1] == "-" else size
        place = term.end()
    return found

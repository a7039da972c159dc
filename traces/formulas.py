"""Formulas as text: a sum of letters with rational coefficients."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction


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

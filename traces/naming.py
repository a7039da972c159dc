"""How a value of a program is written: letter, superscript (level), subscript (the process that wrote it).
And the kinds of operations, and how an energy is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fractions import Fraction
from math import prod
from typing import Any

from senn.base.errors import InputError

TOGETHER = " + "
"""Between the values of one message."""
USUAL = {"compare": "add", "root": "divide"}
"""Operations that cost as much as another unless they have a figure of their own."""
OPERATIONS = ("multiply", "add", "divide", "trig", *USUAL)
"""The kinds of operations, in the order in which tables count them."""
NO_ENERGY = (
    "no [energy] in the machine file of {}: set its figures, such as energy.add=20 and energy.word=50, or "
    "take those of another machine, energy.like=cmos45"
)

_INDEX = re.compile(r"(?<![A-Za-z])i([+-]\d+)?(?![A-Za-z])")


def value_text(letter: str, level: int | None, process: int | None = None, offset: Any = 0) -> str:
    """As printed: ``D_2^0`` for a process; ``D_{i-1}^0`` for process i + offset where none is given.

    A letter that names its process itself takes no subscript. Of several values in one message each is
    written; levels that differ stand at the letters.

    >>> value_text("D", 0, 2), value_text("D", 0, offset=-1), value_text("C(i,i+1)", None, 2)
    ('D_2^0', 'D_{i-1}^0', 'C(2,3)')
    >>> value_text("D + K", 0, 2), value_text("A^1 + K", None, 2)
    ('D_2^0 + K_2^0', 'A_2^1 + K_2')
    """
    if TOGETHER in letter:
        parts = (part.partition("^") for part in letter.split(TOGETHER))
        return TOGETHER.join(
            value_text(name, int(superscript_of) if superscript_of else level, process, offset)
            for name, _, superscript_of in parts
        )

    def shifted(match: re.Match[str]) -> str:
        shift = int(match[1] or 0)
        if process is not None:
            return str(process + shift)
        return index_text(shift + offset) if isinstance(offset, int) else f"{offset}{shift:+d}"

    subscript = str(process) if process is not None else index_text(offset)
    superscript = "" if level is None else f"^{level}"
    if _INDEX.search(letter):
        return _INDEX.sub(shifted, letter) + superscript
    subscript = f"{{{subscript}}}" if len(subscript) > 1 and not subscript.isdigit() else subscript
    return f"{letter}_{subscript}{superscript}"


def index_text(offset: Any) -> str:
    """The process to which an offset leads: ``i``, ``i+2``; what is no distance has its own text."""
    return str(offset) if not isinstance(offset, int) else f"i{offset:+d}" if offset else "i"


def step_text(step: str, level: int | None) -> str:
    """ "I.b.5 (level 2)"; without a level the step alone."""
    return step if level is None else f"{step} (level {level})"


def part_of(step: str) -> str:
    """The part of the algorithm that a step belongs to: II.c of II.c.3, III of III.2.

    >>> part_of("II.c.3"), part_of("III.2")
    ('II.c', 'III')
    """
    phase, *rest = step.split(".")
    return f"{phase}.{rest[0]}" if rest and rest[0].isalpha() else phase


def belongs(label: str, step: str) -> bool:
    """Whether a step is the one named, or begins with it.

    >>> belongs("II.c.3", "II.c"), belongs("II.c'", "II.c"), belongs("III.2", "II")
    (True, True, False)
    """
    return label == step or label.startswith((f"{step}.", f"{step}'"))


def listed(names: Iterable[object], conjunction: str = "and") -> str:
    """Names in a row, the last one joined by a conjunction; empty for no names.

    >>> listed("abc"), listed((1, 2), "or"), listed("a")
    ('a, b and c', '1 or 2', 'a')
    """
    *most, last = [str(name) for name in names] or [""]
    return f"{', '.join(most)} {conjunction} {last}" if most else last


def counted(number: int, what: str) -> str:
    """As many of them.

    >>> counted(1, "message"), counted(1200, "message")
    ('1 message', '1,200 messages')
    """
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


# Formulas as text: a sum of letters with rational coefficients.


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
        return letters if letters and size == 1 else f"{number} {letters}".rstrip()

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
    """The value of a formula, written as `total` writes them.

    >>> value("3 n M - 1/2 n + 7", n=8, M=3)
    Fraction(75, 1)
    >>> value("-n^2/2 + n", n=4)
    Fraction(-4, 1)
    """
    total_value, place = Fraction(0), 0
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
        total_value += -size if term[1] == "-" else size
        place = term.end()
    return total_value


def joules(femtojoules: int) -> str:
    """An energy in three digits.

    >>> joules(0), joules(940), joules(13_012_345_678), joules(999_999)
    ('0 J', '940 fJ', '13.0 uJ', '1.00 nJ')
    """
    if not femtojoules:
        return "0 J"
    digits, power = f"{femtojoules:.2e}".split("e")
    prefix, places = divmod(int(power), 3)
    return f"{float(digits) * 10**places:.{2 - places}f} {('f', 'p', 'n', 'u', 'm', '', 'k')[prefix]}J"

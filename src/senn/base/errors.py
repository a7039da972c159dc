"""The one error of bad input: what is wrong, where, and the way out.

It is in the lowest package so that every package may raise it; the command line turns it into one line and
exit status 2.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

LONGEST_WORD, LONGEST_MESSAGE = 240, 2000
"""Characters of one word and of a whole message; what users gave may have any number."""
_JOINERS = "\u200c\u200d"  # not printable by themselves; Persian and Indic scripts are written with them


class InputError(ValueError):
    """Something the user gave cannot be used; the text names it in the user's terms and says the way out.

    Whatever it quotes, the text is one line of at most `LONGEST_MESSAGE` printable characters.
    """

    def __init__(self, text: str) -> None:
        super().__init__(message(text))


@contextmanager
def within(where: object) -> Iterator[None]:
    """Errors of this block are of the file or entry `where`, and begin with its name."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def message(text: str) -> str:
    r"""A text as one line for people: control characters escaped, long words and long texts without middle.

    >>> message("robot 'two\nlines\x1b[1m'")
    "robot 'two\\nlines\\x1b[1m'"
    """
    words = (cut(word, LONGEST_WORD) for word in printable(text).split(" "))
    return cut(" ".join(words), LONGEST_MESSAGE)


def suggestion(name: str, names: Iterable[str]) -> str:
    """The end of a message for a name that is none of these: the nearest one, if any is near.

    >>> suggestion("mark4", ["mark3", "t800"]), suggestion("cray", ["mark3", "t800"])
    ('; did you mean mark3?', '')
    """
    from difflib import get_close_matches

    def plain(word: str) -> str:
        return word.lower().replace("_", "-").lstrip("-")

    by_plain = {plain(other): other for other in names}
    near = get_close_matches(plain(name), by_plain, n=1)
    return f"; did you mean {by_plain[near[0]]}?" if near else ""


def listed(names: Sequence[str], most: int = 12) -> str:
    """Names in a message: the first `most`, and how many more there are; "none" of none."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}" or "none"


def cut(text: str, most: int) -> str:
    """The text if it has at most so many characters, else its ends, and how many are between."""
    if len(text) <= most:
        return text
    first, last = most * 3 // 5, most // 5
    return f"{text[:first]}...({len(text) - first - last:,} characters more)...{text[-last:]}"


def printable(text: str, also: str = "") -> str:
    """The text with everything escaped that a terminal would obey or hide: control characters, changes of
    direction, lone surrogates. What stands in `also` stays."""
    if text.isprintable():
        return text
    shown = {c for c in text if c.isprintable() or c in _JOINERS or c in also}
    return "".join(c if c in shown else c.encode("unicode_escape").decode() for c in text)

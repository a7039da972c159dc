"""How a value of a program is written: letter, superscript (level), subscript (the process that wrote it).
And how a variant of the paper's program is called.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

TOGETHER = " + "
"""Between the values of one message."""

_INDEX = re.compile(r"(?<![A-Za-z])i([+-]\d+)?(?![A-Za-z])")


def value_text(letter: str, level: int | None, process: int | None = None, offset: int = 0) -> str:
    """As printed: ``D_2^0`` for a process; ``D_{i-1}^0`` for process i + offset where none is given.

    A letter that names its process itself takes no subscript. Of several values in one message each is
    written; levels that differ stand at the letters.

    >>> value_text("D", 0, 2), value_text("D", 0, offset=-1), value_text("C(i,i+1)", None, 2)
    ('D_2^0', 'D_{i-1}^0', 'C(2,3)')
    >>> value_text("D + K", 0, 2), value_text("A^1 + K", None, 2)
    ('D_2^0 + K_2^0', 'A_2^1 + K_2')
    """
    if TOGETHER in letter:
        parts = (one.partition("^") for one in letter.split(TOGETHER))
        return TOGETHER.join(
            value_text(name, int(own) if own else level, process, offset) for name, _, own in parts
        )
    subscript = str(process) if process is not None else f"i{offset:+d}" if offset else "i"
    superscript = "" if level is None else f"^{level}"
    if _INDEX.search(letter):
        return _INDEX.sub(lambda found: _shifted(found, process, offset), letter) + superscript
    subscript = f"{{{subscript}}}" if len(subscript) > 1 and not subscript.isdigit() else subscript
    return f"{letter}_{subscript}{superscript}"


def _shifted(found: re.Match[str], process: int | None, offset: int) -> str:
    """The index found in a letter, for process i + offset or for a given process."""
    own = int(found[1] or 0)
    if process is not None:
        return str(process + own)
    return f"i{own + offset:+d}" if own + offset else "i"


def contact_text(constrained: int, kind: str) -> str:
    """The contact of a program.

    >>> contact_text(3, "I"), contact_text(3, "II"), contact_text(6, "general")
    ('n_c = 3', 'n_c = 3 of Type II', 'general contact')
    """
    if kind == "general":
        return "general contact"
    return f"n_c = {constrained}" if kind == "I" else f"n_c = {constrained} of Type {kind}"


def departures(
    strategy: int, elimination: str, arrays: object, *, ahead: bool, motion: str = "recurrences"
) -> Iterator[str]:
    """What a program does otherwise than the paper's: strategy 2, odd-even elimination, Newton-Euler by
    recurrences, two arrays.

    >>> list(departures(1, "odd-even reduction", 3, ahead=False, motion="jets"))
    ['strategy 1', 'odd-even reduction', 'jets', '3 arrays']
    """
    if strategy == 1:
        yield "strategy 1"
    if elimination in ("oer", "odd-even reduction"):
        yield "odd-even reduction"
    if motion in ("jets", "outward"):
        yield {"jets": "jets", "outward": "jets outward"}[motion]
    if not isinstance(arrays, int):
        yield f"arrays {arrays}"
    elif arrays != 2:
        yield f"{arrays} array{'s' if arrays > 1 else ''}"
    if ahead:
        yield "ahead"


def counted(number: int, what: str) -> str:
    """As many of them.

    >>> counted(1, "message"), counted(1200, "message")
    ('1 message', '1,200 messages')
    """
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"

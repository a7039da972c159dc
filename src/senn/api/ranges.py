"""Ranges of n as they are written on a command line."""

from __future__ import annotations

from collections.abc import Sequence

from senn.traces.errors import InputError


def sizes(text: str) -> list[int]:
    """The numbers of processes that a text asks for, ascending: "a,b,c", "a:b" or "a:b:step".

    >>> sizes("1:16")
    [1, 2, 3, 4, 6, 8, 12, 16]
    >>> sizes("8:24:8")
    [8, 16, 24]
    """
    from senn.machine.program.values import LARGEST  # brings NumPy, which --help does without

    wrong = InputError(f'n "{text}": write 8,16,32 or 1:1024 or 8:64:8, whole numbers from 1 in rising order')
    try:
        parts = [[int(word) for word in part.split(":")] for part in text.split(",")]
    except ValueError:
        raise wrong from None
    found: set[int] = set()
    for part in parts:
        if min(part) < 1 or len(part) > 3 or (len(part) > 1 and part[1] < part[0]):
            raise wrong
        if max(part[:2]) > LARGEST:
            raise InputError(f'n "{text}": this machine model is made for at most {LARGEST:,} links')
        found.update(_range(*part))
    return sorted(found)


def _range(first: int, last: int | None = None, step: int | None = None) -> Sequence[int]:
    if last is None:
        return (first,)
    if step is not None:
        return range(first, last + 1, step)
    round_ = [factor * 2**k for k in range(last.bit_length()) for factor in (1, 3)]
    return [first, *(x for x in round_ if first < x < last), last]

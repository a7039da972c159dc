"""Recurrences by recursive doubling (RDA, Kogge-Stone): scans, and broadcasts as their one-sided case.

Every generator yields the M levels of one recurrence: send over the distance h = 2^(j-1), combine, and let
the result follow its process to the place of the next level; after the last level, home. Its steps are
`step`.i, .ii and .ii'.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

from senn.machine.program import *  # the words of a program

Combine = Callable[..., Expression]


def following(j: int, n: int) -> int:
    """The row of the allocation after level j: the next level, or home (0) after the last."""
    return j + 1 if j < levels(n) else 0


def scan(
    step: str,
    x: Letter,
    operator: Combine | None,
    n: int,
    array: Array,
    *,
    outward: bool = True,
    absent: Literal["zero", "unit"] = "zero",
    senders: Callable[[int], ProcessSet | None] = lambda h: None,
) -> Iterator[Instruction]:
    """x[M] from x[0]: process i combines what lies before it (outward: base to tip), or behind it.

    ``operator(x_i, x_{i-h})`` is the operator of the recurrence; the second operand is optional, and the
    neutral element (`absent`) where it does not exist; no operator: whichever exists. ``senders(h)``
    restricts who sends over h.
    """

    def level(j: int, h: int) -> Iterator[Instruction]:
        to, origin = (i + h, i - h) if outward else (i - h, i + h)
        yield Send(f"{step}.i", x[j - 1], array[to].only(senders(h)))
        if operator is None:
            yield Name(f"{step}.ii", x[j], x[j - 1], x[j - 1][origin])
        else:
            partner = Operand(x[j - 1], origin.offset, absent)
            yield Compute(f"{step}.ii", x[j], operator(x[j - 1], partner))
        yield Arrange(f"{step}.ii'", x[j], j, following(j, n))

    yield from loop(n, level)


def reduction(
    step: str, x: Letter, operator: Combine, n: int, array: Array, *, outward: bool = True
) -> Iterator[Instruction]:
    """x[M] of process n (outward) or 1 from x[0] of all, as in `scan`, by a tree of n - 1 messages; other
    processes are left with parts."""

    def senders(h: int) -> ProcessSet:
        return every(2 * h, n - h) if outward else ProcessSet((range(1 + h, n + 1, 2 * h),))

    yield from scan(step, x, operator, n, array, outward=outward, senders=senders)


def broadcast(step: str, x: Letter, n: int, array: Array, *, outward: bool = True) -> Iterator[Instruction]:
    """x[M] at every process from x[0] at process 1 (outward) or n; each process that has it sends it on."""
    return scan(step, x, None, n, array, outward=outward)


def spread(step: str, target: Value, x: Value, n: int, array: Array) -> Iterator[Instruction]:
    """`target` at every other process from x at one of them, wherever that is: to its neighbours first, and
    from there a broadcast outward and one inward, together."""
    outward, inward = (Letter(f"{x.letter}{mark}", x.shape) for mark in "><")
    yield Send(f"{step}.0", x, array[i + 1], array[i - 1])
    yield Name(f"{step}.0", outward[0], x[i - 1])
    yield Name(f"{step}.0", inward[0], x[i + 1])
    both = (broadcast(step, letter, n, array, outward=letter is outward) for letter in (outward, inward))
    for lines in zip(*both, strict=True):
        yield from lines
    yield Name(f"{step}.iii", target, outward[levels(n)], inward[levels(n)])

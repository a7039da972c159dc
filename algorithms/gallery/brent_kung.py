"""Prefix sums with few additions (Brent and Kung 1982).

Upward, at level j, processes 2h, 4h, 6h, ... add the sum of the process h before them, h = 2^(j-1).
Downward, processes 3h, 5h, ... add the sum from the first number on of the process h before them.
"""

import numpy as np

from senn.machine.program import *  # the words of a program

LAW = {"instructions": "6 M - 3", "network steps": "4 M - 3", "words": "2 n - M - 2"}

s = Letter("s", (1,))  # s[1..M] upward, s[M+1..2M-1] downward


def program(n):
    m = levels(n)

    def added(part, k, h, first):
        """s[k] from s[k - 1]: processes first, first + 2h, ... send to those h further on."""
        yield Send(f"{part}.1", s[k - 1], PR1[i + h].only(ProcessSet((range(first, n + 1, 2 * h),))))
        yield Compute(f"{part}.2", s[k], plus(s[k - 1], s[k - 1][i - h].or_zero))

    def up(j, h):
        yield from added("U", j, h, first=h)
        if j < m:
            yield Arrange("U.3", s[j], j, j + 1)

    def down(j, h):
        if j < m:
            yield from added("D", 2 * m - j, h, first=2 * h)
        if j > 1:
            yield Arrange("D.3", s[2 * m - j], j, j - 1)

    last = s[max(2 * m - 1, 0)]
    return Program(
        name="prefix sums, Brent-Kung",
        n=n,
        streams=((*loop(n, up), *loop(n, down, downward=True), Wait("D.4", last)),),
        resident=(Resident(s[0], (1,)),),
        results={"sum": (1, last)},
        parts={"U": "upward, sums of blocks", "D": "downward, whole sums"},
    )


def example(n, rng):
    return {"s[0]": rng.standard_normal((n, 1))}


def answer(memory):
    return {"sum": np.cumsum(memory["s[0]"], axis=0)}

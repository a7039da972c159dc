"""Prefix sums by recursive doubling (Kogge and Stone 1973).

At level j every process sends its sum to the process h = 2^(j-1) further on, and then has the sum of the
last 2^j numbers up to its own: M levels, some n M additions; `brent_kung` has 2 M levels and some 2 n.
"""

import numpy as np

from senn.machine.program import *  # the words of a program

LAW = {"instructions": "3 M + 1", "network steps": "2 M", "words": "n M - N + 1"}

x = Letter("x", (1,))  # x[j]: the sum of the last 2^j numbers


def program(n):
    m = levels(n)

    def level(j, h):
        yield Send("S.1", x[j - 1], PR1[i + h])
        yield Compute("S.2", x[j], plus(x[j - 1], x[j - 1][i - h].or_zero))
        yield Arrange("S.3", x[j], j, j + 1 if j < m else 0)

    return Program(
        name="prefix sums, Kogge-Stone",
        n=n,
        streams=((*loop(n, level), Wait("S.4", x[m])),),
        resident=(Resident(x[0], (1,)),),
        results={"sum": (1, x[m])},
        parts={"S": "prefix sums"},
    )


def example(n, rng):
    return {"x[0]": rng.standard_normal((n, 1))}


def answer(memory):
    return {"sum": np.cumsum(memory["x[0]"], axis=0)}

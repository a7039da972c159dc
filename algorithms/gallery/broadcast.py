"""Broadcast along a binomial tree (analysed by Johnsson and Ho 1989).

At level j the processes 1..h, which have the number of process 1, send it h = 2^(j-1) further on. No
broadcast takes fewer levels, as a process sends one message at a level.
"""

import numpy as np

from senn.machine.program import *  # the words of a program

LAW = {"instructions": "2 M + 1", "network steps": "2 M", "words": "n - 1"}

x = Letter("x", (1,))  # x[j]: at processes 1..2^j


def program(n):
    m = levels(n)

    def level(j, h):
        yield Send("B.1", x[j - 1], PR1[i + h])
        yield Name("B.2", x[j], x[j - 1], x[j - 1][i - h])
        yield Arrange("B.3", x[j], j, j + 1 if j < m else 0)

    return Program(
        name="broadcast",
        n=n,
        streams=((*loop(n, level), Wait("B.4", x[m])),),
        resident=(Resident(x[0], (1,), i == 1),),
        results={"copy": (1, x[m])},
        parts={"B": "broadcast"},
    )


def example(n, rng):
    return {"x[0]": rng.standard_normal((n, 1))}


def answer(memory):
    return {"copy": np.repeat(memory["x[0]"][:1], len(memory["x[0]"]), axis=0)}

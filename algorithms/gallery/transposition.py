"""Transposition of a matrix by perfect shuffles (Stone 1971).

Process 1 + r 2^k + c has the element (r, c) of a matrix of 2^k rows and columns. A perfect shuffle rotates
the bits of this number by one, so k = M/2 of them exchange r and c.
"""

from senn.base.errors import InputError
from senn.machine.program import *  # the words of a program

LAW = {"instructions": "1/2 M + 1", "network steps": "1/2 M", "words": "1/2 n M"}

a = Letter("a", (1,))  # a[k]: after k shuffles


def program(n):
    k = levels(n) // 2
    if n < 4 or n != 4**k:
        raise InputError(f"{n} is no square of 2, 4, 8, ... rows: take 4, 16, 64, ... processes")
    shuffle = perfect_shuffle(n)
    lines = [
        line
        for j in range(1, k + 1)
        for line in (Send("S.1", a[j - 1], PR1[shuffle]), Name("S.2", a[j], a[j - 1][shuffle.inverse]))
    ]
    return Program(
        name="transposition",
        n=n,
        streams=((*lines, Wait("S.3", a[k])),),
        resident=(Resident(a[0], (1,)),),
        results={"transposed": (1, a[k])},
        parts={"S": "shuffle"},
    )


def example(n, rng):
    return {"a[0]": rng.standard_normal((n, 1))}


def answer(memory):
    rows = round(len(memory["a[0]"]) ** 0.5)
    return {"transposed": memory["a[0]"].reshape(rows, rows).T.reshape(-1, 1)}

"""Bitonic sort (Batcher 1968) by perfect shuffles (Stone 1971).

Phase k makes runs of 2^k numbers, rising and falling in turn: processes whose numbers differ in bit k, then
in k - 1, ..., 1 compare and exchange. k - 1 un-shuffles bring bit k to the exchange wires; then a shuffle
brings the next bit before every comparison. n = 2^M.
"""

import numpy as np

from senn.base.errors import InputError
from senn.machine.program import *  # the words of a program

LAW = {"instructions": "3/2 M^2 + 3/2 M", "network steps": "3/2 M^2 - 1/2 M", "words": "1/2 n M^2 + 1/2 n M"}

z = Letter("z", (1,))  # z[s]: after s comparisons
low = Kernel("low", "min({0}, {1})", np.minimum)
high = Kernel("high", "max({0}, {1})", np.maximum)


def program(n):
    if n & (n - 1):
        raise InputError(f"a bitonic sort of {n} numbers: take 2, 4, 8, ... processes")
    m = levels(n)

    def lines():
        done, place = 0, 1
        for k in range(1, m + 1):
            for j in range(k, 0, -1):
                h = 2 ** (j - 1)
                kernels = [low if bool(p & h) == bool(p & 2**k) else high for p in range(n)]
                compare = by_process(kernels)(z[done], z[done][i ^ h])
                if k > 1:
                    yield Arrange("S.1", z[done], place, j, level=j, at=place)
                yield Send("X.1", z[done], PR1[i ^ h], level=j, at=j)
                yield Compute("X.2", z[done + 1], compare, level=j, at=j)
                done, place = done + 1, j
        yield Wait("X.3", z[done])

    return Program(
        name="bitonic sort",
        n=n,
        streams=(tuple(lines()),),
        resident=(Resident(z[0], (1,)),),
        results={"sorted": (1, z[m * (m + 1) // 2])},
        parts={"S": "shuffle", "X": "exchange and compare"},
    )


def example(n, rng):
    return {"z[0]": rng.standard_normal((n, 1))}


def answer(memory):
    return {"sorted": np.sort(memory["z[0]"], axis=0)}

"""Tridiagonal systems by cyclic reduction (Hockney 1965, with Golub).

Process i has the row a x[i-1] + b x[i] + c x[i+1] = d. At level j rows 1, 1 + 2h, 1 + 4h, ... eliminate the
unknowns h before and behind, h = 2^(j-1), until row 1 has one unknown. The way back gives the others.
"""

import numpy as np

from senn.machine.program import *  # the words of a program

LAW = {"instructions": "6 M", "network steps": "4 M - 2", "words": "10 N - 5 M - 10"}

r = Letter("r", (4,))  # (a, b, c, d)
y, x = Letter("y", (1,)), Letter("x", (1,))  # the unknowns of a level, of all


@kernel("reduce({0}, {1}, {2})")
def reduced(row, before, behind):
    a, b, c, d = row.T
    left, right = np.zeros_like(a), np.zeros_like(c)
    if before is not None:
        times = a / before[:, 1]
        left, b, d = -times * before[:, 0], b - times * before[:, 2], d - times * before[:, 3]
    if behind is not None:
        times = c / behind[:, 1]
        right, b, d = -times * behind[:, 2], b - times * behind[:, 0], d - times * behind[:, 3]
    return np.stack([left, b, right, d], axis=1)


@kernel("solve({0}, {1}, {2})", runs_without_operands=True)
def solved(row, before, behind):
    a, b, c, d = (row[:, k : k + 1] for k in range(4))
    d = d if before is None else d - a * before
    d = d if behind is None else d - c * behind
    return d / b


last = Kernel("last", "solve({0})", lambda row: row[:, 3:] / row[:, 1:2])


def program(n):
    m = levels(n)

    def some(first, h):
        return ProcessSet((range(first, n + 1, 2 * h),))

    def up(j, h):
        out = some(1 + h, h)
        yield Send("R.1", r[j - 1], PR1[i + h].only(out), PR1[i - h].only(out))
        row = reduced(r[j - 1], r[j - 1][i - h].or_zero, r[j - 1][i + h].or_zero)
        yield Compute("R.2", r[j], row, some(1, h))
        if j < m:
            yield Arrange("R.3", r[j], j, j + 1)

    def down(j, h):
        yield Send("B.2", x[j], PR1[i + h], PR1[i - h])
        unknown = solved(r[j - 1], x[j][i - h].or_zero, x[j][i + h].or_zero)
        yield Compute("B.3", y[j - 1], unknown, some(1 + h, h))
        yield Name("B.4", x[j - 1], x[j], y[j - 1])
        yield Arrange("B.5", x[j - 1], j, j - 1)

    first = Compute("B.1", x[m], last(r[m]), level=m, at=m)
    return Program(
        name="cyclic reduction",
        n=n,
        streams=((*loop(n, up), first, *loop(n, down, downward=True), Wait("B.6", x[0])),),
        resident=(Resident(r[0], (1,)),),
        results={"x": (1, x[0])},
        parts={"R": "reduction", "B": "back-substitution"},
    )


def example(n, rng):
    rows = rng.uniform(-1, 1, (n, 4)) + [0, 3, 0, 0]
    rows[0, 0] = rows[-1, 2] = 0
    return {"r[0]": rows}


def answer(memory):
    a, b, c, d = memory["r[0]"].T
    return {"x": np.linalg.solve(np.diag(a[1:], -1) + np.diag(b) + np.diag(c[:-1], 1), d)[:, None]}

"""Value of a polynomial by pairs (Estrin 1960).

Process i has the coefficient of x^(i-1). At level j processes 1, 1 + 2h, 1 + 4h, ... add x^h times the value
of the process h behind them, h = 2^(j-1), and square their power of x. Stone (1971) multiplies every
coefficient by its own power first, and sends more words.
"""

import numpy as np

from senn.machine.program import *  # the words of a program

LAW = {"instructions": "4 M", "network steps": "2 M - 1", "words": "n - 1"}

c, x = Letter("c", (1,)), Letter("x", (1,))  # c[j]: of 2^j coefficients; x[j] = x^(2^j)
join = Kernel("join", "{0} + {1} {2}", lambda own, x, other: own + x * other)
square = Kernel("square", "{0}^2", lambda x: x * x)


def program(n):
    m = levels(n)

    def pairs(h):
        """Processes 1, 1 + 2h, ... that have a process h further on."""
        return ProcessSet((range(1, n + 1 - h, 2 * h),))

    def level(j, h):
        behind = pairs(h).shifted(h)
        yield Send("P.1", c[j - 1], PR1[i - h].only(behind))
        yield Compute("P.2", c[j], join(c[j - 1], x[j - 1].or_zero, c[j - 1][i + h].or_zero), ~behind)
        yield Compute("P.3", x[j], square(x[j - 1]), pairs(2 * h))
        yield Arrange("P.4", c[j] + x[j], j, j + 1 if j < m else 0)

    return Program(
        name="polynomial",
        n=n,
        streams=((*loop(n, level), Wait("P.5", c[m], where=i == 1)),),
        resident=(Resident(c[0], (1,)), Resident(x[0], (1,), pairs(1))),
        results={"value": (1, c[m])},
        parts={"P": "pairs"},
    )


def example(n, rng):
    return {"c[0]": rng.standard_normal((n, 1)), "x[0]": np.full((n, 1), rng.uniform(-1, 1))}


def answer(memory):
    return {"value": np.polynomial.polynomial.polyval(memory["x[0]"][:1], memory["c[0]"][:, 0])}

"""Product of two matrices on a cube of processes (Dekel, Nassimi and Sahni 1981).

Process 1 + l k^2 + r k + c, one of n = k^3, multiplies A(r, l) by B(l, c); k is a power of two. The matrices
lie on faces of the cube: A where c = 0, B where r = 0, their product where l = 0. A spreads along c, then B
along r, and the products add up along l: every bit of the number is used once.
"""

import numpy as np

from senn.base.errors import InputError
from senn.machine.program import *  # the words of a program

LAW = {"instructions": "7/3 M + 2", "network steps": "2 M", "words": lambda n, m: 3 * (n - 4 ** (m // 3))}

a, b, c = Letter("a", (1,)), Letter("b", (1,)), Letter("c", (1,))
times = Kernel("times", "{0} {1}", lambda one, other: one * other)


def rows(n):
    """k of k^3 processes."""
    k = 2 ** (levels(n) // 3)
    if n != k**3 or k == 1:
        raise InputError(f"{n} is no cube of 2, 4, 8, ...: take 8, 64, 512, ... processes")
    return k


def first(count, period, n):
    """Processes 1..count, and all a number of periods further on."""
    return ProcessSet(tuple(range(p + 1, n + 1, period) for p in range(count)))


def program(n):
    k, q = rows(n), levels(n) // 3

    def level(j, h):
        if j <= q:
            yield from spread("A", a, j, h, k)
            yield Arrange("A.3", a[j] + b[0], j, j + 1)
        elif j < 2 * q:
            yield from spread("B", b, j - q, h, k * k)
            yield Arrange("B.3", a[q] + b[j - q], j, j + 1)
        elif j == 2 * q:
            yield from spread("B", b, q, h, k * k)
            yield Compute("C.1", c[0], times(a[q], b[q]))
            yield Arrange("C.2", c[0], j, j + 1)
        else:
            yield from added(j - 2 * q, h)
            yield Arrange("C.2", c[j - 2 * q], j, j + 1 if j < 3 * q else 0)

    def spread(part, word, s, h, period):
        """word[s] from word[s - 1]: processes whose number is below h in its period send it h further on."""
        yield Send(f"{part}.1", word[s - 1], PR1[i + h].only(first(h, period, n)))
        yield Name(f"{part}.2", word[s], word[s - 1], word[s - 1][i - h])

    def added(s, h):
        """c[s] from c[s - 1]: the first k^2 of every 2h processes add the sums h behind them."""
        kept = first(k * k, 2 * h, n)
        yield Send("C.3", c[s - 1], PR1[i - h].only(kept.shifted(h)))
        yield Compute("C.4", c[s], plus(c[s - 1], c[s - 1][i + h].or_zero), kept)

    return Program(
        name="matrix product",
        n=n,
        streams=((*loop(n, level), Wait("C.5", c[q], where=i <= k * k)),),
        resident=(Resident(a[0], (1,), first(1, k, n)), Resident(b[0], (1,), first(k, k * k, n))),
        results={"product": (1, c[q])},
        parts={"A": "spread A", "B": "spread B", "C": "multiply and add"},
    )


def example(n, rng):
    k = rows(n)
    cube = np.zeros((2, k, k, k, 1))
    cube[0, :, :, 0], cube[1, :, 0] = rng.standard_normal((2, k, k, 1))
    return {"a[0]": cube[0].reshape(n, 1), "b[0]": cube[1].reshape(n, 1)}


def answer(memory):
    k = rows(len(memory["a[0]"]))
    left, right = (memory[name].reshape(k, k, k) for name in ("a[0]", "b[0]"))
    return {"product": (left[:, :, 0].T @ right[:, 0]).reshape(-1, 1)}

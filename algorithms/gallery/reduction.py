"""Sum of all numbers by associative fan-in (the name is Heller's, 1978).

At level j processes 1, 1 + 2h, 1 + 4h, ... add the sum of the process h behind them, h = 2^(j-1), until
process 1 has it all. Another associative operator takes the place of the sum by another kernel.
"""

from senn.machine.program import *  # the words of a program

LAW = {"instructions": "3 M + 1", "network steps": "2 M - 1", "words": "n - 1"}

x = Letter("x", (1,))  # x[k]: sums after k levels


def program(n):
    m = levels(n)

    def level(j, h):
        behind = ProcessSet((range(1 + h, n + 1, 2 * h),))
        yield Send("R.1", x[j - 1], PR1[i - h].only(behind))
        yield Compute("R.2", x[j], plus(x[j - 1], x[j - 1][i + h].or_zero), ~behind)
        yield Arrange("R.3", x[j], j, j + 1 if j < m else 0)

    return Program(
        name="reduction",
        n=n,
        streams=((*loop(n, level), Wait("R.4", x[m], where=i == 1)),),
        resident=(Resident(x[0], (1,)),),
        results={"sum": (1, x[m])},
        parts={"R": "reduction"},
    )


def example(n, rng):
    return {"x[0]": rng.standard_normal((n, 1))}


def answer(memory):
    return {"sum": memory["x[0]"].sum(axis=0, keepdims=True)}

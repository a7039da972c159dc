"""Butterflies: every process and the one across, by one Send and one operand, ``i ^ h``."""

from itertools import product

import numpy as np
import pytest

import senn
from senn.base.errors import InputError
from senn.machine.program import (
    PR1,
    Arrange,
    Compute,
    Instruction,
    Kernel,
    Letter,
    Program,
    Resident,
    Send,
    Value,
    Wait,
    i,
    levels,
    loop,
)
from senn.machine.program.dataflow import flow

X = Letter("x", (1,))
TOTAL = Kernel("total", "{0} + {1}", lambda own, other: own if other is None else own + other)


def sums(n: int) -> Program:
    """All processes get the sum of all numbers that a butterfly brings to them."""
    m = levels(n)

    def level(j: int, h: int) -> list[Instruction]:
        return [
            Send("B.1", X[j - 1], PR1[i ^ h]),
            Compute("B.2", X[j], TOTAL(X[j - 1], X[j - 1][i ^ h].or_zero)),
            Arrange("B.3", X[j], j, j + 1 if j < m else 0),
        ]

    streams = ((*loop(n, level), Wait("B.4", X[m])),)
    return Program("butterfly", n, streams, (Resident(X[0], (1,)),), {"sum": (1, X[m])})


def exchanged(numbers: list[float]) -> list[float]:
    """Sums of a butterfly by plain loops: in round h the partner of k, counted from 0, is k xor h."""
    h = 1
    while h < len(numbers):
        numbers = [x + (numbers[k ^ h] if k ^ h < len(numbers) else 0.0) for k, x in enumerate(numbers)]
        h *= 2
    return numbers


@pytest.mark.parametrize(("n", "residency"), [*product([2, 5, 6, 8, 13], ["home", "migrating"])])
@pytest.mark.parametrize("engine", ["events", "lockstep"])
def test_a_butterfly_computes_what_plain_loops_do(n: int, residency: str, engine: str) -> None:
    numbers = np.random.default_rng(n).integers(0, 100, (n, 1)).astype(float)
    check = engine == "events"
    run = senn.solved(sums(n), {"x[0]": numbers}, "t800", residency, engine=engine, check=check)
    assert run.result["sum"].ravel().tolist() == exchanged(numbers.ravel().tolist())


def test_the_listing_names_the_partner_and_everybody_sends_once() -> None:
    """Of 8 processes 8 messages a level; of 6, processes 1 and 2 have one at distance 4."""
    assert "B.1  send x_i^1 -> PR_{1,i xor 2}" in str(sums(8))
    assert "x_i^2 = x_i^1 + x_{i xor 2}^1" in str(sums(8))
    run = senn.timed(sums(8), "t800", "home", detail="full")
    sent = run.trace.messages.filter(level=1).sort("source_process")
    assert sent["target_process"].to_list() == [3, 4, 1, 2, 7, 8, 5, 6]
    last = [x for x in flow(sums(6)).lines[0] if x.instruction.step == "B.1"][-1]
    pairs = [
        pair for x in last.transfers for pair in zip(x.sources.tolist(), x.targets.tolist(), strict=True)
    ]
    assert sorted(pairs) == [(1, 5), (2, 6), (5, 1), (6, 2)]


def test_an_optional_operand_is_absent_where_the_partner_sends_to_others_only() -> None:
    """Only process 1 sends; process 3 has no message of 2, which has the value. A missing Send is refused."""
    y = Value("y", None, (1,))
    read = Compute("O.2", y, TOTAL(X[0], X[0][i - 1].or_zero))
    resident = (Resident(X[0], (1,)),)
    send = Send("O.1", X[0], PR1[i + 1].only(i == 1))
    run = senn.solved(
        Program("optional", 3, ((send, read),), resident, {"y": (1, y)}),
        {"x[0]": np.array([[1.0], [2.0], [3.0]])},
        "t800",
        "home",
        check=True,
    )
    assert run.result["y"].ravel().tolist() == [1.0, 3.0, 3.0]
    with pytest.raises(InputError, match=r"O.2 reads x_1\^0 at PR_\{1,2\}, but no Send delivers it there"):
        flow(Program("optional", 3, ((read,),), resident, {"y": (1, y)}))

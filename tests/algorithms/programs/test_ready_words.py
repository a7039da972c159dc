"""Scans, reductions, broadcasts and ready kernels, as a user imports them, against NumPy."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

import senn
from senn import PR1, Compute, Letter, Operations, Program, Resident, Wait, i, value
from senn.machine.program import Instruction
from senn.traces.run import Run

X, A, B, C = Letter("x", (2,)), value("a", 2), value("b", 2), value("c", 2)


def levels_run(n: int, lines: Iterator[Instruction], given: np.ndarray, residency: str) -> Run:
    m = senn.levels(n)
    made = Program("words", n, ((*lines, Wait("w", X[m])),), (Resident(X[0], (1,)),), {"x": (1, X[m])})
    runs = [
        senn.solved(made, {"x[0]": given}, "t800", residency, engine=engine, check=engine == "events")
        for engine in ("events", "lockstep")
    ]
    assert runs[0].trace.hash == runs[1].trace.hash
    return runs[0]


@pytest.mark.parametrize(("n", "residency"), [*product((1, 3, 8, 17), ("home", "migrating"))])
def test_scan_and_reduction_are_those_of_numpy(n: int, residency: str) -> None:
    """A reduction sends n - 1 messages; a scan n M - (2^M - 1)."""
    numbers, m = np.random.default_rng(n).integers(-9, 9, (n, 2)).astype(float), senn.levels(n)
    folds = {senn.plus: np.add, senn.maximum: np.maximum, senn.minimum: np.minimum, senn.times: np.multiply}
    for (word, ufunc), outward in product(folds.items(), (True, False)):
        order = slice(None) if outward else slice(None, None, -1)
        expected = ufunc.accumulate(numbers[order])[order]
        run = levels_run(n, senn.scan("S", X, word, n, PR1, outward=outward), numbers, residency)
        assert run.result["x"].tolist() == expected.tolist()
        sent = run.trace.messages.filter(step="S.i").height
        assert sent == n * m - (2**m - 1)
        run = levels_run(n, senn.reduction("R", X, word, n, PR1, outward=outward), numbers, residency)
        assert run.result["x"][-1 if outward else 0].tolist() == ufunc.reduce(numbers).tolist()
        assert run.trace.messages.filter(step="R.i").height == n - 1


@pytest.mark.parametrize(("n", "residency"), [*product((1, 2, 5, 8), ("home", "migrating"))])
def test_broadcast_brings_one_value_to_all(n: int, residency: str) -> None:
    m = senn.levels(n)
    for outward, source in ((True, 1), (False, n)):
        lines = senn.broadcast("B", X, n, PR1, outward=outward)
        resident = Resident(X[0], (1,), i == source)
        made = Program("one", n, ((*lines, Wait("w", X[m])),), (resident,), {"x": (1, X[m])})
        given = np.arange(2.0 * n).reshape(n, 2)
        run = senn.solved(made, {"x[0]": given}, "t800", residency, check=True)
        assert run.result["x"].tolist() == [given[source - 1].tolist()] * n


def test_ready_kernels_are_counted_and_choose() -> None:
    shapes = (2,), (2,), (2,)
    assert senn.plus.of(2).cost(*shapes) == senn.minus.of(2).cost(*shapes) == Operations(add=4)
    assert senn.times.of(2).cost(*shapes) == Operations(multiply=4)
    assert senn.maximum.of(2).cost(*shapes) == senn.minimum.of(2).cost(*shapes) == Operations(compare=4)
    assert senn.greater.cost(*shapes[:2]) == senn.select.cost(*shapes) == Operations(compare=2)
    lines = (
        Compute("1", value("which", 2), senn.greater(A, B)),
        Compute("2", C, senn.select(value("which", 2), A, B)),
        Compute("3", value("d", 2), senn.maximum(A, B)),
    )
    resident = (Resident(A, (1,)), Resident(B, (1,)))
    made = Program("choose", 3, (lines,), resident, {"c": (1, C), "d": (1, value("d", 2))})
    for kind in (np.float32, np.float64):
        a, b = np.random.default_rng(3).standard_normal((2, 3, 2)).astype(kind)
        run = senn.solved(made, {"a": a, "b": b}, "t800", "home", check=True)
        assert run.result["c"].dtype == kind
        assert run.result["c"].tolist() == run.result["d"].tolist() == np.maximum(a, b).tolist()
    equal = np.ones((1, 2))
    assert not senn.greater.evaluate(equal, equal).any()
    assert "c_i = which_i > 0 ? a_i : b_i" in str(made)
    assert "d_i = maximum(a_i, b_i)" in str(made)

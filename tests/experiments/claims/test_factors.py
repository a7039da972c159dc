"""Factorisations on one processor: counts by hand and on counting scalars; rules that fail."""

from types import SimpleNamespace

import numpy as np
import pytest

from experiments.claims import QUICK, factors
from experiments.claims.claim import Finding, Row
from senn.algorithms import blocks
from senn.machine.program import Operations
from senn.machine.program.counting import Tally


def row(finding: Finding, **key: object) -> Row:
    """The one row of the first table with these entries."""
    (one,) = (r for r in finding.figures[0].rows if all(r[k] == v for k, v in key.items()))
    return one


def test_block_ldl_is_counted_as_it_is_executed() -> None:
    """Written out for three rows, on scalars that count."""
    tally = Tally()
    A, B, x = (tally.scalars(3, *shape) for shape in ((15,), (5, 5), (5, 1)))
    pivots, uppers = [blocks.factor(A[0])], []
    for i in (1, 2):
        uppers.append(blocks.substitute(pivots[-1], B[i - 1]))
        pivots.append(blocks.factor(A[i] - blocks.symmetric_product(B[i - 1], uppers[-1])))
    for i in (1, 2):
        x[i] = x[i] - blocks.times(blocks.transposed(uppers[i - 1]), x[i - 1])
    x = np.stack([blocks.substitute(pivot, own) for pivot, own in zip(pivots, x, strict=True)])
    for i in (1, 0):
        x[i] = x[i] - blocks.times(uppers[i], x[i + 1])
    assert tally.operations == factors._block_ldl(3, (15,), (5, 5))


def test_ldl_is_cheaper_than_reduction(monkeypatch: pytest.MonkeyPatch) -> None:
    """n = 8 by hand: a factor 55, a solution 45 a column, half a product 135, 15 less, a product 45."""
    found = factors.ldl_serially.examine(QUICK)
    assert found.verdict.word == "holds"
    assert row(found, n=8)["block LDL'"] == 8 * 55 + 7 * (5 * 45 + 135 + 15) + 8 * 45 + 14 * (45 + 5)
    monkeypatch.setattr(factors, "_executed", lambda n, elimination: 520 * n)
    assert factors.ldl_serially.examine(QUICK).verdict.condition == "holds at n = 8 only"


def test_m_by_eq_63_is_m_and_dear(monkeypatch: pytest.MonkeyPatch) -> None:
    """n = 8 by hand: a factor 91, a solution 66 a column, half a product 231, 21 less, a product 66."""
    found = factors.mass_matrix_dearer.examine(QUICK)
    assert found.verdict.word == "holds"
    assert row(found, n=8)["M x by (63)"] == 8 * 91 + 7 * (6 * 66 + 231 + 21) + 8 * 66 + 14 * (66 + 6)
    assert factors._by_63() < 1e-11
    costly = SimpleNamespace(operations=lambda n: Operations(n**4), solve=factors.COMPOSITE.solve)
    monkeypatch.setattr(factors, "COMPOSITE", costly)
    assert (
        factors.mass_matrix_dearer.examine(QUICK).verdict.condition == "holds for M applied to a vector only"
    )


def test_inverse_grows_with_the_square(monkeypatch: pytest.MonkeyPatch) -> None:
    """147 + 18 + 430 + 145 + 207 operations a link for one vector, 145 + 207 for each other one."""
    found = factors.explicit_inverse.examine(QUICK)
    assert found.verdict.word == "holds"
    assert row(found, n=8)["M^-1 x"] == 8 * (147 + 18 + 430 + 145 + 207)
    assert row(found, n=8)["M^-1"] == row(found, n=8)["M^-1 x"] + 8 * 7 * (145 + 207)
    assert factors._two_ways() < 1e-10
    monkeypatch.setattr(factors.costs, "constraint_forces", lambda k: Operations(add=1000 + k**2))
    verdict = factors.explicit_inverse.examine(QUICK).verdict
    assert verdict.condition == "holds for M^-1 applied to a vector only"

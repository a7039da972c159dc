"""Composition of two-ports: associative, as a theorem says, and what comes of it."""

import numpy as np
import pytest

from experiments.claims import QUICK, growth
from experiments.claims.growth import TwoPort, composed, random_ports
from senn.algorithms import blocks


def _through(port: TwoPort, a: np.ndarray, f: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(a_r, f_l) of one port from (a_l, f_r): f_l = J a_l + A' f_r, a_r = A a_l - C f_r."""
    c, j = blocks.full(port.c[0]), blocks.full(port.j[0])
    return port.a[0] @ a - c @ f, j @ a + port.a[0].T @ f


def test_composition_is_the_elimination_of_what_is_between() -> None:
    """By dense solution: a_m = A_x a - C_x f_m and f_m = J_y a_m + A_y' f between the two."""
    x, y = (random_ports(1, seed) for seed in (5, 6))
    a, f = np.random.default_rng(0).standard_normal((2, 6))
    c_x, j_y = blocks.full(x.c[0]), blocks.full(y.j[0])
    system = np.block([[np.eye(6), c_x], [-j_y, np.eye(6)]])
    a_m, f_m = np.linalg.solve(system, np.concatenate([x.a[0] @ a, y.a[0].T @ f])).reshape(2, 6)
    together = _through(composed(x, y), a, f)
    assert together[0] == pytest.approx(_through(y, a_m, f)[0])
    assert together[1] == pytest.approx(_through(x, a, f_m)[1])


def test_composition_is_associative() -> None:
    x, y, z = (random_ports(200, seed) for seed in (1, 2, 3))
    for p, q in zip(composed(composed(x, y), z), composed(x, composed(y, z)), strict=True):
        assert q == pytest.approx(p, rel=1e-9, abs=1e-9 * np.abs(p).max())


@pytest.mark.parametrize("lost", ["inner", "outer"])
def test_a_composition_that_is_not_associative_refutes_nothing(
    lost: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The negative control: what is behind is closed with the wrong compliance, or J is forgotten."""

    def wrong(x: TwoPort, y: TwoPort) -> TwoPort:
        closed = composed(x._replace(c=y.c), y) if lost == "inner" else composed(x, y._replace(j=x.j))
        return closed._replace(a=composed(x, y).a)

    assert growth.strictly_sequential.examine(QUICK).verdict.word == "fails"
    monkeypatch.setattr(growth, "composed", wrong)
    assert growth.strictly_sequential.examine(QUICK).verdict.word == "untestable"


def test_levels_that_are_not_logarithmic_refute_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Sequential:
        def __init__(self, n: int) -> None:
            self.levels = n - 1

    monkeypatch.setattr(growth.star, "program", Sequential)
    assert growth.strictly_sequential.examine(QUICK).verdict.word == "untestable"

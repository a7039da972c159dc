"""Operations of the best serial solutions: what was counted once, figures by hand, and those of the page."""

import re

import pytest

from experiments import costs
from experiments.page import written
from senn.machine.program import Operations
from tests.oracles.economical import counted

COUNTED = {
    "open chain by articulated bodies": [(1465, 1395, 7, 14), (22948, 22134, 100, 200)],
    "articulated bodies, O(n)": [(3036, 2777, 13, 14), (39864, 37187, 106, 200)],
    "mass matrix, O(n^3)": [(2392, 2018, 13, 14), (264404, 251010, 106, 200)],
    "PV, O(n)": [(2870, 2377, 13, 14), (41558, 34927, 106, 200)],
    "PV-early, O(n)": [(2963, 2494, 13, 14), (25190, 23605, 106, 200)],
}
"""For 7 and 100 links: multiplications, additions, divisions, sines and cosines, as the solutions in scalars
executed them on counting scalars."""
FORMULAS = {
    "open chain by articulated bodies": costs.open_chain,
    "outward, O(n), n >= 6": costs.CLOSED["outward"],
    "null space, O(n^3), n >= 7": costs.CLOSED["null space"],
    **{name: costs.CLOSED[name.split(",")[0]] for name in COUNTED if "O(" in name},
}
"""By their names on the page of crossovers."""


@pytest.mark.parametrize("name", COUNTED)
def test_formulas_are_what_was_executed(name: str) -> None:
    assert [tuple(FORMULAS[name](n))[:4] for n in (7, 100)] == COUNTED[name]


@pytest.mark.parametrize("n", [6, 7, 12])
def test_passes_from_the_base_outward_cost_what_is_executed(n: int) -> None:
    assert costs.WITH_INVERSE["outward"](n) == counted.outward(n)
    assert costs.CLOSED["outward"](n) + counted.inverse() == counted.outward(n)
    assert [*costs.hung(n)] == counted.hung(n)


@pytest.mark.parametrize("n", [7, 8, 12, 25, 64])
def test_the_null_space_costs_what_is_executed(n: int) -> None:
    assert costs.CLOSED["null space"](n) == counted.in_null_space(n)


@pytest.mark.parametrize("n", [1, 2, 3, 8])
def test_passes_of_a_block_cost_what_is_executed(n: int) -> None:
    assert [*costs.block(n)] == counted.block(n)


def test_open_chain_costs_what_is_published() -> None:
    """McMillan and Orin (1995) are quoted with 224 n - 30 m and 205 n - 37 a; ours is near."""
    for n in (64, 1024):
        assert costs.open_chain(n).flops == pytest.approx(429 * n - 67, rel=0.08)


def test_matrix_and_recursion_cross_between_17_and_18() -> None:
    """The O(n^3) way is the cheaper one for short arms, as is well known."""
    matrix, recursion = (costs.CLOSED[name] for name in ("mass matrix", "articulated bodies"))
    assert matrix(17).flops < recursion(17).flops
    assert matrix(18).flops > recursion(18).flops


def test_constraint_forces_serially_by_hand() -> None:
    """Per link of the open chain: blocks 82 m 63 a, C(i,i+1) 12 m 6 a, factor 230 m 195 a 5 d,
    right-hand side 75 m 70 a, operators around 108 m 99 a, Newton-Euler 94 m 81 a, a sine and a cosine."""
    assert costs.constraint_forces(1) == Operations(601, 514, 5, 2)
    assert costs.constraint_forces(1, columns=2) == Operations(601 + 150, 514 + 140, 5, 2)
    assert costs.constraint_forces(1, tips=1) == Operations(601 + 50 + 63, 514 + 45 + 63, 5, 2)


def test_formulas_of_the_crossovers_page_are_those_of_the_code() -> None:
    """The table under "The serial side", evaluated."""
    page = written("crossovers")
    for name, formula in FORMULAS.items():
        (cells,) = re.findall(rf"^\| {re.escape(name)} \| (.*) \|$", page, re.MULTILINE)
        for n in (7, 8, 25):
            texts = [re.sub(r"(\d) n", r"\1*n", cell).replace("^", "**") for cell in cells.split(" | ")]
            assert Operations(*(int(eval(text, {"n": n})) for text in texts)) == formula(n)

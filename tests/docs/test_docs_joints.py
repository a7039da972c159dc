"""The data files of joints.md have what experiments/robot/joints.py measures."""

import re

import pytest

from experiments.page import data, records
from experiments.robot import joints
from tests.docs.orders import same_orders


def test_costs_are_those_measured() -> None:
    """Every arm of eight joints: cycles, operations and words, to the last one."""
    measured = records(joints.costs((8,)))
    assert data("joints", "costs")[: len(measured)] == measured


def test_operations_of_a_level_are_those_counted() -> None:
    assert data("joints", "levels") == records(joints.levels())


@pytest.mark.rounding
def test_a_spherical_joint_is_not_three_revolute_ones() -> None:
    """Errors of the page by order of magnitude; the model's fall with the mass of the links between."""
    kept = data("joints", "small-links")[1:]
    measured = records(joints.small_links((1e-2, 1e-6)))[1:]
    of_model = of_rounding = 0
    for row in measured:
        (same,) = (line for line in kept if line[:3] == row[:3])
        cells, expected = figures(row), figures(same)
        if row[1] == "-":  # the arm itself
            same_orders(cells, expected, draws=3)
            of_rounding += 1
        else:
            assert all(1 / 3 < one / other < 3 for one, other in zip(cells, expected, strict=True))
            of_model += 1
    assert (of_model, of_rounding) == (4, 2)


@pytest.mark.rounding
def test_errors_are_those_of_the_page() -> None:
    """The first arm, by order of magnitude: rounding depends on the processor and its sines and cosines."""
    kept = data("joints", "errors")[1:4]
    measured = records(joints.errors(("RSRPRRU",)))[1:]
    assert [row[:2] for row in measured] == [row[:2] for row in kept]
    found, expected = ([x for row in rows for x in figures(row)[-6:]] for rows in (measured, kept))
    # Forms short and omega differ in their ends only.
    same_orders(found, expected, draws=12)


def figures(row: list[str]) -> list[float]:
    """The errors of a row, which are its last cells."""
    return [float(cell) for cell in row if re.fullmatch(r"\de[-+]\d\d", cell)]

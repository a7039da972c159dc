"""star.md has what its script measures."""

from __future__ import annotations

import pytest

from experiments.page import data, records
from experiments.paper import star as script
from tests.docs.orders import same_orders


def test_data_have_the_small_sizes_that_are_measured() -> None:
    """Cycles on all machines at n = 4, and what is counted of every program."""
    assert records(script.steps()) == data("star", "steps")
    for row in records(script.makespans((4,))):
        assert row in data("star", "makespans")


def test_ratios_follow_from_the_cycles() -> None:
    """The quickest other program and one node over the better star program, from the long table."""
    ratios = {tuple(row[:2]): row[2:] for row in data("star", "ratios")[1:]}
    for machine, n, *cells in data("star", "makespans")[1:]:
        *cycles, serial = (int(cell.split()[0]) for cell in cells)
        own = min(cycles[7:])
        others = (min(cycles[:3]), cycles[6], min(cycles[3:6]), serial)
        assert ratios.pop((machine, n)) == [f"{other / own:.2f}" for other in others]
        assert n != "64" or serial == script.serial(64, machine)
    assert not ratios


def test_products_and_ways_have_what_is_measured() -> None:
    """Operations to the last; cycles with `--combine` on one machine."""
    assert records(script.products()) == data("star", "products")
    (row,) = (row for row in data("star", "ways") if row[0] == "star, combined")
    assert int(row[1]) == script.with_combining("`star`", "cluster")


@pytest.mark.rounding
def test_digits_of_a_light_link_are_those_that_are_measured() -> None:
    """Errors to their order of magnitude: eight links, one of them light."""
    kept = {row[0]: row[1:] for row in data("star", "digits")}
    _, *measured = records(script.digits(("ssrms",), script.LIGHT[:2]))
    errors: list[list[float]] = [[], []]
    for label, *cells in measured:
        for side, row in zip(errors, (cells, kept[label]), strict=True):
            side += map(float, ", ".join(row).split(", "))
    same_orders(*errors, draws=4 * len(measured))

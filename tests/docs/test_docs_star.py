"""star.md has what its script measures."""

from __future__ import annotations

from docs.make import star as script
from docs.make.page import data, records


def test_data_have_the_small_sizes_that_are_measured() -> None:
    """Cycles on all machines at n = 4, and what is counted of every program."""
    assert records(script.steps()) == data("star", "steps")
    for row in records(script.makespans((4,))):
        assert row in data("star", "makespans")


def test_the_verdicts_follow_from_the_cycles() -> None:
    """The program that is ahead at n = 64, from the long table."""
    leads = {}
    for machine, _, *cells in (row for row in data("star", "makespans") if row[1] == "64"):
        cycles = [int(cell.split()[0]) for cell in cells]
        leads[machine] = f"{min(cycles[:7]) / min(cycles[7:9]):.2f}"
        assert cycles[9] == script.serial(64, machine)
    assert {row[0]: row[2] for row in data("star", "fronts")[1:]} == leads
    assert len(leads) == len(script.MACHINES)

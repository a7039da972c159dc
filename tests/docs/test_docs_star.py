"""star.md has what its script measures."""

from __future__ import annotations

from docs.make import star as script
from docs.make.page import printed, written

PAGE = written("star")


def test_the_page_has_the_small_sizes_that_are_measured() -> None:
    """Cycles on all machines at n = 4, and what is counted of every program."""
    assert list(script.steps()) == printed("star")["steps"]
    for row in script.makespans((4,)):
        assert row in PAGE


def test_the_verdicts_follow_from_the_cycles() -> None:
    """Who is ahead at n = 64, read off the long table."""
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in printed("star")["makespans"]]
    leads = {}
    for machine, _, *cells in (row for row in rows if len(row) == 12 and row[1] == "64"):
        cycles = [int(cell.split()[0].replace(",", "")) for cell in cells]
        leads[machine] = f"{min(cycles[:7]) / min(cycles[7:9]):.2f}"
        assert cycles[9] == script.serial(64, machine.strip("`"))
    verdicts = [[cell.strip() for cell in row.strip("|").split("|")] for row in printed("star")["fronts"][2:]]
    assert {row[0]: row[2] for row in verdicts} == leads
    assert len(leads) == len(script.MACHINES)

"""real_time.md: evaluations against single runs, rows against their definition, and bounds."""

from fractions import Fraction

import pytest

import senn
from experiments import crossovers
from experiments.page import data
from experiments.paper import real_time
from experiments.paper.frontier import PROGRAMS, point
from senn.machine import model


@pytest.mark.parametrize(("name", "cycles"), [("mark3", 48_112), ("ipsc860", 84_046)])
def test_points_of_seven_links_are_runs_of_the_space_station_arm(name: str, cycles: int) -> None:
    """Seven links on eight nodes; `senn run ssrms` with numbers takes as many cycles."""
    here = point("short, outward", 7, 8, (name,))
    run = senn.run("ssrms", machine=name, form="short", motion="outward", residency="home")
    assert here.cycles[name] == run.summary["makespan"] == cycles


def test_station25_is_no_slower_than_a_welded_tip() -> None:
    here = point("short, outward", 25, 32, ("mark3",))
    run = senn.run("station25", machine="mark3", form="short", motion="outward", residency="migrating")
    assert here.residency["mark3"] == "migrating"
    assert 0.99 * here.cycles["mark3"] < run.summary["makespan"] < here.cycles["mark3"]


def test_factors_are_steps_over_times_of_evaluations() -> None:
    """Of the quickest program and of one node: the first by its cycles, the second by the crossovers."""
    _, *rows = data("real_time", "factors")
    clock = model.load("mark3").clock_mhz * 1000
    alone = crossovers.race("mark3", 7).serial_cycles
    for way, cycles in (("many", 48_112), ("one", alone)):
        (row,) = (row for row in rows if row[:3] == ["mark3", way, "7"])
        ten = 10 / (4 * Fraction(cycles) / clock)
        factors = [float(cell.split()[0]) for cell in row[6:]]
        assert factors == pytest.approx([ten, 4 * ten, ten / 10, 4 * ten / 10], rel=5e-3)


def test_the_quickest_program_has_the_largest_factor() -> None:
    """And every program has a row for each n."""
    columns, *rows = data("real_time", "programs")
    assert {(row[0], row[1]) for row in rows} >= {(x, str(n)) for x in PROGRAMS for n in real_time.SIZES}
    for name, way, n, nodes, program, _, cell, *_ in data("real_time", "factors")[1:]:
        rivals = [row for row in rows if row[1] == n and (row[2] == "1") == (way == "one")]
        best = max(float(row[columns.index(name)]) for row in rivals)
        (row,) = (row for row in rivals if row[:3] == [program, n, nodes])
        assert float(cell.split()[0]) == float(row[columns.index(name)]) == best


def test_limits_are_the_last_arms_in_real_time() -> None:
    """By the factors of the other table, and between their bounds."""
    _, *factors = data("real_time", "factors")
    for name, way, *cells in data("real_time", "limits")[1:]:
        for k, cell in enumerate(cells):
            value = cell.split()[0].rstrip("+").split("-")[0]
            rows = [row for row in factors if row[:2] == [name, way]]
            fits = [int(row[2]) for row in rows if float(row[6 + k].split()[0]) >= 1]
            later = [n for n in real_time.SIZES if n > max(fits, default=0)]
            assert max(fits, default=0) <= int(value) < min(later, default=129)


def test_intervals_hold_their_values() -> None:
    _, *rows = data("real_time", "factors")
    for row in rows:
        for cell in row[6:]:
            value, *bounds = (float(x.strip("()")) for x in cell.split() if x != "to")
            assert not bounds or bounds[0] <= value <= bounds[1]
    assert real_time.bounded("2", "1", "1") == "2"

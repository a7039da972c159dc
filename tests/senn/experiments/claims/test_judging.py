"""Verdicts over intervals, of claims whose cases follow from figures that can be seen."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from senn.experiments.claims import CLAIMS, Claim, Finding, Scope, Table
from senn.experiments.claims.claim import EXTENT, judged
from senn.experiments.measuring import Trial, VariedMachine, machine, machine_of, makespan, placed
from senn.machine.model.figures import corners
from senn.words import timed

FILE = """
[machine]
name = "mine"
clock_mhz = {value = 2, low = 1, high = 4}
[timing]
flop = {value = 4, low = 1, high = 8}
startup = {value = 100, low = 20, high = 300}
word = 1
post = 1
receive = 0
"""


@pytest.fixture
def scope(tmp_path: Path) -> Scope:
    file = tmp_path / "mine.toml"
    file.write_text(FILE)
    return Scope((8, 16, 32, 64), ("ideal", str(file)), few=(8, 64), searched=64)


def _claim(holds) -> Claim:  # type: ignore[no-untyped-def]
    """By machine, whether (flop, start-up) are as asked for."""

    def examine(scope: Scope) -> Finding:
        times = {name: machine(name).timing for name in scope.machines}
        cases = {name: holds(t.add, t.startup) for name, t in times.items()}
        rows = [{"machine": name, "startup": str(t.startup)} for name, t in times.items()]
        return Finding(cases, "the machine is {}", "", (Table("times", rows),))

    return Claim("it", "VI", "It holds.", "", "", examine)


def test_a_case_that_never_changes_is_decided(scope: Scope) -> None:
    for always in (True, False):
        found = judged(_claim(lambda *_, always=always: always), scope)
        assert (found.verdict, found.depends) == ("holds" if always else "does not hold", {})
        assert len(found.figures) == 1


def test_a_figure_that_decides_is_named_with_where(scope: Scope) -> None:
    mine = scope.machines[1]
    found = judged(_claim(lambda flop, startup: startup < 200), scope)
    assert found.verdict == f"holds when the machine is ideal; depends on startup of {mine}"
    assert found.depends == {mine: ((mine, ("startup",), "300"),)}
    assert found.figures[-1].rows == [
        {
            "case": mine,
            "machine": mine,
            "figures": "startup",
            "as given": "holds",
            "otherwise at": "300",
        }
    ]


def test_figures_that_decide_only_together_are_named_together(scope: Scope) -> None:
    mine = scope.machines[1]
    found = judged(_claim(lambda flop, startup: flop < 8 or startup > 20), scope)
    assert found.depends == {mine: ((mine, ("flop", "startup"), "8, 20"),)}
    assert found.verdict == f"holds when the machine is ideal; depends on flop and startup of {mine} together"
    assert found.figures[-1].rows[0]["figures"] == "flop and startup"


def test_single_figures_may_be_left_out_where_all_together_decide_nothing(scope: Scope) -> None:
    """A start-up that is dear alone; and one that is dear beside dear operations, too."""
    mine, quick = scope.machines[1], replace(scope, singly=False)
    alone = _claim(lambda flop, startup: (flop, startup) != (4, 300))
    assert judged(alone, quick).verdict == "holds"
    assert judged(alone, scope).depends == {mine: ((mine, ("startup",), "300"),)}
    dear = _claim(lambda flop, startup: startup < 200)
    assert judged(dear, quick) == judged(dear, scope)


def test_makespan_is_that_of_a_run_whatever_the_control_and_ports() -> None:
    """Nodes that issue by themselves, and one port, which only the other engine can tell."""
    for field in ("machine.control", "mimd"), ("machine.ports", "one"):
        trial = Trial(8, residency="home", settings=(field,))
        run = timed(placed(trial), machine_of(trial), engine="events")
        assert makespan(trial) == run.summary["makespan"]


def test_a_case_of_its_own_name_depends_too(scope: Scope) -> None:
    mine = scope.machines[1]

    def examine(scope: Scope) -> Finding:
        startups = [machine(name).timing.startup for name in scope.machines]
        return Finding({"near": max(startups) < 200, "far": False}, "partners are {}", "", ())

    found = judged(Claim("it", "VI", "It holds.", "", "", examine), scope)
    # Nothing was measured that a table has, so nothing is seen to have been moved.
    assert found.verdict == "holds when partners are near"

    def shown(scope: Scope) -> Finding:
        startups = [int(machine(name).timing.startup) for name in scope.machines]
        return Finding(
            examine(scope).cases, "partners are {}", "", (Table("times", [{"startup": max(startups)}]),)
        )

    found = judged(Claim("it", "VI", "It holds.", "", "", shown), scope)
    assert found.verdict == f"depends on startup of {mine} when partners are near"


def test_makespans_at_corners_are_those_of_runs(scope: Scope) -> None:
    """Timed anew from one order, all together; and run, one by one."""
    mine = scope.machines[1]
    for corner in ({"startup": Fraction(300)}, {"flop": Fraction(8), "startup": Fraction(20)}):
        there = Trial(8, VariedMachine(mine, tuple(corner.items())))
        assert machine_of(there).timing.startup == corner["startup"]
        assert makespan(there) == timed(placed(there), machine_of(there)).summary["makespan"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.name)
def test_every_claim_is_examined_on_varied_and_plain_machines_together(claim: Claim) -> None:
    """As where one machine of several is moved within its interval: cases and figures name all of them."""
    corner = next(iter(corners(machine("mark3").intervals)))
    machines = (VariedMachine("mark3", tuple(corner.items())), "ipsc860", "cluster")
    finding = claim.examine(replace(EXTENT, machines=machines))
    for table in finding.figures:
        assert {str(row["machine"]) for row in table.rows if "machine" in row} <= {*map(str, machines), "all"}

"""Makespans of trials: those of runs, whatever the control and the ports, and at corners of intervals."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from experiments.measuring import Trial, VariedMachine, corners, machine_of, makespan, placed
from senn.api.programs import timed
from senn.machine.model import Interval

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


def test_makespan_is_that_of_a_run_whatever_the_control_and_ports() -> None:
    """Nodes that issue by themselves, and one port, which only the other engine can tell."""
    for field in ("machine.control", "mimd"), ("machine.ports", "one"):
        trial = Trial(8, residency="home", settings=(field,))
        run = timed(placed(trial), machine_of(trial), engine="events")
        assert makespan(trial) == run.summary["makespan"]


def test_makespans_at_corners_are_those_of_runs(tmp_path: Path) -> None:
    """Timed anew from one order, all together; and run, one by one."""
    file = tmp_path / "mine.toml"
    file.write_text(FILE)
    for corner in ({"startup": Fraction(300)}, {"flop": Fraction(8), "startup": Fraction(20)}):
        there = Trial(8, VariedMachine(str(file), tuple(corner.items())))
        assert machine_of(there).timing.startup == corner["startup"]
        assert makespan(there) == timed(placed(there), machine_of(there)).summary["makespan"]


def test_corners_move_all_figures_and_each_alone() -> None:
    """By hand, a figure that computes and two that communicate; a bound that is the value moves nothing."""
    a, b, c = ("flop", (1, 2, 4)), ("startup", (5, 20, 50)), ("hop", (1, 1, 3))
    of = {name: Interval(*(Fraction(x) for x in bounds), (name,)) for name, bounds in (a, b, c)}
    found = [{name: int(value) for name, value in corner.items()} for corner in corners(of)]
    assert found == [
        {"flop": 4, "startup": 50, "hop": 3},
        {"flop": 1, "startup": 5},
        {"flop": 4, "startup": 5},
        {"flop": 1, "startup": 50, "hop": 3},
        {"flop": 1},
        {"flop": 4},
        {"startup": 5},
        {"startup": 50},
        {"hop": 3},
    ]
    assert list(corners({"clock_mhz": Interval(Fraction(1), Fraction(2), Fraction(3), ("clock_mhz",))})) == []

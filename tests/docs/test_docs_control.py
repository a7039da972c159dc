"""The data files of control.md have what experiments/robot/control.py measures."""

from experiments.page import data, records
from experiments.robot import control


def test_rates_and_limits_are_those_measured() -> None:
    assert data("control", "loops") == records(control.loops())
    assert data("control", "limits") == records(control.limits())


def test_figures_of_the_arm_are_those_measured() -> None:
    """The first row: Fijany's machine, form paper; the distance from the recursion by its order."""
    rows = control.arm()
    measured = records([next(rows), next(rows), next(rows)])
    kept = data("control", "arm")[:2]
    assert [row[:5] for row in measured] == [row[:5] for row in kept]
    assert float(measured[1][5]) < 0.1

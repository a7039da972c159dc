"""The quickest program of a machine: against single runs, and a winner that an unverified figure decides."""

from __future__ import annotations

from pathlib import Path

import senn
from docs.make.best import PROGRAMS, SERIAL, Best, best
from senn.experiments import crossovers

FILE = """
[machine]
name = "mine"
clock_mhz = 1
[timing]
flop = 1
startup = {value = 10, low = 0, high = 100000}
word = 1
post = 1
receive = 0
"""


def test_the_times_are_those_of_single_runs() -> None:
    (mark3,) = best(["mark3"], [8])
    for name, where in mark3.residency.items():
        runs = {
            one: senn.timed(PROGRAMS[name](8), "mark3", one).summary["makespan"]
            for one in ("home", "migrating")
        }
        assert (runs[where], mark3.times[name]) == (min(runs.values()), min(runs.values()))
    assert mark3.times[SERIAL] == crossovers.race("mark3", 8).serial_cycles
    assert mark3.winner == min(mark3.times, key=mark3.times.__getitem__)


def test_a_winner_may_hang_on_a_figure(tmp_path: Path) -> None:
    """With cheap messages a parallel program wins at n = 32, with dear ones none does."""
    file = tmp_path / "mine.toml"
    file.write_text(FILE)
    (found,) = best([str(file)], [32])
    assert found.winner in PROGRAMS
    assert found.otherwise == {"startup = 100000": SERIAL}
    assert set(found.moved) == {"startup = 100000", "startup = 0"}


def test_how_far_the_first_is_ahead() -> None:
    moved = {"x = 1": {"a": 3, "b": 2}, "x = 2": {"a": 1, "b": 2}}
    found = Best("it", 8, {}, {"a": 30, "b": 20, "c": 25}, moved)
    assert (found.winner, found.ahead, found.otherwise) == ("b", 1.25, {"x = 2": "a"})

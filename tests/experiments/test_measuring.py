"""Makespans of trials: those of runs, whatever the control and the ports, and at corners of intervals."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from experiments import claims, crossovers
from experiments.measuring import Trial, VariedMachine, machine_of, makespan, placed
from senn.api.programs import timed

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


def test_a_machine_file_that_changes_is_another_machine(tmp_path: Path) -> None:
    """Under the same name, in the same process, for all that relies on it; so is one whose graph changes."""
    file, graph = tmp_path / "mine.toml", tmp_path / "net.edges"
    seen = []
    for startup in ("10", "100000", "10"):
        file.write_text(FILE.replace("{value = 100, low = 20, high = 300}", startup))
        (cycles,) = crossovers.crossovers([8], machines=[str(file)])["cycles"]
        finding = claims.claims("communication-hidden", quick=True, machines=[str(file)])
        effect = finding["communication-hidden"].verdict.effect
        seen.append((cycles, effect, makespan(Trial(8, str(file)))))
    assert seen[0] == seen[2]
    assert all(one != other for one, other in zip(seen[0], seen[1], strict=True))
    file.write_text(FILE.replace("[timing]", 'network = "net.edges"\n[timing]'))
    ring = "".join(f"{k} {(k + 1) % 8}\n" for k in range(8))
    on_graphs = []
    for links in (ring, ring + "0 4\n1 5\n", ring):
        graph.write_text(links)
        on_graphs.append(makespan(Trial(8, str(file), residency="home")))
    assert on_graphs[0] == on_graphs[2] != on_graphs[1]

"""Speed-up over one node, on machines of one's own: the other engine, costs by hand, and rules that fail."""

from pathlib import Path

import pytest

import senn
from senn.algorithms.programs import variants
from senn.machine import model
from tests.senn.experiments.claims.own_machines import FAST, SLOW, row, tried


@pytest.mark.exhaustive
def test_mimd_is_judged_by_what_it_gains(tmp_path: Path) -> None:
    """Cheap messages gain, dear ones lose; and dear control alone turns the verdict."""
    finding = tried("mimd-suitable", tmp_path, FAST, SLOW)
    assert [*finding.cases.values()] == [False, False]
    fast, slow = (row(finding, machine=str(tmp_path / f"{k}.toml"), n=32) for k in (0, 1))
    assert fast["free"] >= 1.5 > fast["messages interrupt, and fetching"]
    assert slow["free"] < 1.0


def test_control_costs_every_message_and_every_operation(tmp_path: Path) -> None:
    """50 cycles a message taken, 5/4 an operation, as settings; 5,424 operations on one node."""
    found = row(tried("mimd-suitable", tmp_path, FAST), n=8)
    on = model.load(str(tmp_path / "0.toml")).with_settings(
        {
            "machine.network": "hypercube",
            "machine.routing": "e-cube",
            "machine.control": "mimd",
            "timing.flop": "1.25",
            "timing.trig": "25",
            "timing.receive": 50,
        }
    )
    run = senn.timed(variants.closed_chain(8), on, "home", "gray", engine="events")
    assert found["messages interrupt, and fetching"] == float(f"{5424 / run.summary['makespan']:.3g}")


@pytest.mark.parametrize(("timing", "limited"), [(SLOW, True), (FAST, False)])
def test_newton_euler_gains_by_the_grain_of_the_machine(tmp_path: Path, timing: str, limited: bool) -> None:
    """The recursion: 147 m and 119 a a link, the first 4 m and 2 a less, two times 20 for sine and cosine."""
    finding = tried("newton-euler-on-mimd", tmp_path, timing)
    assert [*finding.cases.values()] == [limited]
    assert row(finding, n=8)["one node"] == 8 * (147 + 119 + 40) - 6
    assert (row(finding, n=32)["of n"] < 0.25) is limited

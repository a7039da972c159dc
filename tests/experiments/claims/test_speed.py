"""Speed-up over one node, on machines of one's own: the other engine, costs by hand, and rules that fail."""

from pathlib import Path

import pytest

import senn
from experiments.claims import Scope, chosen
from senn.algorithms.programs import variants
from senn.machine import model
from tests.experiments.claims.own_machines import FAST, SLOW, row, tried


def test_mimd_gains_where_messages_are_cheap(tmp_path: Path) -> None:
    """By the other engine, on hypercubes in Gray code; 5,424 operations on one node by the mass matrix."""
    finding = tried("mimd-suitable", tmp_path, FAST, SLOW)
    assert [*finding.verdict.cases.values()] == [True, False]
    cube = {"machine.network": "hypercube", "machine.routing": "e-cube", "machine.control": "mimd"}
    on = model.load(str(tmp_path / "0.toml")).with_settings(cube)
    run = senn.timed(variants.closed_chain(8), on, "home", "gray", engine="events")
    by_mass_matrix = 2756 + 2334 + 14 + 16 * 20
    assert row(finding, n=8, machine=str(tmp_path / "0.toml"))["1993"] == float(
        f"{by_mass_matrix / run.summary['makespan']:.3g}"
    )


def test_simd_machines_are_not_judged_as_mimd() -> None:
    (claim,) = chosen(("mimd-suitable",))
    finding = claim.examine(Scope((8,), ("maspar", "t800", "ideal"), (8,)))
    assert [*finding.verdict.cases] == ["t800"]


def test_redundant_arms_are_judged_by_two_eras() -> None:
    """n = 25 on maspar: articulated bodies (20,632 operations) in 1993 and PV-early (14,876) today.

    Form paper does not beat PV-early by a half, and form short does.
    """
    (claim,) = chosen(("redundant-arms",))
    finding = claim.examine(Scope((8,), ("maspar", "mark3", "ideal"), (8,)))
    one = row(finding, machine="maspar", n=25)
    assert one["1993"] == float(f"{354 * 20_632 / one['cycles']:.3g}") == 1.93
    assert one["today"] == float(f"{354 * 14_876 / one['cycles']:.3g}") < 1.5
    assert finding.verdict.text == (
        "depends, holds on maspar only (0.439 (mark3) to 1.93 (maspar) times as fast)"
    )
    assert finding.today is not None
    short = [
        senn.timed(variants.closed_chain(25, "short"), model.load("maspar"), residency).summary["makespan"]
        for residency in ("home", "migrating")
    ]
    assert one["today, form short"] == float(f"{354 * 14_876 / min(short):.3g}") == 2.03
    assert finding.today.text == (
        "depends, holds on maspar only (0.518 (mark3) to 2.03 (maspar) times as fast)"
    )


@pytest.mark.parametrize(("timing", "limited"), [(SLOW, True), (FAST, False)])
def test_newton_euler_gains_by_the_grain_of_the_machine(tmp_path: Path, timing: str, limited: bool) -> None:
    """The recursion: 147 m and 119 a a link, the first 4 m and 2 a less, two times 20 for sine and cosine."""
    finding = tried("newton-euler-on-mimd", tmp_path, timing)
    assert [*finding.verdict.cases.values()] == [limited]
    assert row(finding, n=8)["one node"] == 8 * (147 + 119 + 40) - 6
    assert (row(finding, n=32)["% of n"] < 25) is limited

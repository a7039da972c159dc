"""What grows like log n, and what does not, on machines of one's own."""

from pathlib import Path

import pytest

from senn.algorithms.programs import star
from senn.algorithms.programs.free import hybrid
from senn.experiments.claims import growth
from tests.senn.experiments.claims.own_machines import FAST, SLOW, row, tried


def test_the_recursion_of_articulated_bodies_is_not_sequential(tmp_path: Path) -> None:
    """By star products a doubling adds two rounds at any n; on one node, as many operations as links more."""
    finding = tried("strictly-sequential", tmp_path, FAST, SLOW)
    assert [*finding.cases.values()] == [False, False]
    scanned, serial = (
        row(finding, machine=str(tmp_path / "0.toml"), recurrence=label)
        for label in ("star products", "on one node")
    )
    assert scanned["first doubling"] == scanned["last doubling"]
    assert serial["last doubling"] > 1.7 * serial["first doubling"]


def test_a_recursion_on_one_node_is_found_to_be_sequential(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growth.star, "program", hybrid.program)
    assert star.program is hybrid.program
    assert tried("strictly-sequential", tmp_path, FAST).verdict == "holds"

"""Several arithmetic units in a node, on machines of one's own."""

from pathlib import Path

from tests.experiments.claims.own_machines import FAST, SLOW, row, tried


def test_units_of_a_node_help_where_messages_are_cheap(tmp_path: Path) -> None:
    """A gain is no proof of what is required: the claim has no rule."""
    finding = tried("fine-grain-strategy", tmp_path, FAST, SLOW)
    assert finding.verdict.word == "untestable"
    slow, fast = (row(finding, machine=str(tmp_path / f"{k}.toml"), n=8) for k in (1, 0))
    assert fast["any k"] > 2 > slow["any k"]
    assert 1 < fast["k = 2"] < fast["k = 4"] < fast["k = 9"] < fast["k = 36"] <= fast["any k"]

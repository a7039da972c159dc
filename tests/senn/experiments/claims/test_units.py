"""Several arithmetic units in a node, on machines of one's own."""

from pathlib import Path

from tests.senn.experiments.claims.own_machines import FAST, SLOW, row, tried


def test_a_second_unit_is_better_than_a_second_array_where_messages_are_cheap(tmp_path: Path) -> None:
    """And I.b by hand: ldl in 4 x 4 + 1 operations, a solution in 8 + 1 + 8, a product in 1 + 4."""
    finding = tried("fine-grain-strategy", tmp_path, FAST, SLOW)
    assert [*finding.cases.values()] == [False, True]
    level = {step: row(finding, 2, step=step) for step in ("I.b.1", "I.b.2", "I.b.4")}
    assert [(one["all"], one["any k"]) for one in level.values()] == [(55, 17), (225, 17), (135, 5)]
    slow, fast = (row(finding, 1, machine=str(tmp_path / f"{k}.toml"), n=8)["any k"] for k in (1, 0))
    assert fast > 2 > slow

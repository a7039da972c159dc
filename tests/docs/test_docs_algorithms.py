"""The page of the algorithms: what is counted is what the programs and formulas say now."""

from docs.make import algorithms
from docs.make.page import printed
from senn.experiments import overview

PRINTED = printed("algorithms")


def test_costs_are_counted_now() -> None:
    """Each line of the table, from the programs and formulas of this moment."""
    for line in algorithms.costs():
        assert line in PRINTED["costs"]


def test_every_algorithm_has_a_row_of_errors_and_none_failed() -> None:
    table = "\n".join(PRINTED["worked"])
    assert "FAILED" not in table
    for name in overview.catalogue()["name"]:
        assert f"| `{name}` |" in table

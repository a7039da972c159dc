"""The page of the algorithms: what is counted is what the programs and formulas say now."""

from experiments.page import data, records
from experiments.pages import algorithms
from senn import overview


def test_costs_are_counted_now() -> None:
    """Each line of the table, from the programs and formulas of this moment."""
    assert data("algorithms", "costs") == records(algorithms.costs())


def test_every_algorithm_has_a_row_of_errors_and_none_failed() -> None:
    _, *rows = data("algorithms", "worked")
    assert not any("FAILED" in row for row in rows)
    assert [row[0] for row in rows] == overview.catalogue()["name"].to_list()


def test_an_arm_with_side_branches_is_certified_by_every_algorithm_that_accepts_it() -> None:
    """As the column of such an arm has it; errors differ between processors, so only whether there is one."""
    head, *rows = data("algorithms", "worked")
    column, tree = head.index("branches"), algorithms.ARMS["branches"]()
    measured = {
        one["name"]: algorithms.error(one, "branches", tree) for one in overview.catalogue().to_dicts()
    }
    assert "FAILED" not in measured.values()
    assert {name: cell == "-" for name, cell in measured.items()} == {
        row[0]: row[column] == "-" for row in rows
    }

"""The page of the algorithms: what is counted is what the programs and formulas say now."""

from docs import make_algorithms


def test_costs_are_counted_now() -> None:
    page = make_algorithms.PAGE.read_text(encoding="utf-8")
    for line in make_algorithms.costs():
        assert line in page


def test_every_algorithm_has_a_row_of_errors_none_failed() -> None:
    page = make_algorithms.PAGE.read_text(encoding="utf-8")
    table = page.split("<!-- worked:")[1].split("<!-- end -->")[0]
    assert "FAILED" not in table
    for name in make_algorithms.overview.catalogue()["name"]:
        assert f"| `{name}` |" in table

"""The record of one computer: its form, never its figures."""

from datetime import date

from experiments.page import data
from experiments.trust.calibration import CASES, table


def test_the_record_has_a_date_and_positive_times():
    head, *rows = data("calibration", "figures")
    assert head == ["date", "figure", "ns", "low", "high"]
    assert len({date.fromisoformat(row[0]) for row in rows}) == 1
    for _, name, value, *bounds in rows:
        low, high = map(float, bounds if any(bounds) else (value, value))
        assert 0 <= low <= float(value) <= high, name
    runs = table("runs")
    assert (runs["predicted"] > 0).all()
    assert (runs["low"].cast(float) <= runs["predicted"]).all()
    assert (runs["predicted"] <= runs["high"].cast(float)).all()
    assert (runs["measured"] <= runs["median"].cast(float)).all()


def test_runs_with_more_ranks_than_cores_are_marked_and_have_no_steps():
    runs = table("runs")
    assert runs.select("program", "n", "ranks").rows() == [(name, f"{n}", f"{p}") for name, n, p in CASES]
    crowded = runs.filter(runs["more ranks than cores"] == "yes")
    assert set(crowded["ranks"]) == {"4"}
    assert set(table("steps")["ranks"]) == {"1", "2"}

"""The figures of statements.md are computed again; experiments behind them have independent judges."""

import re

import pytest

from docs.make.page import data, plain
from docs.make.statement import Statement
from docs.make.statements import PAPERS
from tests.docs.orders import same_orders

STATEMENTS = [each for rows in PAPERS.values() for each in rows]
ERROR = re.compile(r"\b\de-\d\d\b")


def test_every_statement_has_its_row() -> None:
    """In the order of the modules, and with a verdict that the page explains."""
    rows = [(each.source, each.sentence, each.verdict) for each in STATEMENTS]
    assert [tuple(row[:3]) for row in data("statements", "statements")[1:]] == rows
    assert {each.verdict for each in STATEMENTS} <= {"confirmed", "refuted", "explained"}


@pytest.mark.rounding
@pytest.mark.parametrize("each", STATEMENTS, ids=lambda each: f"{each.source}: {each.sentence[:30]}")
def test_the_figure_is_the_one_computed(each: Statement) -> None:
    """Exactly; rounding errors to their order of magnitude."""
    (kept,) = [row[3] for row in data("statements", "statements") if row[:2] == [each.source, each.sentence]]
    figure = plain(each.decide())
    assert ERROR.sub("", figure) == ERROR.sub("", kept)
    found, printed = ([float(text) for text in ERROR.findall(line)] for line in (figure, kept))
    if found:
        same_orders(found, printed, draws=1)

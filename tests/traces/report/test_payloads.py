"""What messages carried, as the page shows it."""

from dataclasses import replace

import numpy as np
import pytest

from senn.traces import report
from senn.traces.record import Values
from senn.traces.report import parts
from tests.traces.hand_trace import hand_run

NONE = np.array([], dtype=np.int64)
CARRIED = {
    0: np.array([[1.0, -2.5], [0.0, 123456.0]]),
    1: np.array([np.nan, np.inf, -np.inf]),
    2: np.array([1.23456e-7, 5e-324, 1.7e308]),
    3: np.array(0.1),
    4: np.array([]),
    5: np.array([99999.0, -0.00123449]),
}


@pytest.fixture(scope="module")
def run():
    """The run worked out by hand; its messages carry numbers of every kind."""
    values = Values(NONE, np.array([], dtype=np.str_), NONE, NONE, NONE, (), CARRIED)
    return replace(hand_run(), values=values)


def test_numbers_on_the_page(opened, run):
    """To four digits, in rows as they are kept; what is no number says so."""
    page = opened(report.page(run))
    shown = page.of("[0, 1, 2, 3, 4, 5].map((k) => Senn.record.numbersOf(page.record, k))")
    assert shown == [
        [["1", "-2.5"], ["0", "1.235e+5"]],
        [["nan", "inf", "-inf"]],
        [["1.235e-7", "4.941e-324", "1.700e+308"]],
        [["0.1"]],
        [],
        [["1.000e+5", "-0.001234"]],
    ]
    page.drawn("page.pick.choose({ kind: 'message', row: 0 })")
    assert "1.235e+5" in page.tab.locator("#detail").inner_text()
    assert (page.said, page.asked) == ([], [])


@pytest.mark.parametrize("kept", [{}, {0: np.zeros(1)}, {**CARRIED, 4: np.zeros(parts.MOST_NUMBERS)}])
def test_what_is_not_kept_or_too_much(opened, run, kept):
    """None kept, one lost, or more than a page has room for: it says so, and shows the rest."""
    assert run.values is not None
    page = opened(report.page(replace(run, values=replace(run.values, payloads=kept))))
    page.drawn("page.pick.choose({ kind: 'message', row: 0 })")
    assert "was not kept; --values keeps it" in page.tab.locator("#detail").inner_text()

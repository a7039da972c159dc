"""The critical path is drawn piece by piece: every cycle once, in the row of what it was spent on."""

import itertools

import pytest
from matplotlib.colors import to_rgb

import senn
from senn.traces.parts import COLORS
from senn.traces.pictures.critical import SPENT_COLORS, critical
from senn.traces.pictures.style import EXPOSED, INK, mixed
from tests.traces.hand_trace import hand_run
from tests.traces.pictures.drawn import boxes, legend, lines, spans, title


def test_the_path_of_the_hand_trace():
    """Backwards: III.2 waits for Lambda, which waits for the channel of A_2, that for F, and that for D."""
    ax = critical(hand_run())
    assert spans(ax, SPENT_COLORS["compute"]) == [(0, 6), (35, 39)]
    assert spans(ax, SPENT_COLORS["post"]) == [(6, 7)]
    assert spans(ax, SPENT_COLORS["startup"]) == [(7, 11), (14, 18), (19, 23), (24, 28), (30, 34)]
    assert spans(ax, SPENT_COLORS["words"]) == [(11, 14), (18, 19), (23, 24), (28, 30), (34, 35)]
    assert spans(ax, SPENT_COLORS["hop"]) == spans(ax, SPENT_COLORS["receive"]) == []


def test_where_the_path_of_the_hand_trace_goes():
    """D and F from node 0 to 1, F, A_2 and Lambda from array to array at node 1; III in array 2."""
    ax = critical(hand_run())
    top, bottom = (next(y for y, text in _rows(ax) if text == f"node {node}") for node in (0, 1))
    down = pytest.approx(top), pytest.approx(bottom)
    assert lines(ax, INK) == [(start, down[0], end, down[1]) for start, end in ((7, 14), (14, 19))]
    assert lines(ax, EXPOSED) == [
        (start, down[1], end, down[1]) for start, end in ((19, 24), (24, 30), (30, 35))
    ]
    one, two = (next(y for y, text in _rows(ax) if text == f"array {array}") for array in (1, 2))
    steps = [*boxes(ax, mixed(COLORS[0], 0.15)), *boxes(ax, mixed(COLORS[2], 0.15))]
    assert [(start, end, low < one < high) for start, end, low, high in steps] == [
        (0, 30, True),  # I.b, and the flights of D, F and A_2
        (30, 35, True),  # I.c, the flight of Lambda
        (35, 39, False),
    ]
    assert steps[-1][2] < two < steps[-1][3]
    assert legend(ax) == ["Step I", "Step III"]
    assert title(ax) == (
        "Of the 39 cycles: start-up 51 %, compute 26 %, words 21 %, posting 3 %; "
        "4 messages in a chain, which changes arrays 1 time, last at cycle 35"
    )


def _rows(ax):
    return [(y, label.get_text()) for y, label in zip(ax.get_yticks(), ax.get_yticklabels(), strict=True)]


def test_rows_have_the_most_first():
    """With their shares, from the top down, and each box in the row of its colour."""
    ax = critical(hand_run())
    spent = [(y, text) for y, text in _rows(ax) if text.endswith("%")]
    assert [text for _, text in spent] == [
        "start-up  51 %", "compute  26 %", "words  21 %", "posting  3 %"
    ]  # fmt: skip
    assert sorted(spent, reverse=True) == spent
    for (y, _), label in zip(spent, ("startup", "compute", "words", "post"), strict=True):
        assert all(low < y < high for _, _, low, high in boxes(ax, SPENT_COLORS[label]))


@pytest.mark.parametrize(
    "settings", [{}, {"machine.switching": "cut-through", "timing.hop": "5"}, {"machine.control": "mimd"}]
)
def test_every_cycle_is_drawn_once(settings):
    """Of real runs: what is drawn has no gap, no overlap, and sums by label to the account of the run."""
    run = senn.run("random:5", set=settings, check=False)
    ax = critical(run)
    drawn = {label: spans(ax, to_rgb(color)) for label, color in SPENT_COLORS.items()}
    assert {label: sum(end - start for start, end in found) for label, found in drawn.items()} == run.spent
    every = sorted(span for found in drawn.values() for span in found)
    assert every[0][0] == 0
    assert every[-1][1] == run.summary["makespan"]
    assert all(before[1] == after[0] for before, after in itertools.pairwise(every))

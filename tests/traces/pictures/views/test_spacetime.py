"""The space-time diagram draws the hops, waits and computing of one level, each at its cycles and nodes."""

import numpy as np
import polars as pl
import pytest

import senn
from senn.base.errors import InputError
from senn.traces import analysis
from senn.traces.pictures.spacetime import VALUES, spacetime
from senn.traces.pictures.style import OTHER, WAIT, mixed, phase_color
from senn.traces.run import Run
from tests.traces.hand_trace import DESCRIPTION, hand_run, hand_trace
from tests.traces.pictures.drawn import boxes, legend, lines, spans, title

pytestmark = pytest.mark.usefixtures("figures_closed")

D, F = VALUES[:2]  # of level 1 of I.b, in the order in which they are sent


def _rounded(found):
    return [tuple(round(number, 6) for number in one) for one in found]


def test_the_level_of_the_hand_trace():
    """Message 0 and the first hop of message 1 slant from node 0 to node 1; the second hop is a bar at 1."""
    ax = spacetime(hand_run())
    slanted = _rounded(lines(ax, D) + lines(ax, F))
    assert [(line[0], line[2]) for line in slanted] == [(11, 14), (18, 19)]
    for _, begin, _, end in slanted:  # from below row 0 to above row 1
        assert -0.5 < begin < 0
        assert -1 < end < -0.5
    waits, vertical = _rounded(boxes(ax, F))
    assert waits[:2] == (8, 14)
    assert -0.5 < waits[2] < waits[3] < 0
    assert vertical[:2] == (23, 24)
    assert -1 < vertical[2] < vertical[3] < -0.5
    assert spans(ax, D) == []  # D is in no queue
    assert spans(ax, mixed(D, 0.6)) == [(7, 11)]
    assert spans(ax, mixed(F, 0.6)) == [(14, 18), (19, 23)]
    (dot,) = [line.get_xydata().tolist() for line in ax.lines if line.get_color() == D]
    assert dot[0][0] == 14


def test_engines_and_waits_of_the_hand_trace():
    """What the level computes and posts, and in grey what comes after it while its messages are under way."""
    ax = spacetime(hand_run())
    assert spans(ax, phase_color("I", 0.35)) == [(0, 6), (0, 6), (8, 12), (8, 12), (14, 19)]
    assert spans(ax, phase_color("I", -0.45)) == [(6, 7), (7, 8)]
    assert spans(ax, mixed(OTHER, 0.75)) == [(19, 20), (19, 20), (20, 23), (23, 24)]
    assert spans(ax, mixed(WAIT, 0.88)) == [(12, 14)]
    assert lines(ax, mixed(OTHER, 0.6)) == []  # no other message inside the array
    assert title(ax) == (
        "Level 1 of I.b: array 1 computes in 15 of 19 cycles and sends 2 messages; "
        "they wait for a channel 1 time, up to 6 cycles"
    )
    assert legend(ax)[:2] == ["D", "F"]


def test_title_counts_the_cycles_in_which_a_node_with_its_own_control_unit_computes():
    """Where nodes issue by themselves, instructions overlap: the union of the bars, not their sum."""
    run = senn.run("random:9", set={"machine.control": "mimd"}, check=False)
    ax = spacetime(run, step="I.b", level=2)
    bars = spans(ax, phase_color("I", 0.35))
    cycles = {cycle for start, end in bars for cycle in range(round(start), round(end))}
    assert f"array 1 computes in {len(cycles):,} of " in title(ax)


def test_the_messages_of_a_step():
    """The others are grey: they may be what is waited for."""
    ax = spacetime(hand_run(), step="I.b.7")
    assert [line[::2] for line in lines(ax, D)] == [(18, 19)]  # now the only value, the first colour is F's
    assert [line[::2] for line in lines(ax, mixed(OTHER, 0.6))] == [(11, 14)]
    assert "sends 1 message;" in title(ax)


@pytest.fixture(scope="module")
def home():
    """Values stay at home, so that messages go many hops and queue."""
    return senn.run("random:16", machine="mark3", residency="home", check=False)


@pytest.mark.parametrize("level", [1, 3])
def test_every_hop_and_every_wait_of_a_real_run(home, level):
    """As many times as the tables have them; bars that wait at a node stand apart, in its row."""
    ax = spacetime(home, step="I.b", level=level)
    table = home.trace.instructions.filter(pl.col("step").str.starts_with("I.b"), pl.col("level") == level)
    sent = home.trace.messages.filter(
        pl.col("source_array") == 1, pl.col("instruction").is_in(table["serial"].implode())
    )
    hops = home.trace.hops.filter(pl.col("message").is_in(sent["id"].implode()))
    inside = hops.filter(pl.col("target_array") == 1)
    values = sent["value"].unique(maintain_order=True).to_list()
    drawn = [line for color in VALUES[: len(values)] for line in lines(ax, color)]
    nodes = ("source_node", "target_node")
    startup = int(home.description["machine"]["startup"])
    expected = inside.select(pl.col("start") + startup, nodes[0], "end", nodes[1]).rows()
    assert sorted((a, round(-y), b, round(-z)) for a, y, b, z in drawn) == sorted(expected)
    bars = [box for color in VALUES[: len(values)] for box in boxes(ax, color)]
    waiting = [bar for bar in bars if bar[3] % 1 > 0.5]  # below a row
    queued = hops.filter(pl.col("start") > pl.col("queued"))
    assert sorted((a, b, int(np.ceil(-y) - 1)) for a, b, _, y in waiting) == sorted(
        queued.select("queued", "start", "source_node").rows()
    )
    for index, (a, b, low, high) in enumerate(waiting):
        for c, d, other_low, other_high in waiting[index + 1 :]:
            assert b <= c or d <= a or high <= other_low + 1e-9 or other_high <= low + 1e-9
    upright = hops.filter(pl.col("target_array") == 2)
    assert len(bars) == len(waiting) + upright.height
    accounts = analysis.channels(home.trace)
    assert len(queued) > 10
    assert accounts["queueing"].sum() > 0


def test_some_nodes(home):
    """Only what begins or ends there is counted, and the title says so."""
    ax = spacetime(home, level=2, nodes=(4, 6))
    assert title(ax).endswith("(nodes 4 to 6)")
    low, high = ax.get_ylim()
    assert -7 < low < -6
    assert -4 < high < -2
    drawn = [line for color in VALUES for line in lines(ax, color)]
    assert drawn
    assert all({round(-y), round(-z)} & {4, 5, 6} for _, y, _, z in drawn)


def test_where_every_node_issues_by_itself():
    """Each waits alone: hatched are rows, not the whole height."""
    run = senn.run("random:4", set={"machine.control": "mimd"}, check=False)
    ax = spacetime(run, level=2)
    waits = boxes(ax, mixed(WAIT, 0.88))
    assert waits
    assert all(high - low < 1 for _, _, low, high in waits)


@pytest.mark.parametrize(
    ("choices", "text"),
    [
        (
            {"step": "V"},
            'spacetime: no step in a loop is "V" or starts with it: the parts with loops are I.b',
        ),
        ({"step": "I.c.5"}, 'spacetime: no step in a loop is "I.c.5"'),
        ({"step": "I.b", "level": 2}, "spacetime: I.b has the levels 1 to 1, not 2"),
        ({"nodes": (0, 2)}, "spacetime: nodes 0 to 2 are not there; the nodes are 0 to 1"),
    ],
)
def test_what_is_not_there_is_refused(choices, text):
    """With what there is."""
    with pytest.raises(InputError) as refused:
        spacetime(hand_run(), **choices)
    assert str(refused.value).startswith(text)


def test_too_many_nodes_are_refused():
    """With the way out."""
    trace = hand_trace()
    far = trace.hops.with_columns(pl.col("target_node") + 100)
    run = Run(type(trace)("full", trace.instructions, trace.activities, trace.messages, far), DESCRIPTION)
    with pytest.raises(
        InputError, match=r"102 nodes are more than the 96 of which single .* the nodes 0 to 31"
    ):
        spacetime(run)
    assert spacetime(run, nodes=(0, 31))


def test_few_nodes_have_room():
    """Names of steps stand above the row of the first node, under the legend."""
    ax = spacetime(senn.run("random:8", check=False, numbers=False), level=2, nodes=(1, 3))
    ax.figure.canvas.draw()
    names = [text.get_window_extent() for text in ax.texts if text.get_text().startswith("I.b")]
    row = ax.transData.transform((0, -1 + 0.2))[1]
    assert names
    assert all(row < name.y0 < name.y1 <= ax.get_window_extent().y1 for name in names)
    assert ax.get_ylim()[1] < -0.17  # no half of node 0 is seen

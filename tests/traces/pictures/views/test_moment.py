"""At a cycle every message is drawn once: on its channel as far as it has come, or where it waits for one."""

import numpy as np
import polars as pl
import pytest

import senn
from senn.base.errors import InputError
from senn.traces.pictures.moment import along, moment
from senn.traces.pictures.style import phase_color
from senn.traces.run import Run
from tests.traces.hand_trace import DESCRIPTION, hand_trace
from tests.traces.pictures.drawn import title

pytestmark = pytest.mark.usefixtures("figures_closed")


def _marks(ax, label):
    """Where marks of a label stand."""
    return [tuple(line.get_xydata()[0]) for line in ax.lines if line.get_label() == label]


def _nodes(ax):
    """Of each array, the places of its nodes."""
    return [line.get_xydata() for line in ax.lines if line.get_marker() == "o" and len(line.get_xydata()) > 1]


def test_the_hand_trace_at_a_cycle():
    """Cycle 10: D is 3/7 of its way on the exchange of array 1, F waits at node 0; both nodes compute."""
    ax = moment(Run(hand_trace(), DESCRIPTION), cycle=10)
    one, _ = _nodes(ax)
    ((x, _),) = _marks(ax, "start-up")
    assert x == pytest.approx(one[0, 0] + (one[1, 0] - one[0, 0]) * 3 / 7, abs=0.08)  # an arc, by its length
    ((x, y),) = _marks(ax, "queue")
    assert x == one[0, 0]
    assert y > one[0, 1]
    busy = [line for line in ax.lines if line.get_label() == "busy"]
    assert sorted(tuple(line.get_xydata()[0]) for line in busy) == sorted(map(tuple, one))
    assert {line.get_color() for line in busy} == {phase_color("I", 0.45)}
    assert title(ax) == (
        "Cycle 10: array 1 computes I.b.8; array 2 is stalled before II.c.3.i; "
        "2 messages in flight (1 start-up, 1 queue)"
    )


def test_a_message_that_has_waited_starts_where_it_left():
    """F asks for the exchange at 8, has it in [14,19): at 16 it has 2/5 of the way behind it."""
    ax = moment(Run(hand_trace(), DESCRIPTION), cycle=16)
    one, _ = _nodes(ax)
    ((x, _),) = _marks(ax, "start-up")
    assert x == pytest.approx(one[0, 0] + (one[1, 0] - one[0, 0]) * 2 / 5, abs=0.08)


@pytest.mark.parametrize(
    ("cycle", "crosses", "waits"),
    # [7,14) D | [8,14) F waits, [14,19) and [19,24) crosses | [20,26) A | 20-24-30 A, 24-30-35 Lambda | 4-9 x
    [(0, 0, 0), (4, 1, 0), (8, 2, 1), (9, 1, 1), (19, 1, 0), (23, 2, 1), (24, 2, 1), (34, 1, 0), (35, 0, 0)],
)
def test_every_cycle_of_the_hand_trace(cycle, crosses, waits):
    """At the edges of the intervals too: a hop is there from its start up to, not including, its end."""
    ax = moment(Run(hand_trace(), DESCRIPTION), cycle=cycle)
    on_channels = len(_marks(ax, "start-up")) + len(_marks(ax, "words"))
    assert (on_channels, len(_marks(ax, "queue"))) == (crosses, waits)


def test_all_that_a_replay_has_under_way():
    """A real run, many hops and queues: each flight of `run.at` is a mark of its name."""
    run = senn.run("random:16", machine="mark3", residency="home", check=False)
    for cycle in (6000, 15_000, 40_000):
        ax = moment(run, cycle=cycle)
        flights = run.at(cycle).messages
        where = [flight.where for flight in flights]
        for name in ("queue", "start-up", "header", "words"):
            assert len(_marks(ax, name)) == where.count(name)
        assert where
        working = run.trace.activities.filter((pl.col("start") <= cycle) & (pl.col("end") > cycle))
        assert len(_marks(ax, "busy")) == working.height


def test_along_is_by_length():
    """Of a corner of 3 and 1, half is at 2 on the first side."""
    corner = np.array([[0.0, 0.0], [3.0, 0.0], [3.0, 1.0]])
    assert along(corner, 0.5) == (2.0, 0.0)
    assert along(corner, 1.0) == (3.0, 1.0)


def test_what_cannot_be_seen_is_refused():
    """A cycle before the first or after the last, and more nodes than dots find room on."""
    for cycle in (-1, 39):
        with pytest.raises(InputError, match=f"this run has no cycle {cycle}; they are 0 to 38"):
            moment(Run(hand_trace(), DESCRIPTION), cycle=cycle)
    trace = hand_trace()
    far = trace.hops.with_columns(pl.lit(200).alias("target_node"))
    run = Run(type(trace)("full", trace.instructions, trace.activities, trace.messages, far), DESCRIPTION)
    with pytest.raises(InputError, match="201 nodes are more than the 128 on which single"):
        moment(run)

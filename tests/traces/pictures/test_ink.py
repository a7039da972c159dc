"""In a timeline ink is time: nothing is widened, whatever its length."""

import numpy as np
import polars as pl
import pytest
from matplotlib.collections import LineCollection, PolyCollection

from senn.base.errors import InputError
from senn.traces import analysis
from senn.traces.parts import COLORS
from senn.traces.pictures import plots
from senn.traces.pictures.style import mixed
from senn.traces.record import NULL, Trace
from tests.traces.hand_trace import hand_run, hand_trace

NONE = dict.fromkeys(("stall", "dependency_wait", "exposed"), 0)


def _busy(nodes, lengths, gap):
    """An array whose nodes all compute in Step I, post for 4 cycles, and are masked for ``gap`` cycles."""
    begin = np.concatenate([[0], np.cumsum(np.asarray(lengths) + 4 + gap)[:-1]])
    serial = np.arange(2 * len(lengths))
    issue = np.column_stack([begin, begin + lengths]).ravel()
    end = np.column_stack([begin + lengths, begin + lengths + 4]).ravel()
    kinds = ["compute", "send"] * len(lengths)
    same = np.ones(len(serial), dtype=int)
    instructions = {
        "array": same,
        "serial": serial,
        "step": ["I.b.1", "II.b.2"] * len(lengths),
        "level": same,
        "operation": kinds,
        "issue": issue,
        "end": end,
        "active": nodes * same,
        **dict.fromkeys(NONE, 0 * same),
        "released_by": NULL * same,
    }
    each = np.repeat(serial, nodes)
    activities = {
        "array": np.repeat(same, nodes),
        "instruction": each,
        "node": np.tile(np.arange(nodes), len(serial)),
        "process": np.tile(np.arange(nodes) + 1, len(serial)),
        "class": np.repeat(np.array(["compute", "post"] * len(lengths)), nodes).tolist(),
        "start": issue[each],
        "end": end[each],
        "flops": 0 * each,
    }
    return Trace.from_columns("full", instructions=instructions, activities=activities)


LENGTHS = np.random.default_rng(3).integers(1, 160, 700)
"""Of computations; a pixel of a timeline of them is some 60 cycles."""


def _work(trace):
    """The ink that the engine of a node should have: cycles times how dark their colour is, (3,)."""
    cycles = dict(analysis.node_accounts(trace, 1).select("compute", "post").row(0, named=True))
    colors = {"compute": mixed(COLORS[0], 0.0), "post": mixed(COLORS[1], -0.45)}
    return sum(cycles[kind] * (1 - np.array(colors[kind])) for kind in cycles)


def test_ink_is_time_in_what_is_drawn():
    """Width times density times darkness of all rectangles, channel by channel of the colour, to rounding."""
    trace = _busy(2, LENGTHS, 50)
    ax = plots.timeline(hand_run(trace))
    (marks,) = (one for one in ax.collections if isinstance(one, PolyCollection))
    corners = np.array([path.vertices[:4] for path in marks.get_paths()])
    width = np.ptp(corners[:, :, 0], axis=1)
    red_green_blue, density = np.split(marks.get_facecolor(), [3], axis=1)
    ink = ((1 - red_green_blue) * width[:, None] * density).sum(axis=0)
    assert ink == pytest.approx(2 * _work(trace), rel=1e-9)
    assert (density < 1).any()
    assert (density == 1).any()
    for row in {tuple(heights) for heights in corners[:, :, 1].round(6)}:
        own = np.sort(corners[(corners[:, :, 1].round(6) == row).all(axis=1)][:, :2, 0], axis=0)
        assert (own[1:, 0] >= own[:-1, 1] - 1e-6).all(), "none covers another"


def _shares(edges, nodes):
    run = hand_run()
    return analysis.shares(run.trace, run.in_flight, edges, nodes)


def test_shares_of_the_run_worked_out_by_hand():
    """Twelve cycles each; array 1 computes twice in [0, 6), [8, 12), on node 1 in [14, 19), [20, 23)."""
    rows = _shares([0, 12, 24], range(2)).filter(array=1)
    found = {(kind, stretch): share * 12 for _, kind, _, stretch, share in rows.iter_rows()}
    assert found == pytest.approx(
        {
            ("compute", 0): 10,
            ("compute", 1): 4,
            ("post", 0): 1,
            ("post", 1): 1.5,
            ("wait", 1): 2,
            ("startup", 0): 4,  # messages, not a share of the nodes: D
            ("startup", 1): 4 + 4 + 4,  # F twice, A_1
            ("words", 0): 1,
            ("words", 1): 2 + 1 + 1,  # D, F twice
            ("queue", 0): 4,  # F
            ("queue", 1): 2 + 4,  # F, A_2
        }
    )
    alone = _shares([0, 12], [0]).filter(array=1, kind="compute")
    assert alone["share"].to_list() == pytest.approx([10 / 12])


def _areas(ax, color):
    """The area of all polygons of a colour, in cycles times what is 1 high."""
    wanted = np.round(color, 3)
    total = 0.0
    for one in ax.collections:
        if isinstance(one, PolyCollection) and (one.get_facecolor()[0, :3].round(3) == wanted).all():
            for path in one.get_paths():
                x, y = path.vertices[:-1].T
                total += abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))) / 2
    return total


def test_the_area_of_a_share_is_its_time():
    """From 48 nodes on: what is drawn of the nodes is their cycles, post and compute."""
    trace = _busy(48, LENGTHS, 50)
    ax = plots.timeline(hand_run(trace))
    assert _areas(ax, FIRST) == pytest.approx(LENGTHS.sum(), rel=1e-6)
    assert _areas(ax, mixed(COLORS[1], -0.45)) == pytest.approx(4 * len(LENGTHS), rel=1e-6)
    assert "node" in plots.timeline(hand_run(_busy(47, LENGTHS, 50))).texts[0].get_text(), (
        "fewer have a row each"
    )


FIRST = mixed(COLORS[0], 0.0)


def test_a_stretch_of_time_and_some_nodes():
    """Only what is in them is drawn and counted: cycles 8 to 20, node 1."""
    ax = plots.timeline(hand_run(), start=8, stop=20, nodes=(1, 1))
    assert ax.get_xlim() == pytest.approx((8, 20), abs=0.1)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["1", "1"]
    # Array 1 computes in [8, 12) and [14, 19), 9 of 12 cycles; array 2 waits.
    assert ax.get_title("left") == "Array 1 computes 75 % of the time shown, array 2 computes 0 %"
    starts = [path.vertices[:, 0].min() for one in ax.collections for path in one.get_paths()]
    assert sorted(set(starts)) == [8, 14, 19]  # also the words of x in array 2, and the start-up of F


@pytest.mark.parametrize(
    ("choices", "text"),
    [
        ({"start": 40}, "from cycle 40: the run goes from cycle 0 to 39"),
        ({"start": -1}, "from cycle -1: the run goes"),
        ({"start": 8, "stop": 8}, "to cycle 8: the last drawn comes after the first, 8"),
        ({"nodes": (0, 2)}, "timeline: nodes 0 to 2 are not there; the nodes are 0 to 1"),
        ({"nodes": (1, 0)}, "timeline: nodes 1 to 0 are not there"),
    ],
)
def test_what_is_not_in_the_run_is_refused(choices, text):
    with pytest.raises(InputError) as refused:
        plots.timeline(hand_run(), **choices)
    assert str(refused.value).startswith(text)


def _talking(messages, nodes):
    """The run by hand with a message more often, from node 0 to the last node."""
    trace = hand_trace()
    tables = {name: trace.table(name) for name in ("instructions", "activities", "messages", "hops")}
    more = tables["messages"].head(1)
    row = more.row(0, named=True)
    columns = {name: [value] * messages for name, value in row.items()} | {"id": list(range(messages))}
    columns["target_node"] = [nodes - 1] * messages
    hops = pl.concat([tables["hops"].head(1).with_columns(message=pl.lit(id)) for id in range(messages)])
    found = {"messages": pl.DataFrame(columns, schema=more.schema), "hops": hops}
    return Trace.from_tables("full", tables | found)


def test_too_many_arrows_are_refused_with_the_way_out():
    """300 are drawn, more would be a black picture."""
    ax = plots.timeline(hand_run(_talking(300, 2)), arrows=True)
    (lines,) = (one for one in ax.collections if isinstance(one, LineCollection))
    assert len(lines.get_segments()) == 300
    with pytest.raises(InputError, match=r"301 messages would cover the picture.*I\.b\.5, or less time"):
        plots.timeline(hand_run(_talking(301, 2)), arrows=True)
    with pytest.raises(
        InputError, match=r"48 nodes have no rows of their own; choose fewer than 48 with nodes"
    ):
        plots.timeline(hand_run(_busy(48, [5], 1)), arrows=True)


def test_arrows_are_those_of_the_time_and_the_nodes():
    """Of the six messages by hand two are under way in cycles 8 to 12; two stay at node 1."""

    def granted(**choices):
        ax = plots.timeline(hand_run(), arrows=True, **choices)
        (lines,) = (one for one in ax.collections if isinstance(one, LineCollection))
        return sorted(segment[0][0] for segment in lines.get_segments())

    assert granted(start=8, stop=12) == [4, 7]
    assert granted(nodes=(1, 1)) == [24, 30]

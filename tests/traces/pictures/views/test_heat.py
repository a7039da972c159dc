"""A square has the cycles of its level and node, and all of them sum to the account of the run."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import senn
from senn.base.errors import InputError
from senn.traces import analysis
from senn.traces.pictures import KINDS
from senn.traces.pictures.critical import QUANTITIES, heat
from tests.traces.hand_trace import hand_run, hand_trace
from tests.traces.pictures.drawn import title


def _squares(ax):
    """By the name of the row and, where there are two, the array: what is drawn, node by node."""
    names = [label.get_text() for label in ax.get_yticklabels()]
    rows = [row for image in ax.images for row in image.get_array().tolist()]
    arrays = [k for k, image in enumerate(ax.images, 1) for _ in image.get_array()]
    return {(array, name): row for array, name, row in zip(arrays, names, rows, strict=True)}


@pytest.mark.parametrize(
    ("of", "level", "outside"),
    [
        # Array 1: message 1 waits [8,14) at node 0 for level 1; messages 3 and 4 at node 1, outside loops.
        ("waiting", [6, 0], [0, 4 + 6]),
        # D 7, F 5 + 5 of level 1 (its second hop leaves node 1), then A 6 | A 6, Lambda 5.
        ("sending", [7 + 5, 5], [6, 6 + 5]),
        ("computing", [6 + 4, 6 + 4 + 5], [0, 3]),
    ],
)
def test_the_hand_trace(of, level, outside):
    """Array 1; in array 2 level 1 has x, which waits for nothing and takes 5 cycles at node 1."""
    found = _squares(heat(hand_run(), of=of))
    assert found[1, "level 1"] == level
    assert found[1, "in no loop"] == outside
    second = {"waiting": [0, 0], "sending": [0, 5], "computing": [2, 1]}[of]
    assert found[2, "level 1"] == second


def test_what_the_hand_trace_exposed():
    """Array 1 stands still [12,14) for D; array 2 [8,24) for F, [25,30) for A, [33,35) for Lambda.

    A of node 0 is under way [20,26), that of node 1 [20,30): array 2 waits from 25 on for the latter. Nobody
    stands still for x of array 2.
    """
    run = hand_run()
    found = _squares(heat(run, of="exposed"))
    assert found[1, "level 1"] == [2 + 16, 0]
    assert found[1, "in no loop"] == [0, 5 + 2]
    assert sum(map(sum, found.values())) == run.summary["exposed"] == 25


def test_all_of_a_real_run():
    """The sums are those of the channels and of the engines, whatever level and node they are of."""
    run = senn.run("random:16", residency="home", check=False)
    channels = analysis.channels(run.trace)
    work = run.trace.activities.filter(pl.col("class") == "compute")
    expected = {
        "waiting": channels["queueing"].sum(),
        "sending": channels["busy"].sum(),
        "computing": (work["end"] - work["start"]).sum(),
    }
    for of, whole in expected.items():
        assert sum(map(sum, _squares(heat(run, of=of)).values())) == whole
    ax = heat(run)
    most = max(max(row) for row in _squares(ax).values())
    assert title(ax).startswith(f"Messages wait for a channel {expected['waiting']:,} cycles, ")
    assert title(ax).endswith(f": {most:,.0f}")


def test_many_nodes_are_means_of_neighbours():
    """1,030 nodes: three together, the last column of one."""
    trace = hand_trace()
    far = trace.hops.with_columns(target_node=pl.lit(1029))
    ax = heat(hand_run(replace(trace, hops=far)))
    found = _squares(ax)
    assert len(found[1, "level 1"]) == 344
    np.testing.assert_allclose(found[1, "level 1"][0], 6 / 3)
    np.testing.assert_allclose(found[1, "in no loop"][0], 10 / 3)
    assert ax.get_xlabel() == "node (each column is the mean of 3)"


def test_what_is_none_is_refused():
    """With what there is."""
    with pytest.raises(InputError, match="is none of waiting, sending, computing, exposed"):
        heat(hand_run(), of="hope")
    with pytest.raises(InputError, match='"3" is none of waiting'):
        heat(hand_run(), of=3)
    from senn.cli.commands.plot import plot

    (option,) = (one for one in plot.params if one.name == "of")
    assert tuple(option.type.choices) == tuple(QUANTITIES)
    assert KINDS["heat"].choices == ("of",)


def test_one_node():
    """It has its number and no halves, and its scale is whole."""
    ax = heat(senn.run("random:2", algorithm="forward-articulated", check=False), of="computing")
    ax.figure.canvas.draw()
    seen = [tick for tick in ax.get_xticks() if -0.5 <= tick <= 0.5]
    assert seen == [0]
    scale = ax.figure.axes[1]
    label, page = scale.yaxis.label.get_window_extent(), ax.figure.bbox
    assert page.y0 <= label.y0 < label.y1 <= page.y1

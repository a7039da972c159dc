"""The network has a line for every channel, from its source to its target, coloured by what it carried."""

import numpy as np
import polars as pl
import pytest
from matplotlib.collections import LineCollection

import senn
from senn.base.errors import InputError
from senn.machine.network import Wiring, measures, network
from senn.traces import analysis
from senn.traces.pictures import network as views
from tests.traces.hand_trace import hand_run
from tests.traces.pictures.drawn import legend, title


def _curves(ax):
    """Every line that stands for a channel: its first and last point, and the number it is coloured by."""
    found = []
    for artist in ax.collections:
        if isinstance(artist, LineCollection):
            numbers = artist.get_array()
            for index, line in enumerate(artist.get_segments()):
                number = None if numbers is None else float(numbers[index])
                found.append((tuple(line[0]), tuple(line[-1]), number))
    return found


def _places(ax):
    """Where the nodes of each array stand, in order."""
    return [line.get_xydata() for line in ax.lines if line.get_marker() == "o" and len(line.get_xydata()) > 1]


def test_the_channels_of_the_hand_trace():
    """Occupied, of 39 cycles: 12 the exchange of array 1, 5 that of array 2, 6 and 16 the vertical wires."""
    ax = views.network(hand_run())
    one, two = _places(ax)
    found = {number * 39 / 100: (begin, end) for begin, end, number in _curves(ax)}
    assert {round(number) for number in found} == {5, 6, 12, 16}
    ends = {12: (one[0], one[1]), 5: (two[1], two[0]), 6: (one[0], two[0]), 16: (one[1], two[1])}
    for number, (begin, end) in found.items():
        np.testing.assert_allclose((begin, end), ends[round(number)], atol=0.1)
    assert title(ax) == (
        "4 channels carry 7 hops; the busiest (vertical, node 1 to 1, array 1 to 2) is occupied 41 % of the "
        "time, the idlest of them 13 %"
    )


@pytest.mark.parametrize("name", ["senn", "full"])
def test_two_nodes_are_drawn_whole(name):
    """The circles and names of both arrays are inside the figure, and Matplotlib does not complain."""
    run = senn.run(
        "random:2", residency="home", set={"machine.network": name, "machine.nodes": 2}, check=False
    )
    ax = views.network(run)
    ax.figure.canvas.draw()
    size = ax.lines[0].get_markersize() * ax.figure.dpi / 72
    frame, figure = ax.get_window_extent(), ax.figure.bbox
    for places in _places(ax):
        across = ax.transData.transform(places)[:, 0]
        assert frame.x0 <= across.min() - size / 2
        assert across.max() + size / 2 <= frame.x1
    for text in ax.texts:
        assert figure.x0 <= text.get_window_extent().x0


@pytest.mark.parametrize("name", ["senn", "torus", "hypercube", "ring"])
def test_every_channel_of_a_real_run(name):
    """A row with arcs, planes, circles: each line leads from the node that sends to the one that receives."""
    run = senn.run("random:16", residency="home", set={"machine.network": name}, check=False)
    ax = views.network(run)
    places = _places(ax)
    table = analysis.channels(run.trace)
    expected = sorted(
        (round(100 * busy / run.summary["makespan"], 6), *places[a - 1][p], *places[b - 1][q])
        for a, b, p, q, busy in table.select(
            "source_array", "target_array", "source_node", "target_node", "busy"
        ).iter_rows()
    )
    found = sorted((round(number, 6), *begin, *end) for begin, end, number in _curves(ax))
    assert len(found) == table.height
    # Upright lines stand beside each other, at most 0.06 from the middle.
    np.testing.assert_allclose(found, expected, atol=0.0601)


def test_the_figures_of_the_paper():
    """N = 8: 4 exchange wires, 3 that make neighbours, 6 shuffle wires in each array, and 8 upright ones."""
    ax = measures.picture(Wiring(network("senn", 8), 2))
    assert legend(ax) == ["8 exchange wires", "6 neighbor wires", "12 shuffle wires", "8 vertical wires"]
    lines = {one.get_label(): one for one in ax.collections if not str(one.get_label()).startswith("_child")}
    one, two = _places(ax)
    node = {
        tuple(place): (array, number)
        for array, row in ((1, one), (2, two))
        for number, place in enumerate(map(tuple, row))
    }
    ends = {
        kind: {(node[tuple(line[0])], node[tuple(line[-1])]) for line in artist.get_segments()}
        for kind, artist in lines.items()
        if kind != "shuffle"
    }
    assert ends["exchange"] == {((k, p), (k, p + 1)) for k in (1, 2) for p in (0, 2, 4, 6)}
    assert ends["neighbor"] == {((k, p), (k, p + 1)) for k in (1, 2) for p in (1, 3, 5)}
    assert ends["vertical"] == {((1, p), (2, p)) for p in range(8)}
    # Solid are shuffle wires, dashed exchange wires (the caption of Fig. 2): p and 2p mod 7 are joined.
    shuffles = [np.round(line[[0, -1]], 6) for line in lines["shuffle"].get_segments()]
    joined = {frozenset((round(a), round(b))) for (a, _), (b, _) in shuffles}
    assert joined == {frozenset((p, 2 * p % 7)) for p in range(1, 7)}
    assert len(shuffles) == 12
    assert lines["exchange"].get_linestyle()[0][1] is not None
    assert lines["shuffle"].get_linestyle()[0][1] is None
    assert title(ax) == (
        "senn, 8 nodes, 2 arrays: 13 wires in each, at most 4 at a node; "
        "no two nodes are more than 5 hops apart"
    )


def test_a_wire_of_one_way_ends_in_a_point():
    """Of both ways it does not."""
    for shuffle, points in (("forward", 6), ("both", 0)):
        ax = measures.picture(Wiring(network("senn", 8, shuffle), 1))
        tips = [line for line in ax.lines if line.get_markersize() == 4]
        assert sum(len(line.get_xydata()) for line in tips) == points


def test_more_than_can_be_drawn_is_refused(monkeypatch):
    """Channels, and nodes whose distances are measured."""
    with pytest.raises(InputError, match="network senn: 2,048 nodes are more than the 1,024"):
        measures.picture(Wiring(network("senn", 2048), 1))
    monkeypatch.setattr(views, "MOST", 3)
    for draw in (
        lambda: measures.picture(Wiring(network("senn", 8), 1)),
        lambda: views.network(hand_run()),
    ):
        with pytest.raises(InputError, match=r"network: .* channels are more than the 3 that can be drawn"):
            draw()


def test_a_hypercube_is_cubes():
    """Wires of one bit are parallel and equally long, so that eight nodes are a cube and 64 eight of them."""
    for nodes in (8, 64):
        (places,) = views.layout(_links([(0, 1)], "cube"), nodes, [1]).places.values()
        for bit in range(nodes.bit_length() - 1):
            ways = [places[node | 1 << bit] - places[node] for node in range(nodes) if not node >> bit & 1]
            np.testing.assert_allclose(ways, [ways[0]] * len(ways))
        apart = np.linalg.norm(places[:, None] - places, axis=-1) + np.eye(nodes)
        assert apart.min() > 0.4


def test_a_tree_stands_on_its_leaves():
    """The root of a binary tree is on top, each parent above the middle of its children."""
    ends = [(child, (child - 1) // 2) for child in range(1, 15)]
    (places,) = views.layout(_links(ends), 15, [1]).places.values()
    assert places[0, 1] == places[:, 1].max()
    for parent in range(7):
        np.testing.assert_allclose(places[parent, 0], places[[2 * parent + 1, 2 * parent + 2], 0].mean())
    for depth in range(4):
        assert len(set(places[2**depth - 1 : 2 ** (depth + 1) - 1, 1])) == 1
    leaves = sorted(places[7:, 0])
    np.testing.assert_allclose(np.diff(leaves), 1)


@pytest.mark.parametrize(
    ("ends", "nodes"), [([(0, 1), (1, 2), (2, 0)], 3), ([(0, 1), (2, 3)], 4), ([(0, 1), (1, 2), (2, 0)], 4)]
)
def test_what_is_no_tree_is_a_circle(ends, nodes):
    """Cycles and parts."""
    (places,) = views.layout(_links(ends), nodes, [1]).places.values()
    radii = np.linalg.norm(places, axis=1)
    np.testing.assert_allclose(radii, radii[0])


def test_what_closes_a_torus_goes_round_it():
    """A row above its nodes, a column left of them, never through them."""
    drawn = views.layout(_links([(0, 3), (3, 0)], "row"), 4, [1])
    there, back = drawn.curves(_links([(0, 3), (3, 0)], "row"))
    for curve in (there, back):
        assert (curve[1:-1, 1] > 0.1).all()
    assert there[:, 1].max() > back[:, 1].max()


def test_colours_are_shares_of_the_run():
    """0 to 100 % in every picture, so that what is hardly occupied is pale, however idle the others are."""
    ax = views.network(hand_run())
    (lines,) = (one for one in ax.collections if one.get_array() is not None)
    assert lines.get_clim() == (0, 100)


def _links(ends, kind="link"):
    """Channels of one array, as a table."""
    return pl.DataFrame([(1, 1, a, b, kind) for a, b in ends], schema=[*views.ENDS, "kind"], orient="row")

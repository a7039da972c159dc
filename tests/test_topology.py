"""The network, its channels, the routes over it and the slots they take.

Expected figures: the wire rules of Fijany Fig. 2, graph measures by networkx, and the tables of routed
odd-even elimination traffic computed once by a separate program for the design of the emulator.
"""

import re
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest

from senn.machine.topology import Paths, Router, channels, rotl, rotr, senn, slots
from senn.traces.errors import InputError

SIZES = (8, 16, 32, 64, 128, 256, 512, 1024)


def shifts(nodes: int, h: int) -> tuple[np.ndarray, np.ndarray]:
    """Sources and targets of one level with data at home: all +h in rising row, then all -h."""
    low = np.arange(nodes - h)
    return np.concatenate([low, low + h]), np.concatenate([low + h, low])


def per_level(nodes: int, routing: str) -> list[Paths]:
    router = Router(senn(nodes), routing)
    return [router.paths(*shifts(nodes, 2 ** (j - 1))) for j in range(1, nodes.bit_length())]


def one_way(graph: nx.MultiDiGraph, excluded: str) -> nx.DiGraph:
    """Without the channels of a kind, "neighbor" (plain shuffle-exchange), or "backward" on shuffle wires."""
    kept = nx.DiGraph()
    for a, b, attributes in graph.edges(data=True):
        backward_shuffle = attributes["kind"] == "shuffle" and attributes["direction"] == "backward"
        if not (attributes["kind"] == excluded or (excluded == "backward" and backward_shuffle)):
            kept.add_edge(a, b)
    return kept


def test_the_eight_node_network_is_the_one_of_the_figure() -> None:
    """N = 8 by hand: 4 exchange, 3 neighbor, 6 shuffle wires, no wire from 7 to 0, no loop."""
    assert channels(senn(8)).wire[::2] == (
        *("exchange:0-1", "exchange:2-3", "exchange:4-5", "exchange:6-7"),
        *("neighbor:1-2", "neighbor:3-4", "neighbor:5-6"),
        *("shuffle:1-2", "shuffle:2-4", "shuffle:3-6", "shuffle:4-1", "shuffle:5-3", "shuffle:6-5"),
    )


def test_small_networks() -> None:
    """One node has no wires, two nodes one, four nodes 2N-3 = 5 with the two arcs 1->2, 2->1 apart."""
    assert channels(senn(1)).wire == ()
    assert channels(senn(2)).wire == ("exchange:0-1", "exchange:0-1")
    assert channels(senn(4)).wire[::2] == (
        *("exchange:0-1", "exchange:2-3", "neighbor:1-2", "shuffle:1-2", "shuffle:2-1"),
    )


@pytest.mark.parametrize("nodes", [0, -4, 3, 12])
def test_a_size_that_is_no_power_of_two_is_refused(nodes: int) -> None:
    message = f"a SENN has a power of two of nodes, not {nodes}: take 1, 2, 4, 8, ..."
    with pytest.raises(InputError, match=re.escape(message)):
        senn(nodes)


@pytest.mark.parametrize("m", range(1, 11))
def test_rotations(m: int) -> None:
    """rotl is 2p mod (N-1) with N-1 fixed, as for a pack of cards; rotr undoes it; m of them are none."""
    p = np.arange(1 << m)
    expected = np.where(p == p[-1], p, 2 * p % max(1, p[-1]))
    np.testing.assert_array_equal(rotl(p, m), expected)
    np.testing.assert_array_equal(rotr(rotl(p, m), m), p)
    around = p
    for _ in range(m):
        around = rotr(around, m)
    np.testing.assert_array_equal(around, p)


def test_rotations_of_a_scalar_and_of_no_bits() -> None:
    assert (int(rotl(0b0110, 4)), int(rotr(0b0011, 4)), int(rotl(0, 0)), int(rotr(0, 0))) == (12, 9, 0, 0)


@pytest.mark.parametrize(
    ("nodes", "edges", "diameter", "average", "plain", "forward_only"),
    [
        (8, 11, 5, 2.04, 5, 5),
        (16, 26, 5, 2.38, 7, 7),
        (32, 59, 6, 2.86, 9, 8),
        (64, 122, 7, 3.54, 11, 9),
        (128, 251, 9, 4.34, 13, 11),
        (256, 506, 10, 5.24, 15, 12),
    ],
)
def test_figures_of_the_network(
    nodes: int, edges: int, diameter: int, average: float, plain: int, forward_only: int
) -> None:
    """Distinct edges, diameter and average distance by networkx; plain shuffle-exchange has 2m-1."""
    graph = senn(nodes)
    assert nx.Graph(graph).number_of_edges() == edges
    lengths = [d for _, row in nx.all_pairs_shortest_path_length(nx.Graph(graph)) for d in row.values()]
    assert max(lengths) == diameter
    assert round(sum(lengths) / (nodes * (nodes - 1)), 2) == average
    assert nx.diameter(one_way(graph, "neighbor")) == plain == 2 * (nodes.bit_length() - 1) - 1
    assert nx.diameter(one_way(graph, "backward")) == forward_only


@pytest.mark.parametrize(("nodes", "edges", "diameter"), [(512, 1019, 12), (1024, 2042, 13)])
def test_figures_of_the_large_networks(nodes: int, edges: int, diameter: int) -> None:
    """The last two rows of the same table, by the distances that routing uses."""
    graph = senn(nodes)
    assert nx.Graph(graph).number_of_edges() == edges
    distances = Router(graph).distances
    assert distances.max() == diameter
    if nodes == 512:
        assert round(distances.sum() / (512 * 511), 2) == 6.23


@pytest.mark.parametrize("nodes", SIZES)
def test_wires_and_degrees(nodes: int) -> None:
    """2N-3 wires, each with two opposite channels; degree 1 at both ends and at most 4 elsewhere."""
    graph = senn(nodes)
    assert len({key for _, _, key in graph.edges(keys=True)}) == 2 * nodes - 3
    table = channels(graph)
    assert len(table) == 2 * (2 * nodes - 3)
    degree = np.bincount(table.source)
    assert (degree[0], degree[-1], degree.max()) == (1, 1, 4)
    np.testing.assert_array_equal(table.source[0::2], table.target[1::2])
    np.testing.assert_array_equal(table.target[0::2], table.source[1::2])


def test_a_channel_is_found_by_wire_and_direction() -> None:
    """Forward runs from a to b of "kind:a-b", backward the other way; for even m both arcs are there."""
    table = channels(senn(16))
    for (wire, direction), channel in table.index.items():
        a, b = map(int, wire.partition(":")[2].split("-"))
        ends = (a, b) if direction == "forward" else (b, a)
        assert (table.source[channel], table.target[channel]) == ends
        assert (table.wire[channel], table.direction[channel]) == (wire, direction)
        assert table.kind[channel] == wire.partition(":")[0]
    assert {"shuffle:5-10", "shuffle:10-5"} <= set(table.wire)


@pytest.mark.parametrize("nodes", [1, 2, 4, 8, 64, 1024])
def test_unshuffle_channel(nodes: int) -> None:
    """It leads from p to rotr(p), backward on a shuffle wire, all on different channels; none at 0, N-1."""
    table, m = channels(senn(nodes)), nodes.bit_length() - 1
    found = [table.unshuffle_channel(p) for p in range(nodes)]
    assert found[0] is None
    assert found[-1] is None
    used = [c for c in found if c is not None]
    assert len(set(used)) == len(used) == max(0, nodes - 2)
    for p, channel in enumerate(found):
        if channel is not None:
            rotated = int(format(p, f"0{m}b")[-1:] + format(p, f"0{m}b")[:-1], 2)
            assert (table.source[channel], table.target[channel]) == (p, rotated)
            assert (table.kind[channel], table.direction[channel]) == ("shuffle", "backward")


def test_unshuffle_takes_the_shuffle_wire_beside_a_neighbor_wire() -> None:
    table = channels(senn(8))
    channel = table.unshuffle_channel(2)
    assert channel is not None
    assert table.wire[channel] == "shuffle:1-2"


@pytest.mark.parametrize("nodes", [2, 4, 8, 64])
def test_distances_are_those_of_networkx(nodes: int) -> None:
    graph = senn(nodes)
    distances = Router(graph).distances
    for p, row in nx.all_pairs_shortest_path_length(nx.Graph(graph)):
        assert [row[q] for q in range(nodes)] == distances[p].tolist()


@pytest.mark.parametrize("routing", ["lowest", "greedy"])
def test_routes_are_connected_and_minimal(routing: str) -> None:
    """Every pair of 32 nodes: the channels join end to end and are as many as the distance by networkx."""
    graph = senn(32)
    router = Router(graph, routing)
    sources, targets = np.divmod(np.arange(32 * 32), 32)
    paths = router.paths(sources, targets)
    length = dict(nx.all_pairs_shortest_path_length(nx.Graph(graph)))
    assert len(paths) == 1024
    for path, p, q in zip(paths, sources.tolist(), targets.tolist(), strict=True):
        assert len(path) == length[p][q]
        ends = list(zip(router.channels.source[path], router.channels.target[path], strict=True))
        assert all(before[1] == after[0] for before, after in pairwise(ends))
        assert not ends or (ends[0][0], ends[-1][1]) == (p, q)


def test_lowest_takes_the_lowest_neighbour_on_a_shortest_path() -> None:
    """Against networkx's list of all shortest paths: the lexicographically first one, for all pairs of 16."""
    graph = senn(16)
    router, simple = Router(graph, "lowest"), nx.Graph(graph)
    for p in range(16):
        for q in range(16):
            first = min(nx.all_shortest_paths(simple, p, q))
            (path,) = router.paths([p], [q])
            assert [p, *router.channels.target[path].tolist()] == first


def test_parallel_wires_are_taken_in_the_order_of_the_kinds() -> None:
    """1-2 by the neighbor wire; 5-10, two arcs for m = 4, by the arc built in the direction of the hop."""
    router = Router(senn(16))
    table = router.channels

    def wire(p: int, q: int) -> tuple[str, str]:
        (path,) = router.paths([p], [q])
        return table.wire[path[0]], table.direction[path[0]]

    assert wire(1, 2) == ("neighbor:1-2", "forward")
    assert wire(2, 1) == ("neighbor:1-2", "backward")
    assert wire(5, 10) == ("shuffle:5-10", "forward")
    assert wire(10, 5) == ("shuffle:10-5", "forward")
    assert wire(4, 2) == ("shuffle:2-4", "backward")
    assert wire(0, 1) == ("exchange:0-1", "forward")


def test_greedy_avoids_the_loaded_channel_and_forgets_between_calls() -> None:
    """Two shortest paths: messages alternate between them, and the first of a call takes the lower one."""
    simple = nx.Graph(senn(16))
    p, q = next(
        (p, q)
        for p in range(16)
        for q in set(range(16)) - {p}
        if len({path[1] for path in nx.all_shortest_paths(simple, p, q)}) == 2
    )
    router = Router(senn(16), "greedy")
    firsts = [router.channels.target[path[0]] for path in router.paths([p] * 4, [q] * 4)]
    assert firsts[0] == min(nx.all_shortest_paths(simple, p, q))[1]
    assert firsts[0] == firsts[2] != firsts[1] == firsts[3]
    (again,) = router.paths([p], [q])
    assert router.channels.target[again[0]] == firsts[0]


def test_routing_at_1024_nodes_per_level() -> None:
    """Data at home, N = 1024, greedy: hops, channel loads and slots level by level."""
    levels = per_level(1024, "greedy")
    assert [paths.hops.max() for paths in levels] == [1, 2, 4, 6, 8, 10, 9, 7, 5, 3]
    mean = [round(float(paths.hops.mean()), 1) for paths in levels]
    assert mean == [1.0, 2.0, 4.0, 5.7, 6.9, 7.2, 7.0, 6.3, 4.9, 3.0]
    assert [np.bincount(paths.channels).max() for paths in levels] == [1, 3, 6, 8, 12, 12, 13, 11, 8, 2]
    assert [slots(paths) for paths in levels] == [1, 3, 7, 11, 15, 16, 16, 14, 10, 4]


def test_mean_hops_of_level_7_at_1024_nodes() -> None:
    """h = 64: the mean by networkx, one breadth-first search per source; both give 7.048."""
    simple = nx.Graph(senn(1024))
    hops = [nx.single_source_shortest_path_length(simple, p)[p + 64] for p in range(1024 - 64)]
    assert per_level(1024, "lowest")[6].hops.mean() == pytest.approx(sum(hops) / len(hops), rel=1e-12)
    assert sum(hops) / len(hops) == pytest.approx(7.048, abs=5e-4)


def test_routing_at_8_nodes_per_level() -> None:
    levels = per_level(8, "greedy")
    assert [paths.hops.max() for paths in levels] == [1, 2, 2]
    assert [np.bincount(paths.channels).max() for paths in levels] == [1, 2, 2]
    assert [slots(paths) for paths in levels] == [1, 2, 2]


@pytest.mark.parametrize(
    ("routing", "totals", "load_at_1024"),
    [
        ("greedy", [5, 10, 18, 29, 40, 58, 75, 97], 13),
        ("lowest", [5, 11, 18, 30, 42, 60, 77, 101], 14),
    ],
)
def test_slots_over_all_levels(routing: str, totals: list[int], load_at_1024: int) -> None:
    """About m^2 slots with data at home, N = 8..1024, and the largest channel load at 1024."""
    levels = {nodes: per_level(nodes, routing) for nodes in SIZES}
    assert [sum(map(slots, levels[nodes])) for nodes in SIZES] == totals
    assert max(np.bincount(paths.channels).max() for paths in levels[1024]) == load_at_1024


@pytest.mark.parametrize("nodes", SIZES)
def test_largest_hops_of_a_level(nodes: int) -> None:
    """At level j at most min(2(j-1), 2(m-j)+3) hops for j >= 2, and exactly so for m >= 8."""
    m = nodes.bit_length() - 1
    largest = [int(paths.hops.max()) for paths in per_level(nodes, "lowest")]
    bounds = [1] + [min(2 * (j - 1), 2 * (m - j) + 3) for j in range(2, m + 1)]
    assert all(hops <= bound for hops, bound in zip(largest, bounds, strict=True))
    if m >= 8:
        assert largest == bounds


@pytest.mark.parametrize("nodes", [4, 8, 64, 1024])
def test_migration_needs_one_neighbour_step_and_one_unshuffle(nodes: int) -> None:
    """Both directions of the line in one slot, all un-shuffles in another: dilation 1, no conflict."""
    router = Router(senn(nodes))
    assert slots(router.paths(*shifts(nodes, 1))) == 1
    table = router.channels
    moves = [c for c in map(table.unshuffle_channel, range(nodes)) if c is not None]
    assert slots(Paths(np.arange(len(moves) + 1), np.array(moves))) == 1


def test_slots_by_hand() -> None:
    """First come, first served, the lower message of equals: three messages, worked out on paper.

    0: channels 0, 1; 1: channels 0, 1; 2: channel 1. Slot 1 serves message 0 on 0 and 2 on 1; slot 2
    serves 1 on 0 and 0 on 1; slot 3 serves 1 on 1.
    """
    assert slots(Paths(np.array([0, 2, 4, 5]), np.array([0, 1, 0, 1, 1]))) == 3


def test_slots_serve_the_earlier_arrival_before_the_lower_message() -> None:
    """0: channels 3, 2, 0; 1: 1, 0; 2: 1, 0, 4: message 1 is at channel 0 in slot 1, 2 and 0 in slot 2.

    In slot 3 channel 0 serves 0 (the lower of equal arrivals), then 2, which needs channel 4 in slot 5.
    """
    assert slots(Paths(np.array([0, 3, 5, 8]), np.array([3, 2, 0, 1, 0, 1, 0, 4]))) == 5


def test_no_messages_need_no_slot() -> None:
    router = Router(senn(8))
    assert slots(router.paths([], [])) == 0
    assert slots(router.paths([3, 5], [3, 5])) == 0
    assert slots(Router(senn(1)).paths([0], [0])) == 0


def test_neighbours_are_routed_without_a_distance_table() -> None:
    """65536 nodes: the line in one slot; the table would have 4.3e9 entries."""
    router = Router(senn(1 << 16))
    assert slots(router.paths(*shifts(1 << 16, 1))) == 1
    assert "distances" not in vars(router)


def test_bad_routes_are_refused() -> None:
    with pytest.raises(InputError, match=re.escape("node 8 is outside the network: its nodes are 0..7")):
        Router(senn(8)).paths([0, 8], [1, 2])
    with pytest.raises(InputError, match=re.escape("node -1 is outside the network")):
        Router(senn(8)).paths([0], [-1])
    with pytest.raises(InputError, match='routing "random" is not supported yet: choose lowest or greedy'):
        Router(senn(8), "random")
    cut = senn(8)
    cut.remove_edges_from([(0, 1, "exchange:0-1")])
    with pytest.raises(InputError, match="no path leads from node 0 to node 5"):
        Router(cut).paths([0], [5])

"""Routes: shortest ones, those by formula, and the tables of routed odd-even elimination traffic.

Expected: paths and distances by networkx, rules of the textbooks read off one by one, and tables computed
once by a separate program for the design of the emulator.
"""

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from experiments.machine.networks import per_level
from senn.base.errors import InputError
from senn.machine.network import named as networks
from senn.machine.network.named import network, senn, shape
from senn.machine.network.routing import Router
from senn.machine.network.topology import Integers, Paths, slots
from senn.machine.placing.allocation import gray, identity, morton, snake
from senn.machine.placing.messages import exchanges

SIZES = (8, 16, 32, 64, 128, 256, 512, 1024)
Placement = Callable[[int], Integers]  # the node of every row


def every_pair(nodes: int) -> tuple[Integers, Integers]:
    sources, targets = np.divmod(np.arange(nodes * nodes), nodes)
    return sources, targets


def stops(router: Router, path: Integers, source: int) -> list[int]:
    """The nodes that a message visits; its channels must join end to end."""
    ends = list(
        zip(router.channels.source[path].tolist(), router.channels.target[path].tolist(), strict=True)
    )
    assert all(before[1] == after[0] for before, after in pairwise(ends))
    assert not ends or ends[0][0] == source
    return [source, *(b for _, b in ends)]


# --------------------------------------------------------------------------- shortest routes

EXAMPLES = [*((name, 16) for name in networks.NETWORKS), ("senn", 22), ("mesh", 15), ("ring", 9)]


def test_distances_along_one_way_wires() -> None:
    """Forward shuffles only: the way back is longer, and the table is that of the directed graph."""
    found = senn(64, "forward")
    distances = Router(found).distances
    assert (distances != distances.T).any()
    for p, row in nx.all_pairs_shortest_path_length(nx.DiGraph(found.graph())):
        assert [row[q] for q in range(64)] == distances[p].tolist()


def test_a_table_of_distances_in_blocks_of_targets() -> None:
    """2,000 nodes on a ring: four blocks of 524 targets, distances min(d, N - d)."""
    apart = np.arange(2000)
    expected = np.minimum(apart, 2000 - apart)
    distances = Router(network("ring", 2000)).distances
    for p in (0, 523, 524, 1999):
        np.testing.assert_array_equal(np.roll(distances[:, p], -p), expected)


@pytest.mark.parametrize(("name", "nodes"), EXAMPLES)
@pytest.mark.parametrize("routing", ["lowest", "greedy"])
def test_routes_are_connected_and_minimal(name: str, nodes: int, routing: str) -> None:
    """Every pair of nodes: the channels join end to end and are as many as the distance by networkx."""
    router = Router(network(name, nodes), routing)
    sources, targets = every_pair(nodes)
    paths = router.paths(sources, targets)
    length = dict(nx.all_pairs_shortest_path_length(nx.DiGraph(router.channels.graph())))
    assert len(paths) == nodes * nodes
    for path, p, q in zip(paths, sources.tolist(), targets.tolist(), strict=True):
        assert len(path) == length[p][q]
        assert stops(router, path, p)[-1] == q


def test_lowest_takes_the_lowest_neighbour_on_a_shortest_path() -> None:
    """Against networkx's list of all shortest paths: lexicographically the first, for all pairs of 16."""
    router = Router(senn(16))
    simple = nx.Graph(router.channels.graph())
    for p in range(16):
        for q in range(16):
            (path,) = router.paths([p], [q])
            assert stops(router, path, p) == min(nx.all_shortest_paths(simple, p, q))


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
    simple = nx.Graph(senn(16).graph())
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


# ---------------------------------------------------------------------------- by formula


def test_e_cube_corrects_the_lowest_bit_first() -> None:
    """All pairs of 32 nodes: as many hops as bits differ, and bits change in ascending order."""
    router = Router(network("hypercube", 32), "e-cube")
    sources, targets = every_pair(32)
    for path, p, q in zip(router.paths(sources, targets), sources.tolist(), targets.tolist(), strict=True):
        found = stops(router, path, p)
        assert found[-1] == q
        changed = [a ^ b for a, b in pairwise(found)]
        assert changed == [1 << k for k in range(5) if (p ^ q) >> k & 1]


@pytest.mark.parametrize(("name", "nodes"), [("mesh", 32), ("mesh", 15), ("torus", 32), ("torus", 15)])
def test_xy_goes_along_the_row_first(name: str, nodes: int) -> None:
    """All pairs: a shortest path that never changes its row before it is in the right column."""
    router = Router(network(name, nodes), "xy")
    sources, targets = every_pair(nodes)
    paths = router.paths(sources, targets)
    assert paths.hops.tolist() == Router(router.channels).distances[sources, targets].tolist()
    for path, p, q in zip(paths, sources.tolist(), targets.tolist(), strict=True):
        found = stops(router, path, p)
        assert found[-1] == q
        kinds = [router.channels.kind[c] for c in path]
        assert kinds == sorted(kinds, key=("row", "column").index)


def test_xy_goes_up_where_both_ways_round_are_equal() -> None:
    """A torus of 4 x 4: from 0 to 2 by 1, from 2 to 0 by 3, from 0 to 8 by 4."""
    router = Router(network("torus", 16), "xy")
    assert shape(16) == (4, 4)
    for p, q, by in ((0, 2, 1), (2, 0, 3), (0, 8, 4), (8, 0, 12), (0, 3, None), (3, 0, None)):
        (path,) = router.paths([p], [q])
        assert stops(router, path, p) == ([p, q] if by is None else [p, by, q])


@pytest.mark.parametrize("m", range(1, 8))
def test_conjugate_unshuffles_steps_and_shuffles_back(m: int) -> None:
    """For every shift by +-2^b: the nodes on the way, written as bits and turned one by one."""
    nodes = 1 << m
    router = Router(senn(nodes), "conjugate")
    for b in range(m):
        sources, targets = exchanges(1 << b, *[np.arange(nodes)] * 2)
        paths = router.paths(sources, targets)
        assert paths.hops.max() <= 2 * min(b, m - b) + 1
        for path, p, q in zip(paths, sources.tolist(), targets.tolist(), strict=True):
            assert stops(router, path, p) == _turned(p, q, b, m)


def _turned(p: int, q: int, b: int, m: int) -> list[int]:
    """p and q turned b places to the right are neighbours; turned m - b places to the left as well."""
    right = b <= m - b
    way = [format(p, f"0{m}b")]
    back = [format(q, f"0{m}b")]
    for _ in range(min(b, m - b)):
        for one in (way, back):
            bits = one[-1]
            one.append(bits[-1] + bits[:-1] if right else bits[1:] + bits[0])
    whole = [int(bits, 2) for bits in [*way, *reversed(back)]]
    return [whole[0], *(b for a, b in pairwise(whole) if a != b)]


@pytest.mark.parametrize("m", range(1, 7))
def test_bit_by_bit_shuffles_and_exchanges(m: int) -> None:
    """All pairs: by shuffle-exchange wires to the target; of uniform shifts 2m hops at most."""
    router = Router(network("shuffle-exchange", 1 << m), "bit-by-bit")
    sources, targets = every_pair(1 << m)
    for path, p, q in zip(router.paths(sources, targets), sources.tolist(), targets.tolist(), strict=True):
        assert stops(router, path, p)[-1] == q
        assert len(path) <= 2 * m + m // 2


def test_bit_by_bit_by_hand() -> None:
    """8 nodes, 001 -> 011, b = 1: shuffle to 010, its last bit 0 as wanted, to 100, exchange to 101; home by
    one shuffle to 011. 101 -> 100, b = 0: shuffle to 011, 110, 101, exchange to 100, and that is home."""
    router = Router(network("shuffle-exchange", 8), "bit-by-bit")
    one, two = router.paths([1, 5], [3, 4])
    assert stops(router, one, 1) == [1, 2, 4, 5, 3]
    assert stops(router, two, 5) == [5, 3, 6, 5, 4]


def test_formulas_need_no_table() -> None:
    """All messages of one level, SENN with 65,536 nodes: no table of distances, hops as the formula says."""
    cases = (("senn", "conjugate", 16, 11), ("hypercube", "e-cube", 12, 7), ("torus", "xy", 12, 33))
    for name, routing, m, hops in cases:
        router = Router(network(name, 1 << m), routing)
        assert router.paths(*exchanges(1 << 5, *[np.arange(1 << m)] * 2)).hops.max() == hops
        assert "distances" not in vars(router)


# ------------------------------------------------------------------------ tables of the traffic


def load(paths: Paths) -> int:
    """The most messages on a channel."""
    return int(np.bincount(paths.channels).max())


TABLE = [
    ("senn", "lowest", identity, [5, 11, 18, 30, 42, 60, 77, 101], 14, 10),
    ("senn", "greedy", identity, [5, 10, 18, 29, 40, 58, 75, 97], 13, 10),
    ("senn", "conjugate", identity, [8, 17, 26, 39, 52, 69, 86, 107], 20, 11),
    ("shuffle-exchange", "bit-by-bit", identity, [16, 30, 44, 63, 86, 112, 141, 173], 20, 19),
    ("shuffle-exchange", "greedy", identity, [6, 18, 32, 48, 70, 102, 132, 179], 19, 16),
    ("hypercube", "e-cube", identity, [8, 13, 19, 26, 34, 43, 53, 64], 2, 10),
    ("hypercube", "e-cube", gray, [6, 9, 12, 15, 18, 21, 24, 27], 2, 2),
    ("ring", "lowest", identity, [7, 15, 31, 63, 127, 255], 128, 128),
    ("line", "lowest", identity, [7, 15, 31, 63, 127, 255], 128, 128),
    ("mesh", "xy", identity, [11, 13, 30, 34, 75, 83, 180, 196], 32, 32),
    ("mesh", "xy", snake, [8, 12, 24, 28, 52, 60, 108, 124], 32, 32),
    ("mesh", "xy", morton, [8, 16, 26, 48, 70, 128, 174, 320], 32, 32),
    ("torus", "xy", identity, [8, 10, 17, 21, 34, 42, 67, 83], 32, 17),
    ("full", "lowest", identity, [3, 4, 5, 6, 7, 8, 9, 10], 1, 1),
]


@pytest.mark.parametrize(
    ("name", "routing", "places", "totals", "largest", "hops"),
    TABLE,
    ids=[f"{name}-{routing}-{places.__name__}" for name, routing, places, *_ in TABLE],
)
def test_slots_over_all_levels(
    name: str, routing: str, places: Placement, totals: list[int], largest: int, hops: int
) -> None:
    """Store-and-forward slots of the traffic at home, N = 8..1024, and at the last N the largest channel load
    and the most hops: a step of 2^k, k >= 1, is two in Gray code, half a ring, a row and a column."""
    for nodes, total in zip(SIZES, totals, strict=False):
        levels = per_level(network(name, nodes), routing, places(nodes))
        assert sum(map(slots, levels)) == total
    assert (max(map(load, levels)), max(int(paths.hops.max()) for paths in levels)) == (largest, hops)


@pytest.mark.parametrize("nodes", SIZES)
def test_largest_hops_of_a_level(nodes: int) -> None:
    """At level j at most min(2(j-1), 2(m-j)+3) hops for j >= 2, and exactly so for m >= 8."""
    m = nodes.bit_length() - 1
    largest = [int(paths.hops.max()) for paths in per_level(senn(nodes), "lowest", identity(nodes))]
    bounds = [1] + [min(2 * (j - 1), 2 * (m - j) + 3) for j in range(2, m + 1)]
    assert all(hops <= bound for hops, bound in zip(largest, bounds, strict=True))
    if m >= 8:
        assert largest == bounds


# ----------------------------------------------------------------------------- what is refused


def test_bad_ends_are_refused() -> None:
    with pytest.raises(InputError, match=re.escape("node 8 is outside the network: its nodes are 0..7")):
        Router(senn(8)).paths([0, 8], [1, 2])
    with pytest.raises(InputError, match=re.escape("node -1 is outside the network")):
        Router(senn(8)).paths([0], [-1])


def test_a_graph_that_is_not_connected_is_refused_where_a_route_is_needed(tmp_path: Path) -> None:
    """One way from 0 to 2, none back."""
    path = tmp_path / "one.edges"
    path.write_text("0 1\n1 2\n")
    router = Router(network(str(path), 3))
    assert router.paths([0], [2]).hops.tolist() == [2]
    message = (
        f"no path leads from node 2 to node 0 in network {path}: add a channel, or allocate the processes "
        "elsewhere"
    )
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        router.paths([2], [0])


@pytest.mark.parametrize(
    ("name", "routing", "message"),
    [
        (
            "senn",
            "random",
            'routing "random" is not known: choose lowest, greedy, e-cube, xy, conjugate or bit-by-bit',
        ),
        (
            "senn",
            "e-cube",
            'routing "e-cube" belongs to the network hypercube, not to senn: choose lowest, greedy or '
            "conjugate",
        ),
        (
            "ring",
            "xy",
            'routing "xy" belongs to the network mesh or torus, not to ring: choose lowest or greedy',
        ),
        (
            "hypercube",
            "conjugate",
            'routing "conjugate" belongs to the network senn, not to hypercube: choose lowest, greedy or '
            "e-cube",
        ),
    ],
)
def test_a_routing_of_another_network_is_refused(name: str, routing: str, message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        Router(network(name, 8), routing)


def test_conjugate_refuses_what_it_cannot_route() -> None:
    message = (
        'routing "conjugate" leads to nodes 1, 2, 4, ... further up or down, not from node 1 to node 4: '
        "take routing lowest or greedy, or allocation identity"
    )
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        Router(senn(8), "conjugate").paths([0, 1], [4, 4])
    bits = 'routing "conjugate" turns the bits of an address, so it needs a power of two of nodes, not 6'
    with pytest.raises(InputError, match=re.escape(bits)):
        Router(senn(6), "conjugate")
    ways = 'routing "conjugate" shuffles and un-shuffles, but shuffle = "forward": choose lowest or greedy'
    with pytest.raises(InputError, match=re.escape(ways)):
        Router(senn(8, "forward"), "conjugate")


def test_a_table_that_would_not_fit_is_refused() -> None:
    message = (
        'routing "lowest" over several hops needs a table of all distances, and that of 32,768 nodes does '
        "not fit (at most 16,384): take routing conjugate, residency migrating, whose partners are "
        "neighbours on a senn, or fewer nodes"
    )
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        Router(senn(1 << 15)).paths([0], [5])


def test_slots_of_any_routes() -> None:
    """Against a queue per channel, slot by slot: routes that meet and routes that do not."""
    rng, counts = np.random.default_rng(0), set()
    for _ in range(200):
        routes = [rng.permutation(9)[: rng.integers(0, 4)].tolist() for _ in range(rng.integers(0, 5))]
        offsets = np.cumsum([0, *map(len, routes)])
        queue = [(0, message) for message, route in enumerate(routes) if route]  # (arrived, message)
        slot, at = 0, dict.fromkeys(range(len(routes)), 0)
        while queue:
            slot, served = slot + 1, {}
            for arrived, message in sorted(queue):
                served.setdefault(routes[message][at[message]], (arrived, message))
            for arrived, message in served.values():
                queue.remove((arrived, message))
                at[message] += 1
                queue += [(slot, message)] if at[message] < len(routes[message]) else []
        channels_ = np.array([channel for route in routes for channel in route], dtype=np.int64)
        assert slots(Paths(offsets, channels_)) == slot
        counts.add(slot - max(map(len, routes), default=0))
    assert len(counts) > 1

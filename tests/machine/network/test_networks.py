"""The networks: which wires there are, their measures, sizes that are refused, and graphs from files.

Expected wires: networkx's own generators, and the definitions read off one by one. Expected measures of SENN:
tables computed once by a separate program for the design of the emulator.
"""

import re
from collections.abc import Iterable
from pathlib import Path

import networkx as nx
import pytest

from senn.base.errors import InputError
from senn.machine.network import named as networks
from senn.machine.network.named import NETWORKS, network, senn, shape, shuffle_exchange
from senn.machine.network.topology import Channels

Pairs = set[tuple[int, int]]


def pairs(found: Channels) -> Pairs:
    """All (source, target); none twice but for shuffle wires."""
    return set(zip(found.source.tolist(), found.target.tolist(), strict=True))


def both_ways(edges: Iterable[tuple[int, int]]) -> Pairs:
    return {pair for a, b in edges for pair in ((a, b), (b, a))}


def relabelled(grid: nx.Graph, columns: int) -> Pairs:
    return both_ways((r * columns + c, s * columns + d) for (r, c), (s, d) in grid.edges)


@pytest.mark.parametrize("nodes", [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 36, 64, 97, 256])
def test_networks_are_those_of_networkx(nodes: int) -> None:
    """Ring, line, mesh, torus, fully connected and hypercube have the edges of networkx's generators."""
    rows, columns = shape(nodes)
    wraps = [size > 2 for size in (rows, columns)]
    expected = {
        "ring": nx.cycle_graph(nodes) if nodes > 1 else nx.empty_graph(1),
        "line": nx.path_graph(nodes),
        "full": nx.complete_graph(nodes),
        "mesh": nx.grid_2d_graph(rows, columns),
        "torus": nx.grid_2d_graph(rows, columns, periodic=wraps),
    }
    for name, graph in expected.items():
        found = network(name, nodes)
        wanted = relabelled(graph, columns) if name in ("mesh", "torus") else both_ways(graph.edges)
        assert pairs(found) == wanted
        assert len(found) == len(wanted)  # no wire twice
    if nodes & (nodes - 1) == 0:
        m = nodes.bit_length() - 1
        cube = nx.convert_node_labels_to_integers(nx.hypercube_graph(m), ordering="sorted")
        assert pairs(network("hypercube", nodes)) == both_ways(cube.edges)
        assert len(network("hypercube", nodes)) == m * nodes


@pytest.mark.parametrize("way", ["both", "forward", "inverse"])
@pytest.mark.parametrize("line", [True, False])
def test_shuffling_networks_have_the_wires_of_the_figure(way: str, line: bool) -> None:
    """Channel by channel as the figure's caption and the rule p -> 2p mod (N-1) say, in canonical order."""
    for nodes in (1, *range(2, 65, 2), 100, 128, 256):
        found = (senn if line else shuffle_exchange)(nodes, way)
        columns = (found.source.tolist(), found.target.tolist(), found.wire, found.direction)
        assert list(zip(*columns, strict=True)) == by_the_caption(nodes, way, line)


def by_the_caption(nodes: int, way: str, line: bool) -> list[tuple[int, int, str, str]]:
    """Source, target, wire and direction of every channel."""
    wires = [("exchange", a, a + 1) for a in range(0, nodes - 1, 2)]
    if line:
        wires += [("neighbor", a, a + 1) for a in range(1, nodes - 1, 2)]
    wires += [("shuffle", a, 2 * a % (nodes - 1)) for a in range(1, nodes - 1)]
    expected = []
    for kind, a, b in wires:
        if kind != "shuffle" or way != "inverse":
            expected.append((a, b, f"{kind}:{a}-{b}", "forward"))
        if kind != "shuffle" or way != "forward":
            expected.append((b, a, f"{kind}:{a}-{b}", "backward"))
    return expected


# ---------------------------------------------------------------------------- measures of SENN


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
def test_measures_of_senn(
    nodes: int, edges: int, diameter: int, average: float, plain: int, forward_only: int
) -> None:
    """Edges, diameter, mean distance by networkx; plain shuffle-exchange has 2m-1; then one-way wires."""
    simple = nx.Graph(senn(nodes).graph())
    assert simple.number_of_edges() == edges
    lengths = [d for _, row in nx.all_pairs_shortest_path_length(simple) for d in row.values()]
    assert max(lengths) == diameter
    assert round(sum(lengths) / (nodes * (nodes - 1)), 2) == average
    assert nx.diameter(nx.Graph(shuffle_exchange(nodes).graph())) == plain
    assert plain == 2 * (nodes.bit_length() - 1) - 1
    assert nx.diameter(nx.DiGraph(senn(nodes, "forward").graph())) == forward_only
    assert nx.diameter(nx.DiGraph(senn(nodes, "inverse").graph())) == forward_only


# ------------------------------------------------------------------------------------- sizes


@pytest.mark.parametrize(
    ("name", "nodes", "message"),
    [
        ("senn", 7, "the network senn has an even number of nodes, or one, not 7: take 8"),
        (
            "shuffle-exchange",
            3,
            "the network shuffle-exchange has an even number of nodes, or one, not 3: take 4",
        ),
        ("hypercube", 12, "the network hypercube has a power of two of nodes, not 12: take 8 or 16"),
        ("full", 4096, "the network full has 1 to 2,048 nodes here, not 4,096"),
        ("ring", 2**20 + 1, "the network ring has 1 to 1,048,576 nodes here, not 1,048,577"),
        ("mesh", 0, "the network mesh has 1 to 1,048,576 nodes here, not 0"),
    ],
)
def test_sizes_that_a_network_has_not_are_refused(name: str, nodes: int, message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        network(name, nodes)


def test_every_network_may_have_one_node_and_no_wire() -> None:
    for name in NETWORKS:
        assert (network(name, 1).nodes, len(network(name, 1))) == (1, 0)


def test_the_shape_of_a_mesh() -> None:
    """2^floor(m/2) x 2^ceil(m/2) for 2^m nodes, otherwise the divisors nearest to the root."""
    for m in range(12):
        assert shape(2**m) == (2 ** (m // 2), 2 ** (m - m // 2))
    assert [shape(n) for n in (6, 12, 15, 36, 13)] == [(2, 3), (3, 4), (3, 5), (6, 6), (1, 13)]


# ------------------------------------------------------------------------------------- files


def written(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def test_an_edge_list_is_directed_channels(tmp_path: Path) -> None:
    """One channel a line, as networkx writes it; a weight of 1 says nothing, comments are not read."""
    lines = "# a comment\n0 1 {}\n1 2 1.0\n\n2 0 {'color': 3, 'weight': 1}\n2 1 a note, 5 # 0.5\n"
    path = written(tmp_path, "mine.edges", lines)
    found = network(path, 3)
    assert found.network == path
    assert found.wire == ("link:0-1", "link:1-2", "link:2-0", "link:2-1")
    assert set(found.direction) == {"forward"}
    assert found.unshuffles is None
    assert networks.nodes_of(path, 0, 8) == 3


def test_a_written_network_is_read_back(tmp_path: Path) -> None:
    """networkx's GraphML and edge list of a torus have the same channels; kinds of wires are forgotten."""
    graph = network("torus", 12).graph()
    nx.write_graphml(graph, tmp_path / "torus.graphml")
    nx.write_edgelist(graph, tmp_path / "torus.EDGELIST")
    for name in ("torus.graphml", "torus.EDGELIST"):
        found = network(str(tmp_path / name), 12)
        assert sorted(zip(found.source, found.target, strict=True)) == sorted(graph.edges())
        assert set(found.kind) == {"link"}


def test_an_undirected_graph_has_wires_with_two_channels(tmp_path: Path) -> None:
    nx.write_graphml(nx.path_graph(3), tmp_path / "line.graphml")
    found = network(str(tmp_path / "line.graphml"), 3)
    assert found.wire == ("link:0-1", "link:0-1", "link:1-2", "link:1-2")
    assert found.direction == ("forward", "backward") * 2
    assert found.wire_number.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize(
    "lines", ["0 1 3\n", "0 1 {'kind': 'row', 'weight': 3.0}\n", "1 0\n0 1 {'weight': '3x'}"]
)
def test_a_weight_of_an_edge_is_refused(tmp_path: Path, lines: str) -> None:
    """As networkx writes them: a number, a dictionary; and in GraphML below."""
    path = written(tmp_path, "a.edges", lines)
    with pytest.raises(
        InputError, match=r"the edge from node 0 to node 1 has weight 3.*: leave the weight out$"
    ):
        network(path, 2)


@pytest.mark.parametrize("weight", [3, 2.5, 0, "wide"])
def test_a_weight_in_graphml_is_refused(tmp_path: Path, weight: object) -> None:
    graph, path = nx.path_graph(3), str(tmp_path / "a.graphml")
    nx.set_edge_attributes(graph, 1.0, "weight")
    nx.write_graphml(graph, path)
    assert len(network(path, 3)) == 4
    graph.edges[1, 2]["weight"] = weight
    nx.write_graphml(graph, path)
    message = f"{path}: the edge from node 1 to node 2 has weight {weight}, but on all wires a word takes"
    with pytest.raises(InputError, match=f"^{re.escape(message)}"):
        network(path, 3)


@pytest.mark.parametrize("kind", [nx.MultiGraph, nx.MultiDiGraph])
def test_edges_side_by_side_are_refused(tmp_path: Path, kind: type[nx.MultiGraph]) -> None:
    """Directed ones in the two directions are no such pair."""
    path = str(tmp_path / "a.graphml")
    nx.write_graphml(kind([(0, 1), (1, 2), (1, 2)]), path)
    message = f"{path}: a second edge leads from node 1 to node 2, and every message would take the first"
    with pytest.raises(InputError, match=f"^{re.escape(message)}"):
        network(path, 3)
    nx.write_graphml(nx.MultiDiGraph([(0, 1), (1, 0)]), path)
    assert len(network(path, 2)) == 2
    both = written(tmp_path, "a.edges", "0 1\n1 0\n0 1 # again")
    with pytest.raises(InputError, match="a second edge leads from node 0 to node 1"):
        network(both, 2)


def test_a_written_senn_is_read_without_its_parallel_wires(tmp_path: Path) -> None:
    """As the message says: networkx.DiGraph keeps one edge of each direction between two nodes."""
    path, graph = str(tmp_path / "senn.graphml"), network("senn", 8).graph()
    nx.write_graphml(graph, path)
    with pytest.raises(InputError, match="a second edge leads from node 1 to node 2"):
        network(path, 8)
    nx.write_graphml(nx.DiGraph(graph), path)
    merged = network("senn", 8, merge_parallel=True)
    assert len(network(path, 8)) == len(merged)


BOMB = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b">]><graphml>&a;</graphml>'


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.edges", "", "the graph has no nodes: write at least one"),
        ("a.edges", "0 1\n1", 'line 2 is "1": write two nodes, from and to'),
        ("a.edges", "0 x", 'line 1: node "x": name the nodes 0, 1, 2, ... without gaps'),
        ("a.edges", "0 -1", 'line 1: node "-1": name the nodes 0, 1, 2, ... without gaps'),
        ("a.edges", "0 5\n5 0", "the graph has 2 nodes, but none of them is 1: name them 0..1"),
        ("a.edges", "0 1\n1 1", "an edge leads from node 1 to itself: leave it out, nothing uses it"),
        ("a.graphml", "<graphml>", "this is no GraphML that networkx reads: ParseError no element found"),
        (
            "a.graphml",
            "<a/>",
            "this is no GraphML that networkx reads: NetworkXError file not successfully read",
        ),
        ("a.graphml", BOMB, "this is no GraphML that networkx reads: EntitiesForbidden"),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, name: str, text: str, message: str) -> None:
    path = written(tmp_path, name, text)
    with pytest.raises(InputError, match="^" + re.escape(f"{path}: {message}")):
        network(path, 2)


def test_nodes_with_other_names_are_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "a.graphml")
    nx.write_graphml(nx.DiGraph([("left", "right")]), path)
    message = f'{path}: node "left": name the nodes 0, 1, 2, ... without gaps'
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        network(path, 2)


def test_files_that_cannot_be_read_and_other_sizes_are_refused(tmp_path: Path) -> None:
    missing = str(tmp_path / "none.edges")
    with pytest.raises(InputError, match=re.escape(f"{missing}: no such file")):
        network(missing, 2)
    (tmp_path / "b.edges").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match=r"b.edges: cannot be read \(not a text file"):
        network(str(tmp_path / "b.edges"), 2)
    path = written(tmp_path, "c.edges", "0 1\n1 0")
    message = f"{path}: the graph has 2 nodes, not 3: leave machine.nodes out, or write 0"
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        network(path, 3)

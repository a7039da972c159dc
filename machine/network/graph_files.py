"""Networks of one's own: a graph file, GraphML or an edge list.

The nodes are named 0..N-1. An edge list has one directed channel a line, "a b"; anything more on the line,
and what follows a #, is not read. In GraphML an edge of a directed graph is one channel, an edge of an
undirected graph a wire with two, one in each direction. Attributes are not read. Edges may be given several
times: channels side by side.
"""

from __future__ import annotations

import warnings
from io import BytesIO
from typing import NamedTuple

from senn.machine.network.layout import wired
from senn.machine.network.topology import Channels
from senn.traces import files
from senn.traces.errors import InputError

GRAPH_ENDINGS = (".graphml", ".edges", ".edgelist")


def is_graph_file(network: str) -> bool:
    """Whether the network of a machine is the path of a graph file."""
    return network.lower().endswith(GRAPH_ENDINGS)


def read_graph(path: str) -> Channels:
    """The channels of a graph file, all of kind "link"; the name of the network is the path as given."""
    graph = _graphml(path) if path.lower().endswith(".graphml") else _edge_list(path)
    nodes = len(graph.nodes)
    if not nodes:
        raise InputError(f"{path}: the graph has no nodes: write at least one")
    if missing := set(range(nodes)) - graph.nodes:
        raise InputError(
            f"{path}: the graph has {nodes} nodes, but none of them is {min(missing)}: "
            f"name them 0..{nodes - 1}"
        )
    for a, b in graph.edges:
        if a == b:
            raise InputError(f"{path}: an edge leads from node {a} to itself: leave it out, nothing uses it")
    sources, targets = ([edge[end] for edge in graph.edges] for end in (0, 1))
    return wired(path, nodes, [("link", sources, targets)], one_way=graph.directed)


class _Graph(NamedTuple):
    nodes: set[int]
    edges: list[tuple[int, int]]
    directed: bool


def _graphml(path: str) -> _Graph:
    import networkx as nx
    from defusedxml import ElementTree as defused

    content = files.content(path)
    try:
        defused.fromstring(content)  # refuses entities; networkx reads any XML
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about attributes, which are not read
            graph = nx.read_graphml(BytesIO(content))
    except Exception as error:  # networkx trusts a file: whatever it stumbles on is its reader's message
        reason = " ".join(f"{type(error).__name__} {error}".split())
        raise InputError(f"{path}: this is no GraphML that networkx reads: {reason}") from None
    edges = [(_node(path, a), _node(path, b)) for a, b in graph.edges()]
    return _Graph({_node(path, p) for p in graph}, edges, graph.is_directed())


def _edge_list(path: str) -> _Graph:
    edges = []
    for number, line in enumerate(files.text(path).splitlines(), start=1):
        words = line.partition("#")[0].split()
        if len(words) == 1:
            raise InputError(f'{path}: line {number} is "{words[0]}": write two nodes, from and to')
        if words:
            where = f"{path}: line {number}"
            edges.append((_node(where, words[0]), _node(where, words[1])))
    return _Graph({node for edge in edges for node in edge}, edges, True)


def _node(where: str, name: str) -> int:
    if not (name.isascii() and name.isdigit() and len(name) < 10):
        raise InputError(f'{where}: node "{name}": name the nodes 0, 1, 2, ... without gaps')
    return int(name)

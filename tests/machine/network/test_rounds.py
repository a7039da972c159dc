"""Bounds of rounds, by spreading what each node knows over small graphs, and over all graphs of few nodes."""

from itertools import combinations

import numpy as np
import pytest

import senn
from experiments.machine.least_rounds import least_of_degree, least_rounds
from senn.algorithms.programs import star, variants
from senn.machine.model import Machine
from senn.machine.network.named import network, ring
from senn.machine.network.named import senn as paper
from senn.machine.network.topology import Channels
from tests.machine.small_programs import machine

ROUNDS = machine(startup=1, post=0).with_settings({"timing.add": 0})
"""A message takes a round on a channel, and nothing else takes any time."""


def spread(edges: set[tuple[int, int]], nodes: int) -> int:
    """Rounds until all know everything, each telling all of its neighbours what it knows; 99 if never."""
    known = [{node} for node in range(nodes)]
    for rounds in range(nodes + 1):
        if all(len(one) == nodes for one in known):
            return rounds
        known = [known[a].union(*(known[b] for b in range(nodes) if (b, a) in edges)) for a in range(nodes)]
    return 99


@pytest.mark.parametrize("found", [paper(4), paper(8), paper(16), ring(6), paper(8, "forward")], ids=str)
def test_what_spreads_from_neighbour_to_neighbour_takes_as_long(found: Channels) -> None:
    edges = set(zip(found.source.tolist(), found.target.tolist(), strict=True))
    assert least_rounds(found) == spread(edges, found.nodes)


def test_some_places_may_be_nearer() -> None:
    """On a ring of 8, nodes 0, 1 and 2 are within two rounds; all, within four."""
    assert (least_rounds(ring(8), np.array([0, 1, 2])), least_rounds(ring(8))) == (2, 4)


@pytest.mark.parametrize("nodes", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("degree", [2, 3, 4])
def test_no_graph_of_so_many_nodes_and_wires_is_quicker(nodes: int, degree: int) -> None:
    """All graphs of up to five nodes; the bound is met by one of them."""
    pairs = list(combinations(range(nodes), 2))
    best = 99
    for chosen in range(2 ** len(pairs)):
        wires = [pair for k, pair in enumerate(pairs) if chosen >> k & 1]
        ends = np.array(wires, dtype=int).reshape(-1)
        if np.bincount(ends, minlength=1).max() <= degree:
            best = min(best, spread({*wires, *((b, a) for a, b in wires)}, nodes))
    assert best == least_of_degree(nodes, degree)


def test_petersens_graph_meets_the_bound_and_an_eleventh_node_does_not() -> None:
    assert (least_of_degree(10, 3), least_of_degree(11, 3)) == (2, 3)


@pytest.mark.fast(every=1)
@pytest.mark.parametrize("n", [2, 5, 8, 16])
@pytest.mark.parametrize("residency", ["home", "migrating"])
def test_no_program_ends_sooner(n: int, residency: str) -> None:
    """Where a channel takes a round and nothing else takes time, the makespan is the rounds of a program."""
    on: Machine = ROUNDS
    bound = least_rounds(network(on.network, on.nodes_for((n - 1).bit_length())), np.arange(n))
    for program in (
        variants.closed_chain(n),
        variants.closed_chain(n, "short", motion="jets"),
        star.program(n),
    ):
        assert senn.timed(program, on, residency).summary["makespan"] >= bound

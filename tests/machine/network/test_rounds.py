"""Bounds of rounds, by spreading what each node knows over small graphs."""

import pytest

import senn
from senn.algorithms.programs import star, variants
from senn.machine.model import Machine
from senn.machine.network.measures import measures
from senn.machine.network.named import network, ring
from senn.machine.network.named import senn as paper
from senn.machine.network.routing import Router
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
    assert measures(found).diameter == spread(edges, found.nodes)


@pytest.mark.fast(every=1)
@pytest.mark.parametrize("n", [2, 5, 8, 16])
@pytest.mark.parametrize("residency", ["home", "migrating"])
def test_no_program_ends_sooner(n: int, residency: str) -> None:
    """Where a channel takes a round and nothing else takes time, the makespan is the rounds of a program.

    Every acceleration depends on every torque, so these are no fewer than the farthest processes are apart.
    """
    on: Machine = ROUNDS
    bound = Router(network(on.network, on.nodes_for((n - 1).bit_length()))).distances[:n, :n].max()
    for program in (
        variants.closed_chain(n),
        variants.closed_chain(n, "short", motion="jets"),
        star.program(n),
    ):
        assert senn.timed(program, on, residency).summary["makespan"] >= bound

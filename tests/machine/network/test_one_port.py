"""Slots with one port a node, by a second scheduler that knows neither NumPy nor queues.

And what becomes of them if a node serves otherwise: the figures of networks.md.
"""

import numpy as np
import pytest

from senn.machine.network.named import network, senn
from senn.machine.network.routing import Router
from senn.machine.network.topology import Channels, Paths, slots
from tests.machine.network.level_traffic import per_level


def served(paths: Paths, found: Channels, *, wait: bool) -> int:
    """Slots until all have arrived, one out and one in per node.

    In the order (arrival, message) whoever can go does; with `wait` a node sends nothing before what came to
    it first.
    """
    routes = [paths[k].tolist() for k in range(len(paths))]
    ends = list(zip(found.source.tolist(), found.target.tolist(), strict=True))
    here = {k: 0 for k, route in enumerate(routes) if route}  # message: hops behind it
    came = dict.fromkeys(here, 0)
    slot = 0
    while here:
        slot += 1
        senders: set[int] = set()
        receivers: set[int] = set()
        for k in sorted(here, key=lambda k: (came[k], k)):
            sender, receiver = ends[routes[k][here[k]]]
            free = sender not in senders and receiver not in receivers
            if free or wait:
                senders.add(sender)
            if free:
                receivers.add(receiver)
                here[k], came[k] = here[k] + 1, slot
                if here[k] == len(routes[k]):
                    del here[k]
    return slot


@pytest.mark.parametrize(
    ("name", "routing", "going", "waiting"),
    [
        ("senn", "greedy", [10, 21, 35, 59], [11, 23, 38, 60]),
        ("senn", "conjugate", [13, 24, 34, 51], [13, 24, 37, 54]),
        ("hypercube", "e-cube", [8, 13, 19, 26, 34, 43], [8, 13, 19, 26, 34, 43]),
        ("torus", "xy", [9, 13, 22, 28], [9, 13, 22, 28]),
        ("full", "lowest", [5, 7, 9, 11, 13, 15], [5, 7, 9, 11, 13, 15]),  # 2m-1
    ],
)
def test_slots_with_one_port_depend_on_whom_a_node_serves(
    name: str, routing: str, going: list[int], waiting: list[int]
) -> None:
    """Odd-even elimination with data at home, from 8 nodes on."""
    for nodes, most, more in zip((8, 16, 32, 64, 128, 256), going, waiting, strict=False):
        found = network(name, nodes)
        levels = per_level(found, routing)
        assert sum(slots(paths, found) for paths in levels) == most
        assert sum(served(paths, found, wait=False) for paths in levels) == most
        assert sum(served(paths, found, wait=True) for paths in levels) == more


def test_one_port_is_served_in_the_order_of_arrival_and_message() -> None:
    """On random routes of a network of 32 nodes."""
    random = np.random.default_rng(5)
    for _ in range(5):
        paths = Router(senn(32)).paths(random.integers(0, 32, 40), random.integers(0, 32, 40))
        assert slots(paths, senn(32)) == served(paths, senn(32), wait=False)

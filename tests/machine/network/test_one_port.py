"""Slots with one port a node, by a second scheduler that knows neither NumPy nor queues."""

import numpy as np

from senn.machine.network.named import senn
from senn.machine.network.routing import Router
from senn.machine.network.topology import Channels, Paths, slots


def served(paths: Paths, found: Channels) -> int:
    """Slots until all have arrived, one out and one in per node: in the order (arrival, message) whoever
    can go does."""
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
            if sender not in senders and receiver not in receivers:
                senders.add(sender)
                receivers.add(receiver)
                here[k], came[k] = here[k] + 1, slot
                if here[k] == len(routes[k]):
                    del here[k]
    return slot


def test_one_port_is_served_in_the_order_of_arrival_and_message() -> None:
    """On random routes of a network of 32 nodes."""
    random = np.random.default_rng(5)
    for _ in range(5):
        paths = Router(senn(32)).paths(random.integers(0, 32, 40), random.integers(0, 32, 40))
        assert slots(paths, senn(32)) == served(paths, senn(32))

"""Slots with one port a node: what goes, and what is held back."""

import numpy as np

from experiments.machine.networks import one_port_slots, per_level
from senn.machine.network.named import hypercube, senn
from senn.machine.network.routing import Router
from senn.machine.network.topology import slots
from senn.machine.placing.allocation import gray


def test_slots_with_one_port_by_hand() -> None:
    """Four nodes, messages 0: 1 -> 2 -> 3, 1: 1 -> 0, 2: 3 -> 2 -> 1, 3: 0 -> 1, worked out on paper.

    With all ports: slot 1 serves all first hops, slot 2 the others. With one: slot 1 serves 0; 1 waits for
    the sender 1, 2 for the receiver 2, and 3 goes although it stands behind them. In slot 2 all three go: 1,
    2 to node 2, and 0 from there. Slot 3 serves the second hop of 2.
    """
    network = senn(4)
    paths = Router(network).paths(np.array([1, 1, 3, 0]), np.array([3, 0, 1, 1]))
    assert paths.hops.tolist() == [2, 1, 2, 1]
    assert (slots(paths), one_port_slots(network, paths)) == (2, 3)


def test_one_port_slots_in_gray_code() -> None:
    """One message out and one in per node and slot: 4(m-1)."""
    for nodes in (8, 16, 32, 64, 128, 256):
        levels = per_level(found := hypercube(nodes), "e-cube", gray(nodes))
        assert sum(one_port_slots(found, paths) for paths in levels) == 4 * (nodes.bit_length() - 2)

"""Queues as running maxima, at times so long that a lift above every queue before would not fit 64 bits."""

import numpy as np
import pytest

from senn.machine.engines.queues import Hops, solve


def queues(arrived: list[int], service: int) -> Hops:
    """At each of three servers one message for every arrival; ids rise from server to server."""
    size = 3 * len(arrived)
    ids = np.arange(size)
    return Hops(
        hop=ids,
        message=ids,
        server=np.repeat(np.arange(3), len(arrived)),
        service=np.full(size, service),
        onward=np.full(size, service),
        urgency=np.zeros(size, dtype=np.int64),
        first=np.ones(size, dtype=bool),
        arrived=np.tile(np.array(arrived, dtype=np.int64), 3),
    )


@pytest.mark.parametrize("last", [100, 4 * 10**18])
def test_each_queue_is_served_by_itself(last: int) -> None:
    """Two messages arrive at cycle 0 and two at the last one, and each takes 10 cycles."""
    hops = queues([0, 0, last, last], 10)
    starts = solve(hops, np.zeros(3, dtype=np.int64), by_urgency=False)
    assert starts.reshape(3, 4).tolist() == 3 * [[0, 10, last, last + 10]]

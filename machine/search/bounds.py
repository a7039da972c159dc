"""Below what no renaming of a schedule's nodes can come: proved lower bounds of its makespan.

All of them hold for every placement that a renaming of the nodes makes from the given schedule (of data at
home: every static placement of one process per node), for every routing, for one port or all, full or half
duplex, and any order in which a channel serves: these only add to what is counted here.

*Free network.* The durations of tasks and their order in each array do not depend on the nodes, and a message
arrives not before it is posted. So the longest path through tasks, and messages that take no time, is a bound
(T0).

*One hop.* Processes on different nodes of the schedule are on different nodes of every renaming. A message
between them crosses a channel at least, and one to another array the vertical channels between. The longest
path grows with every crossing, so the longest path with these is a bound.

*Dilation.* `senn.machine.search.dilation`: some partners are further away than one hop in every renaming.

*Channel load.* `senn.machine.search.channel_load`: a node has so many channels, and its messages take turns.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from senn.machine.model import Machine
from senn.machine.network.routing import Router
from senn.machine.placing.schedule import Schedule
from senn.machine.search.channel_load import channel_load
from senn.machine.search.dilation import dilation
from senn.machine.search.precedence import precedence
from senn.traces.errors import InputError


@dataclass(frozen=True)
class Bound:
    """No placement ends before `cycles`."""

    name: str
    cycles: int
    because: str


def bounds(schedule: Schedule, machine: Machine) -> tuple[Bound, ...]:
    """Lower bounds of the makespan of every renaming of the schedule's nodes, as the module proves them.

    Raises InputError where they are not proved: control other than simd.
    """
    order = precedence(schedule, machine)
    apart = order.hops(1 - np.eye(order.nodes, dtype=np.int64), np.arange(order.nodes)[None])[0]
    free, one_hop = order.makespan(np.zeros_like(apart)), order.makespan(apart)
    channels = schedule.wiring.channels
    return (
        Bound("free network", int(free[0]), "computing and posting take so long when messages take no time"),
        Bound("one hop", int(one_hop[0]), "a message between different nodes crosses a channel at least"),
        Bound("dilation", *dilation(order, distances(schedule))),
        Bound("channel load", *channel_load(order, apart[:, 0], channels, machine)),
    )


def distances(schedule: Schedule) -> NDArray[np.int16]:
    """(N, N) hops between the nodes of one array. Refuses a network that does not join all of them."""
    channels = schedule.wiring.channels
    found: NDArray[np.int16] = Router(channels).distances
    if len(cut := np.argwhere(found < 0)):
        raise InputError(
            f"network {channels.network}: no path leads from node {cut[0][0]} to node {cut[0][1]}, so not "
            "every placement can be routed: add a channel"
        )
    return found

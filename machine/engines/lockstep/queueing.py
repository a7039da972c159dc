"""The traffic of some arrays on channels that no other array uses, solved as a whole again and again."""

from __future__ import annotations

import numpy as np

from senn.machine.durations import Durations
from senn.machine.engines.lockstep.queues import Hops, solve
from senn.machine.engines.times import Travel
from senn.machine.model import Machine
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule

NEVER = np.iinfo(np.int64).max


class Network:
    """The messages of some arrays on their way. `travel` and `final` are shared by all networks.

    Arrivals and starts are by what has been posted so far; arrivals are exact where `final`.
    """

    def __init__(
        self,
        schedule: Schedule,
        machine: Machine,
        durations: Durations,
        server: Integers,
        travel: Travel,
        final: Integers,
    ) -> None:
        self.paths = schedule.messages.paths
        self.by_urgency = machine.discipline != "fifo"
        self.durations, self.onward, self.delivery = durations, durations.onward, durations.delivery
        self.server = server  # of every channel
        self.free = np.zeros(len(schedule.wiring), dtype=np.int64)
        self.travel, self.final = travel, final
        self.pending: list[Hops] = []
        self.solved = True

    def post(self, messages: range | Integers, cycle: int) -> None:
        """Messages enter the network; those without a hop, or of no length, have arrived."""
        ids = np.asarray(messages)
        begin = self.paths.offsets[ids]
        service, hops = self.durations.messages[ids], self.paths.offsets[ids + 1] - begin
        at_once = (hops == 0) | (service == 0)
        self.travel.posted[ids] = cycle
        self.travel.arrived[ids[at_once]] = cycle
        self.final[ids[at_once]] = True
        number = np.arange(hops.sum()) - np.repeat(np.cumsum(hops) - hops, hops)
        hop = np.repeat(begin, hops) + number
        free = np.repeat(at_once, hops)
        for of_hops in (self.travel.queued, self.travel.starts, self.travel.ends):
            of_hops[hop[free]] = cycle
        hop, number, message = hop[~free], number[~free], np.repeat(ids, hops)[~free]
        if not len(hop):
            return
        self.travel.arrived[ids[~at_once]] = NEVER - 1  # not known before the next solution
        onward = self.onward[message]
        self.pending.append(
            Hops(
                hop=hop,
                message=message,
                server=self.server[self.paths.channels[hop]],
                service=self.durations.messages[message],
                onward=onward,
                urgency=self.durations.urgency[message],
                first=number == 0,
                arrived=cycle + self.durations.launch + number * onward,
            )
        )
        self.solved = False

    def solve(self) -> None:
        """Times of all pending hops, if nothing more is posted."""
        if self.solved:
            return
        pending = Hops.joined(self.pending)
        starts = solve(pending, self.free, self.by_urgency)
        self.travel.starts[pending.hop] = starts
        last = np.r_[pending.first[1:], True]
        message = pending.message[last]
        self.travel.arrived[message] = starts[last] + self.delivery[message]
        self.pending = [pending]
        self.solved = True

    def settle(self, cycle: int) -> None:
        """No message will be posted before `cycle`: what is decided before it is final.

        First come first served, a hop that has arrived before has its place in the queue; with priorities it
        is decided when it is granted.
        """
        self.solve()
        if not self.pending:
            return
        (pending,) = self.pending
        done = (self.travel.starts[pending.hop] if self.by_urgency else pending.arrived) < cycle
        if not done.any():
            return
        served = pending.take(done)
        ends = self.travel.starts[served.hop] + served.service
        self.travel.queued[served.hop], self.travel.ends[served.hop] = served.arrived, ends
        np.maximum.at(self.free, served.server, ends)
        last = np.r_[pending.first[1:], True]
        self.final[pending.message[done & last]] = True
        follows = np.r_[False, done[:-1]] & ~pending.first  # now waits at its server
        pending.first = pending.first | follows
        self.pending = [pending.take(~done)] if not done.all() else []

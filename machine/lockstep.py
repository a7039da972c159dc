"""The lockstep engine: the same times and the same numbers as the SimPy engine, on whole arrays at once.

Nothing is simulated message by message. A control unit that stalls posts nothing until the messages it
needs have arrived, so all traffic that can delay them is known when it stalls: one solution of the queues
(`senn.machine.queues`) gives its release exactly. Arrays proceed in the order of their next issue, so a
message from another array is final when it is read. Values are batches over processes; a message carries
the batch it was sent from.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from senn.machine.batches import Batches
from senn.machine.deadlock import Deadlock, who_waits
from senn.machine.durations import Durations, durations
from senn.machine.evaluate import evaluate
from senn.machine.memory import run_of
from senn.machine.model import Machine
from senn.machine.queues import Hops, solve
from senn.machine.record import Times
from senn.machine.schedule import Schedule, Task
from senn.machine.topology import Integers
from senn.traces.errors import InputError
from senn.traces.run import Run
from senn.traces.trace import Detail

NEVER = np.iinfo(np.int64).max


def simulate(
    schedule: Schedule,
    machine: Machine,
    memory: Mapping[str, NDArray[np.float64]] | None,
    *,
    detail: Detail = "full",
    keep_values: bool = False,
) -> Run:
    """Execute a schedule on whole arrays: the run of `senn.machine.events.simulate`, to the cycle and byte.

    Raises Deadlock where that does, and InputError where this engine cannot be exact: one port per node, and
    channels that messages of several arrays share.
    """
    _refuse_inexact(schedule, machine)
    time = durations(schedule, machine)
    times = _Timing(schedule, time).run()
    batches = None if memory is None else _computed(schedule, memory)
    return run_of(schedule, machine, time, times, batches, detail=detail, keep_values=keep_values)


def _refuse_inexact(schedule: Schedule, machine: Machine) -> None:
    if machine.ports != "all":
        raise InputError(
            f'ports = "{machine.ports}": which channels may serve then depends on all others in every cycle; '
            "use the events engine"
        )
    paths = schedule.messages.paths
    array = np.repeat(schedule.messages.source_array, paths.hops)
    first = np.zeros(len(schedule.wiring), dtype=np.int64)
    first[paths.channels] = array
    if np.any(first[paths.channels] != array):
        raise InputError(
            "messages of several arrays share a channel (they pass through an array between them); use the "
            "events engine"
        )


def _computed(schedule: Schedule, memory: Mapping[str, NDArray[np.float64]]) -> Batches:
    """All values, each after those it is made from: in the order of the slots that they fill."""
    batches = Batches(schedule, memory)
    written = {
        int(task.line.writes[0]): task
        for tasks in schedule.tasks
        for task in tasks
        if task.line.writes is not None
    }
    for _, task in sorted(written.items()):
        for lanes, blocks in evaluate(task, batches.gather):
            batches.write(task, lanes, blocks)
    return batches


class Network:
    """The channels that one array's messages use, while a run is in progress."""

    def __init__(self, schedule: Schedule, durations: Durations, starts: Integers) -> None:
        self.paths = schedule.messages.paths
        self.service = durations.messages
        self.starts = starts  # of all hops of all messages, filled in here
        self.free = np.zeros(len(schedule.wiring), dtype=np.int64)
        self.arrival = np.full(len(schedule.messages), NEVER)  # by the latest solution
        self.final = np.zeros(len(schedule.messages), dtype=bool)
        none = np.zeros(0, dtype=np.int64)
        self.pending = Hops(none, none, none, none, none.astype(bool), none)
        self.posted: list[Hops] = []
        self.solved = True

    def post(self, messages: range, cycle: int) -> None:
        """Messages enter the network; those without a hop, or of no length, have arrived."""
        ids = np.arange(messages.start, messages.stop)
        hops = np.diff(self.paths.offsets[messages.start : messages.stop + 1])
        at_once = (hops == 0) | (self.service[ids] == 0)
        self.arrival[ids[at_once]] = cycle
        self.final[ids[at_once]] = True
        begin, end = self.paths.offsets[messages.start], self.paths.offsets[messages.stop]
        hop = np.arange(begin, end)
        message = np.repeat(ids, hops)
        free = np.repeat(at_once, hops)
        self.starts[hop[free]] = cycle
        hop, message = hop[~free], message[~free]
        if not len(hop):
            return
        service = self.service[message]
        number = hop - self.paths.offsets[message]
        guess = cycle + number * service
        channel = self.paths.channels[hop]
        self.posted.append(Hops(hop, message, channel, service, number == 0, guess))
        self.solved = False

    def solve(self) -> None:
        """Times of all pending hops, if nothing more is posted."""
        if self.solved:
            return
        for posted in self.posted:
            self.pending = self.pending.joined(posted)
        self.posted = []
        starts = solve(self.pending, self.free)
        self.starts[self.pending.hop] = starts
        last = np.r_[self.pending.first[1:], True]
        self.arrival[self.pending.message[last]] = (starts + self.pending.service)[last]
        self.solved = True

    def settle(self, cycle: int) -> None:
        """No message will be posted before `cycle`: what queued until then is final."""
        self.solve()
        done = self.pending.arrived <= cycle
        if not done.any():
            return
        served = self.pending.take(done)
        ends = self.starts[served.hop] + served.service
        np.maximum.at(self.free, served.channel, ends)
        last = np.r_[self.pending.first[1:], True]
        self.final[self.pending.message[done & last]] = True
        follows = np.r_[False, done[:-1]] & ~self.pending.first  # now waits at its channel
        self.pending.first = self.pending.first | follows
        self.pending = self.pending.take(~done)


class _Timing:
    """Issue times of all arrays, found in the order of their next issue."""

    def __init__(self, schedule: Schedule, durations: Durations) -> None:
        self.schedule, self.durations = schedule, durations
        self.starts = np.zeros(len(schedule.messages.paths.channels), dtype=np.int64)
        self.networks = [Network(schedule, durations, self.starts) for _ in schedule.tasks]
        self.issues = [np.zeros(len(tasks), dtype=np.int64) for tasks in schedule.tasks]
        self.next = [0] * len(schedule.tasks)
        self.clock = [0] * len(schedule.tasks)  # end of the last instruction of each array
        self.bound = [0] * len(schedule.tasks)  # the array's next issue, by what was known when it was asked
        self.posted = np.zeros(len(schedule.messages), dtype=bool)

    def run(self) -> Times:
        """Issue the array whose next issue is least, until all have ended.

        The bound of an array may be out of date (a message from another array met new traffic on its way);
        it is asked again when its turn comes, and traffic posted later than an arrival cannot change it.
        """
        while (least := min(self.bound)) != NEVER:
            k = self.bound.index(least)
            self.bound[k] = self._issue(k)
            if self.bound[k] == min(self.bound) != NEVER:
                self._execute(k, self.bound[k])
        if waiting := self._waiting():
            raise Deadlock(who_waits(self.schedule, waiting, self._last_cycle()))
        for network in self.networks:
            network.settle(NEVER)
        return Times(tuple(self.issues), self.starts)

    def _waiting(self) -> dict[int, tuple[Task, list[int]]]:
        """By array, the task that never issues and the messages it lacks."""
        found = {}
        for k, (tasks, serial) in enumerate(zip(self.schedule.tasks, self.next, strict=True), 1):
            if serial < len(tasks):
                needs = tasks[serial].needs
                found[k] = (tasks[serial], needs[~self.posted[needs]].tolist())
        return found

    def _last_cycle(self) -> int:
        """When the last message arrived or the last instruction ended."""
        for network in self.networks:
            network.settle(NEVER)
        arrivals = [network.arrival[network.final].max(initial=0) for network in self.networks]
        return int(max(*arrivals, *self.clock))

    def _issue(self, k: int) -> int:
        """When array k issues next by what is known now; NEVER while a message it needs is not posted."""
        if self.next[k] == len(self.schedule.tasks[k]):
            return NEVER
        needs = self.schedule.tasks[k][self.next[k]].needs
        if not len(needs):
            return self.clock[k]
        sources = self.schedule.messages.source_array[needs]
        latest = self.clock[k]
        for source in np.unique(sources).tolist():
            network, mine = self.networks[source - 1], needs[sources == source]
            if not network.final[mine].all():
                if not self.posted[mine].all():
                    return NEVER
                network.solve()
            latest = max(latest, int(network.arrival[mine].max()))
        return latest

    def _execute(self, k: int, issue: int) -> None:
        task = self.schedule.tasks[k][self.next[k]]
        self.issues[k][task.serial] = issue
        if issue > self.clock[k]:  # stalled: all traffic up to here is known
            self.networks[k].settle(issue)
        self.clock[k] = self.bound[k] = issue + self.durations.busy(task)
        self.next[k] += 1
        if len(task.posts):
            self.networks[k].post(task.posts, self.clock[k])
            self.posted[task.posts.start : task.posts.stop] = True
            self.bound = [
                clock if known == NEVER else known
                for known, clock in zip(self.bound, self.clock, strict=True)
            ]

"""Issue times of a long program without an array per message: a queue for each class of channels.

At n = 2^20 the paper's program posts 710 million messages over some 300 classes (`channel_classes`). Where n
is no power of two there are more of them, 68,000 at n = 49,152, and still fewer than channels.

All channels of a class serve the same sequence of arrivals and services. By induction over grants: messages
of a piece are posted together, and channels of a class grant together, so arrivals at the next are equal.
Messages that arrive together are served by id: send after send, and within a send by the node that they come
from: at every channel the node before, then its own, then the node after. So one queue stands for its class,
and one message of a piece for all that begin in a class; a control unit awaits pieces, which are there with
the last of their messages. Nodes 0 and N - 1 have no un-shuffle: their messages pass it in no time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from senn.machine.durations import Durations, instruction_cycles
from senn.machine.engines import slices
from senn.machine.engines.channel_classes import ChannelClasses
from senn.machine.engines.control import Issue
from senn.machine.engines.issue_times import Timing
from senn.machine.engines.queues import NEVER, Granted, Network, as_ids, networks
from senn.machine.engines.record import Times, Travel, flown, instructions
from senn.machine.engines.runs import Piece, Resolved, Unfit, resolved
from senn.machine.model import Machine
from senn.machine.network.named import SHUFFLING
from senn.machine.network.routing import Router
from senn.machine.network.topology import Integers, slots
from senn.machine.placing.schedule import Scores, Task, described
from senn.machine.program import Program
from senn.machine.program.flow import Line
from senn.traces import analysis
from senn.traces.record import Trace
from senn.traces.run import Run

LONGEST = 2**55
NEEDS = (
    "a network with shuffle wires and 2^M nodes for two or more processes, with all arrays at once, full "
    "duplex, all ports, wires at every node, fifo queues, simd control and a DMA"
)
"""What `fits` looks at; what its channels must be is for `ChannelClasses` to say."""


class Timed(NamedTuple):
    """The times of a program on a machine, and its counts."""

    program: Program
    flow: Resolved
    issues: tuple[tuple[int, ...], ...]  # per array, the cycle of every instruction
    summary: dict[str, Any]  # as `senn.traces.analysis.summary` of a whole trace
    scores: Scores


def fits(program: Program, machine: Machine) -> bool:
    """Whether a program has the size, and a machine the settings, that `timed` can do."""
    return (
        program.n > 1
        and machine.network in SHUFFLING
        and machine.nodes in (0, 2**program.levels)
        and not 0 < machine.arrays_at_once < program.arrays
        and (machine.duplex, machine.vertical, machine.ports) == ("full", "node", "all")
        and (machine.control, machine.discipline, machine.dma) == ("simd", "fifo", True)
    )


def timed(program: Program, machine: Machine) -> Timed:
    """The times of the other engines, for the allocation "identity" and the residency "migrating".

    Raises Unfit for a program or machine that classes do not time.
    """
    if not fits(program, machine):
        raise Unfit(f"they need {NEEDS}")
    flow = resolved(program)
    streams, pieces = _control_units(flow, machine)
    service = [machine.message_cycles(piece.words) for piece in pieces]
    launch, passing = machine.launch, machine.passing
    most_hops = program.levels + 1 + program.arrays
    each = (len(x) * (launch + most_hops * (k + passing)) for x, k in zip(pieces, service, strict=True))
    if sum(issue.busy for stream in streams for issue in stream) + sum(each) >= LONGEST:
        raise Unfit(f"machine {machine.name}: its times are too long")
    posts = [line.pieces for stream in flow.streams for line in stream]
    router = Router(machine.network_for(program.levels), machine.routing)
    channels = ChannelClasses(program.levels, program.arrays, posts, router)
    sharing = networks(channels.uses())
    messages = np.array(service, dtype=np.int64)
    durations = Durations((), (), (), messages, np.zeros_like(messages), launch, passing)
    flights = Flights(pieces)
    queues = [Queues(channels, durations, flights, units) for units in np.bincount(sharing).tolist()]
    timing = Timing(streams, queues, sharing, flights.source, flights.travel, flights.final)
    if timing.run():
        raise Unfit("control units wait for each other")
    times, (scores, counts) = timing.times(), counted(channels, posts)
    summary = analysis.summary(instructions(times), {**flights.cycles(times), **counts})
    issues = tuple(tuple(cycles.tolist()) for cycles in times.issues)
    return Timed(program, flow, issues, summary, replace(scores, makespan=summary["makespan"]))


def _control_units(flow: Resolved, machine: Machine) -> tuple[tuple[tuple[Issue, ...], ...], list[Piece]]:
    """Streams of the control units, which post and await pieces; and all pieces, by id."""
    lines = [(a, k, line) for a, stream in enumerate(flow.streams, 1) for k, line in enumerate(stream)]
    pieces = [piece for *_, line in lines for piece in line.pieces]
    needs: dict[tuple[int, int], list[int]] = defaultdict(list)
    for k, piece in enumerate(pieces):
        needs[piece.target_array, piece.reader].append(k)
    streams: list[list[Issue]] = [[] for _ in flow.streams]
    none, posted = np.zeros(0, dtype=np.int32), 0
    for array, serial, line in lines:
        awaited = np.array(needs[array, serial], dtype=np.int64)
        posts = range(posted, posted := posted + len(line.pieces))
        text = Line(line.instruction, array, serial, none)
        task = Task(text, serial, none, (), awaited, line.received, posts, none, none)
        receive = machine.timing.receive * line.received
        cycles = instruction_cycles(line.instruction, machine)
        streams[array - 1].append(Issue(task, receive, cycles, awaited, awaited, posts))
    return tuple(map(tuple, streams)), pieces


def run_of(timed: Timed, machine: Machine, memory: Mapping[str, NDArray[Any]] | None) -> Run:
    """The run of a timed program, of detail summary, with the numbers of `slices`."""
    description = {
        "program": described(timed.program),
        "allocation": {},
        "schedule": {"nodes": 2**timed.program.levels, "network_steps": timed.scores.network_steps},
        "machine": {**machine.describe(), "arrays": timed.program.arrays},
    }
    result = {} if memory is None else slices.results(timed.flow, memory)
    return Run(Trace.from_columns("summary"), description, result, summary=timed.summary)


class Flights:
    """The messages of all pieces; columns by piece."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self.pieces, number, none = pieces, len(pieces), np.zeros(0, dtype=np.int64)
        self.source, self.target = (
            np.array([getattr(piece, name) for piece in pieces], dtype=np.int64)
            for name in ("array", "target_array")
        )
        self.travel = Travel(np.zeros(number, dtype=np.int64), np.full(number, NEVER), none, none, none)
        self.left, self.latest = np.zeros((2, number), dtype=np.int64)  # messages to come, the last arrival
        self.final = np.zeros(number, dtype=bool)
        self.deliveries: list[tuple[int, Integers, Integers]] = []  # piece, cycles, messages of each cycle

    def deliver(self, piece: Integers, arrived: Integers, copies: Integers) -> None:
        for k in np.unique(piece).tolist():
            rows = piece == k
            cycles, at = np.unique(arrived[rows], return_inverse=True)
            messages = np.zeros(len(cycles), dtype=np.int64)
            np.add.at(messages, at, copies[rows])
            self.deliveries.append((k, cycles, messages))
            self.left[k] -= np.count_nonzero(rows)
            self.latest[k] = max(self.latest[k], cycles[-1])
            if not self.left[k]:
                self.final[k], self.travel.arrived[k] = True, self.latest[k]

    def cycles(self, times: Times) -> dict[str, int]:
        """Cycles of messages in flight, exposed, hidden and overlapped."""
        issue, ended = np.zeros((2, len(self.pieces)), dtype=np.int64)  # where the reader was stalled
        for reader, before, cycle, _ in times.timed():
            if cycle > before:
                issue[reader.awaited], ended[reader.awaited] = cycle, before
        none = np.zeros(0, dtype=np.int64)
        arrived, messages = (np.concatenate([none, *(x[k] for x in self.deliveries)]) for k in (1, 2))
        pieces = np.array([k for k, *_ in self.deliveries], dtype=np.int64)
        piece = np.repeat(pieces, [len(cycles) for _, cycles, _ in self.deliveries])
        posted = self.travel.posted[piece]
        since = np.where(arrived == issue[piece], np.maximum(posted, ended[piece]), arrived)
        return flown(self.target[piece], posted, since, arrived, times.issues, times.ends, messages)


class Queues(Network):
    """Queues of classes of channels; its messages are pieces, of several messages each."""

    def __init__(self, channels: ChannelClasses, durations: Durations, flights: Flights, units: int) -> None:
        super().__init__(len(channels.copies), units, durations)
        self.channels, self.flights = channels, flights

    def post(self, messages: range | Integers, cycle: int) -> None:
        assert isinstance(messages, range)
        flights = self.flights
        number, paths, copies = self.channels.crossing([flights.pieces[k] for k in messages])
        flights.travel.posted[messages] = cycle
        flights.left[messages] = np.bincount(number, minlength=len(messages))
        message = number + messages.start
        moves = (paths.hops > 0) & (self.service[message] > 0)
        flights.deliver(message[~moves], np.full(np.count_nonzero(~moves), cycle), copies[~moves])
        begin, end = paths.offsets[:-1][moves], paths.offsets[1:][moves]
        requested = cycle + self.durations.launch
        self.request(message[moves], paths.channels, begin, end, requested, messages.start << 40)

    def expect(self, messages: Integers, arrived: Integers) -> None:
        latest, which = self.flights.travel.arrived, np.unique(messages)
        latest[which] = self.flights.latest[which]
        np.maximum.at(latest, messages, arrived)

    def leave(self, granted: Granted) -> None:
        last = granted.last
        piece = as_ids(granted.message)[last]
        copies = self.channels.copies[granted.server[last]]
        self.flights.deliver(piece, granted.starts[last] + self.delivery[piece], copies)


def counted(channels: ChannelClasses, posts: Iterable[Sequence[Piece]]) -> tuple[Scores, dict[str, int]]:
    """Scores of the allocation "identity", with a process on every node at most; messages, hops and words."""
    dilation = congestion = word_hops = network_steps = messages = hops = words = 0
    in_all = np.zeros(len(channels.copies), dtype=np.int64)
    for pieces in posts:
        number, paths, copies = channels.crossing(pieces)
        sizes = copies * np.array([piece.words for piece in pieces], dtype=np.int64)[number]
        crossed = np.bincount(paths.channels, minlength=len(channels.copies))
        in_all += crossed
        dilation = max(dilation, int(paths.hops.max(initial=0)))
        congestion = max(congestion, int(crossed.max(initial=0)))
        messages, hops = messages + int(copies.sum()), hops + int(copies @ paths.hops)
        words, word_hops = words + int(sizes.sum()), word_hops + int(sizes @ paths.hops)
        network_steps += slots(paths)
    counts = {"messages": messages, "hops": hops, "words": words}
    most = int(in_all.max(initial=0))
    return Scores(dilation, congestion, most, 1, word_hops, network_steps), counts

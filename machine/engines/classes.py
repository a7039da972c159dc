"""Issue times of a long program without an array per message: a queue for each class of channels.

At n = 2^20 the paper's program posts 710 million messages over some 200 classes (`channel_classes`). Where n
is no power of two there are more of them, 60,000 at n = 49,152, and still fewer than channels.

All channels of a class serve the same sequence of arrivals and services. By induction over grants: messages
of a piece are posted together, and channels of a class grant together, so arrivals at the next are equal.
Messages that arrive together are served by id: send after send, and within a send by the node that they come
from: at every channel the node before, then its own, then the node after. So one queue stands for its class
(`channel_classes.Traffic`), and a control unit awaits a maximum over classes.

A control unit posts nothing while it waits, and arrays are timed one after the other, each after those whose
messages it reads or hands on. So all queues, solved as if nothing more were posted, release it exactly; and
at a post, whatever has arrived before has its turn. Nodes 0 and N - 1 have no un-shuffle: their messages pass
it in no time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from senn.machine.durations import instruction_cycles
from senn.machine.engines import slices
from senn.machine.engines.channel_classes import (
    NEVER,
    Arrivals,
    ChannelClasses,
    Delivery,
    Traffic,
    Wave,
)
from senn.machine.engines.record import flown
from senn.machine.engines.runs import IssuedLine, Piece, Resolved, Unfit, resolved
from senn.machine.model import Machine
from senn.machine.network.named import SHUFFLING
from senn.machine.network.routing import Router
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Scores, described
from senn.machine.program import Program
from senn.traces.record import Trace
from senn.traces.run import Run

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
    streams = flow.streams
    lines = [line for stream in streams for line in stream]
    busy = {
        x: machine.timing.receive * x.received + instruction_cycles(x.instruction, machine) for x in lines
    }
    pieces = [piece for line in lines for piece in line.pieces]
    service = {piece: machine.message_cycles(piece.words) for piece in pieces}
    launch, passing = machine.launch, machine.passing
    most_hops = program.levels + 1 + program.arrays
    longest = sum(len(piece) * (launch + most_hops * (service[piece] + passing)) for piece in pieces)
    if sum(busy.values()) + longest >= NEVER:
        raise Unfit(f"machine {machine.name}: its times are too long")
    router = Router(machine.network_for(program.levels), machine.routing)
    channels = ChannelClasses(program.levels, [line.pieces for line in lines], router)
    arrivals: Arrivals = defaultdict(int)
    onward: dict[int, list[Wave]] = {}
    issues: list[list[int]] = [[] for _ in streams]
    ends: list[list[int]] = [[] for _ in streams]
    deliveries: list[Delivery] = []
    for array in _in_order(pieces, len(streams)):
        traffic, clock = Traffic(channels, [array], arrivals, onward, launch, passing), 0
        for serial, line in enumerate(streams[array - 1]):
            if line.received:
                traffic.solve()
            issues[array - 1].append(max(clock, arrivals[array, serial]))
            clock = issues[array - 1][-1] + busy[line]
            ends[array - 1].append(clock)
            traffic.post(line.pieces, clock, service)
        traffic.finish()
        deliveries += traffic.deliveries
    load = Load(channels, lines)
    summary = _summary(issues, ends, deliveries, load)
    return Timed(program, flow, tuple(map(tuple, issues)), summary, load.scores(summary["makespan"]))


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


def _in_order(pieces: Iterable[Piece], arrays: int) -> list[int]:
    """The arrays in an order in which each comes after all whose messages it reads or hands on."""
    before: dict[int, set[int]] = {array: set() for array in range(1, arrays + 1)}
    for piece in pieces:
        step = 1 if piece.target_array > piece.array else -1
        for array in range(piece.array, piece.target_array, step):
            before[array + step] |= {piece.array, array} - {array + step}
    try:
        return list(TopologicalSorter(before).static_order())
    except CycleError:
        raise Unfit("arrays send to each other") from None


# ------------------------------------------------------------ summary


def _summary(
    issues: Sequence[Sequence[int]], ends: Sequence[Sequence[int]], deliveries: Sequence[Delivery], load: Load
) -> dict[str, Any]:
    """The summary of a whole trace, from issues and ends of instructions and from deliveries."""
    keys = [(x.piece.array, x.piece.target_array, x.piece.reader, x.posted) for x in deliveries]
    shared = np.array(keys, dtype=np.int64).reshape(-1, 4)
    source, target, serial, posted = shared.repeat([len(x.arrived) for x in deliveries], axis=0).T
    none = np.zeros(0, dtype=np.int64)
    arrived = np.concatenate([none, *(x.arrived for x in deliveries)])
    messages = np.concatenate([none, *(x.messages for x in deliveries)])
    since, arrays = arrived.copy(), {}
    for array, (cycles, ended) in enumerate(zip(issues, ends, strict=True), 1):
        if not cycles:
            continue
        issue, before = np.array(cycles), np.array([0, *ended[:-1]])
        rows = np.flatnonzero(target == array)
        at = serial[rows]
        rows = rows[(arrived[rows] == issue[at]) & (issue[at] > before[at])]  # whose arrival ends a stall
        since[rows] = np.maximum(posted[rows], before[serial[rows]])
        rows = rows[np.lexsort((posted[rows], source[rows], serial[rows]))]  # by id, of every reader
        released, first = np.unique(serial[rows], return_index=True)
        stall = int((issue - before).sum())
        exposed = int((issue[released] - since[rows[first]]).sum())
        arrays[str(array)] = {
            "end": ended[-1],
            "instructions": len(cycles),
            "stall": stall,
            "exposed_stall": exposed,
            "dependency_wait": stall - exposed,
        }
    return {
        "makespan": max((row["end"] for row in arrays.values()), default=0),
        **{name: sum(row[name] for row in arrays.values()) for name in ("stall", "exposed_stall")},
        **flown(target, posted, since, arrived, issues, ends, messages),
        "messages": load.messages,
        "hops": load.hops,
        "words": load.words,
        "arrays": arrays,
    }


class Load:
    """Counts of a program's messages, and of the channels that they cross."""

    def __init__(self, channels: ChannelClasses, lines: Sequence[IssuedLine]) -> None:
        self.messages = self.words = self.hops = self.word_hops = self.network_steps = 0
        self.dilation = self.congestion = 0
        self.crossings: Crossings = {}
        for line in lines:
            crossings: Crossings = {}
            for piece in line.pieces:
                self._enter(piece, channels, crossings)
            self.congestion = max(self.congestion, _most(crossings))
            # Network steps of a send by itself: one message per channel and step, first come first served.
            arrivals: Arrivals = defaultdict(int)
            traffic = Traffic(channels, sorted({array for array, _ in crossings}), arrivals, {})
            traffic.post(line.pieces, 0, dict.fromkeys(line.pieces, 1))
            traffic.solve()
            self.network_steps += max(arrivals.values(), default=0)

    def _enter(self, piece: Piece, channels: ChannelClasses, crossings: Crossings) -> None:
        self.messages += len(piece)
        self.words += len(piece) * piece.words
        for way in channels.ways[piece]:
            distance: Integers | None = None
            for hop in channels.hops(way):
                distance = hop.length if distance is None else distance[hop.previous] + hop.length
                self.dilation = max(self.dilation, int(distance[hop.crossed].max()))
                crossed = hop.crossed * hop.length
                for counts in (crossings, self.crossings):
                    counts[hop.array, hop.kind] = counts.get((hop.array, hop.kind), 0) + crossed
                hops = int(crossed @ hop.channels)
                self.hops += hops
                self.word_hops += hops * piece.words

    def scores(self, makespan: int) -> Scores:
        """The scores of the allocation "identity", with a process on every node at most."""
        return Scores(
            dilation=self.dilation,
            congestion=self.congestion,
            congestion_in_all=_most(self.crossings),
            load=1,
            word_hops=self.word_hops,
            network_steps=self.network_steps,
            makespan=makespan,
        )


Crossings = dict[tuple[int, str], Integers]
"""Messages of a channel by class, for each array and kind."""


def _most(crossings: Crossings) -> int:
    return max((int(messages.max()) for messages in crossings.values()), default=0)

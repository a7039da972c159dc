"""The tasks of a schedule: who takes part in an instruction and where, what it reads, awaits and posts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from senn.machine.network.topology import Integers
from senn.machine.placing.messages import Messages
from senn.machine.placing.places import Places
from senn.machine.program.flow import NONE, Line


@dataclass(frozen=True, eq=False)
class Task:
    """One instruction that will be issued. Arrays are aligned with `line.processes` unless they are per lane.

    A lane is a node that takes part, for one process or for several.
    """

    line: Line
    serial: int
    nodes: Integers
    reads: tuple[Integers, ...]  # per operand the slot read, -1 where absent
    needs: Integers  # ids of the messages whose first reader this is, ascending
    taken: int  # the most of them that one lane takes
    posts: range  # ids of the messages it posts
    lanes: Integers  # the nodes that take part, ascending
    load: Integers  # per lane, how many processes it acts for

    @property
    def array(self) -> int:
        return self.line.array

    @property
    def step(self) -> str:
        return self.line.instruction.step

    def per_lane(self, counts: Integers) -> Integers:
        """Sums over the processes of each lane."""
        sums = np.zeros(len(self.lanes), dtype=np.int64)
        np.add.at(sums, np.searchsorted(self.lanes, self.nodes), counts)
        return sums


def tasks(places: Places, messages: Messages) -> tuple[tuple[Task, ...], ...]:
    """The tasks of each array's control unit, in the order of issue."""
    message_of = np.full(len(places.same), NONE, dtype=np.int32)
    message_of[messages.slot] = messages.carrier
    posts = _ranges(places.issued)
    return tuple(
        tuple(_task(places, s, line, message_of, posts[line.array, s]) for s, line in enumerate(stream))
        for stream in places.issued
    )


def _task(places: Places, serial: int, line: Line, message_of: Integers, posts: range) -> Task:
    reads = line.reads
    if places.dropped:
        reads = tuple(np.where(read == NONE, np.int32(NONE), places.same[read]) for read in reads)
    firsts = [np.where(_is_first(places, read, serial), read, np.int32(NONE)) for read in reads]
    firsts = [
        np.where(first == NONE, np.int32(NONE), message_of[first])
        for first in firsts
        if first.max(initial=NONE) != NONE
    ]
    nodes = places.nodes(line)
    load = np.bincount(nodes)
    lanes = np.flatnonzero(load).astype(np.int32)
    folded = int(load.max()) > 1
    return Task(
        line=line,
        serial=serial,
        nodes=nodes,
        reads=reads,
        needs=_ascending(first[first != NONE] for first in firsts),
        taken=_most_taken(firsts, nodes),
        posts=posts,
        lanes=lanes,
        load=load[lanes] if folded else np.broadcast_to(np.int64(1), len(lanes)),
    )


def _is_first(places: Places, read: Integers, serial: int) -> NDArray[np.bool_]:
    """Where a message is taken: by the first instruction that reads it."""
    first: NDArray[np.bool_] = places.first_reader[read] == serial
    first &= (read != NONE) & places.flow.slots.message[read]
    return first


def _ascending(messages: Iterable[Integers]) -> Integers:
    """All of them, each once."""
    found = np.sort(np.concatenate([_NO_MESSAGES, *messages]))
    return found if len(found) < 2 else found[np.r_[True, found[1:] != found[:-1]]]


def _most_taken(firsts: list[Integers], nodes: Integers) -> int:
    """The most messages that one node takes; one that a process reads twice counts once."""
    if not firsts:
        return 0
    messages = np.sort(np.stack(firsts), axis=0) if len(firsts) > 1 else firsts[0][None]
    new = messages != NONE
    new[1:] &= messages[1:] != messages[:-1]
    return int(np.bincount(nodes, np.count_nonzero(new, axis=0)).max(initial=0))


_NO_MESSAGES = np.zeros(0, dtype=np.int32)


def _ranges(issued: tuple[tuple[Line, ...], ...]) -> dict[tuple[int, int], range]:
    """The ids of the messages that each task posts: consecutive, in the order (array, serial)."""
    keys = [(line.array, serial) for stream in issued for serial, line in enumerate(stream)]
    sizes = [sum(len(t.sources) for t in line.transfers) for stream in issued for line in stream]
    ends = np.cumsum(sizes).tolist()
    return {key: range(end - size, end) for key, size, end in zip(keys, sizes, ends, strict=True)}

"""Where the words of messages lie in the memories of nodes, and in what order instructions need them.

A node has first a place for every message that arrives, then the words that its compute engine hands in.
Messages have slots in the order of their first readers: an instruction needs all slots below a number.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from senn.machine.engines.control import Issue
from senn.machine.network.topology import Integers
from senn.machine.placing.messages import Messages
from senn.traces.run import Run


@dataclass(frozen=True, eq=False)
class Memory:
    """Slots and addresses by message; operands and handed-in words by node."""

    slot: Integers
    place: Integers  # of the words at the target
    source: list[int]  # of the words at the sender
    needed: list[list[int]]  # slots that the instructions before each one read
    given: list[list[int]]
    arriving: int  # words, at the node where most arrive
    window: int  # slots by which a message arrives at most ahead of those that are not read yet


def memory(
    run: Run, m: Messages, streams: Sequence[Sequence[Issue]], sender: Integers, reader: Integers
) -> Memory:
    """The memories of nodes with these instructions, each; `sender` and `reader` are nodes by message."""
    slot, place = np.zeros((2, len(m)), dtype=np.int64)
    arrived, read_at = (run.trace.messages[name].to_numpy() for name in ("arrived", "read_at"))
    needed, arriving, window = [], 0, 1
    for node, stream in enumerate(streams):
        ids = np.flatnonzero((reader == node) & (m.paths.hops > 0))
        ids = ids[np.argsort(m.read_by[ids], kind="stable")]
        slot[ids], place[ids] = np.arange(len(ids)), np.cumsum(m.words[ids]) - m.words[ids]
        serials = [issue.task.serial for issue in stream]
        needed.append([0, *np.searchsorted(m.read_by[ids], serials, "right").tolist()])
        arriving = max(arriving, int(m.words[ids].sum()))
        read = np.searchsorted(np.sort(read_at[ids]), arrived[ids])
        window = max(window, int((slot[ids] - read).max(initial=0)))
    source, given = _words(run, m, len(streams), sender, reader, place, arriving)
    return Memory(slot, place, source, needed, given, arriving, window)


def _words(
    run: Run, m: Messages, nodes: int, sender: Integers, reader: Integers, place: Integers, arriving: int
) -> tuple[list[int], list[list[int]]]:
    """By message the address of its words at the sender, where an earlier message has left them or the
    compute engine hands them in; by node the words handed in."""
    cargo = run.trace.messages.select("value", "level", "process").rows()
    copies: defaultdict[object, list[int]] = defaultdict(list)
    for k, key in enumerate(zip(reader.tolist(), m.target_process.tolist(), cargo, strict=True)):
        copies[key].append(k)
    handed: dict[object, int] = {}
    given: list[list[int]] = [[] for _ in range(nodes)]
    assert run.values is not None
    payloads = run.values.payloads

    def source(k: int) -> int:
        node, key = int(sender[k]), (int(sender[k]), int(m.source_process[k]), cargo[k])
        if before := [c for c in copies[key] if m.read_by[c] <= m.serial[k] and c != k]:
            copy = max(before, key=lambda c: (int(m.read_by[c]), c))
            return int(place[copy]) if m.paths.hops[copy] else source(copy)
        if key not in handed:
            handed[key] = arriving + len(given[node])
            given[node] += np.asarray(payloads[k], dtype=np.float64).ravel().view(np.uint64).tolist()
        return handed[key]

    return [source(k) for k in range(len(m))], given

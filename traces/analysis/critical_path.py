"""The chain of work and messages that made a run as long as it was."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import Any

import numpy as np
import polars as pl

from senn.traces.analysis.node_stalls import node_stalls, per_node
from senn.traces.errors import InputError
from senn.traces.record.trace import Trace

_Row = dict[str, Any]
LABELS = ("compute", "post", "receive", "startup", "words", "hop", "queue")


@dataclass(frozen=True)
class Piece:
    """The cycles [start, end) of the critical path, and what they were spent on.

    ``label`` is one of ``LABELS``. Engine time (compute, post, receive) names the instruction by array,
    serial and step; channel time (startup, words, hop, queue) names the message too, and the
    instruction is the send that posted it.
    """

    start: int
    end: int
    label: str
    array: int
    instruction: int
    step: str
    level: int | None
    message: int | None = None


def critical_path(trace: Trace, startup: int | Fraction, hop: int | Fraction = 0) -> list[Piece]:
    """The pieces from cycle 0 to the makespan, in order, without a gap: their lengths sum to the makespan.

    Walks back from the instruction that ends last (the first array on a tie). An instruction that did not
    start at its predecessor's end was released by a message: its hops are charged and the walk goes on at the
    send that posted it. Where every node issues by itself, the walk goes along nodes instead of arrays.

    ``startup`` and ``hop`` are the machine's, in cycles, which the trace does not hold; ``hop`` is 0 for
    store-and-forward. There each channel costs startup and words; with cut-through a message costs startup
    before its first channel, hop on each, and its words on the last. InputError where the hops of a message
    do not join.
    """
    trace.require("hops")
    record = _Nodes(trace) if per_node(trace) else _Arrays(trace)
    pieces: list[Piece] = []
    here, message = record.last()
    while here is not None or message is not None:
        if here is not None:
            pieces += record.engine(here)
            here, message = record.before(here)
        if message is not None:
            flight = record.message(message)
            pieces += record.flight(flight, ceil(startup), ceil(hop))
            here, message = record.sender(flight), None
    return [piece for piece in reversed(pieces) if piece.end > piece.start]


def path_totals(pieces: list[Piece]) -> dict[str, int]:
    """Cycles of the path by label, all of ``LABELS``."""
    return {name: sum(piece.end - piece.start for piece in pieces if piece.label == name) for name in LABELS}


_Key = tuple[int, ...]
_Cause = tuple[_Key | None, int | None]  # the engine's work before, or the message that ended the wait


class _Record:
    """Quick access to single rows; pieces come latest first, as the walk needs them."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._instructions = {
            (row["array"], row["serial"]): row for row in trace.instructions.iter_rows(named=True)
        }
        self._ids = trace.messages["id"].to_numpy()
        self._hops = trace.hops["message"].to_numpy()

    def message(self, number: int) -> _Row:
        return self._trace.messages.row(int(np.searchsorted(self._ids, number)), named=True)

    def pieces(self, array: int, serial: int, issue: int, received: int, end: int) -> list[Piece]:
        """Of the engine."""
        row = self._instructions[array, serial]
        label = "post" if row["operation"] in ("send", "arrange") else "compute"
        of = (array, serial, row["step"], row["level"])
        return [Piece(received, end, label, *of), Piece(issue, received, "receive", *of)]

    def flight(self, message: _Row, startup: int, passing: int) -> list[Piece]:
        """Of a message, from its arrival back to its post."""
        begin, end = np.searchsorted(self._hops, [message["id"], message["id"] + 1])
        send = self._instructions[message["source_array"], message["instruction"]]
        of = (message["source_array"], message["instruction"], message["step"], send["level"], message["id"])
        pieces: list[Piece] = []
        there = message["arrived"]
        for hop in reversed(list(self._trace.hops[int(begin) : int(end)].iter_rows(named=True))):
            begun = hop["start"]
            if passing:
                last = not pieces
                headed = begun + passing
                if there != headed + (hop["end"] - begun if last else 0):
                    raise InputError(_gap(message["id"], hop["hop"]))
                pieces += [Piece(headed, there, "words", *of), Piece(begun, headed, "hop", *of)]
            else:
                if hop["end"] != there:
                    raise InputError(_gap(message["id"], hop["hop"]))
                started = min(begun + startup, there)
                pieces += [Piece(started, there, "words", *of), Piece(begun, started, "startup", *of)]
            pieces.append(Piece(hop["queued"], begun, "queue", *of))
            there = hop["queued"]
        if passing and pieces:
            pieces.append(Piece(message["posted"], there, "startup", *of))
            there -= startup  # which must lead to its post
        if there != message["posted"]:
            raise InputError(_gap(message["id"], 0))
        return pieces


class _Arrays(_Record):
    """Instructions whose lanes go together, by (array, serial)."""

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace)
        received = trace.activities.filter(pl.col("class") == "receive").group_by("array", "instruction")
        self._received = {(row[0], row[1]): row[2] for row in received.agg(pl.col("end").max()).iter_rows()}

    def last(self) -> _Cause:
        latest = max(((row["end"], -key[0], key[1]) for key, row in self._instructions.items()), default=None)
        return (None if latest is None else (-latest[1], latest[2])), None

    def engine(self, key: _Key) -> list[Piece]:
        array, serial = key
        row = self._instructions[array, serial]
        received = self._received.get((array, serial), row["issue"])
        return self.pieces(array, serial, row["issue"], received, row["end"])

    def before(self, key: _Key) -> _Cause:
        array, serial = key
        released_by = self._instructions[array, serial]["released_by"]
        if released_by is not None:
            return None, released_by
        return ((array, serial - 1) if serial else None), None

    def sender(self, message: _Row) -> _Key:
        return message["source_array"], message["instruction"]


class _Nodes(_Record):
    """The work of nodes that issue by themselves, by (array, node, serial)."""

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace)
        received = (pl.col("class") == "receive") & (pl.col("end") > pl.col("start"))
        work = (
            trace.activities.group_by("array", "node", "instruction")
            .agg(
                pl.col("start").min(),
                pl.col("end").filter(received).max().alias("received"),
                pl.col("end").max(),
            )
            .sort("array", "node", "instruction")
        )
        self._work: dict[_Key, tuple[int, int, int]] = {
            (array, node, serial): (start, start if received is None else received, end)
            for array, node, serial, start, received, end in work.iter_rows()
        }
        stalls = node_stalls(trace).select("array", "node", "instruction", "released_by")
        self._released_by: dict[_Key, int | None] = {tuple(row[:3]): row[3] for row in stalls.iter_rows()}
        keys = list(self._work)
        self._predecessor = {key: before for before, key in pairwise(keys) if before[:2] == key[:2]}

    def last(self) -> _Cause:
        makespan = int(self._trace.instructions["end"].to_numpy().max(initial=0))
        for key, (_, _, end) in self._work.items():
            if end == makespan:
                return key, None
        # The last thing that happens is a wait that is over.
        arrived = self._trace.messages.filter(pl.col("arrived") == makespan)["id"]
        return None, (arrived[0] if len(arrived) else None)

    def engine(self, key: _Key) -> list[Piece]:
        array, _, serial = key
        return self.pieces(array, serial, *self._work[key])

    def before(self, key: _Key) -> _Cause:
        if key in self._released_by:
            return None, self._released_by[key]
        return self._predecessor.get(key), None

    def sender(self, message: _Row) -> _Key:
        return message["source_array"], message["source_node"], message["instruction"]


def _gap(message: int, hop: int) -> str:
    return (
        f"critical path: hop {hop} of message {message} does not join what comes after it: startup and hop "
        "must be those of the machine that ran"
    )

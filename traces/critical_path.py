"""The chain of work and messages that made a run as long as it was."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
import polars as pl

from senn.traces.errors import InputError
from senn.traces.trace import Trace

_Row = dict[str, Any]
LABELS = ("compute", "post", "receive", "startup", "words", "queue")


@dataclass(frozen=True)
class Piece:
    """The cycles [start, end) of the critical path, and what they were spent on.

    ``label`` is one of ``LABELS``. Engine time (compute, post, receive) names the instruction by array,
    serial and step; channel time (startup, words, queue) names the message too, and the instruction is the
    send that posted it.
    """

    start: int
    end: int
    label: str
    array: int
    instruction: int
    step: str
    level: int | None
    message: int | None = None


def critical_path(trace: Trace, startup: int | Fraction) -> list[Piece]:
    """The pieces from cycle 0 to the makespan, in order, without a gap: their lengths sum to the makespan.

    Walks back from the instruction that ends last (the first array on a tie). An instruction that did not
    start at its predecessor's end was released by a message: its hops are charged (startup, words, queue)
    and the walk goes on at the send that posted it. ``startup`` is the start-up cost of a channel in
    cycles, which the trace does not hold. Store-and-forward only: InputError where the hops of a message
    leave gaps or overlap.
    """
    trace.require("hops")
    record = _Record(trace)
    pieces: list[Piece] = []
    here = record.last()
    while here is not None:
        array, serial = here
        pieces += record.engine(array, serial)
        row = record.instruction(array, serial)
        if row["released_by"] is None:
            here = (array, serial - 1) if serial else None
        else:
            message = record.message(row["released_by"])
            pieces += record.flight(message, ceil(startup))
            here = (message["source_array"], message["instruction"])
    return [piece for piece in reversed(pieces) if piece.end > piece.start]


def path_totals(pieces: list[Piece]) -> dict[str, int]:
    """Cycles of the path by label, all of ``LABELS``."""
    return {name: sum(piece.end - piece.start for piece in pieces if piece.label == name) for name in LABELS}


class _Record:
    """Quick access to single rows; pieces come latest first, as the walk needs them."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._instructions = {
            (row["array"], row["serial"]): row for row in trace.instructions.iter_rows(named=True)
        }
        self._ids = trace.messages["id"].to_numpy()
        self._hops = trace.hops["message"].to_numpy()
        received = trace.activities.filter(pl.col("class") == "receive").group_by("array", "instruction")
        self._received = {(row[0], row[1]): row[2] for row in received.agg(pl.col("end").max()).iter_rows()}

    def last(self) -> tuple[int, int] | None:
        latest = max(((row["end"], -key[0], key[1]) for key, row in self._instructions.items()), default=None)
        return None if latest is None else (-latest[1], latest[2])

    def instruction(self, array: int, serial: int) -> _Row:
        return self._instructions[array, serial]

    def message(self, number: int) -> _Row:
        return self._trace.messages.row(int(np.searchsorted(self._ids, number)), named=True)

    def engine(self, array: int, serial: int) -> list[Piece]:
        row = self._instructions[array, serial]
        received = self._received.get((array, serial), row["issue"])
        label = "post" if row["operation"] in ("send", "arrange") else "compute"
        of = (array, serial, row["step"], row["level"])
        return [Piece(received, row["end"], label, *of), Piece(row["issue"], received, "receive", *of)]

    def flight(self, message: _Row, startup: int) -> list[Piece]:
        begin, end = np.searchsorted(self._hops, [message["id"], message["id"] + 1])
        send = self._instructions[message["source_array"], message["instruction"]]
        of = (message["source_array"], message["instruction"], message["step"], send["level"], message["id"])
        pieces = []
        there = message["arrived"]
        for hop in reversed(list(self._trace.hops[int(begin) : int(end)].iter_rows(named=True))):
            if hop["end"] != there:
                raise InputError(_gap(message["id"], hop["hop"]))
            started = min(hop["start"] + startup, hop["end"])
            pieces.append(Piece(started, hop["end"], "words", *of))
            pieces.append(Piece(hop["start"], started, "startup", *of))
            pieces.append(Piece(hop["queued"], hop["start"], "queue", *of))
            there = hop["queued"]
        if there != message["posted"]:
            raise InputError(_gap(message["id"], 0))
        return pieces


def _gap(message: int, hop: int) -> str:
    return (
        f"critical path: hop {hop} of message {message} does not join what comes after it; "
        "only store-and-forward channels can be charged"
    )

"""The critical path: the walk from an effect back along work and messages to its causes.

The cycles of a control unit are pieces of work and stalls; those of a message, from its post to its arrival,
are pieces on the channels that it crosses. Work leads back to the message that ended its stall, or else to
the work before it; a message leads back to its send.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from senn.traces.analysis.control_units import control_units, per_node, unit
from senn.traces.errors import InputError
from senn.traces.record import Trace

if TYPE_CHECKING:
    pass

_Row = dict[str, Any]
LABELS = ("compute", "post", "receive", "startup", "words", "hop", "queue")


@dataclass(frozen=True)
class Piece:
    """The cycles [start, end) of the critical path, and what they were spent on.

    ``label`` is one of ``LABELS``. Engine time (compute, post, receive) names the instruction by array,
    serial and step; channel time (startup, words, hop, queue) names the message too, and the
    instruction is the send that posted it. ``node`` sent the message, or worked; null where the
    lanes of an array work together.
    """

    start: int
    end: int
    label: str
    array: int
    instruction: int
    step: str
    level: int | None
    message: int | None = None
    node: int | None = None


Key = tuple[int, int | None, int]
"""(array, node, serial) of an issue; the node is null where an array has one control unit."""
Cause = tuple[Key | None, int | None]
"""The engine's work before, or the message that ended its wait."""


def backwards(record: Causality, cause: Cause, since: int = 0) -> Iterator[Piece]:
    """The pieces that led to something, latest first and without a gap, back to the cycle ``since``.

    Work leads on to the message that it had to wait for, or else to the work before it; a message leads on,
    through its channels, to the send that posted it.
    """
    here, message = cause
    while here is not None or message is not None:
        if here is not None:
            pieces = record.work(here)
            here, message = record.before(here)
        else:
            assert message is not None
            flight = record.message(message)
            pieces = record.flight(flight)
            here, message = record.sender(flight), None
        for piece in reversed(pieces):
            if piece.end <= since:
                return
            yield replace(piece, start=max(piece.start, since))


class Causality:
    """Access to single rows of a trace of full detail, from control units to messages and back.

    ``startup`` and ``hop`` are the machine's, in cycles, which the trace does not hold; ``hop`` is 0 for
    store-and-forward. There each channel costs startup and words; with cut-through a message costs startup
    before its first channel, hop on each, and its words on the last.
    """

    def __init__(self, trace: Trace, startup: int | Fraction, hop: int | Fraction = 0) -> None:
        trace.require("hops")
        self._trace, self._alone = trace, per_node(trace)
        self._startup, self._hop = ceil(startup), ceil(hop)
        received = trace.activities.filter((pl.col("class") == "receive") & (pl.col("end") > pl.col("start")))
        key = [*unit(trace), "instruction"]
        units = control_units(trace).join(
            received.group_by(key).agg(pl.col("end").max().alias("received")), on=key, how="left"
        )
        rows = units.with_columns(pl.col("received").fill_null(pl.col("issue"))).iter_rows(named=True)
        self._issues: dict[Key, _Row] = {(row["array"], row["node"], row["instruction"]): row for row in rows}
        self._predecessor = {key: before for before, key in pairwise(self._issues) if before[:2] == key[:2]}
        levels = trace.instructions.select("array", "serial", "level")
        self._levels = {(array, serial): level for array, serial, level in levels.iter_rows()}
        self._ids = trace.messages["id"].to_numpy()
        self._hops = trace.hops["message"].to_numpy()

    def last(self) -> Cause:
        """The work, or the message, that ends last; of the first array on a tie."""
        makespan = int(self._trace.instructions["end"].to_numpy().max(initial=0))
        for key, row in self._issues.items():
            if row["end"] == makespan:
                return key, None
        # A node with its own control unit has no work after a last wait.
        arrived = self._trace.messages.filter(pl.col("arrived") == makespan)["id"]
        return None, (arrived[0] if len(arrived) else None)

    def work(self, key: Key) -> list[Piece]:
        """The pieces of one issue, in order of time."""
        row = self._issues[key]
        label = "post" if row["operation"] in ("send", "arrange") else "compute"
        of = (row["array"], row["instruction"], row["step"], row["level"], None, row["node"])
        issue, received, end = row["issue"], row["received"], row["end"]
        both = Piece(issue, received, "receive", *of), Piece(received, end, label, *of)
        return [piece for piece in both if piece.end > piece.start]

    def before(self, key: Key) -> Cause:
        """The message that ended the stall of the work, or without a stall the work before it."""
        row = self._issues[key]
        return (None, row["released_by"]) if row["stall"] else (self._predecessor.get(key), None)

    def sender(self, message: _Row) -> Key:
        """The work that posted a message."""
        node = message["source_node"] if self._alone else None
        return message["source_array"], node, message["instruction"]

    def message(self, number: int) -> _Row:
        return self._trace.messages.row(int(np.searchsorted(self._ids, number)), named=True)

    def flight(self, message: _Row) -> list[Piece]:
        """The pieces of a message from post to arrival, in order; InputError where hops do not join."""
        begin, end = np.searchsorted(self._hops, [message["id"], message["id"] + 1])
        level = self._levels[message["source_array"], message["instruction"]]
        sent = (message["source_array"], message["instruction"], message["step"], level)
        of = (*sent, message["id"], message["source_node"])
        pieces: list[Piece] = []  # the latest first
        there = message["arrived"]
        for hop in reversed(list(self._trace.hops[int(begin) : int(end)].iter_rows(named=True))):
            begun = hop["start"]
            if self._hop:
                last = not pieces
                headed = begun + self._hop
                if there != headed + (hop["end"] - begun if last else 0):
                    raise InputError(_gap(message["id"], hop["hop"]))
                pieces += [Piece(headed, there, "words", *of), Piece(begun, headed, "hop", *of)]
            else:
                if hop["end"] != there:
                    raise InputError(_gap(message["id"], hop["hop"]))
                started = min(begun + self._startup, there)
                pieces += [Piece(started, there, "words", *of), Piece(begun, started, "startup", *of)]
            pieces.append(Piece(hop["queued"], begun, "queue", *of))
            there = hop["queued"]
        if self._hop and pieces:
            pieces.append(Piece(message["posted"], there, "startup", *of))
            there -= self._startup  # which must lead to its post
        if there != message["posted"]:
            raise InputError(_gap(message["id"], 0))
        return [piece for piece in reversed(pieces) if piece.end > piece.start]


def _gap(message: int, hop: int) -> str:
    return (
        f"hop {hop} of message {message} does not join what comes after it: startup and hop must be those of "
        "the machine that ran"
    )


# The chain of work and messages that made a run as long as it was.


def critical_path(trace: Trace, startup: int | Fraction, hop: int | Fraction = 0) -> list[Piece]:
    """The pieces from cycle 0 to the makespan, in order, without a gap: their lengths sum to the makespan.

    Walks back from the instruction that ends last (the first array on a tie). An instruction that did not
    start at its predecessor's end was released by a message: its hops are charged and the walk goes on at the
    send that posted it. Where every node issues by itself, the walk goes along nodes instead of arrays.

    ``startup`` and ``hop`` are the machine's, as `Causality` takes them. InputError where the hops of a
    message do not join.
    """
    record = Causality(trace, startup, hop)
    return list(backwards(record, record.last()))[::-1]


def path_totals(pieces: Sequence[Piece]) -> dict[str, int]:
    """Cycles of the path by label, all of ``LABELS``."""
    return {name: sum(piece.end - piece.start for piece in pieces if piece.label == name) for name in LABELS}


# What the makespan was spent on: the critical path of a run by kind of cycle, and how that is said.

WORDS: Mapping[str, str] = {
    "compute": "compute",
    "post": "posting",
    "receive": "receiving",
    "startup": "start-up",
    "words": "words",
    "hop": "heads",
    "queue": "queues",
}
"""What each label of a piece is called where people read it."""


def spent_text(cycles: Mapping[str, int]) -> str:
    """ "start-up 73 %, words 18 %, compute 8 %, queues < 1 %": the most first, nothing that took no cycle."""
    whole = sum(cycles.values())
    most_first = sorted((name for name in LABELS if cycles[name]), key=lambda name: -cycles[name])
    return ", ".join(f"{WORDS[name]} {share(cycles[name], whole)}" for name in most_first) or "nothing"


def share(part: int, whole: int) -> str:
    """In per cent, to the nearest; never 0 of something, nor 100 of what is not all."""
    if 0 < 100 * part < whole:
        return "< 1 %"
    if part < whole and 100 * part > 99 * whole:
        return "> 99 %"
    return f"{round(Fraction(100 * part, whole or 1))} %"


def channel_times(machine: Mapping[str, Any]) -> tuple[Fraction, Fraction]:
    """Start-up and hop in cycles of the machine that ran, exact, as run.json describes it."""
    startup, hop = (_number(name, machine[name]) for name in ("startup", "hop"))
    return startup, hop


def _number(name: str, said: object) -> Fraction:
    """An integer, a decimal or a fraction as text: what `senn.machine` writes, and nothing else."""
    if not re.fullmatch(r"\d{1,40}([./]0*[1-9]\d{0,40}|\.0+)?", str(said)):
        raise InputError(f"run.json: {name} of the machine is no number of cycles: {str(said)[:40]!r}")
    return Fraction(str(said))

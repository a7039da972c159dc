"""The critical path: the walk from an effect back along work and messages to its causes.

The cycles of a control unit are pieces of work and stalls; those of a message, from its post to its arrival,
are pieces on the channels that it crosses. Work leads back to the message that ended its stall, or else to
the work before it; a message leads back to its send or, where it waited for a busy channel, to the message
that occupied the channel (the first, where several channels or ports were released in the same cycle). So the
walk goes along a longest path of start-ups, words, headers and work. A path with k start-ups grows k cycles
per cycle of start-up, and so does the run, exactly, while channels serve their messages in the same order and
no other path is as long.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from senn.base.errors import InputError
from senn.traces.analysis.control_units import control_units, per_node, sent, unit
from senn.traces.analysis.overlap import NAMES, refuse_gaps
from senn.traces.record import Trace

_Row = dict[str, Any]
LABELS = ("compute", "post", "receive", "startup", "words", "hop")


class Piece(NamedTuple):
    """The cycles [start, end) of the critical path, spent on one activity.

    ``label`` is one of ``LABELS``. Engine time (compute, post, receive) names the instruction by array,
    serial and step; channel time (startup, words, hop) names the message too, and the
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
    """The pieces that led to something, latest first and without a gap, back to the cycle ``since``."""
    for piece in record.causes(cause):
        if piece.end <= since:
            return
        if piece.end > piece.start:
            yield piece._replace(start=max(piece.start, since))


class Causality:
    """Access to single rows of a trace of full detail, from control units to messages and back.

    ``machine`` is the one that ran, as run.json describes it: its start-up and hop, and which channels share
    a wire, a bus or a port. InputError where the hops of a message do not join.
    """

    def __init__(self, trace: Trace, machine: Mapping[str, Any]) -> None:
        trace.require("hops")
        self._trace, self._alone, self._machine = trace, per_node(trace), machine
        self._startup, self._hop = (ceil(time) for time in channel_times(machine))
        refuse_gaps(trace, self._startup, self._hop)
        received = trace.activities.filter((pl.col("class") == "receive") & (pl.col("end") > pl.col("start")))
        key = [*unit(trace), "instruction"]
        units = control_units(trace).join(
            received.group_by(key).agg(pl.col("end").max().alias("received")), on=key, how="left"
        )
        rows = units.with_columns(pl.col("received").fill_null(pl.col("issue"))).iter_rows(named=True)
        self._issues: dict[Key, _Row] = {(row["array"], row["node"], row["instruction"]): row for row in rows}
        self._predecessor = {key: before for before, key in pairwise(self._issues) if before[:2] == key[:2]}
        self._messages, self._ids = sent(trace), trace.messages["id"].to_numpy()
        self._hops, self._end = trace.hops["message"].to_numpy(), trace.hops["end"].to_numpy()
        self._ends = np.argsort(self._end, kind="stable")

    def causes(self, cause: Cause) -> Iterator[Piece]:
        """The pieces that led to something, latest first and without a gap, back to cycle 0."""
        here, message = cause
        until = None
        while here is not None or message is not None:
            if here is not None:
                yield from reversed(self.work(here, until))
                here, message = self.before(here)
                until = None
            else:
                assert message is not None
                here, until = yield from self._flight(message)
                message = None

    def last(self) -> Cause:
        """The work, or the message, that ends last; of the first array on a tie."""
        makespan = int(self._trace.instructions["end"].to_numpy().max(initial=0))
        for key, row in self._issues.items():
            if row["end"] == makespan:
                return key, None
        # A node with its own control unit has no work after a last wait.
        arrived = self._trace.messages.filter(arrived=makespan)["id"]
        return None, (arrived[0] if len(arrived) else None)

    def work(self, key: Key, until: int | None = None) -> list[Piece]:
        """The pieces of one issue, in order of time; `until` a message is posted, which real processes do
        before the end of a send."""
        row = self._issues[key]
        label = "post" if row["operation"] in ("send", "arrange") else "compute"
        of = (row["array"], row["instruction"], row["step"], row["level"], None, row["node"])
        issue, received, end = row["issue"], row["received"], row["end"] if until is None else until
        both = Piece(issue, received, "receive", *of), Piece(received, end, label, *of)
        return [piece for piece in both if piece.end > piece.start]

    def before(self, key: Key) -> Cause:
        """The message that ended the stall of the work, or without a stall the work before it."""
        row = self._issues[key]
        return (None, row["released_by"]) if row["stall"] else (self._predecessor.get(key), None)

    def _flight(self, number: int) -> Generator[Piece, None, tuple[Key, int]]:
        """The pieces that led to the arrival of a message, latest first; the work that posted the first, and
        when."""
        message = self._message(number)
        there, event = message["arrived"], "delivery"
        index = int(np.searchsorted(self._hops, number, side="right")) - 1
        while index >= 0 and self._hops[index] == message["message"]:
            hop = self._trace.hops.row(index, named=True)
            for label, cycles in self._crossing(hop["end"] - hop["start"], event):
                yield self._piece(message, there - cycles, there, label)
                there -= cycles
            if hop["queued"] < there:
                index, event = self._occupant(hop), "release"
                message = self._message(int(self._hops[index]))
            elif hop["hop"]:
                index, event = index - 1, "forwarding"
            else:
                yield self._piece(message, message["posted"], there, "startup")  # with cut-through
                break
        sender = message["array"], message["node"] if self._alone else None, message["instruction"]
        return sender, message["posted"]

    def _crossing(self, occupied: int, event: str) -> tuple[tuple[str, int], ...]:
        """The cycles from the grant of a channel to an event there by label, latest first."""
        if not self._hop:
            startup = min(self._startup, occupied)
            return ("words", occupied - startup), ("startup", startup)
        words, header = ("words", occupied), ("hop", self._hop)
        return {"delivery": (words, header), "forwarding": (header,), "release": (words,)}[event]

    def _occupant(self, hop: _Row) -> int:
        """The hop whose end freed the channel, or the port, for one that waited."""
        cycle = [hop["start"], hop["start"] + 1]
        ended = self._ends[slice(*np.searchsorted(self._end, cycle, sorter=self._ends))]
        sharing = ended[self._trace.hops[ended].select(self._shared(hop)).to_series().to_numpy()]
        if len(sharing):
            return int(sharing[0])
        raise InputError(
            f"hop {hop['hop']} of message {hop['message']} waits for a channel that no other leaves: the "
            "machine must be the one that ran"
        )

    def _shared(self, hop: _Row) -> pl.Expr:
        """Whether a hop and this one cannot take place at once: the same channel, wire, bus or port."""
        machine = self._machine
        upright, arrays = hop["kind"] == "vertical", ("source_array", "target_array")
        beside = pl.min_horizontal(arrays) == min(hop[name] for name in arrays)
        source, target = (
            (pl.col(f"{end}_array") == hop[f"{end}_array"]) & (pl.col(f"{end}_node") == hop[f"{end}_node"])
            for end in ("source", "target")
        )
        alike = (pl.col("kind") == "vertical") == upright
        by_bus = upright and machine.get("vertical") == "bus"
        on_wire = (pl.col("wire") == hop["wire"]) & (source | (machine.get("duplex") == "half"))
        ports = alike & (source | target) & (machine.get("ports") == "one")
        return pl.Expr.or_(beside & (alike if by_bus else on_wire), ports)

    def _message(self, number: int) -> _Row:
        return self._messages.row(int(np.searchsorted(self._ids, number)), named=True)

    def _piece(self, message: _Row, start: int, end: int, label: str) -> Piece:
        names = ("array", "instruction", "step", "level", "message", "node")
        return Piece(start, end, label, *(message[name] for name in names))


# The chain of work and messages that made a run as long as it was.


def critical_path(trace: Trace, machine: Mapping[str, Any]) -> list[Piece]:
    """The pieces from cycle 0 to the makespan, in order, without a gap: their lengths sum to the makespan.

    Walks back from the instruction that ends last (the first array on a tie). An instruction that did not
    start at its predecessor's end was released by a message: its hops are charged, and where it waited for a
    busy channel the hop that occupied it, and the walk goes on at the send that posted it. Where every node
    issues by itself, the walk goes along nodes instead of arrays. ``machine`` is the one that ran, as
    run.json describes it. InputError where the hops of a message do not join.
    """
    record = Causality(trace, machine)
    return list(backwards(record, record.last()))[::-1]


def path_totals(pieces: Sequence[Piece]) -> dict[str, int]:
    """Cycles of the path by label, all of ``LABELS``."""
    return {name: sum(piece.end - piece.start for piece in pieces if piece.label == name) for name in LABELS}


# What the makespan was spent on: the critical path of a run by kind of cycle, and how that is said.

WORDS: Mapping[str, str] = {"compute": "compute", "post": "posting", "receive": "receiving"} | {
    name: NAMES[name] for name in ("startup", "words", "hop")
}
"""What each label of a piece is called where people read it."""


def spent_text(cycles: Mapping[str, int]) -> str:
    """ "start-up 73 %, words 18 %, compute 8 %, heads < 1 %": the most first, nothing that took no cycle."""
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
    for name in ("startup", "hop"):  # integers, decimals or fractions, as `senn.machine` writes them
        if not re.fullmatch(r"\d{1,40}([./]0*[1-9]\d{0,40}|\.0+)?", str(machine[name])):
            number = f"{str(machine[name])[:40]!r}"
            raise InputError(f"run.json: {name} of the machine is no number of cycles: {number}")
    return Fraction(str(machine["startup"])), Fraction(str(machine["hop"]))

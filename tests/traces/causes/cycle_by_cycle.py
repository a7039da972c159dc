"""Who is to blame for a cycle, asked cycle by cycle of plain rows: what the accounts are held against.

It shares nothing with `senn.traces.analysis` but the table of when nodes stall, which has tests of its own.
A control unit is known by its array, or by array and node where every node issues by itself.
"""

from math import ceil

from senn.traces import analysis
from senn.traces.run import Run

Unit = tuple[int, ...]
Blame = tuple[str, Unit, int, int | None]
"""What was going on, who did it or sent the message, the serial there, and the message."""


class Rows:
    """The rows of a run, by what they are asked for."""

    def __init__(self, run: Run) -> None:
        trace, machine = run.trace, run.description["machine"]
        self.startup, self.hop = ceil(_number(machine["startup"])), ceil(_number(machine["hop"]))
        self.alone = analysis.per_node(trace)
        self.messages = {row["id"]: row for row in trace.messages.to_dicts()}
        self.hops: dict[int, list[dict]] = {number: [] for number in self.messages}
        for row in trace.hops.to_dicts():
            self.hops[row["message"]].append(row)
        self.work: list[tuple[Unit, int, str, int, int]] = []
        self.stalls: list[tuple[Unit, int, int, int, int]] = []
        for row in trace.activities.to_dicts():
            unit = (row["array"], row["node"]) if self.alone else (row["array"],)
            self.work.append((unit, row["instruction"], row["class"], row["start"], row["end"]))
        if self.alone:
            for row in analysis.stalls(trace).to_dicts():
                of = ((row["array"], row["node"]), row["instruction"], row["start"], row["end"])
                self.stalls.append((*of, row["released_by"]))
        else:
            for row in trace.instructions.to_dicts():
                if row["stall"]:
                    of = ((row["array"],), row["serial"], row["issue"] - row["stall"], row["issue"])
                    self.stalls.append((*of, row["released_by"]))

    def doing(self, unit: Unit, cycle: int) -> tuple[str, int] | None:
        """The work of a unit in a cycle, or None if it stands still. Receiving comes before the rest."""
        found = [
            (name, serial)
            for who, serial, name, start, end in self.work
            if who == unit and start <= cycle < end
        ]
        names = {name for name, _ in found}
        return (next(n for n in ("receive", "compute", "post") if n in names), found[0][1]) if found else None

    def waits_for(self, unit: Unit, cycle: int) -> int:
        (message,) = (m for who, _, a, b, m in self.stalls if who == unit and a <= cycle < b)
        return message

    def sender(self, message: int) -> Unit:
        row = self.messages[message]
        return (row["source_array"], row["source_node"])[: 2 if self.alone else 1]

    def on_channels(self, message: int, cycle: int) -> str:
        """What a message does in a cycle between its post and its arrival."""
        hops = self.hops[message]
        if self.hop and cycle < hops[0]["queued"]:
            return "startup"
        for hop in hops:
            headed = hop["start"] + (self.hop or self.startup)
            if hop["queued"] <= cycle < hop["start"]:
                return "queue"
            if hop["start"] <= cycle < headed and (self.hop or cycle < hop["end"]):
                return "hop" if self.hop else "startup"
            if not self.hop and headed <= cycle < hop["end"]:
                return "words"
        return "words"

    def back(self, unit: Unit, message: int | None, until: int, since: int) -> list[Blame]:
        """Who is to blame for each cycle from `since` up to `until`; the last is a unit's or a message's.

        A message is to blame back to its post, then who sent it, then what that one waited for.
        """
        blames = []
        for cycle in range(until - 1, since - 1, -1):
            while True:
                if message is not None:
                    row = self.messages[message]
                    if cycle >= row["posted"]:
                        label = self.on_channels(message, cycle)
                        blames.append((label, self.sender(message), row["instruction"], message))
                        break
                    unit, message = self.sender(message), None
                elif work := self.doing(unit, cycle):
                    blames.append((work[0], unit, work[1], None))
                    break
                else:
                    message = self.waits_for(unit, cycle)
        return blames[::-1]


def _number(said: int | str) -> float:
    return float(said)

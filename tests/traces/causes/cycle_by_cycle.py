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
        self.machine = machine
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

    def share(self, one: dict, other: dict) -> bool:
        """Whether two hops cannot take place at once: the same channel, wire, bus or port."""
        arrays = [sorted((hop["source_array"], hop["target_array"])) for hop in (one, other)]
        upright = [hop["kind"] == "vertical" for hop in (one, other)]
        ends = [
            [(hop[f"{end}_array"], hop[f"{end}_node"]) for end in ("source", "target")]
            for hop in (one, other)
        ]
        if self.machine.get("vertical") == "bus" and all(upright):
            return arrays[0][0] == arrays[1][0]
        one_port = self.machine.get("ports") == "one" and upright[0] == upright[1]
        if one_port and (ends[0][0] == ends[1][0] or ends[0][1] == ends[1][1]):
            return True
        same_wire = arrays[0] == arrays[1] and one["wire"] == other["wire"]
        return same_wire and (self.machine.get("duplex") == "half" or ends[0] == ends[1])

    def on_channels(self, message: int, cycle: int) -> tuple[str, int] | int:
        """The label of the cycle before the arrival of a message, and the message that spent it; or, from
        before all that, the first message of those that occupied channels one after the other."""
        mine, event = self.hops[message], "arrived"
        place = len(mine) - 1
        while place >= 0:
            hop = mine[place]
            if cycle >= hop["start"]:
                if not self.hop:
                    return "startup" if cycle < hop["start"] + self.startup else "words", message
                headed = event != "freed" and cycle < hop["start"] + self.hop
                return "hop" if headed else "words", message
            if hop["queued"] < hop["start"]:
                ended = [h for of in self.hops.values() for h in of if h["end"] == hop["start"]]
                message = next(h for h in ended if self.share(h, hop))["message"]
                mine = self.hops[message]
                place, event = next(
                    (k, "freed")
                    for k, h in enumerate(mine)
                    if h["end"] == hop["start"] and self.share(h, hop)
                )
            else:
                place, event = place - 1, "passed on"
        if self.hop and cycle >= self.messages[message]["posted"]:
            return "startup", message
        return message

    def back(self, unit: Unit, message: int | None, until: int, since: int) -> list[Blame]:
        """Who is to blame for each cycle from `since` up to `until`; the last is a unit's or a message's.

        A message is to blame back to its post, or to the end of the one that occupied its channel, then who
        sent it, then what that one waited for.
        """
        blames = []
        for cycle in range(until - 1, since - 1, -1):
            while True:
                if message is not None:
                    spent = self.on_channels(message, cycle)
                    if isinstance(spent, tuple):
                        label, at = spent
                        blames.append((label, self.sender(at), self.messages[at]["instruction"], at))
                        break
                    unit, message = self.sender(spent), None
                elif work := self.doing(unit, cycle):
                    blames.append((work[0], unit, work[1], None))
                    break
                else:
                    message = self.waits_for(unit, cycle)
        return blames[::-1]

    def fate(self, number: int) -> tuple[int, int, int, int, int]:
        """Cycles of a message in flight: all, exposed, hidden, overlapped and beside, one by one."""
        row = self.messages[number]
        size = 2 if self.alone else 1
        reader = (row["target_array"], row["target_node"])[:size]
        count = dict.fromkeys(("exposed", "overlapped", "beside"), 0)
        for cycle in range(row["posted"], row["arrived"]):
            ended = [
                (unit, serial)
                for unit, serial, start, end, _ in self.stalls
                if start <= cycle and end == row["arrived"] and self.awaits(unit, serial, row, size)
            ]
            name = "overlapped" if self.doing(reader, cycle) else "beside"
            count["exposed" if ended else name] += 1
        hidden = count["overlapped"] + count["beside"]
        return hidden + count["exposed"], count["exposed"], hidden, count["overlapped"], count["beside"]

    def awaits(self, unit: Unit, serial: int, row: dict, size: int) -> bool:
        """Whether the work after a stall needs the message, or without DMA follows its send."""
        before = max((s for u, s, *_ in self.work if u == unit and s < serial), default=-1)
        before = before if self.alone else serial - 1
        reads = unit == (row["target_array"], row["target_node"])[:size] and before < row["read_by"] <= serial
        sends = unit == (row["source_array"], row["source_node"])[:size] and row["instruction"] == before
        return reads or (sends and not self.machine["dma"])


def _number(said: int | str) -> float:
    return float(said)

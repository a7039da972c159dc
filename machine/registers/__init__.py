"""A recorded run as a machine of registers: a design in Verilog, its memories, and a test bench.

The templates beside this page are the machine: `control` units, and `node`s with `operands`, `dma`, `port`
and `channel`. A run gives sizes, wires, instructions and descriptors, and no times: durations follow from the
machine. The words of a message come from the memory of its sender, where an earlier message has left them, or
where they are handed in as results of the compute engine.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from importlib import resources
from itertools import chain, groupby, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from senn.base.errors import InputError
from senn.machine.durations import durations
from senn.machine.engines.control import Issue, control_units
from senn.machine.model import Machine
from senn.machine.model.machine import of_description
from senn.machine.network.arrays import Wiring, servers
from senn.machine.network.topology import Integers
from senn.machine.placing.messages import Messages
from senn.machine.timing import recorded_schedule
from senn.traces.analysis import at_once
from senn.traces.exports.tracks import Tracks
from senn.traces.run import Run


def verilog(tracks: Tracks, folder: Path) -> None:
    """Write the machine of a run; InputError, in one line, for settings that the design has not got."""
    run = tracks.run
    machine = of_description(run.description["machine"])
    _refuse(run, machine)
    sizes, memories = _content(run, machine)
    for template in resources.files(__package__).iterdir():
        if template.name.endswith((".sv", ".md")):
            (folder / template.name).write_text(template.read_text())
    (folder / "sizes.sv").write_text("".join(f"localparam {name} = {x};\n" for name, x in sizes.items()))
    (folder / "memories").mkdir()
    for name, rows in memories.items():
        (folder / "memories" / f"{name}.hex").write_text("".join(f"{row:x}\n" for row in rows))


def _refuse(run: Run, machine: Machine) -> None:
    """Refuse what no register holds, and what this design has not got."""
    words = run.trace.messages["words"].unique().to_list()
    cycles = [machine.message_cycles(count) for count in words]
    for refused, text in (
        (run.values is None, "this run keeps no values, and its words are to move: make it with --values"),
        (machine.discipline != "fifo", f'discipline = "{machine.discipline}": queues of registers are fifo'),
        (machine.timing.post == 0, "post = 0: a descriptor needs a cycle to enter the DMA engine"),
        (0 in cycles, "messages of zero cycles would pass the whole network between two edges of the clock"),
        (
            any(map(int.__lt__, cycles, words)),
            "a word in less than a cycle needs more than 64 wires: set word",
        ),
    ):
        if refused:
            raise InputError(f"verilog: {text}")


def _content(run: Run, machine: Machine) -> tuple[dict[str, object], dict[str, list[int]]]:
    """Parameters of the templates, and the content of every memory by name."""
    schedule = recorded_schedule(run)
    times, m, wiring = durations(schedule, machine), schedule.messages, schedule.wiring
    units = control_units(schedule, machine, times)
    nodes = wiring.arrays * wiring.nodes
    group = nodes // len(units)
    ends: dict[str, Any] = wiring.columns()
    channels, crossed = np.unique(m.paths.channels, return_inverse=True)
    start, end = (
        ((np.asarray(ends[f"{x}_array"]) - 1) * wiring.nodes + ends[f"{x}_node"])[channels].tolist()
        for x in ("source", "target")
    )
    outs, ins = ([[c for c, x in enumerate(of) if x == node] for node in range(nodes)] for of in (start, end))
    sender, reader = (
        (getattr(m, f"{x}_array") - 1) * wiring.nodes + getattr(m, f"{x}_node") for x in ("source", "target")
    )
    moves = m.paths.hops > 0
    slot, place, needed, arriving = _slots(m, reader, [units[node // group] for node in range(nodes)])
    source, given = _sources(run, m, nodes, sender, reader, place, arriving)
    line = np.zeros(len(m), dtype=np.int64)
    for unit in units:
        for number, issue in enumerate(unit):
            line[np.asarray(issue.posts, dtype=np.int64)] = number
    first = np.where(moves, crossed[np.minimum(m.paths.offsets[:-1], len(crossed) - 1)], -1)
    out = max(1, *map(len, outs))
    lists = [
        [
            np.flatnonzero((sender == node) & (first == c)).tolist()
            for c in (*own, *[-2] * (out - len(own)), -1)
        ]
        for node, own in enumerate(outs)
    ]
    busy = [[issue.busy for issue in unit] for unit in units]
    port = out.bit_length()
    route = [
        sum((outs[start[c]].index(c) + 1) << port * h for h, c in enumerate(crossed[a + 1 : b].tolist()))
        for a, b in pairwise(m.paths.offsets.tolist())
    ]
    resources = _resources(machine, wiring, channels, start, end)
    shared = list(dict.fromkeys(chain.from_iterable(resources)))
    sizes = {
        "NODES": nodes,
        "GROUP": group,
        "CHANNELS": len(channels),
        "IN": max(1, *map(len, ins)),
        "OUT": out,
        "LINES": max(map(len, units)),
        "LIST": 1 + max(len(one) for each in lists for one in each),
        "ARRIVING": arriving,
        "GIVEN": max(1, *map(len, given)),
        "LONGEST": int(m.words.max(initial=1)),
        "DEPTH": _depth(run, crossed, times.passing),
        "WINDOW": _window(run, slot, reader, moves).bit_length(),
        "ISSUE": 1 + max([0] + [len([*x]) for each in busy for zero, x in groupby(each, bool) if not zero]),
        "LAUNCH": times.launch,
        "PASSING": times.passing,
        "DMA": int(machine.dma),
        "RESOURCES": len(shared),
    }
    last = max([0, *run.trace.instructions["end"], *run.trace.messages["arrived"]])
    most = {
        "T": last + times.launch + 1,
        "LINE_": sizes["LINES"] + sizes["ISSUE"] + 1,
        "BUSY_": max(map(max, filter(None, busy))),
        "SERIAL_": max(map(len, schedule.tasks)),
        "FLYING_": len(m),
        "LIST_": sizes["LIST"],
        "DEPTH_": sizes["DEPTH"],
        "PASSING_": times.passing,
        "MESSAGE_": len(m),
        "UNIT_": len(units),
        "CYCLES_": int(times.messages.max(initial=1)),
        "WORDS_": sizes["LONGEST"],
        "SLOT_": int(slot.max(initial=0)) + 2 ** (sizes["WINDOW"] + 1),
        "ADDRESS_": max(arriving + sizes["GIVEN"], sizes["IN"] * sizes["DEPTH"] * sizes["LONGEST"]),
    }
    width = {name: max(1, int(x).bit_length()) for name, x in most.items()}
    width |= {"PORT_": port, "ROUTE": port * max(1, int(m.paths.hops.max(initial=0)) - 1)}
    fields = ("MESSAGE_", "UNIT_", "CYCLES_", "WORDS_", "SLOT_", "ADDRESS_", "ROUTE")
    at = {f"{name}AT": sum(width[x] for x in fields[k + 1 :]) for k, name in enumerate(fields[:-1])}
    header = sum(width[name] for name in fields)
    total = {"HEADER": header, "LINK": header + 67, "KEY": width["T"] + width["MESSAGE_"]}
    tables = {
        "COUNTS": _literal([*map(len, units)], 32),
        "OUTS": _table(out, 32, outs, len(channels)),
        "INS": _table(sizes["IN"], 32, ins, len(channels)),
        "USES": _literal([sum(1 << shared.index(x) for x in uses) for uses in resources], len(shared) + 1),
    }
    total["BUFFERS"] = sizes["IN"] * sizes["DEPTH"]

    def packed(names: Sequence[str], *columns: int) -> int:
        word = 0
        for name, x in zip(names, columns, strict=True):
            word = word << width[name] | int(x)
        return word

    memories = {}
    for u, unit in enumerate(units):
        posts = [int(moves[np.asarray(x.posts, dtype=np.int64)].sum()) for x in unit]
        rows = [
            packed(("SERIAL_", "FLYING_", "BUSY_"), x.task.serial, count, x.busy)
            for x, count in zip(unit, posts, strict=True)
        ]
        memories[f"instructions_{u}"] = rows + [0] * (sizes["LINES"] + 1 - len(rows))
    for node in range(nodes):
        totals = needed[node]
        memories[f"needed_{node}"] = totals + totals[-1:] * (
            sizes["LINES"] + sizes["ISSUE"] + 1 - len(totals)
        )
        memories[f"words_{node}"] = given[node] + [0] * (sizes["GIVEN"] - len(given[node]))
        none = (1 << width["LINE_"] + width["ADDRESS_"] + header) - 1
        memories[f"descriptors_{node}"] = [
            none
            if k is None
            else packed(
                ("LINE_", "ADDRESS_", *fields),
                *(
                    line[k],
                    source[k],
                    k,
                    node // group,
                    times.messages[k],
                    m.words[k],
                    slot[k],
                    place[k],
                    route[k],
                ),
            )
            for one in lists[node]
            for k in (*one, *[None] * (sizes["LIST"] - len(one)))
        ]
    return {**sizes, **width, **at, **total, **tables}, memories


def _literal(numbers: Sequence[int], width: int) -> str:
    return "{" + ", ".join(f"{width}'d{x}" for x in reversed(numbers)) + "}"


def _table(columns: int, width: int, rows: Sequence[Sequence[int]], none: int) -> str:
    return _literal([x for row in rows for x in (*row, *[none] * (columns - len(row)))], width)


def _slots(m: Messages, reader: Integers, units: Sequence[Sequence[Issue]]) -> tuple[Any, ...]:
    """By message its slot and its place in memory; by node, how many slots the instructions before each
    need; the most words that arrive at a node. Slots are in the order of their first readers."""
    slot, place = np.zeros((2, len(m)), dtype=np.int64)
    needed, arriving = [], 0
    for node, unit in enumerate(units):
        ids = np.flatnonzero((reader == node) & (m.paths.hops > 0))
        ids = ids[np.argsort(m.read_by[ids], kind="stable")]
        slot[ids], place[ids] = np.arange(len(ids)), np.cumsum(m.words[ids]) - m.words[ids]
        serials = [issue.task.serial for issue in unit]
        needed.append([0, *np.searchsorted(m.read_by[ids], serials, "right").tolist()])
        arriving = max(arriving, int(m.words[ids].sum()))
    return slot, place, needed, arriving


def _sources(
    run: Run, m: Messages, nodes: int, sender: Integers, reader: Integers, place: Integers, arriving: int
) -> tuple[list[int], list[list[int]]]:
    """By message the place of its words in the sender's memory; by node the words handed in, which follow
    those that arrive."""
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


def _resources(
    machine: Machine, wiring: Wiring, channels: Integers, start: list[int], end: list[int]
) -> list[list[object]]:
    """Wires, buses and ports of nodes that each channel shares with others."""
    server = servers(wiring, machine.duplex, machine.vertical)[channels].tolist()
    uses: list[list[object]] = [[one] if server.count(one) > 1 else [] for one in server]
    if machine.ports == "one":
        kinds: Any = wiring.columns()["kind"]
        for c, use in enumerate(uses):
            vertical = kinds[channels[c]] == "vertical"
            use += [("out", start[c], vertical), ("in", end[c], vertical)]
    return uses


def _depth(run: Run, crossed: Integers, passing: int) -> int:
    """The most packets that one incoming port holds to be sent on."""
    hops = run.trace.hops.with_columns(channel=crossed, onward=pl.col("end").shift(-1).over("message"))
    on = hops.drop_nulls("onward").select(
        "channel", start=pl.col("start") + max(passing - 1, 0), end="onward", count=1
    )
    return int(max([1, *at_once(on, "channel")["count"]]))


def _window(run: Run, slot: Integers, reader: Integers, moves: Any) -> int:
    """The most slots by which a message arrives ahead of those that its node has not read yet."""
    arrived, read_at = (run.trace.messages[name].to_numpy() for name in ("arrived", "read_at"))
    ahead = 1
    for node in np.unique(reader):
        ids = np.flatnonzero((reader == node) & moves)
        taken = np.searchsorted(np.sort(read_at[ids]), arrived[ids])
        ahead = max(ahead, int((slot[ids] - taken).max(initial=0)))
    return ahead

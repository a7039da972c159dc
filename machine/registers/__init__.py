"""A recorded run as a machine of registers: a design in Verilog, its memories, and a test bench.

The templates beside this page are the machine: `control` units, and `node`s with `operands`, `dma`, `port`
and `channel`. A run gives sizes, wires, instructions and descriptors, and no times: durations follow from the
machine. In `sizes.sv` a name that ends in _ is the width of a field.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import chain, groupby, islice, pairwise, repeat
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from senn.base.errors import InputError
from senn.machine.durations import durations
from senn.machine.engines.control import Issue, control_units
from senn.machine.model import Machine
from senn.machine.model.machine import of_description
from senn.machine.network.arrays import Wiring, ports, servers
from senn.machine.network.topology import Integers
from senn.machine.placing.messages import Messages
from senn.machine.timing import recorded_schedule
from senn.traces.analysis import at_once
from senn.traces.exports.tracks import Tracks
from senn.traces.run import Run

Sizes = dict[str, Any]  # by name: a number, or a formula of Verilog
Column = Sequence[int] | Integers  # by message or instruction
Content = dict[str, list[int]]  # of memories by name, row by row


def verilog(tracks: Tracks, folder: Path) -> None:
    """Write the machine of a run; InputError, in one line, for settings that the design has not got."""
    run = tracks.run
    machine = of_description(run.description["machine"])
    words = run.trace.messages["words"].unique().to_list()
    cycles = [machine.message_cycles(count) for count in words]
    for refused, text in (
        (run.values is None, "this run keeps no values, and its words are to move: make it with --values"),
        (not run.trace.hops.height, "no message of this run crosses a channel, so there is none to build"),
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
    sizes, content = _design(run, machine)
    for template in resources.files(__package__).iterdir():
        if template.name.endswith((".sv", ".md")):
            (folder / template.name).write_text(template.read_text())
    (folder / "sizes.sv").write_text("".join(f"localparam {name} = {x};\n" for name, x in sizes.items()))
    (folder / "memories").mkdir()
    for name, rows in content.items():
        (folder / "memories" / f"{name}.hex").write_text("".join(f"{row:x}\n" for row in rows))


def _design(run: Run, machine: Machine) -> tuple[Sizes, Content]:
    """Sizes of the templates, and the content of every memory."""
    schedule = recorded_schedule(run)
    times, m, wiring = durations(schedule, machine), schedule.messages, schedule.wiring
    units = control_units(schedule, machine, times)
    nodes = wiring.arrays * wiring.nodes
    group = nodes // len(units)
    sender, reader = (
        (getattr(m, f"{end}_array") - 1) * wiring.nodes + getattr(m, f"{end}_node")
        for end in ("source", "target")
    )
    words = _memory(run, m, [units[node // group] for node in range(nodes)], sender, reader)
    channels, crossed = np.unique(m.paths.channels, return_inverse=True)
    network, port = _network(machine, wiring, channels)
    control, content = _control(units, m.paths.hops)
    initial, longest = max(map(len, words.initial)), int(m.words.max())
    depth, window = _depth(run, crossed, times.passing), words.window.bit_length()
    last = max(*run.trace.instructions["end"], *run.trace.messages["arrived"])
    largest = {
        "T": last + times.launch + 1,
        "LINE_": control["LINES"] + control["ISSUE"] + 1,
        "PORT_": network["OUT"],
        "MESSAGE_": len(m),
        "UNIT_": len(units),
        "CYCLES_": int(times.messages.max()),
        "WORDS_": longest,
        "SLOT_": int(words.slot.max()) + 2 ** (window + 1),
        "ADDRESS_": max(words.arriving + initial, network["IN"] * depth * longest),
    }
    sizes: Sizes = {
        "NODES": nodes,
        "GROUP": group,
        "ARRIVING": words.arriving,
        "GIVEN": initial,
        "LONGEST": longest,
        "DEPTH": depth,
        "WINDOW": window,
        "LAUNCH": times.launch,
        "PASSING": times.passing,
        "DMA": int(machine.dma),
        **network,
        **control,
        **{name: number.bit_length() for name, number in largest.items()},
        "BUFFERS": "IN * DEPTH",
        "KEY": "T + MESSAGE_",
    }
    for node in range(nodes):
        needed = words.needed[node]
        content[f"needed_{node}"] = _filled(needed, sizes["LINES"] + sizes["ISSUE"] + 1, needed[-1])
        content[f"words_{node}"] = _filled(words.initial[node], initial)

    ways = [port[crossed[a:b]].tolist() for a, b in pairwise(m.paths.offsets)]
    serials = [[issue.task.serial for issue in unit] for unit in units]
    fields: dict[str, Column] = {
        "LINE_": [bisect_left(serials[k // group], x) for k, x in zip(sender, m.serial, strict=True)],
        "SOURCE_": words.source,
        "MESSAGE_": range(len(m)),
        "UNIT_": sender // group,
        "CYCLES_": times.messages,
        "WORDS_": m.words,
        "SLOT_": words.slot,
        "ADDRESS_": words.place,
    }
    lists, descriptors = _descriptors(sizes, fields, sender, ways)
    return sizes | lists, content | descriptors


def _control(units: Sequence[Sequence[Issue]], hops: Integers) -> tuple[Sizes, Content]:
    """Instructions of every control unit, each with the messages that it posts to other nodes."""
    fields = {
        "SERIAL_": [x.task.serial for unit in units for x in unit],
        "FLYING_": [int((hops[np.asarray(x.posts, int)] > 0).sum()) for unit in units for x in unit],
        "BUSY_": [x.busy for unit in units for x in unit],
    }
    width = {name: max(1, *column).bit_length() for name, column in fields.items()}
    width["FLYING_"] = len(hops).bit_length()
    rows = iter(_packed(width, fields))
    most = max(map(len, units))
    content = {
        f"instructions_{k}": _filled(islice(rows, len(unit)), most + 1) for k, unit in enumerate(units)
    }
    together = [len([*x]) for unit in units for zero, x in groupby(unit, lambda x: x.busy == 0) if zero]
    counts = _literal(map(len, units))
    return {"LINES": most, "COUNTS": counts, "ISSUE": 1 + max(together, default=0), **width}, content


def _descriptors(
    sizes: Sizes, fields: Mapping[str, Column], sender: Integers, ways: Sequence[Sequence[int]]
) -> tuple[Sizes, Content]:
    """Lists of descriptors, one for each first port of a message's way. Ports count from 1, and the others
    are the packet's route, the next in the lowest bits; 0 is the node itself, which has the last list."""
    port, out = sizes["PORT_"], sizes["OUT"]
    width = sizes | {"SOURCE_": sizes["ADDRESS_"], "ROUTE": port * (max(2, *map(len, ways)) - 1)}
    route = [sum(x << port * k for k, x in enumerate(way[1:])) for way in ways]
    _, _, *header = names = [*fields, "ROUTE"]
    lists: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for node, way, row in zip(sender, ways, _packed(width, {**fields, "ROUTE": route}), strict=True):
        lists[node, way[0] - 1 if way else out].append(row)
    length = 1 + max(map(len, lists.values()))
    none = (1 << sum(width[name] for name in names)) - 1  # of an instruction that does not exist
    content = {
        f"descriptors_{node}": [x for k in range(out + 1) for x in _filled(lists[node, k], length, none)]
        for node in range(sizes["NODES"])
    }
    places = {f"{name}AT": " + ".join(header[k:]) for k, name in enumerate(header[:-1], 1)}
    formulas = {"HEADER": " + ".join(header), "LINK": "HEADER + 67", **places}
    return {"LIST": length, "ROUTE": width["ROUTE"], **formulas}, content


def _network(machine: Machine, wiring: Wiring, channels: Integers) -> tuple[Sizes, Integers]:
    """Channels between nodes, and what they share; by channel the number, from 1, of its port."""
    columns: dict[str, Any] = wiring.columns()
    start, end = (
        ((np.asarray(columns[f"{x}_array"]) - 1) * wiring.nodes + columns[f"{x}_node"])[channels].tolist()
        for x in ("source", "target")
    )
    outs, ins = (
        [[c for c, x in enumerate(of) if x == node] for node in range(wiring.arrays * wiring.nodes)]
        for of in (start, end)
    )
    server = servers(wiring, machine.duplex, machine.vertical)[channels].tolist()
    uses: list[list[object]] = [[one] if server.count(one) > 1 else [] for one in server]
    if machine.ports == "one":
        on_ports = ports(wiring)
        uses = [[*use, *on_ports[channel]] for channel, use in zip(channels.tolist(), uses, strict=True)]
    shared = list(dict.fromkeys(chain.from_iterable(uses)))
    sizes: Sizes = {
        "CHANNELS": len(channels),
        "IN": max(map(len, ins)),
        "OUT": max(map(len, outs)),
        "RESOURCES": len(shared),
        "USES": _literal([sum(1 << shared.index(x) for x in use) for use in uses], len(shared) + 1),
    }
    for name, rows in (("INS", ins), ("OUTS", outs)):
        table = [_filled(row, sizes[name[:-1]], len(channels)) for row in rows]
        sizes[name] = _literal(chain.from_iterable(table))
    return sizes, np.array([1 + start[:c].count(node) for c, node in enumerate(start)], dtype=np.int64)


def _depth(run: Run, crossed: Integers, passing: int) -> int:
    """The most packets that one incoming port holds to be sent on."""
    hops = run.trace.hops.with_columns(channel=crossed, onward=pl.col("end").shift(-1).over("message"))
    on = hops.drop_nulls("onward").select(
        "channel", start=pl.col("start") + max(passing - 1, 0), end="onward", count=1
    )
    return int(max([1, *at_once(on, "channel")["count"]]))


# Where the words of messages lie in the memories of nodes, and in what order instructions need them. A node
# has first a place for every message that arrives, then the words that its compute engine hands in. Messages
# have slots in the order of their first readers: an instruction needs all slots below a number.


@dataclass(frozen=True, eq=False)
class Memory:
    """Slots and addresses by message; operands and handed-in words by node."""

    slot: Integers
    place: Integers  # of the words at the target
    source: list[int]  # of the words at the sender
    needed: list[list[int]]  # slots that the instructions before each one read
    initial: list[list[int]]
    arriving: int  # words, at the node where most arrive
    window: int  # slots by which a message arrives at most ahead of those that are not read yet


def _memory(
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
    source, initial = _words(run, m, len(streams), sender, reader, place, arriving)
    return Memory(slot, place, source, needed, initial, arriving, window)


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
    initial: list[list[int]] = [[] for _ in range(nodes)]
    assert run.values is not None
    payloads = run.values.payloads

    def source(k: int) -> int:
        node, key = int(sender[k]), (int(sender[k]), int(m.source_process[k]), cargo[k])
        if before := [c for c in copies[key] if m.read_by[c] <= m.serial[k] and c != k]:
            copy = max(before, key=lambda c: (int(m.read_by[c]), c))
            return int(place[copy]) if m.paths.hops[copy] else source(copy)
        if key not in handed:
            handed[key] = arriving + len(initial[node])
            initial[node] += np.asarray(payloads[k], dtype=np.float64).ravel().view(np.uint64).tolist()
        return handed[key]

    return [source(k) for k in range(len(m))], initial


def _packed(width: Mapping[str, int], fields: Mapping[str, Column]) -> list[int]:
    """Rows of several fields, the first in the highest bits."""
    rows = [0] * len(next(iter(fields.values())))
    for name, column in fields.items():
        rows = [row << width[name] | int(x) for row, x in zip(rows, column, strict=True)]
    return rows


def _filled(row: Iterable[int], length: int, filler: int = 0) -> list[int]:
    return [*islice(chain(row, repeat(filler)), length)]


def _literal(numbers: Iterable[int], width: int = 32) -> str:
    """A table of the templates: its first number is in the lowest bits."""
    return "{" + ", ".join(f"{width}'d{x}" for x in reversed([*numbers])) + "}"

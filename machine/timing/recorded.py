"""A recorded run as a schedule that any machine of the same network can time.

The four tables say which instructions are issued, what operations each node executes for them, which messages
they await and post, and which channels these cross. So the program is not needed, nor the allocation.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np
import polars as pl

from senn.machine.model.machine import of_description
from senn.machine.network.arrays import Wiring
from senn.machine.network.topology import KINDS, Channels, Integers, Paths
from senn.machine.placing.messages import Common, Messages
from senn.machine.placing.schedule import Schedule, Task
from senn.machine.program import Executed, Program, Recorded, Value
from senn.machine.program.flow import Flow, Line, Slots
from senn.traces.naming import OPERATIONS
from senn.traces.record import Trace, joined
from senn.traces.run import Run

_NONE = np.zeros(0, dtype=np.int64)


def recorded_schedule(run: Run) -> Schedule:
    """The schedule of a run of full detail: tasks and messages, without slots, so it can be timed only.

    InputError where tables are missing, or were written before they said what their work is.
    """
    trace, described = run.trace, run.description
    trace.require_work()
    arrays, nodes = described["machine"]["arrays"], described["schedule"]["nodes"]
    wiring, channels = _wiring(trace.hops, arrays, nodes)
    hops = np.bincount(trace.hops["message"], minlength=trace.messages.height)
    program = Program(described["program"]["name"], described["program"]["n"], ((),) * arrays, (), {})
    table = trace.messages
    cargo = table.select("value", "level", "words").unique(maintain_order=True)
    number = joined(table, cargo.with_row_index("cargo"), cargo.columns, "left", nulls=True)["cargo"]
    columns = {name: table[name].to_numpy() for name in table.columns if name not in cargo.columns}
    common = Common(
        cargos=tuple((Value(letter, level, (words,)),) for letter, level, words in cargo.iter_rows()),
        array=columns["source_array"],
        serial=columns["instruction"],
        cargo=number.to_numpy(),
        words=table["words"].to_numpy(),
        target_array=columns["target_array"],
    )
    each = ("source_process", "target_process", "source_node", "target_node", "read_by")
    messages = Messages(
        Paths(np.concatenate([[0], np.cumsum(hops)]), channels),
        common,
        np.arange(table.height),  # each is a transfer of its own
        **{name: columns[name] for name in each},
        source_slot=_NONE,
        slot=_NONE,
    )
    return Schedule(
        flow=Flow(program, ((),) * arrays, (), Slots(()), {}),
        allocation=np.zeros((arrays, 1, 1), dtype=np.int64),
        placed_on=of_description(described["machine"]).network_fields(),
        wiring=wiring,
        tasks=_tasks(trace, arrays),
        messages=messages,
        slot_node=_NONE,
        results={},
    )


def _wiring(hops: pl.DataFrame, arrays: int, nodes: int) -> tuple[Wiring, Integers]:
    """The channels that messages crossed, and the channel of every hop."""
    vertical = (hops["kind"] == "vertical").to_numpy()
    inside = hops.filter(~vertical).select("kind", "wire", "source_node", "target_node")
    crossed = inside.unique(maintain_order=True)
    source, target = (crossed[f"{end}_node"].to_numpy() for end in ("source", "target"))
    begin = crossed["wire"].str.extract(r":(\d+)-").cast(pl.Int64).to_numpy()
    kind = np.array([KINDS.index(kind) for kind in crossed["kind"]], dtype=np.int64)
    wire = crossed["wire"].rank("dense").to_numpy()
    wiring = Wiring(Channels("", nodes, source, target, kind, wire, source != begin), arrays)
    source_array, target_array = (hops[f"{end}_array"].to_numpy() for end in ("source", "target"))
    numbered = joined(inside, crossed.with_row_index("channel"), inside.columns, "left")
    channel = np.empty(hops.height, dtype=np.int64)
    channel[~vertical] = wiring.inside(source_array[~vertical], numbered["channel"].cast(pl.Int64).to_numpy())
    for array, towards in chain.from_iterable(((k, k + 1), (k + 1, k)) for k in range(1, arrays)):
        rows = vertical & (source_array == array) & (target_array == towards)
        channel[rows] = wiring.vertical(array, towards, hops["source_node"].to_numpy()[rows])
    return wiring, channel


def _tasks(trace: Trace, arrays: int) -> tuple[tuple[Task, ...], ...]:
    rows = trace.instructions.iter_rows(named=True)
    needs = _by_instruction(trace, trace.messages, "target_array", "read_by")
    posting = _by_instruction(trace, trace.messages, "source_array", "instruction")
    work = _work(trace)
    tasks: tuple[list[Task], ...] = tuple([] for _ in range(arrays))
    for row, needed, posted, (node, process, executed) in zip(rows, needs, posting, work, strict=True):
        array, serial = row["array"], row["serial"]
        counts = tuple(tuple(map(int, kernel.split())) for kernel in row["operations"].split(", ") if kernel)
        instruction = Recorded(
            row["step"], level=row["level"], operation=row["operation"], counts=counts, executed=executed
        )
        lanes, load = np.unique(node, return_counts=True)
        line, received = Line(instruction, array, serial, process), row["received"]
        posts = range(posted[0], posted[-1] + 1) if len(posted) else range(0)
        tasks[array - 1].append(Task(line, serial, node, (), needed, received, posts, lanes, load))
    return tuple(map(tuple, tasks))


def _by_instruction(trace: Trace, table: pl.DataFrame, array: str, serial: str) -> list[Integers]:
    """Rows of a table by instruction, ascending."""
    keys = trace.instructions.select(pl.col("array").alias(array), pl.col("serial").alias(serial))
    numbered = keys.with_row_index("number")
    number = joined(table, numbered, [array, serial], "left")["number"].to_numpy()
    order = np.argsort(number, kind="stable")
    return np.split(order, np.searchsorted(number[order], np.arange(1, keys.height)))[: keys.height]


def _work(trace: Trace) -> Iterator[tuple[Integers, Integers, Executed]]:
    """By instruction: the nodes, the processes (0 of a node with several), and what each executes."""
    work = trace.activities.filter(pl.col("class") != "receive")
    texts = work["work"].unique(maintain_order=True)
    parts = [[tuple(map(int, part.split())) for part in text.split(", ") if part] for text in texts]
    kinds = tuple({(0,) * len(OPERATIONS): 0, **{part[1:]: 0 for each in parts for part in each}})
    which_of = [
        np.repeat([kinds.index(part[1:]) for part in each], [part[0] for part in each]).astype(np.int64)
        for each in parts
    ]
    text = work["work"].replace_strict(texts, np.arange(len(texts)), return_dtype=pl.Int64).to_numpy()
    node, process = work["node"].to_numpy(), work["process"].fill_null(0).to_numpy()
    for rows, mask in zip(
        _by_instruction(trace, work, "array", "instruction"), trace.instructions["mask"], strict=True
    ):
        if mask:
            pairs = np.array([pair.split(":") for pair in mask.split()], dtype=np.int64)
            yield pairs[:, 0], pairs[:, 1], (kinds, np.zeros(len(pairs), dtype=np.int64))
            continue
        which = [which_of[k] for k in text[rows].tolist()]
        load = [len(each) for each in which]
        executed = kinds, np.concatenate([_NONE, *which])
        yield np.repeat(node[rows], load), np.repeat(process[rows], load), executed

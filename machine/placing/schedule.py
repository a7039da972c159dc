"""`place`: a program, an allocation and a machine become a schedule: still only data, checked.

A schedule says for every issued instruction which processes take part, at which node each of them is at this
level, which messages it awaits, which it posts, and over which channels they travel. A program that cannot
run is refused here, before the first cycle, in the user's terms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from senn.base import files
from senn.base.digest import digest
from senn.base.errors import InputError
from senn.base.tables import html_table
from senn.machine.model import Machine
from senn.machine.model.figures import in_file
from senn.machine.network.arrays import Wiring
from senn.machine.network.named import is_graph_file
from senn.machine.network.topology import Integers, slots
from senn.machine.placing.allocation import checked, residency_of
from senn.machine.placing.messages import Messages, Places, Routes, posted
from senn.machine.program import Compute, Program
from senn.machine.program.dataflow import flow
from senn.machine.program.flow import NONE, Flow, Line
from senn.traces.run import Allocation


@dataclass(frozen=True, eq=False)
class Schedule:
    """A program placed: the tasks of each array's control unit and the messages between their lanes."""

    flow: Flow
    allocation: Integers  # (arrays, M + 1, n)
    placed_on: Mapping[str, str | int | bool]  # the fields of the machine that were read
    wiring: Wiring
    tasks: tuple[tuple[Task, ...], ...]
    messages: Messages
    slot_node: Integers
    results: Mapping[str, Integers]  # by name, the slots of a result, one per process that has it

    @property
    def program(self) -> Program:
        return self.flow.program

    @cached_property
    def every_task(self) -> tuple[Task, ...]:
        """The tasks of all arrays, one array after the other: the rows of the instructions of a trace."""
        return tuple(task for tasks in self.tasks for task in tasks)

    @cached_property
    def first(self) -> Integers:
        """Row of the first task of each array (index array - 1), and of the end."""
        return np.cumsum([0, *map(len, self.tasks)])

    def row(self, array: int, serial: int) -> int:
        """Row of a task."""
        return int(self.first[array - 1]) + serial

    @cached_property
    def senders(self) -> Integers:
        """By message, the row of the task that posts it."""
        return self.first[self.messages.source_array - 1] + self.messages.serial

    @cached_property
    def readers(self) -> Integers:
        """By message, the row of its first reader."""
        return self.first[self.messages.target_array - 1] + self.messages.read_by

    def _repr_html_(self) -> str:
        """HTML of the program, the counts of the schedule, and the allocation."""
        places = Allocation("allocation", residency_of(self.allocation), self.allocation)
        counts = {
            "nodes of an array": self.wiring.nodes,
            "instructions": sum(map(len, self.tasks)),
            "network steps": self.network_steps(),
        }
        return self.program._repr_html_() + html_table(counts.items()) + places._repr_html_()

    def describe(self) -> dict[str, Any]:
        """Program, titles of its parts, allocation, nodes of an array and network steps, for run.json.

        The allocation is `table`, M + 1 rows of nodes, or `tables` where the arrays have different ones.
        """
        first = self.allocation[0]
        shared = bool((self.allocation == first).all())
        titled = self.program.parts.items()  # headings of listings alone have a colon, or braces
        parts = {label: title for label, title in titled if not {".", ":", "{"} & {*label, *title}}
        return {
            "program": described(self.program),
            **({"parts": parts} if parts else {}),
            "allocation": {"table": first.tolist()} if shared else {"tables": self.allocation.tolist()},
            "schedule": {"nodes": self.wiring.nodes, "network_steps": self.network_steps()},
        }

    def refuse(self, machine: Machine) -> None:
        """Refuse a machine on which another schedule would run."""
        for name, value in machine.network_fields().items():
            if self.placed_on[name] != value:
                placed = in_file(self.placed_on[name])
                setting = f"machine.{name}={placed}".replace('"', "")
                raise InputError(
                    f"machine {machine.name} has {name} = {in_file(value)}, but this schedule was placed "
                    f"with {name} = {placed}: messages would go other ways; set {setting}, or make a run on "
                    "that machine"
                )
        _refuse_arrays(self.program, machine)

    def network_steps(self) -> int:
        """Network steps of all sends and arranges, each by itself: one message per channel and step."""
        return sum(self.slots)

    @cached_property
    def slots(self) -> tuple[int, ...]:
        """Network steps of each task by itself, array by array."""
        return tuple(slots(self.messages.paths.part(task.posts)) for task in self.every_task)


def _refuse_arrays(program: Program, machine: Machine) -> None:
    if machine.arrays_at_once and program.arrays > machine.arrays_at_once:
        raise InputError(
            f"the program runs on {program.arrays} arrays at once, but machine {machine.name} has "
            f"{machine.arrays_at_once}: take a program of fewer arrays, or set machine.arrays_at_once"
        )


def described(program: Program) -> dict[str, str | int]:
    """The program for run.json."""
    facts = {name: x for name, x in program.about.items() if isinstance(x, str | int)}
    return {"name": program.name, "n": program.n, **facts}


def place(program: Program | Flow, allocation: ArrayLike, machine: Machine) -> Schedule:
    """Place `program` on `machine` with `allocation`, a table (M + 1, n) of nodes or one for each array.

    To place one program repeatedly, pass its `Flow`, which depends neither on the machine nor on the table.
    Raises InputError where the schedule could not run: an operand that nobody sends, a value that is at
    another node than its reader, a value written twice, a message that nothing reads, a bad table.
    """
    resolved_flow = program if isinstance(program, Flow) else flow(program)
    placed_program = resolved_flow.program
    _refuse_arrays(placed_program, machine)
    network = machine.network_for(placed_program.levels)
    tables = checked(allocation, placed_program.n, network.nodes, placed_program.arrays)
    places = Places.of(resolved_flow, tables)
    routes = Routes(tables, network, machine.routing)
    messages = posted(places, routes)
    results = {name: places.alias[slots] for name, slots in resolved_flow.results.items()}
    fields, placed_tasks = machine.network_fields(), tasks(places, messages)
    return Schedule(
        resolved_flow, tables, fields, routes.wiring, placed_tasks, messages, places.node, results
    )


def hash_of(program: Program, machine: Machine) -> str:
    """SHA-256 of a program, with the operations of a process by kind, and of the network: all that the times
    of a run depend on, beside the allocation and the machine's times."""
    graph = files.content(machine.network) if is_graph_file(machine.network) else None
    streams: list[list[str]] = []
    for stream in program.streams:
        streams.append([])
        for line in stream:
            parts = {"operation": line.operation, **vars(line)}
            if isinstance(line, Compute):
                acts = [kernel.runs_without_operands for kernel in line.expression.kernels]
                counts = tuple(x[: len(x) if any(x[4:]) else 4] for x in line.counts)  # as without roots
                parts["expression"] = line.expression.operands, line.expression.choice, acts, counts
            streams[-1].append(repr(parts))
    return digest([program.n, repr(program.resident), streams, machine.network_fields(), graph])


# ------------------------------------------------------------ tasks


@dataclass(frozen=True, eq=False)
class Task:
    """One instruction that will be issued. Arrays are aligned with `line.processes` unless they are per lane.

    A lane is a node that takes part, for one process or for several.
    """

    line: Line
    serial: int
    nodes: Integers
    reads: tuple[Integers, ...]  # per operand the slot read, -1 where absent
    needs: Integers  # ids of the messages whose first reader this is, ascending
    max_received: int  # the most of them that one lane receives
    posts: range  # ids of the messages it posts
    lanes: Integers  # the nodes that take part, ascending
    load: Integers  # per lane, how many processes it acts for

    @property
    def array(self) -> int:
        return self.line.array

    @property
    def step(self) -> str:
        return self.line.instruction.step


def tasks(places: Places, messages: Messages) -> tuple[tuple[Task, ...], ...]:
    """The tasks of each array's control unit, in the order of issue."""
    message_of = np.full(len(places.alias), NONE, dtype=np.int32)
    message_of[messages.slot] = messages.carrier
    ones = np.broadcast_to(np.int64(1), places.tables.shape[2])
    posted, streams = 0, tuple[list[Task], ...]([] for _ in places.issued)  # ids by (array, serial)
    for serial, line in ((serial, line) for stream in places.issued for serial, line in enumerate(stream)):
        reads, received = line.reads, [np.zeros((0, len(line.processes)), dtype=np.int32)]
        if places.dropped:
            reads = tuple(np.where(read == NONE, np.int32(NONE), places.alias[read]) for read in reads)
        for read in reads:  # by operand, the messages first read here
            first = (places.first_reader[read] == serial) & (read != NONE) & places.flow.slots.message[read]
            if first.any():
                received.append(np.where(first, message_of[read], np.int32(NONE))[None])
        of_process = np.sort(np.concatenate(received), axis=0)
        new = of_process != NONE  # a message that a process reads twice counts once
        new[1:] &= of_process[1:] != of_process[:-1]
        needs = np.sort(of_process[new])
        nodes = places.nodes[line.array - 1][serial]
        load = np.bincount(nodes)
        lanes = np.flatnonzero(load).astype(np.int32)
        task = Task(
            line=line,
            serial=serial,
            nodes=nodes,
            reads=reads,
            needs=needs[np.diff(needs, prepend=NONE) > 0],  # `unique` takes ten times as long
            max_received=int(np.bincount(nodes, np.count_nonzero(new, axis=0)).max(initial=0)),
            posts=range(posted, posted + sum(len(t.sources) for t in line.transfers)),
            lanes=lanes,
            load=load[lanes] if load.max() > 1 else ones[: len(lanes)],
        )
        posted = task.posts.stop
        streams[line.array - 1].append(task)
    return tuple(map(tuple, streams))


# Scores of an allocation: costs of a schedule that are known before the first cycle.


@dataclass(frozen=True)
class Scores:
    """Scores of an allocation, under a program and a network.

    dilation: most hops of a message. congestion: most messages of one instruction on one channel, and in all
    (of the whole program). load: most processes on a node. word_hops: words times hops, of all messages.
    network_steps: as `Schedule.network_steps`. makespan: cycles of a run, or None.
    """

    dilation: int
    congestion: int
    congestion_in_all: int
    load: int
    word_hops: int
    network_steps: int
    makespan: int | None = None


def scores(schedule: Schedule, makespan: int | None = None) -> Scores:
    """The scores of a schedule; with the makespan of a run of it."""
    paths, words = schedule.messages.paths, schedule.messages.words
    sent = [paths.part(task.posts).channels for task in schedule.every_task]
    return Scores(
        dilation=int(paths.hops.max(initial=0)),
        congestion=max((int(np.bincount(channels, minlength=1).max()) for channels in sent), default=0),
        congestion_in_all=int(np.bincount(paths.channels, minlength=1).max()),
        load=max(int(np.bincount(row).max()) for table in schedule.allocation for row in table),
        word_hops=int(np.sum(words * paths.hops, dtype=np.int64)),
        network_steps=schedule.network_steps(),
        makespan=makespan,
    )

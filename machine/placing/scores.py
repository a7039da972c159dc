"""Scores of an allocation: costs of a schedule that are known before the first cycle, in all and by level."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from senn.machine.network.routing import Router
from senn.machine.network.topology import Integers, slots
from senn.machine.placing.messages import exchanges
from senn.machine.placing.schedule import Schedule, sums


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
    return Scores(
        dilation=int(paths.hops.max(initial=0)),
        congestion=int(_congestions(schedule).max(initial=0)),
        congestion_in_all=int(np.bincount(paths.channels, minlength=1).max()),
        load=int(max(_loads(schedule))),
        word_hops=int(np.sum(words * paths.hops, dtype=np.int64)),
        network_steps=schedule.network_steps(),
        makespan=makespan,
    )


def scores_by_level(schedule: Schedule) -> pl.DataFrame:
    """Scores for each row of the allocation, by the row at which messages are sent: 0 is home.

    Columns level, messages, hops, dilation, congestion (of one instruction), load, word_hops, network_steps.
    """
    m, row = schedule.messages, _rows(schedule)
    hops = m.paths.hops
    tasks = [task for tasks in schedule.tasks for task in tasks]
    at = np.array([task.line.instruction.at for task in tasks], dtype=np.int64)
    size = schedule.allocation.shape[1]
    return pl.DataFrame(
        {
            "level": np.arange(size),
            "messages": np.bincount(row, minlength=size),
            "hops": sums(hops, row, size),
            "dilation": _most(hops, row, size),
            "congestion": _most(_congestions(schedule), at, size),
            "load": _loads(schedule),
            "word_hops": sums(m.words * hops, row, size),
            "network_steps": sums(np.array(schedule.slots, dtype=np.int64), at, size),
        }
    )


def partner_slots(table: Integers, router: Router) -> list[int]:
    """By level: the slots that one message each way between all partners i and i + h needs, all posted at
    once, one message per channel and slot. ``table`` is (M + 1, n), ``router`` that of its network."""
    levels = enumerate(table[1:])
    return [slots(router.paths(*exchanges(1 << level, row, row))) for level, row in levels]


def processes_leaving(table: Integers) -> list[int]:
    """By level: the most processes of a node whose partner i + h is on another. ``table`` is (M + 1, n)."""
    shifts = [(row[: -(1 << level)], row[1 << level :]) for level, row in enumerate(table[1:])]
    return [int(np.bincount(here, here != there).max()) for here, there in shifts]


def _rows(schedule: Schedule) -> Integers:
    """The row of the allocation at which each message is sent."""
    row = np.zeros(len(schedule.messages), dtype=np.int64)
    for task in (task for tasks in schedule.tasks for task in tasks):
        row[task.posts.start : task.posts.stop] = task.line.instruction.at
    return row


def _congestions(schedule: Schedule) -> Integers:
    """The most messages on one channel, by task, array by array."""
    paths = schedule.messages.paths
    posts = (task.posts for tasks in schedule.tasks for task in tasks)
    crossed = (paths.channels[paths.offsets[ids.start] : paths.offsets[ids.stop]] for ids in posts)
    return np.array([np.bincount(channels, minlength=1).max() for channels in crossed], dtype=np.int64)


def _loads(schedule: Schedule) -> list[int]:
    """The most processes on a node, by row, over the arrays."""
    return [
        max(int(np.bincount(row).max()) for row in rows) for rows in schedule.allocation.transpose(1, 0, 2)
    ]


def _most(numbers: Integers, row: Integers, size: int) -> Integers:
    most = np.zeros(size, dtype=np.int64)
    np.maximum.at(most, row, numbers)
    return most

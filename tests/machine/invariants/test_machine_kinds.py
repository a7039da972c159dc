"""The trace of one kind of machine is none of another: the invariants tell them apart, and notice a change.

On every kind the good trace is sound; read as that of another, or altered, it is not.
"""

import re
from functools import cache
from typing import Any

import polars as pl
import pytest

from senn.algorithms.programs import variants
from senn.machine import model
from senn.machine.engines.events import simulate
from senn.machine.invariants import INVARIANTS, Reading, Violation, check
from senn.machine.model import Machine
from senn.machine.placing import allocation
from senn.machine.placing.schedule import Schedule, place
from senn.traces.record import Trace
from tests.machine.invariants.altered import Change, add, altered, drop

BUSY = model.load("mark3").with_settings({"timing.receive": 2, "timing.startup": 50, "timing.word": 200})
KINDS: dict[str, dict[str, Any]] = {
    "plain": {},
    "cut": {"machine.switching": "cut-through", "timing.hop": 30},
    "half": {"machine.duplex": "half"},
    "bus": {"machine.vertical": "bus"},
    "blocking": {"machine.dma": False},
    "priority": {"machine.discipline": "priority"},
    "deadline": {"machine.discipline": "deadline"},
    "mimd": {"machine.control": "mimd"},
    "one port, half": {"machine.ports": "one", "machine.duplex": "half"},
}


@cache
def made(kind: str) -> tuple[Schedule, Machine, Trace]:
    on = BUSY.with_settings(KINDS[kind])
    schedule = place(variants.closed_chain(8), allocation.named("identity", 8, "home"), on)
    return schedule, on, simulate(schedule, on, None).trace


@pytest.mark.parametrize("kind", KINDS)
def test_the_trace_of_every_kind_is_sound(kind: str) -> None:
    """Else nothing below would prove anything."""
    check(*made(kind))


@pytest.mark.parametrize(
    ("trace", "machine", "invariant", "text"),
    [
        ("plain", "cut", "I3", "I3: message .* occupied"),
        ("plain", "cut", "I4", "I4: message .* but it was there in"),
        ("cut", "plain", "I1", "I1: message .* is there in cycle"),
        ("plain", "half", "I3", "I3: channel .* but the wire or bus is occupied until"),
        ("half", "plain", "I5", "I5: channel .* idle until cycle"),
        ("plain", "bus", "I3", "I3: channel vertical:.* but the channel or bus is occupied until"),
        ("bus", "plain", "I5", "I5: channel vertical:.* idle until cycle"),
        ("plain", "blocking", "I4", "I4: .* sent before it without DMA, arrives in"),
        ("blocking", "plain", "I7", "I7: .* did not end this stall"),
        ("plain", "priority", "I6", "I6: channel .* before message"),
        ("plain", "deadline", "I6", "I6: channel .* before message"),
        ("priority", "plain", "I6", "I6: channel .* before message"),
        ("plain", "mimd", "I7", "I7: .* has a stall, but every node its own"),
        ("mimd", "plain", "I7", "I7: .* the stall is not issue|before its predecessor ends"),
        ("plain", "one port, half", "I3", "I3: channel .* is occupied until"),
        ("half", "one port, half", "I3", "I3: channel .* but the port (in|out) is occupied until"),
        ("one port, half", "half", "I5", "I5: channel .* idle until cycle"),
    ],
)
def test_one_kind_is_not_another(trace: str, machine: str, invariant: str, text: str) -> None:
    """The invariant in question says what is wrong."""
    schedule, on, _ = made(machine)
    with pytest.raises(Violation, match=text):
        INVARIANTS[invariant](Reading(schedule, on, made(trace)[2]))


def _first(trace: Trace, table: str, where: pl.Expr) -> int:
    return int(trace.table(table).select(where.arg_true().first()).item())


MIMD = made("mimd")[2]
LATE = _first(MIMD, "activities", pl.col("start") == pl.col("start").max())
HOP = _first(made("cut")[2], "hops", pl.col("hop") == 1)
MUTATIONS: dict[str, tuple[str, str, Change, str]] = {
    # what was done: (kind, table, change, what the invariant that must notice says, its name first)
    "a node dawdles": (
        "mimd",
        "activities",
        add(LATE, start=1, end=1),
        r"I7: node \d of array 2 issues .* but its predecessor and its messages are ready in",
    ),
    "a node takes longer": ("mimd", "activities", add(LATE, end=1), r"I10: .* node \d works from"),
    "a row is too short": ("mimd", "instructions", add(5, end=-1), "I10: .* said to go from cycle"),
    "a node is missing": (
        "mimd",
        "activities",
        drop(7),
        "I10: .* the lanes at work are not those of its mask",
    ),
    "a post is early": ("mimd", "messages", add(0, posted=-1), "I4: message 0, .* is posted in cycle"),
    "a read is early": ("mimd", "messages", add(9, read_at=-1), "I1: message 9, .* is read in cycle"),
    "a head hurries": (
        "cut",
        "hops",
        add(HOP, queued=-1, start=-1, end=-1),
        "I4: message .* it was there in",
    ),
    "a tail lags": ("cut", "hops", add(HOP, end=1), "I3: message .* occupied"),
}


@pytest.mark.parametrize("what", MUTATIONS)
def test_an_altered_trace_is_noticed(what: str) -> None:
    """By the invariant that speaks of it; `check` as a whole lets nothing pass."""
    kind, table, change, text = MUTATIONS[what]
    schedule, on, sound = made(kind)
    trace, invariant = altered(sound, table, change), text.partition(":")[0]
    with pytest.raises(Violation, match=text):
        INVARIANTS[invariant](Reading(schedule, on, trace))
    with pytest.raises(Violation):
        check(schedule, on, trace)


def test_the_communication_of_nodes_that_issue_by_themselves_splits() -> None:
    """I8: an activity that is lost, under which a channel was busy, leaves cycles without an account."""
    schedule, on, trace = made("mimd")
    hops = trace.hops.select(
        pl.col("source_array").alias("array"), pl.col("source_node").alias("node"), "start", "end"
    )
    over = trace.activities.with_row_index("row").join(hops, on=["array", "node"])
    over = over.filter((pl.col("start") < pl.col("end_right")) & (pl.col("start_right") < pl.col("end")))
    row = int(over.filter(pl.col("end") > pl.col("start") + 1)["row"][0])
    short = altered(trace, "activities", add(row, end=-1))
    with pytest.raises(Violation, match=re.escape("I8: the DMA of node")):
        INVARIANTS["I8"](Reading(schedule, on, short))

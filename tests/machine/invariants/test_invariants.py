"""The invariants hold on the runs of the algorithm, and every one of them can fail."""

import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from senn.algorithms.programs import variants
from senn.base.errors import InputError
from senn.machine import model
from senn.machine.engines import lockstep
from senn.machine.engines.events import simulate
from senn.machine.invariants import (
    INVARIANTS,
    Reading,
    Violation,
    check,
    check_free_network,
    check_repeats,
    free_network,
)
from senn.machine.model import Machine
from senn.machine.placing import allocation
from senn.machine.placing.schedule import Schedule, place
from senn.machine.program import PR1, PR2, Compute, Send, Value, i
from senn.traces import analysis
from senn.traces.record import Trace
from senn.traces.run import Run
from tests.machine.invariants.altered import Change, add, altered, drop
from tests.machine.random_programs import case
from tests.machine.small_programs import home, machine, program, total

MARK3 = model.load("mark3")


# ------------------------------------------------------------- they hold


def test_the_random_programs_are_worth_the_name() -> None:
    """They have messages over several hops, between arrays and without hops, queues, waits and names."""
    sizes, kinds, waited = [], set(), 0
    for seed in range(20):
        program_, table, machine_, _ = case(seed)
        trace = simulate(place(program_, table, machine_), machine_, None).trace
        sizes.append(trace.hops.group_by("message").len()["len"].max() or 0)
        kinds |= set(trace.hops["kind"]) | {type(one).__name__ for s in program_.streams for one in s}
        kinds |= {"local"} if trace.messages.height > trace.hops["message"].n_unique() else set()
        waited += int((trace.hops["start"] > trace.hops["queued"]).any())
    assert max(sizes) >= 5
    assert kinds >= {
        *("exchange", "neighbor", "shuffle", "vertical", "local", "Wait", "Arrange", "Name", "Send")
    }
    assert waited > 10


def test_the_random_machines_say_everything_that_a_machine_can() -> None:
    """Every value of every field that concerns channels and control is among those of the tests above."""
    drawn = [case(seed)[2] for seed in range(60)]
    fields = ("ports", "duplex", "switching", "dma", "vertical", "control", "discipline")
    for field in fields:
        assert {getattr(one, field) for one in drawn} == set(model.SUPPORTED[field])
    assert any(one.timing.hop.denominator > 1 for one in drawn)


def test_a_schedule_that_cannot_end_has_no_free_network() -> None:
    """Two arrays that wait for each other are found without an engine too."""
    x, y, p, q = (Value(name, None, (1,)) for name in "xypq")
    circle = program(
        1,
        [Compute("I.1", p, total(1)(y)), Send("I.2", x, PR2[i])],
        [Compute("II.1", q, total(1)(x)), Send("II.2", y, PR1[i])],
        resident=[(x, 1), (y, 2)],
    )
    with pytest.raises(
        Violation, match=re.escape("I12: array 1 waits at I.1 for a message that is never posted")
    ):
        free_network(place(circle, home(1), machine()), machine())


# ------------------------------------------------------------- every one of them can fail


def _good() -> tuple[Schedule, Machine, Trace]:
    machine_ = MARK3.with_settings({"timing.receive": 2, "timing.startup": 50, "timing.word": 40})
    schedule = place(variants.closed_chain(5), allocation.named("identity", 5, "migrating"), machine_)
    return schedule, machine_, simulate(schedule, machine_, None).trace


SCHEDULE, MACHINE, TRACE = _good()


def _row(table: str, where: pl.Expr) -> int:
    """The first row of a table of the good trace where something holds."""
    return int(TRACE.table(table).select(where.fill_null(value=False).arg_true().first()).item())


def _pair() -> tuple[int, int]:
    """Rows of two hops that follow each other on a channel without a gap; both were queued before."""
    hops = TRACE.hops.with_row_index("row").sort(
        "source_array", "source_node", "target_array", "wire", "start"
    )
    one, two = hops[:-1].rows(named=True), hops[1:].rows(named=True)
    for a, b in zip(one, two, strict=True):
        same = all(a[key] == b[key] for key in ("source_array", "source_node", "target_array", "wire"))
        if same and a["end"] == b["start"] and a["end"] - a["start"] == b["end"] - b["start"]:
            return int(a["row"]), int(b["row"])
    raise AssertionError("no queue in the good trace")


FIRST, SECOND = _pair()
MANY_HOPS = _row("hops", pl.col("hop") == 1)
STALLED = _row("instructions", pl.col("stall") > 0)
WORKING = _row("activities", pl.col("class") == "compute")
RECEIVING = _row("activities", pl.col("class") == "receive")
LAST_STALL = int(TRACE.instructions.select((pl.col("stall") > 0).arg_true().last()).item())
LAST_RELEASE = int(TRACE.instructions["released_by"][LAST_STALL])
LENGTH = int(TRACE.hops["end"][FIRST] - TRACE.hops["start"][FIRST])
LAST_IN_CHANNEL = _row(
    "hops",
    pl.col("start") == pl.col("start").max().over("source_array", "source_node", "target_array", "wire"),
)


def _hiding() -> int:
    """Row of a compute under which the node's DMA is busy."""
    of = ["array", "node"]
    hops = TRACE.hops.select(
        pl.col("source_array").alias("array"), pl.col("source_node").alias("node"), "start", "end"
    )
    computes = TRACE.activities.with_row_index("row").filter(pl.col("class") == "compute")
    under = computes.join(hops, on=of).filter(
        (pl.col("start") < pl.col("end_right")) & (pl.col("start_right") < pl.col("end"))
    )
    return int(under["row"][0])


HIDING = _hiding()


def _swap_two_services(hops: pl.DataFrame) -> pl.DataFrame:
    return add(SECOND, start=-LENGTH, end=-LENGTH)(add(FIRST, start=LENGTH, end=LENGTH)(hops))


def _two_at_once_for_ever(hops: pl.DataFrame) -> pl.DataFrame:
    horizon = 10 * int(TRACE.instructions["end"].max())  # type: ignore[arg-type]
    return add(SECOND, end=horizon)(add(FIRST, end=horizon)(hops))


def _later(column: str, by: int) -> Change:
    return lambda table: table.with_columns(pl.col(column) + by)


def _halved(instructions: pl.DataFrame) -> pl.DataFrame:
    return instructions.with_columns(pl.col("issue") // 3, pl.col("end") // 3)


MUTATIONS: dict[str, tuple[str, Change, str]] = {
    # what was done: (table, change, what the invariant that must notice says, its name first)
    "an instruction is lost": ("instructions", drop(3), "I1: the trace has"),
    "a message is lost": ("messages", drop(7), "I14: message 7 of the trace: id 8"),
    "a message goes elsewhere": ("messages", add(4, target_node=1), "I14: message 4 .* target_node"),
    "a message is longer": (
        "messages",
        add(4, words=1),
        "I14: message 4 .* words 22, .*; the text .* words 21",
    ),
    "a hop is lost": ("hops", drop(MANY_HOPS), "I14: .* which is no way of routing lowest"),
    "a hop is that of no message": ("hops", add(0, message=10**6), "I14: hop 0 of message 1000"),
    "a hop has another number": ("hops", add(MANY_HOPS, hop=1), "I14: hop 2 of message .* follows 1 hops"),
    "a hop ends at another node": ("hops", add(5, target_node=1), "I14: .* no way of routing"),
    "a hop ends in another array": ("hops", add(5, target_array=1), "I14: .* no way of routing"),
    "a message arrives late": ("messages", add(9, arrived=1), "I1: message 9, .* is there in cycle"),
    "another reader is named": ("messages", add(9, read_by=1), "I14: message 9 .* read_by"),
    "another cycle of reading": ("messages", add(9, read_at=1), "I1: message 9, .* is read in cycle"),
    "an engine does two things": (
        "activities",
        add(WORKING, end=10**9),
        r"I2: node \d of array 1 works on instruction .* but is busy until",
    ),
    "an engine works backward": ("activities", add(WORKING, end=-(10**9)), "I2: node"),
    "a channel is occupied too long": ("hops", add(5, end=1), "I3: message .* occupied"),
    "a channel serves two at once": ("hops", add(SECOND, start=-1, end=-1), "I3: .* the channel is occupied"),
    "a message is posted too early": ("messages", add(0, posted=-1), "I4: message 0, .* is posted in cycle"),
    "a hop starts before the message is there": (
        "hops",
        add(MANY_HOPS, start=-1, end=-1, queued=-1),
        "I4: message .* but it was there in",
    ),
    "another queueing is named": ("hops", add(MANY_HOPS, queued=-1), "I4: message .* queued in"),
    "another grant is named": ("messages", add(0, granted=1), "I4: message 0, .* is granted in"),
    "an instruction does not wait": (
        "instructions",
        add(STALLED, issue=-1),
        "I4: .* is issued in cycle .* and reads message .* which arrives in",
    ),
    "a channel idles": (
        "hops",
        add(LAST_IN_CHANNEL, start=3, end=3),
        "I5: channel .* idle until cycle .* but a message waits since",
    ),
    "a queue is served out of order": ("hops", _swap_two_services, "I6: channel .* before message"),
    "a stall is misstated": ("instructions", add(STALLED, stall=1), "I7: .* the stall is not issue"),
    "a stall does not add up": ("instructions", add(STALLED, exposed=1), "I7: .* exposed are not the stall"),
    "waiting is misattributed": (
        "instructions",
        add(STALLED, exposed=-1, dependency_wait=1),
        "I7: .* cycles of it are exposed",
    ),
    "another message ends it": (
        "instructions",
        add(STALLED, released_by=-1),
        "I7: .* did not end this stall",
    ),
    "instructions overlap": ("instructions", add(3, issue=-1), "I7: .* before its predecessor ends"),
    "nothing ends the stall": (
        "instructions",
        lambda table: table.with_columns(
            pl.when(pl.int_range(pl.len()) != STALLED).then(pl.col("released_by")).alias("released_by")
        ),
        "I7: .* a stall has a message that ends it",
    ),
    "a node does nothing": ("activities", drop(WORKING), r"I7: node \d of array 1 accounts for"),
    "a node has nothing to hide behind": (
        "activities",
        drop(HIDING),
        r"I8: the DMA of node \d of array \d is",
    ),
    "the critical path breaks": (
        "instructions",
        add(LAST_STALL, released_by=-LAST_RELEASE),
        "I9: the critical path breaks before",
    ),
    "its hops break": ("messages", _later("arrived", 1), "I9: the hops of message"),
    "a lane takes longer": ("activities", add(WORKING, end=1), r"I10: .* node \d works from"),
    "a lane receives late": ("activities", add(RECEIVING, start=1), r"I10: .* node \d works from"),
    "a lane is missing": ("activities", drop(WORKING), "I10: .* the lanes at work are not those"),
    "a lane does not receive": ("activities", drop(RECEIVING), "I10: .* the lanes at work"),
    "the last lane is missing": (
        "activities",
        drop(TRACE.activities.height - 1),
        "I10: .* not those of its mask",
    ),
    "an instruction takes longer": ("instructions", add(3, end=1), "I10: .* said to go from cycle"),
    "an array ends too early": (
        "instructions",
        _later("issue", -(10**6)),
        "I11: array 1 ends in cycle .* but its instructions take",
    ),
    "a channel is too busy": (
        "hops",
        _two_at_once_for_ever,
        "I11: channel .* is busy .* cycles, but all is over",
    ),
    "all goes faster than the work takes": (
        "instructions",
        _halved,
        "I12: the run ends in cycle .* but a free network takes",
    ),
    "a message names another writer": (
        "messages",
        add(9, process=1),
        r"I14: message 9 of the trace: .* process 2, source_process 1, .*; the text .* process 1, source_p",
    ),
    "another receiver is named": (
        "messages",
        add(9, target_process=1),
        "I14: message 9 of .* target_process",
    ),
    "a message more than the text asks for": (
        "messages",
        lambda table: pl.concat([table, add(0, id=table.height)(table)[:1]]),
        "I14: message .* the text of the program asks for: no more",
    ),
    "a node acts for another process": (
        "activities",
        add(WORKING, process=1),
        "I14: activity .* process 2; the text .* process 1",
    ),
    "a node receives for another": ("activities", add(RECEIVING, process=1), "I14: activity of receiving"),
    "an instruction names another level": ("instructions", _later("level", 1), "I14: instruction .* level 2"),
    "a message takes a parallel wire": (
        "hops",
        lambda table: table.with_columns(pl.col("wire").str.replace("shuffle:1-2", "neighbor:1-2")),
        "I14: message .* which is no way of routing lowest from node",
    ),
}


def _noticing(what: str) -> str:
    """The invariant that must notice; that all is issued is the first part of I1."""
    return "issued" if what == "an instruction is lost" else MUTATIONS[what][2].partition(":")[0]


def test_the_trace_that_is_altered_below_is_sound() -> None:
    """Else the mutations would prove nothing."""
    check(SCHEDULE, MACHINE, TRACE)


@pytest.mark.fast(every=1)
@pytest.mark.parametrize("startup", [10**7, 10**10])
@pytest.mark.parametrize("settings", [{}, {"machine.ports": "one"}, {"machine.control": "mimd"}])
def test_times_that_need_more_than_32_bits(settings: dict[str, str], startup: int) -> None:
    """A message takes seconds. Nodes and channels are numbered in 32 bits; times are not, nor is their
    product, the place of a node's cycle on the one axis of all nodes."""
    on = MACHINE.with_settings({"timing.startup": startup, **settings})
    schedule = place(variants.closed_chain(5), allocation.named("identity", 5, "migrating"), on)
    trace = simulate(schedule, on, None).trace
    assert trace.instructions["end"].max() > 10 * startup
    check(schedule, on, trace)
    if on.ports == "all":
        assert lockstep.simulate(schedule, on, None).trace.hash == trace.hash
        less = lockstep.simulate(schedule, on, None, detail="instructions").summary
        assert less == analysis.summary(trace)


@pytest.mark.parametrize("what", MUTATIONS)
def test_an_altered_trace_violates_the_invariant_that_speaks_of_it(what: str) -> None:
    """The invariant in question notices, in its own words, and `check` as a whole lets nothing pass."""
    table, change, text = MUTATIONS[what]
    trace = altered(TRACE, table, change)
    with pytest.raises(Violation, match=text):
        INVARIANTS[_noticing(what)](Reading(SCHEDULE, MACHINE, trace))
    with pytest.raises(Violation):
        check(SCHEDULE, MACHINE, trace)


def test_every_invariant_of_a_trace_has_an_alteration_that_it_notices() -> None:
    """The list above is complete."""
    assert set(map(_noticing, MUTATIONS)) == set(INVARIANTS)


def test_a_slot_that_two_messages_fill_is_noticed() -> None:
    """I1, of the schedule itself."""
    slots = SCHEDULE.messages.slot.copy()
    slots[1] = slots[0]
    twice = replace(SCHEDULE, messages=replace(SCHEDULE.messages, slot=slots))
    with pytest.raises(Violation, match=r"I1: \(I_1\)\^-1 is written twice in array 2"):
        INVARIANTS["I1"](Reading(twice, MACHINE, TRACE))


def test_a_message_that_nothing_reads_is_noticed() -> None:
    """I1: without its readers, the message has no first reader."""
    read = SCHEDULE.messages.slot[0]
    tasks = tuple(
        tuple(replace(task, reads=tuple(np.where(x == read, -1, x) for x in task.reads)) for task in stream)
        for stream in SCHEDULE.tasks
    )
    with pytest.raises(Violation, match=r"I1: message 0, .* is never read"):
        INVARIANTS["I1"](Reading(replace(SCHEDULE, tasks=tasks), MACHINE, TRACE))


def test_with_one_port_channels_may_idle_but_ports_may_not() -> None:
    """A trace of one kind of machine is none of the other: I5 and I3 speak of ports as well."""
    one = MACHINE.with_settings({"machine.ports": "one"})
    trace = simulate(SCHEDULE, one, None).trace
    check(SCHEDULE, one, trace)
    with pytest.raises(Violation, match="I5: channel"):
        INVARIANTS["I5"](Reading(SCHEDULE, MACHINE, trace))
    with pytest.raises(Violation, match=r"I3: channel .* but the port (in|out) is occupied until"):
        INVARIANTS["I3"](Reading(SCHEDULE, one, TRACE))
    last = int(trace.hops["start"].arg_max())  # type: ignore[arg-type]
    late = altered(trace, "hops", add(last, start=3, end=3))
    with pytest.raises(Violation, match=r"I5: channel .* idle until cycle \d+ with free ports"):
        INVARIANTS["I5"](Reading(SCHEDULE, one, late))


def test_a_trace_without_hops_cannot_be_checked() -> None:
    """The way out is in the text."""
    with pytest.raises(InputError, match="run again with detail 'full'"):
        check(SCHEDULE, MACHINE, TRACE.at_detail("instructions"))


def test_an_engine_that_differs_from_run_to_run_is_noticed() -> None:
    """I13, with an engine whose network gets slower."""
    slower = iter((MACHINE, MACHINE.with_settings({"timing.startup": 51})))

    def tired(schedule: Schedule, machine: Machine, memory: None) -> Run:
        return simulate(schedule, next(slower), memory)

    with pytest.raises(Violation, match="I13: two runs leave different traces"):
        check_repeats(SCHEDULE, MACHINE, tired)


def test_an_engine_that_charges_for_a_free_network_is_noticed() -> None:
    """I12, with an engine that does not look at alpha and beta."""
    with pytest.raises(Violation, match=r"I12: a free network takes \d+ cycles, but T0 is"):
        check_free_network(
            SCHEDULE, MACHINE, lambda schedule, machine, memory: simulate(schedule, MACHINE, memory)
        )

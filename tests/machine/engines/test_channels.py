"""What a machine can say about its channels and its control, worked by hand on few nodes, in both engines.

The round machine: an addition takes a cycle, a post one, a message 10 on a channel, unless said otherwise.
"""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from senn.algorithms import problems
from senn.algorithms.programs import variants
from senn.algorithms.programs.numerics import memory
from senn.base.errors import InputError
from senn.machine import model
from senn.machine.engines import events, lockstep
from senn.machine.engines.control import Deadlock
from senn.machine.invariants import check, free_network
from senn.machine.model import Machine
from senn.machine.placing import allocation
from senn.machine.placing.schedule import place
from senn.machine.program import PR1, PR2, Compute, Program, Send, Value, i
from senn.traces import analysis
from senn.traces.pictures.phases import phases
from senn.traces.run import Run
from tests.machine.small_programs import elimination, home, machine, program, total
from tests.machine.tampering import tampered

X, Y, Z, P, Q = (Value(name, None, (1,)) for name in "xyzpq")
X5, X8, Y8 = Value("u", None, (5,)), Value("v", None, (8,)), Value("w", None, (8,))
ENGINES = {"events": events.simulate, "lockstep": lockstep.simulate}

both_engines = pytest.mark.parametrize("simulate", ENGINES.values(), ids=ENGINES)
Simulate = Callable[..., Run]


def run(simulate: Simulate, what: Program, on: Machine) -> Run:
    """Checked by the invariants as well."""
    schedule = place(what, home(what.n), on)
    made = simulate(schedule, on, None)
    check(schedule, on, made.trace)
    return made


def issues(made: Run, array: int = 1) -> list[tuple[str, int]]:
    return list(made.trace.instructions.filter(array=array)["step", "issue"].iter_rows())


def arrivals(made: Run) -> list[int]:
    return made.trace.messages["arrived"].to_list()


# ------------------------------------------------------------- switching


CUT = {"startup": 20, "word": 1, "hop": 3, "switching": "cut-through"}


@both_engines
def test_cut_through_pays_the_start_up_once_and_the_words_once(simulate: Simulate) -> None:
    """Posted in 1, at the first channel in 21, at the next 3 later while the 5 words still cross the first;
    there 3 + 5 after the second grant. Store-and-forward would take 1 + 2 (20 + 5)."""
    what = program(
        4, [Send("I.1", X5, PR1[i + 2]), Compute("I.2", Y8, total(1)(X5[i - 2]))], resident=[(X5, 1, i == 1)]
    )
    made = run(simulate, what, machine(**CUT))
    columns = made.trace.hops["source_node", "target_node", "queued", "start", "end"]
    assert list(columns.iter_rows()) == [(0, 1, 21, 21, 26), (1, 2, 24, 24, 29)]
    assert arrivals(made) == [32]
    path = analysis.critical_path(made.trace, made.description["machine"])
    assert [(p.start, p.end, p.label) for p in path] == [
        (0, 1, "post"),
        (1, 21, "startup"),
        (21, 24, "hop"),
        (24, 27, "hop"),
        (27, 32, "words"),
        (32, 33, "compute"),
    ]


@both_engines
def test_a_message_under_way_is_served_before_one_that_is_posted_as_it_arrives(simulate: Simulate) -> None:
    """x goes from 0 over 1 to 2, posted in 1; y from 1 to 2, posted in 11, when x is there: x is first."""
    what = program(
        4,
        [
            Send("I.1", X, PR1[i + 2]),
            Compute("I.2", Z, total(9)(Y)),
            Send("I.3", Y, PR1[i + 1]),
            Compute("I.4", P, total(1)(Y[i - 1])),
            Compute("I.5", Q, total(1)(X[i - 2])),
        ],
        resident=[(X, 1, i == 1), (Y, 1, i == 2)],
    )
    assert arrivals(run(simulate, what, machine())) == [21, 31]


def _overtaken() -> Program:
    """8 words from node 1 to 2, posted in 1; 5 words from 0 over 1 to 2, posted in 2."""
    return program(
        4,
        [
            Send("I.1", X8, PR1[i + 1]),
            Send("I.2", X5, PR1[i + 2]),
            Compute("I.3", Y8, total(1)(X8[i - 1])),
            Compute("I.4", Value("t", None, (5,)), total(1)(X5[i - 2])),
        ],
        resident=[(X8, 1, i == 2), (X5, 1, i == 1)],
    )


@both_engines
def test_a_head_that_finds_its_channel_occupied_waits_in_a_buffer(simulate: Simulate) -> None:
    """The 8 words hold channel 1 -> 2 from 21 to 29, so the head that is there in 25 waits until 29; its tail
    moves up meanwhile: 5 words in the buffer of node 1."""
    made = run(simulate, _overtaken(), machine(**CUT))
    assert arrivals(made) == [21 + 3 + 8, 29 + 3 + 5]
    assert list(made.trace.hops["queued", "start", "end"].iter_rows()) == [
        (21, 21, 29),
        (22, 22, 27),
        (25, 29, 34),
    ]
    assert analysis.peak_buffer(made.trace) == 5
    path = analysis.critical_path(made.trace, made.description["machine"])
    assert [(p.start, p.end, p.label, p.message) for p in path] == [
        (0, 1, "post", None),
        (1, 21, "startup", 0),
        (21, 29, "words", 0),  # until they have left the channel, the head of the other waits
        (29, 32, "hop", 1),
        (32, 37, "words", 1),
        (37, 38, "compute", None),
    ]


def test_nothing_waits_in_a_buffer_where_channels_are_free() -> None:
    made = run(events.simulate, _overtaken(), machine(startup=0, word=0))
    assert analysis.peak_buffer(made.trace) == 0


@both_engines
def test_the_charges_of_another_machine_do_not_fit_the_path(simulate: Simulate) -> None:
    """`critical_path` is told start-up and hop; with wrong ones the hops do not join, and it says so."""
    made = run(simulate, _overtaken(), machine(**CUT))
    for startup, hop in ((20, 2), (19, 3), (20, 0)):
        with pytest.raises(InputError, match="startup and hop must be those of the machine that ran"):
            analysis.critical_path(made.trace, {"startup": startup, "hop": hop})


SLOTS = {8: (300, 266), 16: (600, 412), 32: (1080, 638), 64: (1740, 1026)}


@both_engines
@pytest.mark.parametrize("n", SLOTS)
@pytest.mark.parametrize("kind", ["store-and-forward", "cut-through"])
def test_home_traffic_takes_the_cycles_of_an_independent_program(
    kind: str, n: int, simulate: Simulate
) -> None:
    """40 words from every process to both partners of a level, all at cycle 0, routed greedily; the last
    arrival, summed over levels, was worked out by a program of its own before this one existed."""
    block, there, back = (Value(name, None, (40,)) for name in "abc")
    cut = {"hop": 2, "switching": kind} if kind == "cut-through" else {}
    on = machine(startup=20, word=1, post=0, routing="greedy", **cut)
    total_cycles = 0
    for level in range(1, n.bit_length()):
        h = 2 ** (level - 1)
        other = Value("d", None, (40,))
        what = program(
            n,
            [
                Send("I.1", block, PR1[i + h]),
                Send("I.2", other, PR1[i - h]),
                Compute("I.3", there, total(0)(block[i - h])),
                Compute("I.4", back, total(0)(other[i + h])),
            ],
            resident=[(block, 1), (other, 1)],
        )
        made = simulate(place(what, home(n), on), on, None)
        total_cycles += max(arrivals(made))
    assert total_cycles == SLOTS[n][kind == "cut-through"]


# ------------------------------------------------------------- duplex, vertical


def _both_ways() -> Program:
    return program(
        2,
        [
            Send("I.1", X, PR1[i + 1]),
            Send("I.2", Y, PR1[i - 1]),
            Compute("I.3", P, total(1)(X[i - 1])),
            Compute("I.4", Q, total(1)(Y[i + 1])),
        ],
        resident=[(X, 1, i == 1), (Y, 1, i == 2)],
    )


@both_engines
@pytest.mark.parametrize(("duplex", "last"), [("full", 12), ("half", 21)])
def test_half_duplex_takes_turns_on_a_wire(duplex: str, last: int, simulate: Simulate) -> None:
    """x goes one way from 1 to 11; y, posted in 2, crosses meanwhile or after it."""
    assert arrivals(run(simulate, _both_ways(), machine(duplex=duplex))) == [11, last]


def _up_and_down() -> Program:
    return program(
        2,
        [Send("I.1", X, PR2[i]), Compute("I.2", P, total(1)(Y))],
        [Send("II.1", Y, PR1[i]), Compute("II.2", Q, total(1)(X))],
        resident=[(X, 1), (Y, 2)],
    )


@both_engines
@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, [11, 11, 11, 11]),
        ({"duplex": "half"}, [11, 11, 21, 21]),
        ({"vertical": "bus"}, [11, 21, 31, 41]),
        ({"vertical": "bus", "duplex": "half"}, [11, 21, 31, 41]),
    ],
)
def test_a_bus_carries_one_message_between_two_arrays(
    settings: dict[str, Any], expected: list[int], simulate: Simulate
) -> None:
    """Two nodes, both ways, all posted in 1. Arrays whose messages meet are solved together by lockstep."""
    assert arrivals(run(simulate, _up_and_down(), machine(**settings))) == expected


# ------------------------------------------------------------- dma


@both_engines
def test_without_dma_a_send_returns_on_delivery(simulate: Simulate) -> None:
    """x is posted in 1 and there in 11. With DMA the work goes on in 1; without, in 11, and the time is an
    exposed stall ended by the message itself."""
    what = program(
        2,
        [Send("I.1", X, PR1[i + 1]), Compute("I.2", Z, total(5)(X)), Compute("I.3", P, total(1)(X[i - 1]))],
        resident=[(X, 1, i == 1)],
    )
    assert issues(run(simulate, what, machine())) == [("I.1", 0), ("I.2", 1), ("I.3", 11)]
    made = run(simulate, what, machine(dma=False))
    assert issues(made) == [("I.1", 0), ("I.2", 11), ("I.3", 16)]
    waited = made.trace.instructions["stall", "dependency_wait", "exposed", "released_by"]
    assert waited.row(1) == (10, 0, 10, 0)
    path = analysis.critical_path(made.trace, made.description["machine"])
    assert [(p.end - p.start, p.label) for p in path] == [
        (1, "post"),
        (10, "startup"),
        (5, "compute"),
        (1, "compute"),
    ]


@both_engines
def test_without_dma_a_message_without_a_hop_delays_nothing(simulate: Simulate) -> None:
    """It is delivered when it is posted."""
    what = program(2, [Send("I.1", X, PR1[i]), Compute("I.2", Z, total(5)(X.delivered))], resident=[(X, 1)])
    assert issues(run(simulate, what, machine(dma=False))) == [("I.1", 0), ("I.2", 1)]


def test_a_send_that_never_returns_says_so() -> None:
    """Without DMA a lost message stops its sender too."""
    what = program(
        2,
        [Send("I.1", X, PR1[i + 1]), Compute("I.2", Z, total(5)(X)), Compute("I.3", P, total(1)(X[i - 1]))],
        resident=[(X, 1, i == 1)],
    )
    on = machine(dma=False)
    text = (
        "array 1 waits at I.2 until x_1 is delivered to PR_{1,2}, sent at I.1: message 0 was posted and "
        "never arrived"
    )
    with pytest.raises(Deadlock, match=re.escape(text)):
        tampered(place(what, home(2), on), on, {"x": np.ones((2, 1))}, lambda _, __: None)


# ------------------------------------------------------------- discipline


def _three(first: Value, second: Value) -> Program:
    """8, 8 and 5 words for one channel, posted in 1, 2, 3; the last two are read in this order."""
    return program(
        2,
        [
            *(Send(f"I.{k}", value, PR1[i + 1]) for k, value in enumerate((X8, Y8, X5), 1)),
            Compute("I.4", Value("r", None, (8,)), total(1)(X8[i - 1])),
            *(
                Compute(f"I.{k}", Value(f"r{k}", None, value.shape), total(1)(value[i - 1]))
                for k, value in ((5, first), (6, second))
            ),
        ],
        resident=[(X8, 1, i == 1), (Y8, 1, i == 1), (X5, 1, i == 1)],
    )


@both_engines
@pytest.mark.parametrize(
    ("discipline", "read", "expected"),
    [
        ("fifo", (X5, Y8), [19, 37, 52]),
        ("priority", (Y8, X5), [19, 52, 34]),
        ("deadline", (X5, Y8), [19, 52, 34]),
        ("deadline", (Y8, X5), [19, 37, 52]),
    ],
)
def test_what_waits_goes_in_the_order_of_the_discipline_and_nothing_is_interrupted(
    discipline: str, read: tuple[Value, Value], expected: list[int], simulate: Simulate
) -> None:
    """10 + words cycles each. The first is under way when the others come: in turn, short before long, or
    first what is read first."""
    made = run(simulate, _three(*read), machine(word=1, discipline=discipline))
    assert arrivals(made) == expected


EXPOSED = {  # by discipline, then n: exposed cycles with computations of 10, 50, 100 and 200 cycles
    "fifo": {8: [268, 228, 139, 105], 64: [685, 585, 346, 210], 256: [963, 823, 484, 280]},
    "priority": {8: [268, 183, 139, 105], 64: [685, 405, 346, 210], 256: [963, 553, 484, 280]},
}
AHEAD = {  # the same, where A moves before its update
    "fifo": {8: [273, 73, 35, 35], 64: [696, 130, 35, 35], 256: [978, 168, 35, 35]},
    "priority": {8: [308, 73, 35, 35], 64: [836, 130, 35, 35], 256: [1188, 168, 35, 35]},
}


@pytest.mark.fast("*-8", "True-fifo-64", "True-priority-64")
@pytest.mark.parametrize("n", [8, 64, 256])
@pytest.mark.parametrize("discipline", EXPOSED)
@pytest.mark.parametrize("ahead", [False, True])
def test_priority_exposes_what_an_independent_prototype_exposed(ahead: bool, discipline: str, n: int) -> None:
    """Step I.b by migration with alpha 20, beta 1, post 1. The prototype let A, D and G (15 words) go before
    K (25 words), which is short before long. Ahead and with little to compute, priority makes it worse."""
    on = machine(20, 1, discipline=discipline)
    found = []
    for cycles in (10, 50, 100, 200):
        what = elimination(n, cycles, ahead=ahead)
        schedule = place(what, allocation.named("identity", n, "migrating"), on)
        found.append(lockstep.simulate(schedule, on, None).summary["arrays"]["1"]["exposed_stall"])
    assert found == (AHEAD if ahead else EXPOSED)[discipline][n]


# ------------------------------------------------------------- control


def _alone() -> Program:
    """Process 2 waits for x_1; process 1 does not, but goes on with the same instructions."""
    return program(
        2,
        [
            Send("I.1", X, PR1[i + 1]),
            Compute("I.2", Z, total(4)(Y)),
            Compute("I.3", P, total(3)(Z, X[i - 1].or_zero)),
            Compute("I.4", Q, total(2)(P)),
        ],
        resident=[(X, 1, i == 1), (Y, 1)],
    )


@both_engines
def test_with_mimd_a_node_waits_for_its_own_messages_alone(simulate: Simulate) -> None:
    """By hand. Node 0: 0 send 1 I.2 5 I.4 7. Node 1, which sends nothing: 0 I.2 4, x is there in 11, I.3 14
    I.4 16. In lockstep I.4 is issued in 14 at both."""
    together = run(simulate, _alone(), machine())
    assert issues(together) == [("I.1", 0), ("I.2", 1), ("I.3", 11), ("I.4", 14)]
    made = run(simulate, _alone(), machine(control="mimd"))
    work = made.trace.activities.sort("node", "start")["node", "instruction", "start", "end"]
    assert list(work.iter_rows()) == [
        (0, 0, 0, 1),
        (0, 1, 1, 5),
        (0, 3, 5, 7),
        (1, 1, 0, 4),
        (1, 2, 11, 14),
        (1, 3, 14, 16),
    ]
    rows = made.trace.instructions["step", "issue", "end", "stall", "released_by"]
    assert list(rows.iter_rows()) == [
        ("I.1", 0, 1, None, None),
        ("I.2", 0, 5, None, None),
        ("I.3", 11, 14, None, None),
        ("I.4", 5, 16, None, None),
    ]
    accounts = analysis.node_accounts(made.trace, 2)
    names = ("node", "compute", "post", "masked", "stall")
    assert list(accounts.select(names).iter_rows()) == [(0, 6, 1, 9, 0), (1, 9, 0, 0, 7)]
    stalls = analysis.stalls(made.trace).drop("step", "level")
    assert list(stalls.iter_rows()) == [(1, 1, 2, 4, 4, 11, 0)]
    assert (
        made.summary["stall"] is made.summary["exposed_stall"] is made.summary["arrays"]["1"]["stall"] is None
    )
    assert (made.summary["node_stall"], made.summary["node_exposed_stall"]) == (7, 7)
    path = analysis.critical_path(made.trace, made.description["machine"])
    assert [(p.start, p.end, p.label, p.step) for p in path] == [
        (0, 1, "post", "I.1"),
        (1, 11, "startup", "I.1"),
        (11, 14, "compute", "I.3"),
        (14, 16, "compute", "I.4"),
    ]


@pytest.mark.fast("5")
@pytest.mark.parametrize("n", [5, 13])
def test_control_changes_times_and_no_bit_of_the_answer(n: int) -> None:
    """An arm of both joint types. A node takes the cycles of its own operations, so on a free network the
    whole cannot take longer than in lockstep; with messages it may."""
    what = problems.load(f"random:{n}:prismatic=0.4:seed={n}")
    runs, t0 = {}, {}
    for control in ("simd", "mimd"):
        on = model.load("mark3").with_settings({"machine.control": control, "timing.receive": 3})
        code = variants.closed_chain(n, "paper", 1, what.chain.joints, what.contact.constrained)
        schedule = place(code, allocation.named("identity", n, "migrating"), on)
        runs[control] = events.simulate(schedule, on, memory(what), check=True)
        t0[control] = free_network(schedule, on)
        check(schedule, on, runs[control].trace)
    assert t0["mimd"] < t0["simd"]
    assert runs["mimd"].trace != runs["simd"].trace
    for name, numbers in runs["simd"].result.items():
        assert np.array_equal(numbers, runs["mimd"].result[name])


def test_per_node_accounts_of_a_whole_program_add_up() -> None:
    """compute + post + receive + masked + stall = T_k at every node; every stall has a message that ended it;
    the DMA-busy cycles split without a rest."""
    on = model.load("mark3").with_settings(
        {"machine.control": "mimd", "machine.dma": False, "timing.receive": 5}
    )
    schedule = place(variants.closed_chain(6), allocation.named("identity", 6, "home"), on)
    made = events.simulate(schedule, on, None)
    ends = analysis.ends(made.trace)
    accounts = analysis.node_accounts(made.trace, 8)
    assert accounts.height == 16
    for row in accounts.iter_rows(named=True):
        spent = [row[name] for name in ("compute", "post", "receive", "masked", "stall")]
        assert sum(spent) == ends[row["array"]]
        assert min(spent) >= 0
    stalls = analysis.stalls(made.trace)
    assert stalls.height > 0
    assert stalls["released_by"].null_count() == 0
    split = analysis.overlap(made.trace)
    assert (split["masked"] >= 0).all()
    assert analysis.waits(made.trace)["exposed_stall"].sum() == made.summary["node_exposed_stall"]


def test_what_belongs_to_lockstep_is_refused_for_mimd() -> None:
    made = run(events.simulate, _alone(), machine(control="mimd"))
    with pytest.raises(InputError, match=r"the picture of phases belongs to instructions whose lanes go"):
        phases(made)
    assert "\narray 1 issues node by node: I.3 compute" in str(made.at(6))


@both_engines
def test_nodes_that_wait_for_each_other_are_named(simulate: Simulate) -> None:
    """Two arrays in a circle, node by node; the same words from both engines."""
    circle = program(
        2,
        [Compute("I.1", P, total(1)(Y)), Send("I.2", X, PR2[i])],
        [Compute("II.1", Q, total(1)(X)), Send("II.2", Y, PR1[i])],
        resident=[(X, 1), (Y, 2)],
    )
    on = machine(control="mimd")
    text = (
        "  PR_{1,2} waits at I.1 for y_2 from PR_{2,2}, which it sends at II.2, but node 1 of array 2 waits "
        "at II.1"
    )
    with pytest.raises(Deadlock, match=re.escape(text)):
        simulate(place(circle, home(2), on), on, None)

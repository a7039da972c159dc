"""`place`: nodes, message order, routes, what is dropped, who reads first, and what is refused."""

import re
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest

from senn.algorithms.programs import variants
from senn.base.errors import InputError
from senn.machine import model
from senn.machine.durations import durations
from senn.machine.network.arrays import take
from senn.machine.network.topology import slots
from senn.machine.placing import allocation
from senn.machine.placing.schedule import Schedule, Task, place
from senn.machine.program import (
    PR1,
    PR2,
    Arrange,
    Array,
    Compute,
    Instruction,
    Name,
    Operations,
    Program,
    Send,
    Value,
    Wait,
    by_process,
    i,
)
from tests.machine.random_programs import case
from tests.machine.small_programs import elimination, home, program, total

MARK3 = model.load("mark3")
X, Y, Z, P, Q, R = (Value(name, None, (1,)) for name in "xyzpqr")


def migrating(n: int) -> np.ndarray:
    return allocation.named("identity", n, "migrating")


def placed(n: int, residency: allocation.Residency, form: str = "paper") -> Schedule:
    table = allocation.named("identity", n, residency)
    return place(variants.closed_chain(n, form), table, MARK3)


def small(
    table: np.ndarray | list[list[int]],
    *streams: list[Instruction],
    resident: Iterable[tuple[Value, int]] = ((X, 1),),
) -> Schedule:
    """A program of a few lines placed on a table."""
    return place(program(len(table[0]), *streams, resident=resident), table, MARK3)


def task(schedule: Schedule, step: str, level: int | None = None, array: int = 1) -> Task:
    return next(
        one
        for one in schedule.tasks[array - 1]
        if one.step == step and one.line.instruction.level in (level, None)
    )


def wires(schedule: Schedule, message: int) -> list[tuple[int, str, int, int]]:
    """(array, wire, from node, to node) along the route of a message."""
    columns = schedule.wiring.columns()
    names = ("source_array", "wire", "source_node", "target_node")
    return [
        tuple(columns[name][channel] for name in names)  # type: ignore[misc]
        for channel in schedule.messages.paths[message].tolist()
    ]


def message(schedule: Schedule, source: int, target: int, of: Task) -> int:
    """The message of a send from one process to another."""
    m = schedule.messages
    return next(k for k in of.posts if (m.source_process[k], m.target_process[k]) == (source, target))


# ------------------------------------------------------------- nodes and messages


def test_an_instruction_acts_at_the_row_of_its_level() -> None:
    """Eight migrating processes: at level 2 process i sits at rotr(i - 1), after the loop at rotr^2."""
    schedule = placed(8, "migrating")
    assert task(schedule, "I.b.4", 1).nodes.tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert task(schedule, "I.b.4", 2).nodes.tolist() == [0, 4, 1, 5, 2, 6]
    assert task(schedule, "I.b.12''").nodes.tolist() == [0, 2, 4, 6, 1, 3, 5, 7]
    assert task(schedule, "II.b.2", array=2).nodes.tolist() == list(range(8))


def test_message_ids_count_by_array_instruction_node_value_and_destination() -> None:
    """Three processes at nodes 3, 0 and 2: within an instruction, node 0 comes first."""
    s = Value("s", None, (1,))
    shuffled = program(
        3,
        [
            Send("I.1", (X, Y), PR1[i + 1], PR1[i - 1]),
            Send("I.2", Z, PR1[i + 2]),
            Compute("I.3", P, total(1)(X, *(one[k].or_zero for one in (X, Y) for k in (i - 1, i + 1)))),
            Compute("I.4", Q, total(1)(Z[i - 2])),
            Compute("I.5", s, total(1)(R[i + 1]), i == 1),
        ],
        [Send("II.1", R, PR1[i - 1]), Send("II.2", R, PR2[i]), Compute("II.3", P, total(1)(R.delivered))],
        resident=[(X, 1), (Y, 1), (Z, 1), (R, 2, i == 2)],
    )
    schedule = place(shuffled, [[3, 0, 2]] * 3, MARK3)
    m = schedule.messages
    names = [m.values(message)[0].letter for message in range(len(m))]
    found = list(zip(names, m.source_process.tolist(), m.target_process.tolist(), strict=True))
    assert found == [
        ("x", 2, 3),
        ("x", 2, 1),
        ("y", 2, 3),
        ("y", 2, 1),
        ("x", 3, 2),
        ("y", 3, 2),
        ("x", 1, 2),
        ("y", 1, 2),
        ("z", 1, 3),
        ("r", 2, 1),
        ("r", 2, 2),
    ]
    assert m.source_node.tolist() == [0, 0, 0, 0, 2, 2, 3, 3, 3, 0, 0]
    assert m.target_node.tolist() == [2, 3, 2, 3, 0, 0, 0, 0, 2, 3, 0]
    assert [list(one.posts) for stream in schedule.tasks for one in stream if len(one.posts)] == [
        list(range(8)),
        [8],
        [9],
        [10],
    ]


def test_the_first_reader_takes_a_message_and_a_wait_counts() -> None:
    """The Wait is the first reader of x, and the second reader takes nothing."""
    schedule = small(
        home(2),
        [Send("I.1", X, PR2[i])],
        [Wait("II.1", X), Compute("II.2", P, total(1)(X)), Compute("II.3", Q, total(1)(X))],
    )
    assert [one.needs.tolist() for one in schedule.tasks[1]] == [[0, 1], [], []]
    assert [one.max_received for one in schedule.tasks[1]] == [1, 0, 0]
    assert schedule.messages.read_by.tolist() == [0, 0]


def test_a_message_is_first_read_under_any_name_by_whoever_takes_part() -> None:
    """p = x + y_{i-1}: x_1 arrives at process 1, which takes no part there; it is read as p_1 by I.4."""
    schedule = small(
        [[0, 1], [1, 0]],
        [
            Arrange("I.1", X, 0, 1),
            Send("I.2", Y, PR1[i + 1]),
            Compute("I.3", P, total(1)(X, Y[i - 1].or_zero), at=1),
            Compute("I.4", Q, total(1)(P), at=1),
        ],
        resident=[(X, 1), (Y, 1)],
    )
    arranged = schedule.messages.slot[:2]
    assert [schedule.flow.slots.fill(slot)[1] for slot in arranged.tolist()] == [1, 2]
    assert schedule.messages.read_by[:2].tolist() == [3, 2]


def test_a_wait_has_no_place_and_a_message_goes_to_the_reader_after_it() -> None:
    """x_2 is waited for at home and read at level 2, where process 2 sits at node 2."""
    schedule = small(
        migrating(4), [Send("I.1", X, PR2[i])], [Wait("II.1", X), Compute("II.2", P, total(1)(X), at=2)]
    )
    assert schedule.messages.target_node.tolist() == [0, 2, 1, 3]
    assert schedule.messages.read_by.tolist() == [0, 0, 0, 0]


# ------------------------------------------------------------- routes


def test_k_goes_to_its_neighbour_and_then_along_with_the_reader() -> None:
    """I.b.11 of eight migrating processes: nearest neighbour, then the un-shuffle to level 2, as a source
    route over the shuffle wire. K_2^0 for process 3 is at node 2 by one hop and at node 1 by the second."""
    schedule = place(elimination(8, 1), migrating(8), MARK3)
    send = task(schedule, "I.b.11", 1)
    down, up = (message(schedule, *ends, send) for ends in ((3, 2), (2, 3)))
    assert wires(schedule, down) == [(1, "neighbor:1-2", 2, 1), (1, "shuffle:4-1", 1, 4)]
    assert wires(schedule, up) == [(1, "neighbor:1-2", 1, 2), (1, "shuffle:1-2", 2, 1)]
    to_the_first = message(schedule, 2, 1, send)
    assert wires(schedule, to_the_first) == [(1, "exchange:0-1", 1, 0)]  # node 0 stays where it is


def test_an_arrange_takes_the_unshuffle_wire() -> None:
    """A_i^1 from level 1 to level 2: nodes 0 and 7 keep theirs by a message without a hop."""
    schedule = place(elimination(8, 1), migrating(8), MARK3)
    moved = task(schedule, "I.b.12'", 1)
    assert [wires(schedule, k) for k in moved.posts] == [
        [],
        [(1, "shuffle:4-1", 1, 4)],
        [(1, "shuffle:1-2", 2, 1)],
        [(1, "shuffle:5-3", 3, 5)],
        [(1, "shuffle:2-4", 4, 2)],
        [(1, "shuffle:6-5", 5, 6)],
        [(1, "shuffle:3-6", 6, 3)],
        [],
    ]


def test_vertical_hops_come_last() -> None:
    """From process 1 of array 1 to process 3 of array 3, over array 2: two hops inside, then down twice."""
    schedule = small(
        home(3), [Send("I.1", X, Array(3)[i + 2])], [], [Compute("III.1", P, total(1)(X[i - 2]))]
    )
    assert wires(schedule, 0) == [
        (1, "exchange:0-1", 0, 1),
        (1, "neighbor:1-2", 1, 2),
        (1, "vertical:2-2", 2, 2),
        (2, "vertical:2-2", 2, 2),
    ]


def test_a_message_from_the_last_level_goes_home_by_one_unshuffle() -> None:
    """Row 0 counts as row M + 1: x leaves process 1 at level 2 of two, at node 0, for process 2 at node 2,
    and un-shuffles with it to node 1."""
    schedule = small(
        migrating(4),
        [
            Arrange("I.1", X, 0, 2),
            Send("I.2", X, PR1[i + 1].only(i == 1), at=2),
            Compute("I.3", P, total(1)(X[i - 1]), i == 2),
            Compute("I.4", Q, total(1)(X), at=2),
        ],
    )
    (sent,) = task(schedule, "I.2").posts
    route = wires(schedule, sent)
    assert route[-1] == (1, "shuffle:1-2", 2, 1)
    assert (route[0][2], route[-1][3], len(route)) == (0, 1, 3)


def test_a_message_back_to_an_earlier_level_takes_the_shortest_way() -> None:
    """No un-shuffle leads from level 3 to level 2: process 2 goes forward on the wire from node 2 to 4."""
    schedule = small(
        migrating(8),
        [Arrange("I.1", X, 0, 3), Arrange("I.2", X, 3, 2, at=3), Compute("I.3", P, total(1)(X), at=2)],
    )
    back = task(schedule, "I.2")
    assert wires(schedule, message(schedule, 2, 2, back)) == [(1, "shuffle:2-4", 2, 4)]
    assert [len(wires(schedule, k)) for k in back.posts] == [0, 1, 1, 1, 1, 1, 1, 0]


# ------------------------------------------------------------- what is issued


@pytest.mark.parametrize("form", variants.FORMS)
def test_an_arrange_between_equal_rows_is_dropped(form: str) -> None:
    """So there is none at home, nor where two processes migrate; the value is then read where it is."""
    for schedule in (placed(8, "home", form), placed(2, "migrating", form)):
        assert not any(
            one.line.instruction.operation == "arrange" for stream in schedule.tasks for one in stream
        )
    assert any(
        one.line.instruction.operation == "arrange"
        for stream in placed(3, "migrating", form).tasks
        for one in stream
    )


def test_what_a_dropped_arrange_leaves_is_read_from_the_own_slot() -> None:
    """At home p = x reads the x that was resident: no message."""
    schedule = small(home(2), [Arrange("I.1", X, 0, 1), Compute("I.2", P, total(1)(X), at=1)])
    assert len(schedule.messages) == 0
    assert [one.step for one in schedule.tasks[0]] == ["I.2"]
    assert not schedule.flow.slots.message[schedule.tasks[0][0].reads[0]].any()


def test_names_remarks_and_empty_masks_are_not_issued() -> None:
    """For one process nothing can be sent to a neighbour, and nothing that would read it acts."""
    schedule = small(
        home(1),
        [
            Name("I.1", Y, X),
            Send("I.2", X, PR1[i + 1]),
            Compute("I.3", P, total(1)(X[i - 1])),
            Compute("I.4", Q, total(1)(Y)),
        ],
    )
    assert [one.step for one in schedule.tasks[0]] == ["I.4"]


def test_k_needs_three_slots_then_two_then_none() -> None:
    """I.b.11 under migration: both directions and the un-shuffle, of which level M - 1 needs less."""
    schedule = place(elimination(32, 1), migrating(32), MARK3)
    needed = [
        slots(take(schedule.messages.paths, np.arange(one.posts.start, one.posts.stop)))
        for one in schedule.tasks[0]
        if one.step == "I.b.11"
    ]
    assert needed == [3, 3, 3, 2]


def test_ids_follow_the_order_of_the_text() -> None:
    """Array, serial, source node, source process, values, destinations as written: in random programs, of
    several values and destinations a send and several processes on a node."""
    several = 0
    for seed in range(25):
        schedule = place(*case(seed)[:3])
        m = schedule.messages
        keys = []
        for message in range(len(m)):
            array, serial = int(m.source_array[message]), int(m.serial[message])
            instruction = schedule.tasks[array - 1][serial].line.instruction
            cargo = m.values(message)
            to = (int(m.target_array[message]), int(m.target_process[message] - m.source_process[message]))
            rank = (0, 0)
            if isinstance(instruction, Send):
                written = [(one.array, one.offset) for one in instruction.destinations]
                first = next(k for k, one in enumerate(instruction.cargo) if {*cargo} <= {*one})
                rank = (first, written.index(to))
                several += len(written) > 1 and len(instruction.cargo) > 1
            keys.append((array, serial, int(m.source_node[message]), int(m.source_process[message]), rank))
        assert keys == sorted(keys)
    assert several > 0


@pytest.mark.parametrize(
    ("residency", "messages", "hops"), [("home", 208_905, 885_001), ("migrating", 345_093, 361_183)]
)
def test_the_whole_algorithm_for_1024_links(
    residency: allocation.Residency, messages: int, hops: int
) -> None:
    """Sizes worked out by a program written before this one."""
    schedule = placed(1024, residency)
    assert len(schedule.messages) == messages
    assert int(schedule.messages.paths.hops.sum()) == hops


# ------------------------------------------------------------- durations


def test_durations_are_those_of_an_interior_process_and_the_slowest_joint_type() -> None:
    """By hand on mark3 (4 cycles a flop, 1000 + 64 w a message): x y + optional terms of 2 flops each."""
    slow, fast = (
        replace(total(0), declared=lambda present, k=k: Operations(multiply=k, add=2 * present[1]))
        for k in (5, 3)
    )
    schedule = small(
        home(3),
        [
            Send("I.1", X, PR1[i + 1]),
            Compute("I.2", P, by_process([fast, slow, fast])(Y, X[i - 1].or_zero)),
            Compute("I.3", Q, fast(Y, X[i - 1].or_zero)),
            Wait("I.4", Q),
        ],
        resident=[(X, 1), (Y, 1)],
    )
    found = durations(schedule, MARK3.with_settings({"timing.receive": 7, "timing.post": 3}))
    assert found.cycles[0].tolist() == [3, 4 * (5 + 2), 4 * (3 + 2), 0]
    assert found.receive[0].tolist() == [0, 7, 0, 0]
    assert found.messages.tolist() == [1064, 1064]
    assert (found.receive[0] + found.cycles[0]).tolist() == [3, 35, 20, 0]


def test_a_schedule_belongs_to_a_network_and_routing() -> None:
    """Routes are part of it: on another machine it would run wrong."""
    schedule = placed(3, "home")
    text = (
        'machine mark3 has routing = "greedy", but this schedule was placed with routing = "lowest": '
        "messages would go other ways; set machine.routing=lowest, or make a run on that machine"
    )
    with pytest.raises(InputError, match=f"^{re.escape(text)}$"):
        durations(schedule, MARK3.with_settings({"machine.routing": "greedy"}))


# ------------------------------------------------------------- what is refused

READ_ELSEWHERE: list[Instruction] = [Compute("I.1", P, total(1)(X)), Compute("I.2", Q, total(1)(P), at=2)]


@pytest.mark.parametrize(
    ("refused", "table", "text"),
    [
        (
            program(4, READ_ELSEWHERE, resident=[(X, 1)]),
            migrating(4),
            "I.2 reads p_2 at node 2, where process 2 is at row 2 of the allocation, but the value is at "
            "node 1: Arrange it, or make the two rows of the table equal",
        ),
        (
            program(2, [], resident=[(X, 1)]),
            [[0, 2], [0, 1]],
            "allocation: process 2 at home is on node 2, outside the network: the nodes are 0..1",
        ),
        (
            program(2, [], resident=[(X, 1)]),
            [[0, 1]] * 3,
            "an allocation of 2 processes has shape (2, 2), home and one row for each level, or (2,), a "
            "static home; this one has (3, 2)",
        ),
        (
            program(3, [Compute("I.1", P, total(1)(X[i - 1]))], resident=[(X, 1)]),
            home(3),
            "I.1 reads x_1 at PR_{1,2}, but no Send delivers it there",
        ),
    ],
    ids=["a value left behind", "a node outside", "a row too many", "what the program itself lacks"],
)
def test_a_schedule_that_could_not_run_is_refused(refused: Program, table: np.ndarray, text: str) -> None:
    """Before the first cycle, with the way out."""
    with pytest.raises(InputError, match=f"^{re.escape(text)}"):
        place(refused, table, MARK3)


def test_what_a_message_brought_for_one_row_cannot_be_read_at_another() -> None:
    """x goes to where I.2 reads it; I.3 is elsewhere and needs an Arrange."""
    twice = program(
        4,
        [
            Send("I.1", X, PR1[i + 1]),
            Compute("I.2", P, total(1)(X[i - 1])),
            Compute("I.3", Q, total(1)(X[i - 1]), at=2),
        ],
        resident=[(X, 1)],
    )
    with pytest.raises(InputError, match=r"^I\.3 reads x_1 at node 2, where process 2 is at row 2"):
        place(twice, migrating(4), MARK3)


def test_more_arrays_than_the_machine_has_room_for_are_refused() -> None:
    table, one = home(4), model.load("ideal").with_settings({"machine.arrays_at_once": 1})
    assert len(place(variants.closed_chain(4, arrays=1), table, one).tasks) == 1
    with pytest.raises(InputError) as refusal:
        place(variants.closed_chain(4), table, one)
    assert str(refusal.value) == (
        "the program runs on 2 arrays at once, but machine ideal has 1: take a program of fewer arrays, or "
        "set machine.arrays_at_once"
    )

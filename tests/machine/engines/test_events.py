"""The event engine: what one that only pretends to send messages, or only counts cycles, could not pass.

Hand-worked cycles are for the round machine of `small_programs`: a message takes 10 cycles on a channel.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from senn.algorithms import problems
from senn.algorithms.programs import variants
from senn.algorithms.programs.numerics import memory
from senn.base.errors import InputError
from senn.machine import model
from senn.machine.engines import lockstep
from senn.machine.engines.control import Deadlock
from senn.machine.engines.events import simulate
from senn.machine.engines.memory import Memories, Violation
from senn.machine.invariants import check, free_network
from senn.machine.placing import allocation
from senn.machine.placing.schedule import Schedule, place
from senn.machine.program import PR1, PR2, Compute, Program, Send, Value, Wait, i
from senn.traces.run import Run
from tests.machine.random_programs import case
from tests.machine.small_programs import elimination, home, machine, program, total
from tests.machine.tampering import tampered

MARK3 = model.load("mark3")
FORMS = variants.FORMS
RESIDENCIES = allocation.RESIDENCIES

X, Y, Z = (Value(name, None, (1,)) for name in "xyz")
P, Q = (Value(name, None, (1,)) for name in "pq")


@cache
def arm(n: int) -> problems.Problem:
    return problems.load(f"random:{n}:seed=1")


@cache
def chain(n: int, form: str, contact: int | None = None) -> Program:
    p = arm(n)
    return variants.closed_chain(n, form, joints=p.chain.joints, contact=p.contact.constrained)


@cache
def placed(n: int, form: str, residency: allocation.Residency, placement: str = "identity") -> Schedule:
    return place(chain(n, form), allocation.named(placement, n, residency), MARK3)


@cache
def normal(n: int, form: str, residency: allocation.Residency, placement: str = "identity") -> Run:
    return simulate(
        placed(n, form, residency, placement), MARK3, memory(arm(n)), check=True, keep_values=True
    )


def issues(run: Run, array: int = 1) -> list[tuple[str, int]]:
    """(step, issue) of every instruction of an array."""
    table = run.trace.instructions
    return [(step, issue) for k, step, issue in table["array", "step", "issue"].iter_rows() if k == array]


def hops(run: Run) -> list[tuple[int, int, int, int, int]]:
    """(message, from node, to node, start, end) of every hop."""
    return list(run.trace.hops["message", "source_node", "target_node", "start", "end"].iter_rows())


# ------------------------------------------------------------- messages carry the numbers


@pytest.mark.parametrize("seed", range(8))
def test_a_lost_message_stops_the_run_and_is_named(seed: int) -> None:
    """Whoever would have read the message waits for ever; the error says who, for what, from whom."""
    rng = np.random.default_rng(seed)
    schedule = placed(6, FORMS[seed % 3], RESIDENCIES[seed % 2])
    m = schedule.messages
    lost = int(rng.integers(len(m)))
    with pytest.raises(Deadlock) as caught:
        tampered(schedule, MARK3, memory(arm(6)), lambda one, payload: None if one == lost else payload)
    reader = schedule.tasks[m.target_array[lost] - 1][m.read_by[lost]].line.instruction
    sender = schedule.tasks[m.source_array[lost] - 1][m.serial[lost]].line.instruction
    value = m.values(lost)[0].text(process=int(m.source_process[lost]))
    at, sent_at = (
        one.step + (f" (level {one.level})" if one.level is not None else "") for one in (reader, sender)
    )
    assert (
        f"PR_{{{m.target_array[lost]},{m.target_process[lost]}}} waits at {at} for {value} from "
        f"PR_{{{m.source_array[lost]},{m.source_process[lost]}}}, sent at {sent_at}: message {lost} was "
        f"posted and never arrived"
    ) in str(caught.value)


def _blocks(run: Run, schedule: Schedule) -> dict[int, bytes]:
    """Slot -> numbers, of all that was resident or computed, in the order in which a run keeps its values."""
    slots = [slot for _, _, _, found in schedule.flow.resident for slot in found.tolist()]
    slots += [slot for task in _writing(schedule) for slot in task.line.writes.tolist()]
    assert run.values is not None
    return dict(zip(slots, (block.tobytes() for block in run.values.numbers), strict=True))


def _writing(schedule: Schedule) -> list:
    return [task for tasks in schedule.tasks for task in tasks if task.line.writes is not None]


def _downstream(schedule: Schedule, carried: int) -> tuple[set[int], set[int]]:
    """The slots whose content depends on a value that a message carries, and those of its direct readers: a
    walk over slots."""
    feeds = defaultdict(set)
    for source, slot in zip(
        schedule.messages.source_slot.tolist(), schedule.messages.slot.tolist(), strict=True
    ):
        feeds[source].add(slot)
    for task in _writing(schedule):
        for read in task.reads:
            for slot, written in zip(read.tolist(), task.line.writes.tolist(), strict=True):
                feeds[slot].add(written)
    start = int(schedule.messages.slot[carried])
    found: set[int] = set()
    frontier = [start]
    while frontier:
        new = feeds[frontier.pop()] - found
        found |= new
        frontier += new
    return found, feeds[start]


def _changed(
    schedule: Schedule, run: Callable[..., Run], message: int, alter: Callable[[np.ndarray], np.ndarray]
) -> set[int]:
    before = _blocks(run(), schedule)
    after = _blocks(
        run(tamper=lambda one, payload: alter(payload.copy()) if one == message else payload), schedule
    )
    return {slot for slot in before if before[slot] != after[slot]}


@pytest.mark.exhaustive
def test_one_altered_word_changes_exactly_what_is_computed_from_it() -> None:
    """In programs of weighted sums, where every word counts: all values downstream change, and no others."""
    altered = together = 0
    for seed in range(40):
        program_, table, machine_, resident = case(seed)
        schedule = place(program_, table, machine_)
        if not len(schedule.messages):
            continue
        rng = np.random.default_rng(seed)
        m = schedule.messages
        carried = int(rng.integers(len(m.slot)))  # a value of a message
        message = int(m.carrier[carried])
        words = [value.words for value in m.values(message)]
        which = carried - int(np.searchsorted(m.carrier, message))
        together += len(words) > 1
        word = sum(words[:which]) + int(rng.integers(words[which]))

        def alter(payload: np.ndarray, word: int = word) -> np.ndarray:
            payload.flat[word] += 1.0
            return payload

        def run(schedule=schedule, machine_=machine_, resident=resident, tamper=lambda _, x: x) -> Run:  # type: ignore[no-untyped-def]
            return tampered(schedule, machine_, resident, tamper, keep_values=True)

        downstream, _ = _downstream(schedule, carried)
        changed = _changed(schedule, run, message, alter)
        assert changed == downstream & set(_blocks(run(), schedule))
        altered += bool(changed)
    assert altered > 30
    assert together > 3


def test_what_memory_lacks_or_has_in_another_shape_is_refused() -> None:
    """Before the first cycle, with the shape that is wanted."""
    schedule = place(program(3, [Compute("I.1", P, total(1)(X))], resident=[(X, 1)]), home(3), machine())
    text = r'memory lacks "x": give an array of shape \(3, 1\)'
    with pytest.raises(InputError, match=text):
        simulate(schedule, machine(), {})
    text = r'memory "x" has shape \(3,\), but the program needs \(3, 1\), a row per process'
    with pytest.raises(InputError, match=text):
        simulate(schedule, machine(), {"x": np.zeros(3)})


# ------------------------------------------------------------- memories of the nodes


@pytest.mark.parametrize("method", ["write", "deliver"])
def test_a_node_reads_nothing_but_its_own_memory(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was computed at the neighbour, or came there, is no use to it: the error names node and value."""
    put, right = Memories._put, getattr(Memories, method)

    def at_the_neighbour(self: Memories, nodes: np.ndarray, slots: np.ndarray, origin: np.ndarray) -> None:
        put(self, nodes ^ 1, slots, origin)

    def wrong(self: Memories, *arguments: object) -> object:
        with monkeypatch.context() as patch:
            patch.setattr(Memories, "_put", at_the_neighbour)
            return right(self, *arguments)

    monkeypatch.setattr(Memories, method, wrong)
    with pytest.raises(Violation, match=r"node \d of array [12] has no [A-Z].*_?\d"):
        simulate(placed(5, "short", "migrating"), MARK3, memory(arm(5)))


def test_a_memory_that_has_what_nobody_wrote_there_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """check=True compares every node's memory with what was resident, written and received there. At home a
    value that moves nowhere is not received: here a node has it all the same, though nothing reads it."""
    schedule = placed(5, "short", "home")
    simulate(schedule, MARK3, memory(arm(5)), check=True)
    filled = {
        *schedule.messages.slot.tolist(),
        *(slot for task in _writing(schedule) for slot in task.line.writes),
    }
    filled |= {slot for *_, slots in schedule.flow.resident for slot in slots.tolist()}
    idle = min(set(range(len(schedule.flow.slots))) - filled)
    deliver = Memories.deliver

    def more(self: Memories, *arguments: object) -> None:
        self.holder[idle] = 3
        deliver(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Memories, "deliver", more)
    with pytest.raises(Violation, match=r"node 3 of array 1: .* is there without a cause, or lost"):
        simulate(schedule, MARK3, memory(arm(5)), check=True)


def test_a_memory_that_forgets_what_it_received_cannot_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no second way to the number: without the payload in the node's memory nothing can be read."""
    monkeypatch.setattr(Memories, "deliver", lambda self, messages: None)
    with pytest.raises(Violation, match=r"node 1 of array 2 has no C"):
        simulate(placed(5, "short", "home"), MARK3, memory(arm(5)))


def test_a_slot_is_written_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A message that arrives twice is an error, and names the value and the node."""
    deliver = Memories.deliver

    def twice(self: Memories, *arguments: object) -> list[int]:
        deliver(self, *arguments)  # type: ignore[arg-type]
        return deliver(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Memories, "deliver", twice)
    with pytest.raises(Violation, match=r"was written twice at node 1 of array 2"):
        simulate(placed(5, "short", "home"), MARK3, memory(arm(5)))


# ------------------------------------------------------------- deadlock


@pytest.mark.parametrize("engine", [simulate, lockstep.simulate])
def test_two_arrays_that_wait_for_each_other_are_both_named(engine: Callable[..., Run]) -> None:
    """Each sends only after it has read what the other sends."""
    circle = program(
        2,
        [Compute("I.1", P, total(1)(Y)), Send("I.2", X, PR2[i])],
        [Compute("II.1", Q, total(1)(X)), Send("II.2", Y, PR1[i])],
        resident=[(X, 1), (Y, 2)],
    )
    with pytest.raises(Deadlock) as caught:
        engine(place(circle, home(2), machine()), machine(), None)
    assert str(caught.value).splitlines() == [
        "deadlock at cycle 0: no message is under way and not every array has ended",
        "  PR_{1,1} waits at I.1 for y_1 (and 1 more) from PR_{2,1}, which it sends at II.2, but array 2 "
        "waits at II.1",
        "  PR_{2,1} waits at II.1 for x_1 (and 1 more) from PR_{1,1}, which it sends at I.2, but array 1 "
        "waits at I.1",
    ]


def test_a_lost_message_between_arrays_is_named_by_its_only_reader() -> None:
    """The array that lost nothing has ended; only the other waits."""
    one_way = program(2, [Send("I.1", X, PR2[i])], [Compute("II.1", Q, total(1)(X))], resident=[(X, 1)])
    with pytest.raises(Deadlock) as caught:
        tampered(
            place(one_way, home(2), machine()),
            machine(),
            {"x": np.ones((2, 1))},
            lambda message, payload: None if message == 1 else payload,
        )
    assert str(caught.value).splitlines() == [
        "deadlock at cycle 11: no message is under way and not every array has ended",
        "  PR_{2,2} waits at II.1 for x_2 from PR_{1,2}, sent at I.1: message 1 was posted and never arrived",
    ]


# ------------------------------------------------------------- the same run again


@pytest.mark.parametrize("residency", RESIDENCIES)
@pytest.mark.parametrize("form", FORMS)
def test_timing_does_not_depend_on_numbers(form: str, residency: allocation.Residency) -> None:
    """Without numbers, with numbers, and with other numbers: one trace."""
    schedule = placed(6, form, residency)
    alone = simulate(schedule, MARK3, None)
    assert alone.trace.hash == normal(6, form, residency).trace.hash
    doubled = {name: 2 * block for name, block in memory(arm(6)).items()}
    assert simulate(schedule, MARK3, doubled).trace.hash == alone.trace.hash
    assert not alone.result


# ------------------------------------------------------------- hand-worked cycles


@pytest.mark.parametrize(
    ("n", "cycles", "t0", "t", "blocking", "exposed", "path"),
    [
        (8, 10, 216, 484, 991, 268, None),
        (8, 50, 1016, 1244, 1791, 228, None),
        (8, 100, 2016, 2155, 2791, 139, None),
        (8, 200, 4016, 4121, 4791, 105, (4016, 60, 45)),
        (64, 10, 444, 1129, None, 685, None),
        (64, 50, 2084, 2669, None, 585, None),
        (64, 100, 4134, 4480, 5899, 346, None),
        (64, 200, 8234, 8444, None, 210, None),
        (256, 10, 596, 1559, 3021, 963, None),
        (256, 100, 5546, 6030, 7971, 484, None),
        (256, 200, 11046, 11326, 13471, 280, (11046, 160, 120)),
    ],
)
def test_diagonalisation_by_migration_takes_the_cycles_of_an_independent_prototype(
    n: int, cycles: int, t0: int, t: int, blocking: int | None, exposed: int, path: tuple[int, ...] | None
) -> None:
    """Figures of a simulation written before this one: T0, T, T if sends block, what stays exposed, and the
    critical path, where no message waits for a channel, as compute and post, start-up, words. alpha 20,
    beta 1, post 1, every compute alike."""
    m, table = machine(20, 1), allocation.named("identity", n, "migrating")
    schedule = place(elimination(n, cycles), table, m)
    run = simulate(schedule, m, None)
    assert free_network(schedule, m) == t0
    assert run.summary["makespan"] == t
    assert run.summary["arrays"]["1"]["exposed_stall"] == exposed
    if blocking is not None:
        blocks = replace(m, dma=False)
        blocked = simulate(place(elimination(n, cycles), table, blocks), blocks, None, detail="summary")
        assert blocked.summary["makespan"] == blocking
    if path is not None:
        found = (run.spent["compute"] + run.spent["post"], run.spent["startup"], run.spent["words"])
        assert found == path


def test_a_channel_is_granted_anew_in_the_cycle_of_its_release_first_come_first_served() -> None:
    """Three messages for one channel, posted in 1, 1 and 2: served back to back in the order of arrival."""
    queue = program(
        2,
        [
            Send("I.1", (X, Y), PR1[i + 1]),
            Send("I.2", Z, PR1[i + 1]),
            Compute("I.3", P, total(1)(Z[i - 1], Y[i - 1], X[i - 1])),
        ],
        resident=[(X, 1), (Y, 1), (Z, 1)],
    )
    run = simulate(place(queue, home(2), machine()), machine(), None)
    assert hops(run) == [(0, 0, 1, 1, 11), (1, 0, 1, 11, 21), (2, 0, 1, 21, 31)]
    assert run.trace.hops["queued"].to_list() == [1, 1, 2]
    waited = run.trace.instructions.row(2, named=True)
    assert (waited["issue"], waited["stall"], waited["exposed"], waited["released_by"]) == (31, 29, 29, 2)


_FAN = program(
    4,
    [
        Send("I.1", X, PR1[i - 1].only(i == 2), PR1[i + 1].only(i == 2), PR2[i].only(i == 2)),
        Send("I.2", Y, PR1[i - 1].only(i == 4)),
        Compute("I.3", P, total(1)(X[i + 1]), i == 1),
        Compute("I.4", Q, total(1)(X[i - 1], Y[i + 1]), i == 3),
    ],
    [Compute("II.1", Z, total(1)(X), i == 2)],
    resident=[(X, 1, i == 2), (Y, 1, i == 4)],
)


def test_with_all_ports_a_node_sends_and_receives_everywhere_at_once() -> None:
    """x_2 leaves node 1 for node 0, node 2 and array 2 in cycle 1, y_4 node 3 for node 2 in cycle 2."""
    m = machine()
    run = simulate(place(_FAN, home(4), m), m, None)
    assert hops(run) == [(0, 1, 0, 1, 11), (1, 1, 2, 1, 11), (2, 1, 1, 1, 11), (3, 3, 2, 2, 12)]


def test_with_one_port_a_node_sends_one_message_at_a_time_and_holds_back_nobody_else() -> None:
    """The port out of node 1 serves x_2 to node 0, then to node 2; meanwhile y_4 takes node 2's port in, so
    that x_2 has to wait for it until 12. The vertical wire has a port of its own."""
    m = machine(ports="one")
    run = simulate(place(_FAN, home(4), m), m, None)
    assert hops(run) == [(0, 1, 0, 1, 11), (1, 1, 2, 12, 22), (2, 1, 1, 1, 11), (3, 3, 2, 2, 12)]


def test_with_one_port_the_older_message_is_looked_at_first() -> None:
    """Nodes 0 and 2 send to node 1 in the same cycle: the lower id gets the port in."""
    meeting = program(
        3,
        [
            Send("I.1", X, PR1[i + 1].only(i == 1), PR1[i - 1].only(i == 3)),
            Compute("I.2", P, total(1)(X[i - 1], X[i + 1]), i == 2),
        ],
        resident=[(X, 1, (i == 1) | (i == 3))],
    )
    m = machine(ports="one")
    assert hops(simulate(place(meeting, home(3), m), m, None)) == [(0, 0, 1, 1, 11), (1, 2, 1, 11, 21)]


def test_receiving_takes_the_engine_of_the_first_reader() -> None:
    """3 cycles for each message: process 2 takes two, so all lanes of I.2 spend 6, and I.3 nothing more."""
    m = machine(receive=3)
    taking = program(
        3,
        [
            Send("I.1", X, PR1[i + 1], PR1[i - 1]),
            Compute("I.2", P, total(5)(X, X[i - 1].or_zero, X[i + 1].or_zero)),
            Compute("I.3", Q, total(5)(P, X[i - 1])),
        ],
        resident=[(X, 1)],
    )
    schedule = place(taking, home(3), m)
    run = simulate(schedule, m, {"x": np.array([[1.0], [2.0], [4.0]])}, keep_values=True)
    check(schedule, m, run.trace)
    assert run.trace.instructions["issue", "end"].rows() == [(0, 1), (11, 22), (22, 27)]
    second = run.trace.activities.filter(run.trace.activities["instruction"] == 1)
    assert second["node", "class", "start", "end"].rows() == [
        (node, *interval) for node in range(3) for interval in (("receive", 11, 17), ("compute", 17, 22))
    ]
    assert run.values is not None
    assert [run.values.get(1, "p", None, process)[0] for process in (1, 2, 3)] == [3.0, 7.0, 6.0]


def test_a_message_read_twice_by_one_instruction_is_taken_once() -> None:
    """x_{i-1} + x_{i-1} reads one message: 3 cycles to take it, not 6."""
    m = machine(receive=3)
    doubling = program(
        2, [Send("I.1", X, PR1[i + 1]), Compute("I.2", P, total(5)(X[i - 1], X[i - 1]))], resident=[(X, 1)]
    )
    run = simulate(place(doubling, home(2), m), m, None)
    assert run.trace.instructions["issue", "end"].rows() == [(0, 1), (11, 19)]


def test_a_free_network_delivers_at_once_and_without_queueing() -> None:
    """Preset ideal: two messages cross the same two channels in the cycle in which they are posted, and the
    other array, which waits for one of them, goes on in that cycle."""
    ideal = model.load("ideal")
    crowd = program(
        3,
        [Send("I.1", (X, Y), PR1[i + 2], PR2[i]), Compute("I.2", P, total(3)(X[i - 2], Y[i - 2]))],
        [Wait("II.1", X), Compute("II.2", Q, total(2)(X, Y))],
        resident=[(X, 1), (Y, 1)],
    )
    run = simulate(place(crowd, home(3), ideal), ideal, None)
    assert set(run.trace.hops["queued", "start", "end"].rows()) == {(1, 1, 1)}
    assert run.trace.hops.height == 2 * 2 + 2 * 3
    assert issues(run) == [("I.1", 0), ("I.2", 1)]
    assert issues(run, 2) == [("II.1", 1), ("II.2", 1)]
    assert run.summary["makespan"] == 4


def test_a_result_has_a_row_for_every_process_that_has_it_under_any_name() -> None:
    """x_i + y_{i-1} is x_1 unchanged at process 1, where no y exists: it counts as a result there too."""
    code = program(
        3,
        [Send("1.a", Y, PR1[i + 1]), Compute("1.b", Z, total(1)(X, Y[i - 1].or_zero))],
        resident=[(X, 1), (Y, 1)],
        results={"z": (1, Z)},
    )
    on = machine()
    numbers = {"x": np.array([[1.0], [2.0], [3.0]]), "y": np.array([[10.0], [20.0], [30.0]])}
    run = simulate(place(code, home(3), on), on, numbers, check=True)
    assert run.result["z"].tolist() == [[1.0], [12.0], [23.0]]

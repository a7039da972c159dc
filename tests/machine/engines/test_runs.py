"""The flow of a program by runs of processes, against the schedule that has an entry per process."""

import random
from collections import Counter

import pytest

from senn.algorithms.programs import variants
from senn.base.errors import InputError
from senn.machine import model
from senn.machine.engines import runs
from senn.machine.engines.runs import Unfit, resolved
from senn.machine.placing import allocation
from senn.machine.placing.schedule import place
from senn.machine.program import Program
from tests.machine.random_programs import case

SOLVERS = [(form, elimination) for form in variants.FORMS for elimination in variants.ELIMINATIONS]


def assert_same(program: Program) -> None:
    """The same lines, and the same messages between the same nodes to the same first readers."""
    table = allocation.named("identity", program.n, "migrating")
    schedule = place(program, table, model.load("ideal"))
    streams = resolved(program).streams
    assert [[(x.instruction.step, x.received) for x in stream] for stream in streams] == [
        [(task.step, task.max_received) for task in tasks] for tasks in schedule.tasks
    ]
    m = schedule.messages
    columns = (m.source_array, m.serial, m.source_process, m.source_node)
    columns += (m.target_array, m.read_by, m.target_process, m.target_node, m.words)
    sent = Counter(
        (piece.array, serial, target - piece.offset, table[piece.at, target - piece.offset - 1])
        + (piece.target_array, piece.reader, target, table[piece.row, target - 1], piece.words)
        for stream in streams
        for serial, line in enumerate(stream)
        for piece in line.pieces
        for part in piece.targets
        for target in part
    )
    assert sent == Counter(zip(*(column.tolist() for column in columns), strict=True))


@pytest.mark.fast("short-oee", "omega-oer")
@pytest.mark.parametrize(("form", "elimination"), SOLVERS)
def test_a_closed_chain(form: str, elimination: str) -> None:
    for n in (2, 3, 5, 6, 8, 11, 37):
        assert_same(variants.closed_chain(n, form, elimination=elimination))


@pytest.mark.exhaustive
@pytest.mark.parametrize(("form", "elimination"), SOLVERS)
def test_closed_chains_of_all_sizes(form: str, elimination: str) -> None:
    for n in (*range(2, 41), *random.Random(form).sample(range(41, 700), 3), 512):
        assert_same(variants.closed_chain(n, form, elimination=elimination))


def test_few_runs_describe_a_long_arm() -> None:
    """Of every 2^k-th process too."""
    for elimination in variants.ELIMINATIONS:
        streams = resolved(variants.closed_chain(1500, "short", elimination=elimination)).streams
        lines = [line for stream in streams for line in stream]
        assert max(len(piece.targets) for line in lines for piece in line.pieces) <= 2
        assert max(len(read) for line in lines for read in line.reads) <= 3


def test_random_programs_have_the_same_messages_or_are_refused() -> None:
    same = 0
    for seed in range(30):
        try:
            assert_same(case(seed)[0])
            same += 1
        except (Unfit, InputError):
            continue
    assert same > 2


# ------------------------------------------------------------ functions of the process


def function(values: random.Random) -> tuple[runs.Runs, dict[int, int]]:
    """A random function of the processes 1..40 by runs, and by process."""
    by_runs: runs.Runs = []
    by_process: dict[int, int] = {}
    for _ in range(values.randrange(5)):
        part = range(values.randrange(1, 30), values.randrange(10, 41), 2 ** values.randrange(4))
        if part and by_process.keys().isdisjoint(part):
            value = values.randrange(3)
            by_runs.append((part, value))
            by_process |= dict.fromkeys(part, value)
    return by_runs, by_process


def table(some: runs.Runs) -> dict[int, int]:
    assert sum(len(part) for part, _ in some) == len({process for part, _ in some for process in part})
    return {process: value for part, value in some for process in part}


def test_operations_on_runs_are_those_on_tables() -> None:
    for seed in range(2000):
        (first, a), (second, b) = function(values := random.Random(seed)), function(values)
        assert table(runs.overlaid(first, second)) == {**b, **a}
        assert table(runs.restricted(first, second)) == {k: x for k, x in a.items() if k in b}
        assert table(runs.without(first, second)) == {k: x for k, x in a.items() if k not in b}
        assert table(runs.merged(first)) == a
        assert len(runs.merged(first)) <= len(first)

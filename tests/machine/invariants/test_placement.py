"""What the text of a program asks for, and what a placement that does something else is told.

The text is read without the code that places: a fault there, put in here, must be noticed by `check`.
"""

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module

import numpy as np
import polars as pl
import pytest

from senn.algorithms.programs import variants
from senn.machine import model
from senn.machine.engines import record
from senn.machine.engines.events import simulate
from senn.machine.invariants import Violation, check
from senn.machine.network.routing import Router
from senn.machine.network.topology import Channels, Integers, Paths
from senn.machine.placing import allocation
from senn.machine.placing import schedule as placing
from senn.machine.placing.messages import Messages, Places, Routes
from senn.machine.placing.schedule import Task, place
from senn.machine.program import Compute, Instruction, Program, Value, Wait
from senn.machine.program.flow import operands_of
from senn.traces.record import SCHEMA, Trace

MARK3 = model.load("mark3")
ahead = import_module("senn.machine.rewrite.ahead")  # the package has the function of this name


def _checked(
    program: Program, residency: str = "migrating", name: str = "identity", **settings: object
) -> None:
    on = MARK3.with_settings(settings)
    schedule = place(program, allocation.named(name, program.n, residency, on.nodes), on)
    check(schedule, on, simulate(schedule, on, None).trace)


# ------------------------------------------------------------- right placements


@pytest.mark.parametrize(
    ("name", "residency", "settings"),
    [
        ("identity", "migrating", {"machine.shuffle": "forward"}),
        ("identity", "home", {"machine.merge_parallel": True}),
        ("random:3", "migrating", {"machine.network": "ring", "machine.routing": "greedy"}),
        ("gray", "home", {"machine.network": "hypercube", "machine.routing": "e-cube"}),
        ("block", "migrating", {"machine.nodes": 4, "machine.control": "mimd", "timing.receive": 3}),
        ("cyclic,identity", "home", {"machine.nodes": 8, "machine.vertical": "bus"}),
        ("identity", "home", {"machine.routing": "conjugate"}),
        ("identity", "home", {"machine.network": "shuffle-exchange", "machine.routing": "bit-by-bit"}),
    ],
)
def test_other_machines_and_allocations_are_placed_as_written(
    name: str, residency: str, settings: dict[str, object]
) -> None:
    """Seven processes on two arrays."""
    _checked(variants.closed_chain(7, "short"), residency, name, **settings)


# ------------------------------------------------------------- wrong placements


_SOURCES = property(lambda m: m.source_process, lambda m, right: None)


def _wrong_targets(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Messages, "target_process", _SOURCES, raising=False)


def _wrong_writers(patch: pytest.MonkeyPatch) -> None:
    right = record._messages
    patch.setattr(record, "_messages", lambda s, t: right(s, t) | {"process": s.messages.target_process})


def _wrong_activities(patch: pytest.MonkeyPatch) -> None:
    right = record._activities

    def wrong(*arguments: object) -> dict[str, object]:
        columns = right(*arguments)  # type: ignore[arg-type]
        return {**columns, "process": columns["process"][::-1]}  # type: ignore[index]

    patch.setattr(record, "_activities", wrong)


def _routed_moves(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Channels, "unshuffles", None)


def _detours(patch: pytest.MonkeyPatch) -> None:
    """There and back, and there again."""
    right = Router.paths

    def wrong(self: Router, sources: Integers, targets: Integers) -> Paths:
        there, back = right(self, sources, targets), right(self, targets, sources)
        parts = [np.r_[one, other, one] for one, other in zip(there, back, strict=True)]
        return Paths(np.cumsum([0, *map(len, parts)]), np.concatenate([np.zeros(0, dtype=np.int64), *parts]))

    patch.setattr(Router, "paths", wrong)


def _all_round(patch: pytest.MonkeyPatch) -> None:
    """A message for a later level goes round all rows, once more."""
    right = Routes.route

    def wrong(
        self: Routes, array: int, towards: int, at: int, offset: int, sources: Integers, rows: Integers
    ) -> Paths:
        return right(self, array, towards, 0, offset, sources, rows)

    patch.setattr(Routes, "route", wrong)


def _late_readers(patch: pytest.MonkeyPatch) -> None:
    """The first reader of a message with an odd id does not receive it."""
    right = placing.tasks

    def wrong(places: Places, messages: Messages) -> tuple[tuple[Task, ...], ...]:
        streams = right(places, messages)
        return tuple(tuple(replace(x, needs=x.needs[x.needs % 2 == 0]) for x in tasks) for tasks in streams)

    patch.setattr(placing, "tasks", wrong)


@pytest.mark.parametrize(
    "fault",
    [_wrong_targets, _wrong_writers, _wrong_activities, _routed_moves, _detours, _all_round, _late_readers],
)
def test_check_notices_a_fault_of_placing(
    fault: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the fault, no run passes; without it, the same run does."""
    program = variants.closed_chain(5, "short")
    _checked(program)
    fault(monkeypatch)
    with pytest.raises(Violation, match="I"):
        _checked(program)


@pytest.mark.parametrize(("routing", "network"), [("conjugate", "senn"), ("bit-by-bit", "shuffle-exchange")])
def test_check_notices_a_way_that_is_not_of_the_routing(routing: str, network: str) -> None:
    """Ways that are shorter than the routing's, and the same ways over wires that are not the first."""
    lowest = MARK3.with_settings({"machine.network": network})
    on = lowest.with_settings({"machine.routing": routing})
    table = allocation.named("identity", 7, "home")
    shorter, placed = (place(variants.closed_chain(7, "short"), table, machine) for machine in (lowest, on))
    trace = simulate(placed, on, None).trace
    check(placed, on, trace)
    with pytest.raises(Violation, match=f"I14: .* which is no way of routing {routing} from node"):
        check(shorter, on, simulate(shorter, lowest, None).trace)
    hops = trace.hops.with_columns(pl.col("wire").str.replace("exchange:2-3", "neighbor:2-3"))
    assert not hops.equals(trace.hops)
    tables = {name: trace.table(name) for name in SCHEMA} | {"hops": hops}
    with pytest.raises(Violation, match=f"I14: .* which is no way of routing {routing} from node"):
        check(placed, on, Trace.from_tables("full", tables))


# ------------------------------------------------------------- right and slower


def test_check_notices_a_program_that_does_not_move_ahead_as_it_says() -> None:
    """The printed program, which arranges a value after its update, under the name of the other one."""
    _checked(variants.closed_chain(4, ahead=True))
    printed = variants.closed_chain(4)
    with pytest.raises(
        Violation, match=r"I14: I\.b\.12' moves what its level has updated, and not ahead of it"
    ):
        _checked(replace(printed, about={**printed.about, "ahead": True}))


def test_check_notices_a_program_that_moves_more_than_its_updates_ahead(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A value that its level computes from what a process has is then computed after the move."""

    def everything(run: list[Instruction]) -> set[Value]:
        return {line.target for line in run if isinstance(line, Compute)}

    _checked(variants.open_chain(4, ahead=True))
    monkeypatch.setattr(ahead, "_updates", everything)
    with pytest.raises(Violation, match=r"I14: I\.b\.1 moves on before it computes what no"):
        _checked(variants.open_chain(4, ahead=True))


def test_check_notices_an_implied_wait_that_comes_too_early() -> None:
    """It takes a value home that came along with others, which are read later."""
    program = variants.open_chain(6)
    _checked(program)
    (stream,) = (x for x in program.streams if any(line.step == WAIT for line in x))
    k = next(k for k, line in enumerate(stream) if line.step == WAIT)
    assert isinstance(stream[k], Wait)
    reader = max(at for at in range(k) if {*operands_of(stream[at])} & {*operands_of(stream[k])})
    early = (*stream[:reader], stream[k], *stream[reader:k], *stream[k + 1 :])
    streams = tuple(early if x is stream else x for x in program.streams)
    with pytest.raises(Violation, match=r"I14: .* waits for what nothing needs before"):
        _checked(replace(program, streams=streams))


WAIT = "II.b.1.iv.iii'"

"""Which array does which step: what is found is what trying everything finds, and bounds hold."""

from collections.abc import Mapping
from itertools import product

import numpy as np
import pytest

from senn.algorithms.programs import variants
from senn.base.errors import InputError
from senn.machine import model
from senn.machine.engines import events
from senn.machine.placing import allocation
from senn.machine.placing.schedule import place
from senn.machine.program import PR1, PR2, Compute, Program, Send, Value, i
from senn.machine.rewrite import on_arrays
from senn.machine.search.arrays import Assigned, DataFlow, groups, label_of, optimise_arrays
from senn.machine.search.local_search import SearchResult
from tests.machine.small_programs import home, machine, program, total

U, V, X, Y, Z = (Value(letter, None, (1,)) for letter in "UVXYZ")


def makespan(what: Program, table: np.ndarray, on: model.Machine) -> int:
    """By the event engine, which the search does not use."""
    return int(events.simulate(place(what, table, on), on, None, detail="summary").summary["makespan"])


def four_steps(n: int) -> Program:
    """Y and U of X; V of the neighbours' Y; Z of all of them: array 2 makes U and Z."""
    first = [
        Compute("A.1", Y, total(40)(X)),
        Send("A.2", Y, PR1[i + 1]),
        Compute("B.1", V, total(30)(Y[i - 1].or_zero, Y)),
        Send("B.2", V, PR2[i]),
    ]
    second = [Compute("C.1", U, total(50)(X)), Compute("D.1", Z, total(5)(U, V))]
    return program(n, first, second, resident=[(X, 1), (X, 2)], results={"z": (2, Z)})


def searched(what: Program, on: model.Machine, arrays: int = 2, **how: int) -> SearchResult[Assigned]:
    def write(assignment: Mapping[str, int]) -> Program:
        return on_arrays(what, assignment)

    given = what if arrays == what.arrays else write({"D.1": arrays})
    return optimise_arrays(given, what, write, home(what.n), on, **how)


def closed_chain(n: int, assignment: Mapping[str, int]) -> Program:
    return variants.closed_chain(n, arrays=assignment)


@pytest.mark.fast("2-3", "3-2")
@pytest.mark.parametrize("n", [2, 3, 4])
@pytest.mark.parametrize("arrays", [2, 3])
def test_all_assignments_leave_nothing_better(n: int, arrays: int) -> None:
    """Four groups on two and on three arrays, every assignment by the event engine: the least is found."""
    on, what = machine(startup=20, word=1), four_steps(n)
    found = searched(what, on, arrays)
    ends = []
    for chosen in product(range(1, arrays + 1), repeat=4):
        if set(chosen) == set(range(1, max(chosen) + 1)):
            said = dict(
                zip(("A.1", "A.2", "B.1", "B.2", "C.1", "D.1"), np.repeat(chosen, (2, 2, 1, 1)), strict=True)
            )
            ends.append(makespan(on_arrays(what, {k: int(v) for k, v in said.items()}), home(n), on))
    assert found.best.makespan == min(ends)
    assert found.gap == 0
    assert all(bound.cycles <= min(ends) for bound in found.bounds)


def test_bounds_worked_out_by_hand() -> None:
    """40 for Y, 1 to post, 20 on the way, 30 for V, 5 for Z: 96 cycles on any array, and no less for two that
    share the work; with one run it is the given arrays."""
    found = searched(four_steps(2), machine(startup=20))
    lower = {bound.name: bound.cycles for bound in found.bounds}
    assert lower["data flow"] == 40 + 1 + 20 + 30 + 5
    assert lower["data flow"] <= lower["work"] <= lower["every assignment"] == found.best.makespan
    alone = searched(four_steps(2), machine(startup=20), budget=1)
    assert alone.runs == 1
    assert alone.best.assignment == {}


def test_without_a_dma_an_array_goes_on_when_its_messages_are_delivered() -> None:
    """On one array U, 50 cycles, is made after Y is posted at 41, or after it is delivered at 61; then V and
    Z.."""
    a, b = four_steps(2).streams
    one = program(2, [*a[:2], b[0], a[2], b[1]], resident=[(X, 1)], results={"z": (1, Z)})
    for dma, ends in ((True, 41 + 50 + 30 + 5), (False, 61 + 50 + 30 + 5)):
        on = machine(startup=20, dma=dma)
        order = DataFlow(place(one, home(2), on), on)
        assert order.makespan([1] * 5) == ends == makespan(one, home(2), on)
        assert order.makespan(None) == 40 + 1 + 20 + 30 + 5


@pytest.mark.exhaustive
def test_no_assignment_of_the_closed_chain_ends_before_its_bound() -> None:
    """Whole parts on random arrays, on several presets: the event engine is never below the makespan without
    queues of the assignment, nor this below what holds for all."""
    n, tried = 3, 0
    table = allocation.named("identity", n, "migrating")
    several = groups(variants.closed_chain(n))
    for seed, name in enumerate(["mark3", "raw", "ipsc860", "cluster", "maspar"]):
        on, rng = model.load(name), np.random.default_rng(seed)
        order = DataFlow(place(closed_chain(n, {"": 1}), table, on), on)
        parts = dict.fromkeys(group.part for group in several)
        for _ in range(2):
            of = {part: int(rng.integers(1, 3)) for part in parts} | {"I.a": 1, "IV.b": 2}
            said = {label: of[group.part] for group in several for label in group.labels}
            number = [said[label_of(step)] for step in order.steps]
            try:
                ends = makespan(closed_chain(n, said), table, on)
            except InputError:
                continue
            tried += 1
            assert order.makespan(None) <= order.makespan(number) <= ends, (name, of)
    assert tried > 3


def test_groups_keep_what_is_sent_beside_what_makes_it() -> None:
    """C is made in I.b.2 and sent in I.b.3, K in I.b.10; D alone in I.b.4; each label in one group."""
    several = groups(variants.closed_chain(4))
    labels = [label for group in several for label in group.labels]
    assert len(labels) == len(set(labels))
    together = {label: group.labels for group in several for label in group.labels}
    assert "I.b.3" in together["I.b.2"]
    assert "I.b.11" in together["I.b.10"]
    assert "I.b.4" not in together["I.b.2"]


@pytest.mark.exhaustive
def test_a_fast_machine_gains_by_other_arrays() -> None:
    """Cheap messages, n = 2: the sweep of I.c in array 2 ends sooner than the paper's two arrays; the seed
    repeats it, and the budget is kept."""
    on, n = machine(startup=2, word=1), 2
    given, told = variants.closed_chain(n), list[tuple[int, int]]()
    table = allocation.named("identity", n, "migrating")
    one, two = (
        optimise_arrays(
            given,
            given,
            lambda said: closed_chain(n, said),
            table,
            on,
            budget=6,
            seed=2,
            progress=lambda *now: told.append(now),
        )
        for _ in range(2)
    )
    assert one.best.assignment == two.best.assignment
    assert one.best.makespan < one.starts[0].makespan
    assert one.best.makespan == makespan(closed_chain(n, one.best.assignment), table, on)
    assert [runs for runs, _ in told] == [*range(1, one.runs + 1)] * 2
    assert one.runs == 6


def test_what_cannot_be_searched_is_refused() -> None:
    """No budget, nodes that issue on their own, and a data flow of two arrays."""
    with pytest.raises(InputError, match="budget = 0: the search needs 1 run at least"):
        searched(four_steps(2), machine(), budget=0)
    with pytest.raises(InputError, match="lower bounds are proved for lockstep control only"):
        searched(four_steps(2), machine(control="mimd"))
    with pytest.raises(InputError, match="all its steps on one array"):
        DataFlow(place(four_steps(2), home(2), machine()), machine())

"""The search finds what trying everything finds, and calls optimal only what is."""

from itertools import permutations

import numpy as np
import pytest

from senn.algorithms.programs import variants
from senn.base.errors import InputError
from senn.machine import model
from senn.machine.engines import events, lockstep
from senn.machine.placing import allocation
from senn.machine.placing.schedule import place
from senn.machine.program import Program
from senn.machine.program.dataflow import Flow, flow
from senn.machine.search.optimise import SearchResult, optimise
from tests.machine.small_programs import elimination, machine


def makespan(program: Program | Flow, table: np.ndarray, on: model.Machine) -> int:
    """By the event engine, which the search does not use."""
    run = events.simulate(place(program, table, on), on, None, detail="summary")
    return int(run.summary["makespan"])


def searched(
    n: int, residency: allocation.Residency, on: model.Machine, start: int = 0, **how: int
) -> SearchResult:
    """The search from the identity, or from a random renaming of it."""
    pattern = allocation.named(f"random:{start}" if start else "identity", n, residency)
    return optimise(variants.closed_chain(n), pattern, on, **how)


@pytest.mark.fast("on0-home")
@pytest.mark.parametrize("residency", ["home", "migrating"])
@pytest.mark.parametrize("on", [machine(startup=3, word=2), machine(startup=0, word=3)])
def test_four_nodes_have_no_better_placement(residency: allocation.Residency, on: model.Machine) -> None:
    """All 24 placements by the event engine: the least is what was found, from a bad start, and proved."""
    found = searched(4, residency, on, start=7)
    pattern = allocation.named("identity", 4, residency)
    program = flow(variants.closed_chain(4))
    least = min(makespan(program, np.array(r)[pattern], on) for r in permutations(range(4)))
    assert found.best.makespan == least == makespan(program, found.best.table, on)
    assert found.gap == 0
    assert found.because.startswith("optimal: ")
    assert max(bound.cycles for bound in found.bounds) <= least


@pytest.mark.exhaustive
def test_five_processes_on_eight_nodes_leave_nothing_better() -> None:
    """Elimination at home; 6720 placements with three nodes left free, of which 30 are drawn."""
    program, on = elimination(5, 10), machine(startup=20, word=1)
    found = optimise(program, allocation.named("identity", 5, "home"), on)
    assert found.bound.name == "every renaming"
    assert found.gap == 0
    assert found.best.makespan < min(one.makespan for one in found.starts)
    rng, same = np.random.default_rng(0), flow(program)
    for _ in range(30):
        home = np.tile(rng.permutation(8)[:5], (4, 1))
        run = lockstep.simulate(place(same, home, on), on, None, detail="summary")
        assert found.best.makespan <= run.summary["makespan"]


@pytest.mark.exhaustive
def test_a_budget_that_ends_early_leaves_what_is_proved() -> None:
    """Bounded are all 40,320, run only some: the least bound of the rest is a bound, above all others, and
    no more than what a larger budget finds."""
    program, on = elimination(6, 10), machine(startup=20, word=1)
    start = allocation.named("identity", 6, "home")
    less, more = (optimise(program, start, on, budget=budget) for budget in (10, 200))
    assert less.bound.name == "every renaming"
    assert max(bound.cycles for bound in less.bounds[:-1]) <= less.bound.cycles
    assert less.bound.cycles <= more.best.makespan <= less.best.makespan
    assert less.gap == less.best.makespan - less.bound.cycles > 0 == more.gap
    assert less.bound.because.endswith("what was not run ends no sooner than this; the budget was spent")
    assert more.bound.because.endswith("those that could end sooner were run")


@pytest.mark.exhaustive
def test_migration_on_senn_is_nearly_optimal_for_eight_processes() -> None:
    """Of all 40,320 renamings of the migrating pattern the paper's is the best on mark3, and its mirror image
    where neighbours are near; on maspar, had it a DMA, it meets a bound: there no renaming could be better,
    whatever was tried."""
    mark3 = searched(8, "migrating", model.load("mark3"))
    assert (mark3.bound.name, mark3.gap) == ("every renaming", 0)
    assert mark3.best.makespan == mark3.starts[0].makespan
    near = searched(8, "migrating", machine(startup=3, word=2))
    np.testing.assert_array_equal(near.best.table, 7 - near.starts[0].table)
    assert (near.bound.name, near.gap) == ("every renaming", 0)
    maspar = searched(8, "migrating", model.load("maspar").with_settings({"machine.dma": True}))
    assert (maspar.runs, maspar.bounded) == (1, 0)
    assert [one.name for one in maspar.starts] == ["as given"]
    assert maspar.because == (
        'optimal: it meets the bound "one hop": a message between different nodes crosses a channel at least'
    )


def test_a_bound_without_a_dma_is_met_by_the_first_run() -> None:
    """The closed chain at home on maspar: a send returns on delivery, and the bounds know it."""
    found = searched(8, "home", model.load("maspar"))
    assert (found.runs, found.gap) == (1, 0)


def test_a_gray_code_is_found_on_a_hypercube() -> None:
    """Sixteen processes at home, from binary addresses: as good as the Gray code, in which no partner is
    more than two hops away (partners 2^k apart, k >= 1, differ in two bits of it)."""
    on = model.load("mark3").with_settings({"machine.network": "hypercube"})
    found = searched(16, "home", on, budget=40)
    starts = {one.name: one.makespan for one in found.starts}
    assert found.best.makespan <= starts["gray"] < starts["as given"]
    placed = place(variants.closed_chain(16), found.best.table, on)
    inside = placed.messages.source_array == placed.messages.target_array
    assert placed.messages.paths.hops[inside].max() == 2


def test_where_all_nodes_are_neighbours_every_placement_is_optimal() -> None:
    """A fully connected network: the given table meets the bound of one hop, and nothing is searched."""
    on = model.load("mark3").with_settings({"machine.network": "full"})
    found = searched(16, "home", on, start=1)
    assert (found.runs, found.bounded, found.gap) == (1, 0, 0)
    assert found.because.startswith('optimal: it meets the bound "one hop"')


@pytest.mark.exhaustive
def test_a_hidden_pattern_is_found_again() -> None:
    """Sixteen migrating processes, the nodes renamed at random: the search comes back to what they had."""
    on = model.load("mark3")
    program, pattern = variants.closed_chain(16), allocation.named("identity", 16, "migrating")
    found = searched(16, "migrating", on, start=1, budget=40)
    assert found.starts[0].makespan > 2 * found.best.makespan
    assert found.best.makespan <= makespan(program, pattern, on)


def test_the_same_seed_finds_the_same_table() -> None:
    """And every figure of the search; another seed goes another way."""
    on, start = machine(startup=5, word=1), allocation.named("random:1", 12, "home")
    one, two, other = (optimise(elimination(12, 10), start, on, budget=12, seed=seed) for seed in (4, 4, 5))
    np.testing.assert_array_equal(one.best.table, two.best.table)
    assert (one.history, one.runs, one.bounded) == (two.history, two.runs, two.bounded)
    assert (one.history, one.bounded) != (other.history, other.bounded)


def test_the_budget_is_kept_and_progress_told() -> None:
    """Each run is told with the least makespan so far; one run is the given table; none is refused."""
    on, told = model.load("mark3"), list[tuple[int, int]]()
    found = searched(16, "home", on, start=1, budget=7, progress=lambda *now: told.append(now))
    assert [runs for runs, _ in told] == list(range(1, found.runs + 1)) == list(range(1, 8))
    assert [least for _, least in told] == sorted((least for _, least in told), reverse=True)
    assert dict(told) | dict(found.history) == dict(told)
    given = searched(16, "home", on, start=1, budget=1)
    np.testing.assert_array_equal(given.best.table[0], allocation.named("random:1", 16, "home"))
    assert given.because == (
        f"at most {given.gap:,} cycles, {100 * given.gap / given.bound.cycles:.1f} %, above the optimum: "
        'below the bound "dilation" nothing is possible'
    )
    with pytest.raises(InputError, match=r"^budget is 0; write a whole number from 1$"):
        searched(4, "home", on, budget=0)


@pytest.mark.parametrize(
    ("n", "home", "on"),
    [
        (4, allocation.named("random:2", 4, "home")[0], machine(startup=3, word=1, ports="one")),
        (8, np.array([2, 2, 0, 0, 3, 3, 1, 1]), machine(startup=20, word=1, nodes=4)),
    ],
    ids=["one port", "two processes a node"],
)
def test_elimination_on_four_nodes_leaves_nothing_better(n: int, home: np.ndarray, on: model.Machine) -> None:
    """All 24 renamings: with one port, which the lockstep engine refuses, and of whole nodes, whose processes
    stay together."""
    program, pattern = flow(elimination(n, 10)), np.tile(home, (n.bit_length(), 1))
    found = optimise(program, pattern, on)
    least = min(makespan(program, np.array(r)[pattern], on) for r in permutations(range(4)))
    assert (found.best.makespan, found.gap) == (least, 0)
    moved = np.argsort(home, kind="stable")
    assert (np.diff(found.best.table[..., moved].reshape(-1, 4, n // 4)) == 0).all()


def test_one_process_has_one_placement() -> None:
    """No swap; optimal, because its messages to the other array cross one channel each."""
    found = searched(1, "home", machine(startup=3, word=2))
    assert (found.runs, found.bound.name, found.gap) == (1, "one hop", 0)

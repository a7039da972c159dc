"""Lower bounds: no renaming ends sooner, and small ones are as worked out by hand."""

from dataclasses import replace
from itertools import permutations

import networkx as nx
import numpy as np
import pytest

from senn.algorithms.programs import variants
from senn.base.errors import InputError
from senn.machine import model
from senn.machine.engines import events, lockstep
from senn.machine.network.named import senn
from senn.machine.placing import allocation
from senn.machine.placing.schedule import Schedule, place
from senn.machine.program import PR1, PR2, Compute, Program, Send, Value, i
from senn.machine.program.dataflow import flow
from senn.machine.search import bounds as dilation
from senn.machine.search.bounds import bounds, distances, within_reach
from senn.machine.search.precedence import precedence
from tests.machine.random_programs import case
from tests.machine.small_programs import elimination, home, machine, program, total

X, Y, Z = (Value(letter, None, (1,)) for letter in "XYZ")


def cycles(schedule: Schedule, on: model.Machine) -> dict[str, int]:
    return {bound.name: bound.cycles for bound in bounds(schedule, on)}


def makespan(schedule: Schedule, on: model.Machine) -> int:
    return int(events.simulate(schedule, on, None, detail="summary").summary["makespan"])


def star(n: int) -> Program:
    """Process 1 computes for 5 cycles and sends to all others, which read it together for 3 cycles."""
    others = [Y[i - k].or_zero for k in range(1, n)]
    stream = [
        Compute("a", Y, total(5)(X), where=i == 1),
        Send("b", Y, *(PR1[i + k].only(i == 1) for k in range(1, n))),
        Compute("c", Z, total(3)(X, *others)),
    ]
    return program(n, stream, resident=[(X, 1)])


# -- worked out by hand


def test_one_message_to_a_neighbour_meets_the_one_hop_bound() -> None:
    """5 cycles of work, 1 to post, 10 on the way, 3 of work: 9 without the way, 19 with it."""
    schedule = place(star(2), home(2), machine())
    assert cycles(schedule, machine()) == {
        "free network": 9,
        "one hop": 19,
        "dilation": 19,
        "channel load": 19,
    }
    assert makespan(schedule, machine()) == 19


def test_a_node_sends_its_messages_in_turns() -> None:
    """Seven messages of 10 cycles leave one node of at most 4 channels: ceil(70 / 4) = 18 cycles, not 10;
    with one port 70."""
    on = machine()
    schedule = place(star(8), home(8), on)
    assert cycles(schedule, on)["one hop"] == 5 + 1 + 10 + 3
    assert cycles(schedule, on)["channel load"] == 5 + 1 + 18 + 3
    one = machine(ports="one")
    assert cycles(place(star(8), home(8), one), one)["channel load"] == 5 + 1 + 70 + 3


def test_the_farthest_of_seven_partners_is_a_radius_away() -> None:
    """Wherever a star of all nodes has its centre, some ray is as long as the radius of the network."""
    schedule = place(star(8), home(8), machine())
    radius = nx.radius(nx.Graph(senn(8).graph()))
    assert cycles(schedule, machine())["dilation"] == 5 + 1 + 10 * radius + 3


def test_a_way_to_the_other_array_has_its_vertical_hop() -> None:
    """Process 1 sends to process 2 of array 2: a hop inside, a hop down."""
    first = [Compute("a", Y, total(5)(X), where=i == 1), Send("b", Y, PR2[i + 1].only(i == 1))]
    schedule = place(
        program(2, first, [Compute("c", Z, total(3)(Y[i - 1]))], resident=[(X, 1)]), home(2), machine()
    )
    assert cycles(schedule, machine())["one hop"] == 5 + 1 + 20 + 3 == makespan(schedule, machine())


def test_without_a_dma_the_next_task_awaits_what_was_sent() -> None:
    """5 cycles of work, 1 to post; 2 of work that needs no message; 3 with it. The message is there at 16:
    without a DMA the work between begins then, and the last at 18. Of seven messages over at most four
    channels the last is delivered after 18 cycles and not 10, and 2 + 3 cycles follow."""
    between = Compute("b'", Value("W", None, (1,)), total(2)(X))
    for n, (alone, one_hop, load) in ((2, (11, 21, 21)), (8, (11, 21, 29))):
        a, b, c = star(n).streams[0]
        schedule = place(program(n, [a, b, between, c], resident=[(X, 1)]), home(n), machine(dma=False))
        lower = cycles(schedule, machine(dma=False))
        assert (lower["free network"], lower["one hop"], lower["channel load"]) == (alone, one_hop, load)
        assert max(lower.values()) <= makespan(schedule, machine(dma=False))
        assert cycles(schedule, machine())["one hop"] == 19
    assert makespan(place(star(2), home(2), machine(dma=False)), machine(dma=False)) == 19


# -- walks


def test_walks_refute_only_what_no_renaming_does() -> None:
    """Against all renamings of five nodes, for a few hundred pairs of random graphs; it refutes most."""
    rng = np.random.default_rng(0)
    impossible = refuted = 0
    for _ in range(300):
        near = rng.random((5, 5)) < rng.choice([0.3, 0.5, 0.7])
        np.fill_diagonal(near, False)
        wanted = np.argwhere(rng.random((5, 5)) < 0.25)
        pairs = frozenset((int(p), int(q)) for p, q in wanted if p != q)
        possible = any(all(near[r[p], r[q]] for p, q in pairs) for r in permutations(range(5)))
        impossible += not possible
        refuted += not within_reach(pairs, near)[0]
        assert within_reach(pairs, near)[0] or not possible
    assert impossible / 2 < refuted <= impossible


def test_a_hypercube_has_no_room_for_a_triangle() -> None:
    """Partners at 1 and 2 make triangles i, i + 1, i + 2; partners at 1 alone are a path, and have room."""
    cube = nx.to_numpy_array(nx.convert_node_labels_to_integers(nx.hypercube_graph(4))) > 0
    path = {(p, p + 1) for p in range(15)} | {(p + 1, p) for p in range(15)}
    assert within_reach(frozenset(path), cube)[0]
    assert not within_reach(frozenset(path | {(0, 2), (2, 0)}), cube)[0]


@pytest.mark.parametrize("network", ["senn", "hypercube", "ring"])
def test_the_dilation_bound_is_under_every_placement_without_queues(network: str) -> None:
    """Elimination of 6 at home against all 40,320 renamings; on SENN it is within a cycle of the least."""
    on = machine(startup=20, word=1, network=network)
    schedule = place(elimination(6, 10), home(6), on)
    order, hops = precedence(schedule, on), distances(schedule)
    everything = np.array(list(permutations(range(8))))
    least = min(order.makespan(order.hops(hops, some)[0]).min() for some in np.array_split(everything, 40))
    lower = cycles(schedule, on)
    assert lower["one hop"] < lower["dilation"] <= least
    assert network != "senn" or lower["dilation"] >= least - 1


# -- bounds hold


@pytest.mark.exhaustive
def test_no_random_program_ends_sooner_under_any_renaming(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random programs on random machines, each at its table and two renamings of it, by the event engine;
    every bound is met by some of them."""
    monkeypatch.setattr(dilation, "EFFORT", 10**7)  # a bound wherever it is broken off
    met: set[str] = set()
    for seed in range(30):
        what, table, on, _ = case(seed)
        on, same = replace(on, control="simd"), flow(what)
        schedule = place(same, table, on)
        lower = cycles(schedule, on)
        rng = np.random.default_rng(seed)
        nodes = schedule.wiring.nodes
        for renaming in (np.arange(nodes), rng.permutation(nodes), rng.permutation(nodes)):
            ends = makespan(place(same, renaming[table], on), on)
            assert ends >= max(lower.values()), f"seed {seed}: {ends} under a bound of {lower}"
            met |= {name for name, least in lower.items() if least == ends}
        assert lower["free network"] <= lower["one hop"] <= lower["dilation"]
    assert met == {"free network", "one hop", "dilation", "channel load"}


@pytest.mark.fast(every=1)
@pytest.mark.parametrize("residency", ["home", "migrating"])
@pytest.mark.parametrize("on", [model.load("mark3"), machine(startup=0, word=9)])
def test_no_placement_of_a_closed_chain_ends_sooner(
    residency: allocation.Residency, on: model.Machine
) -> None:
    """Random renamings of 7 processes on 8 nodes: above every bound, and their own without queues."""
    what = variants.closed_chain(7)
    pattern = allocation.named("identity", 7, residency)
    schedule = place(what, pattern, on)
    least = max(cycles(schedule, on).values())
    order, hops = precedence(schedule, on), distances(schedule)
    for seed in range(5):
        renaming = allocation.random(8, seed)
        placed = place(what, renaming[pattern], on)
        ends = lockstep.simulate(placed, on, None, detail="summary").summary["makespan"]
        needed, word_hops = order.hops(hops, renaming[None])
        assert least <= order.makespan(needed)[0] <= ends
        assert word_hops[0] <= placed.messages.paths.hops @ placed.messages.words


@pytest.mark.parametrize("residency", ["home", "migrating"])
def test_the_free_network_is_a_run_whose_messages_take_no_time(residency: allocation.Residency) -> None:
    """T0 as the event engine tells it, of the closed chain on the figures of a machine without start-up."""
    on = model.load("mark3")
    table = allocation.named("gray", 12, residency)
    schedule = place(variants.closed_chain(12), table, on)
    assert cycles(schedule, on)["free network"] == makespan(schedule, on.with_free_network())


def test_without_queues_the_longest_path_is_the_run() -> None:
    """Elimination at home, with a DMA or without, so slow that no two messages of a channel meet."""
    for on in (machine(startup=10), machine(startup=10, dma=False)):
        schedule = place(elimination(8, 1000), home(8), on)
        order = precedence(schedule, on)
        hops, word_hops = order.hops(distances(schedule), np.arange(8)[None])
        assert order.makespan(hops)[0] == makespan(schedule, on)
        assert word_hops[0] == schedule.messages.paths.hops @ schedule.messages.words


def test_bounds_of_a_machine_that_is_not_lockstep_are_refused() -> None:
    """Where every node issues on its own, the longest path of a control unit proves nothing."""
    on = machine(control="mimd")
    schedule = place(star(2), home(2), on)
    with pytest.raises(InputError, match="lower bounds are proved for lockstep control only"):
        bounds(schedule, on)

"""A schedule timed anew is the run that an engine makes of it on the other machine, span by span."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

import senn
from senn.algorithms.programs import variants
from senn.base.errors import InputError
from senn.choices import Residency
from senn.machine.engines import events
from senn.machine.model import Machine, load
from senn.machine.model.machine import of_description
from senn.machine.placing.schedule import Schedule, place
from senn.machine.timing import Retiming, recorded_schedule
from senn.machine.timing.graph import LARGEST, Filled, Order, order_of
from tests.machine.random_programs import case

ORDERLY = {"control": "simd", "ports": "all", "discipline": "fifo"}


def _recorded(schedule: Schedule, machine: Machine) -> Retiming:
    """From the tables of its run alone."""
    run = events.simulate(schedule, machine, None)
    return Retiming(recorded_schedule(run), machine, run.trace.hops["queued"].to_numpy())


def _others(machine: Machine, seed: int) -> Iterator[Machine]:
    """Machines with other times, two of them of another kind, and one on which no order can be kept to."""
    for k in range(3):
        yield replace(machine, timing=replace(machine.timing, post=k, receive=2 - k, add=3 * k))
    for k in range(3):
        other = case(100 * seed + k)[2]
        if other.switching == machine.switching:
            yield replace(machine, timing=other.timing)
        yield replace(other, nodes=machine.nodes, routing=machine.routing, **(ORDERLY if k else {}))


def test_random_programs_on_random_machines() -> None:
    ways: Counter[str] = Counter()
    for seed in range(6):
        program, table, drawn, _ = case(seed)
        machine = replace(drawn, **ORDERLY)
        schedule = place(program, table, machine)
        retiming = _recorded(schedule, machine)
        for other in _others(machine, seed):
            timing, run = retiming.timing(other), events.simulate(schedule, other, None)
            assert timing.makespan == run.summary["makespan"], (seed, timing)
            assert timing.trace == run.trace, (seed, timing)
            assert timing.summary == run.summary, (seed, timing)
            assert timing.run("instructions").trace == run.trace.at_detail("instructions")
            ways[timing.by] += 1
    assert ways["order"] > 10
    assert ways["events"] > 3


@pytest.mark.fast("2-migrating", "7-home")
@pytest.mark.parametrize("residency", ["migrating", "home"])
@pytest.mark.parametrize("n", [1, 2, 7, 16])
def test_the_closed_chain_on_every_machine(n: int, residency: Residency) -> None:
    schedule = senn.placed(variants.closed_chain(n), "mark3", residency)
    retiming = _recorded(schedule, load("mark3"))
    machines = [load(name) for name in ("ideal", "ipsc860", "mark3", "maspar", "raw", "t800")]
    together = Retiming(schedule, load("mark3")).makespans(machines)
    for one, cycles in zip(machines, together.cycles.tolist(), strict=True):
        timing, run = retiming.timing(one), events.simulate(schedule, one, None)
        assert timing.makespan == cycles == run.summary["makespan"]
        assert timing.trace == run.trace
    assert together.by_order[2], "the machine of the record has its order"


@pytest.mark.parametrize(("seed", "multiply"), [(4, 0), (13, 40), (15, 40), (18, 40), (21, 0)])
def test_arrays_that_share_a_bus(seed: int, multiply: int) -> None:
    """What two arrays have just posted comes to the bus as they work, which is up to the machine."""
    program, table, drawn, _ = case(seed)
    machine = replace(
        drawn,
        **ORDERLY,
        vertical="bus",
        switching="store-and-forward",
        timing=replace(load("fijany").timing, startup=20, word=1),
    )
    other = replace(machine, timing=replace(machine.timing, multiply=multiply))
    schedule = place(program, table, machine)
    timing = _recorded(schedule, machine).timing(other)
    assert (timing.by, "vertical:" in timing.why) == ("events", True)
    assert timing.trace == events.simulate(schedule, other, None).trace


def _crossing() -> Schedule:
    """At n = 16 and home, messages of several levels share channels, in an order that depends on times."""
    return senn.placed(variants.closed_chain(16), "mark3", "home")


def test_without_looking_at_the_order_the_times_would_be_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    schedule, mark3 = _crossing(), load("mark3")
    slow = mark3.with_settings({"timing.startup": 1, "timing.word": 200})
    timing = _recorded(schedule, mark3).timing(slow)
    assert timing.by == "events"
    assert timing.why.startswith("message ")
    assert timing.why.endswith("which went first in the record")
    monkeypatch.setattr(Filled, "overtaken", np.array([-1]))
    believed = _recorded(schedule, mark3).timing(slow)
    assert believed.by == "order"
    assert believed.trace != timing.trace, "the order on this machine is another, and it matters"


def test_every_edge_of_the_graph_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without queues, or with a wait less, the times differ: the comparisons above can fail."""
    schedule, mark3 = _crossing(), load("mark3")
    whole = _recorded(schedule, mark3).timing(mark3).makespan

    def without_queues(*given: object) -> Order | str:
        order = order_of(*given)  # type: ignore[arg-type]
        assert isinstance(order, Order)
        graph = replace(order.graph, follows=np.full_like(order.graph.follows, -1))
        return replace(order, graph=graph, meet=order.meet[:, :0])

    monkeypatch.setattr("senn.machine.timing.what_if.order_of", without_queues)
    assert _recorded(schedule, mark3).timing(mark3).makespan < whole


def test_many_machines_find_the_orders_that_they_need() -> None:
    schedule, mark3 = _crossing(), load("mark3")
    machines = [
        mark3.with_settings({"timing.startup": startup, "timing.word": word})
        for startup in (0, 1, 20, 500)
        for word in (0, 1, 64, 900)
    ]
    found = Retiming(schedule, mark3).makespans(machines)
    assert found.cycles.tolist() == [
        senn.timed(schedule, one, engine="events").summary["makespan"] for one in machines
    ]
    assert found.by_order.sum() > len(machines) / 2
    again = Retiming(schedule, load("ideal")).makespans(machines)
    assert again.cycles.tolist() == found.cycles.tolist(), "a record of a free network has no order"


def test_what_has_no_order_is_run_and_says_why() -> None:
    schedule, mark3 = senn.placed(variants.closed_chain(4)), load("mark3")
    for setting, why in (
        ("control=mimd", 'control = "mimd": every node issues by itself'),
        ("ports=one", 'ports = "one": which channel may serve depends on all others in every cycle'),
        ("discipline=priority", 'discipline = "priority": who is served next depends on who waits'),
    ):
        name, _, value = setting.partition("=")
        other = mark3.with_settings({f"machine.{name}": value})
        timing = Retiming(schedule, mark3).timing(other)
        assert (timing.by, timing.why) == ("events", why)
        assert timing.trace == events.simulate(schedule, other, None).trace
        assert Retiming(schedule, mark3).makespans([other]).cycles.tolist() == [timing.makespan]


def test_a_graph_as_large_as_the_traffic_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("senn.machine.timing.graph.LARGEST", 20)
    schedule, mark3 = _crossing(), load("mark3")
    timing = Retiming(schedule, mark3).timing(mark3)
    assert (timing.by, timing.why[:15]) == ("events", "the traffic is ")
    assert LARGEST > 20


def test_another_network_is_refused() -> None:
    retiming = Retiming(senn.placed(variants.closed_chain(8)), load("mark3"))
    text = 'machine k40c has network = "full", but this schedule was placed with network = "senn": messages'
    with pytest.raises(InputError, match=text):
        retiming.timing(load("k40c"))
    with pytest.raises(InputError, match=text):
        retiming.makespans([load("raw"), load("k40c")])
    with pytest.raises(InputError, match="runs on 2 arrays at once, but machine raw has 1: take"):
        retiming.timing(load("raw").with_settings({"machine.arrays_at_once": 1}))


def test_large_numbers_are_exact_or_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    schedule, mark3 = senn.placed(variants.closed_chain(8)), load("mark3")
    retiming = Retiming(schedule, mark3)
    times = {"timing.startup": 10**12, "timing.word": "0.0000000001", "timing.add": "0.3"}
    fine = mark3.with_settings(times)
    run = senn.timed(schedule, fine, engine="events")
    assert retiming.timing(fine).makespan == run.summary["makespan"]
    assert retiming.makespans([mark3, fine]).cycles[1] == run.summary["makespan"]
    for room in ("senn.machine.durations", "senn.machine.durations"):
        monkeypatch.setattr(f"{room}.LONGEST", 10**6)
    with pytest.raises(InputError, match="more than 64 bits hold"):
        retiming.makespans([mark3, fine])


@pytest.mark.parametrize("seed", range(8))
def test_a_machine_is_what_it_is_described_as(seed: int) -> None:
    machine = case(seed)[2]
    assert of_description({**machine.describe(), "arrays": 2}) == machine


def test_a_description_that_lacks_a_field_is_refused() -> None:
    said = {name: value for name, value in load("raw").describe().items() if name != "word"}
    with pytest.raises(InputError, match="says no word of its machine"):
        of_description(said)

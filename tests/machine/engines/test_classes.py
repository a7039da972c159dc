"""Times by classes of channels against the other engines, which have the queue of every channel."""

from contextlib import suppress
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from senn.algorithms import catalogue
from senn.algorithms.programs import variants
from senn.algorithms.programs.newton_euler import NEWTON_EULER
from senn.base.errors import InputError
from senn.machine import model
from senn.machine.durations import durations
from senn.machine.engines import classes, events, lockstep
from senn.machine.engines.issue_times import times
from senn.machine.engines.runs import Unfit
from senn.machine.model import Machine
from senn.machine.network.named import SHUFFLING
from senn.machine.network.routing import BELONGS, SHORTEST
from senn.machine.placing import allocation
from senn.machine.placing.schedule import place, scores
from senn.machine.program import PR1, Arrange, Compute, Instruction, Program, Send, i, value
from tests.exhaustive import covering
from tests.machine.random_programs import case
from tests.machine.small_programs import machine, total
from tests.machine.small_programs import program as one_stream

PRESETS = ("mark3", "fijany", "t800", "ideal", "cluster")


def by_channels(program: Program, on: Machine) -> tuple[Any, ...]:
    """What `of_classes` returns, by the lockstep engine; of few links the event engine, which has queues of
    its own, sums up."""
    schedule = place(program, allocation.named("identity", program.n, "migrating"), on)
    timed = times(schedule, on, durations(schedule, on))
    issues = tuple(tuple(cycles.tolist()) for cycles in timed.issues)
    simulate = events.simulate if program.n <= 16 else lockstep.simulate
    summary = simulate(schedule, on, None, detail="summary").summary
    return issues, dict(summary), scores(schedule, timed.makespan)


def of_classes(program: Program, on: Machine) -> tuple[Any, ...]:
    """Issue cycles by array, summary and scores."""
    timed = classes.timed(program, on)
    return timed.issues, timed.summary, timed.scores


def assert_same(program: Program, on: Machine) -> None:
    assert of_classes(program, on) == by_channels(program, on)


@pytest.mark.fast(
    "paper-oee-t800", "short-oer-fijany", "omega-oee-mark3", "paper-oer-ideal", "omega-oer-cluster"
)
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("elimination", variants.ELIMINATIONS)
@pytest.mark.parametrize("form", variants.FORMS)
def test_every_issue_of_every_array_is_that_of_the_lockstep_engine(
    form: str, elimination: str, preset: str
) -> None:
    """Summary and scores too."""
    for n in (2, 3, 7, 8, 13):
        assert_same(variants.closed_chain(n, form, elimination=elimination), model.load(preset))


@pytest.mark.exhaustive
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("elimination", variants.ELIMINATIONS)
@pytest.mark.parametrize("form", variants.FORMS)
def test_every_issue_of_longer_arms(form: str, elimination: str, preset: str) -> None:
    for n in (17, 48, 65, 128, 513):
        assert_same(variants.closed_chain(n, form, elimination=elimination), model.load(preset))


TIMINGS = st.fixed_dictionaries(
    {
        "timing.multiply": st.sampled_from(["0", "1", "0.5", "13.3", "400"]),
        "timing.add": st.sampled_from(["0", "1", "0.3", "90"]),
        "timing.startup": st.sampled_from(["0", "1", "3", "30", "1000"]),
        "timing.word": st.sampled_from(["0.01", "0.3", "1", "17", "138"]),
        "timing.post": st.integers(0, 90).map(str),
        "timing.receive": st.sampled_from(["0", "0", "1", "50"]),
    }
)


PROGRAMS = st.fixed_dictionaries(
    {
        "form": st.sampled_from(variants.FORMS),
        "elimination": st.sampled_from(variants.ELIMINATIONS),
        "arrays": st.sampled_from([1, 2, 3]),
    }
)


@settings(max_examples=6)
@given(PROGRAMS, st.integers(2, 17), st.sampled_from(["mark3", "cluster"]), TIMINGS)
def test_random_timings(options: dict[str, Any], n: int, preset: str, timing: dict[str, str]) -> None:
    """Some of these machines have queues that hardly empty, others have many equal arrivals."""
    assert_same(variants.closed_chain(n, **options), model.load(preset).with_settings(timing))


@pytest.mark.exhaustive
@settings(max_examples=60)
@given(
    PROGRAMS,
    st.sampled_from([4, 8, 11, 16, 30, 64, 100, 128]),
    st.sampled_from(["mark3", "cluster"]),
    TIMINGS,
)
def test_many_random_timings(options: dict[str, Any], n: int, preset: str, timing: dict[str, str]) -> None:
    assert_same(variants.closed_chain(n, **options), model.load(preset).with_settings(timing))


UNFIT = {
    *("star", "star-together", "star-blocks", "star-blocks-together"),
    *("both-ends", "gather-and-solve", "hybrid"),
}


@pytest.mark.fast("8-inverse-dynamics", "8-hybrid", "8-star", "5-divide-and-conquer")
@pytest.mark.parametrize("name", [name for name, entry in catalogue.ALGORITHMS.items() if not entry.serial])
@pytest.mark.parametrize("n", [5, 8])
def test_an_algorithm_is_timed_exactly_or_refused(n: int, name: str) -> None:
    """Five links on eight nodes: of some sends the only message goes another way than a shuffle."""
    program, on = (
        catalogue.algorithm(name).program(n),
        model.load("t800").with_settings({"timing.receive": 7}),
    )
    try:
        timed = of_classes(program, on)
    except Unfit:
        assert name in UNFIT
    else:
        assert timed == by_channels(program, on)


EVERY = [
    (form, strategy, motion, arrays, ahead)
    for form, strategy, motion, arrays, ahead in product(
        variants.FORMS, variants.STRATEGIES, NEWTON_EULER, (1, 2, 3), (False, True)
    )
    if (form != "paper" or motion == "recurrences") and (motion, arrays) != ("outward", 3)
]
CHOICES = [EVERY[k] for k in covering([dict(enumerate(map(str, choice))) for choice in EVERY], 2)]
"""Any two values of two choices meet in one of them."""


@pytest.mark.fast(every=1)
@pytest.mark.parametrize(("form", "strategy", "motion", "arrays", "ahead"), CHOICES)
def test_a_variant_is_timed_exactly(form: str, strategy: int, motion: str, arrays: int, ahead: bool) -> None:
    """Refined, with a receiver that takes time."""
    program = variants.closed_chain(16, form, 1, strategy=strategy, motion=motion, arrays=arrays, ahead=ahead)
    assert_same(program, model.load("t800").with_settings({"timing.receive": 7}))


@pytest.mark.parametrize(("form", "motion", "arrays"), [("paper", "recurrences", 8), ("short", "outward", 3)])
def test_arrays_that_send_to_each_other_are_timed_exactly(form: str, motion: str, arrays: int) -> None:
    assert_same(variants.closed_chain(16, form, motion=motion, arrays=arrays), model.load("t800"))


X, Y, Z, SUM = (value(name, 8) for name in ("X", "Y", "Z", "SUM"))


def small(*lines: Instruction) -> Program:
    """One array of eight processes that have X and Y."""
    return one_stream(8, lines, resident=[(X, 1), (Y, 1)])


SENT = Send("1", X, PR1[i + 1].only((i > 1) & (i < 4)), level=1, at=1)
READ = Compute("2", Z, total(1)(X[i - 1]), where=(i > 2) & (i < 5), level=1, at=1)


def test_channels_that_are_reached_from_unequal_queues_are_of_unequal_classes() -> None:
    """Y un-shuffles from everywhere, but some messages queue behind an X on the way there."""
    sent = Send("3", Y, PR1[i + 1], level=1, at=1)
    read = Compute("4", SUM, total(1)(Y[i - 1]), level=2, at=2)
    assert_same(small(SENT, sent, READ, read), machine(startup=30, word=1))


def test_messages_of_one_send_that_meet_after_unequal_unshuffles_are_refused() -> None:
    """Those that un-shuffle twice come to channels where others un-shuffle for the first time."""
    sent = Send("1", X, PR1[i + 1], level=1, at=1)
    once = Compute("2", Z, total(1)(X[i - 1]), where=i < 5, level=2, at=2)
    assert_same(small(Send("1", X, PR1[i + 1].only(i < 4), level=1, at=1), once), machine())
    twice = Compute("3", SUM, total(1)(X[i - 1]), where=i > 4, level=3, at=3)
    with pytest.raises(Unfit, match="messages of one send meet after unequal un-shuffles"):
        classes.timed(small(sent, once, twice), machine())


def test_values_that_move_back() -> None:
    """By one shuffle, at nodes 1 and 6 to a neighbour over its channel; by two they are refused."""
    there, back = Arrange("1", X, 0, 2, at=1), Arrange("2", X, 2, 1, at=2)
    read = Compute("3", Z, total(1)(X), at=1)
    assert_same(small(there, back, read), machine(startup=5, word=1))
    also = Arrange("1", Y, 0, 2, at=1), Send("1'", Y, PR1[i + 2], level=2, at=2)
    last = Compute("4", SUM, total(1)(Y[i - 2]), level=2, at=2)
    stays = Compute("5", value("W", 8), total(1)(Y), level=2, at=2)
    queued = small(there, *also, back, read, last, stays)  # at nodes 1 and 6 behind a Y
    assert_same(queued, machine(startup=50, word=1))
    further, home = Arrange("1", X, 0, 3, at=1), Arrange("2", X, 3, 1, at=3)
    with pytest.raises(Unfit, match="moves back by several shuffles"):
        classes.timed(small(further, home, read), machine())


def test_a_program_without_messages() -> None:
    """One computation, two cycles."""
    alone = small(Compute("1", Z, total(2)(X, Y)))
    assert_same(alone, machine())
    assert of_classes(alone, machine())[1]["makespan"] == 2


def test_what_is_sent_twice_or_never_read_is_refused() -> None:
    assert_same(small(SENT, READ), machine())
    with pytest.raises(Unfit, match="1 sends a value a second time"):
        classes.timed(small(SENT, SENT, READ), machine())
    with pytest.raises(Unfit, match="nothing reads what 1 sends"):
        classes.timed(small(SENT), machine())


def test_random_programs_are_timed_exactly_or_refused() -> None:
    """Few of them send every message to a neighbour or on by one un-shuffle."""
    timed = 0
    for seed in range(60):
        program, on = case(seed)[0], machine(startup=seed % 7, word=seed % 3, receive=seed % 2)
        try:
            assert_same(program, on)
            timed += 1
        except Unfit:
            continue
    assert timed


@pytest.mark.fast(*map(str, range(3, 200, 20)))
@pytest.mark.parametrize("deleted", range(3, 200, 5))
def test_a_program_without_a_line_is_refused_where_place_refuses_it(deleted: int) -> None:
    """What is read and never sent, and what is sent and never read: named by `place`."""
    whole = variants.closed_chain(4)
    lines = [(k, instruction) for k, stream in enumerate(whole.streams) for instruction in stream]
    left = [entry for position, entry in enumerate(lines) if position != deleted]
    streams = tuple(tuple(line for k, line in left if k == array) for array in range(whole.arrays))
    program, on = replace(whole, streams=streams), model.load("t800")
    try:
        timed = by_channels(program, on)
    except InputError:
        with pytest.raises((Unfit, InputError)):
            classes.timed(program, on)
        return
    with suppress(Unfit):  # a value that stays at another node, for a process that does not move
        assert of_classes(program, on) == timed


@pytest.mark.parametrize(
    "settings",
    [
        {"network": "hypercube"},
        {"nodes": 16},
        {"arrays_at_once": 1},
        {"duplex": "half"},
        {"vertical": "bus"},
        {"ports": "one"},
        {"control": "mimd"},
        {"discipline": "deadline"},
        {"dma": False},
    ],
)
def test_a_machine_is_refused(settings: dict[str, str | int | bool]) -> None:
    """Each of these settings alone; a preset without a DMA and a program of one process too."""
    program, on = variants.closed_chain(8), model.load("fijany")
    assert classes.fits(program, on)
    assert not classes.fits(program, on.with_settings({f"machine.{name}": x for name, x in settings.items()}))
    assert not classes.fits(program, model.load("raw"))
    assert not classes.fits(variants.closed_chain(1), on)
    with pytest.raises(Unfit, match="they need a network with shuffle wires"):
        classes.timed(program, model.load("raw"))


CHANNELS = [
    (network, shuffle, routing, merged)
    for network, shuffle, routing, merged in product(
        SHUFFLING, ("both", "forward", "inverse"), (*SHORTEST, *BELONGS), (False, True)
    )
    if network in BELONGS.get(routing, (network,)) and (routing in SHORTEST or shuffle == "both")
]


@pytest.mark.fast(every=1)
@pytest.mark.parametrize(("network", "shuffle", "routing", "merged"), CHANNELS)
def test_channels_are_timed_exactly_or_refused(
    network: str, shuffle: str, routing: str, merged: bool
) -> None:
    """Every network with shuffle wires and every routing on it: where two wires are one, where the way back
    has no wire, and where a routing leads another way. Some of each are timed."""
    settings = {"network": network, "shuffle": shuffle, "routing": routing, "merge_parallel": merged}
    on = model.load("mark3").with_settings({f"machine.{name}": x for name, x in settings.items()})
    timed = set()
    for n, elimination in product((2, 4, 9), variants.ELIMINATIONS):
        form = variants.FORMS[n % 3]
        program = variants.closed_chain(n, form, elimination=elimination)
        try:
            of_this = of_classes(program, on)
        except (Unfit, InputError):
            continue
        assert of_this == by_channels(program, on), (n, form, elimination)
        timed.add((elimination, n))
    both = set(product(variants.ELIMINATIONS, (2, 4, 9)))
    assert timed >= {x for x in both if x[1] == 2}
    if (network, routing in SHORTEST, merged) == ("senn", True, False):
        ways = {"both": both, "inverse": {x for x in both if x[0] == "oee"}, "forward": set()}
        assert timed >= ways[shuffle]


def test_the_way_back_is_a_channel_or_refused() -> None:
    """Reduction shuffles back: with un-shuffles alone over several channels, and no channel is named that
    another routing would take."""
    program, mark3 = variants.closed_chain(8, elimination="oer"), model.load("mark3")
    for name, setting, why in (
        ("shuffle", "inverse", "no channel leads from node 2 to node 4"),
        ("shuffle", "forward", "a message crosses several channels from node 1 to node 4"),
        ("routing", "conjugate", "routing .conjugate. leads to nodes 1, 2, 4, .* not from node"),
    ):
        with pytest.raises((Unfit, InputError), match=why):
            classes.timed(program, mark3.with_settings({f"machine.{name}": setting}))


@pytest.mark.exhaustive
def test_a_million_processes_follow_the_law_of_short_arms() -> None:
    """33,760 M + 19,302 cycles from n = 4 on and 39 M + 11 network steps, as the lockstep engine has them."""
    on = model.load("mark3")
    short = [by_channels(variants.closed_chain(n), on) for n in (16, 32)]
    issues, summary, _ = long = of_classes(variants.closed_chain(2**20), on)
    makespans = [summary["makespan"] for _, summary, _ in (*short, long)]
    assert makespans[2] == makespans[1] + 15 * (makespans[1] - makespans[0]) == 694_502
    steps = [counts.network_steps for _, _, counts in (*short, long)]
    assert steps[2] == steps[1] + 15 * (steps[1] - steps[0])
    assert list(map(len, issues)) == [19 * 20 + 10, 43 * 20 + 55]
    assert summary["messages"] == 709_885_957


def test_times_beyond_64_bits_are_refused() -> None:
    on = model.load("fijany").with_settings({"timing.startup": 10**12, "timing.multiply": 10**12})
    with pytest.raises(Unfit, match="its times are too long"):
        classes.timed(variants.closed_chain(64), on)

"""Faults of messages: inverted bits beside plain arithmetic and the event engine, late and second copies."""

from dataclasses import replace

import numpy as np
import pytest

from experiments.trust import flips as faults
from experiments.trust.flips import Flip
from senn.algorithms import catalogue, problems
from senn.base.errors import InputError
from senn.machine import model
from senn.machine.durations import durations
from senn.machine.engines import events, makespan
from senn.machine.placing import allocation
from senn.machine.placing.schedule import Schedule, place
from senn.machine.program import PR1, Compute, Send, Value, i
from tests.machine.small_programs import home, machine, program, total
from tests.machine.tampering import tampered

X, Y, Z = (Value(name, None, (2,)) for name in "xyz")
NUMBERS = {"x": np.array([[1.0, 2.0], [4.0, 8.0], [16.0, 32.0]])}
ON = machine()


def sums() -> Schedule:
    """Y of process i is x_i + x_{i-1}, and Z is Y_i + Y_{i-1}: messages 0, 1 bring x, 2, 3 bring Y."""
    lines = [
        Send("I.1", X, PR1[i + 1]),
        Compute("I.2", Y, total(1)(X, X[i - 1].or_zero)),
        Send("I.3", Y, PR1[i + 1]),
        Compute("I.4", Z, total(1)(Y, Y[i - 1].or_zero)),
    ]
    return place(program(3, lines, resident=[(X, 1)], results={"z": (1, Z)}), home(3), ON)


def test_a_flip_changes_what_depends_on_the_copy_and_nothing_else() -> None:
    """Signs and a factor of two, by hand: the sender keeps its own number."""
    flips = [Flip(0, 1, 63), Flip(1, 0, 63), Flip(2, 1, 63), Flip(3, 0, 52)]
    found = faults.results(sums(), NUMBERS, flips)["z"]
    expected = np.array([[[1.0, 2.0], [6.0, 12.0], [25.0, 50.0]]] * 4)
    expected[0, 1:, 1] = 2.0 + (8.0 - 2.0), (32.0 + 8.0) + (8.0 - 2.0)  # -x_1 in Y_2, which Z_3 has too
    expected[1, 2, 0] = (16.0 - 4.0) + (4.0 + 1.0)
    expected[2, 1, 1] = (8.0 + 2.0) - 2.0
    expected[3, 2, 0] = (16.0 + 4.0) + 2.5  # the exponent of 5, 1025, is odd: inverted it is 1024
    assert np.array_equal(found, expected)


CASES = {
    "paper": ("closed-chain", {"form": "paper"}),
    "short": ("closed-chain", {"form": "short"}),
    "omega": ("closed-chain", {"form": "omega"}),
    "divide-and-conquer": ("divide-and-conquer", {}),
    "star-together": ("star-together", {}),
    "gather-and-solve": ("gather-and-solve", {}),
}


def inverted(payload: np.ndarray, flip: Flip) -> np.ndarray:
    """The payload with that bit inverted, byte by byte."""
    numbers = bytearray(np.asarray(payload).tobytes())
    numbers[flip.word * payload.itemsize + flip.bit // 8] ^= 1 << flip.bit % 8
    return np.frombuffer(numbers, payload.dtype).reshape(payload.shape)


@pytest.mark.fast(every=1)
@pytest.mark.parametrize("residency", ["migrating", "home"])
@pytest.mark.parametrize("name", CASES)
def test_flips_are_those_of_the_event_engine(name: str, residency: allocation.Residency) -> None:
    """Random bits of random words, bit for bit, in double and in single precision."""
    algorithm, choices = CASES[name]
    entry, arm, mark3 = catalogue.algorithm(algorithm), problems.load("random:5:seed=2"), model.load("mark3")
    of_arm = {"problem": arm} if entry.whole else {}
    made = entry.program(5, joints=arm.chain.joints, contact=arm.contact.shape, **choices, **of_arm)
    schedule = place(made, allocation.named("identity", 5, residency), mark3)
    for dtype in (np.float64,) if entry.whole else (np.float64, np.float32):
        memory = {x: block.astype(dtype) for x, block in entry.memory(arm).items()}
        rng = np.random.default_rng(len(name))
        flips = [
            Flip(message, int(rng.integers(schedule.messages.words[message])), int(rng.integers(32)))
            for message in rng.integers(len(schedule.messages), size=12).tolist()
        ]
        found = faults.results(schedule, memory, flips)
        assert found.keys() == schedule.results.keys()
        for k, flip in enumerate(flips):

            def tamper(message: int, payload: np.ndarray, flip: Flip = flip) -> np.ndarray:
                return inverted(payload, flip) if message == flip.message else payload

            run = tampered(schedule, mark3, memory, tamper, detail="summary")
            for result, block in run.result.items():
                assert found[result][k].tobytes() == block.tobytes(), (flip, result)
        assert any((block != block[:1]).any() for block in found.values())


def test_a_late_message_is_that_of_the_event_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of the four is on the critical path; the event engine with the same durations agrees."""
    schedule = sums()
    healthy = durations(schedule, ON)
    for message in range(4):
        for cycles in (0, 1, 7):
            occupied = healthy.messages + cycles * (np.arange(4) == message)
            monkeypatch.setattr(
                events, "durations", lambda *_, x=occupied, **__: replace(healthy, messages=x)
            )
            run = events.simulate(schedule, ON, None)
            assert faults.delayed(schedule, ON, message, cycles) == run.summary["makespan"]
    monkeypatch.undo()
    on_time = makespan(schedule, ON)
    assert [faults.delayed(schedule, ON, message, 7) - on_time for message in range(4)] == [7] * 4


@pytest.mark.parametrize(
    ("flip", "text"),
    [
        (Flip(4, 0, 0), "the schedule has messages 0 to 3"),
        (Flip(0, 2, 0), "x_1 has words 0 to 1"),
        (Flip(0, 0, 64), "bit 64: a word of these numbers has bits 0 to 63"),
    ],
    ids=["message", "word", "bit"],
)
def test_a_flip_of_nothing_is_refused(flip: Flip, text: str) -> None:
    with pytest.raises(InputError, match=text):
        faults.results(sums(), NUMBERS, [flip])

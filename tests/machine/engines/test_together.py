"""Several values in one message: times worked by hand in both engines, what the trace says, what is refused.

The round machine: an addition takes a cycle, a post one, a message 10 cycles and one a word on a channel.
"""

from collections.abc import Callable

import numpy as np
import pytest

from senn.base.errors import InputError
from senn.machine.engines import events, lockstep
from senn.machine.invariants import check
from senn.machine.placing import allocation
from senn.machine.placing.schedule import Schedule, place
from senn.machine.program import PR1, PR2, Arrange, Compute, Program, Send, Value, Wait, i
from senn.traces.run import Run
from tests.machine.small_programs import home, machine, program, total

D, K, Q = Value("D", 0, (3,)), Value("K", 1, (2, 3)), Value("q", None, (3,))
X, Y, P = Value("x", 0, (3,)), Value("y", 0, (3,)), Value("p", None, (3,))
ON = machine(word=1)
ENGINES = {"events": events.simulate, "lockstep": lockstep.simulate}
both_engines = pytest.mark.parametrize("simulate", ENGINES.values(), ids=ENGINES)
Simulate = Callable[..., Run]


def neighbours(*sends: Send) -> Program:
    """D and K go to the next process, which reads D first. K does not exist at process 1."""
    lines = [
        Compute("I.2", P, total(5)(D[i - 1])),
        Compute("I.3", Q, total(7)(D, X.or_zero), i > 1),
        Wait("I.4", Q),
        Compute("I.5", Value("r", None, (2, 3)), total(1)(K[i - 1])),
    ]
    return program(3, [*sends, *lines], resident=[(D, 1), (K, 1, i > 1), (X, 1)], results={"p": (1, P)})


def checked(simulate: Simulate, schedule: Schedule, memory: dict[str, np.ndarray] | None = None) -> Run:
    made = simulate(schedule, ON, memory, keep_values=memory is not None)
    check(schedule, ON, made.trace)
    return made


NUMBERS = {
    "D[0]": np.arange(9.0).reshape(3, 3),
    "K[1]": np.arange(100.0, 118.0).reshape(3, 2, 3),
    "x[0]": np.zeros((3, 3)),
}


@both_engines
def test_their_words_add_up_after_one_start_up(simulate: Simulate) -> None:
    """Posted at 1. From process 1, which has no K, D alone: 10 + 3. From process 2 both: 10 + 9, and who
    reads D waits for all of it: P in 20..25, Q to 32; K has been there since 20."""
    schedule = place(neighbours(Send("I.1", D + K, PR1[i + 1])), home(3), ON)
    made = checked(simulate, schedule, NUMBERS)
    said = made.trace.messages["value", "level", "words", "posted", "arrived", "read_at"].rows()
    assert said == [("D", 0, 3, 1, 14, 20), ("D^0 + K^1", None, 9, 1, 20, 20)]
    assert made.trace.instructions["step", "issue"].rows() == [
        ("I.1", 0),
        ("I.2", 20),
        ("I.3", 25),
        ("I.4", 32),
        ("I.5", 32),
    ]
    assert made.trace.instructions["released_by"].to_list()[1] == 1
    assert schedule.network_steps() == 1
    assert made.result["p"].tolist() == NUMBERS["D[0]"][:2].tolist()
    assert made.values is not None
    whole = [*NUMBERS["D[0]"][1], *NUMBERS["K[1]"][1].ravel()]
    assert [made.values.payloads[k].tolist() for k in (0, 1)] == [NUMBERS["D[0]"][0].tolist(), whole]


@both_engines
def test_apart_they_queue(simulate: Simulate) -> None:
    """The same as two messages: D at 14, then K over the same channel, 14..30."""
    schedule = place(neighbours(Send("I.1", (D, K), PR1[i + 1])), home(3), ON)
    made = checked(simulate, schedule)
    assert made.trace.messages["value", "arrived", "read_at"].rows() == [
        ("D", 14, 14),
        ("D", 14, 14),
        ("K", 30, 30),
    ]
    assert made.summary["makespan"] == 31


@both_engines
def test_what_is_arranged_together_moves_in_one_message(simulate: Simulate) -> None:
    """Migrating from the place of level 1 to that of level 2, n = 4: processes 2 and 3 change places."""
    lines = [
        Arrange("I.1", X + Y, 1, 2, level=1, at=1),
        Compute("I.2", P, total(5)(X), at=2),
        Compute("I.3", Q, total(5)(X, Y), at=2),
    ]
    code = program(4, lines, resident=[(X, 1), (Y, 1)])
    schedule = place(code, allocation.named("identity", 4, "migrating"), ON)
    numbers = {"x[0]": np.ones((4, 3)), "y[0]": np.full((4, 3), 2.0)}
    made = checked(simulate, schedule, numbers)
    messages = made.trace.messages
    assert messages["value"].unique().to_list() == ["x + y"]
    assert messages["words"].to_list() == [6] * 4
    assert messages["arrived"].to_list() == [1, 17, 17, 1]
    assert made.summary["makespan"] == 27
    assert made.values is not None
    assert made.values.get(1, "q", None, 2).tolist() == [3.0] * 3


def test_the_listing_says_what_goes_together() -> None:
    assert str(Send("I.1", (D + X, K), PR1[i + 1], PR2[i])) == (
        "send D_i^0 + x_i^0, K_i^1 -> PR_{1,i+1}, PR_{2,i}"
    )
    assert str(Arrange("I.1", D + (X + Y), 1, 0)) == (
        "arrange D_i^0 + x_i^0 + y_i^0: from the place of level 1 to home"
    )


def test_a_message_is_read_at_one_place() -> None:
    """x is read in level 1, so it all goes there; y is looked for at the place of level 2."""
    lines = [
        Send("I.1", X + Y, PR1[i + 1], level=1, at=1),
        Compute("I.2", P, total(5)(X[i - 1]), level=1, at=1),
        Compute("I.3", Q, total(5)(Y[i - 1]), level=2, at=2),
    ]
    code = program(4, lines, resident=[(X, 1), (Y, 1)])
    assert len(place(code, home(4), ON).messages) == 3
    with pytest.raises(InputError, match=r"I\.3 reads y_1"):
        place(code, allocation.named("identity", 4, "migrating"), ON)


def test_all_that_a_message_carries_has_to_be_read() -> None:
    lines = [Send("I.1", X + Y, PR1[i + 1]), Compute("I.2", P, total(5)(X[i - 1]))]
    with pytest.raises(InputError, match=r"I\.1 sends y_1\^0 to PR_\{1,2\}, but nothing reads it"):
        place(program(2, lines, resident=[(X, 1), (Y, 1)]), home(2), ON)

"""What a process holds at a time, counted by hand."""

from experiments.machine.words_held import held
from senn.machine.placing.schedule import place
from senn.machine.program import PR1, PR2, Compute, Send, Value, i
from tests.machine.small_programs import home, machine, program, total

X, Y, Z = Value("X", None, (1,)), Value("Y", None, (2,)), Value("Z", None, (4,))


def test_values_are_held_from_the_task_that_writes_them_to_their_last_reader() -> None:
    """Process 1 of array 1 has X until Y is there, 1 + 2, and sends its Y as Z; process 2 has its Y and that
    of process 1 when it makes Z, 2 + 2 + 4. Array 2 reads Z, of 4 words, into a result of 2."""
    first = [
        Compute("a", Y, total(1)(X)),
        Send("b", Y, PR1[i + 1]),
        Compute("c", Z, total(1)(Y, Y[i - 1].or_zero)),
        Send("d", Z, PR2[i]),
    ]
    second = [Compute("e", Y, total(1)(Z))]
    what = program(2, first, second, resident=[(X, 1)], results={"y": (2, Y)})
    one, two = held(place(what, home(2), machine()))
    assert one.tolist() == [3, 8]
    assert two.tolist() == [6, 6]

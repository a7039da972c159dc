"""Who takes part and who reads what, decided by indices; and every program that `flow` refuses."""

import re
from itertools import pairwise

import pytest

from senn.algorithms.programs import variants
from senn.base.errors import InputError
from senn.machine.program import (
    PR1,
    PR2,
    Arrange,
    Array,
    Compute,
    Instruction,
    Name,
    Program,
    Remark,
    Send,
    Value,
    Wait,
    changed,
    i,
    loop,
)
from senn.machine.program.dataflow import flow
from senn.machine.program.flow import NONE, Flow, Line
from tests.machine.small_programs import elimination, program, total

X, Y, Z, P, Q, R = (Value(name, None, (1,)) for name in "xyzpqr")


def one_array(n: int, *stream: Instruction, resident: tuple[tuple[Value, ...], ...] = ()) -> Program:
    """A program of one array with x resident everywhere."""
    return program(n, stream, resident=[(X, 1), *resident])


def line(found: Flow, step: str, array: int = 1) -> Line:
    return next(one for one in found.lines[array - 1] if one.instruction.step == step)


def writers(found: Flow, step: str, operand: int) -> list[int]:
    """Whose value each process of a line reads: the writing process, 0 where the operand is absent."""
    return [found.slots.fill(s)[2] if s != NONE else 0 for s in line(found, step).reads[operand]]


# ------------------------------------------------------------- masks and reads


def test_a_value_exists_where_all_required_operands_do() -> None:
    """y lives at 2..4, x_{i-1} at 2..5: p at 2..4; restricted to i < 4, at 2 and 3."""
    found = flow(
        one_array(
            5,
            Send("1", X, PR1[i + 1].only(i < 4)),
            Compute("2", P, total(1)(Y, X[i - 1])),
            Compute("3", Q, total(1)(Y, X[i - 1]), i < 4),
            resident=((Y, 1, (i > 1) & (i < 5)),),
        )
    )
    assert line(found, "2").processes.tolist() == [2, 3, 4]
    assert line(found, "3").processes.tolist() == [2, 3]
    assert writers(found, "2", 1) == [1, 2, 3]


def test_outside_the_mask_the_value_is_the_first_operand_unchanged() -> None:
    """p = x + y_{i-1}: process 1 has no y_0 and takes no part; whoever reads p_1 reads x_1."""
    found = flow(
        one_array(
            3,
            Send("1", Y, PR1[i + 1]),
            Compute("2", P, total(1)(X, Y[i - 1].or_zero)),
            Compute("3", Q, total(1)(P)),
            resident=((Y, 1),),
        )
    )
    assert line(found, "2").processes.tolist() == [2, 3]
    assert line(found, "3").processes.tolist() == [1, 2, 3]
    assert [found.slot_text(int(slot)) for slot in line(found, "3").reads[0]] == ["x_1", "p_2", "p_3"]


def test_a_kernel_that_acts_alone_acts_without_optional_operands_too() -> None:
    """The same, with a kernel that has something to do at process 1 as well."""
    found = flow(
        one_array(
            3,
            Send("1", X, PR1[i + 1]),
            Compute("2", P, total(1, runs_without_operands=True)(X, X[i - 1].or_zero)),
        )
    )
    assert line(found, "2").processes.tolist() == [1, 2, 3]
    assert writers(found, "2", 1) == [0, 1, 2]


def test_a_name_takes_at_each_process_the_one_that_exists_there() -> None:
    """y lives at process 1, x_{i-1} arrives at 2 and 3."""
    found = flow(
        one_array(
            3,
            Send("1", X, PR1[i + 1]),
            Name("2", P, Y, X[i - 1]),
            Compute("3", Q, total(1)(P)),
            resident=((Y, 1, i == 1),),
        )
    )
    assert [found.slot_text(int(slot)) for slot in line(found, "3").reads[0]] == ["y_1", "x_1", "x_2"]


def test_a_name_may_be_restricted() -> None:
    """x_{i-1} is sent to 3 only and named there only; without the restriction process 2 would miss it."""
    only = Send("1", X, PR1[i + 1].only((i == 3).shifted(-1)))
    named = (Name("2", P, X[i - 1], where=i == 3), Compute("3", Q, total(1)(P)))
    found = flow(one_array(3, only, *named))
    assert line(found, "3").processes.tolist() == [3]
    with pytest.raises(InputError, match=r"^2 reads x_1 at PR_\{1,2\}, but no Send delivers it there$"):
        flow(one_array(3, only, Name("2", P, X[i - 1]), Compute("3", Q, total(1)(P))))


def test_a_loop_downward_and_a_line_that_executes_elsewhere() -> None:
    """j = 2, 1 for n = 3; what was sent to another row keeps it."""

    def level(j: int, h: int) -> list[Instruction]:
        return [Wait(f"{h}", X), changed(Wait("at 7", X), level=j, at=7)]

    lines = [(one.step, one.level, one.at) for one in loop(3, level, downward=True)]
    assert lines == [("2", 2, 2), ("at 7", 2, 7), ("1", 1, 1), ("at 7", 1, 7)]


def test_an_arranged_copy_is_what_is_read_from_then_on() -> None:
    """Two versions of x: the own before the Arrange, the arranged after it, also where the process stayed."""
    found = flow(
        one_array(2, Compute("1", P, total(1)(X)), Arrange("2", X, 0, 1), Compute("3", Q, total(1)(X)))
    )
    before, after = line(found, "1").reads[0], line(found, "3").reads[0]
    assert not found.slots.message[before].any()
    assert found.slots.message[after].all()
    assert line(found, "2").transfers[0].slots.tolist() == [after.tolist()]


def test_a_value_from_another_array_can_be_arranged_and_sent_on() -> None:
    """It is read where it arrived, follows its process, and goes back to where it was written."""
    found = flow(
        program(
            2,
            [Send("I.1", X, PR2[i]), Compute("I.2", Q, total(1)(X.delivered))],
            [
                Compute("II.1", P, total(1)(X)),
                Arrange("II.2", X, 0, 1),
                Send("II.3", X, PR1[i]),
            ],
            resident=[(X, 1)],
        )
    )
    assert line(found, "II.2", 2).processes.tolist() == [1, 2]
    back = line(found, "II.3", 2).transfers[0]
    assert line(found, "I.2").reads[0].tolist() == back.slots[0].tolist()
    assert back.source_slots.tolist() == line(found, "II.2", 2).transfers[0].slots.tolist()


def test_a_wait_acts_where_its_values_are_or_where_it_is_told() -> None:
    """x arrives from array 1 at both processes; one Wait is for all of them, one for the last."""
    found = flow(
        program(
            2,
            [Send("I.1", X, PR2[i])],
            [Wait("II.1", X), Wait("II.2", X, where=i == 2), Remark("II.3", "nothing to do")],
            resident=[(X, 1)],
        )
    )
    assert line(found, "II.1", 2).processes.tolist() == [1, 2]
    assert line(found, "II.2", 2).processes.tolist() == [2]
    assert line(found, "II.3", 2).processes.tolist() == []


def test_what_must_be_in_memory_is_listed_by_array_and_value() -> None:
    """x everywhere in array 1, y at process 2 of array 2."""
    found = flow(program(2, [], [], resident=[(X, 1), (Y, 2, i == 2)]))
    assert [(array, value, processes.tolist()) for array, value, processes, _ in found.resident] == [
        (1, X, [1, 2]),
        (2, Y, [2]),
    ]


# ------------------------------------------------------------- what is refused

REFUSED: dict[str, tuple[Program, str]] = {
    "nobody sends an operand": (
        one_array(3, Compute("I.2", P, total(1)(X[i - 1]))),
        "I.2 reads x_1 at PR_{1,2}, but no Send delivers it there",
    ),
    "an optional operand is no excuse for a missing Send": (
        one_array(3, Compute("I.2", P, total(1)(X, X[i + 1].or_zero))),
        "I.2 reads x_2 at PR_{1,1}, but no Send delivers it there",
    ),
    "a Send that leaves somebody out": (
        one_array(3, Send("I.1", X, PR1[i + 1].only(i == 1)), Compute("I.2", P, total(1)(X[i - 1]))),
        "I.2 reads x_2 at PR_{1,3}, but no Send delivers it there",
    ),
    "an own value is no message": (
        one_array(2, Compute("I.2", P, total(1)(X.delivered))),
        "I.2 reads x_1 at PR_{1,1}, but no Send delivers it there",
    ),
    "nobody writes an operand": (
        one_array(2, Compute("I.1", P, total(1)(Y))),
        "I.1 reads y_i in array 1, but no instruction writes it and it is not in memory at the start: "
        "compute it before, or declare it resident",
    ),
    "nobody writes what is sent": (
        one_array(2, Send("I.1", Y, PR1[i + 1])),
        "I.1 reads y_i in array 1, but no instruction writes it and it is not in memory at the start: "
        "compute it before, or declare it resident",
    ),
    "one name of two values": (
        one_array(2, Compute("I.1", Value("x", None, (2,)), total(1)(X))),
        "I.1: x_i is the name of a value of shape (2,) here, and of one of shape (1,) elsewhere: give one of "
        "them another name",
    ),
    "sent twice": (
        one_array(
            3,
            Send("I.1", X, PR1[i + 1]),
            Send("I.2", X, PR1[i + 1].only(i == 2)),
            Compute("I.3", P, total(1)(X[i - 1])),
        ),
        "I.2 sends x_2 to PR_{1,3} a second time: send it once",
    ),
    "a message that nothing reads": (
        one_array(3, Send("I.1", X, PR1[i + 1])),
        "I.1 sends x_1 to PR_{1,2}, but nothing reads it there: delete the Send, or read the value",
    ),
    "a message that is not read everywhere": (
        one_array(3, Send("I.1", X, PR1[i + 1]), Compute("I.2", P, total(1)(X[i - 1]), i > 2)),
        "I.1 sends x_1 to PR_{1,2}, but nothing reads it there: delete the Send, or read the value",
    ),
    "an arranged value that nothing reads": (
        one_array(2, Arrange("I.1", X, 0, 1)),
        "I.1 sends x_1 to PR_{1,1}, but nothing reads it there: delete the Send, or read the value",
    ),
    "a value that needs itself": (
        program(
            1,
            [Compute("I.1", P, total(1)(Q)), Send("I.2", P, PR2[i])],
            [Compute("II.1", Q, total(1)(P)), Send("II.2", Q, PR1[i])],
        ),
        r"the program needs a value to compute itself: ",
    ),
    "read before it is written": (
        one_array(2, Compute("I.1", Q, total(1)(P)), Compute("I.2", P, total(1)(X))),
        "I.1 reads p_i in array 1 before it is written there: move the line that writes it up",
    ),
    "read before it is sent": (
        one_array(3, Compute("I.1", P, total(1)(X[i - 1])), Send("I.2", X, PR1[i + 1])),
        "I.1 reads x_{i-1} in array 1, but I.2, which sends it, comes later: move it up",
    ),
    "a wait for what never exists": (
        one_array(2, Send("I.1", Y, PR1[i + 1]), Wait("I.2", Y, where=i < 3), resident=((Y, 1, i == 1),)),
        "I.2 waits for y_2 at PR_{1,2}, where it never exists: restrict the wait",
    ),
    "a wait for what nobody sends": (
        program(2, [], [Wait("II.1", X)], resident=[(X, 1)]),
        "II.1 reads x_1 at PR_{2,1}, but no Send delivers it there",
    ),
    "sent on without having arrived": (
        program(
            2, [], [Send("II.1", X, PR2[i + 1]), Compute("II.2", P, total(1)(X[i - 1]))], resident=[(X, 1)]
        ),
        "II.1 reads x_1 at PR_{2,1}, but no Send delivers it there",
    ),
    "a name with two meanings": (
        one_array(3, Send("I.1", X, PR1[i + 1]), Name("I.2", P, X, X[i - 1])),
        "I.2 gives p_2 two meanings at PR_{1,2}: name one value per process",
    ),
    "an array that the program has not got": (
        one_array(2, Send("I.1", X, Array(2)[i])),
        "I.1 sends to PR_{2,i}, but the program has 1 array(s): send to an array it has",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_program_that_cannot_be_is_refused_with_the_way_out(what: str) -> None:
    """Before anything is placed, and by the paper's label of the line."""
    refused, text = REFUSED[what]
    with pytest.raises(InputError, match=f"^{re.escape(text)}"):
        flow(refused)


def test_the_circle_is_shown_step_by_step() -> None:
    """Each step needs the one after it; the first is repeated at the end."""
    with pytest.raises(InputError) as caught:
        flow(REFUSED["a value that needs itself"][0])
    circle = re.fullmatch(
        r"the program needs a value to compute itself: (.*); break the circle", str(caught.value)
    )
    assert circle is not None
    steps = circle[1].split(" -> ")
    assert steps[0] == steps[-1]
    needs = {
        "I.1 (array 1)": {"II.1 (array 2)", "II.2 (array 2)"},
        "I.2 (array 1)": {"I.1 (array 1)"},
        "II.1 (array 2)": {"I.1 (array 1)", "I.2 (array 1)"},
        "II.2 (array 2)": {"II.1 (array 2)"},
    }
    assert all(needed in needs[one] for one, needed in pairwise(steps))


# ------------------------------------------------------------- slots


def test_slots_are_numbered_after_what_they_are_made_from() -> None:
    """Every slot that a line fills has a larger number than every slot that the line reads, in any order
    of the arrays; and the slots of a program are 0, 1, 2, ..., each filled once."""
    found = flow(elimination(5, 2))
    lines = [one for stream in found.lines for one in stream]
    for one in lines:
        written = [] if one.writes is None else one.writes.tolist()
        written += [slot for transfer in one.transfers for slot in transfer.slots.ravel().tolist()]
        read = [slot for slots in one.reads for slot in slots.tolist()]
        assert not written or min(written) > max(read)
    filled = [slot for fill in found.slots.fills for slot in fill.slots.tolist()]
    assert filled == list(range(len(found.slots)))


def test_more_slots_than_their_numbers_can_say_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """x is resident at three processes, p is computed at three: six, and five is the limit."""
    monkeypatch.setattr("senn.machine.program.dataflow.MOST_SLOTS", 5)
    with pytest.raises(InputError) as refused:
        flow(one_array(3, Compute("1", P, total(1)(X))))
    assert str(refused.value) == (
        "the program has more than 5 values and messages, counted process by process: take fewer processes"
    )


def test_a_long_program_of_many_lines_is_refused_before_it_fills_the_memory() -> None:
    """The program of an arm is; a line for as many processes is resolved."""
    with pytest.raises(InputError, match="made for at most 65,536 links; of more it gives steps"):
        flow(variants.closed_chain(65_537))
    assert len(flow(one_array(65_537, Compute("1", P, total(1)(X)))).slots) == 2 * 65_537

"""One value that several lines write, each at processes of its own."""

import re

import numpy as np
import pytest

import senn
from senn.base.errors import InputError
from senn.machine.program import (
    PR1,
    PR2,
    Arrange,
    Compute,
    Instruction,
    Kernel,
    Name,
    Program,
    Resident,
    Send,
    i,
    value,
)
from senn.machine.program.dataflow import flow
from senn.machine.rewrite import on_arrays

X, Y, Z = value("x", 1), value("y", 1), value("z", 1)
DOUBLE = Kernel("double", "2 {0}", lambda own: 2 * own)
NEGATIVE = Kernel("negative", "1 - {0}", lambda own: 1 - own)
SUM = Kernel("sum", "{0} + {1}", lambda own, other: own if other is None else own + other)
SPLIT = (Compute("a", Y, DOUBLE(X), i <= 4), Compute("b", Y, NEGATIVE(X), i > 4))


def program(*streams: tuple[Instruction, ...], n: int = 9) -> Program:
    return Program("disjoint", n, streams, (Resident(X, (1,)),), {"result": (len(streams), Z)})


def solved(made: Program, residency: str = "home") -> list[float]:
    given = {"x": np.arange(1.0, made.n + 1)[:, None]}
    runs = [
        senn.solved(made, given, "t800", residency, engine=engine, check=engine == "events")
        for engine in ("events", "lockstep")
    ]
    assert runs[0].trace.hash == runs[1].trace.hash
    return [float(z) for z in runs[0].result["result"].ravel()]


Y_OF_NINE = [2, 4, 6, 8, -4, -5, -6, -7, -8]


@pytest.mark.parametrize("residency", ["home", "migrating"])
def test_each_process_has_what_its_line_wrote(residency: str) -> None:
    """Read by the process itself, by its neighbour, across, and in another array."""
    y = np.array(Y_OF_NINE)
    assert solved(program((*SPLIT, Compute("c", Z, DOUBLE(Y)))), residency) == (2 * y).tolist()
    shifted = Send("c", Y, PR1[i + 1]), Compute("d", Z, SUM(Y, Y[i - 1].or_zero))
    assert solved(program((*SPLIT, *shifted)), residency) == (y + [0, *y[:-1]]).tolist()
    mirrored = Send("c", Y, PR1[10 - i]), Compute("d", Z, SUM(Y, Y[10 - i]))
    assert solved(program((*SPLIT, *mirrored)), residency) == (y + y[::-1]).tolist()
    there = (*SPLIT, Send("c", Y, PR2[i])), (Compute("d", Z, DOUBLE(Y)),)
    assert solved(program(*there), residency) == (2 * y).tolist()


def test_a_read_in_between_has_what_was_written_before() -> None:
    a, b = SPLIT
    assert solved(program((a, Compute("c", Z, DOUBLE(Y)), b, Compute("d", value("w", 1), DOUBLE(Y))))) == [
        4,
        8,
        12,
        16,
    ]


def test_a_value_is_in_memory_here_and_computed_there() -> None:
    """In two parts of the memory, at 1..3 and 7..9, and computed at 4..6 from the neighbours."""
    y = Y, (1,)
    made = Program(
        "mixed",
        9,
        ((Compute("a", Y, DOUBLE(X), (i > 3) & (i < 7)), Compute("b", Z, DOUBLE(Y))),),
        (Resident(X, (1,)), Resident(*y, i <= 3), Resident(*y, i >= 7)),
        {"result": (1, Z)},
    )
    given = {"x": np.arange(1.0, 10)[:, None], "y": np.arange(100.0, 109)[:, None]}
    run = senn.solved(made, given, "t800", "home", check=True)
    assert run.result["result"].ravel().tolist() == [200, 202, 204, 16, 20, 24, 212, 214, 216]


def test_names_may_be_of_processes_too() -> None:
    """A rotation by one: the last process names its own value."""
    lines = Send("a", X, PR1[i - 1]), Name("b", Y, X[i + 1], where=i < 9), Name("c", Y, X, where=i == 9)
    assert solved(program((*lines, Compute("d", Z, DOUBLE(Y))))) == [4, 6, 8, 10, 12, 14, 16, 18, 18]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            (SPLIT[0], Compute("b", Y, DOUBLE(X), i >= 4)),
            "b writes y_i in array 1, but a wrote it before: a value is written once, so give one of them "
            "another name, or another mask, as both write y_4",
        ),
        ((SPLIT[0], Name("b", Y, X)), "as both write y_1"),
        (
            (Compute("b", X, DOUBLE(X), i == 9),),
            "b writes x_i in array 1, but the memory at the start wrote it before",
        ),
        ((SPLIT[0], Arrange("c", Y, 0, 1), SPLIT[1]), "b writes y_i in array 1, but c wrote it before"),
        (
            (SPLIT[0], Send("c", Y, PR1[i + 1]), SPLIT[1], Compute("d", Z, SUM(Y, Y[i - 1]))),
            "d reads y_5 at PR_{1,6}, but no Send delivers it there",
        ),
    ],
)
def test_masks_that_meet_are_refused(lines: tuple[Instruction, ...], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        flow(program(lines))


def test_the_lines_of_a_value_stay_on_one_array() -> None:
    made = program((*SPLIT, Compute("c", Z, DOUBLE(Y))))
    with pytest.raises(
        InputError, match="arrays: b and another step write y_i, at other processes: assign both to"
    ):
        on_arrays(made, {"b": 2})
    assert solved(on_arrays(made, {"c": 2})) == (2 * np.array(Y_OF_NINE)).tolist()

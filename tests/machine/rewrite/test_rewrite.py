"""Passes: what they keep of a program, by hand and against programs that were written out.

The figures of `WRITTEN_BY_HAND` are those of the programs that these passes replaced, which had every variant
in their own text (instructions of each array, messages and makespan on the Mark III, data migrating).
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from senn.algorithms.programs import operational_space, variants
from senn.base.errors import InputError
from senn.machine import model, rewrite
from senn.machine.engines import lockstep
from senn.machine.placing import allocation
from senn.machine.placing.schedule import place
from senn.machine.program import (
    PR1,
    PR2,
    Arrange,
    Compute,
    Letter,
    Program,
    Resident,
    Send,
    Wait,
    i,
    loop,
    value,
)
from senn.machine.program.dataflow import flow
from senn.machine.program.ready import plus

MARK3 = model.load("mark3")
X, Y, Z, W = (value(letter, 3) for letter in "xyzw")
S = Letter("s", (3,))


def figures(program: Program) -> tuple[list[int], int, int]:
    """Issued instructions of each array, messages, makespan."""
    schedule = place(program, allocation.named("identity", program.n, "migrating"), MARK3)
    run = lockstep.simulate(schedule, MARK3, None, detail="summary")
    return [len(tasks) for tasks in schedule.tasks], len(schedule.messages), run.summary["makespan"]


def texts(program: Program) -> list[list[str]]:
    return [[f"{line.step} {line}" for line in stream] for stream in program.streams]


def two_arrays() -> Program:
    """Array 1 makes y and z of x, and sends both; array 2 makes w of y alone."""
    return Program(
        name="two",
        n=4,
        streams=(
            (
                Compute("I.1", Y, plus(X, X)),
                Send("I.2", Y, PR2[i]),
                Compute("I.3", Z, plus(X, Y)),
                Send("I.4", Z, PR2[i]),
            ),
            (Wait("II.1", Y), Compute("II.2", W, plus(Y, Y)), Compute("II.3", value("v", 3), plus(Z, W))),
        ),
        resident=(Resident(X, (1,)),),
        results={"w": (2, W), "v": (2, value("v", 3)), "z": (1, Z)},
    )


def scan(n: int = 5) -> Program:
    def level(j: int, h: int):  # type: ignore[no-untyped-def]
        yield Send("I.1.i", S[j - 1], PR1[i + h])
        yield Compute("I.1.ii", S[j], plus(S[j - 1], S[j - 1][i - h].or_zero))
        yield Arrange("I.1.ii'", S[j], j, j + 1 if 2**j < n else 0)

    last = S[(n - 1).bit_length()]
    return Program(
        name="scan",
        n=n,
        streams=(tuple(loop(n, level)),),
        resident=(Resident(S[0], (1,)),),
        results={"s": (1, last)},
    )


# ------------------------------------------------------------------------------- keep


def test_keep_cuts_lines_messages_and_what_is_held() -> None:
    whole = two_arrays()
    assert texts(rewrite.keep(whole, "w")) == [
        ["I.1 y_i = x_i + x_i", "I.2 send y_i -> PR_{2,i}"],
        ["II.1 wait for y_i", "II.2 w_i = y_i + y_i"],
    ]
    assert texts(rewrite.keep(whole, "z")) == [["I.1 y_i = x_i + x_i", "I.3 z_i = x_i + y_i"]]
    assert rewrite.keep(whole, *whole.results) == whole


def test_keep_knows_the_results_by_name() -> None:
    with pytest.raises(InputError, match="the program two has no result q; it has w, v, z"):
        rewrite.keep(two_arrays(), "q")


def test_a_message_that_came_along_for_somebody_gets_a_reader() -> None:
    """v_N of the open chain comes home with the others, and only the closed chain reads it there."""
    program = variants.open_chain(4)
    waits = [line for stream in program.streams for line in stream if isinstance(line, Wait)]
    assert [(line.step, str(line), line.where) for line in waits] == [
        ("II.b.1.iv.iii'", "wait for v_i^2", i == 4)
    ]
    flow(program)  # nothing is left unread


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("elimination", variants.ELIMINATIONS)
def test_lambda_inverse_is_a_slice_of_the_closed_chain(n: int, elimination: str) -> None:
    """The short form has nothing for Lambda^-1 alone: cut out of the closed chain it is the program of its
    own."""
    whole = variants.closed_chain(n, "short", elimination=elimination)
    own = operational_space.program(n, form="short", elimination=elimination)
    assert figures(rewrite.keep(whole, "lambda_inverse")) == figures(own)


# ------------------------------------------------------------------------------- ahead


def test_ahead_moves_what_is_updated_with_the_first_message() -> None:
    moved = texts(rewrite.ahead(scan(3)))[0]
    assert moved == [
        "I.1.i send s_i^0 -> PR_{1,i}, PR_{1,i+1}",
        "I.1.ii s_i^1 = s_i^0 + s_{i-1}^0",
        "I.1.i send s_i^1 -> PR_{1,i}, PR_{1,i+2}",
        "I.1.ii s_i^2 = s_i^1 + s_{i-2}^1",
    ]
    places = [line.at for line in rewrite.ahead(scan(3)).streams[0]]
    assert places == [1, 2, 2, 0]


def test_ahead_leaves_a_program_without_levels_alone() -> None:
    assert rewrite.ahead(two_arrays()) == two_arrays()


# ------------------------------------------------------------------------------- on_arrays


def test_one_array_sends_nothing_across() -> None:
    assert texts(rewrite.on_arrays(two_arrays(), {"": 1})) == [
        ["I.1 y_i = x_i + x_i", "I.3 z_i = x_i + y_i", "II.2 w_i = y_i + y_i", "II.3 v_i = z_i + w_i"]
    ]


def test_what_crosses_is_sent_to_whom_it_concerns() -> None:
    """A third array takes II.3: z goes there instead of to array 2, and w comes from there by a new
    message."""
    assert texts(rewrite.on_arrays(two_arrays(), {"II.3": 3})) == [
        [
            "I.1 y_i = x_i + x_i",
            "I.2 send y_i -> PR_{2,i}",
            "I.3 z_i = x_i + y_i",
            "I.4 send z_i -> PR_{3,i}",
        ],
        ["II.1 wait for y_i", "II.2 w_i = y_i + y_i", "II.2' send w_i -> PR_{3,i}"],
        ["II.3 v_i = z_i + w_i"],
    ]


def test_a_step_can_be_done_twice_instead_of_sent() -> None:
    both = rewrite.on_arrays(two_arrays(), {"I.1": (1, 2)})
    assert texts(both) == [
        ["I.1 y_i = x_i + x_i", "I.3 z_i = x_i + y_i", "I.4 send z_i -> PR_{2,i}"],
        ["I.1 y_i = x_i + x_i", "II.2 w_i = y_i + y_i", "II.3 v_i = z_i + w_i"],
    ]
    assert both.resident == (Resident(X, (1, 2)),)


def test_a_recurrence_done_twice_sends_nothing_across() -> None:
    """Each of two arrays sends to itself, and the first to a third."""
    once = scan(4)
    after = Compute("II.1", Y, plus(S[2], S[2])), Compute("II.2", Z, plus(S[2], Y))
    both = replace(once, streams=((*once.streams[0], *after),), results={"y": (1, Y), "z": (1, Z)})
    found = texts(rewrite.on_arrays(both, {"I": (1, 2), "II.1": 2, "II.2": 3}))
    own = texts(once)[0]
    assert found[0] == [*own, "I.1.ii'' send s_i^2 -> PR_{3,i}"]
    assert found[1][:-2] == [line.replace("PR_{1", "PR_{2") for line in own]
    assert found[1][-2:] == ["II.1 y_i = s_i^2 + s_i^2", "II.1' send y_i -> PR_{3,i}"]


def test_a_message_goes_to_those_who_read_it_in_its_new_array() -> None:
    """Array 1 needs the x of every neighbour, array 2, which does the second line, those of 2 and 3 only."""
    lines = (
        Send("I.1", X, PR1[i + 1]),
        Compute("I.2", Y, plus(X, X[i - 1].or_zero)),
        Compute("II.1", Z, plus(X, X[i - 1].or_zero), i > 2),
    )
    program = Program(
        name="apart", n=4, streams=(lines,), resident=(Resident(X, (1,)),), results={"y": (1, Y), "z": (1, Z)}
    )
    (send, *_), _ = rewrite.on_arrays(program, {"II": 2}).streams
    assert isinstance(send, Send)
    assert [to.array for to in send.destinations] == [1, 2]
    first, second = (to.where for to in send.destinations)
    assert first is None
    assert second is not None
    assert second.mask(4).tolist() == [False, True, True, False]


@pytest.mark.parametrize(
    ("assignment", "text"),
    [
        (
            {"V": 1},
            'no step of the program two begins with "V"; the steps are those of its listing, in I, II',
        ),
        ({"II.1": 0}, '"II.1" needs an array, counted from 1'),
        (
            {"I": 1, "II": 5},
            "I=1,II=5 leaves array 2, 3, 4 without instructions; number the arrays 1, 2, 3, ... without gaps",
        ),
    ],
)
def test_an_assignment_that_cannot_be_is_refused(assignment: dict[str, int], text: str) -> None:
    with pytest.raises(InputError, match=text):
        rewrite.on_arrays(two_arrays(), assignment)


def test_a_label_is_no_beginning_of_a_longer_number() -> None:
    longer = Program(
        name="long",
        n=2,
        streams=(
            (
                Compute("I.1", Y, plus(X, X)),
                Compute("I.10", Z, plus(X, X)),
                Compute("I.1'", W, plus(X, X)),
            ),
        ),
        resident=(Resident(X, (1,)),),
        results={"w": (1, W), "y": (1, Y), "z": (1, Z)},
    )
    assert [len(s) for s in rewrite.on_arrays(longer, {"I.10": 2}).streams] == [2, 1]
    assert [len(s) for s in rewrite.on_arrays(longer, {"I.1": 2, "I.10": 1}).streams] == [1, 2]


# Of five links, on one array and, moving ahead, on two: instructions of each array, messages, makespan.
WRITTEN_BY_HAND = {
    ("paper", "oee", 1): ([240], 416, 165863),
    ("paper", "oee", 2): ([67, 151], 435, 119774),
    ("paper", "oer", 1): ([251], 363, 171190),
    ("paper", "oer", 2): ([64, 167], 373, 129740),
    ("short", "oee", 1): ([156], 232, 101428),
    ("short", "oee", 2): ([48, 101], 256, 74839),
    ("short", "oer", 1): ([161], 202, 106431),
    ("short", "oer", 2): ([47, 109], 220, 83243),
    ("omega", "oee", 1): ([161], 247, 126990),
    ("omega", "oee", 2): ([67, 86], 272, 71339),
    ("omega", "oer", 1): ([166], 217, 137601),
    ("omega", "oer", 2): ([66, 94], 236, 76322),
}


@pytest.mark.fast(every=1)
@pytest.mark.parametrize("which", WRITTEN_BY_HAND, ids=str)
def test_the_programs_that_were_written_by_hand_are_equalled(which: tuple[str, str, int]) -> None:
    form, elimination, arrays = which
    program = variants.closed_chain(5, form, elimination=elimination, arrays=arrays, ahead=arrays == 2)
    assert figures(program) == WRITTEN_BY_HAND[which]


# ------------------------------------------------------- assignments that nobody has thought of


@pytest.mark.fast(every=1)
@pytest.mark.parametrize(
    ("assignment", "residency"),
    [
        ({"II.a": 3, "II.b.1": 3}, "home"),
        ({"I.c": 3}, "home"),
        ({"I.c": 2, "III": 1}, "home"),
        ({"II.c": 1}, "home"),
        ({"II.b.1": 1}, "home"),
        ({"I.b": 2}, "home"),
        # K, named in one level and read in the next, is sent on where it is read
        ({"I.b.8": 3}, "migrating"),
        ({"I.b.4": 3, "I.b.10": 2}, "migrating"),
    ],
    ids=str,
)
@pytest.mark.parametrize("form", variants.FORMS)
def test_any_assignment_gives_the_same_numbers(
    form: str, assignment: dict[str, int], residency: allocation.Residency
) -> None:
    """Whoever does a step, the bits are those of the paper's two arrays; refused is only what cannot be
    placed."""
    import numpy as np

    from senn.algorithms import problems
    from senn.algorithms.programs.numerics import memory

    what = problems.load("random:5:prismatic=0.3:seed=3")
    arm = (what.chain.n, form, 0, what.chain.joints, what.contact.shape)
    ways = [variants.closed_chain(*arm, arrays=arrays) for arrays in (2, assignment)]  # type: ignore[arg-type]
    runs = []
    for program in ways:
        schedule = place(program, allocation.named("identity", program.n, residency), MARK3)
        runs.append(lockstep.simulate(schedule, MARK3, memory(what)))
    assert all(np.array_equal(runs[0].result[name], runs[1].result[name]) for name in runs[0].result)

"""What goes together: by hand on two small programs, and on the closed chain, which keeps its bits."""

import numpy as np
import pytest

import senn
from senn.algorithms import problems
from senn.algorithms.programs import variants
from senn.algorithms.programs.numerics import memory
from senn.machine import model
from senn.machine.engines import lockstep
from senn.machine.placing import allocation
from senn.machine.placing.schedule import place
from senn.machine.program import (
    PR1,
    PR2,
    Arrange,
    Compute,
    Instruction,
    Letter,
    Name,
    Program,
    Send,
    Value,
    Wait,
    i,
    levels,
    loop,
)
from senn.machine.rewrite.combine import Along, Pair, SideBySide, alongs, neighbours, pairs
from senn.machine.search.combining import combined
from tests.algorithms.both_engines import agreed
from tests.machine.small_programs import home, machine, program, total

X, Y, P, Q, R = (Value(name, None, (1,)) for name in "xypqr")
ON = machine(word=1)


def sends(code: Program, array: int = 1) -> list[str]:
    """What is sent and arranged, and by how many."""
    flow = place(code, home(code.n), ON).flow
    lines = [x for x in flow.lines[array - 1] if isinstance(x.instruction, Send | Arrange)]
    return [f"{line.instruction} [{', '.join(map(str, line.processes))}]" for line in lines]


def two_sends(n: int, *also: Instruction) -> Program:
    """x to the next process, from all but the third; then y to the next and the one before."""
    lines = [
        Send("1", X, PR1[i + 1].only((i < 3) | (i > 3))),
        Compute("2", P, total(4)(X)),
        Send("3", Y, PR1[i - 1], PR1[i + 1], PR2[i]),
        Compute("4", Q, total(1)(X, Y[i - 1].or_zero, Y[i + 1].or_zero)),
        Compute("5", R, total(1)(X[i - 1]), (i < 4) | (i > 4)),
        *also,
    ]
    return program(n, lines, [Wait("6", Y)], resident=[(X, 1), (Y, 1)], results={"q": (1, Q)})


def test_lines_at_different_places_do_not_meet() -> None:
    """In form short the last pivot leaves from the place of the last level, and Lambda^-1 from home."""
    found = {(pair.first[0], pair.second[0]) for pair in pairs(variants.closed_chain(8, "short"))}
    assert ("I.b.9", "I.b.11") in found
    assert ("I.b.13", "I.c.5") not in found


def test_the_later_line_sends_both_where_both_go() -> None:
    """Process 3 sends only y to the next; nothing else changes its way."""
    (pair,) = pairs(two_sends(5))
    assert (pair.first[0], pair.second[0]) == ("1", "3")
    assert sends(pair(two_sends(5))) == [
        "send x_i + y_i -> PR_{1,i+1} [1, 2, 4]",
        "send y_i -> PR_{1,i-1}, PR_{1,i+1}, PR_{2,i} [1, 2, 3, 4, 5]",
    ]


def test_it_saves_a_start_up_and_costs_what_the_earlier_waits() -> None:
    """Apart: x posted at 1, y at 6; on the channel to the right x in 1..12, y in 12..23; Q to 24, R to 25.
    Together: posted at 5, of two words, 5..17; Q to 18, R to 19, as the y alone, posted at 6, is there at
    17."""
    before, (pair,) = two_sends(2), pairs(two_sends(2))
    spans = [senn.timed(code, ON, "home").summary["makespan"] for code in (before, pair(before))]
    assert spans == [25, 19]


def scans(n: int) -> Program:
    """Two sums from process 1 on, one after the other."""
    x, y = Letter("x", (1,)), Letter("y", (1,))

    def of(letter: Letter, step: str) -> list[Instruction]:
        def level(j: int, h: int) -> list[Instruction]:
            following = j + 1 if j < levels(n) else 0
            return [
                Send(f"{step}.i", letter[j - 1], PR1[i + h]),
                Compute(f"{step}.ii", letter[j], total(5)(letter[j - 1], letter[j - 1][i - h].or_zero)),
                Arrange(f"{step}.iii", letter[j], j, following),
            ]

        return list(loop(n, level))

    m = levels(n)
    last = [Wait("3", x[m]), Wait("4", y[m])]
    lines = [*of(x, "1"), Name("2.0", y[0], Y), *of(y, "2"), *last]
    return program(n, lines, resident=[(x[0], 1), (Y, 1)], results={"x": (1, x[m]), "y": (1, y[m])})


def test_loops_side_by_side_go_level_by_level() -> None:
    """Migrating, n = 4: a level took 1 + 11 + 5 + 1 + 11 cycles for each scan, but the second did not wait
    for the first to be home; together 1 + 12 + 10 + 1 + 12."""
    code = scans(4)
    (both,) = neighbours(code)
    assert both == SideBySide(1, ("1.i", "Send", 0), ("2.i", "Send", 0))
    found = combined(place(code, allocation.named("identity", 4, "migrating"), ON), ON).program
    assert [x.step for x in found.streams[0] if x.level == 1] == ["2.i", "1.ii", "2.ii", "2.iii"]
    assert sends(found)[0] == "send x_i^0 + y_i^0 -> PR_{1,i+1} [1, 2, 3]"
    spans = [senn.timed(one, ON, "migrating").summary["makespan"] for one in (code, found)]
    assert spans == [4 * 29 - 11, 2 * 36]
    numbers = {"x[0]": np.arange(1.0, 5.0)[:, None], "y": np.ones((4, 1))}
    result = senn.solved(found, numbers, ON, "migrating").result
    assert (result["x"].ravel().tolist(), result["y"].ravel().tolist()) == ([1, 3, 6, 10], [1, 2, 3, 4])


def test_loops_that_need_each_other_stay() -> None:
    code = variants.closed_chain(8, "short")
    on = model.load("mark3")
    joined = combined(place(code, allocation.named("identity", 8, "migrating"), on), on)
    steps = [[line.step for line in stream] for stream in joined.program.streams]
    assert steps[1] == [line.step for line in code.streams[1]]


@pytest.mark.fast("choices1")
@pytest.mark.parametrize(
    "choices", [{"form": "paper"}, {"form": "short", "arrays": 1}, {"form": "omega", "ahead": True}]
)
def test_the_closed_chain_is_quicker_and_keeps_its_bits(choices: dict) -> None:
    """Both engines agree on it, and every memory is checked."""
    what = problems.load("random:6:prismatic=0.3:seed=6")
    code = variants.closed_chain(6, joints=what.chain.joints, contact=what.contact.constrained, **choices)
    table, on = allocation.named("identity", 6, "migrating"), model.load("mark3")
    apart = place(code, table, on)
    joined = combined(apart, on)
    assert joined.program == combined(apart, on).program
    before, after = (agreed(one, memory(what)) for one in (apart, joined))
    assert after.summary["makespan"] <= before.summary["makespan"]
    assert after.summary["messages"] < before.summary["messages"]
    assert all(np.array_equal(before.result[name], after.result[name]) for name in before.result)


def test_what_a_level_brings_moves_along_in_one_message() -> None:
    """Migrating, K is read a level later than D: they cannot go together, until K stops where D does."""
    code = variants.closed_chain(8, "short")
    table, on = allocation.named("identity", 8, "migrating"), model.load("mark3")
    along = next(x for x in alongs(code) if x.key[0] == "I.b.12'")
    assert isinstance(along, Along)
    together = next(x for x in pairs(code) if (x.first[0], x.second[0]) == ("I.b.5", "I.b.11"))
    with pytest.raises(senn.InputError, match="Arrange it"):
        place(together(code), table, on)
    schedule = place(together(along(code)), table, on)
    moved = {tuple(v.letter for v in x) for x in schedule.messages.common.cargos}
    assert {("D", "K"), ("A", "B", "L"), ("A", "B"), ("A", "L")} <= moved
    assert lockstep.simulate(schedule, on, None).summary["makespan"] > 0


def test_a_pair_that_is_not_there_changes_nothing() -> None:
    code = scans(4)
    assert Pair(1, ("9", "Send", 0), ("1.i", "Send", 0))(code) == code


def test_the_search_takes_what_gains_and_leaves_what_costs() -> None:
    """x first, y after a computation of 50 cycles: apart x is there at 12 and Q ends at 52 + 40, R at 93;
    together both are there at 51 + 12 and R ends at 104."""
    table, early = home(2), two_sends(2)
    (pair,) = pairs(early)
    assert combined(place(early, table, ON), ON).program == pair(early)
    lines = [
        Send("1", X, PR1[i + 1]),
        Compute("2", P, total(50)(X)),
        Send("3", Y, PR1[i + 1]),
        Compute("4", Q, total(40)(X, X[i - 1].or_zero)),
        Compute("5", R, total(1)(Y[i - 1])),
    ]
    late = program(2, lines, resident=[(X, 1), (Y, 1)])
    (pair,) = pairs(late)
    spans = [senn.timed(code, ON, "home").summary["makespan"] for code in (late, pair(late))]
    assert spans == [93, 104]
    assert combined(place(late, table, ON), ON).program == late

"""Laws of programs: prefix sums, whose counts one can make by hand, and failures that one can read."""

from collections.abc import Iterator

import pytest

from senn import laws
from senn.machine.program import PR1, Compute, Instruction, Letter, Program, Send, Wait, i, levels, loop
from tests.machine.small_programs import program, total

x = Letter("x", (3,))
PLUS = total(2)


def prefix_sums(n: int) -> Program:
    """In level j process i takes the sum of process i - 2^(j-1), in three words."""

    def level(j: int, h: int) -> Iterator[Instruction]:
        yield Send("S.1", x[j - 1], PR1[i + h])
        yield Compute("S.2", x[j], PLUS(x[j - 1], x[j - 1][i - h].or_zero))

    last = x[levels(n)]
    return program(n, (*loop(n, level), Wait("S.3", last)), resident=[(x[0], 1)], results={"sum": (1, last)})


@pytest.fixture(scope="module")
def sums() -> laws.Sweep:
    return laws.sweep(prefix_sums, range(1, 18), residency="home")


def test_counts_by_hand(sums: laws.Sweep) -> None:
    """Two lines a level and one wait; in level j the n - 2^(j-1) processes that have somebody send."""
    laws.equal(sums.instructions(1), "2 M + 1")
    laws.equal(sums.messages(), lambda n, m: n * m - (2**m - 1))
    assert sums.messages().by_n[5] == 4 + 3 + 1
    assert laws.line(sums.instructions(1))[:3] == (2, 1, 0)


def test_words_of_a_channel_by_hand() -> None:
    """On a line and at n = 4, level 2 sends 1 -> 3 and 2 -> 4: two messages of three words cross 2 -> 3."""
    row = laws.loaded("mark3").with_settings({"machine.network": "line"})
    on_row = laws.sweep(prefix_sums, [2, 4], row, "home")
    assert on_row.words_per_channel_and_level().by_n == {2: 3, 4: 6}
    assert on_row.dilation().by_n == {2: 1, 4: 2}


def test_sends_at_once() -> None:
    """On a line of nodes all sums travel one way; the closed chain sends to both sides."""
    row = laws.loaded("mark3").with_settings({"machine.network": "line"})
    laws.equal(laws.sweep(prefix_sums, [2, 4, 8], row, "home").sends_at_once(), 1)
    from senn.algorithms.programs import variants

    with pytest.raises(laws.LawBroken, match="sends of a node at once: at most 1 breaks at 1 of 1 sizes"):
        laws.at_most(laws.sweep(variants.closed_chain, [8]).sends_at_once(), 1)


def test_makespan(sums: laws.Sweep) -> None:
    """Two cycles a level for the addition at least."""
    with pytest.raises(laws.LawBroken, match="makespan: at most 2 M holds up to n = 1 and breaks at 16 of"):
        laws.at_most(sums.makespan(), "2 M")
    assert sums.makespan().by_n[1] == 0


def test_a_broken_law_says_where(sums: laws.Sweep) -> None:
    with pytest.raises(laws.LawBroken) as broken:
        laws.equal(sums.messages().since(4), "n M - 7")
    assert str(broken.value) == (
        "messages: n M - 7 breaks at 10 of 14 sizes\n"
        "  n = 4 (M = 2): 5 counted, 1 by the law\n"
        "  n = 9 (M = 4): 21 counted, 29 by the law\n"
        "  n = 10 (M = 4): 25 counted, 33 by the law\n"
        "  n = 11 (M = 4): 29 counted, 37 by the law\n"
        "  n = 12 (M = 4): 33 counted, 41 by the law\n"
        "  n = 13 (M = 4): 37 counted, 45 by the law\n"
        "  and 4 more"
    )


def test_a_line_that_breaks_names_its_two_points(sums: laws.Sweep) -> None:
    with pytest.raises(laws.LawBroken, match=r"the line M \+ 0 through n = 1 and n = 2 holds up to n = 2"):
        laws.line(sums.messages())

"""Golden listings: the program as text, reviewed line by line against Fijany VI.D.

`python -m tests.algorithms.programs.test_listing` writes them anew after a change that is meant;
review the difference.
"""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from experiments.page import written
from senn.algorithms.programs import divide_and_conquer, variants
from senn.algorithms.robots.side_tree import SideTree
from senn.base.errors import InputError
from senn.machine.program import Program
from senn.machine.program.listing import listing

GOLDEN = Path(__file__).parent / "listings"
CASES = [(8, "paper", 0), (6, "paper", 0), (8, "short", 0), (6, "omega", 0), (3, "short", 1)]
# At n = 4 what differs from the paper's program, without the parts that are the same.
REDUCTION = "oer"
BRANCHES = (SideTree(2, ("revolute", "prismatic"), (0, 1)), SideTree(4, ("prismatic",), (0,)))
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "strategy-1": ("short", {"strategy": 1}),
    "reduction": ("short", {"elimination": REDUCTION}),
    "reduction-strategy-1": ("short", {"elimination": REDUCTION, "strategy": 1}),
    "ahead": ("short", {"ahead": True}),
    "arrays-1": ("omega", {"arrays": 1}),
    "arrays-3": ("paper", {"arrays": 3}),
    "arrays-8": ("paper", {"arrays": 8}),
    "branches": ("short", {"branches": BRANCHES}),
    "wide": ("short", {"joints": ("universal", "free", "planar", "revolute")}),
}
# Other programs, at n = 4.
OTHERS: dict[str, Program] = {"divide-and-conquer": divide_and_conquer.program(4)}


def _file(n: int, form: str, refine: int) -> Path:
    return GOLDEN / f"{form}-{n}{'-refine' if refine else ''}.txt"


def _variant(name: str) -> str:
    form, arguments = VARIANTS[name]
    return str(variants.closed_chain(4, form, **arguments))


@pytest.mark.parametrize(("n", "form", "refine"), CASES)
def test_listing_is_the_reviewed_one(n: int, form: str, refine: int) -> None:
    expected = _file(n, form, refine).read_text(encoding="utf-8")
    assert str(variants.closed_chain(n, form, refine)) == expected


@pytest.mark.parametrize("name", VARIANTS)
def test_listing_of_a_variant_is_the_reviewed_one(name: str) -> None:
    """Strategies, eliminations, widths, ahead and side branches, at n = 4."""
    assert _variant(name) == (GOLDEN / f"{name}-4.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", OTHERS)
def test_listing_of_another_program_is_the_reviewed_one(name: str) -> None:
    assert str(OTHERS[name]) == (GOLDEN / f"{name}-4.txt").read_text(encoding="utf-8")


def test_strategy_1_reads_like_its_description() -> None:
    """Level 2 of Step I.b for n = 8, written by hand from Eqs. (90)-(91): both neighbours' A and B come
    first, then all terms of row i are computed by process i."""
    lines = listing(variants.closed_chain(8, strategy=1), "I.b").splitlines()
    begin = next(k for k, line in enumerate(lines) if line.strip() == "level j = 2, h = 2")
    found = [" ".join(line.split()) for line in lines[begin + 1 : begin + 18]]
    assert found == [
        "I.b.S1.1 send A_i^1 -> PR_{1,i-2}, PR_{1,i+2} i = 1..8",
        "I.b.S1.2 send B_i^1 -> PR_{1,i-2}, PR_{1,i+2} i = 1..6",
        ". I.b.S1.2 L_i^1 := B_{i-2}^1 i = 3..8",
        "I.b.S1.3 LDL-_i^1 = ldl(A_{i-2}^1) i = 3..8",
        "I.b.S1.4 C-_i^1 = LDL-_i^1^-1 L_i^1 i = 3..8",
        "I.b.S1.4' send C-_i^1 -> PR_{2,i} i = 3..8",
        "I.b.S1.5 D-_i^1 = L_i^1' C-_i^1 i = 3..8",
        "I.b.S1.6 LDL+_i^1 = ldl(A_{i+2}^1) i = 1..6",
        "I.b.S1.7 F+_i^1 = LDL+_i^1^-1 B_i^1' i = 1..6",
        "I.b.S1.7' send F+_i^1 -> PR_{2,i} i = 1..6",
        "I.b.S1.8 G+_i^1 = B_i^1 F+_i^1 i = 1..6",
        "I.b.S1.9 B_i^2 = -F+_i^1' B_{i+2}^1 i = 1..4",
        "I.b.S1.9' arrange B_i^2: from the place of level 2 to the place of level 3 i = 1..4",
        "I.b.S1.10 A_i^2 = A_i^1 - D-_i^1 - G+_i^1 i = 1..8",
        "I.b.S1.10' arrange A_i^2: from the place of level 2 to the place of level 3 i = 1..8",
        "level j = 3, h = 4",
        "I.b.S1.1 send A_i^2 -> PR_{1,i-4}, PR_{1,i+4} i = 1..8",
    ]


def test_reduction_leaves_out_every_other_row_counted_from_the_tip() -> None:
    """n = 6: pivots 5, 3, 1, then 4, then 2; 6 is left. Each makes A of its two neighbours smaller."""
    text = listing(variants.closed_chain(6, elimination=REDUCTION), "I.b")
    factors = [line.split("i = ")[1] for line in text.splitlines() if " I.b.1 " in line]
    updates = [line.split("i = ")[1] for line in text.splitlines() if " I.b.12 " in line]
    assert factors == ["1, 3, 5", "4", "2"]
    assert updates == ["2, 4, 6", "2, 6", "6"]


def test_step_i_b_reads_like_the_paper() -> None:
    """Level 1 of Step I.b for n = 8, written by hand from Fijany VI.D with the errata of Eqs. (90)-(92)."""
    lines = listing(variants.closed_chain(8), "I.b").splitlines()
    begin = next(k for k, line in enumerate(lines) if line.strip() == "level j = 1, h = 1")
    found = [" ".join(line.split()) for line in lines[begin + 1 : begin + 16]]
    assert found == [
        "I.b.1 LDL_i^0 = ldl(A_i^0) i = 1..8",
        "I.b.2 C_i^0 = LDL_i^0^-1 B_i^0 i = 1..7",
        "I.b.3 send C_i^0 -> PR_{2,i} i = 1..7",
        "I.b.4 D_i^0 = B_i^0' C_i^0 i = 1..7",
        "I.b.5 send D_i^0 -> PR_{1,i+1} i = 1..7",
        "I.b.6 F_i^0 = LDL_i^0^-1 L_i^0' i = 2..8",
        "I.b.7 send F_i^0 -> PR_{2,i} i = 2..8",
        "I.b.8 G_i^0 = L_i^0 F_i^0 i = 2..8",
        "I.b.9 send G_i^0 -> PR_{1,i-1} i = 2..8",
        "I.b.10 K_i^0 = -L_i^0 C_i^0 i = 2..7",
        "I.b.11 send K_i^0 -> PR_{1,i-1}, PR_{1,i+1} i = 2..7",
        ". I.b.11 B_i^1 := K_{i+1}^0 i = 1..6",
        ". I.b.11 L_i^1 := K_{i-1}^0 i = 3..8",
        "I.b.12 A_i^1 = A_i^0 - D_{i-1}^0 - G_{i+1}^0 i = 1..8",
        "I.b.12' arrange A_i^1: from the place of level 1 to the place of level 2 i = 1..8",
    ]


def test_a_program_that_is_no_robot_has_neither_form_nor_refinement_in_its_head() -> None:
    """The beginning of a listing in programs.md is that of the program it writes, character for character."""
    page = written("programs")
    code = re.search(r"```python\n(.*?)```", page, re.DOTALL)
    shown = re.search(r"```console\n\$ senn program .*?\n(.*?)```", page, re.DOTALL)
    assert code
    assert shown
    names: dict[str, object] = {}
    exec(code[1], names)
    beginning, _, rest = shown[1].partition("...\n")
    assert str(names["prefix_sum"](8)).startswith(beginning)
    assert not rest
    assert shown[1].startswith("prefix sum, n = 8, M = 3\n")


def test_a_program_that_cannot_run_is_not_listed_but_refused_in_the_terms_of_place() -> None:
    whole = variants.closed_chain(8)
    first = tuple(one for one in whole.streams[0] if one.step != "I.b.9")
    with pytest.raises(
        InputError, match=r"^I\.b\.12 reads G_2\^0 at PR_\{1,1\}, but no Send delivers it there$"
    ):
        str(replace(whole, streams=(first, *whole.streams[1:])))


def test_step_selects_a_part() -> None:
    text = listing(variants.closed_chain(4), "III")
    assert "III.2.i " in text
    assert "II.d" not in text


def test_joint_types_that_do_different_things_have_lines_of_their_own() -> None:
    """R, P, R: the bias is z . n for a revolute joint and z . f for a prismatic one (schedule II.b.8)."""
    types = ("revolute", "prismatic", "revolute")
    text = listing(variants.closed_chain(3, joints=types), "II.b.1.viii")
    found = [" ".join(line.split()) for line in text.splitlines() if "II.b.1.viii" in line]
    assert found == ["II.b.1.viii b_i = z_i . n_i^2 i = 1, 3", "II.b.1.viii b_i = z_i . f_i^2 i = 2"]
    same = listing(variants.closed_chain(3, joints=types), "I.a.5")  # one text, whatever the joint
    assert same.count("I.a.5 ") == 1


def test_unknown_step_is_refused_with_the_steps_there_are() -> None:
    with pytest.raises(InputError, match=r'no step of this program is "V".*I\.a, I\.b, I\.c, II\.a'):
        listing(variants.closed_chain(4), "V")


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for case in CASES:
        _file(*case).write_text(str(variants.closed_chain(*case)), encoding="utf-8")
    for variant in VARIANTS:
        (GOLDEN / f"{variant}-4.txt").write_text(_variant(variant), encoding="utf-8")
    for other, program in OTHERS.items():
        (GOLDEN / f"{other}-4.txt").write_text(str(program), encoding="utf-8")

"""Golden listings of Fijany VI.D, reviewed line by line; of other programs the digests of their listings.

`python -m tests.algorithms.programs.test_listing` writes the listings anew after a change that is meant, and
prints the digests; review the difference.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path

import pytest

from experiments.page import written
from senn.algorithms.programs import divide_and_conquer, variants
from senn.algorithms.programs.free import hybrid, inverse_dynamics, mass_matrix_inversion
from senn.algorithms.robots.side_tree import SideTree
from senn.base.errors import InputError
from senn.machine.program import Program
from senn.machine.program.listing import listing

GOLDEN = Path(__file__).parent / "listings"
CASES = [(8, "paper", 0), (6, "paper", 0), (8, "short", 0), (6, "omega", 0), (3, "short", 1)]
REDUCTION = "oer"
BRANCHES = (SideTree(2, ("revolute", "prismatic"), (0, 1)), SideTree(4, ("prismatic",), (0,)))
closed = partial(variants.closed_chain, 4)
OTHERS: dict[str, Callable[[], Program]] = {
    "strategy 1": lambda: closed("short", strategy=1),
    "reduction": lambda: closed("short", elimination=REDUCTION),
    "reduction, strategy 1": lambda: closed("short", elimination=REDUCTION, strategy=1),
    "ahead": lambda: closed("short", ahead=True),
    "arrays 1": lambda: closed("omega", arrays=1),
    "arrays 3": lambda: closed("paper", arrays=3),
    "arrays 8": lambda: closed("paper", arrays=8),
    "branches": lambda: closed("short", branches=BRANCHES),
    "wide": lambda: closed("short", joints=("universal", "free", "planar", "revolute")),
    "divide and conquer": lambda: divide_and_conquer.program(4),
    "open chain": lambda: variants.open_chain(4),
    "hybrid": lambda: hybrid.program(4),
    "mass matrix inversion": lambda: mass_matrix_inversion.program(4),
    "inverse dynamics": lambda: inverse_dynamics.program(4),
}
"""Other programs, and what differs from the paper's, at n = 4."""
FROZEN = {
    "strategy 1": (172, "43ab27a2c31e"),
    "reduction": (187, "59a459aef4dd"),
    "reduction, strategy 1": (188, "e7de588c8206"),
    "ahead": (163, "62fb40f43566"),
    "arrays 1": (175, "bc1197467829"),
    "arrays 3": (270, "56008b8675b5"),
    "arrays 8": (409, "078011baf96d"),
    "branches": (206, "aadee1ddf418"),
    "wide": (194, "3c00442baaab"),
    "divide and conquer": (158, "83b7c482c2f9"),
    "open chain": (138, "47a1340efa62"),
    "hybrid": (119, "663ccc5ff1ec"),
    "mass matrix inversion": (191, "8596e493065a"),
    "inverse dynamics": (67, "63f9d9214d3f"),
}
"""Lines of their listings, and the beginning of SHA-256 of the text; reviewed when they were frozen."""


def _file(n: int, form: str, refine: int) -> Path:
    return GOLDEN / f"{form}-{n}{'-refine' if refine else ''}.txt"


@pytest.mark.parametrize(("n", "form", "refine"), CASES)
def test_listing_is_the_reviewed_one(n: int, form: str, refine: int) -> None:
    expected = _file(n, form, refine).read_text(encoding="utf-8")
    assert str(variants.closed_chain(n, form, refine)) == expected


def frozen(text: str) -> tuple[int, str]:
    return len(text.splitlines()), sha256(text.encode()).hexdigest()[:12]


@pytest.mark.parametrize("name", OTHERS)
def test_listing_of_another_program_is_the_frozen_one(name: str) -> None:
    """What it was is printed by `senn program` of the commit before."""
    assert frozen(str(OTHERS[name]())) == FROZEN[name]


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
    for other, program in OTHERS.items():
        print(f'    "{other}": {frozen(str(program()))},')

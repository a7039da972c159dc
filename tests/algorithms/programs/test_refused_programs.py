"""What is no program is refused, with what was given and what is possible."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from senn.algorithms.programs import divide_and_conquer, star, variants
from senn.algorithms.programs.free import hybrid, inverse_dynamics, mass_matrix_inversion
from senn.base.errors import InputError

CHAIN, OPEN, DIVIDED = variants.closed_chain, variants.open_chain, divide_and_conquer.program
FREE = (inverse_dynamics.program, hybrid.program, mass_matrix_inversion.program)
EVERY = (CHAIN, OPEN, DIVIDED, star.program, *FREE)
LINKS, TYPES = "n = 0: an arm has at least one link", "2 joint types, each one of revolute, prismatic"
SCREWS = "motion 'screws' is not one of recurrences, jets, outward"
REFUSED: list[tuple[Callable[..., Any], str]] = [
    *((partial(make, 0), LINKS) for make in EVERY),
    (partial(inverse_dynamics.program, 2, ("revolute",)), TYPES),
    *((partial(make, 2, ("spherical",)), TYPES) for make in FREE[1:]),
    *((partial(make, 2, joints=("revolute",)), "2 joint types") for make in (CHAIN, DIVIDED)),
    *((partial(make, 4, contact=7), "contact = 7") for make in (CHAIN, DIVIDED)),
    (partial(OPEN, 1, joints=("hinge",)), "each one of revolute, prismatic"),
    (
        partial(CHAIN, 1, joints=("hinge",)),
        "each one of revolute, prismatic, helical, .*, welded, are needed",
    ),
    (partial(CHAIN, 2, joints=("welded",) * 2), "all are welded, and nothing can move"),
    (partial(CHAIN, 4, form="long"), "form 'long' is not one of paper, short, omega"),
    (partial(CHAIN, 4, motion="jets"), r"form paper goes on with them in frame N\+1"),
    *((partial(make, 4, motion="screws"), SCREWS) for make in (partial(CHAIN, form="short"), FREE[0])),
    (partial(FREE[0], 4, motion="outward"), "motion outward leaves out the joint torques"),
    *(
        (partial(CHAIN, 4, refine=steps), f"refine {steps} is not one of 0, 1, 2, 3, 4, 5")
        for steps in (-1, 6)
    ),
    (partial(CHAIN, 4, strategy=3), "strategy 3 is not one of 1, 2"),
    (partial(CHAIN, 4, elimination="qr"), "elimination 'qr' is not one of oee, oer"),
    *((partial(CHAIN, 4, arrays=x), f"arrays {x!r} is not one of 1, 2, 3, 8") for x in (4, "2")),
    (
        partial(CHAIN, 4, form="short", arrays=8),
        r"form short has no sweep of six right-hand sides .*choose form paper, or 1, 2 or 3 arrays",
    ),
    (partial(CHAIN, 4, form="omega", arrays=8), r"the six of form omega end in rows .*choose form paper"),
    (partial(OPEN, 4, arrays=3), "3 arrays: the open chain is written for 1 or 2"),
    (
        partial(DIVIDED, 4, arrays=3),
        r"3 arrays: divide and conquer is written for 1, or 2 \(articulated inertias",
    ),
    (
        partial(star.program, 4, arrays=3),
        r"3 arrays: star products are written for 1, or 2 \(links 1..i apart\)",
    ),
]


@pytest.mark.parametrize(("make", "text"), REFUSED)
def test_what_is_no_program_is_refused(make: Callable[[], Any], text: str) -> None:
    with pytest.raises(InputError, match=text):
        make()

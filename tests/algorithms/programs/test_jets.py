"""Newton-Euler by one scan outward and one inward in place of five scans."""

from __future__ import annotations

import pytest

from senn import laws
from senn.algorithms.programs import variants
from senn.algorithms.programs.free import inverse_dynamics
from senn.base.errors import InputError

pytestmark = pytest.mark.rounding


def test_two_scans_in_place_of_five() -> None:
    """Migrating, a scan has two network steps a level, and nothing else is sent."""

    def program(n: int, motion: str) -> object:
        return inverse_dynamics.program(n, motion=motion)

    sizes = (4, 8, 16, 32)
    jets = laws.sweep(lambda n: program(n, "jets"), sizes, "mark3")
    laws.equal(jets.network_steps(), "4 M")
    whole, outward = (
        laws.sweep(lambda n, motion=motion: variants.closed_chain(n, "short", motion=motion), sizes, "mark3")
        for motion in ("jets", "outward")
    )
    laws.equal(whole.network_steps(), "17 M + 5")
    laws.equal(outward.network_steps(), "15 M + 5")
    five = laws.sweep(lambda n: program(n, "recurrences"), sizes, "mark3")
    laws.equal(five.network_steps(), "10 M + 2")


def test_inverse_dynamics_has_to_go_inward() -> None:
    with pytest.raises(InputError, match="motion outward leaves out the joint torques"):
        inverse_dynamics.program(4, motion="outward")


@pytest.mark.parametrize(
    ("choices", "text"),
    [
        ({"motion": "jets"}, r"form paper goes on with them in frame N\+1"),
        ({"form": "short", "motion": "screws"}, "motion 'screws' is not one of recurrences, jets, outward"),
        ({"form": "long"}, "form 'long' is not one of paper, short, omega"),
        ({"refine": 6}, "refine 6 is not one of 0, 1, 2, 3, 4, 5"),
        ({"refine": -1}, "refine -1 is not one of 0"),
        ({"strategy": 3}, "strategy 3 is not one of 1, 2"),
        ({"elimination": "qr"}, "elimination 'qr' is not one of oee, oer"),
        ({"arrays": 4}, "arrays 4 is not one of 1, 2, 3, 8"),
        ({"form": "short", "arrays": 8}, "8 arrays take one right-hand side"),
    ],
)
def test_what_there_is_not_is_refused(choices: dict[str, object], text: str) -> None:
    with pytest.raises(InputError, match=text):
        variants.closed_chain(4, **choices)  # type: ignore[arg-type]

"""Newton-Euler by one scan outward and one inward in place of five scans."""

from __future__ import annotations

import pytest

from senn import laws
from senn.algorithms.programs import variants
from senn.algorithms.programs.free import inverse_dynamics

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

"""Golden listings, n = 4, of the programs that are made of scans.

`python -m tests.algorithms.programs.test_scan_listings` writes them anew after a change that is meant;
review the difference.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from senn.algorithms.programs import variants
from senn.algorithms.programs.free import hybrid, inverse_dynamics, mass_matrix_inversion
from senn.machine.program import Program

GOLDEN = Path(__file__).parent / "listings"
PROGRAMS: dict[str, Callable[[int], Program]] = {
    "open-chain-4": variants.open_chain,
    "hybrid-4": hybrid.program,
    "mass-matrix-inversion-4": mass_matrix_inversion.program,
    "inverse-dynamics-4": inverse_dynamics.program,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_listing_is_the_reviewed_one(name: str) -> None:
    assert str(PROGRAMS[name](4)) == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")


if __name__ == "__main__":
    for name, program in PROGRAMS.items():
        (GOLDEN / f"{name}.txt").write_text(str(program(4)), encoding="utf-8")

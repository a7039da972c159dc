"""Programs made of scans in single precision: no kernel widens a number, and answers keep seven digits less
what the problem loses."""

from __future__ import annotations

import numpy as np
import pytest

from senn.algorithms.catalogue import ALGORITHMS
from senn.algorithms.programs.free import hybrid, inverse_dynamics, mass_matrix_inversion
from tests.algorithms.both_engines import agreed
from tests.algorithms.programs.scan_runs import Algorithm, error, mixed, quickly

OPEN_CHAIN = ALGORITHMS["open-chain"]


@pytest.mark.parametrize("algorithm", [OPEN_CHAIN, inverse_dynamics, hybrid, mass_matrix_inversion])
def test_single_precision_stays_single(algorithm: Algorithm) -> None:
    """Mixed joints, n = 7, both engines; 6e-8 times some hundreds, the open chain some thousands: three
    digits stay at the least."""
    what = mixed(7)
    memory = {name: block.astype(np.float32) for name, block in algorithm.memory(what).items()}
    run = agreed(algorithm.program(7, what.chain.joints), memory)
    found = algorithm.answers(what, run.result)
    for name, exact in quickly(algorithm, what).items():
        assert found[name].dtype == np.float32
        assert 0.0 < error(found[name], exact) < 1e-3

"""A mild state and torque for any arm."""

import numpy as np
from numpy.typing import ArrayLike

from senn.algorithms.robots import generators, newton_euler
from senn.algorithms.robots.chain import Chain


def mild_state(chain: Chain, seed: int, gravity: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q (coordinates,), qd and tau (degrees,), drawn from the seed; tau is the torque of the motion drawn."""
    q, qd, qdd = generators.motion(chain, seed)
    return q, qd, newton_euler.dynamics(chain, q, qd, qdd, gravity).torque

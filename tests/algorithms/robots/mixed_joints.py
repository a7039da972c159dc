"""An arm with every type of joint, and a state of it."""

from dataclasses import replace

import numpy as np

from senn.algorithms.robots import generators
from senn.algorithms.robots.chain import Chain
from senn.algorithms.robots.joints import JOINTS

Array = np.ndarray
PARAMETER = {"helical": 0.07, "universal": 1.2}


def mixed_chain(types: tuple[str, ...], seed: int) -> Chain:
    """Compact random links on joints of these types."""
    chain = generators.generate(f"random:{len(types)}:seed={seed}")
    parameters = np.array([PARAMETER.get(x, 0.0) for x in types])
    return replace(chain, joints=types, parameters=parameters)


def state(types: tuple[str, ...], seed: int) -> tuple[Array, Array, Array, Array]:
    """q with unit quaternions, and qd, qdd, tau, flat."""
    rng = np.random.default_rng(seed)
    parts = []
    for x in types:
        q = rng.uniform(-1.0, 1.0, JOINTS[x].coordinates)
        if x in ("spherical", "free"):
            q[:4] /= np.linalg.norm(q[:4])
        parts.append(q)
    degrees = sum(JOINTS[x].degrees for x in types)
    return np.concatenate(parts), *rng.uniform(-1.0, 1.0, (3, degrees))

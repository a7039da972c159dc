"""The torques of operational-space control on one node, O(n^3): no more than the law needs."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from senn.algorithms.kernels import system
from tests.oracles.economical import dense
from tests.oracles.economical.bias import bias, fall
from tests.oracles.economical.closed_chain import turned
from tests.oracles.economical.links import Link
from tests.oracles.economical.screws import Scalar, Vector
from tests.oracles.economical.vectors import dot, plus, scaled


@dataclass(frozen=True, eq=False)
class Demand:
    """A state, and what is asked of its tip."""

    q: Any
    """(n,) an array."""
    qd: list[Scalar]
    damping: Scalar
    """tau_0 asks for qdd = damping qd."""
    gravity: Vector
    """In frame 1."""
    acceleration: Any
    """A* (6,) of the tip, an array."""
    pressed: Vector
    """The wrench (6,) W f_d."""


def torques(links: list[Link], demand: Demand) -> list[Scalar]:
    """tau_0 + J' (Lambda (A* - A_0) + W f_d)."""
    joints = turned(links, demand.q)
    free = bias(links, joints, demand.qd, demand.gravity, scaled(demand.damping, demand.qd))
    end = [*free.angular, *plus(free.linear, fall(links, joints, demand.gravity))]
    arm = dense.factor(links, joints)
    kind = demand.acceleration.dtype
    packed, own = (np.array(x, dtype=kind) for x in (dense.lambda_inverse(arm), end))
    factor = system.ldl.evaluate(packed[None])
    wrench = system.solve.evaluate(factor, (demand.acceleration - own)[None])[0]
    wrench = plus(list(wrench), demand.pressed)
    return [t + dot(twist, wrench) for t, twist in zip(free.forces, arm.twists, strict=True)]

"""Problems from a seed: state, torque and contact of an arm."""

from dataclasses import replace

from numpy.typing import ArrayLike

from senn.algorithms.problems.contact import kinds
from senn.algorithms.problems.problem import Problem, resolved
from senn.algorithms.robots import generators
from senn.algorithms.robots.chain import Chain
from senn.algorithms.robots.newton_euler import inverse_dynamics

EARTH = (0.0, 0.0, -9.81)
"""m/s^2, base frame."""


def draw(chain: Chain, seed: int = 0, gravity: ArrayLike = EARTH, *, name: str = "") -> Problem:
    """State, torque and contact drawn from the seed (`generators.motion`, `contact.draw`).

    The torque is that of the motion drawn, `qdd`, were the tip free.

    The problem is called by `name`, or as the chain is.
    """
    note = f"state, torque and contact were drawn from seed {seed}"
    q, qd, qdd = generators.motion(chain, seed)
    tau = inverse_dynamics(chain, q, qd, qdd, gravity)
    source = f"{name or chain.name}, seed {seed}"
    found = resolved(
        chain, gravity, q, qd, tau, kinds.draw(chain, seed), qdd=qdd, name=name, notes=(note,), source=source
    )
    return replace(found, drawn=True)

"""Problems of which less than all is given: what has a default takes it, the rest is drawn from a seed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from senn.algorithms.problems import by_name, states
from senn.algorithms.problems.contact import contact as kinds
from senn.algorithms.problems.contact import forms as files
from senn.algorithms.problems.problem import ALONG_Z, Problem
from senn.algorithms.robots import generators
from senn.algorithms.robots.chain import Chain
from senn.algorithms.robots.generators import LARGEST_SEED
from senn.algorithms.robots.newton_euler import inverse_dynamics
from senn.algorithms.spatial import Numbers
from senn.traces.errors import InputError

EARTH = (0.0, 0.0, -9.81)
"""m/s^2, base frame."""


def draw(
    chain: Chain,
    seed: int = 0,
    gravity: ArrayLike = EARTH,
    *,
    name: str = "",
    at: Mapping[str, float | Sequence[float]] = MappingProxyType({}),
) -> Problem:
    """State, torque and contact drawn from the seed (`generators.motion`, `contact.draw`).

    The torque is that of the motion drawn, `qdd`, were the tip free. The joints of `at` stand where it says,
    in rad or m; of the others nothing but the torque depends on them.

    The problem is called by `name`, or as the chain is.
    """
    source = f"{name or chain.name}, seed {seed}"
    return completed(chain, {"gravity": gravity, "q": at}, seed=seed, name=name, source=source)


@np.errstate(all="ignore")  # what overflows is not finite, and refused
def completed(
    chain: Chain,
    *layers: Mapping[str, Any],
    seed: int | None = None,
    usual_seed: int = 0,
    name: str = "",
    source: str = "",
    changed: tuple[str, ...] = (),
) -> Problem:
    """A problem of what is given by name: gravity, q, qd, tau, qdd, contact, tip_vector; of several layers
    the last one's. None is left out.

    Gravity left out is the Earth's. q, qd and contact left out are drawn from the seed, and so is the motion
    qdd whose torque, were the tip free, is tau where that is left out; with tau given and qdd left out, qdd
    is 0. A mapping by joint name gives some of the numbers, the others are as if the vector were left out. A
    `seed` is refused where nothing is drawn; `usual_seed` is taken where none is given.
    """
    own = usual_seed if seed is None else seed
    parts = {key: _given(chain, key, layers) for key in ("q", "qd", "tau", "qdd")}
    if not isinstance(own, int) or own < 0:
        raise InputError(f"seed is {own!r}; it is a whole number, 0 or more")
    if own > LARGEST_SEED:
        raise InputError(f"seed has {own.bit_length()} bits; it is a whole number up to {LARGEST_SEED}")
    drawn = {key: not parts[key].known.any() for key in ("q", "qd", "tau") if parts[key].open}
    at_rest = np.zeros(chain.degrees)
    motion = generators.motion(chain, own) if drawn else (None, None, at_rest)
    q, qd = parts["q"].filled(motion[0]), parts["qd"].filled(motion[1])
    qdd = parts["qdd"].filled(motion[2] if "tau" in drawn else at_rest)
    gravity = states.gravity(_last(layers, "gravity", EARTH))
    torque = None
    if "tau" in drawn:
        torque = inverse_dynamics(chain, states.unit_quaternions(chain, q), qd, qdd, gravity)
    contact = _last(layers, "contact", None)
    if contact is None:
        contact = kinds.draw(chain, own)
        drawn["contact"] = True
    if seed is not None and not drawn:
        raise InputError("a seed was given, but nothing is left to draw; leave the seed out")
    return Problem(
        name or chain.name,
        chain,
        gravity,
        q,
        qd,
        parts["tau"].filled(torque),
        files.taken(contact),
        qdd,
        _last(layers, "tip_vector", ALONG_Z),
        source=source,
        changed=changed,
        seed=own if drawn else None,
        draws=drawn,
    )


def check(chain: Chain, given: Mapping[str, Any]) -> None:
    """What is wrong with a layer by itself, whatever the others say."""
    for key in ("q", "qd", "tau", "qdd"):
        _given(chain, key, (given,))
    for key, checked in (("gravity", states.gravity), ("tip_vector", states.tip_vector)):
        if given.get(key) is not None:
            checked(given[key])
    if given.get("contact") is not None:
        files.taken(given["contact"])


@dataclass
class _Part:
    """A vector of which some numbers are known."""

    numbers: Numbers
    known: NDArray[np.bool_]

    @property
    def open(self) -> bool:
        return not self.known.all()

    def filled(self, others: Numbers | None) -> Numbers:
        """With those numbers of `others` that are not known; None: all are."""
        return self.numbers if others is None else np.where(self.known, self.numbers, others)


def _given(chain: Chain, key: str, layers: Sequence[Mapping[str, Any]]) -> _Part:
    shares = chain.q_shares if key == "q" else chain.qd_shares
    size = chain.coordinates if key == "q" else chain.degrees
    part = _Part(np.zeros(size), np.zeros(size, dtype=bool))
    for value in (layer.get(key) for layer in layers):
        if isinstance(value, Mapping):
            for place, share in by_name.shares(chain, key, value):
                part.numbers[place] = share
                part.known[place] = True
        elif value is not None:
            part = _Part(states.shared(chain, shares, value, key).copy(), np.ones(size, dtype=bool))
    return part


def _last(layers: Sequence[Mapping[str, Any]], key: str, otherwise: Any) -> Any:
    values = [layer[key] for layer in layers if layer.get(key) is not None]
    return values[-1] if values else otherwise

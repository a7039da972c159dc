"""Arms made from a few words (`DESCRIPTIONS`), and a mild state for any arm.

Options stand in any order; the seed is 0 unless given. Every draw comes from NumPy's `default_rng([seed, k])`
with k = 0 for the arm, 1 for the state and 2 for the contact, in the order documented at the function, so
that none moves the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from senn.algorithms import spatial
from senn.algorithms.robots.chain import GENERATORS, Chain, Written
from senn.algorithms.robots.joints import JOINTS
from senn.algorithms.spatial import Numbers, transposed
from senn.base.errors import InputError
from senn.machine.program.values import LONGEST

_SNAKE_RADIUS = 0.025  # m; the length and the mass are those of the 16-module snake, the radius is ours


def generate(text: str) -> Chain:
    """The arm of a generator text; same text, same arm."""
    words = parse(text)
    rng = np.random.default_rng([words.seed, 0])
    n = words.n
    joints, parameters = (spatial.REVOLUTE,) * n, np.zeros(n)
    if words.kind == "joints":
        # Drawn in order: the links (`_compact`), parameters (n uniform numbers in 0..1): a helical joint's
        # pitch is -0.1 .. 0.1 m/rad, and the axes of a universal joint are 60 .. 120 degrees apart.
        links, share = _compact(n, rng), rng.uniform(0.0, 1.0, n)
        pitch, angle = 0.1 * (2.0 * share - 1.0), np.pi / 3.0 * (1.0 + share)
        kind = np.array(list(words.joints))
        parameters = np.where(kind == "H", pitch, np.where(kind == "U", angle, 0.0))
        joints = tuple(LETTERS[letter] for letter in words.joints)
    elif words.kind == "random":  # drawn in order: the links (`_compact`), joint types
        links, slides = _compact(n, rng), rng.uniform(0.0, 1.0, n) < words.options["prismatic"]
        joints = tuple(spatial.PRISMATIC if slide else spatial.REVOLUTE for slide in slides)
    elif words.kind == "rods":  # drawn in order: R (n quaternions), directions (n normal 3-vectors)
        rotation, direction = _rotations(n, rng), rng.standard_normal((n, 3))
        direction /= np.linalg.norm(direction, axis=1, keepdims=True)
        links = _cylinders(rotation, direction, 0.3, 0.3 * words.options["slenderness"], 1.0)
    else:  # modules along x; joint axes vertical and horizontal in turn
        quarter = spatial.rotation_rpy((np.pi / 2, 0.0, 0.0)).round()
        rotation = np.array([quarter if k % 2 == 0 else quarter.T for k in range(n)])
        direction = np.tile([1.0, 0.0, 0.0], (n, 1))
        links = _cylinders(rotation, direction, 0.94 / 16, _SNAKE_RADIUS, 2.9 / 16)
    names = tuple(f"joint_{i}" for i in range(1, n + 1))
    base: dict[str, Any] = {"base_rotation": np.eye(3), "base_position": np.zeros(3)}
    chain = Chain(name=text, joints=joints, joint_names=names, parameters=parameters, **base, **links)
    return chain.as_written(Written("words", text))


def motion(chain: Chain, seed: int) -> tuple[Numbers, Numbers, Numbers]:
    """A mild motion, q (coordinates,), qd and qdd (degrees,), drawn from the seed.

    q is uniform in +-2 rad and +-0.1 m, or in what the joint's limits leave of that, or in as much next to it
    (quaternions: four uniform numbers, made to unit length), qd = 0.3 normal/sqrt(degrees), qdd =
    normal/sqrt(degrees); drawn in this order.
    """
    rng = np.random.default_rng([seed, 1])
    kinds = [JOINTS[joint] for joint in chain.all_joints]
    turning = np.concatenate([np.arange(kind.coordinates) < kind.turning_coordinates for kind in kinds])
    reach, (lower, upper) = np.where(turning, 2.0, 0.1), chain.all_limits.T
    high = np.where(lower >= reach, np.minimum(upper, lower + 2.0 * reach), np.minimum(upper, reach))
    low = np.where(upper <= -reach, np.maximum(lower, upper - 2.0 * reach), np.maximum(lower, -reach))
    q = (low + high) / 2 + (high - low) / 2 * rng.uniform(-1.0, 1.0, chain.coordinates)
    q[chain.quaternions] /= np.linalg.norm(q[chain.quaternions], axis=1, keepdims=True)
    qd = 0.3 * rng.standard_normal(chain.degrees) / np.sqrt(chain.degrees)
    return q, qd, rng.standard_normal(chain.degrees) / np.sqrt(chain.degrees)


def _compact(n: int, rng: Generator) -> dict[str, Any]:
    """Links. Drawn in order: R (n quaternions), P, S, m, gyration (3 each), its axes (quaternions)."""
    rotation = _rotations(n, rng)
    position = rng.uniform(-0.3, 0.3, (n, 3))
    centre = rng.uniform(-0.15, 0.15, (n, 3))
    mass = rng.uniform(0.5, 1.5, n)
    # Principal moments as sums of two second moments: the triangle inequality holds by construction.
    second = mass[:, None] * rng.uniform(0.05, 0.15, (n, 3)) ** 2
    moments = second.sum(axis=1, keepdims=True) - second
    axes = _rotations(n, rng)
    inertia = axes * moments[:, None, :] @ transposed(axes)
    inertia = (inertia + transposed(inertia)) / 2
    return {"rotation": rotation, "position": position, "centre": centre, "mass": mass, "inertia": inertia}


def _cylinders(
    rotation: Numbers, direction: Numbers, length: float, radius: float, mass: float
) -> dict[str, Any]:
    """Links of one length, radius and mass, which lie along their directions."""
    along = direction[:, :, None] * direction[:, None, :]
    axial = mass * radius**2 / 2
    across = mass * (3 * radius**2 + length**2) / 12
    return {
        "rotation": rotation,
        "position": length * direction,
        "centre": length / 2 * direction,
        "mass": np.full(len(direction), mass),
        "inertia": axial * along + across * (np.eye(3) - along),
    }


def _rotations(n: int, rng: Generator) -> Numbers:
    return spatial.rotation_quaternion(rng.standard_normal((n, 4)))


# -------- the words of a generator

LARGEST_SEED = 2**63 - 1
"""Of everything that is drawn: what tables of runs can hold."""

DESCRIPTIONS = {
    "random:N": "compact random arm, all revolute (prismatic=0.3: that share of prismatic joints; seed=S)",
    "snake:N": "snake robot, modules of 0.94/16 m and 2.9/16 kg, yaw and pitch in turn",
    "rods:N": "solid cylinders in random directions (slenderness=0.1: radius/length; seed=S)",
    "joints:WORD": "random links and the joints of WORD: R(evolute) P(rismatic) H(elical) C(ylindrical) "
    "U(niversal) E (planar) S(pherical) F(ree) X (welded), as joints:FRRSX (seed=S)",
}
LETTERS = dict(zip("RPHCUESFX", JOINTS, strict=True))
"""The letters of `joints:WORD`."""

_OPTIONS: dict[str, dict[str, float]] = {kind: {} for kind in GENERATORS}
_OPTIONS |= {"random": {"prismatic": 0.0}, "rods": {"slenderness": 0.1}}
_RANGES = {
    "prismatic": (0.0, 1.0, "a share between 0 and 1"),
    "slenderness": (1e-6, 1.0, "radius/length, between 1e-6 and 1"),
}
_FORMS = "random:N[:prismatic=0.3], snake:N, rods:N[:slenderness=0.1], joints:WORD, each with [:seed=S]"


@dataclass(frozen=True)
class Words:
    """A generator text, taken apart and checked."""

    kind: str
    n: int
    seed: int
    options: dict[str, float]
    joints: str = ""  # The letters of `joints:WORD`


def is_text(text: str) -> bool:
    """Whether this text asks for a generator (well formed or not)."""
    return text.split(":", 1)[0] in _OPTIONS


def parse(text: str) -> Words:
    """Take a generator text apart; `InputError` names the word that is wrong."""
    kind, *words = text.split(":")
    if kind not in _OPTIONS:
        raise InputError(f'"{text}": there is no generator "{kind}"; use {_FORMS}')
    plain = [word for word in words if "=" not in word]
    word = plain[0] if len(plain) == 1 else ""
    if kind == "joints":
        if not word:
            raise InputError(f'"{text}": exactly one word of joints is needed, as RSPRRU; use {_FORMS}')
        for letter in word:
            if letter not in LETTERS:
                letters = ", ".join(f"{letter} {joint}" for letter, joint in LETTERS.items())
                raise InputError(f'"{text}": there is no joint "{letter}"; the letters are {letters}')
        n, called, number = len(word), f"{text[:20]}...", str(len(word))
    else:
        digits = word.lstrip("0")
        if not (digits.isascii() and digits.isdigit()):
            raise InputError(f'"{text}": exactly one number of joints, 1 or more, is needed; use {_FORMS}')
        n, called = int(digits[: len(str(LONGEST)) + 1]), text
        number = digits[:20] + "..." * (len(digits) > 20)
    if n > LONGEST:
        most = f"this machine model is made for; take at most {LONGEST:,}"
        raise InputError(f'"{called}": {number} joints are more than {most}')
    seed, options, seen = 0, dict(_OPTIONS[kind]), set()
    for key, _, value in (word.partition("=") for word in words if "=" in word):
        if key in seen:
            raise InputError(f'"{text}": "{key}" is given twice')
        seen.add(key)
        if key == "seed":
            if not (value.isascii() and value.isdigit() and len(value) < 20 and int(value) <= LARGEST_SEED):
                raise InputError(f'"{text}": the seed is a whole number, 0 to {LARGEST_SEED}, not "{value}"')
            seed = int(value)
        elif key in options:
            low, high, meaning = _RANGES[key]
            try:
                options[key] = float(value)
            except ValueError:
                options[key] = float("nan")
            if not low <= options[key] <= high:
                raise InputError(f'"{text}": {key} is {meaning}, not "{value}"')
        else:
            options_text = ", ".join([*options, "seed"])
            raise InputError(f'"{text}": "{kind}" has no option "{key}"; it has: {options_text}')
    return Words(kind, n, seed, options, word if kind == "joints" else "")

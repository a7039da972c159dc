"""Hard problems, each from its number: odd links, every kind of joint and contact, and a program to solve it.

An arm has up to 64 links. Links that are light, heavy, small or slender, one or several in a row, are at the
tip, in the middle, at the base, everywhere or in a side branch; a payload is a heavy last link off its frame.
A light last link beside usual ones is what a certificate is the most easily wrong about, and one problem in
ten is of that kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.random import Generator

from senn.algorithms import catalogue, problems
from senn.algorithms.problems import contacts
from senn.algorithms.problems.problem import Problem
from senn.algorithms.robots import generators, urdf
from senn.algorithms.robots.chain import Branch, Chain
from senn.algorithms.spatial import rotation_quaternion
from senn.base.errors import InputError

ARMS = ("revolute", "mixed", "rods", "snake", "wide", "branched", "real")
ODD = ("none", "light", "heavy", "small", "slender", "payload", "light tip")
PLACES = ("tip", "middle", "base", "row", "all", "branch")
WORDS = ("weld", "point", "line", "plane", "face", "free")
CONTACTS = (*WORDS, "as drawn", "I", "II", "general", "none")
HELD = {"weld": 7, "point": 3, "face": 3, "line": 2}
"""Degrees of freedom for which a contact is worth trying; one, of all others."""
SIZES = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 17, 24, 32, 33, 48, 64)


@dataclass(frozen=True)
class Hard:
    """A problem and the program that solves it."""

    seed: int
    arm: str
    odd: str
    contact: str
    problem: Problem
    ways: tuple[dict[str, Any], ...]
    """Algorithms with their choices, in the order in which they are to be tried: the first that takes it."""

    @property
    def words(self) -> str:
        """The problem in a few words."""
        return f"{self.arm} n={self.problem.chain.n} {self.odd} {self.contact}"


def drawn(seed: int, arms: Sequence[str] = ARMS) -> Hard | None:
    """A problem from its number, of one of these kinds of arm; None where its parts do not go together."""
    rng = np.random.default_rng([seed, 29])
    arm, n = str(rng.choice(arms)), int(rng.choice(SIZES[:10] if rng.random() < 0.85 else SIZES[10:]))
    if arm == "wide":
        n = min(n, 24)
    odd = "light tip" if rng.random() < 0.1 else str(rng.choice(ODD[:-1]))
    place = str(rng.choice(PLACES))
    try:
        chain = _chain(arm, n, seed, rng)
        kind = _kind(chain, rng)
        chain, where = _with_odd(chain, odd, place, rng)
        problem = _touching(_at_state(chain, seed, rng), kind, rng)
        problem.contact  # noqa: B018  settled once: what the state does not allow is refused
    except InputError:
        return None
    odd = f"{odd} {where}".strip()
    return Hard(seed, arm, odd, kind, problem, tuple(_ways(problem, rng)))


# -------- arms


def _chain(arm: str, n: int, seed: int, rng: Generator) -> Chain:
    if arm == "real":
        names = real_robots()
        return _real(names[int(rng.integers(len(names)))])
    texts = {
        "revolute": f"random:{n}",
        "mixed": f"random:{n}:prismatic=0.3",
        "branched": f"random:{n}:prismatic=0.2",
        "snake": f"snake:{n}",
        "rods": f"rods:{n}:slenderness={rng.choice([1.0, 0.3, 0.1, 0.03, 0.01, 0.003])}",
        "wide": f"joints:{''.join(rng.choice(list(generators.LETTERS), n))}",
    }
    chain = generators.generate(f"{texts[arm]}:seed={seed}")
    if arm != "branched":
        return chain
    branches = []
    for number in range(int(rng.integers(1, 4))):
        size = int(rng.integers(1, 4))
        side = replace(
            generators.generate(f"random:{size}:prismatic=0.4:seed={1000 * seed + number}"),
            base_rotation=rotation_quaternion(rng.standard_normal(4)),
            base_position=rng.uniform(-0.3, 0.3, 3),
        )
        branches.append(Branch(int(rng.integers(1, n + 1)), side))
    return replace(chain, branches=tuple(branches))


def real_robots() -> list[str]:
    """Files of the arms among the robots of example-robot-data."""
    from tests.algorithms.robots.urdf.real_robots import ROBOTS

    return list(ROBOTS)


@cache
def _real(file: str) -> Chain:
    from tests.algorithms.robots.urdf.real_robots import ROBOTS

    return urdf.read(ROBOTS[file].path, ROBOTS[file].part)


def _with_odd(chain: Chain, odd: str, place: str, rng: Generator) -> tuple[Chain, str]:
    """The chain with odd links, and which."""
    if odd == "none":
        return chain, ""
    if place == "branch" and chain.branches and odd not in ("payload", "light tip"):
        at, side = chain.branches[0].at, chain.branches[0].chain
        changed, where = _with_odd(side, odd, "tip", rng)
        return replace(chain, branches=(Branch(at, changed), *chain.branches[1:])), f"{where} of a branch"
    n = chain.n
    if place in ("tip", "branch") or odd in ("payload", "light tip"):
        links = [n - 1]
    elif place == "row":
        first = int(rng.integers(0, n))
        links = list(range(first, min(n, first + int(rng.integers(2, 5)))))
    else:
        links = {"middle": [n // 2], "base": [0], "all": list(range(n))}[place]
    parts = {name: np.array(getattr(chain, name)) for name in ("mass", "inertia", "centre", "position")}
    for link in links:
        _make_odd(parts, link, odd, rng)
    return replace(chain, **parts), f"links {links[0] + 1}..{links[-1] + 1}"


def _make_odd(parts: dict[str, Any], link: int, odd: str, rng: Generator) -> None:
    mass, size = 1.0, 1.0
    match odd:
        case "light" | "light tip":
            mass = 10.0 ** rng.uniform(-6.0, 0.0)
            size = 10.0 ** rng.uniform(-3.0, 0.0)
        case "heavy":
            mass = 10.0 ** rng.uniform(0.0, 6.0)
            size = 10.0 ** rng.uniform(-1.0, 0.0)
        case "small":
            size = 10.0 ** rng.uniform(-3.0, 0.0)
            mass = size**3 if rng.random() < 0.5 else 1.0
        case "payload":
            mass = 10.0 ** rng.uniform(0.0, 6.0)
            parts["centre"][link] = rng.uniform(-0.3, 0.3, 3)
        case "slender":
            axis = rng.standard_normal(3)
            axis /= np.linalg.norm(axis)
            along, width = np.outer(axis, axis), 10.0 ** rng.uniform(-6.0, 0.0)
            across = float(np.trace(parts["inertia"][link])) / 2
            parts["inertia"][link] = across * (np.eye(3) - along + width * along)
    parts["mass"][link] *= mass
    parts["inertia"][link] *= mass * size**2
    parts["centre"][link] *= size
    if rng.random() < 0.5:
        parts["position"][link] *= size


def _at_state(chain: Chain, seed: int, rng: Generator) -> Problem:
    """At the state drawn from the seed, as fast and as heavy as falls out."""
    problem = problems.draw(chain, seed)
    changes: dict[str, Any] = {}
    if (fast := float(rng.choice([0.0, 1.0, 1.0, 10.0]))) != 1.0:
        changes["qd"] = fast * problem.qd
    if rng.random() < 0.2:
        changes["gravity"] = rng.choice([0.0, 9.81]) * rng.standard_normal(3)
    if rng.random() < 0.5:
        changes["tau"] = rng.standard_normal(chain.degrees) * 10.0 ** rng.uniform(-3.0, 1.0)
    return problem.at(**changes, tip_vector=rng.standard_normal(6))


# -------- contacts


def _kind(chain: Chain, rng: Generator) -> str:
    """A kind of contact; seldom one that holds more directions than the arm can move in."""
    fitting = [kind for kind in CONTACTS if HELD.get(kind, 1) <= chain.main.degrees]
    return str(rng.choice(CONTACTS if rng.random() < 0.03 else fitting))


def _touching(problem: Problem, kind: str, rng: Generator) -> Problem:
    if kind == "as drawn":
        return problem
    if kind in WORDS:
        return problem.at(contact=_in_a_word(kind, rng))
    basis = np.linalg.qr(rng.standard_normal((6, 6)))[0]
    held = int(rng.integers(1, min(5, problem.chain.main.degrees) + 1))
    W, H = basis[:, :held], basis[:, held:]
    axes: dict[str, Any] = {
        "fixed_in": rng.choice(["end_effector", "world"]).item(),
        "acceleration": rng.choice(["classical", "spatial"]).item(),
    }
    accelerations = rng.standard_normal(held) if rng.random() < 0.5 else None
    match kind:
        case "I":
            contact = contacts.type_i(W, H, accelerations, rng.standard_normal(6 - held), **axes)
        case "II":
            phi = 0.2 * rng.standard_normal((6 - held, held))
            contact = contacts.type_ii(W, H, phi, rng.standard_normal(6 - held), accelerations, **axes)
        case "general":
            M1, M2 = rng.standard_normal((2, 6, 6))
            if rng.random() < 0.5:
                M1, M2 = np.hstack([0.0 * W, H]), np.hstack([W, 0.0 * H])
            k1, k2 = rng.standard_normal((2, 6))
            contact = contacts.general(M1, k1, M2, k2, **axes)
        case _:
            contact = contacts.none()
    return replace(problem, contact_input=contact)


def _in_a_word(kind: str, rng: Generator) -> dict[str, Any]:
    table: dict[str, Any] = {"kind": kind}
    if kind in ("point", "line", "plane", "face") and rng.random() < 0.5:
        table["position"] = rng.uniform(-0.2, 0.2, 3).tolist()
    if kind in ("line", "plane", "face") and rng.random() < 0.5:
        table["direction" if kind == "line" else "normal"] = rng.standard_normal(3).tolist()
        table["axes"] = rng.choice(["end_effector", "world"]).item()
    return table


# -------- programs

FAVOURITES = (
    "closed-chain",
    "closed-chain",
    "open-chain",
    "star",
    "divide-and-conquer",
    "forward-articulated",
)
VALUES: dict[str, tuple[Any, ...]] = {
    "form": ("paper", "short", "omega"),
    "refine": (0, 0, 1, 2),
    "strategy": (1, 2),
    "elimination": ("oee", "oer"),
    "motion": ("recurrences", "jets", "outward"),
}


def _ways(problem: Problem, rng: Generator) -> Iterator[dict[str, Any]]:
    """Algorithms with their choices: half the time one of the favourites first, then any."""
    names = rng.permutation(list(catalogue.ALGORITHMS)).tolist()
    if rng.random() < 0.5:
        names.insert(0, rng.choice(FAVOURITES).item())
    for name in names[:6]:
        row = catalogue.algorithm(name)
        if problem.chain.branches and not row.branched:
            continue
        choices = {key: pick(rng, key) for key in row.choices if key in VALUES}
        single = rng.random() < 0.05 and not row.whole
        yield {"algorithm": name, **choices, **({"precision": "single"} if single else {})}


def pick(rng: Generator, choice: str) -> Any:
    """One of the values of a choice."""
    return VALUES[choice][int(rng.integers(len(VALUES[choice])))]

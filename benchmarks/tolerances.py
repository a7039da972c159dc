"""How much of the certificate's tolerances random healthy runs use: what its FACTOR is chosen by.

    python benchmarks/tolerances.py                    1,000 runs, some minutes of one processor
    python benchmarks/tolerances.py --runs 100         fewer; --seed says which comes first
    python benchmarks/tolerances.py --robots           the robots of example-robot-data instead
    OPENBLAS_CORETYPE=Haswell python benchmarks/tolerances.py       with the kernels of another processor

Arms of all kinds (compact, snakes, rods, joints of several degrees of freedom, side branches), mostly short,
with contacts of all kinds, solved by every algorithm in every form, in double and in single precision. A unit
is what rounding does to a figure; the tolerance is FACTOR of them. Only runs that rounding cannot spoil are
counted as healthy: elimination that is not refined loses digits on slender arms that the problem has not,
so such runs are listed apart. Ends with status 1 where a healthy run fails. With --robots first every real
robot as it is run by default, and with --form short --elimination oer, and then as many random runs of them.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator

sys.path.insert(0, str(Path(__file__).parent.parent))  # arms with branches are those of the tests

import senn
from senn.algorithms import catalogue, problems
from senn.algorithms.certificate.certificate import SILENT
from senn.algorithms.certificate.certify import FACTOR
from senn.algorithms.problems import contacts
from senn.algorithms.problems.problem import Problem
from senn.algorithms.robots import urdf
from senn.traces.errors import InputError
from tests.algorithms.robots.trees import random_tree

KINDS = ("revolute", "mixed", "snake", "rods", "wide", "branched")
CONTACTS = ("as drawn", "I", "II", "general", "none")
LETTERS = "RPHCUESFX"
REAL = "real"
CLOSED = ("closed-chain", "divide-and-conquer")


@dataclass(frozen=True)
class Drawn:
    """One run to be made."""

    arm: str
    contact: str
    problem: Problem
    arguments: dict[str, Any]

    @property
    def elimination(self) -> str:
        """How stable the program is: what is not refined elimination is as stable as a serial solution."""
        loose = self.arguments["algorithm"] in _ELIMINATING and not self.arguments.get("refine", 0)
        return "elimination" if loose and self.arguments.get("elimination", "oee") == "oee" else "stable"


_ELIMINATING = ("closed-chain", "open-chain", *(f"lambda{x}" for x in ("", "-inverse", "-both", "-times")))


def drawn(seed: int, kinds: tuple[str, ...] = KINDS) -> Drawn | None:
    """A run from its number; None where contact and arm do not go together."""
    rng = np.random.default_rng([seed, 1993])
    n = int(rng.integers(1, 13)) if rng.random() < 0.9 else int(rng.choice([16, 24, 32, 48, 64]))
    kind = str(rng.choice(kinds))
    try:
        problem = _problem(kind, n, seed, rng)
        touched = str(rng.choice(CONTACTS)) if rng.random() < 0.6 else "as drawn"
        problem = _touching(problem, touched, rng)
        name = str(rng.choice(CLOSED if rng.random() < 0.6 else list(catalogue.ALGORITHMS)))
        arguments = _arguments(name, rng)
    except InputError:
        return None
    return Drawn(kind, touched, problem, arguments)


def _problem(kind: str, n: int, seed: int, rng: Generator) -> Problem:
    if kind == "branched":
        sizes = [(int(rng.integers(1, n + 1)), int(rng.integers(1, 3))) for _ in range(2)]
        return problems.draw(random_tree(n, sizes, seed), seed)
    if kind == REAL:
        names = list(real_robots())
        return real_robots()[names[int(rng.integers(len(names)))]](seed)
    texts = {
        "revolute": f"random:{n}",
        "mixed": f"random:{n}:prismatic=0.3",
        "snake": f"snake:{n}",
        "rods": f"rods:{n}:slenderness={rng.choice([1.0, 0.3, 0.1])}",
        "wide": f"joints:{''.join(rng.choice(list(LETTERS), n))}",
    }
    return problems.load(f"{texts[kind]}:seed={seed}")


@cache
def real_robots() -> dict[str, Callable[[int], Problem]]:
    """What draws a problem from a seed, by the file of a robot: the parts that are arms in the tests."""
    from tests.algorithms.robots.urdf.real_robots import ROBOTS

    arms = {file: urdf.read(real.path, real.part) for file, real in ROBOTS.items()}
    return {file: partial(problems.draw, arm) for file, arm in arms.items()}


def of_robots(seed: int) -> int:
    """How much of a tolerance each uses by default and with what loses least; how many fail with that."""
    least = {"form": "short", "elimination": "oer"}
    failed = {"by default": 0, "short, oer": 0}
    print(f"{'robot':68} {'joints':>6} {'by default':>11} {'short, oer':>11}")
    for file, problem in real_robots().items():
        cells = []
        for how, choices in zip(failed, ({}, least), strict=True):
            one = Drawn(REAL, "as drawn", problem(seed), {"algorithm": "closed-chain", **choices})
            certificate = measured(one)
            assert certificate is not None
            failed[how] += not certificate["ok"]
            cells.append(f"{certificate['used']:.1%}{'' if certificate['ok'] else ' !'}")
        print(f"{file:68} {len(one.problem.chain.all_joints):6} {cells[0]:>11} {cells[1]:>11}")
    said = ", ".join(f"{how} {count} fail" for how, count in failed.items())
    print(f"{len(real_robots())} robots, seed {seed}: {said} (!)\n")
    return failed["short, oer"]


def _touching(problem: Problem, kind: str, rng: Generator) -> Problem:
    if kind == "as drawn":
        return problem
    basis = np.linalg.qr(rng.standard_normal((6, 6)))[0]
    most = min(5, problem.chain.main.degrees)
    held = int(rng.integers(1, most + 1))
    W, H = basis[:, :held], basis[:, held:]
    if kind == "none":
        contact = contacts.none()
    elif kind == "I":
        contact = contacts.type_i(W, H, None, rng.standard_normal(6 - held))
    elif kind == "II":
        contact = contacts.type_ii(W, H, 0.2 * rng.standard_normal((6 - held, held)))
    else:
        blank = np.zeros((6, 6))
        M1, M2 = blank.copy(), blank.copy()
        M1[:, held:], M2[:, :held] = H, W
        contact = contacts.general(M1, rng.standard_normal(6), M2, H @ rng.standard_normal(6 - held))
    state = (problem.gravity, problem.q, problem.qd, problem.tau)
    return problems.resolved(problem.chain, *state, contact, qdd=problem.qdd)


def _arguments(name: str, rng: Generator) -> dict[str, Any]:
    row = catalogue.algorithm(name)
    values: dict[str, list[Any]] = {
        "form": ["paper", "short", "omega"],
        "refine": [0, 1],
        "strategy": [1, 2],
        "elimination": ["oee", "oer"],
    }
    found = {choice: rng.choice(values[choice]).item() for choice in row.choices if choice in values}
    precision = "single" if rng.random() < 0.15 and not row.serial else "double"
    return {"algorithm": name, "precision": precision, **found}


def measured(one: Drawn) -> dict[str, Any] | None:
    """The certificate; None for combinations that are refused."""
    try:
        run = senn.run(
            one.problem, engine="lockstep", machine="ideal", residency="home", detail="summary",
            values=False, **one.arguments,
        )  # fmt: skip
    except InputError:
        return None
    assert run.certificate is not None
    return dict(run.certificate)


def main(runs: int, seed: int, verbose: bool, kinds: tuple[str, ...] = KINDS) -> int:
    """Run, and print quantiles by group; the exit status."""
    parts: dict[tuple[str, str], list[float]] = defaultdict(list)
    made = silent = 0
    failed: list[str] = []
    while made < runs:
        one = drawn(seed, kinds)
        seed += 1
        certificate = measured(one) if one else None
        if one is None or certificate is None:
            continue
        made += 1
        if SILENT in certificate["verdicts"].values():
            silent += 1
            continue
        for group, used in _groups(one, certificate):
            parts[group].append(used)
        if not certificate["ok"]:
            failed.append(f"{seed - 1} {one.arm} n={one.problem.chain.n} {one.contact} {one.arguments}")
            failed[-1] += f" {certificate['used']:.0%} {one.elimination}"
        elif verbose and certificate["used"] > 0.1:
            worst = max(certificate["verdicts"], key=lambda x: certificate[x] / certificate["tolerances"][x])
            print(
                f"{seed - 1} {one.arm} n={one.problem.chain.n} {one.contact} {one.arguments} {worst}"
                f" {certificate['used']:.0%}"
            )
    print(f"{made:,} runs; {silent} say nothing; a tolerance is {FACTOR:g} units. Units used:\n")
    print(f"{'by':12} {'of':38} {'runs':>5} {'median':>8} {'90 %':>8} {'99 %':>8} {'most':>8}")
    for (by, name), used in sorted(parts.items()):
        at = FACTOR * np.quantile(used, [0.5, 0.9, 0.99, 1.0])
        print(f"{by:12} {name:38} {len(used):5} " + " ".join(f"{x:8.3f}" for x in at))
    for line in failed:
        print("FAILED", line)
    return 1 if any(line.endswith("stable") for line in failed) else 0


def _groups(one: Drawn, certificate: dict[str, Any]) -> Iterator[tuple[tuple[str, str], float]]:
    used = float(certificate["used"])
    yield ("all", one.elimination), used
    yield ("arm", f"{one.arm}, {one.elimination}"), used
    yield ("algorithm", f"{one.arguments['algorithm']}, {one.elimination}"), used
    yield ("contact", one.contact), used
    yield ("precision", f"{one.arguments['precision']}, {one.elimination}"), used
    for name, tolerance in certificate["tolerances"].items():
        if one.elimination == "stable":
            yield ("figure", name), float(certificate[name]) / tolerance


if __name__ == "__main__":
    warnings.simplefilter("error")
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--runs", type=int, default=1000, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    parser.add_argument("--verbose", action="store_true", help="each run that uses a tenth of a tolerance")
    parser.add_argument("--robots", action="store_true", help="those of example-robot-data")
    arguments = parser.parse_args()
    how = arguments.runs, arguments.seed, arguments.verbose
    if arguments.robots:
        broken = of_robots(arguments.seed)
        sys.exit(main(*how, (REAL,)) or int(broken > 0))
    sys.exit(main(*how))

"""The tables of operational_space.md; a test compares the small sizes with the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

import senn
from experiments.page import Tables, head, law, order, row
from senn.algorithms import problems
from senn.algorithms.blocks import factor, full, layout, substitute
from senn.algorithms.catalogue import ALGORITHMS
from senn.algorithms.family import constraint_force
from senn.algorithms.family.arm import arm_of
from senn.algorithms.family.constraint_force import factored
from senn.algorithms.problems import contact_force, contacts
from senn.algorithms.problems.problem import Problem
from senn.algorithms.programs import operational_space
from senn.algorithms.references import articulated
from senn.algorithms.robots.chain import tip_inverse_inertia
from senn.algorithms.spatial import pack
from senn.machine.engines.memory import executed
from senn.machine.program.dataflow import flow
from tests.oracles import dense, extended

ARMS = ("random", "rods:slenderness=0.1", "rods:slenderness=0.01", "rods:slenderness=0.001")
SIZES = (8, 64, 256)
COUNTED = (8, 64, 1024)
BENT = (1.0, 0.1, 1e-2, 1e-3, 1e-5, 1e-6)
Matrix = NDArray[np.floating]

INVERSES: dict[str, Callable[[Problem], Matrix]] = {
    "J M^-1 J'": lambda what: dense.solve(what).lambda_inverse,
    "articulated bodies": lambda what: articulated.lambda_inverse(what.chain, what.q),
    "serial, A": lambda what: constraint_force.lambda_inverse(arm_of(what)),
    "paper": lambda what: solved(what, "lambda_inverse", "inverse", "paper"),
    "short": lambda what: solved(what, "lambda_inverse", "inverse", "short"),
}
MASSES: dict[str, Callable[[Problem], Matrix]] = {
    "(J M^-1 J')^-1": lambda what: inverted(INVERSES["J M^-1 J'"](what)),
    "articulated^-1": lambda what: inverted(INVERSES["articulated bodies"](what)),
    "short^-1": lambda what: inverted(INVERSES["short"](what)),
    "serial, Y": lambda what: constraint_force.operational_mass(arm_of(what)),
    "serial, A less": lambda what: subtracted(what),
    "paper": lambda what: solved(what, "operational_mass", "mass", "paper"),
    "short": lambda what: solved(what, "operational_mass", "mass", "short"),
}
"""Ways to each matrix; nothing is refused here."""


def solved(what: Problem, answer: str, part: str, form: str) -> Matrix:
    """What a program leaves; numbers depend neither on the machine nor on the residency."""
    program = operational_space.program(what.chain.n, what.chain.joints, what=part, form=form)
    run = senn.solved(program, operational_space.memory(what), "ideal", "home", detail="summary")
    return operational_space.answers(what, run.result)[answer]


def inverted(matrix: Matrix) -> Matrix:
    """The inverse of a symmetric 6x6 matrix by LDL', in the precision that it has."""
    return substitute(factor(pack(matrix)), np.eye(6, dtype=matrix.dtype))


def subtracted(what: Problem) -> Matrix:
    """Lambda from the last pivot of A, less what link N adds to it: S + R_N' (A_N - W'I_N^-1 W)^-1 R_N."""
    arm = arm_of(what)
    last, ldl = arm.links[-1], factored(arm)
    packed = ldl.pivots[-1]
    size = len(layout(last.complement.count))
    lower = np.tril(full(packed), -1) + np.eye(size)
    pivot = lower / np.diag(full(packed)) @ lower.T
    own = full(last.complement.seen(ldl.responses[-1]))
    R = constraint_force.reach(last)
    return full(last.inertia.packed()) + R.T @ np.linalg.solve(pivot - own, R)


def error(found: Matrix, expected: Matrix) -> float:
    """In the 2-norm, relative."""
    return float(np.linalg.norm(found - expected) / np.linalg.norm(expected.astype(np.float64)))


def exact(what: Problem) -> Matrix:
    """Lambda^-1 by articulated bodies in 80-bit arithmetic."""
    return extended.solve(what).lambda_inverse


def accuracy(chosen: Iterable[int], ways: dict[str, Callable[[Problem], Matrix]]) -> Iterator[str]:
    yield from head("arm", "n", *ways)
    for arm in ARMS:
        kind, *options = arm.split(":")
        for n in chosen:
            what = problems.free(problems.load(":".join((kind, str(n), *options))))
            expected = exact(what) if ways is INVERSES else inverted(exact(what))
            cells = (order(error(way(what), expected)) for way in ways.values())
            yield row(f"`{arm}`", n, *cells)


def inverses(chosen: Iterable[int] = SIZES) -> Iterator[str]:
    """Errors of Lambda^-1."""
    return accuracy(chosen, INVERSES)


def masses(chosen: Iterable[int] = SIZES) -> Iterator[str]:
    """Errors of Lambda."""
    return accuracy(chosen, MASSES)


def bent(angle: float) -> Problem:
    """Nine modules, each joint bent by a drawn angle of up to this: straight, the arm is singular."""
    chain, still = problems.load("snake:9").chain, np.zeros(9)
    q = angle * np.random.default_rng(1).uniform(-1.0, 1.0, 9)
    return problems.resolved(chain, problems.EARTH, q, still, still, contacts.none())


def oblique(what: Problem) -> Problem:
    """The same with the axes of the end effector turned, by a rotation drawn once."""
    turn, _ = np.linalg.qr(np.random.default_rng(0).standard_normal((3, 3)))
    turn *= np.sign(np.linalg.det(turn))
    chain = what.chain
    arrays = {name: getattr(chain, name).copy() for name in ("rotation", "position", "centre", "inertia")}
    arrays["rotation"][-1] = arrays["rotation"][-1] @ turn
    for name in ("position", "centre"):
        arrays[name][-1] = turn.T @ arrays[name][-1]
    central = turn.T @ arrays["inertia"][-1] @ turn
    arrays["inertia"][-1] = (central + central.T) / 2
    return replace(what, chain=replace(chain, **arrays))


def singular(angles: Iterable[float] = BENT) -> Iterator[str]:
    """The pivot ratio and the errors of Lambda^-1 and of Lambda towards a singular configuration."""
    yield from head("axes", "bent by", "pivot ratio", "Lambda^-1, short", *MASSES, "verdict")
    for axes, angle in product(("along", "oblique"), angles):
        what = bent(angle) if axes == "along" else oblique(bent(angle))
        ratio = contact_force.pivot_ratio(
            contacts.welded(), INVERSES["articulated bodies"](what), tip_inverse_inertia(what.chain)
        )
        reference = exact(what)
        cells = [error(INVERSES["short"](what), reference)]
        cells += [error(way(what), inverted(reference)) for way in MASSES.values()]
        verdict = "refused" if ratio <= contact_force.SINGULAR else ""
        yield row(axes, f"{angle:g}", f"{ratio:.0e}", *map(order, cells), verdict)


def programs() -> Iterator[str]:
    """Step laws of the programs in M levels, and what they execute over all processes at some n."""
    sizes = (f"operations, n = {n:,}" for n in COUNTED)
    yield from head("algorithm", "form", "instructions", "network steps", *sizes)
    for name, one in ALGORITHMS.items():
        if one.question == "operational space" and not one.serial:
            for form in ("paper", "short") if "form" in one.choices else ("short",):
                counts = (executed(flow(one.program(n, form=form))).flops for n in COUNTED)
                yield row(f"`{name}`", form, *steps(name, form), *(f"{count:,}" for count in counts))


def steps(name: str, form: str) -> tuple[str, str]:
    """Instructions and network steps as a M + b, migrating, n = 2^M."""
    choice = {"form": form} if "form" in ALGORITHMS[name].choices else {}
    table = senn.steps((4, 8, 16, 64), algorithm=name, residency="migrating", **choice)
    levels = table["levels"].to_list()
    return law(levels, table["instructions_1"].to_list()), law(levels, table["network_steps"].to_list())


DATA: Tables = {
    "programs": programs,
    "inverses": inverses,
    "masses": masses,
    "singular": singular,
}

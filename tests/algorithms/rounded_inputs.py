"""How near two right answers can be: what one more rounding of the problem does to the answers.

Nobody knows q, tau or an entry of A better than its floating point, so an answer is not known better than it
moves when they are rounded once more. That movement has the scale and the condition of the problem in it
(an arm of light links pressed against something nearly singular moves ten thousand times as far as a sturdy
one), and it is the same on every processor, whatever the order in which its kernels add up.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from senn.algorithms.problems.problem import Problem
from tests.algorithms.robots.oracle import Oracle
from tests.oracles import constraint_force
from tests.oracles.constraint_force import Blocks

EPS = 2.0**-52
SAMPLES = 8
"""Of one movement; the largest counts. Along the one direction that an ill-conditioned problem has, a
movement is a random number times a constant: eight are all below a third of their spread once in 40,000
times."""
MARGIN = 30.0
"""So many movements may two answers differ by. Each solver rounds not once but at every link, and each link's
share grows with what is outward of it, so that a few of them add up: measured 5 at most, with the kernels of
several processors in BLAS and NumPy. That leaves a factor of six."""
WORST = 1e-9
"""No problem of these tests is so ill-conditioned that a movement is more of its scale."""

NAMES = ("qdd0", "acceleration0", "lambda_inverse", "qdd", "force", "forces")
OF_CONTACT = ("W", "H", "G_C", "K_F")
Answers = Mapping[str, np.ndarray]


def limits(given: Problem, model: Oracle, solver: str) -> dict[str, float]:
    """By how much each of `answers` may differ, in its largest entry; of Section V also by what rounding A
    does, because it takes accelerations as differences of what links would do alone."""
    found = answers(given, model)
    allowed = _moved(lambda rng: answers(rounded(given, rng), model), found)
    if solver == "constraint_force":
        own = _moved(lambda rng: _of_blocks(given, rng), _of_blocks(given, None))
        allowed = {name: max(moved, own[name]) for name, moved in allowed.items()}
    return _limits(allowed, found)


def limit_of_section_v(given: Problem, name: str) -> float:
    """The same for one answer, or the interbody forces, where Section V's is much the worst of those
    compared."""
    found = _of_blocks(given, None)
    moved = {name: _moved(lambda rng: _of_blocks(given, rng), found)[name]}
    return _limits(moved, found)[name]


def _limits(allowed: Mapping[str, float], found: Answers) -> dict[str, float]:
    scales = scales_of(found)
    for name, moved in allowed.items():
        assert moved <= WORST * scales[name], name
    return {name: MARGIN * max(moved, EPS * scales[name]) for name, moved in allowed.items()}


def answers(given: Problem, model: Oracle) -> dict[str, np.ndarray]:
    """Pinocchio's: qdd_0 by ABA, Vdot_0 from it, Lambda^-1 from M and J, the contact by its own solver."""
    q, qd, tau = given.q, given.qd, given.tau
    qdd0, J = model.forward_dynamics(q, qd, tau), model.jacobian(q)
    qdd, force = model.constrained(q, qd, tau, given.contact)
    return {
        "qdd0": qdd0,
        "acceleration0": model.acceleration(q, qd, qdd0),
        "lambda_inverse": J @ np.linalg.solve(model.mass_matrix(q), J.T),
        "qdd": qdd,
        "force": force,
    }


def scales_of(found: Answers) -> dict[str, float]:
    """Largest entries; of qdd the larger of qdd and qdd_0: a contact may stop the arm, and what is left is
    then the rounding of both."""
    scales = {name: float(np.abs(value).max()) or 1.0 for name, value in found.items()}
    return scales | {"qdd": max(scales["qdd"], scales["qdd0"])}


def rounded(given: Problem, rng: Generator) -> Problem:
    """The same with q, qd, tau and the contact rounded once more; q, which turns frames, by up to eps of a
    radian or metre."""
    wide = np.maximum(1.0, np.abs(given.q))
    return replace(
        given,
        q=given.q + EPS * wide * rng.uniform(-1.0, 1.0, wide.shape),
        qd=_anew(given.qd, rng),
        tau=_anew(given.tau, rng),
        contact_input=replace(
            given.contact, **{name: _anew(getattr(given.contact, name), rng) for name in OF_CONTACT}
        ),
    )


def _of_blocks(given: Problem, rng: Generator | None) -> dict[str, np.ndarray]:
    """Section V's answers, with every entry of what it starts from rounded once more."""
    blocks = constraint_force.assemble(given.chain, given.q)
    found = constraint_force.solve(given, blocks if rng is None else _rounded_blocks(blocks, rng))
    return {name: getattr(found, name) for name in NAMES}


def _rounded_blocks(blocks: Blocks, rng: Generator) -> Blocks:
    symmetric = ("inverse_inertia", "A", "D")
    kept = {name: _alike(_anew(getattr(blocks, name), rng)) for name in symmetric}
    return replace(blocks, **kept, **{name: _anew(getattr(blocks, name), rng) for name in ("B", "E", "tip")})


def _anew(x: np.ndarray, rng: Generator) -> np.ndarray:
    return np.asarray(x * (1.0 + EPS * rng.uniform(-1.0, 1.0, x.shape)))


def _alike(x: np.ndarray) -> np.ndarray:
    """Symmetric, as its lower triangle is."""
    return np.tril(x) + np.swapaxes(np.tril(x, -1), -1, -2)


def _moved(draw: Callable[[Generator], Answers], found: Answers) -> dict[str, float]:
    rng = np.random.default_rng(0)
    drawn = [draw(rng) for _ in range(SAMPLES)]
    return {name: max(float(np.abs(one[name] - x).max()) for one in drawn) for name, x in found.items()}

"""The effect of rounding on the answers: Section V, with every number it starts from rounded once more.

Each entry of A, B, E, of the inverse inertias and of D (Fijany Eqs. (69), (73)-(80), (83)), and before these
of the inertias of side branches and the links that they hang on, is changed by up to eps times the most that
its diagonal allows; each joint's torque by up to eps times the wrench that b is a component of. Numbers
stored in this precision are not known better. No solution of the constraint forces in this precision can be
expected to avoid the movements of the answers that follow. A fault that program and solver share is in both
solutions, and widens nothing.

The changes are GAIN times as large as rounding, and the movements are divided by GAIN. They are then those of
the equations, to some digits equal on every processor, and do not depend on the order of additions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from senn.algorithms.answers import ANSWERS, Answer
from senn.algorithms.certificate import standard as measures
from senn.algorithms.certificate.standard import Measured, Standard, norm, relative
from senn.algorithms.problems.contacts import none
from senn.algorithms.problems.problem import Problem, Solution
from senn.algorithms.references import articulated, constraint_force
from senn.algorithms.references.constraint_force import Blocks, Factor
from senn.algorithms.robots import newton_euler
from senn.algorithms.spatial import Numbers
from senn.traces.errors import InputError

GAIN = 64.0
_SAMPLES = 8
# From so many links on fewer, which is a matter of time.
_LONG, _SAMPLES_OF_LONG = 2048, 3
# What is changed is changed so little that answers move in proportion: by at most this part of A's smallest
# eigenvalue.
_LINEAR = 1e-3
# No joint's unit is below this part of what is usual for all joints. Its samples are few, and may be small by
# chance; and block elimination is stable in the norm of all joints, not in each: a joint that hardly feels
# these changes is given a part of what the elimination rounds elsewhere.
_OF_USUAL = 0.3
_APART = ("tau", "mass_matrix", "inverse_mass_matrix")
"""Answers that no solution of the closed chain moves."""


@dataclass(frozen=True, eq=False)
class Sampled:
    """Movements of the answers of the perturbed solver."""

    units: Measured  # How far rounding moves each entry of the errors and residuals
    references: Measured  # How far the solver is from the standard, unperturbed


def sampled(
    problem: Problem,
    names: Sequence[str],
    standard: Standard,
    eps: float,
    kappa: float = 1.0,
    *,
    recurrences: bool = False,
    separate: bool = False,
    recursive: bool = False,
    cursory: bool = False,
) -> Sampled:
    """For the answers of these names; `recurrences`: by a way of `constraint_force.solve`; `separate`: with a
    factorisation of its own for every other row, each of which rounds A anew; `recursive`: by articulated
    bodies, of rounded links, in place of constraint forces; `cursory`: of a long arm by one sample.

    Infinite units where no block LDL' of a rounded matrix is left.
    """
    gain = 1.0
    while gain < GAIN and (recursive or 2.0 * gain * eps * kappa <= _LINEAR):
        gain *= 2.0
    units, references = Measured(), Measured()
    solved_names = [name for name in names if name not in _APART]
    try:
        if solved_names:
            solver = _Links(problem) if recursive else _Solver(problem, recurrences, separate)
            start = standard.reference if recursive else solver.solve()
            unperturbed = _answers(problem, start, solved_names)
            if not recursive:
                references |= measures.apart(unperturbed, standard.right, standard)
            for rng in _draws(problem, cursory):
                again = _answers(problem, solver.rounded(gain * eps, rng), solved_names)
                _raise(units, measures.moved(problem, again, unperturbed, standard), gain)
        if _INVERSE in names:
            for rng in _draws(problem, cursory):
                units_of_one, off = _inverse_mass_moved(
                    problem, gain * eps, rng, standard, recursive, separate
                )
                _raise(units, units_of_one, gain)
                _raise(references, {} if recursive else off)
    except (InputError, np.linalg.LinAlgError):
        units, references = defaultdict(lambda: np.array([np.inf])), Measured()
    for name in {row.joint_error for row in ANSWERS.values() if row.by_joint} & units.keys():
        units[name] = np.maximum(units[name], _OF_USUAL * norm(units[name]) / np.sqrt(len(units[name])))
    # What no matrix A has a part in: products of n rotations, sums over n links, and the wrench that a torque
    # is a component of.
    growth = eps * np.sqrt(problem.chain.n)
    for name in {ANSWERS["forces"].error, ANSWERS["forces"].joint_error} & units.keys():
        units[name] = np.maximum(units[name], growth)
    for name in ("mass_matrix", "tau"):
        if name in names:
            units |= _of_sums(problem, ANSWERS[name], growth, standard)
    return Sampled(units, references)


def _draws(problem: Problem, cursory: bool) -> Iterator[Generator]:
    """A generator for each sample; equal samples are rounded alike."""
    of_long = 1 if cursory else _SAMPLES_OF_LONG
    for sample in range(_SAMPLES if problem.chain.n < _LONG else of_long):
        yield np.random.default_rng([sample, 3])


def _raise(most: Measured, found: Measured, gain: float = 1.0) -> None:
    """Raise the entries of `most` to those of `found`, over the gain, where these are larger."""
    for name, entries in found.items():
        most[name] = np.maximum(most.get(name, 0.0), entries / gain)  # NaN if one is


def _answers(problem: Problem, solution: Solution, names: Sequence[str]) -> Mapping[str, Numbers]:
    return {name: ANSWERS[name].reference(problem, solution) for name in names}


def _of_sums(problem: Problem, answer: Answer, growth: float, standard: Standard) -> Measured:
    scale, ratio, ratios = standard.scales[answer.name], 1.0, np.ones(1)
    assert scale.each is not None
    if answer.name == "tau":
        state = problem.chain, problem.q, problem.qd, problem.qdd, problem.gravity
        wrenches = newton_euler.dynamics(*state).wrenches
        ratio = float(np.fmax(1.0, relative(norm(wrenches), scale.whole)))
        each = measures.carried(problem.chain, standard.right[answer.name], wrenches)
        ratios = np.fmax(1.0, relative(each, scale.each))
    return {
        answer.error: growth * np.array([ratio]),
        answer.joint_error: growth * ratios * np.ones(len(scale.each)),
    }


_INVERSE = "inverse_mass_matrix"


def _inverse_mass_moved(
    problem: Problem, eps: float, rng: Generator, standard: Standard, recursive: bool, separate: bool
) -> tuple[Measured, Measured]:
    """Effect of rounding on M^-1, from its effect on M^-1 x for a random x of variance 1: the expected
    square of a row's product is the square of the row's norm. And how far that is from what is right."""
    chain, answer, scale = problem.chain, ANSWERS[_INVERSE], standard.scales[_INVERSE]
    push = rng.standard_normal(chain.degrees)
    at_rest = replace(
        problem, gravity=np.zeros(3), qd=np.zeros(chain.degrees), tau=push, contact_input=none()
    )
    solver = _Links(at_rest) if recursive else _Solver(at_rest, separate=separate)
    before = solver.solve().qdd0
    each = scale.each
    assert each is not None

    def measured(off: Numbers) -> Measured:
        return {
            answer.error: relative(norm(off), np.array([scale.whole])),
            answer.joint_error: relative(measures.rows(off), each),
        }

    again = solver.rounded(eps, rng).qdd0
    return measured(again - before), measured(before - standard.right[_INVERSE] @ push)


class _Solver:
    """Constraint forces, one problem many times."""

    def __init__(self, problem: Problem, recurrences: bool = False, separate: bool = False) -> None:
        self.problem, self.recurrences = replace(problem, contact_input=problem.contact), recurrences
        self.factorisations = 2 if separate else 1
        self.blocks = constraint_force.assemble(problem.chain, problem.q)
        state = problem.chain, problem.q, problem.qd, problem.gravity
        self.start = newton_euler.unaccelerated(*state)
        self.effort = measures.carried(problem.chain, problem.tau, self.start.wrenches)

    def solve(self) -> Solution:
        """`InputError` where a block of A is not positive definite."""
        return self._solution(self.problem, self.blocks, [constraint_force.factor(self.blocks)])

    def rounded(self, eps: float, rng: Generator) -> Solution:
        """The solution with every number rounded once more."""
        blocks = self.blocks
        if self.problem.chain.branches:  # whose inertias are eliminated and inverted before there is an A
            blocks = constraint_force.assemble(
                self.problem.chain, self.problem.q, lambda inertia: _entries(inertia, eps, rng)
            )
        rounded = _rounded(blocks, eps, rng)
        factors = [constraint_force.factor(rounded)]
        rounded = replace(rounded, A=blocks.A, B=blocks.B)  # which are factored, and take much memory
        for _ in range(1, self.factorisations):
            factors.append(constraint_force.factor(_rounded(blocks, eps, rng)))
        moved = eps * rng.uniform(-1.0, 1.0, len(self.effort)) * self.effort
        return self._solution(replace(self.problem, tau=self.problem.tau + moved), rounded, factors)

    def _solution(self, problem: Problem, blocks: Blocks, factors: Sequence[Factor]) -> Solution:
        return constraint_force.solve(
            problem, blocks, factors, start=self.start, recurrences=self.recurrences
        )


class _Links:
    """Articulated bodies, one problem many times: what the problem itself makes of rounded numbers."""

    def __init__(self, problem: Problem) -> None:
        start = newton_euler.unaccelerated(problem.chain, problem.q, problem.qd, problem.gravity)
        self.problem, self.effort = problem, measures.carried(problem.chain, problem.tau, start.wrenches)

    def solve(self) -> Solution:
        """Articulated bodies' own."""
        return articulated.solve(self.problem)

    def rounded(self, eps: float, rng: Generator) -> Solution:
        """The solution with masses, inertias, lengths and torques rounded once more.

        q, which turns frames, is moved by up to eps of a radian or metre.
        """
        chain, q = self.problem.chain, self.problem.q

        def anew(x: Numbers) -> Numbers:
            return np.asarray(x * (1.0 + eps * rng.uniform(-1.0, 1.0, x.shape)))

        changed = replace(
            chain,
            mass=anew(chain.mass),
            inertia=chain.inertia * anew(np.ones((chain.n, 1, 1))),
            centre=anew(chain.centre),
            position=anew(chain.position),
        )
        tau = self.problem.tau + eps * rng.uniform(-1.0, 1.0, len(self.effort)) * self.effort
        turned = q + eps * rng.uniform(-1.0, 1.0, len(q)) * np.maximum(1.0, np.abs(q))
        return articulated.solve(replace(self.problem, chain=changed, q=turned, tau=tau))


def _rounded(blocks: Blocks, eps: float, rng: Generator) -> Blocks:
    """Entry by entry; what is symmetric stays so. No entry of a positive definite matrix is larger than the
    geometric mean of the diagonal's in its row and column: in this measure solvers round."""

    def anew(x: Numbers, row: Numbers, column: Numbers, *, symmetric: bool = False) -> Numbers:
        part = rng.uniform(-1.0, 1.0, x.shape)
        if symmetric:
            part = np.tril(part) + np.swapaxes(np.tril(part, -1), -1, -2)
        return np.asarray(x + eps * part * row[..., :, None] * column[..., None, :] * (x != 0.0))

    A, inertia, tip = _root(blocks.A), _root(blocks.inverse_inertia), _root(blocks.D)
    return replace(
        blocks,
        inverse_inertia=anew(blocks.inverse_inertia, inertia, inertia, symmetric=True),
        A=anew(blocks.A, A, A, symmetric=True),
        B=anew(blocks.B, A[:-1], A[1:]),
        E=anew(blocks.E, A[-1], tip),
        tip=anew(blocks.tip, inertia[-1], tip),
        D=anew(blocks.D, tip, tip, symmetric=True),
    )


def _entries(matrix: Numbers, eps: float, rng: Generator) -> Numbers:
    """A symmetric positive definite matrix rounded once more in that measure."""
    part, size = rng.uniform(-1.0, 1.0, matrix.shape), _root(matrix)
    part = np.tril(part) + np.tril(part, -1).T
    return np.asarray(matrix + eps * part * size[:, None] * size)


def _root(x: Numbers) -> Numbers:
    """Square roots of the diagonals."""
    return np.asarray(np.sqrt(np.einsum("...kk->...k", x)))

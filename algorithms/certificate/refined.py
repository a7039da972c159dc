"""The refined solution: right answers of a problem, to more digits than a program in double precision has.

A serial O(n) solver (articulated bodies) computes corrections from the defect of the equations of motion,
again and again, until they no longer shrink. Each correction multiplies the error by about the error of the
serial solver, so two or three are enough; the limit depends on the equations alone, not on the solver. Joint
accelerations and the unknowns of the contact are corrected together: a light last link, whose free motion is
very large, then costs no digits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from senn.algorithms.certificate.certificate import CANCELLED, ROUNDED
from senn.algorithms.certificate.pinocchio import Pinocchio
from senn.algorithms.certificate.plain_sums import WIDE, Array, Sums
from senn.algorithms.problems.contact_force import check_regular, lightness, pivot_ratio
from senn.algorithms.problems.contacts import Equations
from senn.algorithms.problems.problem import Problem
from senn.algorithms.references import articulated

_ENOUGH, _EPS = 1e-17, float(np.finfo(WIDE).eps)
_MORE = _EPS / float(np.finfo(np.float64).eps)  # how much finer the equations are evaluated
_STEPS = 20
_COLUMNS = 64  # of M and M^-1 that are computed at once


@dataclass(frozen=True)
class Terms:
    """Sizes that an answer would have if the terms of torques did not cancel in it."""

    response: float  # To these terms, with the contact as it is
    together: float = 0.0
    """If all joints moved in proportion to the terms; there is this too where a contact holds every joint."""

    def cancelled(self, size: float) -> float:
        """The terms beside which an answer of this size nearly vanishes; 0 if it does not."""
        response = self.response if size < CANCELLED * self.response else 0.0
        return max(response, self.together if size < ROUNDED * self.together else 0.0)

    def scale(self, size: float) -> float:
        """Size that errors of an answer of this size are measured over."""
        return max(size, CANCELLED * self.cancelled(size))


class Refined:
    """Right values of the answers to a problem under some equations of motion.

    `effort` (degrees,) is the size of the terms that torques are sums of. InputError for a singular contact.
    """

    def __init__(self, problem: Problem, model: Sums | Pinocchio, effort: Array) -> None:
        self.problem, self.model, self.touch = problem, model, problem.contact.equations(WIDE)
        self._arm, self._degrees = articulated.factor(problem.chain, problem.q), problem.chain.degrees
        self.doubt = 0.0  # The largest correction that was left to make, relative to what it corrects
        units = np.zeros((6, self._degrees))
        self._responses = self._free(units, -np.eye(6))  # rows of M^-1 J'
        self.lambda_inverse = model.acceleration(self._responses)
        inverse, chain = self.lambda_inverse.astype(np.float64), problem.chain
        self.rho = pivot_ratio(problem.contact, inverse, articulated.tip_inverse_inertia(chain, problem.q))
        check_regular(self.rho, problem.drawn, problem.contact.called, lightness(chain))
        self.terms = self._terms(effort)
        drive, terms = problem.tau - model.bias, [self.terms["qdd"], self.terms["omega"]]
        self.qdd, self.omega = self._closed(self.touch, drive, model.drift, terms)
        self.force = self.touch.press @ self.omega + self.touch.load

    def _terms(self, effort: Array) -> dict[str, Terms]:
        """Terms of answers, by name, from those of the torques."""
        rigid = self.model.torque(effort, np.zeros(6))
        together = relative(float(effort @ rigid), norm(rigid) ** 2) * norm(effort)
        qdd, omega = self._closed_response(self.touch, [effort, np.zeros(len(self.touch.prescribed))])
        qdd0, tip = articulated.respond(self._arm, effort.astype(np.float64)[:, None], np.zeros((6, 1)))
        return {
            "qdd": Terms(norm(qdd), together),
            "omega": Terms(norm(omega)),
            "force": Terms(norm(self.touch.press @ omega)),
            "qdd0": Terms(norm(qdd0), together),
            "acceleration0": Terms(norm(tip)),
        }

    @cached_property
    def qdd0(self) -> Array:
        """Joint accelerations with the tip free."""
        drive = self.problem.tau - self.model.bias
        return np.asarray(self._free(drive[None], np.zeros((1, 6)), [self.terms["qdd0"]])[0])

    @property
    def acceleration0(self) -> Array:
        """(6,) of the end effector then."""
        return np.asarray(self.model.acceleration(self.qdd0) + self.model.drift)

    @cached_property
    def operational_mass(self) -> Array:
        """Lambda (6, 6), each column the force that gives the tip a unit acceleration: inverting Lambda^-1
        loses digits to a light last link."""
        still = np.zeros(self._degrees, WIDE)
        one, none = np.eye(6, dtype=WIDE), np.zeros((6, 6), WIDE)
        welds = (Equations(one, none, unit, -one, none[0]) for unit in one)
        return np.stack([self._closed(weld, still, np.zeros(6), [])[1] for weld in welds], axis=1)

    @property
    def tip_acceleration(self) -> Array:
        """Lambda^-1 x (6,), of the problem's tip_vector."""
        return np.asarray(self.lambda_inverse @ self.problem.tip_vector)

    @property
    def tip_wrench(self) -> Array:
        """Lambda x (6,), of the problem's tip_vector."""
        return np.asarray(self.operational_mass @ self.problem.tip_vector)

    @property
    def tau(self) -> Array:
        """Torques (degrees,) of the problem's qdd."""
        return np.asarray(self.model.torque(self.problem.qdd, np.zeros(6)) + self.model.bias)

    @property
    def mass_matrix(self) -> Array:
        """M (degrees, degrees)."""
        return self._by_columns(lambda units: self.model.torque(units, np.zeros((len(units), 6))))

    @property
    def inverse_mass_matrix(self) -> Array:
        """M^-1 (degrees, degrees)."""
        return self._by_columns(lambda units: self._free(units, np.zeros((len(units), 6))))

    def _by_columns(self, of: Callable[[Array], Array]) -> Array:
        units = np.eye(self._degrees)
        parts = range(0, self._degrees, _COLUMNS)
        return np.concatenate([of(units[first : first + _COLUMNS]) for first in parts]).T

    def _closed(self, touch: Equations, drive: Array, drift: Array, terms: Sequence[Terms]) -> list[Array]:
        """qdd (degrees,) and the unknowns Omega (c,) of a contact, under torques (degrees,)."""
        model = self.model

        def missing(x: list[Array]) -> list[Array]:
            qdd, omega = x
            moved = model.acceleration(qdd) + drift
            torque = drive - model.torque(qdd, touch.press @ omega + touch.load)
            return [torque, touch.prescribed - touch.along @ moved + touch.move @ omega]

        start = [np.zeros(self._degrees, WIDE), np.zeros(len(touch.prescribed), WIDE)]
        return self._corrected(start, missing, lambda lacking: self._closed_response(touch, lacking), terms)

    def _closed_response(self, touch: Equations, missing: list[Array]) -> list[Array]:
        """qdd and Omega, in double, for torques (degrees,) and for what the contact's equations lack (c,)."""
        torque, contact, *wide = (
            x.astype(np.float64) for x in (*missing, self._responses, self.lambda_inverse, *touch)
        )
        responses, inverse, along, move, _, press, _ = wide
        qdd, tip = articulated.respond(self._arm, torque[:, None], np.zeros((6, 1)))
        omega = np.linalg.solve(along @ inverse @ press + move, along @ tip[:, 0] - contact)
        return [qdd[:, 0] - (press @ omega) @ responses, omega]

    def _free(self, torque: Array, force: Array, terms: Sequence[Terms] = ()) -> Array:
        """M^-1 (torque - J'force), cases (c, degrees)."""

        def respond(missing: list[Array]) -> list[Array]:
            rows = missing[0].astype(np.float64)
            return [articulated.respond(self._arm, rows.T, np.zeros((6, len(rows))))[0].T]

        start = [np.zeros(torque.shape, WIDE)]
        return self._corrected(start, lambda x: [torque - self.model.torque(x[0], force)], respond, terms)[0]

    def _corrected(
        self,
        x: list[Array],
        missing: Callable[[list[Array]], list[Array]],
        respond: Callable[[list[Array]], list[Array]],
        terms: Sequence[Terms] = (),
    ) -> list[Array]:
        """x with corrections until they no longer shrink, or the next one would be below any digit.

        Where the right value vanishes, the first correction takes away what the start has too much, and is no
        smaller than that: corrections may fail to shrink once. Terms that cancel are rounded alike each time;
        no correction shows that, and it is added to the doubt.
        """
        terms = terms or [Terms(0.0)] * len(x)
        last, left, stalled = np.inf, 1.0, 0
        for _ in range(_STEPS):
            change = respond(missing(x))
            after = [a + b for a, b in zip(x, change, strict=True)]
            scales = [of_part.scale(norm(part)) for part, of_part in zip(after, terms, strict=True)]
            size = float(np.max([*map(relative, map(norm, change), scales)]))
            shrinks = size < last / 2
            rate = size / last if shrinks and np.isfinite(last) else 1.0
            left = rate * max(size, _MORE) if shrinks and size > _EPS else size
            x, last, stalled = after, size, 0 if shrinks else stalled + 1
            if left < _ENOUGH or stalled == 2:
                break
        rounded = (
            relative(_EPS * of_part.response, scale) for of_part, scale in zip(terms, scales, strict=True)
        )
        self.doubt = float(np.max([self.doubt, left, *rounded]))
        return x


def norm(array: Array) -> float:
    """The 2-norm, or Frobenius norm, without overflow or underflow; NaN if an entry is."""
    return float(norms(array[None])[0])


def norms(rows: Array) -> Array:
    """The norm of each row (k, ...), as `norm`."""
    flat = np.abs(rows).reshape(len(rows), -1)
    largest = flat.max(axis=1, initial=0.0)
    usable = np.where(np.isfinite(largest) & (largest > 0.0), largest, 1.0)
    return np.asarray(usable * np.sqrt(((flat / usable[:, None]) ** 2).sum(axis=1)), dtype=np.float64)


def relative(difference: float, scale: float) -> float:
    """A difference over its scale; over zero, 0 where nothing differs and 1 elsewhere."""
    if not np.isfinite(scale):
        return np.nan
    if scale > 0.0:
        return difference / scale
    return 0.0 if difference == 0.0 else (1.0 if difference > 0.0 else np.nan)

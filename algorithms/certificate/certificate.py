"""The certificate: the error of every answer of a run, in digits, and a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import floor, log10
from typing import Any

import numpy as np

from senn.algorithms import answers
from senn.algorithms.spatial import Numbers

DOUBLE, SINGLE = 6, 3
"""Default required digits of answers in double and in single precision."""
MOST = 16
CANCELLED, ROUNDED = 1e-6, 1e-15
"""An answer nearly vanishes if it is smaller than CANCELLED of its response to the terms that cancel in it:
the data themselves do not determine the digits that are left. An arm that a contact holds in every joint has
no such response; its accelerations vanish below one rounding, ROUNDED, of what the terms would do to it."""


def digits(error: float) -> int:
    """Right digits of an answer with this relative error: 4e-13 leaves 12; 0 if the error is no number."""
    if not error < 1.0:
        return 0
    return MOST if error < 10.0**-MOST else min(MOST, floor(-log10(error)))


@dataclass(frozen=True)
class Certificate:
    """Errors of answers, relative to the refined solution, and residuals of the equations of motion.

    An answer that the algorithm does not promise has no figure.
    """

    figures: Mapping[str, float]
    """By the names of `senn.algorithms.answers.figures`: distances to the refined solution, relative to it;
    and residuals, each relative to the sum of the sizes of its own terms."""
    required: int  # Digits that every figure must have
    places: Mapping[str, int] = field(default_factory=dict)
    """Of the figures that are of the worst joint: which, from 1."""
    vanishing: Mapping[str, float] = field(default_factory=dict)
    """Of answers smaller than CANCELLED of the terms that cancel in them: errors relative to these terms.
    Such an answer may be rounding alone, and is excused where this has enough digits more."""
    rho: float = 1.0  # Pivot ratio of the contact (`contact_force.pivot_ratio`)
    doubt: float = 0.0  # What the refined solution itself may be off by, relative to it
    against: str = "the refined solution"
    notes: tuple[str, ...] = ()  # Warnings for the summary, one sentence each
    singular: bool = False  # Whether the contact is nearly singular
    way_out: str = ""  # What to do if it fails, a sentence
    joints: Mapping[str, Numbers] = field(default_factory=dict, compare=False, repr=False)
    """Errors of answers by joint, a number for each row of the answer; where an answer nearly vanishes,
    relative to CANCELLED of the terms that cancel in it, if that is smaller."""
    besides: tuple[Certificate, ...] = ()
    """The same answers held against the equations of motion of another library."""

    @property
    def digits(self) -> int:
        """Right digits of the worst figure that is not excused."""
        of_all = self.digits_of
        least = self.required if of_all else 0
        return min((count for name, count in of_all.items() if name not in self.excused), default=least)

    @property
    def digits_of(self) -> dict[str, int]:
        """Right digits of every figure, by name."""
        return {name: digits(value) for name, value in self.figures.items()}

    @property
    def excused(self) -> tuple[str, ...]:
        """Figures of answers that vanish to within the digits required of the terms that cancel."""
        enough = (name for name, part in self.vanishing.items() if digits(part / CANCELLED) >= self.required)
        return tuple(name for name in enough if digits(self.figures[name]) < self.required)

    @property
    def known(self) -> bool:
        """Whether the refined solution has converged to the required digits."""
        return digits(self.doubt) > self.required

    @property
    def agrees(self) -> bool:
        """Whether every figure has the required digits."""
        return bool(self.figures) and self.known and self.digits >= self.required

    @property
    def ok(self) -> bool:
        """Whether the answers have these digits, also beside the other library."""
        return self.agrees and all(other.agrees for other in self.besides)

    @property
    def error(self) -> float:
        """The largest error of a whole answer."""
        apart = {*answers.RESIDUALS, *self.places, *self.excused}
        return _largest(value for name, value in self.figures.items() if name not in apart)

    @property
    def worst_residual(self) -> float:
        """The largest of the residuals; 0 where there is none."""
        return _largest(value for name, value in self.figures.items() if name in answers.RESIDUALS)

    @property
    def message(self) -> str:
        """The outcome for people: digits; if the certificate fails, the worst figure and a way out."""
        if self.ok:
            but = ", but for what vanishes beside its terms" if self.excused else ""
            return f"agrees with {self.against}: {self.digits} digits or more{but}, {self.required} required"
        if self.agrees:
            return "; ".join(other.message for other in self.besides if not other.agrees)
        if not self.known:
            head = (
                "certificate failed: the problem is singular to working precision, and no solution is known "
                f"to {self.required} digits (corrections stop at {self.doubt:.0e})"
            )
            return f"{head}. {self.way_out}".removesuffix(". ")
        of_all = self.digits_of
        few = [name for name in of_all if name not in self.excused and of_all[name] < self.required]
        worst = max(few, key=lambda name: np.nan_to_num(self.figures[name], nan=np.inf))
        place = f" {self.places[worst]}" if worst in self.places else ""
        phrase = f"{answers.figure(worst).phrase}{place}, {self.figures[worst]:.1e}"
        head = (
            f"certificate failed: {len(few)} of {len(self.figures)} figures have fewer than "
            f"{self.required} digits, worst: {phrase}"
        )
        return ". ".join(filter(None, (head, self.way_out)))

    def as_dict(self) -> dict[str, Any]:
        """Plain values for files: figures by name, and what follows from them."""
        of_solution = ("required", "rho", "doubt", "against")
        of_answers = ("digits", "digits_of", "error", "worst_residual", "ok", "message")
        return {
            **self.figures,
            **{name: getattr(self, name) for name in (*of_solution, *of_answers)},
            "places": dict(self.places),
            "vanishing": {name: self.vanishing[name] for name in self.excused},
            "notes": list(self.notes),
            "besides": [other.as_dict() for other in self.besides],
        }


def _largest(values: Any) -> float:
    return float(np.max(list(values), initial=0.0))  # NaN if any is NaN, unlike max()

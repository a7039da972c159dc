"""The certificate: errors and residuals of a run, their tolerances, and a verdict on each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from senn.algorithms import answers
from senn.algorithms.answers import ANSWERS, RESIDUALS


@dataclass(frozen=True)
class Certificate:
    """How far answers agree with independent serial solvers, and satisfy the equations of motion.

    What an algorithm does not answer is not compared: it has no figure.
    """

    kappa: float
    """Condition number of A scaled to unit diagonal (`constraint_force.condition`); infinite where A has no
    factors in double precision."""
    rho: float  # Pivot ratio of the contact (`contact.pivot_ratio`)
    eps: float  # Of the floating point of the answers
    tolerances: Mapping[str, float]  # Of every figure there is, by its name
    figures: Mapping[str, float]
    """The errors and residuals there are, by name (`senn.algorithms.answers.figures`), each
    over a scale of its own."""
    places: Mapping[str, int]  # Of the figures that are of the worst joint: which, from 1
    notes: tuple[str, ...] = ()  # Warnings for the summary, one sentence each
    reason: str = ""  # Why it fails: a sentence, where there is one
    singular: bool = False  # Whether the reason is a nearly singular contact
    way_out: str = "Try --elimination oer or --form short"  # What to do if it fails
    besides: tuple[Comparison, ...] = ()
    """The same answers against references that share no code with the program."""

    @property
    def verdicts(self) -> dict[str, str]:
        """WITHIN, OUTSIDE or SILENT, figure by figure."""
        return {name: verdict(value, self.tolerances[name]) for name, value in self.figures.items()}

    @property
    def agrees(self) -> bool:
        """Whether every figure is within its tolerance, and says something."""
        return set(self.verdicts.values()) <= {WITHIN}

    @property
    def ok(self) -> bool:
        """Whether every figure is within its tolerance, also against the other references."""
        return self.agrees and all(comparison.ok for comparison in self.besides)

    @property
    def error(self) -> float:
        """The largest of the errors of whole answers."""
        apart = {*answers.RESIDUALS, *answers.REFERENCES, *self.places}
        return _largest(*(value for name, value in self.figures.items() if name not in apart))

    @property
    def worst_residual(self) -> float:
        """The largest of the residuals; 0 where there is none."""
        return _largest(0.0, *(value for name, value in self.figures.items() if name in answers.RESIDUALS))

    @property
    def against(self) -> str:
        """Names of the references that the answers are compared with."""
        return answers.against(self.figures)

    @property
    def used(self) -> float:
        """The largest of the figures as parts of their tolerances; NaN if one is."""
        return _largest(*self._parts.values())

    @property
    def tolerance(self) -> float:
        """Tolerance of the figure with the largest ratio to its tolerance; of the first NaN, if any."""
        return self.tolerances[self._worst(self.figures)]

    @property
    def _parts(self) -> dict[str, float]:
        return {name: value / self.tolerances[name] for name, value in self.figures.items()}

    @property
    def message(self) -> str:
        """The outcome for people: the worst check; if the certificate fails, the cause and a way out."""
        if self.ok:
            return (
                f"agrees with {self.against}: error {self.error:.1e}, residual {self.worst_residual:.1e}, "
                f"at most {self.used:.1%} of a tolerance"
            )
        if self.agrees:  # program and serial solvers agree with each other
            others = [comparison.message for comparison in self.besides if not comparison.ok]
            return f"{'; '.join(others)}. {_FAULT}"
        outside = self._failed(OUTSIDE)
        lost = _LOST if outside and not self.reason else ""
        if all(self.tolerances[name] >= NOTHING_FROM for name in outside or self._failed(SILENT)):
            lost = f"Such a program keeps no digit here in {precision(self.eps)} precision"
        checks = (self._counted(OUTSIDE, "above the tolerance"), self._counted(SILENT, "say nothing"))
        head = f"certificate failed: {'; '.join(filter(None, checks))}"
        return ". ".join(part for part in (head, lost, self.reason, self.way_out) if part)

    def _worst(self, names: Iterable[str]) -> str:
        parts = self._parts
        return max(names, key=lambda name: (parts[name] != parts[name], parts[name]))

    def _failed(self, verdict: str) -> list[str]:
        return [name for name, answer in self.verdicts.items() if answer == verdict]

    def _counted(self, verdict: str, meaning: str) -> str:
        """Number of the checks with a verdict and the worst of them, in words; empty if there is none."""
        names = self._failed(verdict)
        if not names:
            return ""
        worst = self._worst(names)
        place = f" {self.places[worst]}" if worst in self.places else ""
        ratio = beside(self.figures[worst], self.tolerances[worst])
        phrase = f"{answers.figures()[worst].phrase}{place}, {ratio}"
        return f"{len(names)} of {len(self.figures)} checks {meaning}, worst: {phrase}"

    def as_dict(self) -> dict[str, Any]:
        """Plain values for files: all that there is, and what follows from it."""
        names = ("verdicts", "against", "error", "worst_residual", "tolerance", "used", "ok", "message")
        derived = {key: getattr(self, key) for key in names}
        fields = asdict(self)
        del fields["singular"]  # the reason names it
        others = {"besides": [comparison.as_dict() for comparison in self.besides], "notes": list(self.notes)}
        return {**fields.pop("figures"), **fields, **others, **derived}


_LOST = "The parallel program lost accuracy that a stable serial solver keeps"
_FAULT = (
    "The program and the serial solvers agree with each other and not with that: a fault of what they share, "
    "or of the reference; please report it, with the problem"
)


def precision(eps: float) -> str:
    """double or single."""
    return "double" if eps < 1e-10 else "single"


def _largest(*values: float) -> float:
    return float(np.max(values))  # NaN if any is NaN, unlike max()


# -------- other references


@dataclass(frozen=True)
class Comparison:
    """Figures of a run against one reference."""

    name: str  # "plain sums", or "Pinocchio"
    against: str  # In more words
    figures: Mapping[str, float]
    """By the names of `senn.algorithms.answers`, and "residual" and "contact_residual"."""
    tolerances: Mapping[str, float]
    note: str = ""

    @property
    def verdicts(self) -> dict[str, str]:
        """A verdict on every figure; NaN is outside."""
        return {name: verdict(value, self.tolerances[name]) for name, value in self.figures.items()}

    @property
    def ok(self) -> bool:
        """Whether every figure is within a tolerance that says something."""
        return all(answer == WITHIN for answer in self.verdicts.values())

    @property
    def message(self) -> str:
        """The figures that are not within their tolerances, in words; empty if all are."""
        parts = [
            f"{title(name)} {answer}, {beside(self.figures[name], self.tolerances[name])}"
            for name, answer in self.verdicts.items()
            if answer != WITHIN
        ]
        return f"against {self.against}: {', '.join(parts)}" if parts else ""

    def as_dict(self) -> dict[str, Any]:
        """Plain values for files."""
        return {
            "name": self.name,
            "against": self.against,
            "figures": dict(self.figures),
            "tolerances": dict(self.tolerances),
            "verdicts": self.verdicts,
            "note": self.note,
            "ok": self.ok,
        }


def beside(value: float, tolerance: float) -> str:
    """An error or residual and the tolerance that it is judged by: "1.8e-11 of 1.0e-08"."""
    return f"{value:.1e} of {tolerance:.1e}"


def title(name: str) -> str:
    """The title of a figure in a summary."""
    return ANSWERS[name].title if name in ANSWERS else RESIDUALS[name].title


# -------- verdicts

WITHIN, OUTSIDE, SILENT = "within", "outside", "says nothing"
"""Verdicts: rounding explains the figure; it does not; it would explain so much that nothing is said."""

NOTHING_FROM = 0.1
"""A tolerance from here on says nothing: it would not vouch for one digit."""


def verdict(value: float, tolerance: float) -> str:
    """On one figure; NaN is outside."""
    if not value <= tolerance:
        return OUTSIDE
    return SILENT if tolerance >= NOTHING_FROM else WITHIN

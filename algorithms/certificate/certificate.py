"""What a certificate is: figures, what rounding allows each of them, and a verdict on each."""

from __future__ import annotations

from collections.abc import Mapping
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
    rho: float
    """Pivot ratio of the contact (`contact.pivot_ratio`)."""
    eps: float
    """Of the floating point of the answers."""
    tolerances: Mapping[str, float]
    """Of every figure there is, by its name."""
    figures: Mapping[str, float]
    """The errors and residuals there are, by name (`senn.algorithms.answers.figures`), each
    over a scale of its own."""
    bounds: Mapping[str, float]
    """The largest tolerance of whatever a figure is the worst of: of all joints, where it is of the worst
    joint. It does not depend on the answers."""
    places: Mapping[str, int]
    """Of the figures that are of the worst joint: which, from 1."""
    notes: tuple[str, ...] = ()
    """Warnings for the summary, one sentence each."""
    reason: str = ""
    """Why it fails: a sentence, where there is one."""
    way_out: str = "Try --elimination oer or --form short"
    """What to do if it fails."""
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
        """The same, also against other references."""
        return self.agrees and all(one.ok for one in self.besides)

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
        """What the answers are compared with."""
        return answers.against(self.figures)

    @property
    def used(self) -> float:
        """The largest of the figures as parts of their tolerances; NaN if one is."""
        return _largest(*self._parts.values())

    @property
    def tolerance(self) -> float:
        """Of what uses most of it (the first that is not a number, if there is one)."""
        parts = self._parts
        bad = (name for name, part in parts.items() if part != part)
        return self.tolerances[next(bad, max(parts, key=parts.__getitem__))]

    @property
    def _parts(self) -> dict[str, float]:
        return {name: value / self.tolerances[name] for name, value in self.figures.items()}

    @property
    def message(self) -> str:
        """One sentence for people; when the certificate fails, with the way out."""
        if self.ok:
            return (
                f"agrees with {self.against}: error {self.error:.1e}, residual {self.worst_residual:.1e}, "
                f"at most {self.used:.1%} of a tolerance"
            )
        outside, silent = (
            [name for name, said in self.verdicts.items() if said == bad] for bad in (OUTSIDE, SILENT)
        )
        parts = []
        if outside:
            hopeless = all(self.tolerances[name] >= NOTHING_FROM for name in outside)
            lost = f"{precision(self.eps)} precision is not enough here" if hopeless else _LOST
            parts.append(f"{lost}: {', '.join(map(self._said, outside))}")
        if silent:
            parts.append(f"the comparison says nothing: {', '.join(map(self._said, silent))}")
        if not parts:  # program and serial solvers agree
            parts += [one.message for one in self.besides if not one.ok]
            return f"{'; '.join(parts)}. {_FAULT}"
        return ". ".join(part for part in ("; ".join(parts), self.reason, self.way_out) if part)

    def _said(self, name: str) -> str:
        said = answers.figures()[name].said
        place = f" {self.places[name]}" if name in self.places else ""
        return f"{said}{place} {self.figures[name]:.0e} (tolerance {self.tolerances[name]:.0e})"

    def as_dict(self) -> dict[str, Any]:
        """Plain values for files: all that there is, and what follows from it."""
        names = ("verdicts", "against", "error", "worst_residual", "tolerance", "used", "ok", "message")
        derived = {key: getattr(self, key) for key in names}
        fields = asdict(self)
        others = {"besides": [one.as_dict() for one in self.besides], "notes": list(self.notes)}
        return {**fields.pop("figures"), **fields, **others, **derived}


_LOST = "accuracy was lost in the schedule"
_FAULT = (
    "The program and the serial solvers agree with each other and not with that: a fault of what they share, "
    "or of the reference; please report it, with the problem"
)


def precision(eps: float) -> str:
    """double or single."""
    return "double" if eps < 1e-10 else "single"


def _largest(*values: float) -> float:
    return float(np.max(values))  # NaN if any is NaN, unlike max()


# ------------------------------------------------------------
# The figures of a run against one reference, and a verdict on each that no other code shares.

_WITHIN, _OUTSIDE, _SILENT = "within", "outside", "says nothing"
_NOTHING_FROM = 0.1
"""As of all figures of a certificate (`senn.algorithms.certificate.certificate`), but judged apart."""


@dataclass(frozen=True)
class Comparison:
    """Figures of a run against one reference."""

    name: str
    """"plain sums", or "Pinocchio"."""
    against: str
    """The same in more words."""
    figures: Mapping[str, float]
    """By the names of `senn.algorithms.answers`, and "residual" and "contact_residual"."""
    tolerances: Mapping[str, float]
    note: str = ""

    @property
    def verdicts(self) -> dict[str, str]:
        """Of every figure; what is not a number is outside."""
        found = {}
        for name, value in self.figures.items():
            tolerance = self.tolerances[name]
            found[name] = _WITHIN if tolerance < _NOTHING_FROM else _SILENT
            if not value <= tolerance:
                found[name] = _OUTSIDE
        return found

    @property
    def ok(self) -> bool:
        """Whether every figure is within a tolerance that says something."""
        return all(said == _WITHIN for said in self.verdicts.values())

    @property
    def message(self) -> str:
        """What is not within, in words; empty where all is."""
        parts = [
            f"{title(name)} {said}, {self.figures[name]:.0e} (tolerance {self.tolerances[name]:.0e})"
            for name, said in self.verdicts.items()
            if said != _WITHIN
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


def title(name: str) -> str:
    """Of a figure, in a summary."""
    return ANSWERS[name].title if name in ANSWERS else RESIDUALS[name].title


# ------------------------------------------------------------
# What is said of a figure beside its tolerance.

WITHIN, OUTSIDE, SILENT = "within", "outside", "says nothing"
"""Verdicts: rounding explains the figure; it does not; it would explain so much that nothing is said."""

NOTHING_FROM = 0.1
"""A tolerance from here on says nothing: it would not vouch for one digit."""


def verdict(value: float, tolerance: float) -> str:
    """On one figure; NaN is outside."""
    if not value <= tolerance:
        return OUTSIDE
    return SILENT if tolerance >= NOTHING_FROM else WITHIN

"""The figures of a run against one reference, and a verdict on each that no other code shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from senn.algorithms.answers import ANSWERS, RESIDUALS

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

"""What a run is held against beside the serial solvers: references that share none of their code.

Every run: plain sums over the links, read once more (`senn.algorithms.plain_sums`). Where it is asked for:
Pinocchio. The serial solvers have the same reader, the same frames and the same spatial algebra as the
program, and a fault in these is in both; here it shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from senn.algorithms import answers
from senn.algorithms.answers import ANSWERS, RESIDUALS
from senn.algorithms.plain_sums.judged import judged
from senn.algorithms.plain_sums.model import Model, State, Sums
from senn.algorithms.plain_sums.readings import chosen
from senn.algorithms.problems.problem import Problem
from senn.algorithms.spatial import Numbers

_WITHIN, _OUTSIDE, _SILENT = "within", "outside", "says nothing"
_FACTOR = 1000.0
"""Tolerances are not below so many times what rounding does to the reference itself."""
_LEAST = 1e-11
# A reference that has lost more says nothing, and is left out: its residuals have lost nothing.
_LOST = 1e-3
_NOTHING_FROM = 0.01


@dataclass(frozen=True)
class Comparison:
    """Figures of a run against one reference."""

    against: str
    """For a person."""
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
        """What is not within, in one sentence; empty where all is."""
        parts = [
            f"{title(name)} {self.figures[name]:.0e} (tolerance {self.tolerances[name]:.0e}) {said}"
            for name, said in self.verdicts.items()
            if said != _WITHIN
        ]
        return f"compared with {self.against}: {', '.join(parts)}" if parts else ""

    def as_dict(self) -> dict[str, Any]:
        """Plain values for files."""
        return {
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


def by_sums(problem: Problem, given: Mapping[str, Numbers], tolerances: Mapping[str, float]) -> Comparison:
    """Answers compared with plain sums; `tolerances` are those of the serial solvers, by their figures."""
    state = state_of(problem)
    model = Sums(chosen.arm(problem.chain), state)
    against = f"plain sums over the links, from {chosen.source(problem.chain)} read once more"
    return compared(against, model, state, given, tolerances)


def compared(
    against: str,
    model: Model,
    state: State,
    given: Mapping[str, Numbers],
    tolerances: Mapping[str, float],
) -> Comparison:
    """Answers compared with those of a model.

    What rounding allows the program it is allowed here too, and what it does to the reference. A reference
    that rounding has taken too much of is left out.
    """
    found = judged(model, state, given)
    figures, allowed, lost = dict(found.figures), {}, []
    for name in found.figures:
        own = _FACTOR * found.rounding.get(name, 0.0)
        if own > _LOST:
            lost.append(name)
            del figures[name]
            continue
        figure = ANSWERS[name].error if name in ANSWERS else name
        allowed[name] = max(tolerances[figure], own, _LEAST)
    notes = []
    if not found.dense and set(given) - {"qdd"}:
        notes.append("of an arm so long, or so nearly singular, the residuals only")
    if lost:
        notes.append(f"rounding leaves no reference for {', '.join(map(title, lost))}")
    in_order = [*ANSWERS, *answers.RESIDUALS]
    figures = {name: figures[name] for name in in_order if name in figures}
    return Comparison(against, figures, allowed, "; ".join(notes))


def state_of(problem: Problem) -> State:
    """The numbers of a problem, with its contact as it was written."""
    return State(
        gravity=problem.gravity,
        q=problem.q,
        qd=problem.qd,
        tau=problem.tau,
        qdd=problem.qdd,
        x=problem.tip_vector,
        contact=_said(problem.held),
    )


def _said(held: Any) -> Mapping[str, Any]:
    """A contact under the keys of a problem file; from its own numbers where nothing was kept."""
    if getattr(held, "written", None) is not None:
        written: Mapping[str, Any] = held.written
        return written
    if not hasattr(held, "kind"):  # in words
        return {"kind": held.word, **vars(held)}
    numbers = held.law or held
    names = ("W", "H", "G_C", "K_F", "phi", "M1", "k1", "M2", "k2", "fixed_in", "acceleration")
    said = {name: getattr(held, name, getattr(numbers, name, None)) for name in names}
    return {"kind": held.kind, **said, "d": said["K_F"]}

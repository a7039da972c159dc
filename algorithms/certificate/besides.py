"""What a run is held against beside the serial solvers: references that share none of their code.

Every run: plain sums over the links, read once more (`senn.algorithms.plain_sums`). Where it is asked for:
Pinocchio. The serial solvers have the same reader, the same frames and the same spatial algebra as the
program, and a fault in these is in both; here it shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from senn.algorithms.answers import ANSWERS, RESIDUALS
from senn.algorithms.certificate.comparison import Comparison, title
from senn.algorithms.plain_sums.judged import judged
from senn.algorithms.plain_sums.model import Model, State, Sums
from senn.algorithms.plain_sums.readings import chosen, files
from senn.algorithms.problems.problem import Problem
from senn.algorithms.spatial import Numbers

_FACTOR = 100.0
"""Tolerances are not below so many times what rounding does to the reference itself."""
_LEAST = 1e-11
# A reference that has lost more says nothing, and is left out: its residuals have lost nothing.
_LOST = 1e-3


def by_sums(problem: Problem, given: Mapping[str, Numbers], tolerances: Mapping[str, float]) -> Comparison:
    """Answers compared with plain sums; `tolerances` are those beside the serial solvers, of each answer
    and residual by its name."""
    state = state_of(problem)
    model = Sums(chosen.arm(problem.chain), state)
    against = f"plain sums over the links, from {chosen.source(problem.chain)} read once more"
    return compared("plain sums", against, model, state, given, tolerances)


def compared(
    name: str,
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
    for one in found.figures:
        own = _FACTOR * found.rounding.get(one, 0.0)
        if own > _LOST:
            lost.append(one)
            del figures[one]
            continue
        allowed[one] = max(tolerances[one], own, _LEAST)
    notes = []
    left = [one for one in given if one not in found.figures]
    if not found.dense:
        notes.append("of an arm so long, or so nearly singular, the residuals only")
    elif left:
        notes.append(f"nothing to compare with: {', '.join(map(title, left))}")
    if lost:
        notes.append(f"rounding leaves no reference for {', '.join(map(title, lost))}")
    in_order = [*ANSWERS, *RESIDUALS]
    figures = {one: figures[one] for one in in_order if one in figures}
    return Comparison(name, against, figures, allowed, "; ".join(notes))


def state_of(problem: Problem) -> State:
    """The numbers of a problem, with its contact as it was written; all from its file, where it has one."""
    chain = problem.chain
    numbers = State(
        gravity=problem.gravity,
        q=problem.q,
        qd=problem.qd,
        tau=problem.tau,
        qdd=problem.qdd,
        x=problem.tip_vector,
        contact=_said(problem.held),
    )
    if problem.written is None:
        return numbers
    return files.state(problem.written, chain.all_joint_names, chain.all_joints, numbers)


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

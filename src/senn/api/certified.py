"""The answers of a run certified; and where they do not hold, what does, tried."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from senn.api import chosen as made
from senn.choices import RunChoices
from senn.traces.errors import InputError
from senn.words import solved

if TYPE_CHECKING:
    from senn.algorithms.catalogue import Algorithm
    from senn.algorithms.certificate.certificate import Certificate
    from senn.algorithms.problems.problem import Problem
    from senn.algorithms.spatial import Numbers

TRIED_UP_TO = 512
"""Longer arms take too long for all that could be tried."""


def certified(
    problem: Problem, found: Mapping[str, Numbers], taken: Algorithm, chosen: RunChoices
) -> Certificate:
    """The certificate of a run; if it fails, with a way out that was run and that passes, where one does."""
    certificate = _judged(problem, found, taken, chosen)
    if certificate.agrees:
        return certificate
    return replace(certificate, way_out=_way_out(problem, taken, chosen, certificate.reason))


def _judged(
    problem: Problem, found: Mapping[str, Numbers], taken: Algorithm, chosen: RunChoices
) -> Certificate:
    from senn.algorithms.certificate.certify import certify

    printed = "form" in taken.choices and chosen["form"] == "paper"
    recursive, against = not taken.constrained, chosen["against"]
    return certify(problem, found, recurrences=printed, recursive=recursive, against=against)


def _way_out(problem: Problem, taken: Algorithm, chosen: RunChoices, reason: str) -> str:
    """In the order of how little they change."""
    from senn.algorithms.certificate.certify import SINGULAR

    tried = []
    for words, changes in _others(problem, taken, chosen):
        tried.append(words)
        if problem.chain.n <= TRIED_UP_TO and _passes(problem, cast(RunChoices, {**chosen, **changes})):
            return f"{words} passes here"
    if problem.chain.n > TRIED_UP_TO:
        return f"Untried, as the arm is so long: {', '.join(tried)}"
    last = "make neighbouring links more alike in mass and size, or fix a tiny link to its neighbour"
    if reason.endswith(SINGULAR):
        last = "bring the arm where it can move in every direction that the contact holds, or hold fewer"
    return f"Tried here, and none passes: {', '.join(tried)}; {last}" if tried else last.capitalize()


def _others(
    problem: Problem, taken: Algorithm, chosen: RunChoices
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """What could be chosen instead, in words of the command line."""
    from senn.algorithms import catalogue

    reduced, short = {"elimination": "oer"}, {"form": "short"}
    can_reduce = "elimination" in taken.choices and chosen["elimination"] != "oer"
    can_shorten = "form" in taken.choices and chosen["form"] == "paper"
    if can_reduce:
        yield "--elimination oer", reduced
    if can_shorten:
        yield "--form short", short
    if can_reduce and can_shorten:
        yield "--elimination oer --form short", {**reduced, **short}
    if "refine" in taken.choices and not chosen["refine"]:
        yield "--refine 1", {"refine": 1}
    if chosen["precision"] == "single":
        yield "--precision double", {"precision": "double"}
    usual = {"form": "paper", "refine": 0, "strategy": 2, "elimination": "oee", "arrays": 2}
    for one in catalogue.ALGORITHMS.values():
        fits = one.question == taken.question and one.constrained <= taken.constrained and one is not taken
        if fits and (one.closed or problem.contact.kind == "none"):
            yield f"--algorithm {one.name}", {**usual, "algorithm": one.name, "precision": "double"}


def _passes(problem: Problem, chosen: RunChoices) -> bool:
    """Whether a run with these choices is certified: by the quick engine on the cheapest machine, as numbers
    do not depend on the machine."""
    from senn.machine.engines.memory import rounded

    chosen = cast(RunChoices, {**chosen, "residency": "home"})
    taken, chain = made.algorithm(chosen), problem.chain
    try:
        program = made.program(chosen, chain.n, chain.joints, problem.contact.shape, problem)
        resident = rounded(taken.memory(problem), chosen["precision"])
        run = solved(program, resident, "ideal", "home", engine="lockstep", detail="summary")
        return _judged(problem, taken.answers(problem, run.result), taken, chosen).ok
    except InputError:
        return False  # it cannot be run

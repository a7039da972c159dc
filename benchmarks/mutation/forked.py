"""Problems run in a process of their own, forked from this one before the project is imported."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import multiprocessing
import os
import resource
import sys
import types
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

import defusedxml.ElementTree
import msgspec
import networkx
import numpy as np
import polars
import simpy

from benchmarks.mutation.cases import Case
from benchmarks.mutation.changes import Change

_LOADED = (defusedxml.ElementTree, msgspec, networkx, polars, simpy)
"""What every process needs is there before it is forked."""
DIGITS = 11
"""So many digits of its answers are right in the program that is not mutated, as the cases are
well-conditioned; a certificate is asked for as many."""
_SECONDS = 60
"""Of processor time, of all cases together: a mutant that is not done by then hangs."""
_LONGEST = 900
"""The same by the clock, where nothing is computed."""


@dataclass
class Outcome:
    """What became of the problems, by name."""

    answers: dict[str, dict[str, np.ndarray]] = field(default_factory=dict)
    certified: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    """In words: an exception, or a certificate that is not ok."""


def near(found: Mapping[str, np.ndarray], right: Mapping[str, np.ndarray]) -> bool:
    """Whether answers are those of the program that is not mutated, to DIGITS digits of their norms."""
    return found.keys() == right.keys() and all(
        found[name].shape == value.shape
        and float(np.linalg.norm(found[name] - value)) <= 10.0**-DIGITS * float(np.linalg.norm(value))
        for name, value in right.items()
    )


def run(
    cases: Sequence[Case],
    change: Change | None = None,
    right: Mapping[str, Mapping[str, np.ndarray]] | None = None,
    off: float = 0.0,
) -> Outcome:
    """All cases, with one module changed. Answers that are `right` need no certificate; `off`: in each case
    one of them is wrong by so much."""
    fork = multiprocessing.get_context("fork")
    there, here = fork.Pipe()
    process = fork.Process(target=_child, args=(here, cases, change, right or {}, off))
    process.start()
    here.close()
    found = Outcome()
    try:
        if there.poll(_LONGEST):
            found = there.recv()
        else:
            found.failed["all"] = f"not done in {_LONGEST} s"
    except EOFError:
        found.failed["all"] = "the process ended"
    if process.is_alive():
        process.join(1.0)
    if process.is_alive():
        process.kill()
    process.join()
    return found


def _child(
    here: Connection,
    cases: Sequence[Case],
    change: Change | None,
    right: Mapping[str, Mapping[str, np.ndarray]],
    off: float,
) -> None:
    found = Outcome()
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    warnings.simplefilter("ignore")
    if change is not None:
        sys.meta_path.insert(0, _Changed(change))
    for number, case in enumerate(cases):
        try:
            _solve(case, number, right.get(case.name, {}), off, found)
        except _Right:
            pass
        except BaseException as error:
            found.failed[case.name] = f"{type(error).__name__}: {error}"[:200]
    with suppress(Exception):
        here.send(found)
    os._exit(0)


class _Right(Exception):
    """Answers that need no certificate."""


def _solve(case: Case, number: int, right: Mapping[str, np.ndarray], off: float, found: Outcome) -> None:
    import senn
    from senn.algorithms import catalogue
    from senn.api import solving as judge

    certify = judge.certify

    def judged(problem: Any, answers: Mapping[str, np.ndarray], *more: Any, **other: Any) -> Any:
        if right and not off and near(answers, right):
            raise _Right
        return certify(problem, answers, *more, **{**other, "digits": DIGITS})

    judge.certify = judged
    name = case.choices.get("algorithm", "closed-chain")
    whole = catalogue.ALGORITHMS[name]
    if off:
        catalogue.ALGORITHMS[name] = _wrong(whole, number, off)
    try:
        run = senn.run(case.spec, machine="ideal", engine="lockstep", detail="summary", **case.choices)
    finally:
        catalogue.ALGORITHMS[name] = whole
        judge.certify = certify
    found.answers[case.name] = dict(run.result)
    if run.certificate["ok"]:
        found.certified.append(case.name)
    else:
        found.failed[case.name] = run.certificate["message"]


def _wrong(algorithm: Any, number: int, off: float) -> Any:
    """The algorithm with one of its answers wrong by a part."""
    from dataclasses import replace

    def answers(*given: Any) -> dict[str, np.ndarray]:
        right = dict(algorithm.answers(*given))
        usable = [name for name in right if np.any(right[name])]
        name = usable[number % len(usable)]
        return {**right, name: right[name] * (1.0 + off)}

    return replace(algorithm, answers=answers)


class _Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds one module, and makes it from another source."""

    def __init__(self, change: Change) -> None:
        self.change = change

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != self.change.module:
            return None
        found = importlib.machinery.PathFinder.find_spec(name, path)
        assert found is not None
        assert found.origin is not None
        return importlib.util.spec_from_file_location(
            name, found.origin, loader=self, submodule_search_locations=found.submodule_search_locations
        )

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        return None

    def exec_module(self, module: types.ModuleType) -> None:
        exec(compile(self.change.source, str(module.__file__), "exec"), module.__dict__)

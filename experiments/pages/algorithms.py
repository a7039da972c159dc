"""The tables of algorithms.md: every algorithm is run, and counted.

A cell is the largest error of the run's certificate, or a dash where the algorithm refuses such an arm or
would leave a contact of Type II or a general one out; the last columns are counted from programs and
formulas. A test compares the counted ones with the page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

import senn
from experiments.page import Tables, head, order, row
from senn import overview
from senn.algorithms import problems
from senn.algorithms.problems import contacts as contact
from senn.algorithms.problems.problem import Problem
from senn.algorithms.robots import generators
from senn.algorithms.robots.chain import Branch
from senn.base.errors import InputError


def _tree() -> Problem:
    """Seven joints, a gripper of two sliding fingers on the last link, and a single joint on the third."""
    chain = generators.generate("random:7:seed=3")
    fingers = [generators.generate(f"random:1:seed={seed}:prismatic=1") for seed in (4, 5)]
    lone = generators.generate("random:1:seed=6")
    branches = (Branch(3, lone), *(Branch(7, finger) for finger in fingers))
    whole = replace(chain, branches=branches)
    rng = np.random.default_rng(7)
    size = whole.degrees
    q, qd, tau = 0.5 * rng.standard_normal(size), 0.1 * rng.standard_normal(size), rng.standard_normal(size)
    return problems.Problem("arm", whole, problems.EARTH, q, qd, tau, contact.welded())


ARMS: Mapping[str, Callable[[], Problem]] = {
    "revolute": lambda: problems.load("random:12:seed=1"),
    "prismatic": lambda: problems.load("random:12:seed=2:prismatic=0.4"),
    "all types": lambda: problems.load("joints:FRCEUSHXR:seed=1"),
    "branches": _tree,
    "UR5": lambda: problems.load("ur5"),
    "SSRMS": lambda: problems.load("ssrms"),
    "Type II": lambda: problems.load("ur5_friction"),
    "general": lambda: problems.load("ssrms_payload"),
}
"""Joints of each kind, robots, and contacts of each kind."""


def worked() -> Iterator[str]:
    """Which arms and contacts an algorithm takes, with the largest error of its certificate."""
    yield from head("algorithm", *ARMS)
    for one in overview.catalogue().values():
        cells = (error(one, name, make()) for name, make in ARMS.items())
        yield row(f"`{one['name']}`", *cells)


def error(one: Mapping[str, Any], arm: str, given: Problem) -> str:
    """The largest error of a certificate, FAILED, or a dash."""
    if arm in ("Type II", "general") and one["contact"] != "in contact":
        return "-"
    try:
        certificate = senn.run(given, algorithm=one["name"], machine="raw").certificate
    except InputError:
        return "-"
    if not certificate["ok"]:
        return "FAILED"
    return order(max(certificate["error"], certificate["worst_residual"]))


def costs() -> Iterator[str]:
    """Where an algorithm comes from and what it costs."""
    yield from head("algorithm", "order", "source", "steps, or operations", f"all, n = {overview.IN_ALL}")
    for one in overview.catalogue().values():
        cost = (one["total"] or one["steps"]).replace("; ", "<br>")
        yield row(f"`{one['name']}`", one["order"], one["source"], cost, f"{one['operations_in_all']:,}")


DATA: Tables = {"worked": worked, "costs": costs}

"""Claims on networks, on the number of processors, and on arithmetic units inside a node."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import NamedTuple

import numpy as np

from experiments import costs
from experiments.claims.claim import *  # the words of a claim
from experiments.measuring import *  # trials, and what is measured of them
from senn.algorithms.programs import variants
from senn.choices import Residency
from senn.machine.network.arrays import take
from senn.machine.network.topology import slots
from senn.machine.placing.schedule import Schedule
from senn.machine.program import Program
from senn.machine.rewrite import keep, on_units


class Network(NamedTuple):
    """A network with its best routing and allocation, and the number of neighbours of a node."""

    settings: tuple[tuple[str, str], ...]
    allocation: str = "identity"
    degree: str = "4"


def _settings(network: str, routing: str = "lowest") -> tuple[tuple[str, str], ...]:
    return (("machine.network", network), ("machine.routing", routing))


SENN = Network(())
OTHERS = {
    "shuffle-exchange": Network(_settings("shuffle-exchange", "greedy"), degree="3"),
    "ring": Network(_settings("ring"), degree="2"),
    "mesh": Network(_settings("mesh", "xy"), "snake"),
    "torus": Network(_settings("torus", "xy")),
    "hypercube": Network(_settings("hypercube", "e-cube"), "gray", "log2 n"),
    "full": Network(_settings("full"), degree="n - 1"),
}

_LESS = 0.99


@claim
def senn_optimal(scope: Scope) -> Finding:
    rows: list[Row] = []
    for name, n in product(scope.machines, scope.few):
        senn = _best(SENN, name, n)
        gains = {label: ratio(_best(network, name, n), senn) for label, network in OTHERS.items()}
        rows.append({"machine": name, "n": n, **gains})
    few = [label for label, network in OTHERS.items() if network.degree in ("2", "3", "4")]
    judged = judged_rows(rows)
    closest, where = min(
        (row[label], f"{label} {AT_COSTS.format(row['machine'])} at n = {row['n']}")
        for row, label in product(judged, few)
    )
    unbeaten = cases_by("machine", judged, lambda row: min(row[label] for label in few) >= _LESS)
    refuting = {name: holds for name, holds in unbeaten.items() if not holds}
    n = scope.few[-1]
    steps = placed(Trial(n, "ideal")).network_steps()
    bound = len(_needs(placed(Trial(n, "ideal", residency="home"))))
    effect = f"{steps} network steps at n = {n}, on any network at least {bound}"
    figures = (
        Table("Makespan on another network over that on SENN, each with data where it is faster", rows),
    )
    if closest < _LESS:
        return Finding(Verdict("fails", f"{where} takes {closest} times as long", effect, refuting), figures)
    condition = f"faster than {len(few)} networks of as few wires is not optimal"
    return Finding(Verdict("untestable", condition, effect), figures)


def _best(network: Network, name: MachineName, n: int) -> int:
    """The lesser makespan of both residencies."""
    trial = Trial(n, name, allocation=network.allocation, settings=network.settings)
    return min(makespans(replace(trial, residency=kept) for kept in RESIDENCIES).values())


@claim
def senn_matches(scope: Scope) -> Finding:
    rows = [_dilation(n, residency) for residency in RESIDENCIES for n in scope.sizes]
    most = {x: [row["most of a send"] for row in rows if row["residency"] == x] for x in RESIDENCIES}
    races: list[Row] = []
    for name, n in product(scope.machines, scope.sizes):
        home, away = makespans(Trial(n, name, residency=kept) for kept in RESIDENCIES).values()
        races.append({"machine": name, "n": n, "home/migrating": ratio(home, away)})
    good = [residency for residency in RESIDENCIES if len(set(most[residency])) == 1]
    slots_of = f"a send takes at most {max(most['migrating'])} network steps; at home {max(most['home'])}"
    effect = f"{slots_of} at n = {scope.sizes[-1]:,}"
    figures = (
        Table("Network steps of the form paper", rows),
        Table("Makespan at home over makespan migrating", races),
    )
    verdict = Verdict("holds", f"data {' or '.join(good)}", effect) if good else Verdict("fails", "", effect)
    return Finding(verdict, figures)


def _needs(schedule: Schedule) -> list[int]:
    """Network steps of each send between nodes if nothing else is on its way."""
    paths = schedule.messages.paths
    posts = [task.posts for tasks in schedule.tasks for task in tasks if len(task.posts)]
    steps = (slots(take(paths, np.arange(post.start, post.stop))) for post in posts)
    return [count for count in steps if count]


def _dilation(n: int, residency: Residency) -> Row:
    schedule = placed(Trial(n, "ideal", residency=residency))
    needs = _needs(schedule)
    messages = schedule.messages
    row: Row = {"n": n, "residency": residency, "most of a send": max(needs), "network steps": sum(needs)}
    sums = {"hops": int(messages.paths.hops.sum()), "words": int(messages.words.sum())}
    return {**row, "messages": len(messages), **sums}


# ------------------------------------------------------------
# How many processors: N, 2N, and 6N more for the columns of Eq. (84); several units inside a node.

SMALL = (8, 16)
UNITS = (2, 4, 9, 36)
ANY = 10**6
"""More than any kernel has operations."""


@claim
def limited_speed_up(scope: Scope) -> Finding:
    rows: list[Row] = []
    for name, n in product(scope.machines, SMALL):
        parallel = min(makespan_of(_open_chain, (n,), name, residency) for residency in RESIDENCIES)
        serial = machine(name).compute_cycles(*costs.open_chain(n))
        rows.append(
            {"machine": name, "n": n, "one node": serial, "N nodes": parallel}
            | {"speed-up": ratio(serial, parallel)}
        )
    verdict = by_machine(rows, "speed-up", lambda gain: gain <= 2, "times as fast")
    return Finding(verdict, (Table("Open chain: cycles", rows),))


def _open_chain(n: int) -> Program:
    return keep(variants.closed_chain(n, arrays=1), "qdd0")


@claim
def more_processors(scope: Scope) -> Finding:
    rows: list[Row] = []
    for name, n in product(scope.machines, (n for n in scope.few if n <= _LARGEST_WIDTHS)):
        row: dict[str, object] = {"machine": name, "n": n}
        for form, widths in (("paper", (1, 2, 3, 8)), ("short", (1, 2, 3))):
            trials = [Trial(n, name, form, arrays=k) for k in widths]
            times = dict(zip(widths, makespans(trials).values(), strict=True))
            row |= {f"{form}, 2N over N": ratio(times[1], times[2])}
            row |= {f"{form}, {k}N over 2N": ratio(times[2], times[k]) for k in widths[2:]}
        rows.append(row)
    then, today = (
        by_machine(rows, f"{form}, 2N over N", lambda gain: gain > 1, "times as fast on 2N nodes")
        for form in ("paper", "short")
    )
    return Finding(then, (Table("How many times as fast the wider machine is", rows),), today)


_LARGEST_WIDTHS = 64


@claim
def fine_grain_strategy(scope: Scope) -> Finding:
    rows: list[Row] = []
    for name, n in product(scope.machines, (n for n in scope.few if n <= _LARGEST_WIDTHS)):
        times = {units: _fine_makespan(name, n, units) for units in (1, *UNITS, ANY)}
        gains = {f"k = {units}": ratio(times[1], times[units]) for units in UNITS}
        rows.append({"machine": name, "n": n, **gains, "any k": ratio(times[1], times[ANY])})
    effect = span(rows, "any k", "times as fast with any number of units a node")
    verdict = Verdict("untestable", "cycles do not say which architecture is required", effect)
    return Finding(verdict, (Table("How many times as fast nodes with k units are", rows),))


def _fine_makespan(name: MachineName, n: int, units: int) -> int:
    """Makespan of the form paper on nodes of several arithmetic units."""
    times = machine(name).timing.operations
    proportions = tuple(Fraction(time) / (sum(times) or 1) for time in times)
    return makespan_of(_fine_grained, (n, units, proportions), name)


def _fine_grained(n: int, units: int, times: tuple[Fraction, ...]) -> Program:
    return on_units(variants.closed_chain(n), units, times)

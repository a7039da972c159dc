"""Claims on networks, on the number of processors, and on arithmetic units inside a node."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import NamedTuple

import numpy as np

from senn import words
from senn.algorithms.programs import variants
from senn.choices import Residency
from senn.experiments.claims.claim import Finding, Row, Scope, Table, cases_by, claim, either
from senn.experiments.crossovers import pays_from, race
from senn.experiments.measuring import (
    RESIDENCIES,
    MachineName,
    Trial,
    machine,
    makespans,
    placed,
    ratio,
    timeless,
)
from senn.machine.model import Machine
from senn.machine.network.arrays import take
from senn.machine.network.topology import slots
from senn.machine.placing.schedule import Schedule
from senn.machine.program import Compute
from senn.machine.rewrite import on_units

_LARGEST = 128


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


@claim(
    name="senn-optimal",
    place="VI.D",
    says="The SENN is optimal for the implementation of the parallel algorithm.",
    experiment=(
        "The form paper on SENN and on other networks with their own routing and allocation, data at home "
        "or migrating, whichever is faster there: makespan, n = 8 (which the paper draws) to 128; and "
        "network steps."
    ),
    rule=(
        "It holds against a network, at n = 8 and again at the largest n, if that is on no machine faster by "
        "more than a hundredth."
    ),
)
def senn_optimal(scope: Scope) -> Finding:
    sizes = [n for n in scope.few if n <= _LARGEST]
    rows: list[Row] = []
    kept: list[Row] = []
    for name in scope.machines:
        ours = [_best(SENN, name, n) for n in sizes]
        kept.append(
            {"network": "SENN", "machine": name, **_by_n(sizes, [residency for _, residency in ours])}
        )
        for label, network in OTHERS.items():
            theirs = [_best(network, name, n) for n in sizes]
            gains = [ratio(other, senn) for (other, _), (senn, _) in zip(theirs, ours, strict=True)]
            rows.append({"network": label, "degree": network.degree, "machine": name, **_by_n(sizes, gains)})
            kept.append(
                {"network": label, "machine": name, **_by_n(sizes, [residency for _, residency in theirs])}
            )
    rows.sort(key=lambda row: list(OTHERS).index(row["network"]))
    kept.sort(key=lambda row: ["SENN", *OTHERS].index(row["network"]))
    cases = {
        f"{label} {when}": all(row[f"n = {n}"] >= 0.99 for row in rows if row["network"] == label)
        for label in OTHERS
        for when, n in (("at n = 8", sizes[0]), ("for long arms", sizes[-1]))
    }
    last = f"n = {sizes[-1]}"
    best = min(rows, key=lambda row: row[last])
    cubes = [row[f"n = {sizes[0]}"] for row in rows if row["network"] == "hypercube"]
    because = (
        f"At n = {sizes[-1]} the closest network is {best['network']} on {best['machine']}: {best[last]} "
        "times the makespan of SENN. On the hypercube and the full network partners are nearby at every "
        "level without moving data, for more wires; at n = 8, where a node of the hypercube has fewer than "
        f"one of SENN, it takes {min(cubes)} to {max(cubes)} times as long."
    )
    figures = (
        Table("Makespan on another network over that on SENN, each with data where it is faster", rows),
        Table("Where data are kept", kept),
        Table("Network steps of the form paper", _steps(scope, sizes)),
    )
    return Finding(cases, "compared with {}", because, figures)


def _best(network: Network, name: MachineName, n: int) -> tuple[int, Residency]:
    """Least makespan, and the residency that has it."""
    trials = [_trial(network, name, n, residency) for residency in RESIDENCIES]
    least, trial = min((cycles, rank) for rank, cycles in enumerate(makespans(trials).values()))
    return least, trials[trial].residency


def _trial(network: Network, name: MachineName, n: int, residency: Residency) -> Trial:
    return Trial(n, name, residency=residency, allocation=network.allocation, settings=network.settings)


def _steps(scope: Scope, sizes: list[int]) -> list[Row]:
    """Network steps: of SENN both ways, of the others with data at home."""
    ways: dict[str, tuple[Network, Residency]] = {
        "SENN, migrating": (SENN, "migrating"),
        "SENN": (SENN, "home"),
    }
    ways |= {label: (network, "home") for label, network in OTHERS.items()}
    return [
        {
            "network": label,
            **_by_n(
                sizes,
                [placed(_trial(network, scope.machines[0], n, residency)).network_steps() for n in sizes],
            ),
        }
        for label, (network, residency) in ways.items()
    ]


def _by_n(sizes: list[int], entries: list[int] | list[float] | list[Residency]) -> Row:
    return {f"n = {n}": entry for n, entry in zip(sizes, entries, strict=True)}


@claim(
    name="senn-matches",
    place="VI.D",
    says=(
        "The SENN perfectly matches the inherent communication structure of different steps of the algorithm."
    ),
    experiment=(
        "For every send of the form paper, placed: the network steps it needs if nothing else is on its way. "
        "And the makespan on every machine, data migrating against data at home."
    ),
    rule=(
        "A send is matched if its network steps do not depend on n: the most of any send is the same at "
        "every n from 8 on. The makespan is matched on a machine if there data that migrate, as the SENN is "
        "made for, take at no n, the paper's 8 included, a hundredth longer than data at home."
    ),
)
def senn_matches(scope: Scope) -> Finding:
    rows = [_dilation(n, residency) for residency in RESIDENCIES for n in scope.sizes]
    most = {
        residency: [row["most of a send"] for row in rows if row["residency"] == residency]
        for residency in RESIDENCIES
    }
    races = [_race(scope, name) for name in scope.machines]
    won = [row["from n"] for row in races if row["from n"]]
    because = (
        f"Migrating, no send ever needs more than {max(most['migrating'])} network steps: one to the "
        "neighbour and one un-shuffle, and one more where K of both sides meet on one wire. At home the "
        f"worst send needs {most['home'][0]} at n = {scope.sizes[0]} and {most['home'][-1]} at n = "
        f"{scope.sizes[-1]}. But migrating moves more words and pays only for longer arms: "
        + (f"from n = {min(won)} or later, by machine." if won else "on none of these machines.")
    )
    return Finding(
        cases={
            "sends of migrating data": len(set(most["migrating"])) == 1,
            "sends of data at home": len(set(most["home"])) == 1,
            **{
                f"makespans on {row['machine']}": min(row[f"n = {n}"] for n in scope.sizes) >= 0.99
                for row in races
            },
        },
        when="{} are judged",
        because=because,
        figures=(
            Table("Network steps of the form paper", rows),
            Table("Makespan at home over makespan migrating, and from which n it stays above 1", races),
        ),
    )


def _dilation(n: int, residency: Residency) -> Row:
    schedule = placed(Trial(n, "ideal", residency=residency))
    paths = schedule.messages.paths
    needs = [
        slots(take(paths, np.arange(task.posts.start, task.posts.stop)))
        for tasks in schedule.tasks
        for task in tasks
        if len(task.posts)
    ]
    return {
        "n": n,
        "residency": residency,
        "most of a send": max(needs),
        "network steps": sum(needs),
        "most hops of a message": int(paths.hops.max()),
        "messages": len(schedule.messages),
        "hops": int(paths.hops.sum()),
        "words": int(schedule.messages.words.sum()),
    }


def _race(scope: Scope, name: MachineName) -> Row:
    """Gain of migrating data for each n, and the n from which it remains faster."""

    def both(n: int) -> list[int]:
        return [*makespans(Trial(n, name, residency=residency) for residency in RESIDENCIES).values()]

    def won(n: int) -> bool:
        home, away = both(n)
        return away < home

    gains = {f"n = {n}": ratio(*both(n)) for n in scope.sizes}
    return {"machine": name, "from n": pays_from(won, scope.searched), **gains}


# ------------------------------------------------------------
# How many processors: N, 2N, and 6N more for the columns of Eq. (84).

SMALL = (8, 16)


_LARGEST_WIDTHS = 64
_STEPS = {
    "2N processors replace N in the form paper": ("paper", 1, 2),
    "3N replace 2N in the form paper": ("paper", 2, 3),
    "8N replace 2N in the form paper": ("paper", 2, 8),
    "2N replace N in the form short": ("short", 1, 2),
    "3N replace 2N in the form short": ("short", 2, 3),
}


@claim(
    name="limited-speed-up",
    place="VI.C",
    says=(
        "Parallel computation by N processors, despite its asymptotic optimality, offers a limited "
        "speed-up for systems with small N, due to the large constant coefficients."
    ),
    experiment=(
        "The forms paper and short on one array, data migrating, n = 8 and 16: the best serial solution "
        "on one node over the makespan."
    ),
    rule="Limited: on no machine more than twice as fast as one node.",
)
def limited_speed_up(scope: Scope) -> Finding:
    rows: list[Row] = [
        {
            "machine": name,
            "n": n,
            **{
                f"{form}, {k}N": race(name, n, form, arrays=k).speed_up
                for form in ("paper", "short")
                for k in (1, 2)
            },
        }
        for name in scope.machines
        for n in SMALL
    ]
    columns = ("paper, 1N", "short, 1N")
    limited = cases_by("machine", rows, lambda row: max(row[name] for name in columns) <= 2)
    best = max(rows, key=lambda row: row["short, 1N"])
    because = (
        f"At best {best['short, 1N']} ({best['machine']}, n = {best['n']}, form short), at worst "
        f"{min(row['paper, 1N'] for row in rows)}."
    )
    return Finding(limited, "the machine is {}", because, (Table("Speed-up over one node", rows),))


@claim(
    name="more-processors",
    place="VI.C",
    says=(
        "Key to increasing the efficiency is to exploit a higher degree of parallelism by using a larger "
        "number of processors: 2N; and the system of Eq. (84) for six right-hand sides can be computed in "
        "parallel by 6N."
    ),
    experiment=(
        "The form paper on 1, 2, 3 (Newton-Euler apart) and 8 arrays (each column of Eq. (84) apart), and "
        "the form short on 1, 2 and 3, data migrating; n up to 64."
    ),
    rule=(
        "A width helps if on every machine it shortens the makespan of the next smaller one at every n; 8 "
        "arrays against 2."
    ),
)
def more_processors(scope: Scope) -> Finding:
    sizes = [n for n in scope.few if n <= _LARGEST_WIDTHS]
    rows: list[Row] = []
    for label, (form, fewer, more) in _STEPS.items():
        for name in scope.machines:
            gains = []
            for n in sizes:
                trials = [Trial(n, name, form, arrays=k) for k in (fewer, more)]
                before, after = makespans(trials).values()
                gains.append(ratio(before, after))
            by_n = {f"n = {n}": gain for n, gain in zip(sizes, gains, strict=True)}
            rows.append({"width": label, "machine": name, **by_n})
    helps = cases_by("width", rows, lambda row: min(row[f"n = {n}"] for n in sizes) > 1)
    wide = [row for row in rows if row["width"] == "8N replace 2N in the form paper"]
    columns = [f"n = {n}" for n in sizes]
    eight = [row[column] for row in wide for column in columns]
    two = [
        row[column]
        for row in rows
        if row["width"] == "2N processors replace N in the form paper"
        for column in columns
    ]
    because = (
        f"The second array makes the form paper {min(two):.3g} to {max(two):.3g} times as fast. "
        "Newton-Euler on a third one is hidden behind Step I already, or waits for messages wherever it "
        f"is. Six more for Eq. (84) gain {min(eight):.3g} to {max(eight):.3g} times; the form short, which "
        "needs no such sweep, has it for nothing."
    )
    return Finding(helps, "{}", because, (Table("Makespan of the narrower over that of the wider", rows),))


# ------------------------------------------------------------
# Section VI.C's first strategy: parallelism inside matrix-vector operations.


UNITS = (1, 2, 4, 9, 36)
ANY = 10**6
"""More than any kernel has operations."""
_SIZES = (8, 32)


@claim(
    name="fine-grain-strategy",
    place="VI.C",
    says=(
        "A first possible strategy is to exploit fine-grain parallelism in various matrix-vector operations. "
        "However, this would require the implementation of the algorithm on special-purpose parallel "
        "architectures. Here, we consider a second strategy based on a coarse-grain computation."
    ),
    experiment=(
        "The form paper on nodes with k = 1 to 36 arithmetic units, and with any number, which share every "
        "operation of a process, n = 8 and 32, data migrating: each matrix-vector operation in a schedule of "
        "its own scalar operations, longest chain first, and its sums in the order in which one unit makes "
        "them. And N nodes of two units against the second strategy's 2N nodes of one."
    ),
    rule=(
        "As said on a machine: at both n, 2N arithmetic units are faster as a second array than as a second "
        "unit in every node of one."
    ),
)
def fine_grain_strategy(scope: Scope) -> Finding:
    rows: list[Row] = []
    gains: list[Row] = []
    for name in scope.machines:
        for n in (n for n in scope.few if n in _SIZES):
            times = {units: _makespan(name, n, 2, units) for units in (*UNITS, ANY)}
            fine = _makespan(name, n, 1, 2)
            first = {"machine": name, "n": n}
            rows.append(
                {
                    **first,
                    "2 units in N nodes": fine,
                    "2N nodes": times[1],
                    "2N/2 units": ratio(times[1], fine),
                }
            )
            gains.append(
                first
                | {f"k = {units}": ratio(times[1], times[units]) for units in UNITS[1:]}
                | {"any k": ratio(times[1], times[ANY])}
            )
    cases = cases_by("machine", rows, lambda row: row["2N nodes"] < row["2 units in N nodes"])
    other = [name for name, holds in cases.items() if not holds]
    most = [row["any k"] for row in gains]
    reached = [ratio(row["k = 36"], row["any k"]) for row in gains]
    because = (
        f"With any number of units in each of 2N nodes it is {min(most)} to {max(most)} times as fast: what "
        "is left are messages, and the longest chain of every operation. 36 units have "
        f"{min(reached):.0%} of that or more."
    )
    if other:
        because += f" On {either(other)} two units in a node do more than a second array."
    figures = (
        Table("2N arithmetic units: makespan, cycles", rows),
        Table("How many times as fast 2N nodes are with k units each", gains),
        Table("A level of Step I.b: operations that follow each other, each taking as long", _level()),
    )
    return Finding(cases, "the machine is {}", because, figures)


@cache
def _level() -> list[Row]:
    """Operations of an interior process in the first level of Step I.b, by number of units."""
    shared = {k: on_units(variants.closed_chain(_SIZES[0]), k, (1, 1, 1, 1)) for k in (*UNITS, ANY)}
    level = [
        [
            line
            for line in program.streams[0]
            if isinstance(line, Compute) and line.step.startswith("I.b") and line.level == 1
        ]
        for program in shared.values()
    ]
    titles = ["all", *(f"k = {k}" for k in UNITS[1:]), "any k"]
    return [
        {"step": lines[0].step, "computes": str(lines[0])}
        | {
            title: line.expression.operations(line.expression.kernels[0]).flops
            for title, line in zip(titles, lines, strict=True)
        }
        for lines in zip(*level, strict=True)
    ]


@cache
def _makespan(name: MachineName, n: int, arrays: int, units: int) -> int:
    """Makespan of the form paper on nodes of several arithmetic units."""
    model = machine(name)
    timing = model.timing
    times = (timing.multiply, timing.add, timing.divide, timing.trig)
    proportions = tuple(Fraction(time) / (sum(times) or 1) for time in times)
    return int(
        words.timed(_placed(n, arrays, units, proportions, timeless(model)), model).summary["makespan"]
    )


@cache
def _placed(n: int, arrays: int, units: int, times: tuple[Fraction, ...], machine: Machine) -> Schedule:
    return words.placed(on_units(variants.closed_chain(n, arrays=arrays), units, times), machine)

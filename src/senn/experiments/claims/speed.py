"""How much faster than one node of the same machine: redundant arms, and nodes with control of their own."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import NamedTuple

from senn.algorithms.catalogue import algorithm
from senn.algorithms.family import costs
from senn.algorithms.programs import variants
from senn.algorithms.programs.free import inverse_dynamics
from senn.experiments.claims.claim import Claim, Finding, Row, Scope, Table, either, held
from senn.experiments.claims.networks import OTHERS
from senn.experiments.crossovers import race
from senn.experiments.measuring import Trial, cycles, machine, machine_of, makespan, ratio
from senn.machine.model.figures import plain
from senn.words import timed

REDUNDANT = Claim(
    name="redundant-arms",
    place="VII",
    says=(
        "The multilevel parallel computation can lead to a significant speed-up, particularly for highly "
        "redundant arms such as those of the Space Station, which may have as many as 25 degrees of "
        "freedom in total."
    ),
    experiment=(
        "n = 7 and 25 on every machine, data migrating: the best serial solution on one node over the "
        "makespan."
    ),
    rule="Significant: at least one and a half times as fast at n = 25, in the form paper.",
    examine=lambda scope: _redundant(scope),
)

MIMD = Claim(
    name="mimd-suitable",
    place="VI.E",
    says=(
        "The large grain size, the overlapping and the low level of communication make the algorithm highly "
        "suitable for implementation on MIMD architectures such as Hypercube."
    ),
    experiment=(
        "The form paper with a control unit in every node of two hypercubes (data at home, Gray code), n = 8 "
        "and 32: the best serial solution on one node over the makespan. Control of one's own is not free: "
        "to take a message a node looks for it in a loop (10 operations) or is interrupted (50), and it "
        "fetches from memory a program that is no short loop (a quarter of an operation more for each); "
        "nothing of this is charged to the one node."
    ),
    rule="Suitable on a machine: at n = 32 at least one and a half times as fast at every such cost.",
    examine=lambda scope: _mimd(scope),
)

FINE_GRAIN = Claim(
    name="newton-euler-on-mimd",
    place="VI.E",
    says=(
        "The parallel algorithm for computation of b'(theta, Qdot) has a fine grain and its implementation "
        "on MIMD architectures leads to a very limited speed-up."
    ),
    experiment=(
        "Inverse dynamics by scans with a control unit in every node of a hypercube of n nodes (data at "
        "home, Gray code), at no cost of control, against the recursion on one node; n = 8 and 32."
    ),
    rule="Very limited on a machine: at n = 8 and 32 the speed-up is less than a quarter of the n nodes.",
    examine=lambda scope: _fine_grain(scope),
)


def _redundant(scope: Scope) -> Finding:
    rows: list[Row] = [
        {"machine": name, "n": n, **{form: race(name, n, form).speed_up for form in variants.FORMS}}
        for name in scope.machines
        for n in (7, 25)
    ]
    station = {row["machine"]: row for row in rows if row["n"] == 25}
    best = max(station.values(), key=lambda row: row["short"])
    on = best["machine"]
    known = min(cycles(count(25), machine(on)) for count in (costs.mass_matrix, costs.articulated_bodies))
    before = ratio(known, race(on, 25, "paper").cycles)
    return Finding(
        cases={name: row["paper"] >= 1.5 for name, row in station.items()},
        when="the machine is {}",
        because=(
            f"50 processors make 25 joints {best['paper']} times as fast at best ({best['machine']}), and "
            f"{best['short']} times in the form short; {before} times over the best that was known in 1993, "
            "without PV-early. Where a start-up costs as much as hundreds of operations they are slower than "
            "one."
        ),
        figures=(Table("Speed-up over the best serial solution", rows),),
    )


class Control(NamedTuple):
    """What a control unit of its own costs a node, in operations of the machine."""

    text: str
    message: int
    """To take a message."""
    fetch: Fraction
    """For every operation, besides itself."""


COSTS = (
    Control("free", 0, Fraction(0)),
    Control("a loop looks for messages", 10, Fraction(0)),
    Control("messages interrupt, and fetching", 50, Fraction(1, 4)),
)
_SIZES = (8, 32)
_OPERATIONS = ("multiply", "add", "divide", "trig")


def _mimd(scope: Scope) -> Finding:
    rows: list[Row] = []
    for name in scope.machines:
        for n in _SIZES:
            one = race(name, n)
            gains = {
                cost.text: ratio(one.serial_cycles, makespan(_hypercube(name, n, cost))) for cost in COSTS
            }
            rows.append({"machine": name, "n": n, "SENN, SIMD": one.speed_up, **gains})
    last = {row["machine"]: row for row in rows if row["n"] == _SIZES[-1]}
    least = {name: min(row[cost.text] for cost in COSTS) for name, row in last.items()}
    free = [row[COSTS[0].text] for row in last.values()]
    short = max(row[COSTS[0].text] for row in rows if row["n"] == _SIZES[0])
    because = (
        f"At n = {_SIZES[-1]}, on {2 * _SIZES[-1]} nodes, it is {min(free)} to {max(free)} times as fast as "
        f"one node where control costs nothing, and {min(least.values())} to {max(least.values())} times at "
        f"the dearest; at n = {_SIZES[0]} at most {short}. "
        "A node of its own control spends no cycle on what it would be masked in, and nearly as many on its "
        "messages."
    )
    return Finding(
        {name: speed >= 1.5 for name, speed in least.items()},
        "the machine is {}",
        because,
        (Table("Speed-up over one node, by what control of one's own costs", rows),),
    )


def _hypercube(name: str, n: int, cost: Control) -> Trial:
    """The form paper on MIMD hypercubes."""
    timing = machine(name).timing
    settings = [("machine.control", "mimd")]
    settings += [
        (f"timing.{one}", str(plain(getattr(timing, one) * (1 + cost.fetch))))
        for one in _OPERATIONS
        if cost.fetch
    ]
    if cost.message:
        settings.append(("timing.receive", str(timing.receive + round(cost.message * timing.add))))
    cube = OTHERS["hypercube"]
    return Trial(n, name, residency="home", allocation=cube.allocation, settings=(*cube.settings, *settings))


@cache
def _newton_euler(name: str, n: int) -> int:
    """By scans on an MIMD hypercube."""
    on = machine_of(_hypercube(name, n, COSTS[0]))
    return int(
        timed(inverse_dynamics.program(n), on, "home", OTHERS["hypercube"].allocation).summary["makespan"]
    )


def _fine_grain(scope: Scope) -> Finding:
    rows: list[Row] = []
    recursion = algorithm("inverse-dynamics-newton-euler").operations
    assert recursion is not None
    for name in scope.machines:
        for n in _SIZES:
            serial = cycles(recursion(n), machine(name))
            taken = _newton_euler(name, n)
            speed = ratio(serial, taken)
            rows.append(
                {
                    "machine": name,
                    "n": n,
                    "one node": serial,
                    "n nodes": taken,
                    "speed-up": speed,
                    "of n": ratio(serial, n * taken),
                }
            )
    slow = {row["machine"] for row in rows if row["speed-up"] < 1}
    gains = [row["of n"] for row in rows]
    because = (
        f"Of its nodes it gains {min(gains)} to {max(gains)}. Its "
        "rounds are scans of 3 to 12 words with a few operations between them"
        + (f": on {either(sorted(slow))} it is slower than one node." if slow else ".")
    )
    limited = held(rows, "machine", lambda row: row["of n"] < 0.25)
    figures = Table("Newton-Euler on n nodes, each with control of its own: cycles", rows)
    return Finding(limited, "the machine is {}", because, (figures,))

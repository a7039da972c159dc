"""crossovers.md and its figures: the machine against one node of it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial

import polars as pl
from matplotlib.axes import Axes

from docs.make.page import Figures, folded, table
from senn.algorithms.family import costs
from senn.experiments import crossovers
from senn.experiments.claims import scope

MACHINES = scope(quick=False).machines
FORMS = ("short", "paper")
SIZES = (4, 8, 16, 32, 64, 128, 256, 512, 1024)

RACES = """# Crossovers: from how many joints on it pays

Made by `python -m docs.make crossovers`; the same in text or JSON, on any machine: `senn crossovers --form
short`.

The parallel program on 2 n nodes against the best serial solution on one node of the *same* machine,
revolute joints, welded tip, data migrating. Wins are exact: every n from 2 to {largest} is decided (within
equal M = ceil(log2 n) the makespan hardly changes and the serial time grows, so halving finds where winning
begins; at the next M a level is added and it may end). "First win if messages took no time" is the same
with start-up, words and posting free: what is lost beyond it is communication.

## Which n
"""

SERIAL = """
## The serial side

The best serial solution is the cheapest of four, by operations at the machine's own cycles each. All are
written in scalars, with nothing multiplied that is zero (`tests/oracles/economical`), checked against the
reference solvers, and executed on counting scalars, which give exactly these formulas
(`algorithms/family/costs.py`, `tests/algorithms/references/test_economical.py`):

| solution | multiply | add | divide | sine, cosine |
|---|---|---|---|---|
| articulated bodies, O(n) | 396 n + 264 | 370 n + 187 | n + 6 | 2 n |
| PV, O(n) | 416 n - 42 | 350 n - 73 | n + 6 | 2 n |
| PV-early, O(n) | 239 n + 1290 | 227 n + 905 | n + 6 | 2 n |
| mass matrix, O(n^3) | (n^3 + 45 n^2 + 1340 n) / 6 + 404 | (n^3 + 39 n^2 + 1142 n) / 6 + 310 | n + 6 | 2 n |
| open chain by articulated bodies | 231 n - 152 | 223 n - 166 | n | 2 n |

All include Newton-Euler for b and Jdot Q, and the contact force. The mass matrix and articulated bodies end
as Fijany's Table I does, with a second application of M^-1; articulated bodies carry Lambda^-1 outward as one
symmetric 6x6 matrix instead of six right-hand sides. PV (Popov and Vereshchagin) carries the six unit forces
of the contact inward instead, and needs no second application: as dear a link, and 566 operations less.
PV-early (Sathya, Bruyninckx, Decre and Pipeleers 2024) solves the contact behind the last six joints, and
what it does is an inertia from there on, so that a link more costs what it costs an open chain, but for 12
operations. That takes six joints that can do what the contact asks; with others it waits for some more
(`algorithms/family/forward/popov_vereshchagin_early.py`). With equal cycles for all operations, and 20 for a
sine, the mass matrix is the cheapest up to n = {matrix}, and PV-early from there on; without PV-early it
would be the mass matrix up to 15 and PV, without both the mass matrix up to 17 and articulated bodies. The
open chain costs 6 % more than the published count (McMillan and Orin 1995, as quoted by Featherstone and
Orin 2000: 224 n - 30, 205 n - 37).
"""


def _best(n: int) -> str:
    """The cheapest serial solution where all operations take as long, and a sine 20 times."""
    return min(costs.CLOSED, key=lambda name: costs.CLOSED[name](n).flops + 19 * costs.CLOSED[name](n).trig)


@cache
def raced(form: str) -> pl.DataFrame:
    """Times of the program and of the serial solution, n by n."""
    return crossovers.table(MACHINES, form, "migrating", SIZES)


def whole() -> Iterator[str]:
    """The page."""
    yield RACES.format(largest=SIZES[-1])
    for form in FORMS:
        yield f"Form {form}:\n"
        found = [crossovers.crossover(name, SIZES[-1], form) for name in MACHINES]
        yield from table(
            [
                {
                    "machine": f"`{one.machine}`",
                    "first win": one.first,
                    "wins for good from": one.lasting,
                    "first win if messages took no time": one.free_first,
                    "a start-up costs (operations)": one.startup,
                    "a word costs (operations)": one.word,
                }
                for one in found
            ]
        )
        yield ""
    yield "## How much\n"
    for form in FORMS:
        yield f"![Speed-up over n on every machine, form {form}](../figures/crossovers-{form}.png)\n"
        for column, title in (("speed_up", "Speed-up"), ("efficiency", "Speed-up per processor")):
            rows = table([{"n": n, **over_machines(form, n, column)} for n in SIZES])
            yield from folded(f"{title}, form {form}", rows)
            yield ""
    yield SERIAL.format(matrix=max(n for n in range(2, 65) if _best(n) == "mass matrix"))


def over_machines(form: str, n: int, column: str) -> dict[str, float]:
    """One figure of the race, machine by machine."""
    return {f"`{name}`": raced(form).filter(machine=name, n=n)[0, column] for name in MACHINES}


def drawn(form: str) -> Axes:
    """Speed-up over n."""
    return crossovers.draw(raced(form), caption=f"form {form}, data migrating")


TEXT = whole
FIGURES: Figures = {f"crossovers-{form}": partial(drawn, form) for form in FORMS}

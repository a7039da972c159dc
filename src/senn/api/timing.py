"""Programs without numbers: their text, their step law, and the search for a better placement."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Unpack

import polars as pl

from senn.api import building, own
from senn.api.arguments import sizes, with_choices
from senn.api.building import program_of
from senn.api.programs import loaded, placed, timed
from senn.choices import MachineChoices, ProgramChoices, Search
from senn.machine.engines import engine_of
from senn.machine.program.listing import listing
from senn.machine.search.optimise import SearchResult
from senn.machine.search.optimise import optimise as optimise_tables
from senn.traces.analysis import Law, exact_law
from senn.traces.facts import femtojoules
from senn.traces.record import refuse_fork


@with_choices(ProgramChoices)
def program(n: int = 8, *, step: str | None = None, **options: Unpack[ProgramChoices]) -> str:
    """The program for n links as text, in the manner of Fijany VI.D; `step` ("I.b", "II.c.3") selects a part.

    Residency "ahead" has a program of its own; the others share one.
    """
    return listing(program_of(options, n), step)


@with_choices(MachineChoices)
def steps(n: str | int | Iterable[int] | None = None, **options: Unpack[MachineChoices]) -> pl.DataFrame:
    """Counts for each n: levels, issued instructions of each array (`instructions_1`, ...), network steps,
    makespan, messages, and the `engine` that timed it.

    Timing only (durations never depend on data), for revolute joints and a welded tip. `n` is a list, or a
    text: "8,16,32"; "1:1024" for every 2^k and 3*2^k with both ends, the default ("1:256" for a program of
    your own, which may refuse a size by an InputError); "8:64:8" with a step. Queues of classes
    of channels time it ("classes"), up to a million links, where messages go to neighbours and on by
    shuffles; else the lockstep engine, and on machines that it refuses the event engine: their times are
    equal. With energies of the machine there is also `femtojoules`, of n up to `CHARGED`: it takes the whole
    trace.
    """
    refuse_fork()
    machine, rows = loaded(options["machine"], options["set"]), []
    # The last, as a rule the largest, first: a refusal comes at once, not after minutes.
    for size in reversed(sizes(n if n is not None else usual_sizes(options["algorithm"]))):
        program = program_of(options, size)
        charged, energy = bool(machine.energy) and program.n <= CHARGED, None
        summary: Mapping[str, Any]
        if not charged and (by_classes := building.timed_by_classes(options, program, machine)):
            engine, summary, count = "classes", by_classes.summary, by_classes.scores.network_steps
            instructions = list(map(len, by_classes.issues))
        else:
            engine = engine_of("auto", machine)
            schedule = placed(program, machine, options["residency"], options["allocation"])
            run = timed(schedule, machine, detail="full" if charged else "summary")
            summary, count, energy = run.summary, schedule.network_steps(), femtojoules(run)
            instructions = list(map(len, schedule.tasks))
        row = {"n": program.n, "levels": program.levels}
        row |= {f"instructions_{k}": issued for k, issued in enumerate(instructions, 1)}
        row |= {"network_steps": count, **{name: summary[name] for name in ("makespan", "messages")}}
        rows.append(row | ({"femtojoules": energy} if machine.energy else {}) | {"engine": engine})
    return pl.DataFrame(rows[::-1], schema_overrides={"femtojoules": pl.Int64} if machine.energy else None)


def usual_sizes(algorithm: str) -> str:
    """Sizes of `steps` unless others are named; programs of users may send far more messages."""
    return "1:256" if own.is_own(algorithm) else "1:1024"


CHARGED = 4096
"""Largest n whose energy `steps` adds up."""
NOT_FITTED = ("n", "levels", "messages", "femtojoules", "engine")
"""Columns of `steps` that have no law."""


def fits(table: pl.DataFrame) -> dict[str, Law]:
    """Exact laws in M of those columns of a table of `steps` that have one: a M + b, or a parabola.

    A law meets sizes that it was not fitted on; `sizes` and `start` say which n of the table it holds for.
    A table without n = 2^k + 1 (`emptiest`) shows too little.
    """
    n, levels = table["n"].to_list(), table["levels"].to_list()
    names = (name for name in table.columns if name not in NOT_FITTED)
    return {name: law for name in names if (law := exact_law(n, levels, table[name].to_list()))}


def emptiest(sizes: Sequence[int]) -> list[int]:
    """Sizes 2^k + 1 up to 1,025 between the least and the largest of some, without these: on them laws break.

    >>> emptiest([4, 8, 9, 32])
    [5, 17]
    """
    return [n for k in range(11) if min(sizes) < (n := 2**k + 1) < max(sizes) and n not in sizes]


@with_choices(MachineChoices)
def optimise(
    n: int = 8,
    *,
    search: Search = "renamings",
    budget: int = 200,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda runs, makespan: None,
    **options: Unpack[MachineChoices],
) -> SearchResult:
    """Search for a placement with a smaller makespan, in at most `budget` runs, with lower bounds on it.

    `search` selects the candidates: `renamings` of the nodes of the allocation, or tables with a renaming of
    their own for all `levels`. Timing only, for revolute joints and a welded tip, by the engine of `steps`.
    The result has the best candidate (`best.table`, (arrays, M + 1, n)), the lower bounds, and whether it is
    optimal and why (`because`). Equal seeds give equal results. `progress(runs, makespan)` gets the number of
    runs so far and the lowest makespan.
    """
    machine = loaded(options["machine"], options["set"])
    schedule = placed(program_of(options, n), machine, options["residency"], options["allocation"])
    return optimise_tables(
        schedule.flow,
        schedule.allocation,
        machine,
        each_level=search == "levels",
        budget=budget,
        seed=seed,
        progress=progress,
    )

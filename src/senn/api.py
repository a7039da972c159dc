"""What the command line does, as functions: every option is an argument of the same name."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, replace
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from senn.setup import Elimination, Form, Residency, Setup, Strategy, timed
from senn.sizes import sizes as sizes
from senn.traces.errors import InputError

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import ArrayLike

    from senn.algorithms.catalogue import Algorithm
    from senn.algorithms.problems.problem import Problem
    from senn.algorithms.robots.chain import Chain
    from senn.machine.model import Machine
    from senn.machine.placing.schedule import Schedule
    from senn.machine.search.optimise import Found
    from senn.traces.analysis import Law
    from senn.traces.run import Run

Detail = Literal["full", "instructions", "summary"]
Engine = Literal["events", "lockstep"]
Precision = Literal["single", "double"]

FITTED_FROM = {"migrating": 3, "ahead": 3, "home": 2}
"""The smallest n from which issued instructions are a M + b; below it programs lack steps."""

STAGES = ("reading", "placing", "simulating", "checking", "certifying")
"""What `run` does, one after the other."""

KEEP_VALUES_UP_TO = 32
"""Runs of at most so many processes keep every value of the program and every payload, for replays."""


def run(
    problem: str | PathLike[str] | Problem = "ssrms",
    *,
    tip: str | None = None,
    seed: int | None = None,
    algorithm: str = "closed-chain",
    form: Form = "paper",
    refine: int = 0,
    strategy: Strategy = 2,
    elimination: Elimination = "oee",
    arrays: int = 2,
    residency: Residency = "migrating",
    allocation: str | ArrayLike = "identity",
    machine: str | PathLike[str] | Machine = "mark3",
    set: Mapping[str, str | int] | None = None,
    engine: Engine = "events",
    precision: Precision = "double",
    detail: Detail = "full",
    check: bool = False,
    numbers: bool = True,
    values: bool | None = None,
    bounds: bool = False,
    progress: Callable[[str], None] = lambda stage: None,
) -> Run:
    """Solve a problem on arrays of processors, message by message, and certify the answer.

    `problem` is a bundled name, a generator text, a TOML file, a URDF with `tip`, or a Problem; `algorithm` a
    name of `senn list algorithms`: not all have the choices that follow, and those of the open chain leave a
    contact out, with a note. `form`, `refine`, `strategy`, `elimination` and `arrays` say which program runs,
    and so does residency "ahead", which has the places of "migrating". `allocation` is a name of
    `senn list allocations` (also of a file of one's own), or a table (M + 1, n) of nodes, or one for each
    array; `machine` a preset, a TOML file or a Machine, with `set` on top. `engine` is "events", message by
    message, or "lockstep", on whole arrays at once: the same run to the cycle and bit, sooner, and refused
    where it cannot be. `precision` is that of all numbers in memories and kernels; a number takes a word of
    64 bits either way. `check` verifies the invariants of the trace and the memories, which only "events"
    has. `values` keeps every value and payload (default: for n <= 32 at detail full). `bounds` adds two
    makespans of the same schedule to the description, without and with more communication: T0 on a free
    network, and T_block where a send returns on delivery. `progress` is told each of STAGES as it begins.

    Without `numbers` the timing alone runs (durations never depend on data): the same trace, but no result
    and no certificate.

    The run's `result` has what the algorithm answers; of the closed chain qdd and qdd0 (degrees,), the
    main chain's joints and then those of side branches, force (6,), lambda_inverse (6, 6), acceleration0 (6,)
    and the interbody forces, forces (n, 6), of the main chain. Its `certificate` says how that compares with
    independent serial solvers. Nothing is written: `run.save(folder)`.
    """
    from senn.algorithms import problems
    from senn.algorithms.certificate.certify import certify
    from senn.machine import invariants
    from senn.machine.engines import events, lockstep
    from senn.machine.engines.memory import PRECISIONS, rounded
    from senn.machine.placing.scores import scores

    if detail not in ("full", "instructions", "summary"):
        raise InputError(f'detail "{detail}" is not one of full, instructions, summary')
    if engine not in ("events", "lockstep"):
        raise InputError(f'engine "{engine}" is not one of events, lockstep')
    if precision not in PRECISIONS:
        raise InputError(f'precision "{precision}" is not one of {", ".join(PRECISIONS)}')
    if check and engine == "lockstep":
        raise InputError(
            'the engine "lockstep" has no memory of a node that could be checked: use the events engine'
        )
    if values and not numbers:
        raise InputError("values are kept of a run with numbers; leave --values out, or --no-numbers")
    progress("reading")
    asked = problem if isinstance(problem, problems.Problem) else problems.load(str(problem), tip, seed)
    setup = Setup(
        algorithm=algorithm,
        form=form,
        refine=refine,
        strategy=strategy,
        elimination=elimination,
        arrays=arrays,
        residency=residency,
        allocation=allocation,
        machine=machine,
        set=set,
    )
    on, chosen = setup.loaded(), setup.chosen
    if precision != "double" and chosen.serial:
        raise InputError(
            f'precision "{precision}": the serial algorithm {chosen.name} computes in double precision; '
            "leave --precision out, or take a parallel algorithm"
        )
    what = asked if chosen.closed else problems.free(asked)
    if chosen.serial and any(joint != "revolute" for joint in what.chain.joints):
        note = "the operations, and so the makespan, are those of as many revolute joints"
        what = replace(what, notes=(*what.notes, note))
    if numbers and "n iterations counted" in chosen.title:
        note = "the operations, and so the makespan, are those of n iterations; rounding makes it take more"
        what = replace(what, notes=(*what.notes, f"{note} (docs/counts.md)"))
    chain = what.chain
    program = setup.program(chain.n, chain.joints, what.contact.shape, what)
    progress("placing")
    schedule = setup.placed(program, on)
    progress("simulating")
    keep = numbers and (chain.n <= KEEP_VALUES_UP_TO if values is None else values)
    resident = rounded(chosen.memory(what), precision) if numbers else None
    if engine == "lockstep":
        raw = lockstep.simulate(schedule, on, resident, detail=detail, keep_values=keep)
    else:
        least: Detail = "full" if check else detail  # the invariants are those of the whole trace
        raw = events.simulate(schedule, on, resident, detail=least, check=check, keep_values=keep)
    if check:
        progress("checking")
        invariants.check(schedule, on, raw.trace)
        invariants.check_free_network(schedule, on, events.simulate)
        invariants.check_repeats(schedule, on, events.simulate)
    described = {
        **raw.description,
        "algorithm": chosen.name,
        "problem": _described(what),
        "seed": seed,
        "engine": engine,
        "precision": precision,
        "checked": check,
        **({"bounds": _bounds(schedule, on, raw)} if bounds else {}),
        "allocation": {
            "name": allocation if isinstance(allocation, str) else "table",
            "residency": setup.residency_of(schedule),
            **raw.description["allocation"],
        },
        "scores": asdict(scores(schedule, int(raw.summary["makespan"]))),
        "versions": _versions(),
    }
    whole = replace(raw, description=described)
    if numbers:
        progress("certifying")
        found = dict(chosen.answers(what, raw.result))
        printed = "form" in chosen.choices and form == "paper"
        untried = _untried(chosen, form, refine, precision)
        certificate = certify(what, found, untried, recurrences=printed).as_dict()
        whole = replace(whole, result=found, certificate=certificate)
    return whole.at_detail(detail)


def _untried(chosen: Algorithm, form: str, refine: int, precision: str) -> tuple[str, ...]:
    """Options that may mend the accuracy of a run that had not got them."""
    tried = {"--refine 1": bool(refine), "--form short": form != "paper"}
    ways = tuple(way for way, done in tried.items() if way.split()[0][2:] in chosen.choices and not done)
    return ways if precision == "double" else (*ways, "--precision double")


def _bounds(schedule: Schedule, machine: Machine, run: Run) -> dict[str, int]:
    """T0 <= T always; T <= T_block usually: queues have anomalies, so that is reported and never asserted."""
    from senn.machine import invariants
    from senn.machine.engines import events

    blocking = events.simulate(
        schedule, machine.with_settings({"machine.dma": False}), None, detail="summary"
    )
    return {
        "free_network": invariants.free_network(schedule, machine),
        "makespan": run.summary["makespan"],
        "blocking": blocking.summary["makespan"],
    }


def default_folder(run: Run) -> Path:
    """Where a run is kept unless the user says otherwise: runs/<problem>-<first 8 of the trace hash>."""
    name = "".join(c if c.isalnum() or c in "-_." else "-" for c in run.description["problem"]["name"])
    return Path("runs") / f"{name}-{run.trace.hash[:8]}"


def open_run(folder: str | PathLike[str]) -> Run:
    """Read a run folder."""
    from senn.traces.run import Run

    return Run.load(folder)


def steps(
    n: str | Iterable[int] = "1:1024",
    *,
    algorithm: str = "closed-chain",
    form: Form = "paper",
    refine: int = 0,
    strategy: Strategy = 2,
    elimination: Elimination = "oee",
    arrays: int = 2,
    residency: Residency = "migrating",
    allocation: str = "identity",
    machine: str | PathLike[str] | Machine = "mark3",
    set: Mapping[str, str | int] | None = None,
) -> pl.DataFrame:
    """The step law: levels, issued instructions of each array (`instructions_1`, ...), network steps,
    makespan, messages, per n.

    Timing only (durations never depend on data), for revolute joints and a welded tip. `n` is a list, or a
    text: "8,16,32"; "1:1024" for every 2^k and 3*2^k with both ends; "8:64:8" with a step. Timed by the
    lockstep engine, and by the event engine on machines that it refuses: their times are the same.
    """
    import polars as pl

    setup = Setup(
        algorithm=algorithm,
        form=form,
        refine=refine,
        strategy=strategy,
        elimination=elimination,
        arrays=arrays,
        residency=residency,
        allocation=allocation,
        machine=machine,
        set=set,
    )
    on = setup.loaded()
    rows = []
    for size in sizes(n) if isinstance(n, str) else n:
        schedule = setup.placed(setup.program(size), on)
        run = timed(schedule, on)
        rows.append(
            {
                "n": size,
                "levels": schedule.program.levels,
                **{f"instructions_{k}": len(tasks) for k, tasks in enumerate(schedule.tasks, 1)},
                "network_steps": schedule.network_steps(),
                "makespan": run.summary["makespan"],
                "messages": len(schedule.messages),
            }
        )
    return pl.DataFrame(rows)


def optimise(
    n: int = 8,
    *,
    algorithm: str = "closed-chain",
    form: Form = "paper",
    refine: int = 0,
    strategy: Strategy = 2,
    elimination: Elimination = "oee",
    arrays: int = 2,
    residency: Residency = "migrating",
    allocation: str | ArrayLike = "identity",
    machine: str | PathLike[str] | Machine = "mark3",
    set: Mapping[str, str | int] | None = None,
    budget: int = 200,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda runs, makespan: None,
) -> Found:
    """Search the renamings of the nodes of an allocation for the least makespan, in at most `budget` runs.

    Timing only, for revolute joints and a welded tip, by the engine that `steps` takes. The result has the
    table found (`best.table`, (arrays, M + 1, n)), the lower bounds, and says whether it is optimal and why
    (`because`). Equal seeds find equal tables. `progress` is told the runs so far and the least makespan.
    """
    from senn.machine.search.optimise import optimise as search

    setup = Setup(
        algorithm=algorithm,
        form=form,
        refine=refine,
        strategy=strategy,
        elimination=elimination,
        arrays=arrays,
        residency=residency,
        allocation=allocation,
        machine=machine,
        set=set,
    )
    on = setup.loaded()
    schedule = setup.placed(setup.program(n), on)
    return search(
        schedule.flow,
        schedule.allocation,
        on,
        budget=budget,
        seed=seed,
        simulate=lambda schedule, on, memory, detail: timed(schedule, on),
        progress=progress,
    )


def laws(table: pl.DataFrame, residency: Residency = "migrating") -> dict[str, Law]:
    """The fit a M + b over a table of `steps`, by column, without the sizes below FITTED_FROM."""
    import polars as pl

    from senn.traces.analysis import fit

    fitted = table.filter(pl.col("n") >= FITTED_FROM[residency])
    names = [name for name in table.columns if name not in ("n", "levels", "messages")]
    if fitted["levels"].n_unique() < 2:
        return {}
    return {name: fit(fitted["levels"].to_list(), fitted[name].to_list()) for name in names}


def listing(
    n: int = 8,
    *,
    algorithm: str = "closed-chain",
    form: Form = "paper",
    refine: int = 0,
    strategy: Strategy = 2,
    elimination: Elimination = "oee",
    arrays: int = 2,
    residency: Residency = "migrating",
    step: str | None = None,
) -> str:
    """The program as text, in the manner of Fijany VI.D; `step` ("I.b", "II.c.3") keeps a part of it.

    Of the residencies, "ahead" has a program of its own.
    """
    from senn.machine.program.listing import listing as text

    setup = Setup(
        algorithm=algorithm,
        form=form,
        refine=refine,
        strategy=strategy,
        elimination=elimination,
        arrays=arrays,
        residency=residency,
    )
    return text(setup.program(n), step)


def _described(problem: Problem) -> dict[str, Any]:
    chain = problem.chain
    return {
        "name": problem.name,
        "source": problem.source,
        "robot": chain.name,
        "joints": list(chain.joints),
        **({"branches": _branches(chain)} if chain.branches else {}),
        "gravity": problem.gravity.tolist(),
        "q": problem.q.tolist(),
        "qd": problem.qd.tolist(),
        "tau": problem.tau.tolist(),
        "qdd": problem.qdd.tolist(),
        "tip_vector": problem.tip_vector.tolist(),
        "contact": problem.contact.described(),
        "notes": list(problem.notes),
    }


def _branches(chain: Chain) -> list[dict[str, Any]]:
    """The side branches in words and numbers, by link."""
    from senn.algorithms.robots import side_tree

    names = chain.all_joint_names
    return [
        {
            "link": tree.at,
            "joints": list(tree.joints),
            "names": list(names[side_tree.places(chain)[tree.at]]),
            "hang_on": list(tree.parents),
        }
        for tree in side_tree.structure(chain)
    ]


def _versions() -> dict[str, str]:
    packages = ("senn", "numpy", "simpy", "networkx", "polars")
    return {"python": platform.python_version(), **{name: version(name) for name in packages}}

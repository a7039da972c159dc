"""Words to run with: a program of any kind placed, timed or solved in one call.

`senn.run` takes a problem all the way to a certificate; these take a program, also one of your own.

>>> import senn
>>> from senn.algorithms.programs import variants
>>> senn.timed(variants.closed_chain(8)).summary["makespan"]
7674
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike

from numpy.typing import ArrayLike

from senn.algorithms import account
from senn.choices import DEFAULT_MACHINE, Detail, Engine, Residency
from senn.machine import engines, model
from senn.machine.model import Machine
from senn.machine.placing import allocation as allocations
from senn.machine.placing.allocation import Function
from senn.machine.placing.schedule import Schedule, place
from senn.machine.program import Program
from senn.machine.program.flow import Flow
from senn.traces.run import Run


def placed(
    program: Program | Flow | Schedule,
    machine: str | PathLike[str] | Machine = DEFAULT_MACHINE,
    residency: Residency = "migrating",
    allocation: str | ArrayLike | Function = "identity",
) -> Schedule:
    """The schedule of a program: node and lanes of each instruction, route of each message; a schedule as it
    is.

    `machine` is a preset, a TOML file or a Machine. `allocation` is a name of `senn list allocations`, a
    table (M + 1, n) of nodes, a table for each array, or a function (n, levels, nodes) that returns tables; a
    table sets all levels, and residency is ignored. Residency "ahead" has the places of "migrating". Raises
    InputError for a value that is never delivered, and for an allocation of another size.
    """
    if isinstance(program, Schedule):
        return program
    on = loaded(machine)
    source = program.program if isinstance(program, Flow) else program
    if callable(allocation):
        return place(program, allocations.of_function(allocation, source.n, on.nodes_for(source.levels)), on)
    if not isinstance(allocation, str):
        return place(program, allocation, on)
    places = "migrating" if residency == "ahead" else residency
    table = allocations.named(allocation, source.n, places, on.nodes_for(source.levels))
    return place(program, table, on)


def timed(
    program: Program | Flow | Schedule,
    machine: str | PathLike[str] | Machine = DEFAULT_MACHINE,
    residency: Residency = "migrating",
    allocation: str | ArrayLike | Function = "identity",
    *,
    engine: Engine = "auto",
    detail: Detail = "summary",
) -> Run:
    """Places and times of a program, without numbers: durations never depend on them.

    `engine` "auto" is the quickest engine that is exact on this machine. A schedule is run as it was placed,
    and residency and allocation are ignored: machines that differ in times only can share it.
    """
    on = loaded(machine)
    schedule = placed(program, on, residency, allocation)
    return replace(engines.simulate(schedule, on, engine=engine, detail=detail), sections=account.program)


def loaded(machine: str | PathLike[str] | Machine, set: Mapping[str, str | int] | None = None) -> Machine:
    """A preset, the machine of a TOML file, or a Machine as it is; with the fields of `set` changed."""
    named = machine if isinstance(machine, model.Machine) else model.load(str(machine))
    return named.with_settings(set) if set else named

"""A recorded run on other machines, timed without numbers, from its tables alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from os import PathLike
from weakref import WeakKeyDictionary

from senn.api.programs import loaded
from senn.api.recorded import Recorded, recorded_run
from senn.base.digest import digest
from senn.base.errors import InputError
from senn.choices import DEFAULT_MACHINE, Detail
from senn.machine import timing as timings
from senn.machine.model import Machine
from senn.machine.model.figures import exact
from senn.machine.model.machine import of_description
from senn.machine.placing.schedule import Schedule
from senn.machine.timing import Hiding, Retiming, Sensitivity, Timing, recorded_schedule
from senn.traces.run import Run


def retime(
    run: Recorded,
    *,
    machine: str | PathLike[str] | Machine | None = None,
    set: Mapping[str, str | int] | None = None,
) -> Timing:
    """Timing of a recorded run on another machine, to the cycle and without numbers.

    `run` is a run or its folder, `machine` a preset, a TOML file or a Machine (default: the recorded
    machine); `set` changes its fields: ``set={"timing.startup": 100}``. The result has the `makespan`, and as
    `run()`, `trace` and `summary` all that a run on that machine leaves but its numbers. `by` says whether
    the times follow from the order in which the record served its messages ("order", milliseconds) or had to
    be found message by message ("events"), and `why`. InputError for a machine that needs another schedule,
    by its network, nodes, shuffle, merge_parallel, routing or arrays_at_once, and for a run of less detail
    than full.

    >>> import senn
    >>> run = senn.run("ssrms", machine="mark3", numbers=False)
    >>> slower = senn.retime(run, set={"timing.startup": 2000})
    >>> run.summary["makespan"], slower.makespan, slower.by
    (120582, 208582, 'order')
    """
    recorded = recorded_run(run)
    timing = retiming(recorded).timing(machine_of(recorded, machine, set))

    def described(detail: Detail) -> Run:
        # As in the record; the inputs are those of the record and the machine.
        retimed, record = timing.make_run(detail), recorded.description
        description = {name: record[name] for name in record if name not in ("bounds", "processes")}
        description |= {"machine": retimed.description["machine"], "checked": False}
        description["inputs"] = digest([record.get("inputs"), timing.machine.describe()])
        description["retimed"] = {"from": record.get("inputs"), "by": timing.by}
        if "scores" in record:
            description["scores"] = {**record["scores"], "makespan": timing.makespan}
        return replace(retimed, description=description, sections=recorded.sections)

    return replace(timing, make_run=described)


def sensitivities(
    run: Recorded,
    *,
    machine: str | PathLike[str] | Machine | None = None,
    set: Mapping[str, str | int] | None = None,
    percents: Sequence[int] = (1, 2, 5),
) -> tuple[Sensitivity, ...]:
    """Sensitivity of the makespan of a recorded run, a row for each time of the machine that matters.

    A row has the `value` of the time, how many cycles one more of it costs (`more`) and one less saves
    (`less`), its `share` of the makespan, and in `dearer`, by per cent, the largest value with which the
    makespan is at most so much more, exactly. Arguments as in `retime`.

    >>> import senn
    >>> rows = senn.sensitivities(senn.run("ssrms", machine="mark3", numbers=False))
    >>> [(row.name, int(row.more), f"{float(row.dearer[5]):g}") for row in rows if row.dearer]
    [('startup', 88, '1068'), ('word', 350, '81'), ('flop', 2522, '6.375')]
    """
    recorded = recorded_run(run)
    return timings.sensitivities(retiming(recorded), machine_of(recorded, machine, set), percents)


def hiding(
    run: Recorded,
    *,
    machine: str | PathLike[str] | Machine | None = None,
    set: Mapping[str, str | int] | None = None,
    startups: Sequence[int | str | Fraction] | None = None,
    words: Sequence[int | str | Fraction] | None = None,
    percent: int | str | Fraction = 5,
) -> Hiding:
    """Map of the cost of communication of a recorded run over start-up and word time (cycles, exact).

    By default both axes span three decades around the values of the machine. Communication is hidden where
    the run is at most `percent` longer than on a network that takes no time. The result has `table`, `curve`
    (the break-even) and `plot()`. Other arguments as in `retime`.

    >>> import senn
    >>> run = senn.run("ssrms", machine="mark3", numbers=False)
    >>> found = senn.hiding(run, startups=[10, 100], words=[1, 10])
    >>> found.free, found.table["makespan"].to_list(), found.curve["startup"].to_list()[0]
    (27886, [28533, 31922, 31353, 34982], 32.0)
    """

    def cycles(values: Sequence[int | str | Fraction] | None, option: str) -> list[Fraction] | None:
        return None if values is None else [exact(value, option) for value in values]

    recorded = recorded_run(run)
    within = exact(percent, "percent") / 100
    varied = machine_of(recorded, machine, set)
    return timings.hiding(
        retiming(recorded), varied, cycles(startups, "startups"), cycles(words, "words"), within
    )


def retiming(run: Recorded | Schedule, machine: str | PathLike[str] | Machine = DEFAULT_MACHINE) -> Retiming:
    """A run, its folder, or a schedule, to be timed on many machines.

    ``.timing(machine)`` is the timing of `retime`, ``.makespans(machines)`` times thousands of machines a
    second. The retiming of a run is kept as long as the run. A schedule has no record: `machine` is then the
    one on which it is timed first, message by message.
    """
    if isinstance(run, Schedule):
        return Retiming(run, loaded(machine))
    recorded = recorded_run(run)
    if recorded not in _RETIMINGS:
        schedule, queued = recorded_schedule(recorded), recorded.trace.hops["queued"].to_numpy()
        _RETIMINGS[recorded] = Retiming(schedule, of_description(recorded.description["machine"]), queued)
    return _RETIMINGS[recorded]


_RETIMINGS: WeakKeyDictionary[Run, Retiming] = WeakKeyDictionary()


def machine_of(
    run: Run, machine: str | PathLike[str] | Machine | None = None, set: Mapping[str, str | int] | None = None
) -> Machine:
    """The machine of the run unless another is named, with fields of it set."""
    if machine is None and "processes" in run.description:
        raise InputError(
            "the times of this run were measured, not those of a machine: name one to time it on, such "
            "as the file of senn new FILE.toml --calibrate (--machine FILE.toml)"
        )
    other = of_description(run.description["machine"]) if machine is None else loaded(machine)
    return other.with_settings(set) if set else other

"""A run timed anew on other machines, from its record, without numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from os import PathLike
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from senn.api.recorded import open_run
from senn.words import loaded

if TYPE_CHECKING:
    from senn.machine.model import Machine
    from senn.machine.placing.schedule import Schedule
    from senn.machine.retiming import Hiding, Retiming, Sensitivity, Timing
    from senn.traces.run import Run

    Recorded = str | PathLike[str] | Run


def retime(
    run: Recorded,
    *,
    machine: str | PathLike[str] | Machine | None = None,
    set: Mapping[str, str | int] | None = None,
) -> Timing:
    """How long a recorded run would have taken on another machine, to the cycle and without numbers.

    `run` is a run or its folder, `machine` a preset, a TOML file or a Machine, by default that of the run;
    `set` changes fields of it: ``set={"timing.startup": 100}``. The result has the `makespan`, and as
    `run()`, `trace` and `summary` all that a run on that machine leaves but its numbers. `by` says whether
    the times follow from the order in which the record served its messages ("order", milliseconds) or had to
    be found message by message ("events"), and `why`. InputError where another schedule would run: network,
    nodes, shuffle, merge_parallel, routing and arrays_at_once are what a program is placed by.

    >>> import senn
    >>> run = senn.run("ssrms", numbers=False)
    >>> slower = senn.retime(run, set={"timing.startup": 2000})
    >>> run.summary["makespan"], slower.makespan, slower.by
    (120582, 208582, 'order')
    """
    recorded = _read(run)
    again = retiming(recorded)
    on = machine_of(recorded, machine, set)
    timing = again.timing(on)
    return replace(timing, made=lambda detail: _told(recorded, timing.made(detail), timing))


def sensitivities(
    run: Recorded,
    *,
    machine: str | PathLike[str] | Machine | None = None,
    set: Mapping[str, str | int] | None = None,
    percents: Sequence[int] = (1, 2, 5),
) -> tuple[Sensitivity, ...]:
    """What the makespan of a recorded run depends on, a row for each time of the machine that matters.

    A row has the `value` of the time, how many cycles one more of it costs (`more`) and one less saves
    (`less`), its `share` of the makespan, and in `dearer`, by per cent, the largest value with which the
    makespan is at most so much more, exactly. The arguments are those of `retime`.

    >>> import senn
    >>> rows = senn.sensitivities(senn.run("ssrms", numbers=False))
    >>> [(row.name, int(row.more), f"{float(row.dearer[5]):g}") for row in rows if row.dearer]
    [('startup', 88, '1068'), ('word', 350, '81'), ('flop', 2522, '6.375')]
    """
    from senn.machine.retiming import sensitivities

    recorded = _read(run)
    return sensitivities(retiming(recorded), machine_of(recorded, machine, set), percents)


def hiding(
    run: Recorded,
    *,
    machine: str | PathLike[str] | Machine | None = None,
    set: Mapping[str, str | int] | None = None,
    startups: Sequence[int | str | Fraction] | None = None,
    words: Sequence[int | str | Fraction] | None = None,
    percent: int | str | Fraction = 5,
) -> Hiding:
    """Where communication of a recorded run is hidden, over start-up and word time (cycles, exact).

    Without values they are three decades around those of the machine. Hidden is what makes the run at most
    `percent` longer than a network that takes no time would. The result has `table`, `curve` (the break-even)
    and `plot()`. The other arguments are those of `retime`.

    >>> import senn
    >>> found = senn.hiding(senn.run("ssrms", numbers=False), startups=[10, 100], words=[1, 10])
    >>> found.free, found.table["makespan"].to_list(), found.curve["startup"].to_list()[0]
    (27886, [28533, 31922, 31353, 34982], 32.0)
    """
    from senn.machine.model.figures import exact
    from senn.machine.retiming import hiding

    def values(given: Sequence[int | str | Fraction] | None, what: str) -> list[Fraction] | None:
        return None if given is None else [exact(one, what) for one in given]

    recorded = _read(run)
    within = exact(percent, "percent") / 100
    on = machine_of(recorded, machine, set)
    return hiding(retiming(recorded), on, values(startups, "startups"), values(words, "words"), within)


def retiming(run: Recorded | Schedule, machine: str | PathLike[str] | Machine = "mark3") -> Retiming:
    """Of a run, its folder, or a schedule that is to be timed on many machines: ``.timing(machine)`` is what
    `retime` says, ``.makespans(machines)`` thousands of machines a second.

    Of a run it is made once and kept as long as the run. A schedule has no record: `machine` is then the one
    on which it is timed first, message by message.
    """
    from senn.machine.placing.schedule import Schedule
    from senn.machine.retiming import Retiming

    if isinstance(run, Schedule):
        return Retiming(run, loaded(machine))
    recorded = _read(run)
    if recorded not in _MADE:
        from senn.api.what_if.rebuilt import rebuilt  # brings NumPy, which --help does without

        schedule, on = rebuilt(recorded)
        hops = recorded.trace.hops
        queued = hops["queued"].to_numpy() if recorded.trace.detail == "full" else None
        _MADE[recorded] = Retiming(schedule, on, queued)
    return _MADE[recorded]


_MADE: WeakKeyDictionary[Run, Retiming] = WeakKeyDictionary()


def _read(run: Recorded) -> Run:
    from senn.traces.run import Run

    return run if isinstance(run, Run) else open_run(run)


def machine_of(
    run: Run,
    machine: str | PathLike[str] | Machine | None = None,
    set: Mapping[str, str | int] | None = None,
) -> Machine:
    """The machine that is asked for: that of the run unless another is named, with its fields set."""
    from senn.machine.model.reader import of_description

    found = of_description(run.description["machine"]) if machine is None else loaded(machine)
    return found.with_settings(set) if set else found


def _told(recorded: Run, anew: Run, timing: Timing) -> Run:
    """The run timed anew with all that the record says of its question; what it was made of are the inputs of
    the record and the machine."""
    from senn.traces.digest import digest

    said: Mapping[str, Any] = recorded.description
    known_by = digest([said["inputs"], timing.machine.describe()])
    scores = {**said["scores"], "makespan": timing.makespan}
    kept = {name: entry for name, entry in said.items() if name != "bounds"}
    description = {
        **kept,
        "machine": anew.description["machine"],
        "scores": scores,
        "checked": False,
        "inputs": known_by,
        "retimed": {"from": said["inputs"], "by": timing.by},
    }
    return replace(anew, description=description)

"""What the makespan is sensitive to, on one machine: a row for each of its times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from senn.machine.model import Machine
from senn.machine.retiming.costs import dearest, times
from senn.machine.retiming.retiming import Retiming
from senn.machine.retiming.slopes import slopes

PERCENTS = (1, 2, 5)


@dataclass(frozen=True)
class Sensitivity:
    """Of the makespan to a time of the machine.

    `more` is how many cycles one cycle more of it costs, `less` how many one cycle less saves (they differ
    where several paths are longest), before durations are rounded up; None where the least change may let a
    message overtake another. `share` is value x more / makespan: the per cent that one per cent of it costs.
    `dearer` has, by per cent, the largest value with which the makespan is at most so much more (exact,
    rounding and all), None where no value costs as much; of start-up, word, hop, and the operation.
    """

    name: str
    value: Fraction
    more: Fraction | None
    less: Fraction | None
    share: Fraction | None
    dearer: Mapping[int, Fraction | None] = field(default_factory=dict)


def sensitivities(
    retiming: Retiming, machine: Machine, percents: Sequence[int] = PERCENTS
) -> tuple[Sensitivity, ...]:
    """A row for each time that the schedule depends on; `flop` are those of operations together.

    InputError on machines that no order of service can be kept to on, and where messages take no time.
    """
    graph = retiming.graph(machine)
    makespan = int(graph.filled.makespan[0])
    found = slopes(graph.order, retiming.work, machine, graph.cycles, graph.filled)
    varied = {one.name: one for one in times(machine, retiming.work)}
    rows = []
    for name, slope in found.items():
        one = varied.get(name)
        value = one.value if one else Fraction(getattr(machine.timing, name))
        if slope.more == slope.less == 0 and one is None:
            continue
        dearer = {}
        for percent in percents if one else ():
            most = makespan * Fraction(100 + percent, 100)
            assert one is not None
            dearer[percent] = dearest(
                one, most, lambda tried: retiming.makespans(tried).cycles.tolist(), slope.more or Fraction(0)
            )
        share = None if slope.more is None else value * slope.more / max(makespan, 1)
        rows.append(Sensitivity(name, value, slope.more, slope.less, share, dearer))
    return tuple(rows)

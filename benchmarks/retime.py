"""How fast a schedule is timed anew: processor time, medians.

    python benchmarks/retime.py           n = 8, 64, 1024
    python benchmarks/retime.py --quick   n = 8, once: only that it works

The closed chain (form paper, migrating) on mark3. First: `lockstep`, a run without numbers and trace; then
`order`, the graph of the order in which it was served; `one`, the makespan of one other machine from it; and
`machines/s`, of many machines with drawn start-up, word and operation, making the machines included. `events`
are those of them whose order was another one, and had to be found message by message.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

import numpy as np

import senn
from senn.algorithms.programs import variants
from senn.machine.engines import lockstep
from senn.machine.model import Machine, load
from senn.machine.placing.schedule import Schedule
from senn.machine.timing import Retiming

MANY = 2000


def median(times: int, work: Callable[[], object]) -> float:
    """Seconds of the processor, the median of several runs of `work`."""
    seconds = []
    for _ in range(times):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return statistics.median(seconds)


def drawn(machine: Machine, number: int) -> list[Machine]:
    """Machines with other start-ups, word times and operations, equal seeds equal machines."""
    rng = np.random.default_rng(1)
    return [
        machine.with_settings({"timing.startup": a, "timing.word": b, "timing.flop": c})
        for a, b, c in rng.integers(1, 1000, (number, 3)).tolist()
    ]


def measured(schedule: Schedule, machine: Machine, repeat: int, many: int) -> str:
    """A row of the table."""
    engine = median(repeat, lambda: lockstep.simulate(schedule, machine, None, detail="summary"))
    retiming = Retiming(schedule, machine)
    first = median(1, lambda: retiming.timing(machine))
    other = machine.with_settings({"timing.post": 2})
    one = median(max(repeat, 3), lambda: retiming.timing(other))
    found = retiming.makespans(drawn(machine, many))  # the orders that they need are known from here on
    rate = many / median(repeat, lambda: retiming.makespans(drawn(machine, many)))
    by_events = int((~found.by_order).sum())
    return f"{engine:10.3f} {first:8.3f} {1000 * one:8.1f} {rate:12,.0f} {by_events:8}"


def main() -> None:
    """The table."""
    quick = "--quick" in sys.argv[1:]
    machine = load("mark3")
    print(f"{'n':>6} {'lockstep s':>10} {'order s':>8} {'one ms':>8} {'machines/s':>12} {'events':>8}")
    for n in (8,) if quick else (8, 64, 1024):
        schedule = senn.placed(variants.closed_chain(n), machine)
        print(f"{n:6} {measured(schedule, machine, 1 if quick else 5, 50 if quick else MANY)}")


if __name__ == "__main__":
    main()

"""How fast the SimPy engine is: place and simulate, with numbers and without, as ratios within one run.

python benchmarks/engine.py           n = 64, 256, 1024, medians of five
python benchmarks/engine.py --quick   n = 32, once: only that it works
"""

from __future__ import annotations

import heapq
import statistics
import sys
import time
from collections.abc import Callable

from senn.algorithms import closed_chain, problem
from senn.algorithms.resident import memory
from senn.machine import allocation, events, model
from senn.machine.schedule import place


def median(times: int, work: Callable[[], object]) -> float:
    """Seconds, the median of several runs of `work`."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def bare_heap(items: int) -> None:
    """A heapq loop that pushes and pops as many items: the floor for any event loop in Python."""
    heap: list[tuple[int, int]] = []
    for k in range(items):
        heapq.heappush(heap, (k % 997, k))
    while heap:
        heapq.heappop(heap)


def main(quick: bool) -> None:
    machine = model.load("mark3")
    print(
        f"{'n':>5} {'form':6} {'messages':>9} {'hops':>9} {'place s':>8} {'timing s':>9} {'hops/s':>9} "
        f"{'with numbers s':>14} {'timing / heap':>14}"
    )
    for n in (32,) if quick else (64, 256, 1024):
        for form in closed_chain.FORMS:
            repeat = 1 if quick else 5 if n < 1024 else 3
            program = closed_chain.program(n, form)
            table = allocation.named("identity", n, "migrating")
            schedule = place(program, table, machine)
            values = memory(problem.load(f"random:{n}:seed=1"))
            placing = median(repeat, lambda p=program, t=table: place(p, t, machine))
            timing = median(repeat, lambda s=schedule: events.simulate(s, machine, None))
            whole = median(repeat, lambda s=schedule, v=values: events.simulate(s, machine, v))
            hops = len(schedule.messages.paths.channels)
            floor = median(repeat, lambda h=hops: bare_heap(h))
            print(
                f"{n:5d} {form:6} {len(schedule.messages):9,d} {hops:9,d} {placing:8.3f} {timing:9.3f} "
                f"{hops / timing:9,.0f} {whole:14.3f} {timing / floor:14.1f}"
            )


if __name__ == "__main__":
    main("--quick" in sys.argv[1:])

"""How fast it is, as ratios within one run: the SimPy engine against SimPy itself, and the whole job.

    python benchmarks/engine.py           n = 64, 256, 1024; medians
    python benchmarks/engine.py --quick   n = 32, once: only that it works
    python benchmarks/engine.py --engines the engines alone, without the whole jobs

Engines: hops served per second with a full trace, against timeouts per second of SimPy used as clock and
queue alone (one timeout with a callback for every hop), and the lockstep engine beside it. Whole job: a new
process runs `senn run random:N`, start-up, certificate, pictures and folder included; time and peak memory
are the operating system's.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import simpy

from senn.algorithms.programs import variants
from senn.machine import model
from senn.machine.engines import events, lockstep
from senn.machine.placing import allocation
from senn.machine.placing.schedule import place


def median(times: int, work: Callable[[], object]) -> float:
    """Seconds, the median of several runs of `work`."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def bare_simpy(timeouts: int) -> None:
    """SimPy as clock and queue: as many timeouts, each with a callback, over as many cycles as a run has."""
    env = simpy.Environment()
    served = 0

    def count(_: simpy.Event) -> None:
        nonlocal served
        served += 1

    for k in range(timeouts):
        timeout = env.timeout(k % 9973)
        assert timeout.callbacks is not None
        timeout.callbacks.append(count)
    env.run()
    assert served == timeouts


def engines(sizes: tuple[int, ...], repeat: int) -> None:
    """The table of the engines."""
    machine = model.load("mark3")
    print("\nEngines, form paper on mark3, timing with a full trace in memory (seconds are medians)\n")
    print(
        f"{'n':>5} {'residency':10} {'hops':>8} {'place s':>8} {'events s':>9} {'lockstep s':>11} "
        f"{'hops/s':>8} {'SimPy timeouts/s':>17} {'ratio':>6} {'events/lockstep':>16}"
    )
    for n in sizes:
        for residency in allocation.RESIDENCIES:
            program, table = variants.closed_chain(n), allocation.named("identity", n, residency)
            schedule = place(program, table, machine)
            hops = len(schedule.messages.paths.channels)
            placing = median(repeat, lambda p=program, t=table: place(p, t, machine))
            by_events = median(repeat, lambda s=schedule: events.simulate(s, machine, None))
            by_arrays = median(repeat, lambda s=schedule: lockstep.simulate(s, machine, None))
            bare = median(repeat, lambda h=hops: bare_simpy(h))
            print(
                f"{n:5d} {residency:10} {hops:8,d} {placing:8.3f} {by_events:9.3f} {by_arrays:11.3f} "
                f"{hops / by_events:8,.0f} {hops / bare:17,.0f} {bare / by_events:6.2f} "
                f"{by_events / by_arrays:16.1f}"
            )


def whole_job(sizes: tuple[int, ...], repeat: int) -> None:
    """The table of the whole job."""
    print("Whole job, a new process each: senn run random:N -o FOLDER\n")
    print(f"{'n':>5} {'residency':10} {'seconds':>8} {'processor s':>12} {'peak memory MB':>15}")
    for n in sizes:
        for residency in allocation.RESIDENCIES:
            seconds, busy, memory = zip(*(_job(n, residency) for _ in range(repeat)), strict=True)
            print(
                f"{n:5d} {residency:10} {statistics.median(seconds):8.2f} {statistics.median(busy):12.2f} "
                f"{max(memory):15.0f}"
            )


def _job(n: int, residency: str) -> tuple[float, float, float]:
    """(seconds, processor seconds, peak memory in MB) of one process."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["-m", "senn", "run", f"random:{n}", "--residency", residency, "-o", f"{folder}/run"]
        start = time.perf_counter()
        process = subprocess.Popen([sys.executable, *words], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main(quick: bool, alone: bool) -> None:
    """Both tables, or that of the engines alone."""
    sizes = (32,) if quick else (64, 256, 1024)
    repeat = 1 if quick else 3
    if not alone:
        whole_job(sizes, repeat)  # first: a child's peak memory counts what its parent had when it started
    engines(sizes, repeat)


if __name__ == "__main__":
    main("--quick" in sys.argv[1:], "--engines" in sys.argv[1:])

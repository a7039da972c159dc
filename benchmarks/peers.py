"""Messages a second of discrete-event simulators on the same traffic, in one run on this machine.

    python benchmarks/peers.py           form paper at n = 1,024 on mark3, 345,093 messages; medians of three
    python benchmarks/peers.py --quick   n = 64, once: only that it works

The traffic is that of a run: who posts what when, over which channels, and how long it occupies each. The
peers are given it; senn finds it, with the program's dependencies. Processor seconds, garbage collected
before each. It prints a table in Markdown.
"""

from __future__ import annotations

import gc
import heapq
import statistics
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np
import simpy

import senn
from senn.algorithms import problems
from senn.algorithms.programs import numerics, variants
from senn.api.programs import placed
from senn.machine import model
from senn.machine.engines import events, lockstep

Message = tuple[int, list[tuple[int, int]]]
"""When a message is posted, and for each of its channels the channel's number and the cycles on it."""


def traffic(run: senn.Run) -> tuple[list[Message], list[int]]:
    """The messages of a run with start-up and words as on its machine, and when they arrived."""
    hops = run.trace.hops
    channel = hops.select("source_array", "source_node", "target_array", "target_node", "wire").hash_rows()
    numbers = np.unique(channel.to_numpy(), return_inverse=True)[1].tolist()
    cycles = (hops["end"] - hops["start"]).to_list()
    ways: dict[int, list[tuple[int, int]]] = {}
    for message, *way in zip(hops["message"].to_list(), numbers, cycles, strict=True):
        ways.setdefault(message, []).append((way[0], way[1]))
    messages = run.trace.messages
    posted = zip(messages["id"].to_list(), messages["posted"].to_list(), strict=True)
    return [(when, ways.get(number, [])) for number, when in posted], messages["arrived"].to_list()


def bare(messages: list[Message]) -> list[int]:
    """A heap and a loop: every channel serves its messages in the order in which they come."""
    arrived = [when for when, _ in messages]
    free: dict[int, int] = {}
    heap = [(when, number, 0) for number, (when, way) in enumerate(messages) if way]
    heapq.heapify(heap)
    while heap:
        now, number, hop = heapq.heappop(heap)
        way = messages[number][1]
        channel, cycles = way[hop]
        end = max(now, free.get(channel, 0)) + cycles
        free[channel] = end
        if hop + 1 < len(way):
            heapq.heappush(heap, (end, number, hop + 1))
        else:
            arrived[number] = end
    return arrived


def callbacks(messages: list[Message]) -> list[int]:
    """The same loop, with SimPy as its clock: a timeout with a callback for each time something happens."""
    env = simpy.Environment()
    arrived = [when for when, _ in messages]
    free: dict[int, int] = {}

    def after(delay: int, number: int, hop: int) -> None:
        timeout = env.timeout(delay)
        assert timeout.callbacks is not None
        timeout.callbacks.append(lambda _: ask(number, hop))

    def ask(number: int, hop: int) -> None:
        way = messages[number][1]
        if hop == len(way):
            arrived[number] = int(env.now)
            return
        channel, cycles = way[hop]
        end = max(int(env.now), free.get(channel, 0)) + cycles
        free[channel] = end
        after(end - int(env.now), number, hop + 1)

    for number, (when, _) in enumerate(messages):
        after(when, number, 0)
    env.run()
    return arrived


def tutorial(messages: list[Message]) -> list[int]:
    """SimPy as in its tutorial: a process for each message, a Resource for each channel."""
    env = simpy.Environment()
    arrived = [when for when, _ in messages]
    channels = {channel: simpy.Resource(env) for _, way in messages for channel, _ in way}

    def travel(number: int, when: int, way: list[tuple[int, int]]) -> Iterator[simpy.Event]:
        yield env.timeout(when)
        for channel, cycles in way:
            with channels[channel].request() as request:
                yield request
                yield env.timeout(cycles)
        arrived[number] = int(env.now)

    for number, (when, way) in enumerate(messages):
        env.process(travel(number, when, way))
    env.run()
    return arrived


def seconds(repeat: int, work: Callable[[], object]) -> float:
    """Processor seconds, the median of several runs."""
    measured = []
    for _ in range(repeat):
        gc.collect()
        start = time.process_time()
        work()
        measured.append(time.process_time() - start)
    return statistics.median(measured)


def main(n: int, repeat: int) -> None:
    """The table."""
    machine, arm = model.load("mark3"), problems.load(f"random:{n}")
    schedule = placed(variants.closed_chain(n), machine)
    memory = numerics.memory(arm)
    messages, arrived = traffic(lockstep.simulate(schedule, machine, None))
    assert bare(messages) == arrived  # all that the loop leaves out is who posts when
    peers = [
        ("heapq in a loop: given posts, channels in order", lambda: bare(messages)),
        ("SimPy as a clock with callbacks: the same", lambda: callbacks(messages)),
        ("SimPy as in its tutorial: a process a message", lambda: tutorial(messages)),
        ("senn, events: dependencies, the full trace", lambda: events.simulate(schedule, machine, None)),
        ("senn, events: numbers as well", lambda: events.simulate(schedule, machine, memory)),
        (
            "senn, lockstep: dependencies, a summary",
            lambda: lockstep.simulate(schedule, machine, None, detail="summary"),
        ),
        ("senn, lockstep: the full trace", lambda: lockstep.simulate(schedule, machine, None)),
        (
            "senn, lockstep: numbers, a summary",
            lambda: lockstep.simulate(schedule, machine, memory, detail="summary"),
        ),
        ("senn, lockstep: numbers, the full trace", lambda: lockstep.simulate(schedule, machine, memory)),
    ]
    print(f"n = {n}: {len(messages):,} messages, {sum(len(way) for _, way in messages):,} channels in turn\n")
    print("| simulator: what it does | messages/s | of the heap's |\n|---|---|---|")
    first = None
    for name, work in peers:
        taken = seconds(repeat, work)
        first = first or taken
        print(f"| {name} | {len(messages) / taken:,.0f} | {first / taken:.2g} |", flush=True)


if __name__ == "__main__":
    quick = "--quick" in sys.argv[1:]
    main(64 if quick else 1024, 1 if quick else 3)

"""Whether the two engines agree: random programs on random machines, trace hash and every number.

    python benchmarks/agree.py                      500 programs
    python benchmarks/agree.py --programs 5000      more; --seed says which comes first

Every program is placed and run by both engines, and compared are the hash of the full trace, all values, all
payloads. Machines of one port a node are left out: the lockstep engine refuses them. Ends with status 1 where
anything differs, after the seed.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))  # the programs are those of the tests

from senn.machine.engines import events, lockstep
from senn.machine.model import Machine
from senn.machine.placing.schedule import place
from senn.traces.run import Run
from tests.machine.random_programs import case

FIELDS = ("switching", "duplex", "dma", "discipline", "vertical", "control", "routing")


def same(one: Run, other: Run) -> bool:
    """The traces by their hashes, the numbers bit for bit."""
    assert one.values is not None
    assert other.values is not None
    numbers = zip(one.values.numbers, other.values.numbers, strict=True)
    payloads, others = one.values.payloads, other.values.payloads
    return (
        one.trace.hash == other.trace.hash
        and all(np.array_equal(a, b) for a, b in numbers)
        and payloads.keys() == others.keys()
        and all(np.array_equal(payloads[m], others[m]) for m in payloads)
    )


def main(programs: int, seed: int) -> int:
    """Compare, and print how many of what; the exit status."""
    compared: Counter[tuple[str, str]] = Counter()
    runs = messages = hops = left_out = 0
    different: list[int] = []
    for number in range(seed, seed + programs):
        program, table, machine, values = case(number)
        if machine.ports == "one":
            left_out += 1
            continue
        schedule = place(program, table, machine)
        by_events = events.simulate(schedule, machine, values, keep_values=True)
        by_arrays = lockstep.simulate(schedule, machine, values, keep_values=True)
        if not same(by_events, by_arrays):
            different.append(number)
            print(f"seed {number} differs: {machine}", file=sys.stderr)
        runs += 1
        messages += len(schedule.messages)
        hops += len(schedule.messages.paths.channels)
        compared.update(_kind(machine))
    print(f"{programs:,} programs, {left_out:,} of them left out (one port a node)")
    print(f"{runs:,} compared: {messages:,} messages, {hops:,} hops; {len(different)} differences\n")
    for field in FIELDS:
        counts = ((value, count) for (name, value), count in sorted(compared.items()) if name == field)
        print(f"{field:10}  " + ", ".join(f"{value} {count:,}" for value, count in counts))
    return 1 if different else 0


def _kind(machine: Machine) -> list[tuple[str, str]]:
    return [(field, str(getattr(machine, field)).lower()) for field in FIELDS]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--programs", type=int, default=500, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    arguments = parser.parse_args()
    sys.exit(main(arguments.programs, arguments.seed))

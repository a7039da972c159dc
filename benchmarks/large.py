"""How far it goes: long arms on the lockstep engine, time of each stage and peak memory of the whole job.

    python benchmarks/large.py                          migrating n = 8192 ... 65536, home n = 1024 ... 8192
    python benchmarks/large.py --n 65536 --refine 1     one size (repeatable), migrating, refined
    python benchmarks/large.py --n 4096 --residency home
    python benchmarks/large.py --quick                  n = 64: only that it works

It prints a table in Markdown. Every row is a new process that does what

    senn run random:N:seed=1 --form short --engine lockstep --detail instructions

does: draws the arm, places the program, simulates it with numbers, certifies the answer, and saves the run.
The stages and "busy", start-up included, are processor seconds, which other jobs on the machine change less;
the total is by the clock. All are of one run. The peak of the memory is the operating system's.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from itertools import pairwise

from senn.api import solving
from senn.choices import Residency

STAGES = ("reading", "placing", "simulating", "certifying", "saving")


def job(n: int, residency: Residency, refine: int) -> dict[str, object]:
    """One whole job in this process: processor seconds by stage, peak memory in GB, what came out."""
    began: list[tuple[str, float]] = []

    def mark(stage: str) -> None:
        began.append((stage, time.process_time()))

    run = solving.run(
        f"random:{n}:seed=1",
        form="short",
        refine=refine,
        residency=residency,
        engine="lockstep",
        detail="instructions",
        progress=mark,
    )
    mark("saving")
    with tempfile.TemporaryDirectory() as folder:
        run.save(f"{folder}/run")
        mark("end")
    stages = {name: after - start for (name, start), (_, after) in pairwise(began)}
    assert run.certificate is not None
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        **{name: stages[name] for name in STAGES},
        "busy": used.ru_utime + used.ru_stime,
        "peak": used.ru_maxrss / 2**20,
        "messages": run.summary["messages"],
        "hops": run.summary["hops"],
        "makespan": run.summary["makespan"],
        **{name: run.certificate[name] for name in ("digits", "worst_residual", "ok")},
    }


COLUMNS = {
    "n": "{n:,}",
    "residency": "{residency}",
    "refine": "{refine}",
    "messages": "{messages:,}",
    "hops": "{hops:,}",
    **{name: f"{{{name}:.1f}}" for name in STAGES},
    "total s": "{total:.1f}",
    "busy s": "{busy:.1f}",
    "peak GB": "{peak:.1f}",
    "digits": "{digits}",
    "residual": "{worst_residual:.0e}",
    "certificate": "{certificate}",
}


def row(n: int, residency: str, refine: int) -> dict[str, object]:
    """What a line of the table says, from a process of its own."""
    words = [sys.executable, __file__, "--job", "--n", str(n), "--residency", residency]
    start = time.perf_counter()
    said = subprocess.run([*words, "--refine", str(refine)], check=True, stdout=subprocess.PIPE, text=True)
    seconds = time.perf_counter() - start
    found = json.loads(said.stdout)
    return {
        **found,
        "n": n,
        "residency": residency,
        "refine": refine,
        "total": seconds,
        "certificate": "passes" if found["ok"] else "fails",
    }


def main() -> None:
    """The table."""
    given = argparse.ArgumentParser(description="Long arms on the lockstep engine.")
    given.add_argument("--n", type=int, action="append")
    given.add_argument("--residency", choices=("migrating", "home"), default="migrating")
    given.add_argument("--refine", type=int, choices=(0, 1, 2), default=0)
    given.add_argument("--quick", action="store_true")
    given.add_argument("--job", action="store_true", help=argparse.SUPPRESS)
    asked = given.parse_args()
    if asked.job:
        print(json.dumps(job(asked.n[0], asked.residency, asked.refine)))
        return
    if asked.quick:
        cases = [(64, "migrating", 0), (64, "home", 0)]
    elif asked.n:
        cases = [(n, asked.residency, asked.refine) for n in asked.n]
    else:
        cases = [(n, "migrating", 0) for n in (8192, 16384, 32768, 65536)]
        cases += [(n, "home", 0) for n in (1024, 2048, 4096, 8192)]
    print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}")
    for case in cases:
        found = row(*case)
        print(f"| {' | '.join(text.format_map(found) for text in COLUMNS.values())} |", flush=True)


if __name__ == "__main__":
    main()

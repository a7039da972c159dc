"""How long exports take and how large they are.

    python benchmarks/exports.py                    n = 64 and 1024, every format
    python benchmarks/exports.py --n 64 --to fst    one size, one format (both repeatable)

It prints a table in Markdown: of random:N (form paper, mark3, migrating, the trace of the lockstep engine)
seconds of the processor and megabytes, plain and, where a format may be, compressed with .gz.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import senn
from senn.traces.exports import FORMATS, export
from senn.traces.run import Run

SIZES = (64, 1024)


def measured(run: Run, name: str, suffix: str) -> str:
    """Seconds and megabytes of an export, as a cell says them."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.process_time()
        path = export(run, Path(folder) / f"run{suffix}", name)
        spent = time.process_time() - began
        files = [path] if path.is_file() else [one for one in path.rglob("*") if one.is_file()]
        size = sum(one.stat().st_size for one in files)
    return f"{spent:.1f} s, {size / 1e6:.2f} MB"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--n", type=int, action="append", help="joints")
    parser.add_argument("--to", choices=list(FORMATS), action="append", help="format")
    given = parser.parse_args()
    print("| n | intervals | messages | format | plain | `.gz` |\n|---|---|---|---|---|---|")
    for n in given.n or SIZES:
        run = senn.run(f"random:{n}", engine="lockstep", numbers=False)
        trace = run.trace
        stalls = trace.instructions.filter(trace.instructions["stall"] > 0).height
        intervals = trace.instructions.height + stalls + trace.activities.height + trace.hops.height
        intervals += run.in_flight.height
        for name in given.to or FORMATS:
            one = FORMATS[name]
            packed = measured(run, name, f"{one.suffix}.gz") if one.form == "plain" else ""
            plain = measured(run, name, one.suffix)
            counts = f"{n:,} | {intervals:,} | {trace.messages.height:,}"
            print(f"| {counts} | `{name}` | {plain} | {packed} |", flush=True)


if __name__ == "__main__":
    main()

"""Processor seconds and peak memory against n, of whole processes, each measured once or more.

    python benchmarks/scale.py                              2^6 ... 2^16 with numbers, ... 2^20 timing alone
    python benchmarks/scale.py --csv docs/data/performance/scale.csv
    python benchmarks/scale.py --quick                      two small sizes: only that it works

With numbers: senn run random:N --form short --elimination oer --detail summary, certificate and folder
included. Timing alone: senn steps --n N, form paper. Medians, as a table in Markdown, and in a file.
"""

from __future__ import annotations

import argparse
import csv
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence

NUMBERS = ("run", "random:{n}", "--form", "short", "--elimination", "oer", "--detail", "summary", "-q")
TIMING = ("steps", "--n", "{n}")
HEAD = ("n", "numbers, s", "numbers, GB", "timing, s", "timing, GB")


def measured(words: Sequence[str], n: int, times: int) -> tuple[float, float]:
    """Medians of processor seconds and peak memory in GB of `senn` with these words."""
    seconds, memory = [], []
    for _ in range(times):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "senn", *(word.format(n=n) for word in words)]
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=folder)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            assert process.returncode == 0, command
        seconds.append(usage.ru_utime + usage.ru_stime)
        memory.append(usage.ru_maxrss / 2**20)
    return statistics.median(seconds), statistics.median(memory)


def main() -> None:
    """The table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--csv", metavar="FILE")
    request = parser.parse_args()
    most, longest, times = (7, 7, 1) if request.quick else (16, 20, 3)
    rows = [HEAD]
    for k in range(6, longest + 1):
        n, repeat = 2**k, times if k < 15 else 1
        figures = (*(measured(NUMBERS, n, repeat) if k <= most else ()), *measured(TIMING, n, repeat))
        cells = [f"{figure:.2g}" for figure in figures]
        rows.append((f"{n:,}", *[""] * (4 - len(cells)), *cells))
    for row in (HEAD, ["---"] * len(HEAD), *rows[1:]):
        print(f"| {' | '.join(row)} |")
    if request.csv:
        with open(request.csv, "w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    main()

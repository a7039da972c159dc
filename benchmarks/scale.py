"""Processor seconds and peak memory against n, of whole processes, each measured once or more.

    python benchmarks/scale.py                              2^6 ... 2^20
    python benchmarks/scale.py --csv docs/data/performance/scale.csv
    python benchmarks/scale.py --quick                      two small sizes: only that it works

With numbers: senn run random:N --form short --elimination oer --detail summary, certificate and folder
included; "certified" is whether that certificate agrees. Timing alone: senn steps --n N, form paper. Medians,
as a table in Markdown, and in a file.
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
HEAD = ("n", "numbers, s", "numbers, GB", "certified", "timing, s", "timing, GB")
AGREES, DISAGREES = 0, 1
"""Exit status of `senn run`."""


def measured(words: Sequence[str], n: int, times: int) -> tuple[float, float, int]:
    """Medians of processor seconds and peak memory in GB of `senn` with these words, and its exit status."""
    seconds, memory = [], []
    for _ in range(times):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "senn", *(word.format(n=n) for word in words)]
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=folder)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            assert process.returncode in (AGREES, DISAGREES), command
        seconds.append(usage.ru_utime + usage.ru_stime)
        memory.append(usage.ru_maxrss / 2**20)
    return statistics.median(seconds), statistics.median(memory), process.returncode


def _text(figure: float) -> str:
    """Two digits, without an exponent."""
    return f"{float(f'{figure:.2g}'):g}"


def main() -> None:
    """The table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--csv", metavar="FILE")
    request = parser.parse_args()
    longest, times = (7, 1) if request.quick else (20, 3)
    rows = [HEAD]
    for k in range(6, longest + 1):
        n, repeat = 2**k, times if k < 15 else 1
        seconds, memory, status = measured(NUMBERS, n, repeat)
        certified = "yes" if status == AGREES else "no"
        alone, alone_memory, _ = measured(TIMING, n, repeat)
        first, second = map(_text, (seconds, memory)), map(_text, (alone, alone_memory))
        rows.append((f"{n:,}", *first, certified, *second))
    for row in (HEAD, ["---"] * len(HEAD), *rows[1:]):
        print(f"| {' | '.join(row)} |")
    if request.csv:
        with open(request.csv, "w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    main()

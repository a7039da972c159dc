"""Whether a fault can be both wrong and certified: the program, its solvers and readers, mutated one by one.

    python benchmarks/mutants.py                    150 mutants, some minutes
    python benchmarks/mutants.py --mutants 600 --seed 1
    python benchmarks/mutants.py --only robots/urdf --mutants 40

Every mutant is one small change of one expression: a sign, a factor, an index, swapped operands, a transpose
or a term left out (`benchmarks/mutation/changes.py`). It is compiled into a process of its own, forked before
this project is imported, and fourteen small problems are run there (`benchmarks/mutation/cases.py`). It is

    noticed      a run ends in an error or in a certificate that is not ok, and no wrong one is certified
    equivalent   all answers are right, as in the program that is not mutated
    CERTIFIED    an answer is wrong, and its certificate is ok

Mutants of what judges (`algorithms/certificate`, `algorithms/plain_sums`) have nothing to be wrong with: in
their runs one answer is 1 % off, and none of these may be certified.

Ends with status 1 where a mutant is wrong and certified, after its line.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.mutation import cases, changes, forked  # noqa: E402  after the path
from benchmarks.mutation.forked import Outcome  # noqa: E402

JUDGES = ("algorithms/certificate/", "algorithms/plain_sums/")
SHARES = {
    "shared": ("spatial.py", "blocks.py", "robots/*.py", "robots/urdf/*.py", "problems/**/*.py"),
    "programs": ("kernels/**/*.py", "programs/**/*.py", "arm/*.py", "system/*.py"),
    "solvers": ("references/*.py",),
    "judges": ("certificate/*.py", "plain_sums/**/*.py"),
}
"""The code that is mutated, under `algorithms/`; each of the four has a share of the mutants like its part of
the places there are, but at least a tenth."""


def main(mutants: int, seed: int, only: str) -> int:
    """Run, and print a line for each that is wrong and certified, and a table; the exit status."""
    begun = time.process_time()
    counts: Counter[tuple[str, str]] = Counter()
    survivors = []
    with tempfile.TemporaryDirectory() as folder:
        made = cases.written(Path(folder))
        right = forked.run(made)
        if not right.answers or right.failed:
            print(f"without any mutant: {right.failed or 'no answer'}", file=sys.stderr)
            return 2
        for room, change in changes.drawn(ROOT / "algorithms", SHARES, mutants, seed, only):
            said = _judged(made, change, right)
            counts[room, said] += 1
            print(f"{said:<11}{change}", flush=True)
            if said == "CERTIFIED":
                survivors.append(change)
    _print(counts)
    print(f"{sum(counts.values())} mutants, {time.process_time() - begun:.0f} s of processor time here")
    for one in survivors:
        print(f"wrong and certified: {one}")
    return 1 if survivors else 0


def _judged(made: list[cases.Case], change: changes.Change, right: Outcome) -> str:
    off = 0.01 if change.path.startswith(JUDGES) else 0.0
    found = forked.run(made, change, right.answers, off)
    if found.certified:
        return "CERTIFIED"
    return "noticed" if found.failed else "equivalent"


def _print(counts: Counter[tuple[str, str]]) -> None:
    said = ("noticed", "equivalent", "CERTIFIED")
    print(f"\n{'':<12}" + "".join(f"{one:>12}" for one in said))
    for room in dict.fromkeys(room for room, _ in counts):
        print(f"{room:<12}" + "".join(f"{counts[room, one]:>12}" for one in said))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--mutants", type=int, default=150, help="how many")
    parser.add_argument("--seed", type=int, default=0, help="which")
    parser.add_argument("--only", default="", help="of files whose path has this text")
    given = parser.parse_args()
    sys.exit(main(given.mutants, given.seed, given.only))

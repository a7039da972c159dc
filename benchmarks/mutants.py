"""Whether a fault can be both wrong and certified: the program and its solvers, mutated one by one.

    python benchmarks/mutants.py                    150 mutants, some minutes
    python benchmarks/mutants.py --mutants 600 --seed 1
    python benchmarks/mutants.py --only kernels/link --mutants 40
    python benchmarks/mutants.py --share programs --mutants 100

Every mutant is one small change of one expression: a sign, a factor, an index, swapped operands, a transpose
or a term left out (`benchmarks/mutation/changes.py`). It is compiled into a process of its own, forked before
this project is imported, and twenty-one small problems are run there (`benchmarks/mutation/cases.py`). It is

    noticed      a run ends in an error, or its certificate has fewer than eleven digits
    equivalent   all answers are right to eleven digits, as in the program that is not mutated
    CERTIFIED    an answer of one problem is wrong, and its certificate has eleven digits

Mutants of what judges (`algorithms/certificate`) have nothing to be wrong with: in their runs one answer is
1 % off, and none of these may be certified. Readers and generators make another problem, which is then solved
rightly: their mutants are the tests' matter (`tests/algorithms/robots`, `tests/algorithms/problems`).

Ends with status 1 where a mutant is wrong and certified, after its line.

    python benchmarks/mutants.py --tests                       mutants of everything, judged by the tests
    python benchmarks/mutants.py --tests --reached .coverage   with what `pytest --cov-context=test` left

With `--tests` a mutant is named by the first set of tests that notices it (`benchmarks/mutation/tested.py`):
the fast tests of its folder, those that reach it, all fast ones, the exhaustive ones; or it survives; or a
set did not end in its time, which is no verdict. A mutant that only the exhaustive tests notice asks for a
case in the fast set."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from itertools import chain, zip_longest
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.mutation import cases, changes, forked, tested  # noqa: E402  after the path
from benchmarks.mutation.forked import Outcome  # noqa: E402

JUDGES = ("algorithms/certificate/",)
SHARES = {
    "shared": tuple(
        f"algorithms/{name}" for name in ("spatial.py", "blocks.py", "robots/chain.py", "robots/joints.py")
    ),
    "programs": tuple(f"algorithms/{name}/**/*.py" for name in ("kernels", "programs", "arm", "system")),
    "solvers": ("algorithms/references/*.py",),
    "judges": ("algorithms/certificate/*.py",),
}
"""The code that is mutated; each of the four has a share of the mutants as it has of the places, but at least
a tenth."""
ALGORITHMS = ("robots", "problems", "arm", "system", "kernels", "programs", "references", "family")
ROOMS = {
    "machine": ("machine/**/*.py",),
    "algorithms": tuple(
        f"algorithms/{name}" for name in ("*.py", *(f"{room}/**/*.py" for room in ALGORITHMS))
    ),
    "traces": ("traces/**/*.py",),
    "certificate": SHARES["judges"],
}
"""The code that is mutated where tests judge; each of the four has a quarter of the mutants."""


def main(mutants: int, seed: int, only: str, shares: Sequence[str] = tuple(SHARES)) -> int:
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
        for room, change in changes.drawn(ROOT, {x: SHARES[x] for x in shares}, mutants, seed, only):
            said = _judged(made, change, right)
            counts[room, said] += 1
            print(f"{said:<11}{change}", flush=True)
            if said == "CERTIFIED":
                survivors.append(change)
    _print(counts, ("noticed", "equivalent", "CERTIFIED"))
    print(f"{sum(counts.values())} mutants, {time.process_time() - begun:.0f} s of processor time here")
    for one in survivors:
        print(f"wrong and certified: {one}")
    return 1 if survivors else 0


def by_tests(
    mutants: int, seed: int, only: str, reached: Path | None, sets: Sequence[str], again: str
) -> int:
    """Run the tests on each mutant, and print a line for each, and a table; the exit status."""
    verdicts = (*sets, "survived", "no verdict")
    counts: Counter[tuple[str, str]] = Counter()
    survivors = Path(again).read_text(encoding="utf-8") if again else ""
    with tempfile.TemporaryDirectory() as folder:
        tests = tested.Tests(tested.copied(ROOT, Path(folder)), reached)
        share = -(-mutants // len(ROOMS))
        rooms = [changes.drawn(ROOT, {room: files}, share, seed, only) for room, files in ROOMS.items()]
        for room, change in filter(None, chain.from_iterable(zip_longest(*rooms))):
            if again and f"survived    {change}\n" not in survivors:
                continue
            verdict = tests.noticed(change, sets)
            counts[room, verdict] += 1
            print(f"{verdict:<12}{change}", flush=True)
    _print(counts, verdicts)
    return 1 if any(verdict == "exhaustive" for _, verdict in counts) else 0


def _judged(made: list[cases.Case], change: changes.Change, right: Outcome) -> str:
    off = 0.01 if change.path.startswith(JUDGES) else 0.0
    found = forked.run(made, change, right.answers, off)
    if found.certified:
        return "CERTIFIED"
    return "noticed" if found.failed else "equivalent"


def _print(counts: Counter[tuple[str, str]], verdicts: Sequence[str]) -> None:
    print(f"\n{'':<12}" + "".join(f"{verdict:>12}" for verdict in verdicts))
    for room in dict.fromkeys(room for room, _ in counts):
        print(f"{room:<12}" + "".join(f"{counts[room, verdict]:>12}" for verdict in verdicts))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--mutants", type=int, default=150, help="how many")
    parser.add_argument("--seed", type=int, default=0, help="which")
    parser.add_argument("--only", default="", help="of files whose path has this text")
    parser.add_argument("--share", nargs="+", choices=SHARES, default=[*SHARES], help="of this code alone")
    parser.add_argument("--tests", action="store_true", help="judged by the tests")
    parser.add_argument(
        "--reached", type=Path, help="with --tests: .coverage of a run with --cov-context=test"
    )
    parser.add_argument("--sets", default=",".join(tested.SETS), help="with --tests: which sets of tests")
    parser.add_argument("--again", default="", help="with --tests: only those that survived in this output")
    options = parser.parse_args()
    if options.tests:
        sets = options.sets.split(",")
        drawing = (options.mutants, options.seed, options.only)
        sys.exit(by_tests(*drawing, options.reached, sets, options.again))
    sys.exit(main(options.mutants, options.seed, options.only, options.share))

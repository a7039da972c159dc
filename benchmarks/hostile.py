"""Hostile inputs by the thousand: damaged files, things that are no files, options, damaged folders.

    python benchmarks/hostile.py                        10,000 cases
    python benchmarks/hostile.py --cases 500 --first 70000
    python benchmarks/hostile.py --kind file            of one kind only
    python benchmarks/hostile.py --show 4711            one case, with all that it says

Every case is a number, so it comes again. Cases run in children of this process, with a time limit each and a
limit of memory: what ends in a traceback, a warning, an abort or not at all is listed, with status 1.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))  # the cases are those of the tests

from tests.oracles.hostile import cases, judge

HANG, ABORT = "hang", "abort"
ENDS = (judge.REFUSED, judge.FINE, judge.TRACEBACK, judge.WARNED, judge.UNCLEAN, HANG, ABORT)
_BATCH = 100
_MEMORY = 6 * 2**30
_WAITED = 20  # times the limit, by the clock: others may have the processors


def _serve(
    numbers: list[int], kind: str | None, limit: float, place: Path, run: Path, told: Connection
) -> None:
    """In a child: every case, its verdict told as soon as it is there."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    for number in numbers:
        folder = place / str(number) / "in" / "here"
        folder.mkdir(parents=True)
        one = cases.case(number, kind)
        signal.setitimer(signal.ITIMER_PROF, limit)  # of processor time: ends this process
        verdict = judge.judged(one, folder, run)
        os.chdir(place)
        told.send((number, verdict.ended, verdict.said))
    told.close()


def tried(numbers: list[int], kind: str | None, limit: float) -> Iterator[tuple[int, str, str]]:
    """(number, end, what it said) of every case, as soon as it is there."""
    done = 0
    context = multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory(prefix="hostile-") as name:
        place = Path(name)
        run = _recorded(place, context)
        while done < len(numbers):
            left = numbers[done:][:_BATCH]
            here, there = context.Pipe(duplex=False)
            child = context.Process(target=_serve, args=(left, kind, limit, place, run, there))
            child.start()
            there.close()
            for number in left:
                done += 1
                try:
                    if here.poll(_WAITED * limit):
                        yield here.recv()
                        continue
                    child.kill()
                    yield number, HANG, f"nothing for {_WAITED * limit} s"
                except EOFError:
                    child.join()
                    slow = child.exitcode == -signal.SIGPROF
                    yield number, HANG if slow else ABORT, f"the process ended with {child.exitcode}"
                break
            child.join()
            _empty(place)


def _recorded(place: Path, context: multiprocessing.context.ForkContext) -> Path:
    """Folders to damage, made in a child: threads of this process would not come with a fork."""
    run = place / "recorded"
    child = context.Process(target=_record, args=(run,))
    child.start()
    child.join()
    return run


def _record(run: Path) -> None:
    from senn import motion
    from senn.api import solving

    solving.run("random:3").save(run / cases.RUN)
    motion.simulate("random:3", until=0.02, impact=True, folder=run / cases.MOTION)


def _empty(place: Path) -> None:
    import shutil

    for folder in place.iterdir():
        if folder.name != "recorded":
            shutil.rmtree(folder, ignore_errors=True)


def main() -> int:
    """Try, print how many ended how, and list what ended badly; the exit status."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--cases", type=int, default=10_000)
    asked.add_argument("--first", type=int, default=0)
    asked.add_argument("--kind", choices=list(cases.KINDS))
    asked.add_argument("--limit", type=float, default=30.0, help="seconds of processor time of a case")
    asked.add_argument("--show", type=int, help="the number of a case")
    given = asked.parse_args()
    numbers = [given.show] if given.show is not None else list(range(given.first, given.first + given.cases))
    start = time.perf_counter()
    by_kind: dict[str, Counter[str]] = {}
    for number, ended, said in tried(numbers, given.kind, given.limit):
        one = cases.case(number, given.kind)
        by_kind.setdefault(one.kind, Counter())[ended] += 1
        if ended not in judge.GOOD or given.show is not None:
            print(f"{ended}: {one}\n{said}\n", file=sys.stderr, flush=True)
    whole = sum(by_kind.values(), Counter[str]())
    for name, counts in [*sorted(by_kind.items()), ("all", whole)]:
        print(f"{name:24}" + "".join(f"{counts[end]:7} {end}" for end in ENDS))
    print(f"{whole.total()} cases in {time.perf_counter() - start:.0f} s")
    return int(any(whole[end] for end in ENDS if end not in judge.GOOD))


if __name__ == "__main__":
    sys.exit(main())

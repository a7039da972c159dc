"""Studies on the processors of this computer: processes that are given one point after the other.

Each has a pipe to this process, so nothing listens anywhere. A process that dies in a run - killed, or out of
memory - is replaced, and the run given to another; one that kills so many is a failed row.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait

from senn.experiments.studies.conduct import Compute
from senn.experiments.studies.grid import Point
from senn.experiments.studies.row import Row, failed, row

_DEATHS = 4
"""So many processes may die of a run before it counts as failed."""
_ALONE = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS"), "1"
)
"""The environment of the processes: each has one processor, so libraries need no threads."""


@contextmanager
def computing(workers: int | None = None) -> Iterator[Compute]:
    """Compute points in so many processes, by default one for each processor; at most one for each point."""
    crew: list[_Worker] = []

    def compute(points: Sequence[Point]) -> Iterator[tuple[Point, Row]]:
        for _ in range(min(workers or processors(), len(points))):
            crew.append(_Worker())
        return _computed(crew, points)

    try:
        yield compute
    finally:
        for worker in crew:
            worker.end()


def processors() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _computed(crew: list[_Worker], points: Sequence[Point]) -> Iterator[tuple[Point, Row]]:
    """Every point with its row, as they come in."""
    left, deaths = deque(points), Counter[str]()
    while True:
        for worker in crew:
            if worker.point is None and left:
                worker.give(left.popleft())
        busy = {worker.pipe: worker for worker in crew if worker.point is not None}
        if not busy:
            return
        for pipe in wait(list(busy)):
            worker = busy[pipe]  # type: ignore[index]  # what is waited for are those pipes
            point, worker.point = worker.point, None
            assert point is not None
            try:
                found = worker.pipe.recv()
            except (EOFError, OSError):
                worker.end()
                crew[crew.index(worker)] = _Worker()
                deaths[point.key] += 1
                if deaths[point.key] < _DEATHS:
                    left.appendleft(point)
                    continue
                found = failed(point, died(_DEATHS))
            yield point, found


def died(count: int) -> str:
    """What is said of a run of which so many workers died."""
    return f"{count} workers died while they computed it; if memory was too little, take fewer --workers"


class _Worker:
    """A process, the pipe to it, and the point it computes."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=_work, args=(other,), daemon=True)
        self.point: Point | None = None
        with _deaf_to_interrupts(), _environment():
            self.process.start()
        other.close()  # what the process alone holds is closed when it dies

    def give(self, point: Point) -> None:
        self.point = point
        with suppress(OSError):  # it died waiting: its pipe says so when it is asked
            self.pipe.send(point)

    def end(self) -> None:
        """Now, whatever it does."""
        self.process.kill()
        self.process.join()
        self.pipe.close()


def _work(pipe: Connection) -> None:
    """What a process does: compute what comes, until nobody is there to send any more."""
    os.dup2(2, 1)  # what a run prints is not part of the answer
    with suppress(EOFError, OSError):
        while True:
            point = pipe.recv()
            try:
                found = row(point)
            except BaseException as error:
                found = failed(point, f"{type(error).__name__}: {error}")
            pipe.send(found)


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """What is started here does not hear Ctrl-C, which a terminal sends to all: this process ends it."""
    if threading.current_thread() is not threading.main_thread():  # signals are the main thread's
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _environment() -> Iterator[None]:
    """What is started here has `_ALONE` in its environment, but for what the user has set."""
    added = {name: value for name, value in _ALONE.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]

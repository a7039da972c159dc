"""Workers of a study: processes of this computer, or the workers of a Dask scheduler.

A process of this computer computes one point after the other and has a pipe to this process, so that no port
is open. A process that dies in a run (killed, or out of memory) is replaced, and another repeats the run; a
run that ends `_DEATHS` processes is a failed row.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import multiprocessing
import os
import signal
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import partial
from importlib.util import find_spec
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING

from senn.api.processes import environment
from senn.base import code
from senn.base.errors import InputError
from senn.studies.grid import Point
from senn.studies.row import Compute, Row, compute_row, failed

if TYPE_CHECKING:
    from distributed import Client

_DEATHS = 4
"""Number of processes that may die in a run before it counts as failed."""
_ALONE = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS"), "1"
)
"""Environment of the processes, unless the user sets it: each has one processor and needs no threads."""


def crew(workers: int | None, scheduler: str | None) -> Callable[[], AbstractContextManager[Compute]]:
    """Context in which points are computed: by processes of this computer, or on a Dask scheduler."""
    if scheduler and workers:
        raise InputError("workers are processes of this computer; a scheduler has its own: leave one out")
    if scheduler and find_spec("distributed") is None:
        raise InputError(
            "--scheduler needs Dask, which is not installed: pip install 'senn[cluster]', or, in a checkout, "
            "./run study instead of senn study; or leave --scheduler out, to compute on this computer"
        )
    return partial(computing_on_cluster, scheduler) if scheduler else partial(computing, workers)


@contextmanager
def computing(workers: int | None = None) -> Iterator[Compute]:
    """Compute points in `workers` processes, by default one for each processor."""
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
    """Number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _computed(crew: list[_Worker], points: Sequence[Point]) -> Iterator[tuple[Point, Row]]:
    """Every point with its row, as rows are finished."""
    left, deaths = deque(points), Counter[str]()
    while True:
        for worker in crew:
            if worker.point is None and left:
                worker.give(left.popleft())
        busy = {worker.pipe: worker for worker in crew if worker.point is not None}
        if not busy:
            return
        for pipe in wait(list(busy)):
            worker = busy[pipe]  # type: ignore[index]  # the keys of `busy` are what `wait` was given
            point, worker.point = worker.point, None
            assert point is not None
            try:
                row = worker.pipe.recv()
            except (EOFError, OSError):
                worker.end()
                crew[crew.index(worker)] = _Worker()
                deaths[point.key] += 1
                if deaths[point.key] < _DEATHS:
                    left.appendleft(point)
                    continue
                row = failed(point, died(_DEATHS))
            yield point, row


def died(count: int) -> str:
    """Error of a run in which `count` workers died."""
    return f"{count} workers died while they computed it; if memory was too little, take fewer --workers"


class _Worker:
    """A process, the pipe to it, and the point that it computes."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=_work, args=(other,), daemon=True)
        self.point: Point | None = None
        before, handler = dict(os.environ), None
        if threading.current_thread() is threading.main_thread():  # signals are the main thread's
            # The processes ignore Ctrl-C, which a terminal sends to all: this one ends them.
            handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.environ.update(environment({**_ALONE, **before}))
        try:
            self.process.start()
        finally:
            for name in os.environ.keys() - before.keys():
                del os.environ[name]
            os.environ.update(before)
            if handler is not None:
                signal.signal(signal.SIGINT, handler)
        other.close()  # only the process has it open, so that it closes when the process dies

    def give(self, point: Point) -> None:
        self.point = point
        with suppress(OSError):  # it died waiting, which its pipe tells later
            self.pipe.send(point)

    def end(self) -> None:
        """Kill the process, whatever it does."""
        self.process.kill()
        self.process.join()
        self.pipe.close()


def _work(pipe: Connection) -> None:
    """Main function of a process: compute points until the pipe closes."""
    os.dup2(2, 1)  # output of a run goes to stderr
    code.IN_COMMAND.set(True)
    with suppress(EOFError, OSError):
        while True:
            point = pipe.recv()
            try:
                row = compute_row(point)
            except BaseException as error:
                row = failed(point, f"{type(error).__name__}: {error}")
            pipe.send(row)


_PATIENCE = 10
"""Seconds to wait for the scheduler."""


def is_open(scheduler: str) -> bool:
    """Whether a scheduler is neither on this computer nor encrypted, so that others may read or send runs."""
    from distributed.comm.addressing import get_address_host

    _check_address(scheduler)
    if scheduler.startswith(("tls://", "wss://")):
        return False
    host = get_address_host(scheduler)
    try:
        return not ipaddress.ip_address(host).is_loopback
    except ValueError:  # a name
        return host != "localhost"


@contextmanager
def computing_on_cluster(scheduler: str) -> Iterator[Compute]:
    """Compute points on the workers of `scheduler`: "tls://host:8786", or "tcp://127.0.0.1:8786".

    The workers need senn in the same version, and the files that a study names under the same paths. For tls://
    certificates are those of Dask's configuration (distributed.comm.tls).
    """
    from distributed import Client

    _check_address(scheduler)
    with ThreadPoolExecutor(1) as thread:  # the loop of this one may be running, as in a notebook
        thread.submit(asyncio.run, _refuse_absent(scheduler)).result()
    with ExitStack() as stack:
        for name in ("distributed.client", "tornado.application"):  # a scheduler that dies is one line here
            log = logging.getLogger(name)
            stack.callback(setattr, log, "disabled", log.disabled)
            log.disabled = True
        client = stack.enter_context(Client(scheduler, timeout=_PATIENCE, set_as_default=False))
        yield lambda points: _on(client, points)


async def _refuse_absent(scheduler: str) -> None:
    """`InputError` unless a scheduler answers; a `Client` that has none cleans up long, with a traceback."""
    from distributed.comm.core import connect
    from distributed.security import Security

    try:
        arguments = Security().get_connection_args("client")
        connection = await connect(scheduler, timeout=_PATIENCE, **arguments)
    except TypeError:
        raise InputError(
            f"scheduler {scheduler}: there are no certificates for TLS; say where they are in Dask's "
            "configuration: DASK_DISTRIBUTED__COMM__TLS__CA_FILE, ...__CLIENT__CERT and ...__CLIENT__KEY"
        ) from None
    except Exception as error:  # whatever the bytes of another program are taken for
        answer = "does not answer" if isinstance(error, OSError) else "answers, but not as Dask's does"
        raise InputError(
            f"scheduler {scheduler} {answer}; start it with `dask scheduler`, or leave --scheduler out"
        ) from None
    connection.abort()


def _check_address(scheduler: str) -> None:
    """`InputError` unless it can be one: a client with a wrong address takes long to go and complains."""
    from distributed.comm.addressing import get_address_host_port

    try:
        get_address_host_port(scheduler)
    except ValueError as error:
        raise InputError(
            f"scheduler {scheduler}: {error}; write tcp://HOST:PORT or tls://HOST:PORT"
        ) from None


def _on(client: Client, points: Sequence[Point]) -> Iterator[tuple[Point, Row]]:
    """Every point with its row, as rows are finished; a point whose workers die repeatedly is a failed row.

    When a worker dies, the scheduler repeats the points that it had not handed out; a row that was handed out
    belongs to the caller, so no row is lost or comes twice.
    """
    from distributed import KilledWorker, as_completed

    # Not pure: every task has its own name, so that no result of another study is used.
    points_of = {client.submit(compute_row, point, pure=False): point for point in points}
    done = as_completed(list(points_of), loop=client.loop, with_results=True, raise_errors=False)
    for future, row in done:
        point = points_of.pop(future)
        if future.status == "finished":
            yield point, row
        elif future.status == "error":  # `compute_row` raises no error: the worker died
            error = row[1]
            is_killed = isinstance(error, KilledWorker)
            reason = f"no worker could finish it: {type(error).__name__}: {error}"
            yield point, failed(point, died(error.allowed_failures + 1) if is_killed else reason)
        else:
            raise InputError("the scheduler went away")

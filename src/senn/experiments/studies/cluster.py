"""Studies on Dask: workers of this computer, or those of a scheduler that is running somewhere."""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

from senn.experiments.studies.conduct import Compute
from senn.experiments.studies.grid import Point
from senn.experiments.studies.row import Row, failed, row
from senn.traces.errors import InputError

if TYPE_CHECKING:
    from distributed import Client

_PATIENCE = 10
"""Seconds to wait for a scheduler that was named."""


def check_installed() -> None:
    """`InputError` unless Dask is there."""
    if find_spec("distributed") is None:
        raise InputError(
            "studies run through Dask, which is not installed: pip install 'senn[cluster]', "
            "or, in a checkout, ./run study instead of senn study"
        )


@contextmanager
def computing(scheduler: str | None = None, workers: int | None = None) -> Iterator[Compute]:
    """Compute points on the workers of `scheduler` ("tcp://host:8786"), or on `workers` processes here.

    Without either as many processes as this computer has processors. The workers of a scheduler of one's own
    need senn in the same version, and the files that a study names under the same paths.
    """
    check_installed()
    from distributed import Client, LocalCluster

    if scheduler is not None:
        _check_address(scheduler)
        try:
            client = Client(scheduler, timeout=_PATIENCE, set_as_default=False)
        except OSError as error:
            raise InputError(
                f"scheduler {scheduler} does not answer ({type(error).__name__}); start it with "
                "`dask scheduler`, or leave --scheduler out"
            ) from None
        with client:
            yield lambda points: _on(client, points)
        return
    with _deaf_to_interrupts():
        # One thread each: Python runs one at a time. No dashboard: it would take a port.
        cluster = LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL
        )
    with cluster, Client(cluster, set_as_default=False) as client:
        yield lambda points: _on(client, points)


def _check_address(scheduler: str) -> None:
    """`InputError` unless it can be one: a client with a wrong address takes long to go and complains."""
    from distributed.comm.addressing import get_address_host_port

    try:
        get_address_host_port(scheduler)
    except ValueError as error:
        raise InputError(f"scheduler {scheduler}: {error}; write tcp://HOST:PORT") from None


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


def _on(client: Client, points: Sequence[Point]) -> Iterator[tuple[Point, Row]]:
    """Every point with its row, as they come in; a point whose workers die again and again is a failed row.

    When a worker dies, the scheduler computes anew what it had and had not handed out; a row that was handed
    out is the caller's, so nothing is lost and nothing comes twice.
    """
    from distributed import as_completed

    # Not pure: a name of its own for every task, so that no result of another study is taken for this one.
    asked = {client.submit(row, point, pure=False): point for point in points}
    done = as_completed(list(asked), loop=client.loop, with_results=True, raise_errors=False)
    for future, found in done:
        point = asked.pop(future)
        if future.status == "finished":
            yield point, found
        elif future.status == "error":  # `row` raises nothing: it is the worker that could not go on
            yield point, failed(point, _said(found[1]))
        else:
            raise InputError(
                "the scheduler went away; the finished runs are kept, and the same command goes on"
            )


def _said(error: BaseException) -> str:
    from distributed import KilledWorker

    if isinstance(error, KilledWorker):
        count = error.allowed_failures + 1
        return f"{count} workers died while they computed it; if memory was too little, take fewer --workers"
    return f"no worker could finish it: {type(error).__name__}: {error}"

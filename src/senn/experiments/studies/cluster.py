"""Studies on Dask: the workers of a scheduler that is running somewhere."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

from senn.experiments.studies.conduct import Compute
from senn.experiments.studies.grid import Point
from senn.experiments.studies.processes import died
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
            "--scheduler needs Dask, which is not installed: pip install 'senn[cluster]', or, in a checkout, "
            "./run study instead of senn study; or leave --scheduler out, to compute on this computer"
        )


def is_open(scheduler: str) -> bool:
    """Whether others than the users of this computer may reach what is sent to a scheduler, or send it more:
    neither on loopback nor encrypted."""
    from distributed.comm.addressing import get_address_host

    _check_address(scheduler)
    if scheduler.startswith(("tls://", "wss://")):
        return False
    host = get_address_host(scheduler)
    return host != "localhost" and not (_is_number(host) and ipaddress.ip_address(host).is_loopback)


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


@contextmanager
def computing(scheduler: str) -> Iterator[Compute]:
    """Compute points on the workers of `scheduler`: "tls://host:8786", or "tcp://127.0.0.1:8786".

    The workers need senn in the same version, and the files that a study names under the same paths. For tls://
    certificates are those of Dask's configuration (distributed.comm.tls).
    """
    check_installed()
    from distributed import Client

    _check_address(scheduler)
    try:
        client = Client(scheduler, timeout=_PATIENCE, set_as_default=False)
    except (OSError, TypeError) as error:  # TypeError: no certificates
        raise InputError(_no_answer(scheduler, error)) from None
    with client:
        yield lambda points: _on(client, points)


def _no_answer(scheduler: str, error: Exception) -> str:
    if isinstance(error, TypeError):
        return (
            f"scheduler {scheduler}: there are no certificates for TLS; say where they are in Dask's "
            "configuration: DASK_DISTRIBUTED__COMM__TLS__CA_FILE, ...__CLIENT__CERT and ...__CLIENT__KEY"
        )
    return (
        f"scheduler {scheduler} does not answer ({type(error).__name__}); start it with "
        "`dask scheduler`, or leave --scheduler out"
    )


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
        return died(error.allowed_failures + 1)
    return f"no worker could finish it: {type(error).__name__}: {error}"

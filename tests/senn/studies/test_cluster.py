"""Studies on a Dask scheduler and its workers, on loopback, with certificates made for the test."""

import json
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from functools import partial
from types import SimpleNamespace

import pytest

from senn.base.errors import InputError
from senn.studies import processes
from senn.studies.conduct import conduct
from senn.studies.study import read
from tests.senn.studies.small_study import PATIENCE, STUDY, conduct_here, environment, figures, wait


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """What a scheduler, its workers and those who may ask it need: an authority for a day, and one key."""
    folder = tmp_path_factory.mktemp("tls")

    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "1", "-subj", "/CN=ours")
    openssl("req", *key, "-keyout", "key.pem", "-out", "request.pem", "-subj", "/CN=127.0.0.1")
    signed = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "1")
    openssl("x509", "-req", "-in", "request.pem", *signed, "-out", "cert.pem")
    names = {"ca-file": "ca.pem"}
    for who in ("scheduler", "worker", "client"):
        names |= {f"{who}.cert": "cert.pem", f"{who}.key": "key.pem"}
    return {f"distributed.comm.tls.{name}": str(folder / file) for name, file in names.items()}


@contextmanager
def _started(*words, log, certificates):
    variables = {
        "DASK_" + name.upper().replace(".", "__").replace("-", "_"): file
        for name, file in certificates.items()
    }
    with log.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *words], env=environment(**variables), stdout=output, stderr=output
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def _scheduler(folder, certificates):
    """A scheduler and two workers, processes of their own on loopback: (address, the workers)."""
    place, log = folder / "scheduler.json", folder / "log"
    quiet = ("--host", "127.0.0.1", "--protocol", "tls", "--no-dashboard")
    with partial(_started, log=log, certificates=certificates)(
        "scheduler", *quiet, "--port", "0", "--scheduler-file", str(place)
    ) as scheduler:
        wait(place.exists, scheduler)
        address = json.loads(place.read_text())["address"]
        work = ("worker", address, *quiet, "--nthreads", "1", "--no-nanny", "--local-directory", str(folder))
        named = partial(_started, *work, log=log, certificates=certificates)
        with named("--name", "a") as a, named("--name", "b") as b:
            yield address, {"a": a, "b": b}


@pytest.mark.exhaustive
@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificates")
def test_a_worker_is_killed_half_way(file, tmp_path, certificates, monkeypatch):
    """A real scheduler, two workers, one killed with -9 while it computes: nothing lost, nothing double. All
    they say is encrypted, and who has no certificate is not heard."""
    import dask
    from distributed import Client

    file.write_text(STUDY.replace("[1, 2]", "[4, 6, 8]"))
    seen, busy = [], {}
    with (
        _scheduler(tmp_path, certificates) as (address, workers),
        dask.config.set(certificates),
        Client(address, set_as_default=False) as watch,
    ):
        assert address.startswith("tls://127.0.0.1:")
        assert not processes.is_open(address)
        watch.wait_for_workers(2, timeout=PATIENCE)

        def progress(row, was_there):
            seen.append(row)
            if len(seen) == 4:
                named = {one["id"]: where for where, one in watch.scheduler_info()["workers"].items()}
                busy["a"] = len(watch.processing()[named["a"]])
                workers["a"].send_signal(signal.SIGKILL)

        computing = partial(processes.computing_on_cluster, address)
        found = conduct(read(file), file, tmp_path / "out", computing, progress=progress)
        assert workers["a"].wait() == -signal.SIGKILL
        assert workers["b"].poll() is None
        monkeypatch.setattr(processes, "_PATIENCE", 1)
        for stranger in (address, address.replace("tls", "tcp")):
            nobody = dict.fromkeys(certificates)
            with dask.config.set(nobody), pytest.raises(InputError, match=r"no certificates|does not answer"):
                conduct(
                    read(file), file, tmp_path / "other", partial(processes.computing_on_cluster, stranger)
                )
    assert busy["a"] > 0  # it had work that had to be done again
    assert len(seen) == found.height == found["key"].n_unique() == 12
    assert found["error"].null_count() == 12
    shutil.rmtree(tmp_path / "out" / "rows")
    assert figures(found).equals(figures(conduct_here(file, tmp_path / "out")))


def _study(file, address, folder):
    """`senn study` on a scheduler, in a process of its own, whose end may print as well."""
    words = ("study", str(file), "--scheduler", address, "-o", str(folder), "-q")
    return subprocess.Popen(
        [sys.executable, "-m", "senn", *words], env=environment(), stderr=subprocess.PIPE, text=True
    )


@pytest.mark.exhaustive
def test_a_scheduler_is_killed_half_way(file, tmp_path):
    """One line, with what is kept and how to go on; no traceback of Dask, not even at the end."""
    file.write_text(STUDY.replace("[1, 2]", "[4, 64, 128]"))
    place, log = tmp_path / "scheduler.json", tmp_path / "log"
    quiet = ("--host", "127.0.0.1", "--no-dashboard")
    with _started(
        "scheduler", *quiet, "--port", "0", "--scheduler-file", str(place), log=log, certificates={}
    ) as scheduler:
        wait(place.exists, scheduler)
        address = json.loads(place.read_text())["address"]
        one = ("--nthreads", "1", "--no-nanny", "--local-directory", str(tmp_path))
        work = ("worker", address, *quiet, *one)
        with (
            _started(*work, log=tmp_path / "log of the worker", certificates={}),
            _study(file, address, tmp_path / "out") as study,
        ):
            wait(lambda: list((tmp_path / "out" / "rows").glob("*.json")), study)
            scheduler.kill()
            _, stderr = study.communicate(timeout=PATIENCE)
    assert study.returncode == 2
    kept = len(list((tmp_path / "out" / "rows").glob("*.json")))
    assert 0 < kept < 12
    assert stderr == (
        f"senn: the scheduler went away; {kept} of 12 runs are kept in {tmp_path / 'out'}, and the same "
        "command goes on\n"
    )


def test_tls_without_certificates_is_one_line(file, tmp_path):
    """Also at the end of the process, when Dask cleans up."""
    with _study(file, "tls://127.0.0.1:9", tmp_path / "out") as study:
        _, stderr = study.communicate(timeout=PATIENCE)
    assert study.returncode == 2
    assert stderr.count("\n") == 1
    assert stderr.startswith("senn: scheduler tls://127.0.0.1:9: there are no certificates for TLS;")


def test_a_port_of_something_else(file, tmp_path):
    """A web server, whose first bytes Dask reads as the size of a message: not a lack of memory."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with _study(file, address, tmp_path / "out") as study:
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                _, stderr = study.communicate(timeout=PATIENCE)
    assert study.returncode == 2
    assert stderr.count("\n") == 1
    assert stderr.startswith(f"senn: scheduler {address} answers, but not as Dask's does; start")


def test_what_no_worker_can_finish_is_a_failed_row(file, monkeypatch):
    """An error outside of the run itself, and Dask's word for a worker that dies whenever it tries."""
    from distributed import Client, KilledWorker

    def fails(point):
        if point.parameters["machine"] == "raw":
            raise KilledWorker("row", SimpleNamespace(address="tcp://a:1"), 3)
        raise ImportError("no senn here")

    monkeypatch.setattr(processes, "compute_row", fails)
    points = read(file).points[:2]
    with Client(processes=False, n_workers=1, dashboard_address=":0", set_as_default=False) as client:
        rows = {point.key: row for point, row in processes._on(client, points)}
    assert [rows[point.key]["error"] for point in points] == [
        "4 workers died while they computed it; if memory was too little, take fewer --workers",
        "no worker could finish it: ImportError: no senn here",
    ]
    assert [rows[point.key]["n"] for point in points] == [1, 1]


def test_a_scheduler_that_is_not_there(file, tmp_path, monkeypatch):
    monkeypatch.setattr(processes, "_PATIENCE", 0.2)
    for address, message in (
        ("tcp://127.0.0.1:9", "does not answer; start it with `dask scheduler`"),
        ("nonsense://x:1", "unknown address scheme .*; write tcp://HOST:PORT or tls://HOST:PORT$"),
        ("nowhere", "missing port number .*; write tcp://HOST:PORT or tls://HOST:PORT$"),
    ):
        with pytest.raises(InputError, match=f"^scheduler {address}:? {message}"):
            conduct(read(file), file, tmp_path / "out", partial(processes.computing_on_cluster, address))
    assert not (tmp_path / "out").exists()

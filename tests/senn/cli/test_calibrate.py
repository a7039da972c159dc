"""`senn new FILE --calibrate`: the machine of this computer, and what is refused."""

import json
import os
from importlib.util import find_spec
from pathlib import Path

import pytest

from senn import calibration
from senn.api import processes
from senn.machine import model
from tests.senn.cli.command import senn

NAMES = ("flop", "startup", "word", "post", "receive")
needs_mpi = pytest.mark.skipif(
    find_spec("mpi4py") is None or (os.cpu_count() or 1) < 2, reason="needs MPI and two cores"
)


@needs_mpi
def test_a_calibration_of_this_computer(folder, monkeypatch):
    """Wide bounds of any computer that runs this; no figure is compared."""
    monkeypatch.setattr(calibration, "JOBS", 2)
    done = senn("new", "mine.toml", "--calibrate", "4", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout) == {"file": "mine.toml"}
    machine = model.load("mine.toml")
    for name in NAMES:
        assert "R^2" in machine.sources["add" if name == "flop" else name]
    assert 0.1 < machine.timing.add < 10**5
    assert 0 < machine.timing.post < 10**7
    assert machine.timing.startup + machine.timing.receive < 10**8
    assert machine.timing.word < 10**5
    assert set(machine.intervals) == set(NAMES)
    ran = senn("run", "ssrms", "--machine", "mine.toml", "--set", "machine.nodes=2", "--allocation", "block")
    assert ran.exit_code == 0, ran.output


def test_a_file_is_replaced_only_by_force(folder, monkeypatch):
    timing = {name: calibration.Figure(1, 2, 3, "a test") for name in NAMES}
    monkeypatch.setattr(calibration, "measured", lambda processes: timing)
    done = senn("new", "here.toml", "--calibrate")
    assert (done.exit_code, done.stdout) == (0, "here.toml\n")
    assert "1 to 3" in " ".join(senn("list", "machines", "here.toml").stdout.split())
    before = Path("here.toml").read_text()
    timing["word"] = calibration.Figure(1, 1, 1, "a test")
    refused = senn("new", "here.toml", "--calibrate")
    assert refused.exit_code == 2
    assert refused.stderr == ("senn: here.toml is there already; --force replaces it, or take another name\n")
    assert Path("here.toml").read_text() == before
    assert senn("new", "here.toml", "--calibrate", "--force").exit_code == 0
    assert model.load("here.toml").timing.word == 1


def _without_mpi(monkeypatch):
    monkeypatch.setattr(processes, "find_spec", lambda name: None)


def _with_one_core(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0}, raising=False)


def _with_an_mpi_that_fails(monkeypatch):
    Path("mpiexec").write_text("#!/bin/sh\necho no such library >&2\nexit 1\n")
    Path("mpiexec").chmod(0o755)
    monkeypatch.setattr(processes, "which", lambda name, path: "./mpiexec")


@pytest.mark.parametrize(
    ("broken", "status", "message"),
    [
        (_without_mpi, 2, "mpi needs mpi4py and an MPI, which are not installed: pip install 'senn[mpi]'"),
        (
            _with_one_core,
            2,
            "this process may use one core: ping-pong needs a core for each of two processes",
        ),
        (_with_an_mpi_that_fails, 1, "mpi: no such library"),
    ],
)
def test_a_computer_that_cannot_be_measured_is_one_line(folder, monkeypatch, broken, status, message):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1}, raising=False)
    broken(monkeypatch)
    refused = senn("new", "here.toml", "--calibrate")
    assert refused.exit_code == status
    assert refused.stderr == f"senn: {message}\n"
    assert list(Path().glob("*.toml")) == []

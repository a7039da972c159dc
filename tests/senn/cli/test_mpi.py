"""`senn mpi`: real processes, started by the real mpiexec."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import senn as library
from senn.api import processes
from senn.traces.naming import counted
from tests.algorithms.references.test_tree import PANDA
from tests.algorithms.robots.oracle import DATA
from tests.senn.cli.command import senn

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the wheel of Open MPI is for Linux")

MPIEXEC = [str(Path(sys.executable).with_name("mpiexec")), "-n"]
ENVIRONMENT = {**os.environ, **processes.ENVIRONMENT}
ALIKE = ["step", "value", "level", "words"]
ALIKE += [f"{end}_{place}" for end in ("source", "target") for place in ("array", "process")]


@pytest.mark.fast("ssrms-2-options1", "random:9*")
@pytest.mark.parametrize(
    ("problem", "ranks", "options"),
    [
        ("ssrms", 1, {}),
        ("ssrms", 2, {"form": "short"}),
        ("ssrms", 2, {"arrays": 1, "precision": "single"}),
        ("random:9:seed=4", 4, {"algorithm": "star"}),
        ("ur5_free", 4, {"algorithm": "open-chain"}),
        ("joints:SRSURF:seed=2", 2, {}),
        ("random:12:prismatic=0.3:seed=1", 3, {"algorithm": "divide-and-conquer"}),
        ("random:33:seed=3", 2, {"algorithm": "star-together"}),
        (str(DATA / PANDA[0]), 2, {"tip": PANDA[1], "seed": 1}),
    ],
)
def test_answers_and_messages_are_those_of_the_emulator(problem, ranks, options):
    """To the bit; the messages are those of processes that stay at home."""
    run, emulated = library.mpi(problem, ranks, **options), library.run(problem, **options)
    assert run.result.keys() == emulated.result.keys()
    for name, numbers in emulated.result.items():
        assert np.array_equal(run.result[name], numbers), name
    assert run.certificate == emulated.certificate
    at_home = library.run(problem, residency="home", numbers=False, **options)
    messages, expected = (x.trace.messages.select(ALIKE).sort(ALIKE) for x in (run, at_home))
    assert messages.equals(expected)


HOSTS = """
from mpi4py import MPI
from senn.machine import processes
import senn, time
rank = MPI.COMM_WORLD.rank
MPI.Get_processor_name = lambda: f"host {rank}"
processes.monotonic_ns = lambda: time.monotonic_ns() + rank * 10**15
senn.mpi("random:8:seed=1", repeat=3).save("hosts")
"""


@pytest.mark.fast("4")
@pytest.mark.parametrize("hosts", [1, 4])
def test_times_are_causal(folder, hosts):
    """From post to arrival to the first reader; a unit does one thing after the other, and a rank works for
    one array at a time. So too on hosts whose clocks differ by eleven days."""
    if hosts == 1:
        run = library.mpi("random:8:seed=1", 4, repeat=3)
    else:
        subprocess.run([*MPIEXEC, "4", sys.executable, "-c", HOSTS], env=ENVIRONMENT, check=True)
        run = library.open_run("hosts")
    assert run.description["processes"]["hosts"] == hosts
    messages, work, ranks = run.trace.messages, run.trace.activities, np.arange(8) * 4 // 8
    assert np.array_equal(messages["source_node"], ranks[messages["source_process"].to_numpy() - 1])
    assert np.array_equal(messages["target_node"], ranks[messages["target_process"].to_numpy() - 1])
    assert (messages["posted"] <= messages["arrived"]).all()
    between = messages.filter(pl.col("source_node") != pl.col("target_node"))
    assert between.height
    assert hosts > 1 or (between["posted"] < between["arrived"]).all()
    keys = {"target_array": "array", "target_node": "node", "read_by": "instruction"}
    readers = messages.drop("instruction").rename(keys).join(work, on=list(keys.values()), how="inner")
    assert (readers["arrived"] <= readers["start"]).all()
    senders = {"source_array": "array", "source_node": "node"}
    sends = work.filter(pl.col("class") == "post")
    posts = messages.rename(senders).join(sends, on=["array", "node", "instruction"], how="inner")
    assert posts.height == messages.height
    assert posts.select(pl.col("posted").is_between("start", "end").all()).item()
    after = pl.col("start") >= pl.col("end").shift(1, fill_value=0).over("array", "node")
    assert work.sort("array", "node", "start", "end").select(after.all()).item()
    in_turn = pl.col("start") >= pl.col("end").shift(1, fill_value=0).over("node")  # of all arrays
    operations = work.filter(pl.col("class") != "receive").sort("node", "start", "end")
    assert operations.select(in_turn.all()).item()
    makespans = run.description["processes"]["makespans"]
    assert len(makespans) == 3
    assert run.summary["makespan"] == work["end"].max()
    assert run.summary["makespan"] == min(makespans) or hosts > 1
    path = run.path
    assert [piece.start for piece in path] == [0, *(piece.end for piece in path[:-1])]
    assert path[-1].end == run.summary["makespan"]


def test_the_record_says_what_was_measured_and_commands_read_it(folder):
    done = senn("mpi", "ur5", "--ranks", "3", "-o", "mine", "--json")
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert document["machine"] == "mpi"
    entry = json.loads(Path("mine/run.json").read_text())
    assert entry["machine"]["clock_mhz"] == 1000
    assert {name: entry["processes"][name] for name in ("ranks", "hosts")} == {"ranks": 3, "hosts": 1}
    cores = entry["processes"]["cores"]
    assert 1 <= cores <= (os.cpu_count() or 1)
    text = senn("explain", "mine").stdout
    on = f"{counted(cores, 'core')}{': more ranks than cores' * (cores < 3)}"
    assert f"measured    3 ranks of 1 host on {on}" in text
    assert "receiving   of a rank includes noticing messages and the turns of other arrays\n" in text
    assert "retime" not in text  # its machine has no times
    for words in (
        ("explain", "mine", "critical"),
        ("plot", "mine", "-o", "timeline.png"),
        ("plot", "mine", "--kind", "overlap", "-o", "overlap.png"),
        ("report", "mine", "-o", "page.html"),
        ("export", "mine", "--to", "perfetto", "-o", "mine.pftrace"),
        ("export", "mine", "--to", "csv", "-o", "mine.csv"),
    ):
        assert senn(*words).exit_code == 0, words
    refused = senn("retime", "mine", "--set", "timing.word=1")
    assert refused.exit_code == 2
    assert refused.stderr.startswith("senn: the times of this run were measured, not those of a machine:")
    cluster = ["--machine", "cluster", "--set", "machine.network=full", "--set", "machine.nodes=3"]
    on_another = senn("retime", "mine", *cluster, "-o", "other")
    assert on_another.exit_code == 0, on_another.stderr
    assert "measured  " not in senn("explain", "other").stdout


def test_without_mpi_the_way_out_is_said(folder, monkeypatch):
    missing = "senn: mpi needs mpi4py and an MPI, which are not installed: pip install 'senn[mpi]'\n"
    monkeypatch.setattr(processes, "which", lambda *words, **where: None)
    assert senn("mpi", "ur5").stderr == missing
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", "2")
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    done = senn("mpi", "ur5")
    assert (done.exit_code, done.stderr) == (2, missing)
    assert list(folder.iterdir()) == []


def _ranks(process: int) -> list[int]:
    """The ranks below a process."""
    below = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(entry.read_text().rpartition(")")[2].split()[1])
            words = (entry.parent / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if parent == process:
            child = int(entry.parent.name)
            below += [child] if Path(words[0].decode()).name.startswith("python") else _ranks(child)
    return below


LONG = ("mpi", "ur5", "--repeat", "1000000")


def _begun(folder: Path, *words: str) -> tuple[subprocess.Popen[bytes], list[int]]:
    """A command, by default one that takes long, and its ranks; its temporary files are in the folder."""
    (folder / "temporary").mkdir()
    command = subprocess.Popen(
        [sys.executable, "-m", "senn", *(words or (*LONG, "-o", "mine"))],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder / "temporary")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while len(ranks := _ranks(command.pid)) < 2:
        assert command.poll() is None
        time.sleep(0.05)
    time.sleep(1)
    return command, ranks


def _wait(over: Callable[[], bool]) -> None:
    """Until something is over, at most two minutes: on a loaded computer it may take many seconds."""
    end = time.monotonic() + 120
    while not over():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_rank_that_dies_is_one_clear_line(folder):
    command, ranks = _begun(folder)
    os.kill(max(ranks), signal.SIGKILL)
    out, errors = command.communicate(timeout=60)
    assert (command.returncode, out) == (1, b"")
    assert errors == b"senn: mpi: rank 1 was ended by signal 9 (Killed); nothing was written\n"
    assert not Path("mine").exists()


@pytest.mark.fast("15*")
@pytest.mark.parametrize(
    ("number", "text"),
    [(signal.SIGINT, b"\nsenn: interrupted\n"), (signal.SIGTERM, b"senn: ended by SIGTERM\n")],
)
def test_an_interruption_ends_all_ranks(folder, number, text):
    command, ranks = _begun(folder)
    command.send_signal(number)
    out, errors = command.communicate(timeout=60)
    assert (command.returncode, out, errors) == (128 + number, b"", text)
    _wait(lambda: not any(Path(f"/proc/{rank}").exists() for rank in ranks))
    assert not Path("mine").exists()


@pytest.mark.fast("command0")
@pytest.mark.parametrize("command", [(*LONG, "-o", "mine"), ("new", "here.toml", "--calibrate")])
def test_killing_the_command_ends_its_ranks_and_removes_their_files(folder, command):
    """SIGKILL gives a command no time to end them itself."""
    command, ranks = _begun(folder, *command)
    command.kill()
    command.communicate(timeout=60)
    _wait(lambda: not any(Path(f"/proc/{rank}").exists() for rank in ranks))
    _wait(lambda: list(folder.rglob("*")) == [folder / "temporary"])  # mpiexec removes its files last


def test_an_error_on_a_rank_is_one_clear_line(folder, monkeypatch):
    Path("mine.py").write_text(
        "from senn.machine.program import Compute, Kernel, Letter, Operations, Program, Resident\n"
        "def wrong(n):\n"
        "    x = Letter('x', (1,))\n"
        "    bad = Kernel('bad', '{0}', lambda own: own.nothing, declared=Operations(add=1))\n"
        "    stream = (Compute('B', x[1], bad(x[0])),)\n"
        "    return Program('bad', n, (stream,), (Resident(x[0], (1,)),), {'x': (1, x[1])})\n"
    )
    np.savez("data.npz", **{"x[0]": np.ones((4, 1))})
    done = senn("mpi", "mine.py:wrong", "--given", "data.npz")
    assert done.exit_code != 0
    assert "AttributeError: 'numpy.ndarray' object has no attribute 'nothing'" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not Path("runs").exists()


def test_mpiexec_of_a_user_starts_the_ranks(folder):
    words = [*MPIEXEC, "2", sys.executable, "-m", "senn", "mpi", "ur5", "-q", "-o", "mine"]
    done = subprocess.run(words, env=ENVIRONMENT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "mine\n"), done.stderr
    run = library.open_run("mine")
    assert run.description["processes"]["ranks"] == 2
    assert np.array_equal(run.qdd, library.run("ur5").qdd)


ELSEWHERE = """
import os, sys
if int(os.environ["OMPI_COMM_WORLD_RANK"]) == 1:
    os.chdir("/")
from senn.cli.main import main
sys.argv = ["senn", "mpi", "mine.toml"]
main()
"""


def test_what_one_rank_cannot_read_ends_all(folder):
    assert senn("new", "mine.toml", "--robot", "ur5").exit_code == 0
    words = [*MPIEXEC, "2", sys.executable, "-c", ELSEWHERE]
    done = subprocess.run(words, env=ENVIRONMENT, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    said = [line for line in done.stderr.splitlines() if line.startswith("senn: ")]
    assert said == ["senn: mine.toml: no such file"]
    assert not Path("runs").exists()

"""Studies that are interrupted, killed, changed and failing: nothing is lost, nothing computed twice."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest

from senn.experiments.studies import cluster
from senn.experiments.studies.conduct import conduct, here
from senn.experiments.studies.study import read
from senn.traces.errors import InputError
from tests.places import ROOT

PATIENCE = 60  # seconds after which a process that should have answered is given up

STUDY = """
[study]
name = "small"
[fixed]
problem = "random:{n}:seed=4"
form = "short"
numbers = false
[vary]
n = [1, 2]
residency = ["home", "migrating"]
machine = ["raw", "mark3"]
"""


@pytest.fixture
def file(tmp_path):
    """A study of 8 quick runs."""
    path = tmp_path / "small.toml"
    path.write_text(STUDY)
    return path


class Counting:
    """Computes here, and remembers what it was asked for; ends after `most` runs as a Ctrl-C would."""

    def __init__(self, most=None):
        self.computed, self.most = [], most

    def __call__(self):
        return nullcontext(self.compute)

    def compute(self, points):
        for point, row in here(points):
            if len(self.computed) == self.most:
                raise KeyboardInterrupt
            self.computed.append(point.key)
            yield point, row


def _conduct(file, folder, counting=None, **how):
    return conduct(read(file), file, folder, counting or Counting(), **how)


def _figures(found):
    return found.drop("seconds")


def _files(folder):
    """The finished rows and when they were written."""
    return {path.name: path.stat().st_mtime_ns for path in (folder / "rows").glob("*.json")}


# ------------------------------------------------------------------------------ in this process


def test_a_study_leaves_one_table(file, tmp_path):
    """Read back by polars: a row a run, in order, with every parameter; nothing else in the folder."""
    found = _conduct(file, tmp_path / "out")
    again = pl.read_parquet(tmp_path / "out" / "table.parquet")
    assert again.equals(found)
    asked = [(n, place, name) for n in (1, 2) for place in ("home", "migrating") for name in ("raw", "mark3")]
    assert again.select("n", "residency", "machine").rows() == asked
    assert again["error"].null_count() == again["makespan"].count() == 8
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        *("study.toml", "rows", "table.parquet", "comparison.md")
    }
    assert (tmp_path / "out" / "study.toml").read_text() == STUDY
    assert len((tmp_path / "out" / "comparison.md").read_text().splitlines()) == 2 + 8


def test_an_interrupted_study_goes_on(file, tmp_path):
    """Five runs, then Ctrl-C: the next call computes the other three, and the table is that of one go."""
    first = Counting(most=5)
    with pytest.raises(KeyboardInterrupt):
        _conduct(file, tmp_path / "out", first)
    assert {path.stem for path in (tmp_path / "out" / "rows").iterdir()} == set(first.computed)
    assert not (tmp_path / "out" / "table.parquet").exists()
    second, seen = Counting(), []
    found = _conduct(file, tmp_path / "out", second, progress=lambda row, was_there: seen.append(was_there))
    keys = [point.key for point in read(file).points]
    assert sorted(first.computed + second.computed) == sorted(keys)
    assert (len(first.computed), len(second.computed), len(seen)) == (5, 3, 8)
    assert seen == [True] * 5 + [False] * 3
    assert _figures(found).equals(_figures(_conduct(file, tmp_path / "at once")))
    third = Counting()
    assert _conduct(file, tmp_path / "out", third).equals(found)
    assert third.computed == []


def test_a_changed_study_computes_what_is_new(file, tmp_path):
    """Two values more: their runs only; one value less: none, and its rows stay for when it comes back."""
    before = _conduct(file, tmp_path / "out")
    file.write_text(STUDY.replace("[1, 2]", "[1, 2, 3]").replace('"mark3"]', '"mark3", "ideal"]'))
    more = Counting()
    found = _conduct(file, tmp_path / "out", more)
    assert (found.height, len(more.computed)) == (18, 10)
    file.write_text(STUDY.replace("[1, 2]", "[2]"))
    less = Counting()
    assert _conduct(file, tmp_path / "out", less)["n"].to_list() == [2] * 4
    file.write_text(STUDY)
    assert _conduct(file, tmp_path / "out", less).equals(before)
    assert less.computed == []


def test_a_failed_run_is_a_row(file, tmp_path):
    """A problem that is refused in the run: its row has the error, the others their scores; tried again on
    demand only."""
    file.write_text(STUDY.replace('"random:{n}:seed=4"', '"random:{n}:seed=4:prismatic=2"'))
    found = _conduct(file, tmp_path / "out")
    assert found["error"].to_list() == [
        f"'random:{n}:seed=4:prismatic=2': prismatic is a share between 0 and 1, not '2'" for n in found["n"]
    ]
    assert found["makespan"].null_count() == 8
    counting = Counting()
    _conduct(file, tmp_path / "out", counting)
    assert counting.computed == []
    _conduct(file, tmp_path / "out", counting, retry_failed=True)
    assert len(counting.computed) == 8


def test_only_failed_runs_are_tried_again(tmp_path):
    """One that is refused among others that are fine."""
    file = tmp_path / "s.toml"
    file.write_text('[study]\nname = "s"\n[vary]\nproblem = ["random:2", "random:2:seed=x", "random:3"]\n')
    found = _conduct(file, tmp_path / "out")
    assert found["makespan"].is_null().to_list() == [False, True, False]
    assert found["certificate_ok"].to_list() == [True, None, True]
    counting = Counting()
    _conduct(file, tmp_path / "out", counting, retry_failed=True)
    assert counting.computed == [found["key"][1]]


def test_half_a_row_is_computed_again(file, tmp_path):
    """A row that cannot be read is no row; a file that was being written is none either."""
    found = _conduct(file, tmp_path / "out")
    rows = tmp_path / "out" / "rows"
    (rows / f"{found['key'][3]}.json").write_text('{"n": 2, "makesp')
    (rows / f".{found['key'][5]}.json.1.partial").write_text("{}")
    counting = Counting()
    assert _figures(_conduct(file, tmp_path / "out", counting)).equals(_figures(found))
    assert counting.computed == [found["key"][3]]


@pytest.mark.parametrize(
    "change",
    [
        lambda row: 5,
        lambda row: [row],
        lambda row: {},
        lambda row: {name: value for name, value in row.items() if name != "error"},
        lambda row: {**row, "error": 3},
        lambda row: {**row, "residency": "nowhere"},
        lambda row: {**row, "makespan": "many"},
        lambda row: {**row, "makespan": 2.5},
        lambda row: {**row, "makespan": 2**63},
        lambda row: {**row, "instructions_1": [1, 2]},
        lambda row: {**row, "certificate_ok": {"deep": True}},
    ],
)
def test_what_is_no_row_is_computed_again(file, tmp_path, change):
    """JSON that is not what a run left there: not of this run, or not of the types of its columns."""
    found = _conduct(file, tmp_path / "out")
    path = tmp_path / "out" / "rows" / f"{found['key'][3]}.json"
    path.write_text(json.dumps(change(json.loads(path.read_text()))))
    counting = Counting()
    assert _figures(_conduct(file, tmp_path / "out", counting)).equals(_figures(found))
    assert counting.computed == [found["key"][3]]


@pytest.mark.parametrize("text", ["[" * 100_000, "9" * 5000, "\ud800", "\0"])
def test_what_no_parser_takes_is_no_row(file, tmp_path, text):
    found = _conduct(file, tmp_path / "out")
    path = tmp_path / "out" / "rows" / f"{found['key'][3]}.json"
    path.write_bytes(text.encode(errors="surrogatepass"))
    assert _figures(_conduct(file, tmp_path / "out")).equals(_figures(found))


def test_other_folders_are_left_alone(file, tmp_path):
    """A folder with something else in it, and a file, are refused before anything is written."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("")
    with pytest.raises(InputError, match="mine is there and is not the folder of a study; choose another"):
        _conduct(file, tmp_path / "mine")
    with pytest.raises(InputError, match="is a file, not a folder; choose another place with -o"):
        _conduct(file, file / "below")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["letter.txt"]


def test_the_study_in_the_documentation_runs(tmp_path):
    """docs/studies/*.toml at small sizes: all runs fine, and the picture it asks for can be drawn."""
    for page in (ROOT / "docs" / "studies").glob("*.toml"):
        text = page.read_text()
        assert 'n = "4:64"' in text
        file = tmp_path / page.name
        file.write_text(text.replace('n = "4:64"', 'n = "4:6"'))
        found = _conduct(file, tmp_path / page.stem)
        assert found["error"].null_count() == found.height > 1


# ------------------------------------------------------------------------------ processes


def _environment():
    return {**os.environ, "PYTHONPATH": str(ROOT / "src"), "MPLBACKEND": "agg"}


def _wait(condition, process):
    """Until the condition holds; fails if the process ends before, or after PATIENCE."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "no answer"
        assert process.poll() is None, process.stderr and process.stderr.read()
        time.sleep(0.02)


def _senn_study(file, folder, *words):
    command = [sys.executable, "-m", "senn", "study", str(file), "-o", str(folder), "--workers", "1", *words]
    return subprocess.Popen(
        command,
        env=_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_study_goes_on(file, tmp_path, how):
    """The whole process group killed, or Ctrl-C, after some runs: no finished run is computed again."""
    # Later runs are longer, so that there is something left when the first are finished.
    file.write_text(STUDY.replace("[1, 2]", "[1, 48, 96]"))
    folder = tmp_path / "out"
    process = _senn_study(file, folder)
    _wait(lambda: len(_files(folder)) >= 3, process)
    os.killpg(process.pid, how)
    out, err = process.communicate(timeout=PATIENCE)
    kept = _files(folder)
    total = len(read(file).points)
    assert 3 <= len(kept) < total
    assert not (folder / "table.parquet").exists()
    if how == signal.SIGINT:
        assert (process.returncode, out) == (130, ""), err
        assert err.splitlines()[-1] == (
            f"senn: interrupted: {len(kept)} of {total} runs are kept in {folder}; the same command goes on"
        )
        assert "Traceback" not in err
    counting = Counting()
    found = _conduct(file, folder, counting)
    assert sorted([*counting.computed, *(Path(name).stem for name in kept)]) == sorted(found["key"])
    assert kept.items() <= _files(folder).items()  # not even written again
    assert found["error"].null_count() == total


def test_a_study_on_this_computer(file, tmp_path):
    """The command with its own worker processes: the table of a study in one process, and a quiet stderr."""
    file.write_text(STUDY.replace("[1, 2]", "[1]"))
    process = _senn_study(file, tmp_path / "out", "--json")
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (0, "")
    document = json.loads(out)
    expected = _figures(_conduct(file, tmp_path / "here")).to_dicts()
    runs = [{name: value for name, value in run.items() if name != "seconds"} for run in document["runs"]]
    assert (document["study"], runs) == ("small", expected)
    assert (tmp_path / "out" / "comparison.png").read_bytes()[:4] == b"\x89PNG"


@contextmanager
def _started(*words, log):
    with log.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *words], env=_environment(), stdout=output, stderr=output
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def _scheduler(folder):
    """A scheduler and two workers, processes of their own on loopback: (address, the workers)."""
    place, log = folder / "scheduler.json", folder / "log"
    quiet = ("--host", "127.0.0.1", "--no-dashboard")
    with _started("scheduler", *quiet, "--port", "0", "--scheduler-file", str(place), log=log) as scheduler:
        _wait(place.exists, scheduler)
        address = json.loads(place.read_text())["address"]
        work = ("worker", address, *quiet, "--nthreads", "1", "--no-nanny", "--local-directory", str(folder))
        with _started(*work, "--name", "a", log=log) as a, _started(*work, "--name", "b", log=log) as b:
            yield address, {"a": a, "b": b}


def test_a_worker_is_killed_half_way(file, tmp_path):
    """A real scheduler, two workers, one killed with -9 while it computes: nothing lost, nothing double."""
    from distributed import Client

    file.write_text(STUDY.replace("[1, 2]", "[4, 6, 8]"))
    seen, busy = [], {}
    with _scheduler(tmp_path) as (address, workers), Client(address, set_as_default=False) as watch:
        watch.wait_for_workers(2, timeout=PATIENCE)

        def progress(row, was_there):
            seen.append(row)
            if len(seen) == 4:
                named = {one["id"]: where for where, one in watch.scheduler_info()["workers"].items()}
                busy["a"] = len(watch.processing()[named["a"]])
                workers["a"].send_signal(signal.SIGKILL)

        computing = partial(cluster.computing, address)
        found = conduct(read(file), file, tmp_path / "out", computing, progress=progress)
        assert workers["a"].wait() == -signal.SIGKILL
        assert workers["b"].poll() is None
    assert busy["a"] > 0  # it had work that had to be done again
    assert len(seen) == found.height == found["key"].n_unique() == 12
    assert found["error"].null_count() == 12
    shutil.rmtree(tmp_path / "out" / "rows")
    assert _figures(found).equals(_figures(_conduct(file, tmp_path / "out")))


def test_what_no_worker_can_finish_is_a_failed_row(file, monkeypatch):
    """An error outside of the run itself, and Dask's word for a worker that dies whenever it tries."""
    from distributed import Client, KilledWorker

    def fails(point):
        if point.parameters["machine"] == "raw":
            raise KilledWorker("row", SimpleNamespace(address="tcp://a:1"), 3)
        raise ImportError("no senn here")

    monkeypatch.setattr(cluster, "row", fails)
    points = read(file).points[:2]
    with Client(processes=False, n_workers=1, dashboard_address=None, set_as_default=False) as client:
        rows = {point.key: row for point, row in cluster._on(client, points)}
    assert [rows[point.key]["error"] for point in points] == [
        "4 workers died while they computed it; if memory was too little, take fewer --workers",
        "no worker could finish it: ImportError: no senn here",
    ]
    assert [rows[point.key]["n"] for point in points] == [1, 1]


def test_a_scheduler_that_is_not_there(file, tmp_path, monkeypatch):
    """One sentence, soon, with the way out, and nothing is written."""
    monkeypatch.setattr(cluster, "_PATIENCE", 0.2)
    for address, message in (
        ("tcp://127.0.0.1:9", "does not answer .*start it with"),
        ("nonsense://x:1", "unknown address scheme .*; write tcp://HOST:PORT$"),
        ("nowhere", "missing port number .*; write tcp://HOST:PORT$"),
    ):
        with pytest.raises(InputError, match=f"^scheduler {address}:? {message}"):
            conduct(read(file), file, tmp_path / "out", partial(cluster.computing, address))
    assert not (tmp_path / "out").exists()


def test_without_dask_the_way_out_is_said(monkeypatch):
    monkeypatch.setattr(cluster, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"Dask, which is not installed: pip install 'senn\[cluster\]'"):
        cluster.check_installed()

"""Studies on processes of this computer, some of them killed: nothing is lost, nothing computed twice."""

import json
import multiprocessing
import os
import signal
import sys
import threading
from functools import partial
from pathlib import Path

import pytest

from senn.base.errors import InputError
from senn.cli.printing import document
from senn.studies import conduct as shelf
from senn.studies import processes
from senn.studies.conduct import conduct
from senn.studies.study import read
from tests.senn.studies import small_study
from tests.senn.studies.small_study import PATIENCE, STUDY, Counting, conduct_here, figures, files, started


@pytest.mark.exhaustive
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_study_goes_on(file, tmp_path, how):
    """The whole process group killed, or Ctrl-C, after some runs: no finished run is computed again."""
    # Later runs are longer, so that there is something left when the first are finished.
    file.write_text(STUDY.replace("[1, 2]", "[1, 48, 96]"))
    folder = tmp_path / "out"
    process = started(file, folder)
    small_study.wait(lambda: len(files(folder)) >= 3, process)
    os.killpg(process.pid, how)
    out, err = process.communicate(timeout=PATIENCE)
    kept = files(folder)
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
    found = conduct_here(file, folder, counting)
    assert sorted([*counting.computed, *(Path(name).stem for name in kept)]) == sorted(found["key"])
    assert kept.items() <= files(folder).items()  # not even written again
    assert found["error"].null_count() == total


def test_a_study_on_this_computer(file, tmp_path):
    """The command with its own worker processes: the table of a study in one process, and a quiet stderr."""
    file.write_text(STUDY.replace("[1, 2]", "[1]"))
    process = started(file, tmp_path / "out", "--json")
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (0, "")
    said = json.loads(out)
    expected = document.of_rows(figures(conduct_here(file, tmp_path / "here")))
    runs = [{name: value for name, value in run.items() if name != "seconds"} for run in said["runs"]]
    assert (said["study"], runs) == ("small", expected)
    assert (tmp_path / "out" / "comparison.png").read_bytes()[:4] == b"\x89PNG"


_OWN = """
import os, signal, sys
def place(n, levels, nodes):
    print("said by a run")
    {what}
    return [list(range(n))] * (levels + 1)
"""


def with_code(file, what):
    """The study with an allocation of its own, which does something else first."""
    (file.parent / "own.py").write_text(_OWN.format(what=what))
    file.write_text(STUDY.replace('form = "short"', 'form = "short"\nallocation = "own.py:place"'))


def test_a_process_that_dies_is_replaced(file, tmp_path, capfd):
    """The first run of n = 2 kills its process as the system does when memory is out: another computes it,
    and every row is there once. What runs print is not among what is printed.
    """
    mark = tmp_path / "mark"
    with_code(
        file,
        f"if n == 2 and not os.path.exists({str(mark)!r}):\n"
        f"        open({str(mark)!r}, 'w').close(); os.kill(os.getpid(), signal.SIGKILL)",
    )
    seen = []
    computing, progress = partial(processes.computing, 2), lambda row, was_there: seen.append(row)
    found = conduct(read(file), file, tmp_path / "out", computing, progress=progress)
    assert mark.exists()
    assert (len(seen), found.height, found["error"].null_count()) == (8, 8, 8)
    assert capfd.readouterr().out == ""
    assert figures(found).equals(figures(conduct_here(file, tmp_path / "here")))
    assert multiprocessing.active_children() == []


@pytest.mark.exhaustive
def test_what_kills_every_process_is_a_failed_row(file, tmp_path):
    """Four processes die of one run: the other is done all the same."""
    with_code(file, "if n == 2: os._exit(3)")
    file.write_text(
        file.read_text().replace('["raw", "mark3"]', '["raw"]').replace('["home", "migrating"]', '["home"]')
    )
    text = "4 workers died while they computed it; if memory was too little, take fewer --workers"
    found = conduct(read(file), file, tmp_path / "out", lambda: processes.computing(1))
    assert found.select("n", "error").rows() == [(1, None), (2, text)]


def test_what_ends_a_run_otherwise_is_its_error(file, monkeypatch):
    """Even what is no Exception; the process goes on with the next point until the pipe is closed."""
    ours, theirs = multiprocessing.Pipe()
    first, second = read(file).points[:2]

    def interrupted(point):
        raise KeyboardInterrupt("enough")

    monkeypatch.setattr(processes, "compute_row", interrupted)
    monkeypatch.setattr(os, "dup2", lambda one, other: None)
    for point in (first, second):
        ours.send(point)
    process = threading.Thread(target=processes._work, args=(theirs,))
    process.start()
    assert [ours.recv()["error"] for _ in range(2)] == ["KeyboardInterrupt: enough"] * 2
    ours.close()
    process.join(PATIENCE)
    assert not process.is_alive()


@pytest.mark.exhaustive
def test_a_caller_that_stops_leaves_no_process(file):
    """After the first row nothing more is asked for: what the others compute is given up."""
    with processes.computing(2) as compute:
        next(iter(compute(read(file).points)))
        assert 1 <= len(multiprocessing.active_children()) <= 2
    assert multiprocessing.active_children() == []


@pytest.mark.exhaustive
def test_no_more_processes_than_runs_and_no_threads_of_theirs(file, tmp_path, monkeypatch):
    """The last run starts one process, whose libraries have one thread; here nothing is set."""
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setenv("MKL_NUM_THREADS", "3")  # what the user says stays
    with_code(file, f"open({str(tmp_path)!r} + '/said', 'w').write(str(sorted(os.environ.items())))")
    points = read(file).points[:1]
    with processes.computing(5) as compute:
        computed = compute(points)
        assert len(multiprocessing.active_children()) == 1
        assert [row["error"] for _, row in computed] == [None]
    said = (tmp_path / "said").read_text()
    assert "('OMP_NUM_THREADS', '1')" in said
    assert "('MKL_NUM_THREADS', '3')" in said
    assert "OMP_NUM_THREADS" not in os.environ


@pytest.mark.exhaustive
def test_a_study_needs_no_dask_and_nothing_listens(file, tmp_path):
    """A Dask that cannot be imported is not missed; the processes have pipes and no address."""
    (tmp_path / "distributed.py").write_text("raise ImportError('not here')")
    (tmp_path / "dask.py").write_text("raise ImportError('not here')")
    check = (
        "names = [os.path.realpath(f'/proc/{p}/fd/{d}') for p in (os.getpid(), os.getppid()) "
        "for d in os.listdir(f'/proc/{p}/fd')]; "
        "sockets = {name[:-1].split('[')[1] for name in names if 'socket:' in name}; "
        "known = {w for t in ('tcp', 'tcp6') for w in open(f'/proc/net/{t}').read().split()}; "
        "assert not sockets & known, 'a socket has an address'"
    )
    with_code(file, check if sys.platform == "linux" else "pass")
    process = started(file, tmp_path / "out", "--allow-code", "--json", path=[str(tmp_path)])
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    assert [run["error"] for run in json.loads(out)["runs"]] == [None] * 8


@pytest.mark.exhaustive
def test_two_studies_on_one_folder(file, tmp_path):
    """The second is refused in one line while the first is at work, and goes on when that was killed."""
    folder, gate = tmp_path / "out", tmp_path / "gate"
    with_code(file, f"import time\n    while not os.path.exists({str(gate)!r}): time.sleep(0.02)")
    first = started(file, folder, "--allow-code")
    small_study.wait(lambda: (folder / shelf.COPY).exists(), first)
    with pytest.raises(InputError, match=rf"^{folder}: another study is at work there; wait for it, or"):
        conduct_here(file, folder)
    os.kill(first.pid, signal.SIGKILL)
    first.wait(timeout=PATIENCE)
    gate.touch()  # its process, which holds both pipes, comes to an end, and sees that nobody is there
    first.communicate(timeout=PATIENCE)
    assert conduct_here(file, folder)["error"].null_count() == 8
    assert {path.name for path in folder.iterdir()} == {
        *("study.toml", "rows", "table.parquet", "comparison.md")
    }


@pytest.mark.exhaustive
def test_the_processes_of_a_study_that_was_killed_end(file, tmp_path):
    """When they have computed what they were at they see that nobody is there: both pipes of the command are
    closed, which the processes hold as well."""
    file.write_text(file.read_text().replace("[1, 2]", "[1, 48, 96]"))
    process = started(file, tmp_path / "out")
    small_study.wait(lambda: len(files(tmp_path / "out")) >= 1, process)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == -signal.SIGKILL

"""However a command ends, nothing half-written stays; its status says how; odd surroundings do not matter."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from senn.cli.main import Ended
from tests.places import ENVIRONMENT
from tests.senn.cli.command import senn

# Whoever is to end it is told when the first file of what it writes is there.
WRITING = """
import os, signal, sys, time
from pathlib import Path

# Tests under nohup or in the background hand on that these are ignored.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)

def told(do):
    def done(*arguments):
        found = do(*arguments)
        print("writing", file=sys.stderr, flush=True)
        time.sleep(60)
        return found
    return done

Path.write_bytes = told(Path.write_bytes)
os.fsync = told(os.fsync)

from senn.cli.main import main
main()
"""
RUN = ("run", "random:2", "--engine", "lockstep", "--detail", "instructions", "-o", "there/mine")
TABLE = ("optimise", "--n", "3", "--budget", "1", "-o", "there/table.csv")


def _ended(words, how):
    """The status and the last words of a command that gets a signal while it writes."""
    command = [sys.executable, "-c", WRITING, *words]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=ENVIRONMENT, **pipes) as process:
        assert process.stderr.readline() == "writing\n"
        process.send_signal(how)
        out, err = process.communicate()
    return process.returncode, out, err


@pytest.mark.fast("run-TERM")
@pytest.mark.parametrize(
    ("words", "how", "status", "said"),
    [
        (RUN, signal.SIGINT, 130, "\nsenn: interrupted\n"),
        (RUN, signal.SIGTERM, 143, "senn: ended by SIGTERM\n"),
        (RUN, signal.SIGHUP, 129, "senn: ended by SIGHUP\n"),
        (TABLE, signal.SIGTERM, 143, "senn: ended by SIGTERM\n"),
    ],
    ids=["run-INT", "run-TERM", "run-HUP", "table-TERM"],
)
def test_what_asks_to_end_leaves_nothing(folder, words, how, status, said):
    """Ctrl-C, SIGTERM, a closed terminal: 128 and the signal's number, one line, no file; of a run the answer
    was printed before."""
    found, out, err = _ended(words, how)
    assert (found, err) == (status, said)
    assert ("makespan" in out) == (words == RUN)
    assert list(Path("there").iterdir()) == []


def test_what_was_killed_is_swept_away_by_the_next(folder):
    """SIGKILL leaves something that no command takes for a run; the same command again removes it."""
    assert _ended(RUN, signal.SIGKILL)[0] == -signal.SIGKILL
    (left,) = Path("there").iterdir()
    assert left.name.endswith(".partial")
    assert senn(*RUN).exit_code == 0
    assert [one.name for one in Path("there").iterdir()] == ["mine"]


@pytest.mark.exhaustive
def test_the_run_that_was_there_stays(folder):
    assert senn(*RUN).exit_code == 0
    before = Path("there/mine/run.json").read_bytes()
    assert _ended((*RUN, "--seed", "7", "--force"), signal.SIGTERM)[0] == 143
    assert Path("there/mine/run.json").read_bytes() == before
    assert senn("explain", "there/mine").exit_code == 0
    assert [one.name for one in Path("there").iterdir()] == ["mine"]


def test_what_is_ignored_stays_so(folder):
    """Under nohup a closed terminal is nothing to a command."""
    script = (
        "import os, signal; signal.signal(signal.SIGHUP, signal.SIG_IGN);"
        "import senn.cli.main as program;"
        "program.cli.main = lambda **_: os.kill(os.getpid(), signal.SIGHUP);"
        "program.main(); print('on')"
    )
    done = subprocess.run([sys.executable, "-c", script], env=ENVIRONMENT, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "on\n", "")


@pytest.mark.parametrize(("how", "status"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_inside_the_event_engine(folder, monkeypatch, how, status):
    """SimPy copies an exception of a process: class and arguments."""

    def ended(*_arguments):
        raise Ended(how)

    monkeypatch.setattr("senn.machine.engines.events.evaluate", ended)
    done = senn("run", "random:2", "--engine", "events")
    assert (done.exit_code, done.stderr) == (status, f"senn: ended by {how.name}\n")


def test_help_without_docstrings_says_so(folder):
    """python -OO strips them; options are there all the same."""
    words = [sys.executable, "-OO", "-m", "senn", "run", "--help"]
    done = subprocess.run(words, env=ENVIRONMENT, capture_output=True, text=True, check=True)
    assert done.stderr == (
        "senn: python -OO leaves out what commands do; without it, or with -O, --help says that too\n"
    )
    assert "--residency" in done.stdout


def _senn(*words, environment=(), before=""):
    """A process of its own, by a shell that may close streams; `before` closes them."""
    command = f'exec "$0" "$@" {before}'
    return subprocess.run(
        ["sh", "-c", command, sys.executable, "-m", "senn", *words],
        env=ENVIRONMENT | dict(environment),
        capture_output=True,
        text=True,
    )


@pytest.mark.fast("environment0")
@pytest.mark.parametrize(
    "environment",
    [
        {"COLUMNS": "²", "LINES": "³", "POLARS_MAX_THREADS": "many"},
        {"COLUMNS": "9" * 5000, "TERM": "", "FORCE_COLOR": "1"},
        {"HOME": "/nowhere", "MPLCONFIGDIR": "/dev/null", "MPLBACKEND": "none", "TMPDIR": "/nowhere"},
    ],
)
def test_an_odd_environment_is_no_matter(tmp_path, environment):
    """The same answer, and not a word on stderr: of libraries neither."""
    picture = str(tmp_path / "steps.png")
    done = _senn("steps", "--n", "2:8", "--plot", picture, environment=environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert "makespan" in done.stdout
    assert os.path.getsize(picture) > 1000


@pytest.mark.fast("words0-*", "words1-*", "words3-*")
@pytest.mark.parametrize(
    ("words", "before", "status"),
    [
        (("list", "networks"), ">&-", 0),
        (("list", "networks"), "2>&-", 0),
        (("run", "nosuch"), "2>&- >&-", 2),
        (("list", "networks"), ">/dev/full", 2),
        (("run", "nosuch"), ">/dev/full 2>&1", 2),
    ],
)
def test_closed_and_full_streams(words, before, status):
    """The status is what it would be; a full disk is said in one line."""
    done = _senn(*words, before=before)
    assert done.returncode == status
    assert done.stderr == ("senn: No space left on device\n" if before == ">/dev/full" else "")


@pytest.mark.parametrize(("set_by_user", "threads"), [({}, "1"), ({"OPENBLAS_NUM_THREADS": "2"}, "2")])
def test_openblas_has_one_thread_unless_the_user_sets_more(set_by_user, threads):
    """The last bits of a product of large matrices depend on the number of threads."""
    ask = "import os; from senn.cli import main; main._prepare_environment(); print(os.environ['{}'])"
    inherited = {name: text for name, text in ENVIRONMENT.items() if name != "OPENBLAS_NUM_THREADS"}
    environment = inherited | set_by_user
    command = [sys.executable, "-c", ask.format("OPENBLAS_NUM_THREADS")]
    assert subprocess.check_output(command, env=environment, text=True).strip() == threads

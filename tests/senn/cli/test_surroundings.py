"""What is odd about a terminal, the environment or the streams is nobody's message."""

import os
import subprocess
import sys

import pytest

from tests.places import ENVIRONMENT


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


@pytest.mark.fast("words0-*", "words1-*")
@pytest.mark.parametrize(
    ("words", "before", "status"),
    [
        (("list", "networks"), ">&-", 0),
        (("list", "networks"), "2>&-", 0),
        (("run", "nosuch"), "2>&- >&-", 2),
        (("list", "networks"), ">/dev/full", 2),
    ],
)
def test_closed_and_full_streams(words, before, status):
    """The status is what it would be; a full disk is said in one line."""
    done = _senn(*words, before=before)
    assert done.returncode == status
    assert done.stderr == ("senn: No space left on device\n" if "full" in before else "")


@pytest.mark.parametrize(("set_by_user", "threads"), [({}, "1"), ({"OPENBLAS_NUM_THREADS": "2"}, "2")])
def test_openblas_has_one_thread_unless_the_user_sets_more(set_by_user, threads):
    """The last bits of a product of large matrices depend on the number of threads."""
    ask = "import os; from senn.cli import main; main._prepare_environment(); print(os.environ['{}'])"
    inherited = {name: text for name, text in ENVIRONMENT.items() if name != "OPENBLAS_NUM_THREADS"}
    environment = inherited | set_by_user
    command = [sys.executable, "-c", ask.format("OPENBLAS_NUM_THREADS")]
    assert subprocess.check_output(command, env=environment, text=True).strip() == threads

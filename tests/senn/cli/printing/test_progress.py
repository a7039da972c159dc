"""Progress of long commands: on a terminal's stderr and nowhere else."""

import os
import pty
import subprocess
import sys

import pytest

from senn.cli.printing import progress
from tests.places import ENVIRONMENT

COMMANDS = [(("steps", "--n", "3,4"), "counting n = 4")]


def _run(words, stderr):
    environment = ENVIRONMENT | {"TERM": "xterm", "COLUMNS": "80"}
    command = [sys.executable, "-m", "senn", *words]
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=stderr, timeout=100)


@pytest.mark.parametrize(("words", "text"), COMMANDS)
def test_a_terminal_sees_what_is_at_work(words, text):
    """Its name and how many there are, on stderr; stdout has the answer alone."""
    seen, terminal = pty.openpty()
    try:
        done = _run(words, terminal)
        os.close(terminal)
        shown = os.read(seen, 100_000).decode(errors="replace")
    finally:
        os.close(seen)
    assert done.returncode == 0
    assert text in shown
    assert "0/" in shown
    assert b"\x1b" not in done.stdout
    assert text.encode() not in done.stdout


def test_a_pipe_sees_nothing_of_it():
    """No bar and no line of one in what goes to a file."""
    done = _run(COMMANDS[0][0], subprocess.PIPE)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_log_of_a_long_search_has_a_line_now_and_then(monkeypatch, capsys):
    """Where stderr is no terminal: one line for each interval that has passed, and none before the first."""
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    with progress.search(500) as tell:
        for seconds, runs, makespan in ((1, 3, 9000), (11, 40, 8000), (12, 41, 8000), (22, 90, 7000)):
            now[0] = 100.0 + seconds
            tell(runs, makespan)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "senn: 40 of at most 500 runs, 8,000 cycles so far",
        "senn: 90 of at most 500 runs, 7,000 cycles so far",
    ]

"""`senn run`: checks, folders that are in the way, and the status of each end."""

import json
import os
import re
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

from senn.api import solving
from senn.cli.main import cli
from senn.machine.engines import events
from senn.machine.engines.control import Deadlock
from senn.machine.invariants import Violation
from senn.traces.record import Trace
from tests.senn.cli.command import fails, refused, senn


def test_check_checks(folder, monkeypatch):
    """A trace that breaks an invariant ends `senn run --check` with exit status 1; else it is kept."""

    def spoilt(*arguments, **options):
        run = simulate(*arguments, **options)
        later = run.trace.activities.with_columns(start=pl.col("start") + 1, end=pl.col("end") + 1)
        tables = {name: run.trace.table(name) for name in ("instructions", "messages", "hops")}
        return replace(run, trace=Trace.from_tables("full", {**tables, "activities": later}))

    simulate = events.simulate
    monkeypatch.setattr(events, "simulate", spoilt)
    assert senn("run", "random:3", "-o", "unchecked").exit_code == 0
    done = senn("run", "random:3", "--check", "-o", "checked")
    assert done.exit_code == 1
    assert re.match(r"senn: I\d", done.stderr)
    assert not Path("checked").exists()


def test_check_says_so(folder):
    """The summary and run.json tell a checked run from one that was not."""
    assert "checked  the invariants of the trace" in senn("run", "random:3", "--check", "-o", "a").stdout
    assert "invariants" not in senn("run", "random:3", "-o", "b").stdout
    assert [json.loads(Path(f"{name}/run.json").read_text())["checked"] for name in "ab"] == [True, False]


def test_force_replaces_a_run_and_its_pictures(folder):
    """A folder that holds another run is refused before the simulation; --force replaces it whole."""
    assert senn("run", "random:2", "-o", "here").exit_code == 0
    before = sorted(path.name for path in Path("here").iterdir())
    assert refused("run", "random:3", "-o", "here") == (
        "here holds another run; give another name, or --force to replace it"
    )
    assert sorted(path.name for path in Path("here").iterdir()) == before
    assert senn("run", "random:3", "-o", "here", "--force", "--detail", "summary").exit_code == 0
    assert sorted(path.name for path in Path("here").iterdir()) == ["SHA256SUMS", "result.npz", "run.json"]
    Path("here/notes.txt").write_text("mine")
    assert refused("run", "-o", "here", "--force") == (
        "here holds files that are no part of a run (notes.txt); move them away or choose another name"
    )
    assert Path("here/notes.txt").read_text() == "mine"


def test_the_folder_is_looked_at_before_the_simulation(folder, monkeypatch):
    """No long work for a folder that cannot be written."""
    monkeypatch.setattr(solving, "run", lambda *a, **k: pytest.fail("the simulation was started"))
    monkeypatch.setattr(os, "access", lambda *a, **k: False)
    assert refused("run", "-o", "run") == f"{folder} may not be written; choose another place"


def test_a_failed_certificate_is_status_1(folder):
    """Thin rods lose all accuracy in form paper: the message is on stderr, the folder is written."""
    done = senn("run", "rods:32:slenderness=0.001", "-o", "bad", "--json", "--detail", "summary")
    assert done.exit_code == 1
    assert done.stderr.startswith("senn: certificate failed: ")
    assert done.stderr.endswith("Try --elimination oer --refine 1\n")
    assert json.loads(done.stdout)["certificate"]["ok"] is False
    shown = senn("explain", "bad")
    assert shown.exit_code == 0
    assert shown.stdout.count(", too few") >= 5
    assert re.search(r"joint accelerations +\de[-+]\d\d +\d, too few", shown.stdout)
    assert "Steps and waits were not kept: the detail of this run is summary." in shown.stdout


@pytest.mark.parametrize(
    ("error", "status", "text"),
    [
        (Deadlock("deadlock at cycle 7\n  PR_{1,2} waits"), 1, "deadlock at cycle 7\n  PR_{1,2} waits"),
        (Violation("I3: two messages on one channel"), 1, "I3: two messages on one channel"),
        (MemoryError(), 1, "not enough memory; take a smaller n"),
        (PermissionError(13, "Permission denied", "x.csv"), 2, "x.csv: Permission denied"),
    ],
)
def test_every_end_has_its_status(folder, monkeypatch, error, status, text):
    """1: the program could not finish or broke a law of the machine. 2: something given cannot be used."""

    def ends(*_a, **_k):
        raise error

    monkeypatch.setattr(solving, "run", ends)
    assert fails(status, "run") == text
    assert list(folder.iterdir()) == []


def test_an_interrupt_leaves_nothing(folder, monkeypatch):
    """Control-C: status 130, one line, no folder."""

    def interrupted(*_a, **_k):
        raise KeyboardInterrupt

    monkeypatch.setattr(solving, "run", interrupted)
    done = senn("run", "-o", "run")
    assert (done.exit_code, done.stdout, done.stderr) == (130, "", "\nsenn: interrupted\n")
    assert list(folder.iterdir()) == []


def test_an_error_nobody_foresaw_is_not_hidden(folder, monkeypatch):
    """A bug of ours keeps its traceback."""
    monkeypatch.setattr(solving, "run", lambda *a, **k: {}["missing"])
    with pytest.raises(KeyError, match="missing"):
        CliRunner().invoke(cli, ["run"], catch_exceptions=False)

"""`senn run`: what it prints, keeps and says as JSON; its checks, and the status of each end."""

import json
import os
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from senn.algorithms.answers import ANSWERS, figures
from senn.api import recorded, solving
from senn.cli.main import cli
from senn.cli.printing.screen import say_json
from senn.machine.engines import events
from senn.machine.engines.control import Deadlock
from senn.machine.invariants import Violation
from senn.traces.record import Trace
from tests.places import ROOT
from tests.senn.cli.command import fails, json_of, refused, senn

UR5 = ROOT / "algorithms" / "robots" / "ur5.urdf"


def test_run_prints_what_it_keeps(folder):
    """The summary says what run.json and result.npz hold; times in us are cycles over the clock in MHz."""
    done = senn("run", "ur5", "--machine", "raw", "--form", "short", "-o", "arm")
    assert (done.exit_code, done.stderr) == (0, "")
    kept = json.loads(Path("arm/run.json").read_text())
    assert (kept["program"]["form"], kept["machine"]["name"]) == ("short", "raw")
    text = " ".join(done.stdout.split())
    makespan = kept["summary"]["makespan"]
    assert "problem ur5: robot ur5, 6 joints, 3 directions held" in text
    assert "program closed chain, form short, n = 6" in text
    assert "machine raw at 250 MHz, 2 arrays of 8 nodes, network senn" in text
    assert "note G_C was left out: taken as W'[0; omega x v] of the present state" in text
    assert f"makespan {makespan:,} cycles = {makespan / 250:,.1f} us at 250 MHz" in text
    shown = text.split("Held against the refined solution, 6 digits required")[1].split("Time")[0]
    found = [int(count) for count in re.findall(r"\de-\d\d (\d+)", shown)]
    assert found == list(kept["certificate"]["digits_of"].values())
    assert len(found) == len(figures().keys() & kept["certificate"].keys()) == 11
    with np.load("arm/result.npz") as result:
        moments = np.linalg.norm(result["forces"][:, :3], axis=1)
        assert f"moment {moments.max():.3g} N m at joint {moments.argmax() + 1}" in text
        assert f"joint 1, shoulder_pan_joint {result['qdd'][0]:.3g} joint 2, shoulder_lift_joint " in text
        assert "force x y z " + " ".join(f"{x:.3g}" for x in result["force"][3:]) in text
    messages = pl.read_parquet("arm/messages.parquet")
    hops = pl.read_parquet("arm/hops.parquet").height
    words = messages["words"].sum()
    assert f"{messages.height:,} messages, {hops:,} hops, {words:,} words of 64 bits" in text


def test_run_as_json_is_one_object(folder):
    """--json prints the question, the answer, its certificate and the figures of the trace; nothing else."""
    done = senn("run", "ur5", "--json", "--set", "timing.word=4", "--form", "short", "-o", "arm")
    document = json.loads(done.stdout)
    assert document.keys() == {
        *(
            *("n", "levels", "algorithm", "joint_names", "labels", "form", "refine", "strategy"),
            *("elimination", "motion", "arrays", "combine", "precision", "residency", "allocation"),
            *("machine", "problem", "program"),
        ),
        *("qdd", "contact_force", "lambda_inverse", "forces", "certificate", "makespan", "microseconds"),
        *("free_network", "blocking", "nodes", "instructions", "network_steps", "messages", "hops", "words"),
        *("dilation", "congestion", "congestion_in_all", "load", "word_hops"),
        *("in_flight", "exposed", "overlapped"),
        *("stall", "exposed_stall", "dependency_wait", "hidden", "spent", "femtojoules", "energy"),
        *("by_array", "steps", "waits"),
        *("trace_hash", "folder"),
    }
    names = ("n", "levels", "form", "refine", "residency", "allocation", "machine", "problem", "folder")
    expected = [6, 3, "short", 0, "migrating", "identity", "fijany", "ur5", "arm"]
    assert [document[name] for name in names] == expected
    with np.load("arm/result.npz") as result:
        assert document["qdd"] == result["qdd"].tolist()
        assert document["contact_force"] == result["force"].tolist()
        assert document["lambda_inverse"] == result["lambda_inverse"].tolist()
        assert document["forces"] == result["forces"].tolist()
    assert document["certificate"].keys() == {
        *("qdd_error", "acceleration0_error", "contact_force_error", "lambda_inverse_error", "forces_error"),
        *("qdd0_error", "qdd0_joint_error"),
        *("qdd_joint_error", "forces_joint_error", "residual", "contact_residual"),
        *("digits", "digits_of", "required", "besides", "ok"),
    }
    assert document["certificate"]["ok"] is True
    assert document["spent"] == recorded.open_run("arm").spent
    instructions = pl.read_parquet("arm/instructions.parquet")
    columns = {"stall": "stall", "dependency_wait": "dependency_wait", "exposed_stall": "exposed"}
    for k in (1, 2):
        mine, said = instructions.filter(pl.col("array") == k), document["by_array"][str(k)]
        assert (said["instructions"], said["end"]) == (mine.height, mine["end"].max())
        assert all(said[name] == mine[column].sum() for name, column in columns.items())
    assert document["instructions"] == instructions.height
    assert all(document[name] == instructions[column].sum() for name, column in columns.items())
    assert document["exposed"] + document["hidden"] == document["in_flight"]
    assert document["makespan"] == instructions["end"].max()
    messages = pl.read_parquet("arm/messages.parquet")
    assert (document["messages"], document["words"]) == (messages.height, messages["words"].sum())
    kept = json.loads(Path("arm/run.json").read_text())
    assert (document["trace_hash"], kept["machine"]["word"]) == (kept["trace_hash"], 4)


def test_without_numbers_the_trace_is_the_same(folder):
    """Timing alone: the hash of the run with numbers, and nothing that looks like an answer."""
    words = ("run", "random:5:prismatic=0.5", "--json", "-o")
    whole, timed = (json.loads(senn(*words, *more).stdout) for more in (["a"], ["b", "--no-numbers"]))
    assert whole["certificate"]["ok"]
    answer = ("qdd", "contact_force", "lambda_inverse", "certificate")
    assert [timed[name] for name in answer] == [None] * 4
    rest = whole.keys() - {*answer, "forces", "folder"}
    assert timed.keys() == whole.keys() - {"forces"}
    assert {name: timed[name] for name in rest} == {name: whole[name] for name in rest}
    text = senn("run", "random:5", "--no-numbers", "-o", "c").stdout
    assert not {"Answer", "numbers", "solver"} & set(text.split())
    assert recorded.open_run("c").certificate is None


def test_a_table_of_ones_own_says_its_residency(folder):
    """run.json records what the table does, not what --residency would have done by default."""
    Path("still.csv").write_text("2,0,1,3\n")
    Path("moving.csv").write_text("0,1,2,3\n0,1,2,3\n0,2,1,3\n")
    for name, residency in (("still", "home"), ("moving", "table")):
        assert senn("run", "random:4", "--allocation", f"{name}.csv", "-o", name).exit_code == 0
        said = json.loads(Path(f"{name}/run.json").read_text())["allocation"]
        assert (said["name"], said["residency"]) == (f"{name}.csv", residency)


def test_without_contact_there_is_no_contact_force(folder):
    """A free end effector: null in JSON, "none" in the summary, and nothing to certify about it. A serial
    algorithm has the n of all joints."""
    serial = senn("run", "ur5", "--algorithm", "inverse-dynamics-newton-euler", "-o", "arm").stdout
    assert "program  inverse dynamics by Newton-Euler, n = 6\n" in serial
    assert json.loads(senn("run", "ur5_free", "--json", "-o", "a").stdout)["contact_force"] is None
    text = senn("run", "ur5_free", "-o", "b").stdout
    assert "none: the end effector is free" in text
    assert "contact force  " not in text.split("Held against")[1].split("Time")[0]


@pytest.mark.parametrize("name", ["lambda-inverse-times", "lambda-times", "mass-matrix-inversion"])
def test_every_answer_is_printed_and_every_error_with_it(folder, name):
    """In the summary and as JSON, under the names that the API has."""
    words = ("run", "random:8", "--algorithm", name, "--engine", "lockstep", "-o")
    document = json.loads(senn(*words, "a", "--json").stdout)
    kept = recorded.open_run("a")
    answers = set(kept.result) - {"qdd0"}
    assert answers <= document.keys()
    assert {f"{answer}_error" for answer in answers} <= document["certificate"].keys()
    printed, compared = senn(*words, "b").stdout.split("Held against")
    shown = {figures()[name].title.strip() for name in kept.certificate["digits_of"]}
    assert all(title in compared for title in shown)
    for answer in answers - {"qdd"}:
        assert f"{ANSWERS[answer].title} " in printed


def test_json_has_no_nan(capsys):
    """What is no finite number is null: JSON has no other word for it."""
    say_json({"a": [1, float("nan"), (float("inf"), 2.5)], "b": {"c": -float("inf"), "d": True}})
    assert json.loads(capsys.readouterr().out) == {"a": [1, None, [None, 2.5]], "b": {"c": None, "d": True}}


def test_a_part_of_a_urdf_runs(folder):
    """The UR5 on its tool, upside down, one joint locked, another one told; both said in the notes."""
    words = ("run", str(UR5), "--base", "tool0", "--tip", "base_link", "--lock", "wrist_1_joint")
    done = senn(*words, "--at", "wrist_1_joint=0.5", "--at", "elbow_joint=-1.25", "-o", "arm")
    assert done.exit_code == 0
    said = json.loads(Path("arm/run.json").read_text())["problem"]
    assert len(said["q"]) == 5
    assert said["q"][2] == -1.25
    assert any(note.endswith("what they hang on: 'wrist_1_joint' at 0.5") for note in said["notes"])


def test_a_urdf_runs_with_its_tip(folder):
    """A URDF of one's own: state and contact from the seed, the kept values with --values."""
    words = ("run", str(UR5), "--tip", "tool0", "--seed", "4", "--check", "-o", "arm")
    assert senn(*words, "--no-values").exit_code == 0
    assert not Path("arm/values.npz").exists()
    assert senn(*words, "--values", "--force").exit_code == 0
    assert Path("arm/values.npz").exists()
    assert json.loads(Path("arm/run.json").read_text())["seed"] == 4


def test_a_variant_runs_and_says_what_it_is(folder):
    """All knobs at once: in the summary, in JSON, in run.json, and in a picture of three arrays."""
    words = ("--strategy", "1", "--elimination", "oer", "--arrays", "3", "--residency", "ahead")
    done = senn("run", "random:5", *words, "--check", "-o", "arm")
    text = " ".join(done.stdout.split())
    assert done.exit_code == 0
    assert "form paper, strategy 1, odd-even reduction, ahead, n = 5" in text
    assert "3 arrays of 8 nodes" in text
    document = json.loads(senn("run", "random:5", *words, "--json", "-o", "again").stdout)
    assert (document["strategy"], document["elimination"]) == (1, "oer")
    assert (document["arrays"], document["residency"]) == (3, "ahead")
    assert document["certificate"]["ok"]
    said = json.loads(Path("arm/run.json").read_text())["program"]
    assert (said["strategy"], said["elimination"], said["ahead"]) == (1, "oer", True)
    assert senn("plot", "arm", "--kind", "phases", "-o", "phases.png").exit_code == 0
    assert "array 3" in senn("explain", "arm").stdout


def test_a_fold_by_name(folder):
    """Seven joints of two processes a node: migrating as well, and each array by another table."""
    for words in (["block"], ["cyclic,block", "--residency", "home"]):
        said = json_of(
            "run", "random:7", "--set", "machine.nodes=4", "-o", "x", "--force", "--allocation", *words
        )
        assert said["certificate"]["ok"]
    assert "tables" in json.loads(Path("x/run.json").read_text())["allocation"]
    assert "2 arrays of 4 nodes" in senn("explain", "x").stdout


def test_bounds_are_printed_and_in_the_json(tmp_path):
    """T0 <= T, worked out without an engine, and T_block of the same schedule; also T - T0 in the summary."""
    folder = str(tmp_path / "run")
    words = ("run", "random:4", "--machine", "fijany", "--bounds", "-o", folder, "--force")
    said = json_of(*words)
    assert 0 < said["free_network"] < said["makespan"] < said["blocking"]
    slow = json_of(*words[:4], "--set", "machine.dma=false", "-o", folder, "--force")
    assert slow["makespan"] == said["blocking"]
    assert slow["blocking"] is slow["free_network"] is None
    free = ("--set", "timing.startup=0", "--set", "timing.word=0")
    ideal = json_of("run", "random:4", "--machine", "fijany", *free, "-o", folder, "--force")
    assert ideal["makespan"] == said["free_network"]
    text = senn(*words).stdout
    assert f"T0 = {said['free_network']:,} cycles" in text
    assert f"T - T0 = {said['makespan'] - said['free_network']:,} cycles" in text
    assert f"{said['blocking']:,} cycles, if every send returned" in text


def test_a_run_of_nodes_that_issue_by_themselves_says_so(tmp_path):
    """No figure of an array's stall is printed, the nodes' are; what cannot be drawn is refused."""
    folder = str(tmp_path / "run")
    words = ("run", "random:4", "--set", "machine.control=mimd", "-o", folder)
    said = json_of(*words)
    assert said["stall"] is said["exposed_stall"] is said["dependency_wait"] is None
    assert [one["stall"] for one in said["by_array"].values()] == [None, None]
    assert said["node_stall"] >= said["node_exposed_stall"] > 0
    text = " ".join(senn("explain", folder).stdout.split())
    assert "mimd: every node issues by itself, so an array as a whole never stalls" in text
    assert f"{said['node_exposed_stall']:,} node cycles" in text
    assert "Longest waits (node cycles" in text
    refusal = refused("plot", folder, "--kind", "phases", "-o", str(tmp_path / "x.png"))
    assert "every node issues by itself" in refusal
    assert not (tmp_path / "x.png").exists()
    for kind in ("timeline", "overlap"):
        senn("plot", folder, "--kind", kind, "-o", str(tmp_path / f"{kind}.png"))
        assert (tmp_path / f"{kind}.png").exists()


def test_a_machine_of_another_switching_runs_and_is_checked(tmp_path):
    """All fields at once, from the command line, with the invariants verified."""
    fields = ("switching=cut-through", "duplex=half", "vertical=bus", "discipline=deadline", "dma=false")
    settings = [word for field in fields for word in ("--set", f"machine.{field}")]
    words = ("run", "random:3", *settings, "--set", "timing.hop=2", "--check", "-o", str(tmp_path / "run"))
    assert "the invariants of the trace" in senn(*words).stdout


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
    for _ in range(2):  # an equal run takes its place again
        assert senn("run", "random:2", "-o", "here").exit_code == 0
    before = sorted(path.name for path in Path("here").iterdir())
    said = refused("run", "random:3", "-o", "here")
    assert said == "here holds another run; give another name, or --force to replace it"
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

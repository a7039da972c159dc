"""The command line: what it prints and writes, how each refusal reads, and the status of each end."""

import inspect
import json
import os
import re
import signal
import subprocess
import sys
import tomllib
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from senn.algorithms.answers import ANSWERS, figures
from senn.api import processes, solving, timing
from senn.cli.main import COMMANDS, RENAMED, cli
from senn.cli.printing.screen import say_json
from senn.machine.engines import classes, events, lockstep
from senn.machine.engines.control import Deadlock
from senn.machine.invariants import Violation
from senn.machine.placing import allocation
from senn.motion import simulate as simulate_motion
from senn.traces.record import Trace
from tests.places import ROOT
from tests.senn.cli.command import senn

UR5 = ROOT / "algorithms" / "robots" / "ur5.urdf"


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A run folder made by the command line: three joints, all pictures."""
    path = tmp_path_factory.mktemp("kept") / "run"
    assert senn("run", "random:3", "-o", str(path)).exit_code == 0
    return path


def _json(*words):
    """What a command prints as JSON."""
    return json.loads(senn(*words, "--json").stdout)


def _process(*words, **how):
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "MPLBACKEND": "agg"}
    command = [sys.executable, "-m", "senn", *words]
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how
    )


def _fails(status, *words):
    """The message on stderr of a command that must end with this status."""
    done = senn(*words)
    assert done.exit_code == status, done.output
    assert done.stderr.startswith("senn: ")
    return done.stderr[len("senn: ") : -1]


def _refused(*words):
    """The one line of a refusal: status 2, nothing on stdout."""
    text = _fails(2, *words)
    assert "\n" not in text
    assert senn(*words).stdout == ""
    return text


# ------------------------------------------------------------------------------ the program


def test_help_is_quick():
    """`senn --help` imports none of the heavy libraries."""
    heavy = ("numpy", "polars", "matplotlib", "simpy", "networkx")
    script = (
        "import sys\n"
        "from senn.cli.main import cli\n"
        "try: cli.main(['--help'], prog_name='senn')\n"
        f"finally: print([x for x in {heavy} if x in sys.modules], file=sys.stderr)"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    assert done.stderr == "[]\n"
    assert done.stdout.startswith("Usage: senn [OPTIONS]")


def test_the_entry_point_exists():
    """What pyproject.toml installs as `senn` is there, and `python -m senn` is the same."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    module, _, name = project["scripts"]["senn"].partition(":")
    assert callable(getattr(import_module(module), name))
    process = _process("--version")
    out, err = process.communicate()
    assert (process.returncode, out, err) == (0, f"senn {project['version']}\n", "")


def test_senn_alone_prints_its_help():
    """`senn` prints its help, and `senn list` the kinds of things that it lists."""
    assert "Commands:" in senn().stdout
    assert senn("list").stdout.split()[:2] == ["kind", "contents"]
    assert [row["kind"] for row in _json("list")["kinds"]][:2] == ["robots", "links"]


@pytest.mark.parametrize("old", RENAMED)
def test_an_old_command_is_refused_with_its_new_name(old):
    """Status 2 and the new command, which exists."""
    assert _refused(old, "x") == f"senn {old} is now senn {RENAMED[old]}; senn --help says what there is"
    assert RENAMED[old].split()[0] in COMMANDS


@pytest.mark.parametrize(
    ("command", "function", "more"),
    [
        ("run", solving.run, {"output", "force", "picture"}),
        ("steps", timing.steps, {"picture"}),
        ("optimise", timing.optimise, {"output"}),
        ("program", timing.program, set()),
        ("mpi", processes.mpi, {"output", "force"}),
        ("simulate", simulate_motion, {"until", "output"}),
    ],
)
def test_every_option_is_an_argument(command, function, more):
    """The commands are thin: an option for every argument of the API with its default, and little else."""
    arguments = dict(inspect.signature(function).parameters)
    for told in (
        "progress",
        "before",
        "shared",
        "simulate",
        "folder",
    ):  # the bar on the terminal, and what is refused in time
        arguments.pop(told, None)
    with cli.get_command(None, command).make_context(command, [], resilient_parsing=True) as context:
        options = context.params
    assert options.keys() == arguments.keys() | more
    assert options.pop("set", None) in (None, {})
    assert all(options[name] == arguments[name].default for name in options.keys() - more)


def test_a_filter_may_end_early():
    """`senn program | head -1`: no traceback, no message."""
    process = _process("program", "--n", "1024")
    assert process.stdout.readline().startswith("closed chain, form paper, n = 1024")
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait() == -signal.SIGPIPE
    process.stderr.close()


@pytest.mark.parametrize(
    "words",
    [
        ("run", "random:3", "--detail", "instructions"),
        ("steps", "--n", "1:16", "--residency", "home"),
        ("list", "robots"),
        ("list", "problems"),
        ("list", "machines"),
        ("list", "machines", "mark3"),
        ("list", "networks"),
        ("list", "networks", "torus"),
    ],
)
def test_what_is_piped_is_plain_and_narrow(folder, words):
    """No colour codes, at most 80 columns, no blanks at the ends of lines."""
    text = senn(*words).stdout
    assert "\x1b" not in text
    assert max(map(len, text.split("\n"))) <= 80
    assert all(line == line.rstrip() for line in text.split("\n"))


# ------------------------------------------------------------------------------ senn run


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
    assert (
        f"{messages.height:,} messages, {hops:,} hops, {messages['words'].sum():,} words of 64 bits" in text
    )


@pytest.mark.parametrize(
    ("name", "title", "answer"),
    [
        ("lambda-inverse-times", "Lambda^-1 x", "tip_acceleration"),
        ("lambda-times", "Lambda x", "tip_wrench"),
    ],
)
def test_a_product_with_a_vector_is_shown_and_compared(folder, name, title, answer):
    """The summary has x, the product and its error; --json has both too."""
    done = senn("run", "ur5", "--algorithm", name, "-o", "arm")
    text = " ".join(done.stdout.split())
    assert f"{title} of x = 0 0 0 0 0 1, the tip_vector" in text
    assert f"{title} " in text.split("Held against")[1]
    document = json.loads(senn("run", "ur5", "--algorithm", name, "--json", "-o", "other").stdout)
    with np.load("arm/result.npz") as result:
        assert document[answer] == result[answer].tolist()
    assert document["certificate"].keys() == {
        f"{answer}_error",
        *("digits", "digits_of", "required", "besides", "ok"),
    }


def test_a_serial_run_is_of_all_joints(folder):
    """Its program is one process; n is the number of joints, as everywhere."""
    text = senn("run", "ur5", "--algorithm", "inverse-dynamics-newton-euler", "-o", "arm").stdout
    assert "program  inverse dynamics by Newton-Euler, n = 6\n" in text


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
        *("stall", "exposed_stall", "dependency_wait", "hidden", "spent", "by_array", "steps", "waits"),
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
    assert document["spent"] == solving.open_run("arm").spent
    instructions = pl.read_parquet("arm/instructions.parquet")
    for k in (1, 2):
        mine = instructions.filter(pl.col("array") == k)
        said = document["by_array"][str(k)]
        assert said["instructions"] == mine.height
        assert said["end"] == mine["end"].max()
        assert all(said[name] == mine[name].sum() for name in ("stall", "dependency_wait"))
        assert said["exposed_stall"] == mine["exposed"].sum()
    assert document["instructions"] == instructions.height
    for name in ("stall", "dependency_wait"):
        assert document[name] == instructions[name].sum()
    assert document["exposed_stall"] == instructions["exposed"].sum()
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
    assert solving.open_run("c").certificate is None
    assert _refused("run", "random:5", "--no-numbers", "--values") == (
        "values are kept of a run with numbers; leave --values out, or --no-numbers"
    )


def test_a_table_of_ones_own_says_its_residency(folder):
    """run.json records what the table does, not what --residency would have done by default."""
    Path("still.csv").write_text("2,0,1,3\n")
    Path("moving.csv").write_text("0,1,2,3\n0,1,2,3\n0,2,1,3\n")
    for name, residency in (("still", "home"), ("moving", "table")):
        assert senn("run", "random:4", "--allocation", f"{name}.csv", "-o", name).exit_code == 0
        said = json.loads(Path(f"{name}/run.json").read_text())["allocation"]
        assert (said["name"], said["residency"]) == (f"{name}.csv", residency)


def test_without_contact_there_is_no_contact_force(folder):
    """A free end effector: null in JSON, "none" in the summary, and nothing to certify about it."""
    assert json.loads(senn("run", "ur5_free", "--json", "-o", "a").stdout)["contact_force"] is None
    text = senn("run", "ur5_free", "-o", "b").stdout
    assert "none: the end effector is free" in text
    assert "contact force  " not in text.split("Held against")[1].split("Time")[0]


@pytest.mark.parametrize("name", ["lambda-inverse-times", "lambda-times", "mass-matrix-inversion"])
def test_every_answer_is_printed_and_every_error_with_it(folder, name):
    """In the summary and as JSON, under the names that the API has."""
    words = ("run", "random:8", "--algorithm", name, "--engine", "lockstep", "-o")
    document = json.loads(senn(*words, "a", "--json").stdout)
    kept = solving.open_run("a")
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
    assert _refused("run", "random:3", "-o", "here") == (
        "here holds another run; give another name, or --force to replace it"
    )
    assert sorted(path.name for path in Path("here").iterdir()) == before
    assert senn("run", "random:3", "-o", "here", "--force", "--detail", "summary").exit_code == 0
    assert sorted(path.name for path in Path("here").iterdir()) == ["SHA256SUMS", "result.npz", "run.json"]
    Path("here/notes.txt").write_text("mine")
    assert _refused("run", "-o", "here", "--force") == (
        "here holds files that are no part of a run (notes.txt); move them away or choose another name"
    )
    assert Path("here/notes.txt").read_text() == "mine"


def test_the_folder_is_looked_at_before_the_simulation(folder, monkeypatch):
    """No long work for a folder that cannot be written."""
    Path("file").touch()
    Path("full").mkdir()
    Path("full/other").touch()
    monkeypatch.setattr(solving, "run", lambda *a, **k: pytest.fail("the simulation was started"))
    assert _refused("run", "-o", "file") == (
        "file is a file; a run is written as a folder, choose another name"
    )
    assert _refused("run", "-o", "full") == (
        "full is there and is not a run folder; choose another name (it is left as it is)"
    )
    assert _refused("run", "-o", "file/run") == (
        f"{folder / 'file'} is a file, not a folder; choose another place"
    )
    monkeypatch.setattr(os, "access", lambda *a, **k: False)
    assert _refused("run", "-o", "run") == f"{folder} may not be written; choose another place"


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
    assert _fails(status, "run") == text
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


def test_a_part_of_a_urdf_runs(folder):
    """The UR5 on its tool, upside down, one joint locked, another one told; both said in the notes."""
    words = ("run", str(UR5), "--base", "tool0", "--tip", "base_link", "--lock", "wrist_1_joint")
    done = senn(*words, "--at", "wrist_1_joint=0.5", "--at", "elbow_joint=-1.25", "-o", "arm")
    assert done.exit_code == 0
    said = json.loads(Path("arm/run.json").read_text())["problem"]
    assert len(said["q"]) == 5
    assert said["q"][2] == -1.25
    assert any(note.endswith("what they hang on: 'wrist_1_joint' at 0.5") for note in said["notes"])


def test_the_links_of_a_urdf_are_listed():
    listed = senn("list", "links", str(UR5), "--lock", "wrist_._joint", "--lock", "elbow_joint")
    assert listed.exit_code == 0
    (tool,) = (line for line in listed.stdout.splitlines() if line.startswith("tool0"))
    assert tool.split()[-3:] == ["fixed", "end", "2"]


def test_a_urdf_runs_with_its_tip(folder):
    """A URDF of one's own: state and contact from the seed, the kept values with --values."""
    words = ("run", str(UR5), "--tip", "tool0", "--seed", "4", "--check", "-o", "arm")
    assert senn(*words, "--no-values").exit_code == 0
    assert not Path("arm/values.npz").exists()
    assert senn(*words, "--values", "--force").exit_code == 0
    assert Path("arm/values.npz").exists()
    assert json.loads(Path("arm/run.json").read_text())["seed"] == 4


# ------------------------------------------------------------------------------ refusals

PRESETS = "cluster, fijany, ideal, ipsc860, ipsc860-long, k40c, mark3, maspar, raw, t800"


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("rum", 'No such command "rum"; did you mean run? senn --help says what there is'),
        ("optimise --netwrk ring", 'No such option "--netwrk"; senn optimise --help says'),
        ("run --machin t800", 'No such option "--machin"; did you mean --machine? senn run --help says'),
        ("run ssrm", "or a .urdf file with its tip; did you mean ssrms?"),
        ("run --machine mark4", "a file of your own ends in .toml; did you mean mark3?"),
        ("run --algorithm Divide_and_conqer", "; did you mean divide-and-conquer?"),
        ("run --set timing.strtup=3", "post, receive, compare, root; did you mean startup?"),
        ("run --allocation gry", "FILE.py:FUNCTION; did you mean gray?"),
        ("plot arm --kind energi -o a.png", '"animation"; did you mean energy? senn plot --help says'),
        ("list networks hypercub", ".edges, .edgelist; did you mean hypercube?"),
        ("list machine", "networks; did you mean machines? senn list --help says what there is"),
    ],
)
def test_a_misspelt_name_has_its_neighbour_at_the_end_of_the_line(words, text):
    assert text in _refused(*words.split())


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("run a b", "Got unexpected extra argument (b); senn run --help says what there is"),
        ("optimise random:8", "Got unexpected extra argument (random:8): write --n 8; senn optimise --help"),
        ("run --tip", 'Option "--tip" requires an argument; senn run --help says what there is'),
        ("run --refine 6", "--refine is 6; write a whole number from 0 to 5"),
        (
            "run --residency x",
            '--residency is "x"; write one of migrating, ahead, home',
        ),
        ("run --seed -1", "--seed is -1; write a whole number from 0 to 9223372036854775807"),
        ("run --seed 1.5", '--seed is "1.5"; write a whole number from 0'),
        ("run --set x", 'Invalid value for "--set": "x": write FIELD=VALUE, such as timing.word=4'),
        ("run --set a=1 --set a=2", 'Invalid value for "--set": "a" is given twice'),
        ("run --values --detail summary", "--values needs --detail full: values go with the messages"),
        (
            "run nosuch",
            'unknown problem "nosuch": give a bundled problem (ssrms, ssrms_payload, station25, ur5, '
            "ur5_free, ur5_friction)",
        ),
        (f"run {UR5}", f"{UR5}: a URDF needs a tip, the link of the end effector; "),
        (
            "run --machine x",
            f'machine "x" is not known: the presets are {PRESETS}; a file of your own ends in',
        ),
        ("show", "senn show is now senn explain RUN"),
        ("explain ./nosuch", "nosuch is not a run folder: it has no run.json"),
        ("explain file", "file is not a run folder: it has no run.json"),
        ("plot nosuch", 'Missing option "-o" / "--output"; senn plot --help says what there is'),
        ("plot nosuch -o a.png", "nosuch is not a run folder: it has no run.json"),
        ("plot nosuch -o a.gif", "a.gif: a picture ends in .png, .svg, .pdf; choose one of these"),
        (
            "plot nosuch --kind x -o a.png",
            'Invalid value for "--kind": "x" is not one of "timeline", "phases"',
        ),
        (
            "plot nosuch --kind phases --arrows -o a.png",
            "plot: --arrows belongs to timeline; phases has --from, --to",
        ),
        (
            "plot nosuch --kind heat --from 0 -o a.png",
            "plot: --from belongs to timeline, phases, critical; heat has --of",
        ),
        (
            "plot nosuch --nodes 3:1 -o a.png",
            'Invalid value for "--nodes": "3:1": the first',
        ),
        ("plot nosuch --kind spacetime -o a.png", 'picture "spacetime" is gone: the timeline draws messages'),
        ("plot nosuch --cycle 5 -o a.png", 'option "plot --cycle" is gone: it belonged to --kind moment'),
        ("optimise --plot a.png", 'option "optimise --plot" is gone: --json has the history of a search'),
        ("export nosuch", 'Missing option "-o" / "--output"; senn export --help says what there is'),
        ("export nosuch -o a.csv", "nosuch is not a run folder: it has no run.json"),
        ("export nosuch -o a.xyz", "a.xyz: an export ends in .pftrace (perfetto), .fst (fst)"),
        ("export nosuch --to x -o a", 'Invalid value for "--to": "x" is not one of "perfetto", "fst"'),
        (
            "export nosuch --to kanata -o a",
            'format "kanata" is gone: write perfetto, a file that ends in .pftrace',
        ),
        ("steps --n x", 'n "x": write 8,16,32 or 1:1024 or 8:64:8, whole numbers from 1 in rising order'),
        (
            "steps --n 1:99999999999",
            'n "1:99999999999": this machine model is made for at most 1,048,576 links',
        ),
        (
            "steps --n 65537 --residency home",
            "n = 65537: more than 65,536 links are timed by classes of channels alone, and they need "
            "residency migrating or ahead: change that, or take fewer links",
        ),
        ("program --n 0", "--n is 0; write a whole number from 1"),
        ("optimise --n 4 -o table.txt", "table.txt: a table ends in .csv; write table.csv"),
        ("optimise --n 4 --allocation identity,gray -o t.csv", "t.csv: the arrays have different tables"),
        (
            "optimise --n 4 --search all",
            '--search is "all"; write one of renamings, levels',
        ),
        ("optimise --n 4 --search arrays", 'search "arrays" is gone: give assignments of your own, --arrays'),
        ("program --step V", 'no step of this program is "V" or starts with it: the steps are I.a, I.b, I.c'),
        (
            "list x",
            'there is no list "x"; choose robots, links, problems, algorithms, machines, allocations, '
            "networks; senn list --help says what there is",
        ),
        (
            "list networks --plot a.svg",
            "--plot draws one network: say which, such as senn list networks senn",
        ),
        ("list networks senn --arrays 2", "--arrays belongs to --plot: the measures are of the network"),
        ("list robots x", 'there is no bundled robot "x"; there are: ssrms, station25, ur5'),
        ("list links", "senn list links needs a URDF file: senn list links arm.urdf"),
        ("list robots --nodes 3", "--nodes belongs to senn list allocations and networks; leave it out"),
        ("list networks --nodes 2000", "--nodes 2000: a network is measured for 1 to 1024 nodes"),
        (
            "list allocations gray --nodes 1000000000000",
            'Invalid value for "--nodes": 1000000000000 is not in',
        ),
        ("plot -o a.png", 'Missing argument "RUN": the run folder to draw'),
        ("plot x --tip tool0 -o a.png", "--tip belongs to --kind arm, which draws a problem; leave it out"),
        ("plot ur5 --kind arm --from 3 -o a.png", "--from belongs to pictures of a run"),
        (f"run ur5 --seed {2**63}", f"--seed is {2**63}; write a whole number from 0 to"),
        ("claims", "senn claims is now python -m experiments claims, in a checkout"),
    ],
)
def test_bad_input_is_one_clear_line(folder, words, text):
    """Status 2, one line that says what, where and the way out; nothing on stdout, nothing written."""
    Path("file").touch()
    assert _refused(*words.split()).startswith(text)
    assert [path.name for path in folder.iterdir()] == ["file"]


def test_bad_input_ends_the_process_with_status_2(folder):
    """The same through the process: one line on stderr, no traceback, nothing half-written."""
    process = _process("run", "--machine", "nosuch", cwd=folder)
    out, err = process.communicate()
    assert (process.returncode, out, err.count("\n")) == (2, "", 1)
    assert err.startswith('senn: machine "nosuch" is not known')
    assert list(folder.iterdir()) == []


# ------------------------------------------------------------------------------ looking at runs


def test_explain_counts_what_the_tables_hold(kept):
    """The step table is the instructions by section of the paper; I.a of three joints has its seven lines."""
    text = senn("explain", str(kept)).stdout
    rows = [line.split() for line in text.splitlines() if line.startswith("  array ")]
    counted = {(int(row[1]), row[2]): int(row[3]) for row in rows if row[2][0] in "IV" and row[3].isdigit()}
    assert counted[1, "I.a"] == 7  # I.a.1-5 and the implied I.a.4' and I.a.4''
    assert counted[2, "III"] == 2
    instructions = pl.read_parquet(kept / "instructions.parquet")
    assert sum(counted.values()) == instructions.height
    waits = [row for row in rows if "of" in row]
    stalled = instructions.filter(pl.col("stall") > 0)
    assert 0 < len(waits) <= stalled.height
    assert text.splitlines()[0].startswith(
        "problem     random:3: robot random:3, 3 joints, 2 directions held"
    )


def test_explain_prints_json_of_its_tables(kept):
    """All rows, not the longest eight; together the stalls of the trace, which is read by itself."""
    found = json.loads(senn("explain", str(kept), "--json").stdout)["run"]
    instructions = pl.read_parquet(kept / "instructions.parquet")
    assert found["makespan"] == instructions["end"].max()
    assert sum(row["instructions"] for row in found["steps"]) == instructions.height
    assert sum(row["cycles"] for row in found["steps"]) == (instructions["end"] - instructions["issue"]).sum()
    for kind, column in (("exposed_stall", "exposed"), ("dependency_wait", "dependency_wait")):
        assert sum(row[kind] for row in found["waits"]) == instructions[column].sum()


def test_explain_of_less_detail(folder):
    """A run of detail instructions has steps and no waits by message."""
    assert senn("run", "random:2", "--detail", "instructions", "-o", "run").exit_code == 0
    assert sorted(path.name for path in Path("run").glob("*.png")) == []
    text = senn("explain", "run").stdout
    assert "\nSteps (cycles of the control unit" in text
    assert "\nLongest waits" not in text
    found = json.loads(senn("explain", "run", "--json").stdout)["run"]
    assert found["steps"]
    assert found["waits"] is None


@pytest.mark.parametrize(
    ("kind", "file", "magic"),
    [
        (("timeline", "--arrows", "I.b.5", "--to", "9000", "--nodes", "0:2"), "deep/a.png", b"\x89PNG"),
        (("phases",), "a.svg", b"<?xml"),
        (("overlap",), "a.pdf", b"%PDF"),
        (("wavefront", "--step", "I.b.5"), "b.svg", b"<?xml"),
    ],
)
def test_plot_writes_the_format_of_the_suffix(folder, kept, kind, file, magic):
    """A picture is made whole, prints its path, replaces an older one, and is the same file every time."""
    done = senn("plot", str(kept), "--kind", *kind, "-o", file)
    assert (done.exit_code, done.stdout) == (0, f"{file}\n")
    first = Path(file).read_bytes()
    assert first.startswith(magic)
    assert senn("plot", str(kept), "--kind", *kind, "-o", file).exit_code == 0
    assert Path(file).read_bytes() == first
    assert [path.name for path in Path(file).parent.iterdir()] == [Path(file).name]


def test_plot_into_a_place_that_cannot_be(folder, kept):
    """The reason, on one line."""
    Path("file").touch()
    text = _refused("plot", str(kept), "-o", "file/a.png")
    assert text == f"{folder / 'file'} is a file, not a folder; choose another place"
    Path("a.png").mkdir()
    assert _refused("plot", str(kept), "-o", "a.png") == (
        "a.png is a folder; name a file in it, such as a.png/picture.png"
    )


# ------------------------------------------------------------------------------ steps, program, list


def _hand_law(points):
    """(a, b) of the line through the first and the last point."""
    (first, low), *_, (last, high) = points
    a = (high - low) / (last - first)
    return a, low - a * first


def test_steps_does_not_need_the_lockstep_engine(monkeypatch):
    """A machine that it refuses is timed by the event engine; where both can, they say the same."""
    words = ("steps", "--n", "1:8", "--json")
    one_port = senn(*words, "--set", "machine.ports=one")
    assert one_port.exit_code == 0
    quick = senn(*words)
    assert json.loads(quick.stdout) != json.loads(one_port.stdout)
    monkeypatch.setattr(lockstep, "simulate", events.simulate)
    assert senn(*words).stdout == quick.stdout
    assert senn(*words, "--set", "machine.ports=one").stdout == one_port.stdout


@pytest.mark.fast("options1*", "options2*", "options5*")
@pytest.mark.parametrize(
    ("options", "engines"),
    [
        ((), ["lockstep", *["classes"] * 5]),
        (("--residency", "ahead", "--form", "short"), ["lockstep", *["classes"] * 5]),
        (("--residency", "home"), ["lockstep"] * 6),
        (("--allocation", "gray"), ["lockstep"] * 6),
        (("--elimination", "oer", "--form", "short"), ["lockstep", *["classes"] * 5]),
        (("--set", "machine.ports=one"), ["events"] * 6),
    ],
)
def test_steps_names_the_engine_that_timed_each_row(options, engines, monkeypatch):
    """Counts and times by classes of channels are those of the other engines."""
    words = ("steps", "--n", "1:8", "--json", *options)
    rows = json.loads(senn(*words).stdout)["rows"]
    assert [row.pop("engine") for row in rows] == engines
    monkeypatch.setattr(classes, "fits", lambda program, machine: False)
    others = json.loads(senn(*words).stdout)["rows"]
    assert {row.pop("engine") for row in others} == set(engines) - {"classes"}
    assert rows == others


def test_steps_gives_the_law(folder):
    """Issued instructions and network steps are a M + b from n = 3 on: the line through two sizes."""
    document = json.loads(senn("steps", "--n", "1,2,3,4,8,13,16,32", "--json").stdout)
    rows = document["rows"]
    counts = {"instructions", "network_steps", "makespan", "messages", "engine"}
    assert rows[3].keys() == {"n", "levels", *counts, "by_array"}
    assert rows[3]["instructions"] == sum(one["instructions"] for one in rows[3]["by_array"].values())
    assert [(row["n"], row["levels"]) for row in rows] == [
        (1, 0), (2, 1), (3, 2), (4, 2), (8, 3), (13, 4), (16, 4), (32, 5)
    ]  # fmt: skip
    text = " ".join(senn("steps", "--n", "1,2,3,4,8,13,16,32").stdout.split())
    assert document["fits"].keys() == {"by_array", "network_steps", "makespan"}
    counted = {
        "instructions, array 1": (
            [row["by_array"]["1"]["instructions"] for row in rows],
            document["fits"]["by_array"]["1"]["instructions"],
        ),
        "instructions, array 2": (
            [row["by_array"]["2"]["instructions"] for row in rows],
            document["fits"]["by_array"]["2"]["instructions"],
        ),
        "network steps": ([row["network_steps"] for row in rows], document["fits"]["network_steps"]),
    }
    for title, (values, law) in counted.items():
        a, b = _hand_law([(row["levels"], value) for row, value in zip(rows[2:], values[2:], strict=True)])
        assert law == {"square": 0, "a": a, "b": b, "sizes": "every n tried", "from": 3}
        assert f"{title} {a:.0f} M + {b:.0f} every n tried, from 3 on" in text
    assert "Also tried: n = 5, 9 and 17." in text


def test_steps_at_home_are_not_logarithmic_time():
    """At home the instructions have a law from n = 2 on, the network steps none, and it is said."""
    done = senn("steps", "--n", "2,4,8,16,32", "--residency", "home")
    text = " ".join(done.stdout.split())
    assert "Logarithmic steps are not logarithmic time." in text
    exact = [line for line in done.stdout.splitlines() if line.endswith("every n tried, from 2 on")]
    assert [line.split("  ")[1] for line in exact] == ["instructions, array 1", "instructions, array 2"]
    assert "network steps no law in M makespan (cycles) no law in M" in text


@pytest.mark.fast("1,2*", "4:13*", "4:16*")
@pytest.mark.parametrize(
    ("sizes", "text"),
    [
        ("1,2", "No law: it needs three different M."),
        ("4,8", "No law: it needs three different M."),
        ("3,4,8,16,32", "makespan (cycles) 33,760 M + 19,302 n = 2^k, from 4 on"),
        ("4:32", "makespan (cycles) 33,760 M + 19,302 n = 2^k and 3 2^(k-1), from 4 on"),
        ("4:13:1", "makespan (cycles) no law in M"),
        ("4:16:1", "makespan (cycles) 33,760 M + 19,302 every n tried but 2^k + 1, from 4 on"),
    ],
)
def test_steps_says_when_a_law_means_nothing(sizes, text):
    """Too few sizes are counted and not fitted; and a law says for which n it is exact."""
    assert text in " ".join(senn("steps", "--n", sizes, "--machine", "mark3").stdout.split())


def test_steps_of_many_arrays():
    """Instructions by array in one column, equal neighbours once; a law each; a word on network steps."""
    words = ("steps", "--n", "4,5,8,16", "--arrays", "8")
    lines = senn(*words).stdout.splitlines()
    row = next(line for line in lines if line.startswith(" 8 "))
    assert "60, 184, 5 x 26, 20" in row
    every = [line for line in lines if line.endswith("every n tried, from 4 on")]
    assert [line.split("  ")[1] for line in every] == [f"instructions, array {k}" for k in range(1, 9)]
    assert any("network steps" in line and line.endswith("n = 2^k, from 4 on") for line in lines)
    document = json.loads(senn(*words, "--json").stdout)
    by_array = document["rows"][2]["by_array"]
    assert list(by_array) == list("12345678")
    assert [by_array[k]["instructions"] for k in "1238"] == [60, 184, 26, 20]
    law = {"square": 0, "a": 6, "b": 2, "sizes": "every n tried", "from": 4}
    assert document["fits"]["by_array"]["8"]["instructions"] == law


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


def test_program_of_a_variant():
    """The head says what differs from the paper's program; `ahead` has a program of its own."""
    text = senn("program", "--n", "4", "--residency", "ahead", "--arrays", "1", "--step", "I.b").stdout
    assert text.splitlines()[0].endswith("n_c = 6, 1 array, ahead")
    assert "i = 1..4, at the place of level 2" in text


def test_steps_draws_the_law(folder):
    """--plot writes the picture beside the table."""
    done = senn("steps", "--n", "1:8", "--plot", "law.svg")
    assert done.exit_code == 0
    assert Path("law.svg").read_text().startswith("<?xml")


def test_optimise_writes_a_table_that_ends_as_it_says(folder):
    """The table of -o, given to another command, has the makespan that was found."""
    words = ("optimise", "--n", "4", "--residency", "home", "--allocation", "gray", "--json")
    found = json.loads(senn(*words, "-o", "new/table.csv").stdout)
    again = senn("steps", "--n", "4", "--residency", "home", "--allocation", "new/table.csv", "--json")
    assert (
        json.loads(again.stdout)["rows"][0]["makespan"] == found["makespan"] < found["starts"][0]["makespan"]
    )
    assert found["optimal"]
    assert found["gap"] == 0
    assert [path.name for path in Path().rglob("*") if path.is_file()] == ["table.csv"]


def test_optimise_says_what_it_found_and_why(folder):
    """The verdict, the bounds with their reasons, the placements tried and the table, on the screen."""
    text = " ".join(senn("optimise", "--n", "4", "--residency", "home").stdout.split())
    assert 'Optimal: it meets the bound "every renaming": all 24 renamings were bounded' in text
    assert "dilation no placement has all partners at one hop: at best" in text
    assert "24 placements bounded" in text
    assert text.endswith("Nodes of processes 1, 2, ... home 0 1 2 3")
    two = senn("optimise", "--n", "4", "--allocation", "identity,gray", "--residency", "home").stdout
    assert "  array 1, home" in two
    assert "  array 2, home" in two


def test_optimise_gives_every_level_a_table(folder):
    """Four processes on mark3: nobody moves any more; the file of -o runs as it says."""
    words = ("optimise", "--n", "4", "--search", "levels", "--json")
    found = json.loads(senn(*words, "-o", "table.csv").stdout)
    again = senn("steps", "--n", "4", "--allocation", "table.csv", "--json")
    assert (
        json.loads(again.stdout)["rows"][0]["makespan"] == found["makespan"] < found["starts"][0]["makespan"]
    )
    assert found["bounds"]["every table"]["cycles"] == found["makespan"]
    text = " ".join(senn(*words[:-1]).stdout.split())
    assert "Below these no table can come" in text
    assert "levels 1 to 2 as 1 " in text


def test_program_is_the_papers_text():
    """I.b.5 sends D to process i + h, h = 2 at level 2 (Fijany VI.D); another form is another program."""
    text = senn("program", "--n", "4", "--step", "I.b.5").stdout
    assert text.splitlines()[0] == "closed chain, form paper, n = 4, M = 2, refine = 0, n_c = 6"
    sends = [line.split()[1:] for line in text.splitlines() if " send " in line]
    assert [" ".join(words) for words in sends] == [
        "send D_i^0 -> PR_{1,i+1} i = 1..3",
        "send D_i^1 -> PR_{1,i+2} i = 1..2",
    ]
    assert "form omega" in senn("program", "--form", "omega").stdout.splitlines()[0]


def test_lists_name_everything_bundled():
    """Every file of the folders is listed; problems also name the generators."""
    for kind, pattern in (("problems", "algorithms/problems/*.toml"), ("machines", "machine/presets/*.toml")):
        listed = {line.split()[0] for line in senn("list", kind).stdout.splitlines() if line.strip()}
        assert {path.stem for path in ROOT.glob(pattern)} <= listed
    assert {"random:N", "snake:N", "rods:N"} <= set(senn("list", "problems").stdout.split())
    robots = [line.split() for line in senn("list", "robots").stdout.splitlines()]
    assert {row[0]: row[-1] for row in robots if row and row[0] in ("ssrms", "ur5")} == {
        "ssrms": "7",
        "ur5": "6",
    }


def test_one_machine_in_full():
    """Every field as --set takes it, with its value and source; what nobody knows is marked."""
    file = tomllib.loads((ROOT / "machine" / "presets" / "raw.toml").read_text())
    text = senn("list", "machines", "raw").stdout
    rows = {line.split()[0]: line.split() for line in text.splitlines() if line and not line.startswith(" ")}
    assert rows["timing.startup"][1] == str(file["timing"]["startup"])
    assert rows["timing.post"][1:6] == ["1", "1", "to", "10", "unverified:"]
    assert rows["machine.merge_parallel"][1:] == ["false", "default"]
    assert re.search(r"5 of \d\d fields are unverified; ", " ".join(text.split()))


def test_allocations_by_name_and_one_in_full():
    """Every name is listed; one shows who lives where, and says it where a residency is not for it."""
    listed = {line.split()[0] for line in senn("list", "allocations").stdout.splitlines() if line.strip()}
    assert set(allocation.NAMES) <= listed
    text = senn("list", "allocations", "gray,cyclic", "--nodes", "8").stdout
    rows = [line.split() for line in text.splitlines()]
    assert ["array", "1", "level", "3", *"01326754"] in rows
    assert ["array", "2", "level", "3", *"01234567"] in rows
    assert 'migrating allocation "cyclic", residency migrating: un-shuffles' in " ".join(text.split())
    assert 'allocation "spiral" is not known' in _refused("list", "allocations", "spiral")


def test_a_fold_by_name(folder):
    """Seven joints of two processes a node: migrating as well, and each array by another table."""
    for words in (["block"], ["cyclic,block", "--residency", "home"]):
        done = senn(
            "run",
            "random:7",
            "--set",
            "machine.nodes=4",
            "--json",
            "--allocation",
            *words,
            "-o",
            "x",
            "--force",
        )
        assert json.loads(done.stdout)["certificate"]["ok"]
    assert "tables" in json.loads(Path("x/run.json").read_text())["allocation"]
    assert "2 arrays of 4 nodes" in senn("explain", "x").stdout


def test_one_robot_and_one_problem_in_full():
    """The joints of the UR5 with the masses of its URDF; a problem is its file."""
    text = senn("list", "robots", "ur5").stdout
    assert "1 shoulder_pan_joint revolute 3.7" in " ".join(text.split())
    file = ROOT / "algorithms" / "problems" / "ssrms.toml"
    assert senn("list", "problems", "ssrms").stdout == file.read_text()


# ------------------------------------------------------------------- channels and control


def test_bounds_are_printed_and_in_the_json(tmp_path):
    """T0 <= T, worked out without an engine, and T_block of the same schedule; also T - T0 in the summary."""
    folder = str(tmp_path / "run")
    words = ("run", "random:4", "--machine", "fijany", "--bounds", "-o", folder, "--force")
    said = _json(*words)
    assert 0 < said["free_network"] < said["makespan"] < said["blocking"]
    slow = _json(
        "run", "random:4", "--machine", "fijany", "--set", "machine.dma=false", "-o", folder, "--force"
    )
    assert slow["makespan"] == said["blocking"]
    assert slow["blocking"] is slow["free_network"] is None
    free = ("--set", "timing.startup=0", "--set", "timing.word=0")
    ideal = _json("run", "random:4", "--machine", "fijany", *free, "-o", folder, "--force")
    assert ideal["makespan"] == said["free_network"]
    text = senn(*words).stdout
    assert f"T0 = {said['free_network']:,} cycles" in text
    assert f"T - T0 = {said['makespan'] - said['free_network']:,} cycles" in text
    assert f"{said['blocking']:,} cycles, if every send returned" in text


def test_a_run_of_nodes_that_issue_by_themselves_says_so(tmp_path):
    """No figure of an array's stall is printed, the nodes' are; what cannot be drawn is refused."""
    folder = str(tmp_path / "run")
    words = ("run", "random:4", "--set", "machine.control=mimd", "-o", folder)
    said = _json(*words)
    assert said["stall"] is said["exposed_stall"] is said["dependency_wait"] is None
    assert [one["stall"] for one in said["by_array"].values()] == [None, None]
    assert said["node_stall"] >= said["node_exposed_stall"] > 0
    text = " ".join(senn("explain", folder).stdout.split())
    assert "mimd: every node issues by itself, so an array as a whole never stalls" in text
    assert f"{said['node_exposed_stall']:,} node cycles" in text
    assert "Longest waits (node cycles" in text
    refusal = _refused("plot", folder, "--kind", "phases", "-o", str(tmp_path / "x.png"))
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
    refusal = _refused("run", "random:3", "--set", "machine.switching=cut-through")
    assert "hop = 0: with cut-through it must be at least 1" in refusal


def test_an_arm_is_drawn(folder):
    """Of any problem that runs; the path is printed, the same file every time."""
    assert senn("plot", "ur5", "--kind", "arm", "-o", "arm.svg").stdout == "arm.svg\n"
    first = Path("arm.svg").read_bytes()
    assert first.startswith(b"<?xml")
    senn("plot", "ur5", "--kind", "arm", "-o", "arm.svg")
    assert Path("arm.svg").read_bytes() == first
    assert _json("plot", "ur5", "--kind", "arm", "-o", "arm.svg") == {
        "problem": "ur5",
        "links": 6,
        "picture": "arm.svg",
    }
    assert _refused("plot", "nosuch", "--kind", "arm", "-o", "a.png").startswith('unknown problem "nosuch"')


def test_a_network_is_drawn(folder):
    """Its measures are printed as without --plot, with the name of the picture."""
    words = ("list", "networks", "ring", "--nodes", "4")
    done = senn(*words, "--arrays", "2", "--plot", "ring.svg")
    assert done.stdout == f"{senn(*words).stdout}picture   ring.svg\n"
    assert Path("ring.svg").read_text(encoding="utf-8").startswith("<?xml")
    assert _json(*words, "--plot", "other.png") == {**_json(*words), "picture": "other.png"}


def test_networks_are_listed_with_their_measures():
    """Eight nodes, by hand: SENN has 13 wires, at most 4 at a node, and is 5 hops across; full has 28."""
    rows = {}
    for line in senn("list", "networks", "--nodes", "8").stdout.splitlines():
        if cells := re.match(r"(\S+) .* (\d+) +(\d+) +(\d+)$", line):
            rows[cells[1]] = tuple(map(int, cells.groups()[1:]))
    assert rows == {
        "senn": (13, 4, 5),
        "shuffle-exchange": (10, 3, 5),
        "hypercube": (12, 3, 3),
        "ring": (8, 2, 4),
        "line": (7, 2, 7),
        "mesh": (10, 3, 4),
        "torus": (12, 3, 3),
        "full": (28, 7, 1),
    }
    odd = senn("list", "networks", "--nodes", "7").stdout.splitlines()
    assert [line.split()[-1] for line in odd if line.startswith(("senn", "hypercube"))] == ["-", "-"]


def test_a_graph_file_is_listed_and_runs(folder):
    """A ring of eight with a short cut, one way: its measures, and a run on it."""
    (folder / "own.edges").write_text("".join(f"{p} {(p + 1) % 8}\n" for p in range(8)) + "0 4\n")
    text = senn("list", "networks", "own.edges").stdout
    assert "own.edges, 8 nodes" in text
    assert "9: 9 link" in text
    settings = ("--set", "machine.network=own.edges", "--set", "machine.routing=greedy")
    done = senn("run", "random:5", "--residency", "home", *settings)
    assert done.exit_code == 0
    assert "2 arrays of 8 nodes, network own.edges, routing = greedy" in " ".join(done.stdout.split())

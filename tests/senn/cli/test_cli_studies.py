"""`senn compare` and `senn study`: what they print, draw and write, and how they end."""

import errno
import json
import os
import re
import subprocess
import sys
from contextlib import nullcontext, suppress
from functools import wraps
from itertools import product
from pathlib import Path

import polars as pl
import pytest

from senn.api import problems, solving
from senn.cli.commands.study import compare
from senn.cli.printing.progress import counting
from senn.studies import grid, processes
from senn.studies.conduct import here
from tests.places import ENVIRONMENT
from tests.senn.cli.command import refused, senn


@pytest.fixture(autouse=True)
def wide_and_alone(monkeypatch):
    """A page on which all columns stand side by side, and no processes: they have tests of their own."""
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(processes, "computing", lambda workers: nullcontext(here))


def _lines(text):
    return [line.split() for line in text.splitlines()]


def test_compare_has_the_options_of_run():
    """Every parameter is an option that may be repeated, also one that is added to `senn run` later."""
    with compare.make_context("compare", [], resilient_parsing=True) as context:
        options = context.params
    assert options.keys() == {*grid.defaults(), "n", "set", "picture"}
    repeated = {one.name for one in compare.params if getattr(one, "multiple", False)}
    switches = {name for name, default in grid.defaults().items() if isinstance(default, bool)}
    assert repeated == {*grid.defaults(), "set"} - {"problem"} - switches
    text = " ".join(senn("compare", "--help").stdout.split())
    assert "Options with a value may be repeated: --residency home --residency migrating runs both." in text
    assert "A comma does not separate values: --allocation identity,gray gives each array its own." in text
    assert "[default: fijany]" in text


def test_compare_prints_a_line_a_run(folder):
    """All combinations, each with the makespan of the same `senn run`; a star where it is the least."""
    words = "--residency home --residency migrating --set timing.word=1 --set timing.word=90 --form short"
    done = senn("compare", "random:5", *words.split())
    assert (done.exit_code, done.stderr) == (0, "")
    spans = {}
    for residency, word in product(("home", "migrating"), (1, 90)):
        run = solving.run("random:5", residency=residency, form="short", set={"timing.word": word})
        spans[residency, word] = run.summary["makespan"]
    least = min(spans.values())
    printed = {
        (row[0], int(row[1])): row[2] for row in _lines(done.stdout) if row[:1] in (["home"], ["migrating"])
    }
    assert printed == {key: f"{span:,}{'*' if span == least else ''}" for key, span in spans.items()}
    assert list(printed) == [("home", 1), ("home", 90), ("migrating", 1), ("migrating", 90)]
    assert _lines(done.stdout)[1][:3] == ["residency", "timing.word", "makespan"]
    assert "the least of the runs that solve the same problem" in done.stdout
    assert "4 certificates hold, with " in done.stdout
    assert not list(folder.iterdir())


def test_compare_over_sizes_as_json(folder):
    """{n} in the problem, several problems and a switch; one object with a row a run."""
    words = ("random:{n}", "rods:{n}", "--n", "2:4", "--no-numbers", "--json")
    document = json.loads(senn("compare", *words).stdout)
    asked = [(run["n"], run["problem"], run["numbers"]) for run in document["runs"]]
    assert asked == [(n, kind, False) for n in (2, 3, 4) for kind in ("random:{n}", "rods:{n}")]
    assert all(run["makespan"] > 0 and run["certificate"] is None for run in document["runs"])


def test_compare_of_clocks_shows_microseconds(folder):
    """mark3 has 16 MHz, raw 250: cycles alone would not compare them."""
    text = senn("compare", "random:2", "--machine", "mark3", "--machine", "raw").stdout
    assert _lines(text)[0] != ["makespan"]
    rows = {row[0]: row[1:3] for row in _lines(text) if row[:1] in (["mark3"], ["raw"])}
    for name, mhz in (("mark3", 16), ("raw", 250)):
        cycles, time = (float(cell.rstrip("*").replace(",", "")) for cell in rows[name])
        assert time == pytest.approx(cycles / mhz, abs=0.05)
    assert [rows[name][1].endswith("*") for name in ("mark3", "raw")] == [False, True]
    assert not any(rows[name][0].endswith("*") for name in rows)


def test_compare_says_what_failed(folder):
    """A failed run is a line without scores; its error stands below, and the status is 1."""
    done = senn("compare", "random:2", "random:2:seed=x")
    why = '"random:2:seed=x": the seed is a whole number, 0 to 9223372036854775807, not "x"'
    assert done.exit_code == 1
    assert done.stderr == f"senn: 1 of 2 runs failed; the first, random:2:seed=x: {why}\n"
    (row,) = (line[1:] for line in _lines(done.stdout)[2:] if line[:1] == ["random:2:seed=x"] and "-" in line)
    assert set(row) == {"-"}
    assert f"random:2:seed=x {why}" in " ".join(done.stdout.split("Failed")[1].split())


def test_a_compare_of_one_run_that_failed(folder):
    """Nothing varies and nothing came of it: there is no table, the error stands alone."""
    done = senn("compare", "nobody")
    assert done.exit_code == 1
    assert done.stderr.startswith('senn: 1 of 1 runs failed; the first, nobody: unknown problem "nobody"')
    assert done.stdout.split()[:2] == ["Failed", "nobody"]


def test_compare_of_controls(folder):
    """With a control unit in every node no array stalls: only the other has scores of stalls."""
    controls = ("--set", "machine.control=simd", "--set", "machine.control=mimd")
    done = senn("compare", "random:3", *controls, "--machine", "raw", "--json")
    assert done.exit_code == 0
    simd, mimd = json.loads(done.stdout)["runs"]
    assert mimd["error"] is None
    assert mimd["certificate"]["ok"]
    assert mimd["makespan"] < simd["makespan"]
    assert simd["stall"] == simd["exposed_stall"] + simd["dependency_wait"] > 0
    assert [mimd[name] for name in ("stall", "exposed_stall", "dependency_wait")] == [None, None, None]
    text = senn("compare", "random:3", *controls, "--machine", "raw", "--plot", "c.svg").stdout
    assert Path("c.svg").read_text().startswith("<?xml")
    (line,) = [line for line in _lines(text) if line[:1] == ["mimd"]]
    assert line[2:].count("-") == 2  # exposed and stall differ: they are not "the same in all runs"


def _write(text, name="s"):
    Path("s.toml").write_text(f'[study]\nname = "{name}"\n{text}')


def test_study_leaves_its_folder(folder):
    """Table, text and picture in runs/study-NAME, and the same lines on the screen as `senn compare`."""
    _write('[vary]\nproblem = ["random:2", "random:3"]\nform = ["paper", "short"]\n', "forms")
    done = senn("study", "s.toml")
    assert (done.exit_code, done.stderr) == (0, "")
    out = Path("runs/study-forms")
    assert {path.name for path in out.iterdir()} == {
        *("study.toml", "rows", "table.parquet", "comparison.md", "comparison.png")
    }
    assert pl.read_parquet(out / "table.parquet").height == 4
    compared = senn("compare", "random:2", "random:3", "--form", "paper", "--form", "short").stdout
    assert done.stdout.startswith(compared)
    names = {"table": "table.parquet", "text": "comparison.md", "picture": "comparison.png"}
    written = _lines(done.stdout.split("Files\n")[1])
    assert written == [[label, f"{out}/{name}"] for label, name in names.items()]
    assert senn("study", "s.toml").stdout == done.stdout


def test_study_with_failures_ends_with_1(folder):
    """Their rows are kept and told; tried again only when asked."""
    _write('[vary]\nproblem = ["random:2", "nobody"]\n')
    done = senn("study", "s.toml", "-o", "out", "--json")
    assert done.exit_code == 1
    assert done.stderr.startswith('senn: 1 of 2 runs failed; the first, nobody: unknown problem "nobody"')
    runs = json.loads(done.stdout)["runs"]
    assert [run["error"] is None for run in runs] == [True, False]
    assert [run["makespan"] is None for run in runs] == [False, True]
    (failed,) = (path for path in Path("out/rows").iterdir() if runs[1]["key"] in path.name)
    before = failed.stat().st_mtime_ns
    assert senn("study", "s.toml", "-o", "out").exit_code == 1
    assert failed.stat().st_mtime_ns == before
    assert senn("study", "s.toml", "-o", "out", "--retry-failed").exit_code == 1
    assert failed.stat().st_mtime_ns > before


def test_a_study_in_which_every_run_fails(folder):
    """Status 1, the count and the first error; the table has the rows, and the picture no points."""
    _write('[fixed]\nproblem = "random:{n}:seed=x"\n[vary]\nn = [2, 3]\n')
    for words in ("study s.toml -o out", "compare random:{n}:seed=x --n 2,3 --plot p.png"):
        done = senn(*words.split())
        assert (done.exit_code, done.stderr.count("\n")) == (1, 1)
        assert done.stderr.startswith('senn: 2 of 2 runs failed; the first, n 2: "random:2:seed=x": the seed')
    assert Path("p.png").is_file()
    assert pl.read_parquet("out/table.parquet")["error"].null_count() == 0
    assert Path("out/comparison.png").is_file()


def test_a_study_in_a_folder_with_a_comma_in_its_name(folder):
    """Its machine, its function and a table for one array are found: a comma separates names, not paths."""
    place = Path("a,b")
    place.mkdir()
    (place / "f.py").write_text("def home(n, levels, nodes):\n    return [list(range(n))] * (levels + 1)\n")
    (place / "x,y.csv").write_text("0,1\n0,1\n")
    problems.new(place / "m.toml", machine="raw")
    (place / "s.toml").write_text(
        '[study]\nname = "s"\n[fixed]\nproblem = "random:2"\nnumbers = false\nmachine = "m.toml"\n'
        '[vary]\nallocation = ["f.py:home", "x,y.csv", "identity,x,y.csv"]\n'
    )
    done = senn("study", str(place / "s.toml"), "-o", "out", "--allow-code", "--json")
    assert (done.exit_code, done.stderr) == (0, "")
    assert len({run["makespan"] for run in json.loads(done.stdout)["runs"]}) == 1
    (place / "m.toml").unlink()
    assert "a,b/m.toml: no such file" in refused("study", str(place / "s.toml"), "--allow-code")


def test_a_certificate_that_fails_is_a_failure(folder, monkeypatch):
    """The answer was wrong: the row has its scores, the status is 1, and stderr says by how much."""
    run = solving.run

    @wraps(run)  # its arguments are the parameters
    def wrong(**arguments):
        made = run(**arguments)
        made.certificate.update(ok=False, error=0.5, digits=0, worst_residual=1e-12)
        return made

    monkeypatch.setattr(solving, "run", wrong)
    done = senn("compare", "random:2")
    assert done.exit_code == 1
    assert done.stderr == (
        "senn: 1 of 1 runs failed; the first, random:2: the certificate fails: 0 digits (error 5.0e-01, "
        "residual 1.0e-12)\n"
    )


def test_a_large_study_shows_what_has_room(folder, monkeypatch):
    """Too many series: no picture, unless [plot] asks for one; too many lines: the rest is counted."""
    monkeypatch.setattr("senn.traces.pictures.comparison.MOST", 3)
    monkeypatch.setattr("senn.cli.commands.study._SHOWN", 5)
    _write(
        '[fixed]\nproblem = "random:1"\nnumbers = false\n[vary]\n'
        'form = ["paper", "omega"]\nresidency = ["home", "migrating"]\nrefine = [0, 1]\n'
    )
    done = senn("study", "s.toml", "-o", "out")
    assert done.exit_code == 0
    assert done.stderr == (
        "senn: no picture was drawn: 4 series; at most 3 can be told apart, choose some with where "
        "(in [plot] of the file)\n"
    )
    assert "comparison.png" not in done.stdout
    assert not Path("out/comparison.png").exists()
    assert "... 3 more runs" in " ".join(done.stdout.split())
    assert sum(line[:1] in (["paper"], ["omega"]) for line in _lines(done.stdout)) == 5


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('algorithm = "closed"', 'algorithm "closed" is not known: choose closed-chain, '),
        ('algorithm = "lambda-both"', 'algorithm "lambda-both" is gone: run lambda-inverse and lambda'),
        ("arrays = 9", "s.toml: fixed.arrays is 9; write one of 1, 2, 3, 8, STEPS"),
        ('arrays = "9"', "arrays is 9; write one of 1, 2, 3, 8, STEPS"),
        ('arrays = "x"', 'arrays is "x"; "x" is no step with its array: write a number of arrays, or'),
        ('allocation = "idenity"', 'allocation "idenity" is not known: choose identity, '),
        ('tip = "hand"', "'random:2': a tip is chosen for a URDF file only; leave the tip out"),
        ('lock = "("', 'lock: "(" is no regular expression'),
    ],
)
def test_a_fixed_value_with_which_no_run_can_begin_is_refused_when_the_file_is_read(folder, line, message):
    Path("s.toml").write_text(
        f'[study]\nname = "a"\n[fixed]\nproblem = "random:2"\n{line}\n[vary]\nseed = [1]'
    )
    assert message in refused("study", "s.toml")
    assert [path.name for path in folder.iterdir()] == ["s.toml"]


def test_only_a_scheduler_needs_dask(folder, monkeypatch):
    """Refused with the way out, before anything is written; without one Dask is not even looked for."""
    _write("")
    monkeypatch.setattr(processes, "find_spec", lambda name: None)
    assert refused("study", "s.toml", "--scheduler", "tcp://a:1") == (
        "--scheduler needs Dask, which is not installed: pip install 'senn[cluster]', or, in a checkout, "
        "./run study instead of senn study; or leave --scheduler out, to compute on this computer"
    )
    assert not Path("runs").exists()
    assert senn("study", "s.toml").exit_code == 0


@pytest.mark.fast("head*", "localhost*")
@pytest.mark.parametrize(
    ("scheduler", "warned"),
    [
        ("tcp://10.1.2.3:8786", True),
        ("head:8786", True),
        ("tcp://127.0.0.1:8786", False),
        ("localhost:8786", False),
        ("tcp://[::1]:8786", False),
        ("tls://head:8786", False),
    ],
)
def test_a_scheduler_that_anybody_may_reach_is_warned_of(folder, monkeypatch, scheduler, warned):
    """What is sent to its workers is code; the study is done all the same."""
    monkeypatch.setattr(processes, "computing_on_cluster", lambda scheduler: nullcontext(here))
    _write("[fixed]\nproblem = 'random:1'\n")
    done = senn("study", "s.toml", "--scheduler", scheduler)
    assert done.exit_code == 0
    assert done.stderr == warned * (
        f"senn: {scheduler} is not encrypted, nor on this computer: who reaches it may run code as you; "
        "with certificates of your own it can be tls://\n"
    )


_CODE = """
print("noise")
def place(n, levels, nodes):
    open("was run", "w").close()
    return [[p for p in range(n)]] * (levels + 1)
"""
_NAMES_CODE = '[fixed]\nproblem = "random:2"\nnumbers = false\nallocation = "identity,sub/own.py:place"\n'


@pytest.fixture
def names_code(folder):
    Path("sub").mkdir()
    Path("sub/own.py").write_text(_CODE)
    _write(_NAMES_CODE)
    return f"s.toml runs Python code: {folder}/sub/own.py:place"


def test_a_study_with_code_is_refused_where_nobody_can_answer(names_code):
    assert refused("study", "s.toml") == f"{names_code}; look at it, then run it with --allow-code"
    assert not Path("was run").exists()
    assert not Path("runs").exists()
    done = senn("study", "s.toml", "--allow-code")
    assert (done.exit_code, done.stderr) == (0, "noise\n")
    assert Path("was run").exists()


@pytest.mark.parametrize("blank", [" ", "\\t", "\\n", "\\u00a0", "\\u2003", "\\u001c"])
def test_blanks_around_a_name_of_code_do_not_hide_it(names_code, blank):
    _write(_NAMES_CODE.replace('"identity,sub/own.py:place"', f'"identity,{blank}sub/own.py:place{blank}"'))
    assert refused("study", "s.toml") == f"{names_code}; look at it, then run it with --allow-code"
    assert not Path("was run").exists()


def test_a_folder_named_like_code_runs_none(folder):
    """The path of a file that exists is one name, whatever code its parts between commas would name."""
    Path("evil.py").write_text(_CODE)
    place = Path("evil.py:place,x")
    place.mkdir()
    for home in (place, Path("x")):
        home.mkdir(exist_ok=True)
        (home / "home.csv").write_text("0,1\n")
    text = f'[study]\nname = "s"\n{_NAMES_CODE}'
    (place / "s.toml").write_text(text.replace("identity,sub/own.py:place", "home.csv"))
    done = senn("study", str(place / "s.toml"))
    assert (done.exit_code, done.stderr) == (0, "")
    assert not Path("was run").exists()


@pytest.mark.fast("n-2")
@pytest.mark.parametrize(("answer", "status"), [("y", 0), ("n", 2), ("", 2)])
def test_a_study_with_code_asks_on_a_terminal(names_code, answer, status):
    """A process on a terminal of its own; what is not yes is no, and nothing is run."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "senn", "study", "s.toml", "--workers", "1"]
    with subprocess.Popen(
        command, stdin=theirs, stdout=subprocess.PIPE, stderr=theirs, text=True, env=ENVIRONMENT
    ) as process:
        os.close(theirs)
        os.write(ours, f"{answer}\n".encode())
        said = ""
        with suppress(OSError):  # when nobody holds the other end any more
            while part := os.read(ours, 1024):
                said += part.decode()
        out, _ = process.communicate(timeout=60)
    os.close(ours)
    assert process.returncode == status, said
    assert f"senn: {names_code}. Run it? [y/N]" in "".join(said.split("\r\n"))
    assert Path("was run").exists() == (status == 0)
    assert "noise" not in out
    if status:
        assert said.rstrip().endswith("senn: s.toml: its Python code was not allowed to run")


def test_progress_in_lines(monkeypatch, capsys):
    """Where nobody watches: a line at most every ten seconds, with the failures and the time to go.

    Rows that were there before took no time: 11 s for 2 of 8 new ones leave 33 s.
    """
    now = [0.0]
    monkeypatch.setattr("senn.cli.printing.progress.time.monotonic", lambda: now[0])
    with counting(10) as count:
        for was_there in (True, True):
            count(True, was_there)
        for now[0], fine in ((4.0, True), (11.0, False), (12.0, True), (30.0, True)):
            count(fine)
    assert capsys.readouterr().err == (
        "senn: 4 of 10 runs, 1 failed, about 33 s to go\nsenn: 6 of 10 runs, 1 failed, about 30 s to go\n"
    )


def test_a_full_disk_during_a_study_says_what_is_kept(folder, monkeypatch):
    """The second row finds no room; with room again the same command goes on."""
    _write('[vary]\nproblem = ["random:2", "random:3"]\n')
    replace = os.replace

    def full(source, target):
        if len(list(Path("runs/study-s").glob("rows/*.json"))) == 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        replace(source, target)

    with monkeypatch.context() as patched:
        patched.setattr("os.replace", full)
        assert re.fullmatch(
            r"runs/study-s/rows/\w+\.json: cannot be written: No space left on device; choose another place; "
            r"1 of 2 runs are kept in runs/study-s, and the same command goes on",
            refused("study", "s.toml"),
        )
    assert senn("study", "s.toml").exit_code == 0

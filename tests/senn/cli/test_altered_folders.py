"""No command that looks at a folder trusts what is in it: one line and status 2, whatever it is."""

import io
import json
import os
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from senn.api.building import BY_ENGINE, entries_beside_engine
from senn.cli.main import cli
from senn.traces.files import SEAL
from senn.traces.folder import sealed
from senn.traces.run import RESERVED

LOOKS = [
    ("explain", "run"),
    ("explain", "run", "--json"),
    ("explain", "run", "critical"),
    ("plot", "run", "-o", "a.svg"),
    ("plot", "run", "--kind", "phases", "-o", "a.svg"),
    ("plot", "run", "--kind", "critical", "-o", "a.svg"),
    ("plot", "run", "--kind", "wavefront", "-o", "a.svg"),
    ("export", "run", "-o", "a.svg.csv"),
    ("retime", "run", "--set", "timing.post=2"),
    ("diff", "run", "run"),
    ("report", "run", "-o", "a.html"),
]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A run with all that a run may say."""
    path = tmp_path_factory.mktemp("made") / "run"
    words = ("run", "random:2", "--machine", "raw", "--bounds", "-o", str(path))
    assert CliRunner().invoke(cli, words).exit_code == 0
    return path


@pytest.fixture
def run(made, tmp_path, monkeypatch):
    """A copy of it, in an empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copytree(made, tmp_path / "run")).relative_to(tmp_path)


def _refusals(looks=LOOKS):
    """What each command says: one line on stderr, status 2, nothing on stdout and no file."""
    said = set()
    for words in looks:
        done = CliRunner().invoke(cli, words)
        assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.output
        said.add(done.stderr)
    assert not list(Path().glob("a.*"))
    return said


def _sealed_anew(run, **changed):
    """run.json with other entries, under a seal that holds; None takes an entry away."""
    document = json.loads((run / "run.json").read_text()) | changed
    kept = {name: one for name, one in document.items() if one is not _GONE}
    (run / "run.json").write_text(json.dumps(kept))
    files = {one.name: one.read_bytes() for one in run.iterdir() if one.name != SEAL}
    (run / SEAL).write_bytes(sealed(files)[SEAL])


_GONE = object()


@pytest.mark.parametrize("kind", ["run.json", "activities.parquet", "result.npz", SEAL])
def test_a_flipped_bit_is_one_line(run, kind):
    """Of every kind of file that is read."""
    content = bytearray((run / kind).read_bytes())
    content[len(content) // 2] ^= 16
    (run / kind).write_bytes(content)
    (said,) = _refusals()
    assert said.startswith(f"senn: run is not as it was saved: {kind}")


def test_an_altered_figure_is_never_shown(run):
    """qdd[0] += 1 was shown with the verdict of the number that was there before."""
    with np.load(run / "result.npz") as file:
        numbers = dict(file)
    numbers["qdd"][0] += 1
    np.savez_compressed(run / "result.npz", **numbers)
    assert _refusals() == {"senn: run is not as it was saved: result.npz was altered; make the run again\n"}


def test_nothing_is_left_out_of_what_every_run_says(run):
    """The entries that are missed are those of a run that was made: one that is added is missed too."""
    said = json.loads((run / "run.json").read_text()).keys() - {"bounds"}
    assert said == {*RESERVED, *BY_ENGINE, *entries_beside_engine()}


@pytest.mark.parametrize("name", [*RESERVED, *BY_ENGINE, *entries_beside_engine()])
def test_a_missing_entry_is_named(run, name):
    """Under a seal that was made anew, too."""
    _sealed_anew(run, **{name: _GONE})
    (said,) = _refusals(LOOKS[1:2])
    assert ("is of schema None" if name == "schema" else f"it has no {name};") in said


@pytest.mark.fast("{'program': 3}", "{'machine': None}", "{'problem': *", "{'summary': {'makespan': 'soon'*")
@pytest.mark.parametrize(
    "changed",
    [
        {"program": {}},
        {"program": 3},
        {"machine": {"name": "x"}},
        {"machine": None},
        {"problem": []},
        {"problem": {"name": "x", "joints": 3}},
        {"schedule": {"nodes": "eight"}},
        {"scores": {"dilation": 1}},
        {"summary": {"makespan": "soon", "arrays": {"1": {}}}},
        {"summary": {"makespan": 1, "arrays": [1]}},
        {"certificate": {"ok": True}},
        {"bounds": "none"},
    ],
    ids=str,
)
def test_entries_that_are_none_end_in_a_line(run, changed):
    """Wrong kinds, empty tables, tables of other things; a picture shows less of them than the summary."""
    _sealed_anew(run, **changed)
    (said,) = _refusals(LOOKS[:1])
    assert said.startswith("senn: run cannot be shown: run.json or a table has something else where senn")
    for words in LOOKS[1:]:
        assert CliRunner().invoke(cli, words).exit_code in (0, 2)


def test_numbers_without_end_are_a_line_too(run):
    """A makespan of 400 digits is no time of a run."""
    summary = json.loads((run / "run.json").read_text())["summary"]
    _sealed_anew(run, summary={**summary, "makespan": 10**400})
    (said,) = _refusals(LOOKS[:1])
    assert "OverflowError" in said


def test_files_of_a_run_that_are_too_large_are_not_read(folder, monkeypatch):
    """A sparse file; a table and an archive of few bytes that would be large in memory."""
    words = ("run", "random:2", "--machine", "raw", "-o", "run")
    assert CliRunner().invoke(cli, words).exit_code == 0
    run = Path("run")
    whole = {path.name: path.read_bytes() for path in run.iterdir() if path.name != SEAL}
    os.truncate(run / "hops.parquet", 30 * 10**9)
    done = CliRunner().invoke(cli, ("explain", "run"))
    assert (done.exit_code, done.stderr) == (
        2,
        "senn: run/hops.parquet: has 30,000,000,000 bytes; at most 4,294,967,296 are read\n",
    )
    table, numbers = io.BytesIO(), io.BytesIO()
    row = pl.read_parquet(whole["hops.parquet"]).head(1)
    pl.concat([row] * 1000, rechunk=True).write_parquet(table)
    np.savez_compressed(numbers, qdd=np.zeros(10**5))
    monkeypatch.setattr("senn.traces.folder.LARGEST", 80_000)
    for name, content in (("hops.parquet", table), ("result.npz", numbers)):
        for file, kept in sealed({**whole, name: content.getvalue()}).items():
            (run / file).write_bytes(kept)
        done = CliRunner().invoke(cli, ("explain", "run"))
        assert done.exit_code == 2
        assert done.stderr.startswith(
            f"senn: run/{name} cannot be read (ValueError: it is packed, and has more"
        )

"""No command that looks at a folder trusts what is in it: one line and status 2, whatever it is."""

import hashlib
import io
import json
import os
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from senn.base import files
from senn.base.files import SEAL
from senn.traces import seal
from tests.senn.cli.command import ended, senn

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
    ended(0, *words)
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
        done = senn(*words)
        assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.output
        said.add(done.stderr)
    assert not list(Path().glob("a.*"))
    return said


def _sealed_anew(folder, name, change):
    """A file with other content, or other entries of a document, under a seal that holds."""
    if isinstance(change, dict):
        change = json.dumps(json.loads((folder / name).read_text()) | change).encode()
    (folder / name).write_bytes(change)
    files = {one.name: one.read_bytes() for one in folder.iterdir() if one.name != SEAL}
    (folder / SEAL).write_bytes(seal.of("run", files))


def _edited(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("kind", ["run.json", "activities.parquet", "result.npz", SEAL])
def test_a_flipped_bit_is_one_line(run, kind):
    _edited(run / kind)
    (said,) = _refusals()
    assert said.startswith(f"senn: run is not as it was saved: {kind}")


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
        {"summary": {"makespan": 10**400, "arrays": {}}},
        {"certificate": {"ok": True}},
        {"bounds": "none"},
    ],
    ids=str,
)
def test_entries_that_are_none_end_in_a_line(run, changed):
    """Wrong kinds, empty tables, tables of other things; a picture shows less of them than the summary."""
    _sealed_anew(run, "run.json", changed)
    (said,) = _refusals(LOOKS[:1])
    assert said.startswith("senn: run/run.json cannot be read (")
    for words in LOOKS[1:]:
        assert senn(*words).exit_code in (0, 2)


def test_files_of_a_run_that_are_too_large_are_not_read(folder, monkeypatch):
    """A sparse file; a table and an archive of few bytes that would be large in memory."""
    words = ("run", "random:2", "--machine", "raw", "-o", "run")
    ended(0, *words)
    run = Path("run")
    whole = {path.name: path.read_bytes() for path in run.iterdir() if path.name != SEAL}
    os.truncate(run / "hops.parquet", 30 * 10**9)
    done = senn("explain", "run")
    assert done.exit_code == 2
    assert done.stderr.startswith("senn: run/hops.parquet: has 30,000,000,000 bytes or more; at most 4,294,")
    table, numbers = io.BytesIO(), io.BytesIO()
    row = pl.read_parquet(whole["hops.parquet"]).head(1)
    pl.concat([row] * 1000, rechunk=True).write_parquet(table)
    np.savez_compressed(numbers, qdd=np.zeros(10**5))
    monkeypatch.setattr("senn.traces.seal.LARGEST", 80_000)
    for name, content in (("hops.parquet", table), ("result.npz", numbers)):
        altered = whole | {name: content.getvalue()}
        for file, kept in {**altered, SEAL: seal.of("run", altered)}.items():
            (run / file).write_bytes(kept)
        done = senn("explain", "run")
        assert done.exit_code == 2
        assert done.stderr.startswith(f"senn: run/{name} cannot be read (ValueError: it is packed, and has")


MOTION_LOOKS = [
    ("explain", "motion"),
    ("explain", "motion", "--json"),
    ("plot", "motion", "--kind", "energy", "-o", "a.svg"),
    ("plot", "motion", "--kind", "animation", "-o", "a.gif"),
    ("report", "motion", "-o", "a.html"),
]
GOES_ON = ("simulate", "random:2", "--impact", "--until", "0.02", "-o", "motion")
MOTION_FILES = ("motion.json", "problem.toml", "states.parquet", "certificates.parquet")


@pytest.fixture(scope="module")
def moved(tmp_path_factory):
    path = tmp_path_factory.mktemp("moved") / "motion"
    ended(0, *GOES_ON[:-1], str(path))
    return path


@pytest.fixture
def motion(moved, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copytree(moved, tmp_path / "motion")).relative_to(tmp_path)


DAMAGES = {
    "truncated": lambda path: os.truncate(path, path.stat().st_size // 2),
    "enormous": lambda path: os.truncate(path, 30 * 10**9),
    "edited": _edited,
    "device": lambda path: (path.unlink(), path.symlink_to("/dev/zero")),
    "itself": lambda path: (path.unlink(), path.symlink_to(path.name)),
    "pipe": lambda path: (path.unlink(), os.mkfifo(path)),
}


@pytest.mark.parametrize("name", [*MOTION_FILES, SEAL])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_motion_is_one_line_and_left_alone(motion, damage, name):
    """For whoever looks at it, and for the command that would go on."""
    DAMAGES[damage](motion / name)
    said = _refusals([*MOTION_LOOKS, GOES_ON])
    assert all(name in line for line in said if "is not the folder of a motion" not in line)


def test_a_motion_that_is_whole_is_shown_by_every_command(motion):
    """Else the tests above would say nothing; other tools agree with the seal."""
    for words in (*MOTION_LOOKS, GOES_ON):
        ended(0, *words)
    head, *lines = (motion / SEAL).read_text().splitlines()
    assert head.startswith("# The seal of a motion: ")
    assert [line.split()[1] for line in lines] == sorted(MOTION_FILES)
    for line in lines:
        digest, name = line.split()
        assert hashlib.sha256((motion / name).read_bytes()).hexdigest() == digest


def test_what_was_added_to_a_motion_is_named(motion):
    for name in ("mine.png", ".hidden"):
        (motion / name).write_bytes(b"x")
    ended(0, *MOTION_LOOKS[0])
    (motion / "mine.csv").write_bytes(b"x")
    (said,) = _refusals(MOTION_LOOKS)
    assert said == "senn: motion is not as it was saved: mine.csv was added; move what was added away\n"


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("motion.json", b"{}", "is of schema None"),
        ("motion.json", b"[" * 10**5, "motion.json cannot be read"),
        ("motion.json", b'{"schema": 1' + b"0" * 9000 + b"}", "motion.json cannot be read"),
        ("problem.toml", b"robot = 3", "problem.toml"),
        ("states.parquet", b"PAR1", "states.parquet cannot be read"),
        ("certificates.parquet", b"", "certificates.parquet cannot be read"),
    ],
    ids=str,
)
def test_a_file_of_a_motion_that_is_none_is_one_line_under_a_right_seal(motion, name, content, text):
    _sealed_anew(motion, name, content)
    goes_on = [] if name == "problem.toml" else [GOES_ON]  # which has its own problem
    assert all(text in line for line in _refusals([*MOTION_LOOKS, *goes_on]))


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.drop("q"),
        lambda t: t.clear(),
        lambda t: t.with_columns(time=pl.lit("soon")),
        lambda t: t.with_columns(q=pl.lit(1.0)),
        lambda t: t.with_columns(more=pl.lit(1.0)),
    ],
)
def test_states_of_other_columns_are_one_line_under_a_right_seal(motion, change):
    content = io.BytesIO()
    change(pl.read_parquet(motion / "states.parquet")).write_parquet(content)
    _sealed_anew(motion, "states.parquet", content.getvalue())
    (said,) = _refusals([*MOTION_LOOKS, GOES_ON])
    assert said.startswith("senn: motion/states.parquet is damaged: its rows are not those of this motion;")


ENTRIES = {"until": "soon", "machine": 3, "problem": {}, "clock_mhz": 0.0, "step": 10**400, "impact": {}}


@pytest.mark.parametrize("name", ENTRIES)
def test_entries_of_a_motion_of_another_kind_are_one_line(motion, name):
    _sealed_anew(motion, "motion.json", {name: ENTRIES[name]})
    _refusals(MOTION_LOOKS[:1])


def test_a_motion_without_its_seal_is_of_an_earlier_version(motion):
    (motion / SEAL).unlink()
    (said,) = _refusals([*MOTION_LOOKS, GOES_ON])
    assert "motion has no SHA256SUMS" in said
    ended(0, *GOES_ON, "--force")
    ended(0, *MOTION_LOOKS[0])


def test_a_motion_that_is_killed_between_any_two_files_goes_on(motion, monkeypatch):
    """At every moment each file has a line in the seal."""
    put, words, count = files.put, (*GOES_ON[:-3], "0.03", *GOES_ON[-2:]), 0
    while True:
        left = count

        def killed(path, content, owned):
            nonlocal left
            if not left:
                raise KeyboardInterrupt
            left -= 1
            put(path, content, owned)

        shutil.rmtree("again", ignore_errors=True)
        shutil.copytree("motion", "again")
        with monkeypatch.context() as patched:
            patched.setattr(files, "put", killed)
            done = senn(*words[:-1], "again")
        ended(0, "explain", "again")
        if done.exit_code == 0:
            break
        count += 1
    assert count == 7  # seal, motion.json, seal; seal, certificates, states, seal

"""A run folder: whole or not at all, read back exactly, never at the cost of other files."""

import io
import json
import os
import shutil
import subprocess
from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from senn.base.errors import InputError
from senn.traces import seal
from senn.traces.record import NULL
from senn.traces.run import Run, Values
from tests.traces.hand_trace import hand_trace


def _values():
    return Values(
        array=np.array([1, 2]),
        value=np.array(["A", "x"]),
        level=np.array([0, NULL]),
        process=np.array([1, 2]),
        born=np.array([0, 9]),
        numbers=(np.arange(25.0).reshape(5, 5), np.array(1.5)),
        payloads={0: np.array([1.0, 2.0, 3.0]), 5: np.zeros((2, 0))},
    )


def _run(**changes):
    description = {"program": {"name": "hand", "n": 2}, "allocation": {"table": [[0, 1], [1, 0]]}, "seed": 7}
    arguments = {"description": description, "result": {"qdd": np.array([0.1, 1e-300])}, "values": _values()}
    return Run(hand_trace(), **{**arguments, **changes})


def test_a_run_comes_back_as_it_was(tmp_path):
    """Trace, description, numbers, values and summary survive the folder bit for bit."""
    run = _run(certificate={"ok": True, "error": 1e-15})
    folder = run.save(tmp_path / "deep" / "run")
    again = Run.load(folder)
    assert again.trace == run.trace
    assert again.description == run.description
    assert again.result["qdd"].tobytes() == run.result["qdd"].tobytes()
    assert again.summary == run.summary
    assert again.certificate == run.certificate
    assert again.values.numbers[0].tolist() == np.arange(25.0).reshape(5, 5).tolist()
    assert again.values.get(2, "x", None, 2) == 1.5
    assert again.values.payloads[0].tolist() == [1.0, 2.0, 3.0]
    assert again.values.payloads[5].shape == (2, 0)


def test_values_are_looked_up_in_the_papers_terms():
    """A_1^0 of array 1 is found by letter, level and process; what is not there is named."""
    assert _values().get(1, "A", 0, 1)[1, 2] == 7.0
    with pytest.raises(KeyError, match=r"no value A_2\^1 in array 1"):
        _values().get(1, "A", 1, 2)


def test_values_of_different_lengths_are_refused():
    """Columns of values belong together."""
    with pytest.raises(InputError, match="values: the columns differ in length"):
        replace(_values(), value=np.array(["A", "B", "C"]))


def test_the_folder_opens_without_this_project(tmp_path):
    """Tables are plain Parquet with the documented columns, run.json is readable JSON."""
    folder = _run().save(tmp_path / "run")
    assert sorted(entry.name for entry in folder.iterdir()) == [
        *("SHA256SUMS", "activities.parquet", "hops.parquet", "instructions.parquet", "messages.parquet"),
        *("result.npz", "run.json", "values.npz"),
    ]
    assert pl.read_parquet(folder / "messages.parquet")["words"].sum() == 10
    text = (folder / "run.json").read_text()
    assert "[1, 0]" in text
    document = json.loads(text)
    assert document["schema"] == 3
    assert document["trace_hash"] == hand_trace().hash
    assert document["instructions_hash"] == hand_trace().instructions_hash
    assert document["summary"]["arrays"]["2"]["end"] == 39


def test_run_json_has_a_row_of_numbers_on_a_line(tmp_path):
    """To be read by people: an allocation is a table, texts and entries have a line each."""
    said = {"allocation": {"table": [[0, 1], (2, None)]}, "notes": ["a", "[b, c]"], "q": np.array([0.5, 2.0])}
    folder = Run(hand_trace(), said).save(tmp_path / "run")
    assert [
        *(' "allocation": {', '  "table": [', "   [0, 1],", "   [2, null]", "  ]", " },"),
        *(' "notes": [', '  "a",', '  "[b, c]"', " ],", ' "q": [0.5, 2.0],'),
    ] == (folder / "run.json").read_text().splitlines()[2:13]


def test_run_json_says_what_json_cannot(tmp_path):
    """NumPy numbers, fractions and nan are written readably; a text with brackets stays as it is."""
    odd = {"machine": {"word": Fraction(1, 3), "n": np.int64(4)}, "error": float("nan"), "note": "[\n1,\n 2]"}
    again = Run.load(_run(description=odd).save(tmp_path / "run"))
    assert again.description == {"machine": {"word": "1/3", "n": 4}, "error": "nan", "note": "[\n1,\n 2]"}


def test_less_detail_keeps_the_summary(tmp_path):
    """A run reduced to instructions or to a summary still says what the whole one knew."""
    run = _run()
    for detail, tables in (("instructions", 1), ("summary", 0)):
        folder = run.at_detail(detail).save(tmp_path / detail)
        assert len(list(folder.glob("*.parquet"))) == tables
        again = Run.load(folder)
        assert again.trace.detail == detail
        assert again.values is None
        assert again.summary == run.summary
        assert again.summary["hidden"] == 30
    document = json.loads((tmp_path / "instructions" / "run.json").read_text())
    assert document["instructions_hash"] == hand_trace().instructions_hash
    assert json.loads((tmp_path / "summary" / "run.json").read_text())["instructions_hash"] is None


def _die(*_, **__):
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    "target",
    ["polars.DataFrame.write_parquet", "numpy.savez_compressed", "pathlib.Path.write_bytes", "os.rename"],
)
def test_a_killed_run_leaves_no_folder_that_looks_whole(tmp_path, monkeypatch, target):
    """If writing stops at any file, nothing remains of it, and a run that was to be replaced stays."""
    old = _run().save(tmp_path / "old")
    monkeypatch.setattr(target, _die)
    for name in ("new", "old"):
        with pytest.raises(KeyboardInterrupt):
            _run(description={}).save(tmp_path / name, force=True)
    assert list(tmp_path.iterdir()) == [old]
    assert Run.load(old).description["seed"] == 7


def test_another_run_is_replaced_only_on_demand(tmp_path):
    """The refusal names the folder and --force; --force replaces."""
    folder = _run().save(tmp_path / "run")
    with pytest.raises(InputError, match=r"run holds another run; give another name, or --force to replace"):
        _run(description={"seed": 8}).save(folder)  # known by no inputs, it may be any
    _run(description={"seed": 8}, values=None).save(folder, force=True)
    assert Run.load(folder).description == {"seed": 8}
    assert not (folder / "values.npz").exists()
    assert [entry.name for entry in tmp_path.iterdir()] == ["run"]


def test_a_run_of_the_same_inputs_is_replaced_without_a_word(tmp_path):
    """What is known by the same inputs is the same run, made again; of others it is another."""
    folder = _run(description={"inputs": "a", "made": 1}).save(tmp_path / "run")
    _run(description={"inputs": "a", "made": 2}).save(folder)
    assert Run.load(folder).description["made"] == 2
    for other in ({"inputs": "b"}, {"inputs": None}, {}):
        with pytest.raises(InputError, match="run holds another run"):
            _run(description=other).save(folder)
    (folder / "run.json").write_text("{")
    with pytest.raises(InputError, match="run holds another run"):  # nobody can tell
        _run(description={"inputs": "a"}).save(folder)
    assert [entry.name for entry in tmp_path.iterdir()] == ["run"]


def test_a_folder_that_is_not_a_run_is_never_removed(tmp_path):
    """Neither a folder or file of something else nor a run with other files in it, even with --force."""
    photos = tmp_path / "photos"
    photos.mkdir()
    (photos / "cat.jpg").write_text("meow")
    with pytest.raises(InputError, match="photos is there and is not a run folder; choose another name"):
        _run().save(photos, force=True)
    assert (photos / "cat.jpg").read_text() == "meow"
    folder = _run().save(tmp_path / "run")
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match=r"no part of a run \(notes.txt\); move them away"):
        _run(values=None).save(folder, force=True)
    assert (folder / "notes.txt").read_text() == "mine"
    with pytest.raises(InputError, match="is a file; a run is written as a folder"):
        _run().save(photos / "cat.jpg", force=True)


def test_an_empty_folder_is_filled(tmp_path):
    """mkdir before the run is no obstacle: nothing can be lost."""
    assert Run.load(_run().save(tmp_path)).trace == hand_trace()


# ---------------------------------------------------------------------------- altered and damaged


FILES = ("run.json", "instructions.parquet", "hops.parquet", "result.npz", "values.npz")


def _never_read(monkeypatch):
    """No reader of a foreign format may see a byte."""
    for target in ("polars.read_parquet", "numpy.load", "json.loads"):
        monkeypatch.setattr(target, lambda *_, **__: pytest.fail("a reader saw a file that was altered"))


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("where", [0, 0.5, -1], ids=["first", "middle", "last"])
def test_a_flipped_bit_is_noticed_before_anything_is_read(tmp_path, monkeypatch, name, where):
    """One bit of any file: the file is named, and neither polars nor NumPy nor the JSON reader runs."""
    folder = _run().save(tmp_path / "run")
    content = bytearray((folder / name).read_bytes())
    content[int(where * len(content))] ^= 1
    (folder / name).write_bytes(content)
    _never_read(monkeypatch)
    with pytest.raises(InputError, match=rf"run is not as it was saved: {name} was altered; make it ag"):
        Run.load(folder)


def test_what_is_missing_and_what_was_added_is_named(tmp_path):
    """All that is wrong in one line; pictures and hidden files are nobody's business."""
    folder = _run().save(tmp_path / "run")
    for name in ("timeline.png", "mine.svg", ".DS_Store"):
        (folder / name).write_bytes(b"x")
    assert Run.load(folder).trace == hand_trace()
    (folder / "extra.parquet").write_bytes(b"x")
    with pytest.raises(InputError, match=r"saved: extra\.parquet was added; move what was added away"):
        Run.load(folder)
    (folder / "hops.parquet").unlink()
    (folder / "values.npz").write_bytes(b"x")
    wrong = r"hops\.parquet is missing, values\.npz was altered, extra\.parquet was added; make it again"
    with pytest.raises(InputError, match=wrong):
        Run.load(folder)


@pytest.mark.parametrize("made", [os.mkdir, os.mkfifo], ids=["folder", "pipe"])
def test_what_is_no_file_is_missing(tmp_path, made):
    """A folder or a pipe in place of a table is not opened: opening the pipe would wait for ever."""
    folder = _run().save(tmp_path / "run")
    (folder / "hops.parquet").unlink()
    made(folder / "hops.parquet")
    with pytest.raises(InputError, match=r"hops\.parquet is missing"):
        Run.load(folder)


def test_the_seal_is_sealed_itself(tmp_path):
    """A line taken out, a digest exchanged, a byte flipped, or no text at all: the seal is named."""
    folder = _run().save(tmp_path / "run")
    seal = folder / "SHA256SUMS"
    head, *lines = seal.read_text().splitlines(keepends=True)
    flipped = lines[0].replace(lines[0][0], "f" if lines[0][0] == "e" else "e", 1)
    for text in (
        head + "".join(lines[1:]),
        "".join(lines),
        head + flipped + "".join(lines[1:]),
        head + "".join(lines) + "\n",
        "",
        "\xff\xfe",
    ):
        seal.write_text(text, encoding="latin-1")
        with pytest.raises(InputError, match="SHA256SUMS, its seal, was altered; make it again"):
            Run.load(folder)


def test_the_seal_is_read_by_other_tools(tmp_path):
    """`sha256sum -c` is content with a folder, and with an altered one it is not."""
    folder = _run().save(tmp_path / "run")
    if shutil.which("sha256sum") is None:
        pytest.skip("no sha256sum here")
    check = ["sha256sum", "--check", "--strict", "SHA256SUMS"]
    done = subprocess.run(check, cwd=folder, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        f"{name}: OK" for name in sorted(set(_names(folder)) - {"SHA256SUMS"})
    ]
    (folder / "result.npz").write_bytes(b"x")
    assert subprocess.run(check, cwd=folder, capture_output=True).returncode == 1


def test_missing_files_are_named(tmp_path):
    """No run.json: not a run folder. No seal: taken away, or an earlier version's."""
    with pytest.raises(InputError, match=r"nowhere is not a run folder: it has no run\.json"):
        Run.load(tmp_path / "nowhere")
    folder = _run().save(tmp_path / "run")
    (folder / "SHA256SUMS").unlink()
    with pytest.raises(InputError, match=r"run has no SHA256SUMS, the seal .* of an earlier version of senn"):
        Run.load(folder)


# ------------------------------------------------------------------------ sealed by other programs


def _sealed_anew(folder, name, content):
    """As a program would that writes a wrong file and a right seal."""
    (folder / name).write_bytes(content)
    files = {one: (folder / one).read_bytes() for one in _names(folder) if one != "SHA256SUMS"}
    (folder / "SHA256SUMS").write_bytes(seal.of("run", files))


def _names(folder):
    return [entry.name for entry in folder.iterdir()]


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_none_is_refused_by_name(tmp_path, name):
    """A file that is not what it should be is named, with the way out, whoever sealed it."""
    folder = _run().save(tmp_path / "run")
    _sealed_anew(folder, name, b"{ not a file of a run")
    with pytest.raises(InputError, match=rf"{name} cannot be read \(.*\); make it again"):
        Run.load(folder)


def test_a_file_that_was_never_sealed_is_missed(tmp_path):
    """A seal of fewer files than the run has."""
    folder = _run().save(tmp_path / "run")
    (folder / "hops.parquet").unlink()
    _sealed_anew(folder, "timeline.png", b"x")
    with pytest.raises(InputError, match=r"is damaged: it has no hops\.parquet"):
        Run.load(folder)


def test_a_table_of_another_shape_is_refused(tmp_path):
    """A Parquet file that is readable but not the documented table: folder, table and column are named."""
    folder = _run().save(tmp_path / "run")
    hops = pl.read_parquet(folder / "hops.parquet")
    for other, said in (
        (hops.drop("start"), r"trace: hops is missing start; its columns are"),
        (hops.with_columns(start=pl.lit("x")), r"trace: hops\.start must be whole numbers"),
        (hops.with_columns(start=pl.lit(0.5)), r"trace: hops\.start must be whole numbers"),
        (hops.with_columns(start=pl.lit(2**64 - 1, pl.UInt64)), r"conversion from `u64` to `i64` failed"),
        (hops.with_columns(more=1), "trace: hops has no column more"),
        (pl.concat([hops, hops]), "trace: two rows of hops have the same key"),
    ):
        parquet = io.BytesIO()
        other.write_parquet(parquet)
        _sealed_anew(folder, "hops.parquet", parquet.getvalue())
        with pytest.raises(InputError, match=rf"run cannot be read \(.*{said}"):
            Run.load(folder)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"schema": 1}, r"run\.json is of schema 1, this version reads schema 3"),
        ({"schema": 99}, r"run\.json is of schema 99, this version reads schema 3"),
        ({"schema": None}, r"run\.json is of schema None"),
        ({"detail": "all"}, r"run\.json cannot be read \(KeyError: 'all'"),
        ({"detail": ["full"]}, r"run\.json cannot be read \(TypeError: "),
        ({"certificate": "fine"}, r"run\.json cannot be read \(AttributeError: "),
        ({"trace_hash": "0"}, "the tables are not those of this run: their hash is"),
        *(
            ({name: ...}, f"KeyError: '{name}'")
            for name in ("trace_hash", "detail", "summary", "certificate")
        ),
    ],
)
def test_entries_of_another_kind_are_refused(tmp_path, entry, said):
    """What is found and what would be right are both said; ... stands for an entry that is missing."""
    folder = _run().save(tmp_path / "run")
    document = json.loads((folder / "run.json").read_text()) | entry
    document = {name: value for name, value in document.items() if value is not ...}
    _sealed_anew(folder, "run.json", json.dumps(document).encode())
    with pytest.raises(InputError, match=said):
        Run.load(folder)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"a":' * 100_000 + "1" + "}" * 100_000,
        '{"schema": ' + "9" * 5000 + "}",
        "[]",
        "null",
        '{"schema": "3"}',
        "\ufeff{}",
    ],
    ids=["brackets", "deep", "digits", "list", "null", "text", "mark"],
)
def test_json_of_any_kind_ends_in_a_message(tmp_path, text):
    """Nested without end, numbers without end, and what is no object."""
    folder = _run().save(tmp_path / "run")
    _sealed_anew(folder, "run.json", text.encode())
    with pytest.raises(InputError, match=r"run\.json (cannot be read|is of schema)"):
        Run.load(folder)


def test_the_description_cannot_say_what_the_run_says():
    """A description that brings its own summary would overwrite the true one."""
    with pytest.raises(InputError, match="summary cannot be in the description"):
        _run(description={"summary": {}})

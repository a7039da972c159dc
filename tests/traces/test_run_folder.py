"""A run folder: whole or not at all, read back exactly, never at the cost of other files."""

import json
import os
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from senn.traces.errors import InputError
from senn.traces.record.trace import NULL
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
        Values(
            np.array([1]),
            np.array(["A", "B"]),
            np.array([0]),
            np.array([1]),
            np.array([0]),
            (np.zeros(1),),
            {},
        )


def test_the_folder_opens_without_this_project(tmp_path):
    """Tables are plain Parquet with the documented columns, run.json is readable JSON."""
    folder = _run().save(tmp_path / "run")
    assert sorted(entry.name for entry in folder.iterdir()) == [
        "activities.parquet",
        "hops.parquet",
        "instructions.parquet",
        "messages.parquet",
        "result.npz",
        "run.json",
        "values.npz",
    ]
    assert pl.read_parquet(folder / "messages.parquet")["words"].sum() == 10
    text = (folder / "run.json").read_text()
    assert "[1, 0]" in text
    document = json.loads(text)
    assert document["schema"] == 1
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
        assert again.summary["hidden"] == 7
    document = json.loads((tmp_path / "instructions" / "run.json").read_text())
    assert document["instructions_hash"] == hand_trace().instructions_hash
    assert json.loads((tmp_path / "summary" / "run.json").read_text())["instructions_hash"] is None


def _die(*_, **__):
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    "target", ["polars.DataFrame.write_parquet", "numpy.savez_compressed", "pathlib.Path.write_text"]
)
def test_a_killed_run_leaves_no_folder_that_looks_whole(tmp_path, monkeypatch, target):
    """If writing stops at any file, the folder's name is not taken and nothing of it remains."""
    monkeypatch.setattr(target, _die)
    with pytest.raises(KeyboardInterrupt):
        _run().save(tmp_path / "run")
    assert list(tmp_path.iterdir()) == []


def test_a_failed_replacement_leaves_the_run_that_was_there(tmp_path, monkeypatch):
    """With --force the old run goes only when the new one is whole."""
    folder = _run().save(tmp_path / "run")
    monkeypatch.setattr("pathlib.Path.write_text", _die)
    with pytest.raises(KeyboardInterrupt):
        _run(description={}).save(folder, force=True)
    assert Run.load(folder).description["seed"] == 7


def test_a_replacement_that_fails_at_the_last_moment_restores_the_old_run(tmp_path, monkeypatch):
    """If the new folder cannot take the name, the old one gets it back."""
    folder = _run().save(tmp_path / "run")
    rename = os.rename

    def refuse_new(source, target):
        if Path(source).name == "new":
            raise PermissionError("no")
        rename(source, target)

    monkeypatch.setattr("os.rename", refuse_new)
    with pytest.raises(PermissionError):
        _run(description={}).save(folder, force=True)
    assert Run.load(folder).description["seed"] == 7
    assert [entry.name for entry in tmp_path.iterdir()] == ["run"]


def test_an_existing_run_is_replaced_only_on_demand(tmp_path):
    """The refusal names the folder and --force; --force replaces."""
    folder = _run().save(tmp_path / "run")
    with pytest.raises(
        InputError, match=r"run holds a run already; give another name, or --force to replace it"
    ):
        _run().save(folder)
    _run(description={"seed": 8}, values=None).save(folder, force=True)
    assert Run.load(folder).description == {"seed": 8}
    assert not (folder / "values.npz").exists()
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
        _run().save(folder, force=True)
    assert (folder / "notes.txt").read_text() == "mine"
    with pytest.raises(InputError, match="is a file; a run is written as a folder"):
        _run().save(photos / "cat.jpg", force=True)


def test_an_empty_folder_is_filled(tmp_path):
    """mkdir before the run is no obstacle: nothing can be lost."""
    assert Run.load(_run().save(tmp_path)).trace == hand_trace()


@pytest.mark.parametrize("name", ["run.json", "hops.parquet", "result.npz", "values.npz"])
def test_a_damaged_file_is_named(tmp_path, name):
    """A file that is not what it should be is named, with the way out."""
    folder = _run().save(tmp_path / "run")
    (folder / name).write_bytes(b"{ not a file of a run")
    with pytest.raises(InputError, match=rf"{name} cannot be read \(.*\); make the run again"):
        Run.load(folder)


def test_missing_files_are_named(tmp_path):
    """No run.json: not a run folder. No table: damaged."""
    with pytest.raises(InputError, match=r"nowhere is not a run folder: it has no run\.json"):
        Run.load(tmp_path / "nowhere")
    folder = _run().save(tmp_path / "run")
    (folder / "hops.parquet").unlink()
    with pytest.raises(InputError, match=r"is damaged: it has no hops\.parquet"):
        Run.load(folder)


def test_a_table_of_another_shape_is_refused(tmp_path):
    """A Parquet file that is readable but not the documented table: folder, table and column are named."""
    folder = _run().save(tmp_path / "run")
    pl.read_parquet(folder / "hops.parquet").drop("start").write_parquet(folder / "hops.parquet")
    with pytest.raises(InputError, match=r"run is damaged \(trace: hops is missing start; its columns are"):
        Run.load(folder)


def test_another_schema_version_is_refused(tmp_path):
    """The version found and the version read are both said."""
    folder = _run().save(tmp_path / "run")
    (folder / "run.json").write_text((folder / "run.json").read_text().replace('"schema": 1', '"schema": 99'))
    with pytest.raises(InputError, match=r"run\.json is of schema 99, this version reads schema 1"):
        Run.load(folder)


def test_a_changed_table_is_noticed(tmp_path):
    """One cycle changed in one row of one table: the hash no longer matches and the user is told."""
    folder = _run().save(tmp_path / "run")
    hops = pl.read_parquet(folder / "hops.parquet")
    hops.with_columns(pl.col("end") + (pl.col("message") == 5)).write_parquet(folder / "hops.parquet")
    with pytest.raises(InputError, match="the tables are not those of this run: their hash is"):
        Run.load(folder)


def test_the_description_cannot_say_what_the_run_says():
    """A description that brings its own summary would overwrite the true one."""
    with pytest.raises(InputError, match="summary cannot be in the description"):
        _run(description={"summary": {}})

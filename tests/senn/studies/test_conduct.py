"""Studies that are interrupted, changed and failing: nothing is lost, nothing computed twice."""

import json

import polars as pl
import pytest

import senn
from senn.api import solving
from senn.base.errors import InputError
from senn.studies.study import read
from tests.places import ROOT
from tests.senn.studies.small_study import STUDY, Counting, conduct_here, figures


def test_a_study_leaves_one_table(file, tmp_path):
    """Read back by polars: a row a run, in order, with every parameter; nothing else in the folder."""
    found = conduct_here(file, tmp_path / "out")
    again = pl.read_parquet(tmp_path / "out" / "table.parquet")
    assert again.equals(found)
    asked = [(n, place, name) for n in (1, 2) for place in ("home", "migrating") for name in ("raw", "mark3")]
    assert again.select("n", "residency", "machine").rows() == asked
    assert again["error"].null_count() == again["makespan"].count() == 8
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        *("study.toml", "rows", "table.parquet", "comparison.md")
    }
    assert (tmp_path / "out" / "study.toml").read_text() == STUDY
    assert len((tmp_path / "out" / "comparison.md").read_text().splitlines()) == 2 + 8


def test_numbers_are_certified_once_however_the_file_orders_its_runs(tmp_path, monkeypatch):
    """Of 6 problems on 2 machines; rows in the order of the file, each that of its run alone."""
    file = tmp_path / "seeds.toml"
    vary = 'machine = ["raw", "mark3"]\nseed = [1, 2, 3, 4, 5, 6]'
    file.write_text(f'[study]\nname = "seeds"\n[fixed]\nproblem = "random:4"\n[vary]\n{vary}\n')
    right, problems = solving.certify, []

    def counting(problem, answers, **options):
        problems.append(problem.source)
        return right(problem, answers, **options)

    monkeypatch.setattr(solving, "certify", counting)
    rows = conduct_here(file, tmp_path / "out")
    assert len(problems) == 6
    assert rows.select("machine", "seed").rows() == [(m, s) for m in ("raw", "mark3") for s in range(1, 7)]
    for row in rows[::5].iter_rows(named=True):
        alone = senn.run("random:4", seed=row["seed"], machine=row["machine"])
        assert row["certificate_error"] == alone.certificate["error"]
        assert (row["makespan"], row["trace_hash"]) == (alone.summary["makespan"], alone.trace.hash)


def test_an_interrupted_study_goes_on(file, tmp_path):
    """Five runs, then Ctrl-C: the next call computes the other three, and the table is that of one go."""
    first = Counting(most=5)
    with pytest.raises(KeyboardInterrupt):
        conduct_here(file, tmp_path / "out", first)
    assert {path.stem for path in (tmp_path / "out" / "rows").iterdir()} == set(first.computed)
    assert not (tmp_path / "out" / "table.parquet").exists()
    second, seen = Counting(), []
    found = conduct_here(
        file, tmp_path / "out", second, progress=lambda row, was_there: seen.append(was_there)
    )
    keys = [point.key for point in read(file).points]
    assert sorted(first.computed + second.computed) == sorted(keys)
    assert (len(first.computed), len(second.computed), len(seen)) == (5, 3, 8)
    assert seen == [True] * 5 + [False] * 3
    assert figures(found).equals(figures(conduct_here(file, tmp_path / "at once")))
    third = Counting()
    assert conduct_here(file, tmp_path / "out", third).equals(found)
    assert third.computed == []


def test_a_changed_study_computes_what_is_new(file, tmp_path):
    """Two values more: their runs only; one value less: none, and its rows stay for when it comes back."""
    before = conduct_here(file, tmp_path / "out")
    file.write_text(STUDY.replace("[1, 2]", "[1, 2, 3]").replace('"mark3"]', '"mark3", "ideal"]'))
    more = Counting()
    found = conduct_here(file, tmp_path / "out", more)
    assert (found.height, len(more.computed)) == (18, 10)
    file.write_text(STUDY.replace("[1, 2]", "[2]"))
    less = Counting()
    assert conduct_here(file, tmp_path / "out", less)["n"].to_list() == [2] * 4
    file.write_text(STUDY)
    assert conduct_here(file, tmp_path / "out", less).equals(before)
    assert less.computed == []


def test_only_failed_runs_are_tried_again(tmp_path):
    """One that is refused among others that are fine."""
    file = tmp_path / "s.toml"
    file.write_text('[study]\nname = "s"\n[vary]\nproblem = ["random:2", "random:2:seed=x", "random:3"]\n')
    found = conduct_here(file, tmp_path / "out")
    assert found["makespan"].is_null().to_list() == [False, True, False]
    assert found["certificate_ok"].to_list() == [True, None, True]
    counting = Counting()
    conduct_here(file, tmp_path / "out", counting, retry_failed=True)
    assert counting.computed == [found["key"][1]]


def test_what_is_no_row_is_computed_again(file, tmp_path):
    """Half a row, what is not of this run or not of the types of its columns, a text that no parser takes."""
    found = conduct_here(file, tmp_path / "out")
    rows, key = tmp_path / "out" / "rows", found["key"][3]
    (rows / f".{found['key'][5]}.json.1.partial").write_text("{}")
    row = json.loads((rows / f"{key}.json").read_text())
    wrong = [{"error": 3}, {"residency": "nowhere"}, {"makespan": "many"}, {"makespan": 2.5}]
    wrong += [{"makespan": 2**63}, {"instructions_1": [1, 2]}, {"certificate_ok": {"deep": True}}]
    without = {name: value for name, value in row.items() if name != "error"}
    entries = [5, [row], {}, without, *(row | entry for entry in wrong)]
    texts = ['{"n": 2, "makesp', "[" * 100_000, "9" * 5000, "\ud800", "\0", *map(json.dumps, entries)]
    for text in texts:
        (rows / f"{key}.json").write_bytes(text.encode(errors="surrogatepass"))
        counting = Counting()
        assert figures(conduct_here(file, tmp_path / "out", counting)).equals(figures(found)), text[:40]
        assert counting.computed == [key], text[:40]


@pytest.mark.parametrize("name", ["letter.txt", ".env"])
def test_other_folders_are_left_alone(file, tmp_path, name):
    """A folder with something else in it, and a file, are refused before anything is written."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / name).write_text("")
    with pytest.raises(InputError, match="mine is there and is not the folder of a study; choose another"):
        conduct_here(file, tmp_path / "mine")
    with pytest.raises(InputError, match="is a file, not a folder; choose another place"):
        conduct_here(file, file / "below")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == [name]


def test_studies_in_the_documentation_run(tmp_path):
    """docs/studies/*.toml at small sizes: all runs fine, and the picture it asks for can be drawn."""
    for page in (ROOT / "docs" / "studies").glob("*.toml"):
        file = tmp_path / page.name
        file.write_text(page.read_text().replace('n = "4:64"', 'n = "4:6"').replace("random:64", "random:32"))
        found = conduct_here(file, tmp_path / page.stem)
        assert found["error"].null_count() == found.height > 1

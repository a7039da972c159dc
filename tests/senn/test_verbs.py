"""The verbs of the command line, from Python: each is there, and does what its command does."""

from pathlib import Path

import polars as pl
import pytest

import senn
from senn.cli.main import RENAMED, cli

IN_THE_SHELL_ONLY = {"list", "view"}


@pytest.fixture(scope="module")
def run():
    return senn.run("random:3:seed=1")


def test_every_command_is_a_function():
    assert {name for name in cli.commands if not hasattr(senn, name)} == IN_THE_SHELL_ONLY
    assert len(cli.commands) == 16
    assert not RENAMED.keys() & cli.commands.keys()


def test_an_old_name_points_to_the_new_one():
    with pytest.raises(AttributeError, match=r"now senn\.program$"):
        getattr(senn, *["listing"])


def test_explain_takes_a_run_its_folder_or_a_word(run, tmp_path):
    folder = run.save(tmp_path / "run")
    assert senn.explain(run) == senn.explain(folder)
    assert "cycles" in senn.explain(run, "I.b")
    assert senn.explain("exposed").startswith("Stalled cycles")
    with pytest.raises(senn.InputError, match="explained nowhere"):
        senn.explain("nosuchword")


def test_report_and_export_write_files(run, tmp_path):
    page = senn.report(run, tmp_path / "page.html")
    assert "<html" in page.read_text(encoding="utf-8")[:400]
    with pytest.raises(senn.InputError, match=r"a report ends in \.html"):
        senn.report(run, tmp_path / "page.txt")
    assert senn.export(run, tmp_path / "run.json").stat().st_size > 0


def test_plot_draws_runs_and_step_laws(run):
    assert senn.plot(run, "phases").figure is not None
    assert senn.plot(senn.steps([4, 8, 16])).figure is not None


def test_study_runs_a_file_and_goes_on(tmp_path):
    file = Path(tmp_path, "s.toml")
    file.write_text('[study]\nname = "s"\n[fixed]\nproblem = "random:2:seed=1"\nnumbers = false\n')
    table = senn.study(file, tmp_path / "out", workers=1)
    assert isinstance(table, pl.DataFrame)
    again: list[bool] = []
    senn.study(file, tmp_path / "out", workers=1, progress=lambda row, was_there: again.append(was_there))
    assert again == [True]

"""The verbs of the command line, from Python: each is there, and does what its command does."""

from pathlib import Path

import polars as pl
import pytest

import senn
from senn.base.gone import RENAMED
from senn.cli.main import COMMANDS

IN_THE_SHELL_ONLY = {"list"}


@pytest.fixture(scope="module")
def run():
    return senn.run("random:3:seed=1")


def test_every_command_is_a_function():
    assert {name for name in COMMANDS if not hasattr(senn, name)} == IN_THE_SHELL_ONLY
    assert len(COMMANDS) == 17
    renamed = {old.split()[1]: now.split() for old, now in RENAMED.items() if " " in old}
    assert not renamed.keys() & COMMANDS.keys()
    assert {name for program, name, *_ in renamed.values() if program == "senn"} <= COMMANDS.keys()


@pytest.mark.parametrize(
    ("name", "now"),
    [
        ("listing", "senn.program"),
        ("show", "senn.explain"),
        ("plot_arm", r"senn.problem\(...\).plot\(\)"),
        ("calibrate", "the command senn new FILE.toml --calibrate"),
        ("control", "experiments.robot.control_loop.control, in a checkout"),
    ],
)
def test_an_old_name_points_to_the_new_one(name, now):
    with pytest.raises(AttributeError, match=rf"^senn\.{name} is now {now}$"):
        getattr(senn, name)


def test_explain_takes_a_run_its_folder_or_a_word(run, tmp_path):
    folder = run.save(tmp_path / "run")
    assert senn.explain(run) == senn.explain(folder)
    assert "cycles" in senn.explain(run, "I.b")
    assert senn.explain("exposed").startswith("Cycles of messages")


def test_report_and_export_write_files(run, tmp_path):
    page = senn.report(run, tmp_path / "page.html")
    assert "<html" in page.read_text(encoding="utf-8")[:400]
    with pytest.raises(senn.InputError, match=r"a report ends in \.html"):
        senn.report(run, tmp_path / "page.txt")
    assert senn.export(run, tmp_path / "run.pftrace").stat().st_size > 0


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


def test_runs_of_different_programs_have_different_names_and_one_process_does_not_migrate():
    """In titles, captions and summaries of all algorithms, and of a program of one's own."""
    from senn.algorithms.catalogue import ALGORITHMS
    from senn.traces.facts import facts, what_ran

    of_runs = {}
    for name, algorithm in ALGORITHMS.items():
        run = senn.run("random:10:seed=1" if algorithm.closed else "ur5_free", algorithm=name, numbers=False)
        of_runs[name] = facts(run)
        texts = (of_runs[name].caption, str([*what_ran(run)]))
        assert all(of_runs[name].program in text for text in texts)
        assert any("migrating" in text for text in texts) is not (algorithm.serial or name == "both-ends")
    assert len({run.program for run in of_runs.values()}) == len(ALGORITHMS)
    assert of_runs["star"].program == "star"
    assert of_runs["star-together"].program == "star (star-together)"


def test_only_public_names_are_listed():
    """As an editor completes them: neither imports of the package itself nor less than a user needs."""
    listed = set(dir(senn))
    assert {"run", "laws", "study", "InputError", "__version__"} <= listed
    assert not {"Any", "TYPE_CHECKING", "annotations", "import_module"} & listed

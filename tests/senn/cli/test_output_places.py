"""Places that no command writes to, refused before its work: sealed run folders, and folders in use."""

import errno
from pathlib import Path

import pytest

import senn as package
from tests.places import ROOT
from tests.senn.cli.command import refused, senn

LEAN = ("--no-numbers", "--machine", "raw")


@pytest.fixture
def run(folder):
    assert senn("run", "random:2", *LEAN, "-o", "kept").exit_code == 0
    Path("link").symlink_to("kept")
    return Path("kept")


def test_the_timeline_of_a_run_may_be_drawn_into_its_folder(run):
    """So does `senn run --plot`; the run opens, and is replaced."""
    assert senn("plot", "kept", "-o", "kept/timeline.png").exit_code == 0
    assert senn("explain", "kept").exit_code == 0
    assert senn("run", "random:2", *LEAN, "--plot", "-o", "kept").exit_code == 0


def test_python_refuses_too(run):
    recorded = package.open_run("kept")
    for write in (recorded.export, recorded.save):
        with pytest.raises(package.InputError, match=r"is inside .*/kept, a sealed folder"):
            write("kept/inner.csv")


@pytest.mark.parametrize("words", [("study", "s.toml"), ("simulate", "ur5_free", "--until", "0.01")])
def test_a_folder_that_cannot_be_made_is_refused(folder, monkeypatch, words):
    Path("s.toml").write_text('[study]\nname = "s"\n[fixed]\nproblem = "random:2"\n')

    def read_only(*args, **options):
        raise OSError(errno.EROFS, "Read-only file system", "elsewhere")

    monkeypatch.setattr(Path, "mkdir", read_only)
    assert (
        refused(*words, "-o", "new") == "new: cannot be written: Read-only file system; choose another place"
    )


def test_a_link_to_a_folder_stays_a_link(run):
    """Also one to a folder that is not there yet."""
    Path("new").symlink_to("elsewhere")
    for link in ("link", "new"):
        assert senn("run", "random:3", *LEAN, "-o", link, "--force").exit_code == 0
        assert Path(link).is_symlink()
        assert senn("explain", link).exit_code == 0


ODD = "odd\udcff"
"""A name with a byte that is not UTF-8, as Python holds it."""


def test_names_of_files_that_are_not_utf8(folder):
    """A table and a robot: in run.json, on the page, in the table of runs."""
    try:
        Path(f"{ODD}.csv").write_text("0,1\n")
    except OSError:
        pytest.skip("this file system has UTF-8 alone")
    words = ("run", "random:2", *LEAN, "--allocation", f"{ODD}.csv", "-o", "a")
    assert senn(*words).exit_code == 0
    assert package.open_run("a").description["allocation"]["name"] == f"{ODD}.csv"
    assert senn("report", "a", "-o", "a.html").exit_code == 0
    assert b"odd\\udcff.csv" in Path("a.html").read_bytes()
    assert package.compare({"problem": "random:2", "allocation": f"{ODD}.csv"})["error"].to_list() == [None]
    Path(f"{ODD}.urdf").write_bytes((ROOT / "algorithms/robots/ur5.urdf").read_bytes())
    said = refused("new", "p.toml", "--robot", f"{ODD}.urdf", "--tip", "tool0")
    assert said == 'p.toml: is UTF-8, and this name of a file is not: robot = "odd\\udcff.urdf"; rename it'

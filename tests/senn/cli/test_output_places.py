"""Places that no command writes to, refused before its work: sealed run folders, and folders in use."""

import errno
from pathlib import Path

import pytest

import senn as package
from senn.api import solving
from tests.places import ROOT
from tests.senn.cli.command import refused, senn

LEAN = ("--no-numbers", "--machine", "raw")


@pytest.fixture
def run(folder):
    assert senn("run", "random:2", *LEAN, "-o", "kept").exit_code == 0
    Path("link").symlink_to("kept")
    return Path("kept")


@pytest.mark.parametrize(
    "words",
    [
        ("export", "kept", "-o", "kept/a.pftrace"),
        ("export", "kept", "-o", "kept/deep/a.csv"),
        ("export", "kept", "--to", "csv", "-o", "kept/run.json"),
        ("report", "kept", "-o", "link/a.html"),
        ("plot", "kept", "-o", "kept/a.png"),
        ("plot", "kept", "-o", "kept/deep/timeline.png"),
        ("plot", "ssrms", "--kind", "arm", "-o", "kept/arm.svg"),
        ("run", "random:3", *LEAN, "-o", "kept/inner"),
        ("run", "random:3", *LEAN, "--plot", "kept/a.png"),
        ("retime", "kept", "--machine", "mark3", "-o", "kept/inner"),
        ("new", "kept/p.toml", "--robot", "ur5"),
        ("steps", "--n", "1:2", "--plot", "kept/a.png"),
        ("optimise", "--n", "2", "-o", "kept/a.csv"),
        ("study", "s.toml", "-o", "kept/study"),
    ],
)
def test_nothing_is_written_into_a_sealed_run_folder(run, words, monkeypatch):
    """The run would not open again."""
    Path("s.toml").write_text('[study]\nname = "s"\n[fixed]\nproblem = "random:2"\n')
    before = sorted(run.iterdir())
    monkeypatch.setattr(solving, "run", lambda *a, **k: pytest.fail("the simulation was started"))
    place = next(word for word in reversed(words) if "/" in word)
    said = refused(*words)
    assert said.startswith(place)
    assert said.endswith(f" is inside {run.absolute()}, a sealed folder; choose another place")
    assert sorted(run.iterdir()) == before


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


@pytest.mark.parametrize("place", [".", "..", "../{name}", "/"])
def test_a_folder_in_use_is_refused_before_the_work(folder, monkeypatch, place):
    monkeypatch.setattr(solving, "run", lambda *a, **k: pytest.fail("the simulation was started"))
    place = place.format(name=folder.name)
    said = refused("run", "-o", place, "--force")
    assert said == f"{place} is in use and cannot be replaced; choose another place"
    assert list(folder.iterdir()) == []


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


@pytest.mark.parametrize(
    "words",
    [
        ("run", "random:2", *LEAN),
        ("run", "random:2", *LEAN, "--force"),
        ("mpi", "ur5"),
        ("retime", "kept", "--machine", "mark3"),
        ("simulate", "ur5_free", "--until", "0.01"),
        ("study", "s.toml"),
        ("export", "kept", "--to", "csv"),
        ("export", "kept", "--to", "otf2"),
        ("report", "kept"),
        ("plot", "kept"),
        ("optimise", "--n", "2"),
    ],
    ids=" ".join,
)
def test_a_link_to_itself_is_refused_before_the_work(run, words, monkeypatch):
    monkeypatch.setattr(solving, "run", lambda *a, **k: pytest.fail("the simulation was started"))
    Path("s.toml").write_text('[study]\nname = "s"\n[fixed]\nproblem = "random:2"\n')
    place = {"report": "loop.html", "plot": "loop.png", "optimise": "loop.csv"}.get(words[0], "loop")
    Path(place).symlink_to("other")
    Path("other").symlink_to(place)
    said = refused(*words, "-o", place)
    assert said.removeprefix(f"{run.absolute().parent}/") == (
        f"{place} is a link that leads back to itself; choose another place"
    )
    assert Path(place).is_symlink()


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

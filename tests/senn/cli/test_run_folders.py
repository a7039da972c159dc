"""Where `senn run` keeps a run, edit, run, look; and places that no command writes to."""

import errno
import json
import os
import resource
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import senn as package
from senn.algorithms import problems
from senn.api import solving
from senn.base.files import PICTURE
from tests.places import ROOT
from tests.senn.cli.command import refused, senn

LEAN = ("--no-numbers", "--detail", "instructions", "--engine", "lockstep", "--machine", "raw")

ARM = """
robot = "arm.urdf"
tip = "tool0"
gravity = [0.0, 0.0, -9.81]
q = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
qd = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
tau = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]

[contact]
kind = "none"
"""


def _run_dir(*words):
    """Where a run is kept, as --json says it: a folder that is there."""
    done = senn("run", *words, *LEAN, "--json")
    assert (done.exit_code, done.stderr) == (0, "")
    path = Path(json.loads(done.stdout)["folder"])
    assert (path / "run.json").is_file()
    return path


def _problem(folder):
    """A problem file and the URDF that it names."""
    shutil.copy(ROOT / "algorithms" / "robots" / "ur5.urdf", folder / "arm.urdf")
    (folder / "mine.toml").write_text(ARM)


def test_the_same_command_again_is_no_error(folder):
    """The folder is named by what went in; the run in it is replaced by the same, nothing is left over."""
    words = ("run", "random:2", *LEAN)
    first, second = senn(*words), senn(*words)
    assert (first.exit_code, second.exit_code) == (0, 0)
    assert first.stdout == second.stdout
    (path,) = Path("runs").iterdir()
    inputs = json.loads((path / "run.json").read_text())["inputs"]
    assert path.name == f"random-2-{inputs[:12]}"
    assert str(path) in first.stdout


def test_everything_that_goes_in_has_a_folder_of_its_own(folder):
    """Numbers of the problem file, its robot, choices, the machine, tables: each edit is another run, and
    undoing it is the first again."""
    _problem(folder)
    Path("table.csv").write_text("0,1,2,3,4,5\n")
    Path("own.edges").write_text("".join(f"{a} {b}\n" for a in range(8) for b in range(8) if a != b))
    placing = ("--residency", "home", "--allocation", "table.csv")
    own = ("mine.toml", *placing, "--set", "machine.network=own.edges")
    seen = [_run_dir(*own)]
    edits = {
        "mine.toml": ("tau = [1.0", "tau = [1.0000000000000002"),
        "arm.urdf": ('<mass value="', '<mass value="1'),
        "table.csv": ("0,1,2,3", "0,1,3,2"),
        "own.edges": ("0 1\n", ""),
    }
    for name, (old, new) in edits.items():
        kept = Path(name).read_text()
        assert old in kept
        Path(name).write_text(kept.replace(old, new, 1))
        seen.append(_run_dir(*own))
        Path(name).write_text(kept)
    choices = {"precision": "single", "form": "short", "refine": "1", "set": "timing.word=3"}
    for name, value in (choices | {"strategy": "1", "algorithm": "lambda-inverse"}).items():
        seen.append(_run_dir(*own, f"--{name}", value))
    assert len(set(seen)) == len(seen)
    assert _run_dir(*own) == seen[0]
    assert len(list(Path("runs").iterdir())) == len(seen)


def test_seed_contact_and_gravity_go_in(folder):
    """Of what is drawn the seed; of a file every entry, also of the contact."""
    seen = [_run_dir("random:3"), _run_dir("random:3:seed=2"), _run_dir("random:3", "--seed", "3")]
    _problem(folder)
    held = 'kind = "I"\nW = [[0.0], [0.0], [0.0], [0.0], [0.0], [1.0]]\nG_C = [0.0]'
    text = ARM.replace('kind = "none"', held)
    for edited in (text, text.replace("G_C = [0.0]", "G_C = [0.5]"), text.replace("-9.81", "-1.62")):
        Path("mine.toml").write_text(edited)
        seen.append(_run_dir("mine.toml"))
    assert len(set(seen)) == len(seen)


def test_what_does_not_go_in_does_not_count(folder, tmp_path):
    """How it is printed, where the command is given, and how the machine is spelt."""
    _problem(folder)
    first = _run_dir("mine.toml")
    assert senn("run", "mine.toml", *LEAN).exit_code == 0
    assert _run_dir("./mine.toml") == first
    assert _run_dir(str(tmp_path / "mine.toml")) == first
    one, same = (_run_dir("mine.toml", "--set", f"timing.word={word}") for word in ("1", "1.0"))
    assert one == same
    assert len(list(Path("runs").iterdir())) <= 2


def test_a_problem_made_in_python_is_known_by_its_numbers():
    """To the last bit, also where its name and its source stay the same."""
    arm = problems.load("random:3")
    lean = {"detail": "summary", "numbers": False, "engine": "lockstep"}
    first = solving.default_folder(solving.run(arm, **lean))
    assert solving.default_folder(solving.run(problems.load("random:3"), **lean)) == first
    other = replace(arm, tau=np.nextafter(arm.tau, np.inf))
    assert solving.default_folder(solving.run(other, **lean)) != first
    table = [[0, 1, 2], [0, 1, 2], [0, 1, 2]]
    runs = (solving.run(arm, allocation=x, **lean) for x in (table, table[::-1], "gray"))
    names = {solving.default_folder(run).name for run in runs}
    assert len(names) == 2  # the same table twice, and one that has a name


def test_a_choice_that_is_as_usual_names_nothing(folder):
    """Whether it is written or left out; so the name of a folder lasts, and is the same everywhere."""
    usual = ("--form", "paper", "--precision", "double", "--refine", "0", "--allocation", "identity")
    assert _run_dir("random:2", *usual) == _run_dir("random:2")
    told = []
    with pytest.raises(IndexError):
        solving.run("ssrms", machine="fijany", before=lambda inputs: (told.append(inputs), [][1]))
    assert told[0].startswith("f36ebac41453")


def test_the_name_of_a_problem_makes_a_name_of_a_folder(folder):
    """However it is called: no long name, none that is hidden, nothing but letters, digits and - _ ."""
    _problem(folder)
    for name in ("." * 9 + "x", "x" * 200, "a b[c]*"):
        Path(f"{name}.toml").write_text(ARM)
        path = _run_dir(f"{name}.toml")
        assert path.parent == Path("runs")
        assert len(path.name) < 80
        assert not path.name.startswith(".")
        assert senn("explain", str(path)).exit_code == 0


def test_what_lies_beside_a_run_stays_when_it_is_made_again(folder):
    """Its pictures and notes: a run that is there to the last bit needs not to be written."""
    path = _run_dir("random:2")
    (path / "mine.svg").write_text("<svg/>")
    (path / "notes.txt").write_text("mine")
    assert _run_dir("random:2") == path
    assert (path / "mine.svg").is_file()
    assert (path / "notes.txt").read_text() == "mine"


def test_a_damaged_run_is_made_again_in_its_place(folder):
    """The default folder is known by its name: whatever became of the run in it, the next one is whole."""
    path = _run_dir("random:2")
    (path / "run.json").write_text("{")
    assert senn("explain", str(path)).exit_code == 2
    assert _run_dir("random:2") == path
    assert senn("explain", str(path)).exit_code == 0


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_the_answer_is_printed_before_anything_is_saved(folder, more):
    """Where the folder holds other files, or the disk is full: the answer first, then one line, status 2."""
    whole = senn("run", "random:2", *LEAN, *more)
    (path,) = Path("runs").iterdir()
    (path / "notes.txt").write_text("mine")
    (path / "result.npz").write_bytes(b"")
    done = senn("run", "random:2", *LEAN, *more)
    assert done.exit_code == 2
    assert done.stdout == whole.stdout.partition("\nFiles\n")[0]
    assert done.stderr == (
        f"senn: {path} holds files that are no part of a run (notes.txt); "
        "move them away or choose another name\n"
    )
    assert (path / "notes.txt").read_text() == "mine"


def test_a_full_disk_is_one_line_after_the_answer(folder):
    """Files of at most 2,000 bytes, a limit of the system: not one of the run is left."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, before[1]))
    try:
        done = senn("run", "random:4", *LEAN, "-o", "mine")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert done.exit_code == 2
    assert done.stderr == "senn: mine: cannot be written: File too large; choose another place\n"
    assert "makespan" in done.stdout
    assert "\nFiles\n" not in done.stdout
    assert list(folder.iterdir()) == []


def test_a_picture_that_cannot_be_written_is_no_part_of_the_run(folder, monkeypatch):
    """The run is there and whole; the picture is said to be missing."""
    words = ("run", "random:2", "-o", "mine")
    assert senn(*words).exit_code == 0
    renamed = os.replace

    def refused(source, target):
        if Path(target).name == PICTURE:
            raise OSError(28, "No space left on device")
        renamed(source, target)

    monkeypatch.setattr("os.replace", refused)
    done = senn(*words)
    if done.exit_code:  # a picture was asked for
        assert done.stderr.endswith("cannot be written: No space left on device; choose another place\n")
    assert senn("explain", "mine").exit_code == 0
    assert not Path("mine", PICTURE).exists()


WHOLE = ("--no-numbers", "--machine", "raw")


@pytest.fixture
def run(folder):
    assert senn("run", "random:2", *WHOLE, "-o", "kept").exit_code == 0
    Path("link").symlink_to("kept")
    return Path("kept")


def test_the_timeline_of_a_run_may_be_drawn_into_its_folder(run):
    """So does `senn run --plot`; the run opens, and is replaced."""
    assert senn("plot", "kept", "-o", "kept/timeline.png").exit_code == 0
    assert senn("explain", "kept").exit_code == 0
    assert senn("run", "random:2", *WHOLE, "--plot", "-o", "kept").exit_code == 0


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
    said = refused(*words, "-o", "new")
    assert said == "new: cannot be written: Read-only file system; choose another place"


def test_a_link_to_a_folder_stays_a_link(run):
    """Also one to a folder that is not there yet."""
    Path("new").symlink_to("elsewhere")
    for link in ("link", "new"):
        assert senn("run", "random:3", *WHOLE, "-o", link, "--force").exit_code == 0
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
    words = ("run", "random:2", *WHOLE, "--allocation", f"{ODD}.csv", "-o", "a")
    assert senn(*words).exit_code == 0
    assert package.open_run("a").description["allocation"]["name"] == f"{ODD}.csv"
    assert senn("report", "a", "-o", "a.html").exit_code == 0
    assert b"odd\\udcff.csv" in Path("a.html").read_bytes()
    assert package.compare({"problem": "random:2", "allocation": f"{ODD}.csv"})["error"].to_list() == [None]
    Path(f"{ODD}.urdf").write_bytes((ROOT / "algorithms/robots/ur5.urdf").read_bytes())
    said = refused("new", "p.toml", "--robot", f"{ODD}.urdf", "--tip", "tool0")
    assert said == 'p.toml: is UTF-8, and this name of a file is not: robot = "odd\\udcff.urdf"; rename it'

"""`senn run` draws what was asked for, and loads no more than it needs for what it does."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from tests.places import ENVIRONMENT
from tests.senn.cli.command import senn


def test_no_picture_unless_asked_for(folder):
    """The folder of a run has its numbers, and the summary names no picture."""
    done = senn("run", "random:3", "-o", "run")
    assert (done.exit_code, done.stderr) == (0, "")
    assert not list(Path("run").glob("*.png"))
    assert "timeline" not in done.stdout


def test_a_run_loads_no_library_for_pictures_or_graphs(folder):
    """Loading matplotlib and networkx takes as long as running 64 joints: only what draws or checks does."""
    script = (
        "import sys\n"
        "from senn.cli.main import cli\n"
        "try: cli.main(['run', 'random:3', '-o', 'run'], prog_name='senn')\n"
        "finally: print([x for x in ('matplotlib', 'networkx', 'distributed') if x in sys.modules],"
        " file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], env=ENVIRONMENT, capture_output=True, text=True)
    assert done.stderr == "[]\n"
    assert Path("run/run.json").is_file()


@pytest.mark.fast("words2-*")
@pytest.mark.parametrize(
    ("words", "file", "magic"),
    [
        (("--plot",), "run/timeline.png", b"\x89PNG"),
        (("--plot", "-o", "run"), "run/timeline.png", b"\x89PNG"),
        (("--plot", "new/a.svg"), "new/a.svg", b"<?xml"),
    ],
)
def test_plot_draws_the_timeline(folder, words, file, magic):
    """Into the run folder, or wherever it is said; the path is printed, and `senn plot` draws the same."""
    done = senn("run", "random:3", "-o", "run", *words)
    assert (done.exit_code, done.stderr) == (0, "")
    assert f"  timeline  {file}\n" in done.stdout
    assert Path(file).read_bytes().startswith(magic)
    again = f"again{Path(file).suffix}"
    assert senn("plot", "run", "-o", again).exit_code == 0
    assert _apart_from_its_command(again) == _apart_from_its_command(file)


def _apart_from_its_command(file):
    if file.endswith(".svg"):
        return re.sub(r"command: .*?; trace hash", "", Path(file).read_text())
    with Image.open(file) as image:
        return image.tobytes()


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("run", "--plot", "ssrms"), "ssrms: a picture ends in .png, .svg, .pdf; choose one of these"),
        (
            ("plot", ".", "--kind", "arm", "-o", "arm.png"),
            ". is a folder; --kind arm draws a problem: name one, or its file",
        ),
        (
            ("run", "--plot", "--detail", "summary"),
            "--plot needs --detail full: a timeline is drawn from the messages; "
            "senn run --help says what there is",
        ),
    ],
)
def test_a_picture_that_cannot_be_is_refused_before_the_run(folder, words, text):
    """One line, status 2, nothing written."""
    done = senn(*words)
    assert (done.exit_code, done.stdout, done.stderr) == (2, "", f"senn: {text}\n")
    assert list(folder.iterdir()) == []

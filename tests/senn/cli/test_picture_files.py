"""Pictures: drawn where they are asked for, files for publication, and each says what made it."""

import json
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest
from matplotlib import pyplot
from PIL import Image

from senn.cli.printing import pictures
from senn.traces.pictures import plots
from senn.traces.pictures.style import written
from tests.places import ENVIRONMENT
from tests.senn.cli.command import senn

SVG = "{http://www.w3.org/2000/svg}"
TITLE = "Array 2 ends last, stalled for"


def _drawn(kept, name):
    """The file, and what it has to say: the command as a shell takes it, and the hash of the run."""
    done = senn("plot", str(kept), "--kind", "phases", "-o", name)
    assert (done.exit_code, done.stderr) == (0, "")
    hash_of_run = json.loads((kept / "run.json").read_text())["trace_hash"]
    return Path(name), (f"senn plot '{kept}' --kind phases -o {name}", hash_of_run)


def test_a_png_says_how_it_was_made(kept, folder):
    file, said = _drawn(kept, "a.png")
    with Image.open(file) as image:
        texts = image.text
    assert texts["Title"].startswith(TITLE)
    assert all(part in texts["Description"] for part in said)


def test_an_svg_has_text_title_and_description(kept, folder):
    """The first two children are what a browser reads out; every word of the picture is a text."""
    file, said = _drawn(kept, "a.svg")
    title, about, *_ = root = ElementTree.parse(file).getroot()
    assert [title.tag, about.tag] == [f"{SVG}title", f"{SVG}desc"]
    assert title.text.startswith(TITLE)
    assert all(part in about.text for part in said)
    texts = {"".join(text.itertext()).strip() for text in root.iter(f"{SVG}text")}
    assert {"array 1", "array 2", "time (cycles)", "Step II"} <= texts


def test_a_pdf_has_no_type_3_fonts(kept, folder):
    """By the bytes of the file, and by poppler where it is."""
    file, said = _drawn(kept, "a.pdf")
    content = file.read_bytes()
    assert b"/Type3" not in content
    assert b"/CIDFontType2" in content
    about = subprocess.run(["pdfinfo", file], capture_output=True, text=True).stdout if _poppler() else None
    if about is not None:
        assert all(part in about for part in said)
        fonts = subprocess.run(["pdffonts", file], capture_output=True, text=True, check=True).stdout
        assert {re.split(r"\s{2,}", line)[1] for line in fonts.splitlines()[2:]} == {"CID TrueType"}


def _poppler():
    return shutil.which("pdfinfo") and shutil.which("pdffonts")


def test_hostile_names_keep_an_svg_well_formed(folder):
    """What XML would obey is escaped, in the command too."""
    name = "a & <b> ]]>.svg"
    assert senn("plot", "ur5", "--kind", "arm", "-o", name).exit_code == 0
    _, about, *_ = ElementTree.parse(name).getroot()
    assert about.text == f"command: senn plot ur5 --kind arm -o '{name}'"


def test_a_table_drawn_says_its_command_too(folder):
    """Pictures that are of no single run have no hash."""
    assert senn("steps", "--n", "3:8", "--plot", "law.png").exit_code == 0
    with Image.open("law.png") as image:
        about = image.text["Description"]
    assert about.endswith("command: senn steps --n 3:8 --plot law.png")


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


NAMES = (
    "$\\bad$",
    "$x",
    "a\\$b$",
    "腕とハンド",
    "ذراع روبوت",
    "זרוע",
    "बांह",
    "🦾 \U0010ffff \u0378",
    "\x00\x1b[31m\u202e",
    "\ud800",
    "_hidden",
    "x" * 100_000,
    "two\nlines",
    "%s {n} %",
)


@pytest.mark.parametrize("ending", [".png", ".svg", ".pdf"])
def test_any_name_is_drawn_without_a_warning(tmp_path, ending):
    """As caption, as label of a series, as word of an axis."""
    table = pl.DataFrame(
        [(name.replace("\ud800", "?"), kind, 3.0) for name in NAMES for kind in ("$\\frac$", "ذ")],
        schema=["problem", "kind", "makespan"],
        orient="row",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pictures.write(
            lambda: plots.comparison(table, "problem", "makespan", ("kind",), caption="$\\bad$ 腕\ud800"),
            tmp_path / f"names{ending}",
        )
    assert (tmp_path / f"names{ending}").stat().st_size > 1000


@pytest.mark.parametrize(
    ("text", "drawn"),
    [("$\\bad$", "$\\bad$"), ("a $5 b", "a $5 b"), ("腕", "腕"), ("\x1b[1m", r"\x1b[1m"), ("_a", " _a")],
)
def test_what_is_written_is_what_is_drawn(text, drawn):
    """No formula is made of a name, neither at once nor of what was made ready before."""
    figure, axes = pyplot.subplots()
    for ready in (written(text), written(written(text))):
        shown, is_formula = axes.set_title(ready)._preprocess_math(ready)
        assert (shown, is_formula) == (drawn, False)
    pyplot.close(figure)

"""Pictures are files for publication: letters stay letters, and each says what made it."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

from PIL import Image

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

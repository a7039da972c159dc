"""`senn report`: a run folder as one page, written whole or not at all."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.senn.cli.command import senn


@pytest.fixture
def run(folder):
    """A run folder of two links."""
    assert senn("run", "random:2", "-o", "run", "-q").exit_code == 0
    return "run"


def test_the_page_is_written_and_named(run):
    """The same file every time; what `senn show` prints of time and answer stands on it."""
    done = senn("report", run, "-o", "page.html")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "page.html\n", "")
    text = Path("page.html").read_text(encoding="utf-8")
    document = json.loads(Path(run, "run.json").read_text())
    assert f"{document['summary']['makespan']:,} cycles" in text
    with np.load(Path(run, "result.npz")) as numbers:
        assert f"{numbers['qdd'][0]:.3g}" in text
    said = senn("report", run, "-o", "page.html", "--json")
    assert json.loads(said.stdout) == {"folder": "run", "report": "page.html", "bytes": len(text.encode())}
    assert Path("page.html").read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("page.pdf", "page.pdf: a report ends in .html; name it so"),
        ("there.html", "there.html is a folder; name a file in it, such as there.html/report.html"),
        (
            "file/page.html",
            "file/page.html: the report cannot be written: File exists; choose another place",
        ),
    ],
)
def test_places_that_cannot_be(run, file, said):
    Path("there.html").mkdir()
    Path("file").touch()
    done = senn("report", run, "-o", file)
    assert (done.exit_code, done.stdout, done.stderr) == (2, "", f"senn: {said}\n")


def test_nothing_from_outside(run):
    """No address of another file but in the policy that forbids them."""
    assert senn("report", run, "-o", "page.html").exit_code == 0
    text = Path("page.html").read_text(encoding="utf-8")
    assert "http:" not in text.replace("http-equiv", "")
    assert "https:" not in text
    assert "default-src 'none'" in text
    assert " src=" not in text

"""The notebooks as they are kept: executed from top to bottom, small, and with links that lead somewhere.

That they run, and that what they say is so, is what `.ci/run` finds out by executing them.
"""

import json
import re

import pytest

from tests.places import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
pytestmark = pytest.mark.skipif(not NOTEBOOKS, reason="a source distribution has no notebooks")


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def path(request):
    return request.param


def cells(path, kind):
    return [
        cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == kind
    ]


def test_it_was_executed_from_top_to_bottom(path):
    code = cells(path, "code")
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    outputs = [output for cell in code for output in cell["outputs"]]
    assert all(output["output_type"] != "error" for output in outputs)
    assert all(output.get("name") != "stderr" for output in outputs)
    assert any("image/png" in output.get("data", {}) for output in outputs)


def test_it_keeps_nothing_of_the_computer_that_executed_it(path):
    """No versions, no times, no folder."""
    text = path.read_text(encoding="utf-8")
    kept = json.loads(text)
    assert set(kept["metadata"]) == {"kernelspec", "language_info"}
    assert kept["metadata"]["language_info"] == {"name": "python"}
    assert all(cell["metadata"] == {} for cell in kept["cells"])
    assert not re.search(r"/home/|/root/|/tmp/|/Users/|\.venv|\b0x[0-9a-f]{6,}", text)


def test_it_goes_from_a_question_to_a_conclusion_and_on(path):
    first, *_, last = ("".join(cell["source"]) for cell in cells(path, "markdown"))
    assert first.startswith("# ")
    assert "?" in first
    assert "**So:**" in last


def test_it_imports_no_internals(path):
    """Verbs of `senn`, and whole packages at most; no name from inside a package of a package."""
    code = "".join("".join(cell["source"]) + "\n" for cell in cells(path, "code"))
    assert not re.findall(r"from senn\.\w+\.\S+ import.*|import senn\.\w+\.\S+", code)


def test_its_links_lead_somewhere(path):
    text = "".join("".join(cell["source"]) for cell in cells(path, "markdown"))
    links = re.findall(r"\]\(([^)#]+)", text)
    assert links
    assert not [link for link in links if not (path.parent / link).exists()]


def test_it_is_small(path):
    assert path.stat().st_size < 400_000

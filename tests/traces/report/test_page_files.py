"""The files of the page: all of them are used, small, and free of what would reach outside."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from senn.traces.report.parts import SCRIPTS, STYLES
from tests.places import ROOT

PAGE = ROOT / "traces" / "report" / "page"


def _files(*suffixes: str) -> Iterator[Path]:
    return (file for file in sorted(PAGE.iterdir()) if file.suffix in suffixes)


def _scripts() -> list[Path]:
    """All but that of the widget, which is a module of the notebook's."""
    return [file for file in _files(".js") if file.stem != "widget"]


def test_every_file_is_on_the_page():
    assert sorted(SCRIPTS) == [file.stem for file in _scripts()]
    assert sorted(STYLES) == [file.stem for file in _files(".css")]
    used = "".join(file.read_text() for file in (ROOT / "traces" / "report").glob("*.py"))
    parts = {"causes", "traffic"}  # named by their part
    assert all(f'"{file.stem}"' in used or file.stem in parts for file in _files(".html"))


@pytest.mark.parametrize("file", _scripts(), ids=lambda file: file.name)
def test_a_script_is_small_and_says_what_it_is_for(file):
    """One idea, one name in one namespace; no line is longer than a page is wide."""
    text = file.read_text()
    lines = text.splitlines()
    assert len(lines) <= 220
    assert max(map(len, lines)) <= 118
    assert any(line.startswith("//") for line in lines[:3])
    named = re.findall(r"^(?:const |let |var |function |class )?(\w+)", text, re.MULTILINE)
    assert set(named) <= {"Senn", "use"} | ({"const"} if file.stem == "senn" else set())


def test_nothing_reaches_outside():
    """No request of any kind, no storage, no markup made of texts."""
    text = "".join(file.read_text() for file in _files(".js", ".css", ".html"))
    words = "fetch XMLHttpRequest WebSocket sendBeacon import( @import url( localStorage innerHTML eval( http"
    assert [word for word in words.split() if word in text] == []

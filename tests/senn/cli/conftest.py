"""What the tests of the command line work in."""

from pathlib import Path

import pytest


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in; however slow the computer is, a log has no lines of progress."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("senn.cli.printing.progress._EVERY", float("inf"))
    return tmp_path

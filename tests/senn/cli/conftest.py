"""What the tests of the command line work in."""

from pathlib import Path

import pytest

import senn


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in; however slow the computer is, a log has no lines of progress."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("senn.cli.printing.progress._EVERY", float("inf"))
    return tmp_path


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run folder to look at, with a blank in its name: three joints on mark3."""
    return senn.run("random:3", machine="mark3").save(tmp_path_factory.mktemp("kept") / "my run")

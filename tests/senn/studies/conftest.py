"""A small study to conduct."""

from pathlib import Path

import pytest

from tests.senn.studies.small_study import STUDY


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A study of 8 quick runs."""
    path = tmp_path / "small.toml"
    path.write_text(STUDY)
    return path

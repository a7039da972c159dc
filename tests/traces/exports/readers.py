"""Programs and packages that read what is exported: not there, a test is skipped with the reason; in CI it
fails."""

import os
import shutil
from importlib.util import find_spec

import pytest


def needs(*names: str) -> None:
    """Packages of Python and programs that a test reads with, "package" or "/program"."""
    missing = [name for name in names if not (shutil.which(name[1:]) if name[0] == "/" else find_spec(name))]
    if missing and "CI" in os.environ:
        pytest.fail(f"not installed: {', '.join(missing)}; .ci/run and pyproject.toml are to install them")
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")

"""The rooms of tests whose product changed since main: what `pytest --changed` collects.

A folder of tests belongs to the folder of the product with the same path; a file of tests to its own folder.
"""

import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.places import ROOT

TESTS = ROOT / "tests"
PREFIXES = (("src", "senn", "base"), ("base",)), (("src",), ()), (("tests",), ())
"""The beginning of a path, and of its room."""


def changed() -> set[Path]:
    """The rooms of files that differ from main, or are new."""
    listed = ("git diff --name-only main", "git ls-files --others --exclude-standard")
    done = [subprocess.run(x.split(), cwd=ROOT, capture_output=True, text=True) for x in listed]
    if any(one.returncode for one in done):
        raise pytest.UsageError(f"--changed: git cannot compare with main: {done[0].stderr.strip()}")
    return rooms(line for one in done for line in one.stdout.splitlines())


def rooms(files: Iterable[str]) -> set[Path]:
    """The nearest folder of tests of each file; of a file that belongs to no room, all tests. Pages at the
    root have none."""
    found = set()
    for file in files:
        parts = Path(file).parts
        prefix, room = next((pair for pair in PREFIXES if parts[: len(pair[0])] == pair[0]), ((), ()))
        inner = room + parts[len(prefix) :]
        folders = (TESTS.joinpath(*inner[:k]) for k in range(len(inner) - 1, -1, -1))
        if len(parts) > 1 or not file.endswith(".md"):
            found.add(next(folder for folder in folders if folder.is_dir()))
    return found


def within(path: Path, of: Iterable[Path]) -> bool:
    """Whether a file or folder leads to a room, or is in one."""
    return any(path.is_relative_to(room) or room.is_relative_to(path) for room in of)

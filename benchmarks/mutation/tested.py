"""Mutants judged by the tests: which set of tests notices a change, in a copy of the checkout.

Which cases reach a line is read from the `.coverage` of a run with `--cov --cov-context=test`. A line that
runs on import, or in a process that a test starts, is reached by no case in particular.
"""

from __future__ import annotations

import compileall
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from coverage import CoverageData

from benchmarks.mutation.changes import Change

SETS = ("folder", "reaching", "fast", "exhaustive")
"""The fast tests of the folder of the change, the fast ones that reach it, all fast ones, the exhaustive ones
of the folder and of the functions that reach it."""
_SECONDS = {"folder": 300, "reaching": 600, "fast": 900, "exhaustive": 1800}
_WORDS = ("-x", "-q", "-n", "0", "-p", "no:cacheprovider", "--no-header", "--tb=no", "-o", "timeout=60")
_LEFT_BEHIND = (".git", ".venv", "build", "runs", "__pycache__", ".*_cache", ".hypothesis")


def copied(root: Path, folder: Path) -> Path:
    """The checkout without what it makes, in a folder."""
    left_out = shutil.ignore_patterns(*_LEFT_BEHIND)
    checkout = Path(shutil.copytree(root, folder / "checkout", symlinks=True, ignore=left_out))
    compileall.compile_dir(checkout, quiet=1)
    return checkout


class Tests:
    """The tests of a copied checkout."""

    def __init__(self, checkout: Path, reached: Path | None = None) -> None:
        self.checkout = checkout
        self._data = CoverageData(str(reached)) if reached else None
        if self._data:
            self._data.read()

    def noticed(self, change: Change, sets: Sequence[str] = SETS) -> str:
        """The first set of tests that fails with a change; "survived" where none does, and "no verdict" where
        a set did not end in its time. (A case that hangs fails, by the time limit of a case.)"""
        path = self.checkout / change.path
        before, stat = path.read_text(encoding="utf-8"), path.stat()
        path.write_text(change.source, encoding="utf-8")
        os.utime(path, (stat.st_atime, stat.st_mtime + 60))  # no compiled file is as old
        try:
            return next((name for name in sets if self._fails(change, name)), "survived")
        except subprocess.TimeoutExpired:
            return "no verdict"
        finally:
            path.write_text(before, encoding="utf-8")
            os.utime(path, (stat.st_atime, stat.st_mtime))

    def _fails(self, change: Change, name: str) -> bool:
        """Whether a case of a set fails."""
        selected = self._selected(change, name)
        if not selected:
            return False
        environment = os.environ | {
            "CI": "1",
            "PYTHONPATH": str(self.checkout / "src"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *_WORDS, *selected],
            cwd=self.checkout,
            env=environment,
            capture_output=True,
            timeout=_SECONDS[name],
        )
        return done.returncode not in (0, 5)  # 5: there is no case

    def _selected(self, change: Change, name: str) -> list[str]:
        """Arguments of pytest for a set of tests; none where no run has recorded which cases reach a line."""
        match name:
            case "folder":
                return _nearest(self.checkout, change.path)
            case "reaching":
                return self._reaching(change)
            case "fast":
                return ["tests", "src/senn"]
        return ["-m", "exhaustive", *_nearest(self.checkout, change.path), *self._reaching(change)]

    def _reaching(self, change: Change) -> list[str]:
        """The functions whose cases reach the changed line, as far as a run has recorded that."""
        if not self._data:
            return []
        files = [name for name in self._data.measured_files() if name.endswith(f"/{change.path}")]
        return sorted(
            {
                context.partition("|")[0].partition("[")[0]
                for name in files
                for context in self._data.contexts_by_lineno(name).get(change.line, ())
                if context
            }
        )


def _nearest(checkout: Path, path: str) -> list[str]:
    """The tests of a module: first the file of its name, then the nearest folder that has tests."""
    parts = Path(path).with_suffix("").parts
    folder = next(
        checkout / "tests" / Path(*parts[:k])
        for k in range(len(parts) - 1, -1, -1)
        if (checkout / "tests" / Path(*parts[:k])).is_dir()
    )
    named = sorted(folder.rglob(f"test_{parts[-1]}*.py"))
    return [str(each.relative_to(checkout)) for each in (*named, folder)]

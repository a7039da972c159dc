"""Runs in folders."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from senn.traces.run import Run


def default_folder(run: Run) -> Path:
    """Where a run is kept unless the user says otherwise: runs/<problem>-<first 12 of its inputs' hash>.

    Every input counts, so runs of different inputs are in different folders, and the same run made again is
    in the same.
    """
    said = run.description
    name = "".join(c if c.isalnum() or c in "-_." else "-" for c in said["problem"]["name"])
    return Path("runs") / f"{name[:_LONGEST_NAME].lstrip('.')}-{said['inputs'][:12]}"


_LONGEST_NAME = 60


def open_run(folder: str | PathLike[str]) -> Run:
    """Read a run folder."""
    from senn.traces.run import Run

    return Run.load(folder)

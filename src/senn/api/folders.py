"""Runs in folders."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from senn.traces.run import Run


def default_folder(run: Run) -> Path:
    """Where a run is kept unless the user says otherwise: runs/<problem>-<first 8 of the trace hash>."""
    name = "".join(c if c.isalnum() or c in "-_." else "-" for c in run.description["problem"]["name"])
    return Path("runs") / f"{name}-{run.trace.hash[:8]}"


def open_run(folder: str | PathLike[str]) -> Run:
    """Read a run folder."""
    from senn.traces.run import Run

    return Run.load(folder)

"""Runs in folders."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from senn.traces.run import Run

    Recorded = str | PathLike[str] | Run

_LONGEST_NAME = 60


def default_folder(run: Run) -> Path:
    """Folder where `senn run` keeps a run by default: runs/<problem>-<first 12 digits of its inputs' hash>.

    The hash covers every input, so runs of different inputs are in different folders, and an equal run made
    again is in the same one.
    """
    description = run.description
    name = "".join(c if c.isalnum() or c in "-_." else "-" for c in description["problem"]["name"])
    return Path("runs") / f"{name[:_LONGEST_NAME].lstrip('.')}-{description['inputs'][:12]}"


def open_run(folder: str | PathLike[str]) -> Run:
    """The run of a run folder; InputError if a file of it is missing or damaged."""
    from senn.traces.run import Run

    return Run.load(folder)


def recorded_run(run: Recorded) -> Run:
    """The run itself, or the run of a folder."""
    from senn.traces.run import Run

    return run if isinstance(run, Run) else open_run(run)

"""Where `senn run` keeps a run, and what is refused before the long work."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from senn.cli.printing import pictures
from senn.traces.errors import InputError

if TYPE_CHECKING:
    from senn.traces.run import Run


def refuse_unwritable(place: Path) -> None:
    """Refuse, before the simulation, a place in which no run folder can be made.

    A run is written beside its folder and renamed, so it is the folder above that must be writable.
    """
    absolute = place.absolute()
    above = next(folder for folder in (absolute, *absolute.parents) if folder.exists())
    if not above.is_dir():
        raise InputError(f"{above} is a file, not a folder; choose another place with -o")
    if not os.access(above, os.W_OK | os.X_OK):
        raise InputError(f"{above} may not be written; choose another place with -o")


def write(run: Run, folder: Path, force: bool, picture: Path | None) -> None:
    """Save the run, and its timeline if a file is named."""
    try:
        run.save(folder, force)
        if picture:
            pictures.draw_timeline(run, picture)
    except OSError as error:
        raise InputError(
            f"{folder}: the run cannot be written: {error.strerror}; choose another place with -o"
        ) from error

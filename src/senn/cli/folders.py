"""Where `senn run` keeps a run, what is refused before the long work, and a run that is looked at again."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
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


@contextmanager
def opened(folder: Path) -> Iterator[Run]:
    """The run of a folder, to be shown; `InputError` also where that shows what no run of senn's says.

    A seal is no signature: run.json may have been written, and sealed, by whom it pleased. What is read there
    is not checked entry by entry: where one that is shown is missing or of another kind, what is raised there
    is said in one line.
    """
    from senn import api

    found = api.open_run(folder)
    _refuse_unsaid(folder, found)
    try:
        yield found
    except (InputError, OSError):
        raise
    except Exception as error:
        raise InputError(
            f"{folder} cannot be shown: run.json or a table has something else where senn writes "
            f"what it shows ({type(error).__name__}: {error}); make the run again"
        ) from error


def _refuse_unsaid(folder: Path, run: Run) -> None:
    """Refuse a run of which run.json does not say all that an engine says, and all that `senn run` says."""
    from senn.api.building import BY_ENGINE, entries_beside_engine

    by_run = entries_beside_engine()
    needed = [*BY_ENGINE, *(by_run if any(name in run.description for name in by_run) else ())]
    if missing := [name for name in needed if name not in run.description]:
        raise InputError(f"{folder}: run.json is damaged: it has no {', '.join(missing)}; make the run again")


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

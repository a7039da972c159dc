"""Where `senn run` keeps a run: what is refused before the long work, and what is replaced after it."""

from __future__ import annotations

import json
import os
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING

from senn.cli import pictures
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


def default(run: Run, force: bool) -> tuple[Path, bool]:
    """The folder of a run for which the user named none, and whether it holds this very run already.

    Traces of equal hash may come from different runs (times do not depend on the numbers): another run is
    never replaced unasked, the folder then gets the next free number.
    """
    from senn import api

    first = api.default_folder(run)
    if force:
        return first, False
    numbered = (first.with_name(f"{first.name}-{number}") for number in count(2))
    for folder in chain([first], numbered):
        if not folder.exists():
            return folder, False
        if _is_same(folder, run):
            return folder, True
    raise AssertionError("the numbers do not end")


def write(run: Run, folder: Path, force: bool) -> None:
    """Save the run and its pictures."""
    try:
        run.save(folder, force)
        pictures.draw_all(run, folder)
    except OSError as error:
        raise InputError(
            f"{folder}: the run cannot be written: {error.strerror}; choose another place with -o"
        ) from error


def _is_same(folder: Path, run: Run) -> bool:
    """Whether the folder holds a run of the same hash and the same description, whatever the versions."""
    try:
        document = json.loads((folder / "run.json").read_text())
    except (OSError, ValueError):
        return False
    if not isinstance(document, dict) or document.get("trace_hash") != run.trace.hash:
        return False
    described = json.loads(json.dumps(run.description))
    return all(document.get(name) == entry for name, entry in described.items() if name != "versions")

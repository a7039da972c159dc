"""Folders of runs and motions that commands read again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from senn.base.errors import InputError

if TYPE_CHECKING:
    from senn.motion import Motion
    from senn.traces.run import Run


@contextmanager
def opened(folder: Path) -> Iterator[Run]:
    """The run of a folder, to be shown; `InputError` also if an entry that is shown is not as senn writes it.

    A seal is not a signature: another program may have written and sealed run.json. Its entries are not
    checked one by one: an error while an entry is shown becomes a message of one line.
    """
    from senn import api

    run = api.open_run(folder)
    _refuse_incomplete(folder, run)
    with _shown(folder, "run.json"):
        yield run


@contextmanager
def opened_motion(folder: Path) -> Iterator[Motion]:
    """As `opened`, for the folder of a motion."""
    from senn import motion

    with _shown(folder, "motion.json"):
        yield motion.read(folder)


@contextmanager
def _shown(folder: Path, name: str) -> Iterator[None]:
    try:
        yield
    except (InputError, OSError):
        raise
    except Exception as error:
        raise InputError(
            f"{folder} cannot be shown: {name} or a table has something else where senn writes "
            f"what it shows ({type(error).__name__}: {error}); make it again"
        ) from error


def _refuse_incomplete(folder: Path, run: Run) -> None:
    """Raise an InputError if run.json lacks an entry that an engine or `senn run` writes."""
    from senn.api.building import BY_ENGINE, entries_beside_engine

    by_run = entries_beside_engine()
    needed = [*BY_ENGINE, *(by_run if any(name in run.description for name in by_run) else ())]
    if missing := [name for name in needed if name not in run.description]:
        raise InputError(f"{folder}: run.json is damaged: it has no {', '.join(missing)}; make it again")

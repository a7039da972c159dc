"""Folders of runs and motions that commands read again.

A seal is not a signature: another program may have written and sealed run.json. Its entries are not checked
one by one: an error while an entry is shown becomes a message of one line.
"""

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
    """The run of a folder, to be shown; `InputError` also if an entry is not as senn writes it."""
    from senn.api import recorded
    from senn.traces.seal import guarded

    run = recorded.open_run(folder)
    with guarded(folder / "run.json", InputError, OSError):
        yield run


@contextmanager
def opened_motion(folder: Path) -> Iterator[Motion]:
    """As `opened`, for the folder of a motion."""
    from senn import motion
    from senn.traces.seal import guarded

    with guarded(folder / "motion.json", InputError, OSError):
        yield motion.read(folder)

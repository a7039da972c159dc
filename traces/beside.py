"""Files and folders that are there whole or not at all: written beside their place, then renamed.

What is being written is called `.NAME.xxxxxxxx.partial` and locked. However the writing ends it is removed;
only what a killed process leaves stays, and since a lock ends with its process, whoever writes to the same
place next can tell that from the work of another process, and sweeps it away.
"""

import contextlib
import ctypes
import errno
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: nothing is locked, and nothing left behind is removed
    fcntl = None  # type: ignore[assignment]

_NEW, _OLD = "new", "old"
_PARTIAL = re.compile(r"\..+\.[a-z0-9_]{8}\.partial", re.DOTALL)
_LONGEST_NAME = 40
"""Characters of a name that what is being written for it begins with: four bytes each leave room for more."""


def write(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all, also if the computer stops; one that is there is replaced.

    What others left half-written beside it is swept away.
    """
    sweep(path.parent)
    put(path, content)


def put(path: Path, content: bytes) -> None:
    """As `write`, without the sweep: for one of very many files in a folder that was swept once."""
    with _filled(path) as new:
        new.write_bytes(content)


@contextmanager
def file(path: Path) -> Iterator[Path]:
    """As `write`, for content that comes bit by bit: the name of a file to be made, which is then `path`."""
    sweep(path.parent)
    with _filled(path) as new:
        yield new


@contextmanager
def _filled(path: Path) -> Iterator[Path]:
    with _partial(path) as partial:
        new = partial / _NEW
        yield new
        with new.open("rb") as written:
            os.fsync(written.fileno())
        os.replace(new, path)


@contextmanager
def folder(place: Path) -> Iterator[Path]:
    """An empty folder to be filled, which is `place` afterwards; an error leaves that as it was.

    A folder that is there is replaced, in one step where the system can (Linux, macOS). What others left
    half-written beside it is swept away.
    """
    sweep(place.parent)
    with _partial(place) as partial:
        new = partial / _NEW
        new.mkdir()
        yield new
        try:
            os.rename(new, place)  # of nothing, or of an empty folder
        except OSError as error:
            if error.errno not in (errno.EEXIST, errno.ENOTEMPTY):
                raise
            _replace(place, new, partial / _OLD)


def sweep(parent: Path) -> None:
    """Remove what killed processes have left half-written in a folder, and nothing else."""
    with contextlib.suppress(OSError), os.scandir(parent) as entries:
        found = [one.path for one in entries if _PARTIAL.fullmatch(one.name)]
        for path in found:
            with contextlib.suppress(OSError), locked(Path(path)) as held:
                # What is old has lost its name to no new one yet: that is for a person to look at.
                if held and set(os.listdir(path)) <= {_NEW}:
                    shutil.rmtree(path, ignore_errors=True)


@contextmanager
def locked(path: Path) -> Iterator[bool | None]:
    """Whether a folder that is there is now ours alone; None: there are no locks here to tell by."""
    if fcntl is None:
        yield None
        return
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError as error:
        yield False if error.errno == errno.ENOENT else None
        return
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            held: bool | None = False
        except OSError:  # a file system without locks
            held = None
        else:
            held = path.exists()  # nobody removed it before it was locked
        yield held
    finally:
        os.close(descriptor)


@contextmanager
def _partial(place: Path) -> Iterator[Path]:
    """A new folder beside a place, locked while this process works in it."""
    place.parent.mkdir(parents=True, exist_ok=True)
    while True:
        made = tempfile.mkdtemp(dir=place.parent, prefix=f".{place.name[:_LONGEST_NAME]}.", suffix=".partial")
        try:
            with locked(Path(made)) as held:
                if held or held is None:
                    yield Path(made)
                    return
        finally:
            shutil.rmtree(made, ignore_errors=True)


def _replace(place: Path, new: Path, old: Path) -> None:
    """Give a folder the name of another; that is then at `new` or `old`, or has its name back."""
    if _exchanged(place, new):
        return
    os.rename(place, old)
    try:
        os.rename(new, place)
    except BaseException:
        os.rename(old, place)
        raise


def _exchanged(one: Path, other: Path) -> bool:
    """Exchange two names in one step; False where the system cannot."""
    names = os.fsencode(one), os.fsencode(other)
    try:
        if sys.platform == "linux":
            here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
            return not ctypes.CDLL(None).renameat2(here, names[0], here, names[1], exchange)
        if sys.platform == "darwin":
            swap = 2  # RENAME_SWAP
            return not ctypes.CDLL(None).renamex_np(*names, swap)
    except (OSError, AttributeError):  # a C library without the call
        return False
    return False

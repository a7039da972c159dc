"""Files that users name: regular files of a size that can be read, text in UTF-8, and TOML as TOML may be.

A pipe may never end, a device may be endless, and a parser may take either for hours: whatever a user names
is read here and nowhere else.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import io
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from senn.base.errors import InputError

LARGEST = 64 * 2**20
"""Bytes of a file."""
DEEPEST = 64
"""Tables and lists of a TOML file inside each other, and parts of a key."""
_KINDS = ((stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"))
_NO_KEY = re.compile(r"[^\w\"' \t.-]")  # what stands in no dotted key


def content(path: str | Path, most: int | None = None) -> bytes:
    """The bytes of a file, at most so many, by default LARGEST; `InputError` says why there are none."""
    most = LARGEST if most is None else most
    refuse_absent(path, most)
    try:
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with open(number, "rb", buffering=0) as file:
            _refuse_irregular(path, os.fstat(number), most)
            buffer = bytearray()
            while (part := file.read(2**20)) and len(buffer) <= most:
                buffer += part
            if part is None:
                raise InputError(f"{path}: is no file that ends; name a regular file")
    except OSError as error:
        raise _unreadable(path, error) from None
    _refuse_large(path, len(buffer), most)
    return bytes(buffer)


def text(path: str | Path) -> str:
    """The text of a file, with or without a byte order mark, its lines ended by line feeds."""
    try:
        decoded = content(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path}: cannot be read (not a text file in UTF-8)") from None
    return decoded.replace("\r\n", "\n").replace("\r", "\n")


def refuse_absent(path: str | Path, most: int | None = None) -> None:
    """`InputError` unless there is a regular file at `path`, of at most so many bytes, by default LARGEST."""
    if "\0" in str(path):
        raise InputError(f"{path}: no such file")
    try:
        status = os.stat(path)
    except OSError as error:
        raise _unreadable(path, error) from None
    _refuse_irregular(path, status, LARGEST if most is None else most)


def is_file(path: Path) -> bool:
    """Whether there is a regular file at `path`; also of what no file can be called."""
    return os.path.isfile(path)


def toml(path: str | Path) -> dict[str, Any]:
    """The tables of a TOML file."""
    return toml_of(text(path), path)


def toml_of(written: str, where: str | Path) -> dict[str, Any]:
    """The tables of a text in TOML; `InputError` begins with `where`.

    Refused is also what parsers take and the specification does not: integers of more than 64 bits; and what
    is nested so deeply that nobody wrote it.
    """
    import tomllib  # here: a program reads no file

    if max(piece.count(".") for line in written.split("\n") for piece in _NO_KEY.split(line)) > _MOST_DOTS:
        raise InputError(f"{where}: is not TOML that can be read: a key has too many parts; write fewer")
    if written.count(",") + written.count("\n") > _MOST_ENTRIES:
        raise InputError(f"{where}: has more than {_MOST_ENTRIES:,} entries; write fewer")
    try:
        tables = tomllib.loads(written)
    except RecursionError:
        raise InputError(_TOO_DEEP.format(where)) from None
    except ValueError as error:  # a TOMLDecodeError, or an integer of thousands of digits
        raise InputError(f"{where}: is not TOML: {error}") from None
    level: list[tuple[str, Any]] = [("", tables)]
    for _ in range(DEEPEST):
        inner: list[tuple[str, Any]] = []
        for at, outer in level:
            if isinstance(outer, dict):
                inner += [(f"{at}.{key}" if at else key, value) for key, value in outer.items()]
            elif isinstance(outer, list):
                inner += [(f"{at}, number {k}", value) for k, value in enumerate(outer, 1)]
            elif isinstance(outer, int) and not -(2**63) <= outer < 2**63:
                raise InputError(f"{where}: {at} has more than 64 bits; write it as 1.0e20, or smaller")
        level = inner
        if not level:
            return tables
    raise InputError(_TOO_DEEP.format(where))


_MOST_ENTRIES = 2**21  # which the parser of Python takes ten seconds for
_MOST_DOTS = 1000  # of what might be a key: the parser's work grows with the square
_TOO_DEEP = f"{{}}: lists or tables are more than {DEEPEST} deep inside each other; write fewer"


def _refuse_irregular(path: str | Path, status: os.stat_result, most: int) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise InputError(f"{path}: is a folder, not a file; name a file in it")
    if not stat.S_ISREG(status.st_mode):
        kind = next((text for test, text in _KINDS if test(status.st_mode)), "a device")
        raise InputError(f"{path}: is {kind}, not a regular file; copy what it gives to a file")
    _refuse_large(path, status.st_size, most)


def _refuse_large(path: str | Path, size: int, most: int) -> None:
    if size > most:
        raise InputError(f"{path}: has {size:,} bytes or more; at most {most:,} are read")


def _unreadable(path: str | Path, error: OSError) -> InputError:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return InputError(f"{path}: no such file")
    return InputError(f"{path}: cannot be read ({error.strerror})")


# Files and folders that are there whole or not at all: written beside their place, then renamed. What is
# being written is called `.NAME.xxxxxxxx.partial` and locked. Only what a killed process leaves stays: a lock
# ends with its process, so the next writer can tell that from the work of others, and sweeps it away.

try:
    import fcntl
except ImportError:  # Windows: nothing is locked, and nothing left behind is removed
    fcntl = None  # type: ignore[assignment]

SEAL = "SHA256SUMS"
"""Name of the file that seals a folder of a run or a motion."""
PICTURE = "timeline.png"
"""Name of the one file that may be written into a sealed folder."""
_NEW, _OLD = "new", "old"
_PARTIAL = re.compile(r"\..+\.[a-z0-9_]{8}\.partial", re.DOTALL)
_LONGEST_NAME = 40
"""Characters of a name that what is being written for it begins with: four bytes each leave room for more."""


def check_place(path: Path, owned: bool = False) -> None:
    """Refuse, before the work, a path that cannot be written: below a file, in a folder of somebody else, or
    in a sealed folder, whose seal would then be broken, unless it is `owned` by the writer."""
    place = path.absolute().parent
    above = next(folder for folder in (place, *place.parents) if os.path.lexists(folder))
    for link in (path, above):
        if os.path.islink(os.path.realpath(link)):
            raise InputError(f"{link} is a link that leads back to itself; choose another place")
    if not above.is_dir():
        raise InputError(f"{above} is a file, not a folder; choose another place")
    if not os.access(above, os.W_OK | os.X_OK):
        raise InputError(f"{above} may not be written; choose another place")
    real = place.resolve()
    sealed = next((folder for folder in (real, *real.parents) if os.path.lexists(folder / SEAL)), None)
    if sealed and not (sealed == real and (owned or path.name == PICTURE)):
        raise InputError(f"{path} is inside {sealed}, a sealed folder; choose another place")


def check_file(path: Path, example: str) -> None:
    """As `check_place`; refuse also a folder, with the example of a file in it."""
    check_place(path)
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a file in it, such as {path / example}")


def check_folder(place: Path) -> None:
    """As `check_place`; refuse also a folder that cannot be replaced: this process works in it, or a disk is
    mounted there."""
    check_place(place)
    if Path.cwd().is_relative_to(place.resolve()) or os.path.ismount(place):
        raise InputError(f"{place} is in use and cannot be replaced; choose another place")


@contextmanager
def working_in(place: Path, kind: str, document: str, owned: bool = False) -> Iterator[None]:
    """Lock the folder of a study or a motion, which has a `document`, for this process; make it if there is
    none, and remove it again if nothing was written.

    InputError for a folder of other things, and while another process has locked it.
    """
    check_place(place / document, owned)
    there = {path.name for path in place.glob("*") if not _PARTIAL.fullmatch(path.name)}
    if there - {SEAL} and not is_file(place / document):
        raise InputError(f"{place} is there and is not the folder of a {kind}; choose another with -o")
    created = [path for path in (place, *place.parents) if not path.exists()]
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{place}: cannot be written: {error.strerror}; choose another place") from error
    try:
        with locked(place) as is_locked:
            if is_locked is False:
                raise InputError(
                    f"{place}: another {kind} is at work there; wait for it, or choose another with -o"
                )
            sweep(place)
            yield
    finally:
        with contextlib.suppress(OSError):  # a folder with files in it stays
            for path in created:
                path.rmdir()


def written(write: Callable[[io.BytesIO], object]) -> bytes:
    """The bytes that a writer of a foreign format writes."""
    buffer = io.BytesIO()
    write(buffer)
    return buffer.getvalue()


def write(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all, also if the computer stops; one that is there is replaced.

    What others left half-written beside it is swept away. `InputError`, naming the path, says why a file or
    folder cannot be written: so do all functions below.
    """
    sweep(path.parent)
    put(path, content)


def write_text(path: Path, text: str) -> None:
    """As `write`, for a text, in UTF-8: `InputError` where the name of a file in it is not."""
    write(path, utf8(path, text))


def utf8(path: Path, text: str) -> bytes:
    """The content of a file of this text; `InputError` as by `write_text`."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        line = next(line for line in text.splitlines() if text[error.start] in line).partition("  ")[0]
        raise InputError(f"{path}: is UTF-8, and this name of a file is not: {line}; rename it") from None


def put(path: Path, content: bytes, owned: bool = False) -> None:
    """As `write`, without the sweep: for one of very many files in a folder that was swept once."""
    with writing(path, owned, sweeping=False) as new:
        new.write_bytes(content)


@contextmanager
def writing(path: Path, owned: bool = False, sweeping: bool = True) -> Iterator[Path]:
    """As `write`, for content that comes bit by bit: the name of a file to be made, which is then `path`."""
    if sweeping:
        sweep(path.parent)
    with _partial(path, owned) as partial:
        new = partial / _NEW
        yield new
        with new.open("rb") as written:
            os.fsync(written.fileno())
        os.replace(new, path)


@contextmanager
def writing_folder(place: Path) -> Iterator[Path]:
    """An empty folder to be filled, which is `place` afterwards; an error leaves that as it was.

    A folder that is there is replaced, in one step where the system can (Linux, macOS). What others left
    half-written beside it is swept away.
    """
    check_folder(place)
    place = place.resolve() if place.is_symlink() else place  # of a link the folder behind it is replaced
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
            if not _exchanged(place, new):
                os.rename(place, partial / _OLD)
                try:
                    os.rename(new, place)
                except BaseException:
                    os.rename(partial / _OLD, place)
                    raise


def sweep(parent: Path) -> None:
    """Remove what killed processes have left half-written in a folder, and nothing else."""
    with contextlib.suppress(OSError), os.scandir(parent) as entries:
        partials = [entry.path for entry in entries if _PARTIAL.fullmatch(entry.name)]
        for path in partials:
            with contextlib.suppress(OSError), locked(Path(path)) as is_locked:
                # What is old has lost its name to no new one yet: that is for a person to look at.
                if is_locked and set(os.listdir(path)) <= {_NEW}:
                    shutil.rmtree(path, ignore_errors=True)


@contextmanager
def locked(path: Path, wait: bool = False) -> Iterator[bool | None]:
    """Whether a folder that is there is now ours alone, at once or after a wait for the process that has it;
    None: there are no locks here to tell by."""
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
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            is_locked: bool | None = False
        except OSError:  # a file system without locks
            is_locked = None
        else:
            is_locked = path.exists()  # nobody removed it before it was locked
        yield is_locked
    finally:
        os.close(descriptor)


@contextmanager
def _partial(place: Path, owned: bool = False) -> Iterator[Path]:
    """A new folder beside a place, locked while this process works in it."""
    check_place(place, owned)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        while True:
            folder = tempfile.mkdtemp(
                dir=place.parent, prefix=f".{place.name[:_LONGEST_NAME]}.", suffix=".partial"
            )
            try:
                with locked(Path(folder)) as is_locked:
                    if is_locked or is_locked is None:
                        yield Path(folder)
                        return
            finally:
                shutil.rmtree(folder, ignore_errors=True)
    except OSError as error:
        raise InputError(f"{place}: cannot be written: {error.strerror}; choose another place") from error


def _exchanged(one: Path, other: Path) -> bool:
    """Exchange two names in one step; False where the system cannot."""
    names = os.fsencode(one), os.fsencode(other)
    with contextlib.suppress(OSError, AttributeError):  # a C library without the call
        if sys.platform == "linux":
            here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
            return not ctypes.CDLL(None).renameat2(here, names[0], here, names[1], exchange)
        if sys.platform == "darwin":
            swap = 2  # RENAME_SWAP
            return not ctypes.CDLL(None).renamex_np(*names, swap)
    return False

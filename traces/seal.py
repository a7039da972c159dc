"""The seal of a run folder: SHA256SUMS, the SHA-256 of every file, under one of them all.

# The seal of a run: <SHA-256 of all lines below>; sha256sum -c SHA256SUMS compares the files
<SHA-256>  hops.parquet
...

It is looked at before any file is read, so that no reader ever sees a byte that was not written by the run.
"""

import hashlib
import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path

from senn.traces.errors import InputError

SEAL = "SHA256SUMS"
PICTURES = (".png", ".svg", ".pdf")
"""Files that may lie in a run folder beside what is sealed: nothing reads them."""

_HEAD = "# The seal of a run: {}; sha256sum -c SHA256SUMS compares the files\n"
_LINE = re.compile(r"([0-9a-f]{64})  (\w[\w.-]*)", re.ASCII)
_LONGEST = 1 << 16


def sealed(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files by name, and their seal with them."""
    lines = "".join(f"{_digest(files[name])}  {name}\n" for name in sorted(files))
    return {**files, SEAL: (_HEAD.format(_digest(lines.encode())) + lines).encode()}


def unsealed(folder: Path) -> dict[str, bytes]:
    """The content of all sealed files by name; InputError, naming it, for one that is not as it was sealed.

    So is one that is missing and one that was added, but pictures and hidden files, which nothing reads.
    """
    digests = _digests(folder)
    files = {name: _content(folder / name) for name in digests}
    wrong = {
        "is missing": [name for name, content in files.items() if content is None],
        "was altered": [
            name
            for name, content in files.items()
            if content is not None and _digest(content) != digests[name]
        ],
        "was added": [name for name in sorted(os.listdir(folder)) if _is_foreign(name, digests)],
    }
    if any(wrong.values()):
        said = ", ".join(f"{name} {what}" for what, names in wrong.items() for name in names)
        raise InputError(f"{folder} is not as it was saved: {said}; {_way_out(wrong)}")
    return {name: content for name, content in files.items() if content is not None}


def _way_out(wrong: Mapping[str, list[str]]) -> str:
    only_added = not wrong["is missing"] and not wrong["was altered"]
    return "move what was added away" if only_added else "make the run again"


def _is_foreign(name: str, digests: Mapping[str, str]) -> bool:
    return name not in digests and name != SEAL and not name.startswith(".") and not name.endswith(PICTURES)


def _digests(folder: Path) -> dict[str, str]:
    """What the seal says, once it is sure that it is whole itself."""
    content = _content(folder / SEAL)
    if content is None:
        raise InputError(
            f"{folder} has no {SEAL}, the seal of its files: it was taken away, or the run is of an earlier "
            "version of senn; make the run again"
        )
    head, _, rest = content.decode("ascii", "replace").partition("\n")
    found = [_LINE.fullmatch(line) for line in rest.splitlines()]
    digests = {line[2]: line[1] for line in found if line}
    if len(digests) < len(found) or f"{head}\n" != _HEAD.format(_digest(rest.encode())):
        raise InputError(
            f"{folder} is not as it was saved: {SEAL}, its seal, was altered; make the run again"
        )
    return digests


def _content(path: Path) -> bytes | None:
    """The content of a file; None if there is none: what is a folder or a pipe is no file of a run."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return None
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror})") from error


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()

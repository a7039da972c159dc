"""One case run in this process: how it ended, and whether that is how a command may end."""

import os
import re
import traceback
import warnings
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from click.testing import CliRunner

from senn.cli.main import cli
from senn.studies import conduct, processes
from tests.oracles.hostile.cases import Case, lay

FINE, REFUSED = "ran", "refused"
"""How a case may end: with an answer (status 0 or 1), or with one line and status 2, nothing written."""
TRACEBACK, UNCLEAN, WARNED = "traceback", "unclean", "warned"
GOOD = (FINE, REFUSED)


@dataclass(frozen=True)
class Verdict:
    ended: str
    said: str
    """What was wrong, or the message of a refusal."""


def judged(one: Case, folder: Path, run: Path) -> Verdict:
    """Run a case in an empty folder; `run` is where the folders to copy are."""
    lay(one, folder, run)
    before = _listing(folder)
    os.chdir(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.simplefilter("ignore", ResourceWarning)  # nobody sees these, and they come at any time
        with mock.patch.object(processes, "computing", return_value=nullcontext(conduct.here)):
            done = CliRunner().invoke(cli, one.words, prog_name="senn")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        assert done.exc_info is not None
        return Verdict(TRACEBACK, "".join(traceback.format_exception(*done.exc_info)))
    if done.exit_code == 2:
        return _refusal(done.stdout, done.stderr, _listing(folder) - before)
    if done.exit_code not in (0, 1, 130):
        return Verdict(UNCLEAN, f"status {done.exit_code}: {done.stderr}")
    if _foreign(done.stderr):
        return Verdict(WARNED, done.stderr)
    if not done.stdout.replace("\n", "").isprintable():
        return Verdict(UNCLEAN, f"control characters printed: {done.stdout!r:.2000}")
    return Verdict(FINE, done.stderr)


def _refusal(printed: str, said: str, new: set[str]) -> Verdict:
    if printed:
        return Verdict(UNCLEAN, f"refused, but printed: {printed:.2000}")
    if not (said.startswith("senn: ") and said.endswith("\n") and said[:-1].isprintable()):
        return Verdict(UNCLEAN if said.startswith("senn: ") else WARNED, f"not one line: {said!r:.2000}")
    if len(said) > 2100:
        return Verdict(UNCLEAN, f"{len(said)} characters: {said:.300}")
    if new:
        return Verdict(UNCLEAN, f"refused, but wrote {sorted(new)}: {said}")
    return Verdict(REFUSED, said)


def _foreign(said: str) -> bool:
    """Whether a warning of a library, or anything else that is not ours, is among what was said."""
    lines = [line for line in said.splitlines() if not line.startswith(("senn: ", "  "))]
    return bool(lines) or re.search(r"\bWarning\b", said) is not None


def _listing(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}

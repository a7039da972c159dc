"""The command line in this process."""

from inspect import signature
from typing import Any

from click.testing import CliRunner, Result

from senn.cli.main import cli

# click before 8.2 has stderr apart only where that is asked for; later ones know no other way.
_APART: dict[str, Any] = {"mix_stderr": False} if "mix_stderr" in signature(CliRunner).parameters else {}


def senn(*words: str) -> Result:
    """What `senn WORDS` prints, and how it ends."""
    return CliRunner(**_APART).invoke(cli, words, prog_name="senn")

"""The command line in this process: what a command prints, its JSON, and how it refuses."""

import json
from inspect import signature
from typing import Any

from click.testing import CliRunner, Result

from senn.cli.main import cli

# click before 8.2 has stderr apart only where that is asked for; later ones know no other way.
_APART: dict[str, Any] = {"mix_stderr": False} if "mix_stderr" in signature(CliRunner).parameters else {}


def senn(*words: str) -> Result:
    """What `senn WORDS` prints, and how it ends."""
    return CliRunner(**_APART).invoke(cli, words, prog_name="senn")


def ended(status: int, *words: str) -> str:
    """What a command prints that ends with this status: on stderr where it is not 0."""
    done = senn(*words)
    assert done.exit_code == status, done.output
    return done.stderr if status else done.stdout


def json_of(*words: str) -> dict[str, Any]:
    """What a command prints as JSON, which is one line."""
    printed = ended(0, *words, "--json")
    assert printed.count("\n") == 1
    return dict(json.loads(printed))


def fails(status: int, *words: str) -> str:
    """The message on stderr of a command that must end with this status."""
    said = ended(status, *words)
    assert said.startswith("senn: ")
    return said[len("senn: ") : -1]


def refused(*words: str) -> str:
    """The one line of a refusal: status 2, nothing on stdout, no control character, short enough to read."""
    done = senn(*words)
    assert (done.exit_code, done.stdout) == (2, ""), done.output
    text = done.stderr.removeprefix("senn: ").removesuffix("\n")
    assert text.isprintable()
    assert len(done.stderr) < 2100
    assert f"senn: {text}\n" == done.stderr
    return text

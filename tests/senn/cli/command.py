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


def json_of(*words: str) -> dict[str, Any]:
    """What a command prints as JSON, which is one line."""
    done = senn(*words, "--json")
    assert done.exit_code == 0, done.output
    assert done.stdout.count("\n") == 1
    return dict(json.loads(done.stdout))


def fails(status: int, *words: str) -> str:
    """The message on stderr of a command that must end with this status."""
    done = senn(*words)
    assert done.exit_code == status, done.output
    assert done.stderr.startswith("senn: ")
    return done.stderr[len("senn: ") : -1]


def refused(*words: str) -> str:
    """The one line of a refusal: status 2, nothing on stdout, and no control character."""
    done = senn(*words)
    assert (done.exit_code, done.stdout) == (2, ""), done.output
    text = done.stderr.removeprefix("senn: ").removesuffix("\n")
    assert text.isprintable()
    assert f"senn: {text}\n" == done.stderr
    return text

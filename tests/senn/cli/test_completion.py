"""What a shell offers for a word that is begun."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from senn.cli.main import cli
from tests.places import ENVIRONMENT, ROOT


def _offered(*words):
    """What is offered for the last word; kinds of files as "<file>"."""
    found = ShellComplete(cli, {}, "senn", "_SENN_COMPLETE").get_completions(list(words[:-1]), words[-1])
    return [one.value if one.type == "plain" else f"<{one.type}>" for one in found]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("run", "--machine", "ma"), ["mark3", "maspar"]),
        (("run", "--machine", "./m"), ["<file>"]),
        (("run", "--allocation", "gr"), ["gray"]),
        (("run", "--algorithm", "divide"), ["divide-and-conquer"]),
        (("run", "--set", "machine.network=hyper"), ["machine.network=hypercube"]),
        (("run", "--set", "timing.wo"), ["timing.word="]),
        (("run", "--form", ""), ["paper", "short", "omega"]),
        (("run", "ur5"), ["ur5", "ur5_free", "ur5_friction"]),
        (("run", "rand"), ["random:"]),
        (("run", "arm.u"), ["<file>"]),
        (("compare", "--machine", "ra"), ["raw"]),
        (("compare", "ssrms", "stat"), ["station25"]),
        (("list", "robots", "ss"), ["ssrms"]),
        (("list", "machines", "ra"), ["raw"]),
        (("list", "networks", "to"), ["torus"]),
        (("list", "algorithms", "hy"), ["hybrid"]),
        (("explain", "dep"), ["dependency wait"]),
    ],
)
def test_names_are_offered(folder, words, offered):
    """What begins so, in the order of its list; files where a file may be meant and no name begins so."""
    assert _offered(*words) == offered


def test_run_folders_are_offered(folder):
    """Those that hold a run, here and in runs/; else any folder."""
    for name in ("runs/one", "runs/other", "mine"):
        Path(name).mkdir(parents=True)
        Path(name, "run.json").touch()
    Path("empty").mkdir()
    for command in ("plot", "report", "export", "view", "retime", "diff", "explain"):
        assert _offered(command, "")[:3] == ["mine", "runs/one", "runs/other"]
        assert _offered(command, "runs/o") == ["runs/one", "runs/other"]
        assert command == "explain" or _offered(command, "e") == ["<dir>"]


def test_bash_completes(folder):
    """As the README says: the function that bash gets from senn fills in the words of a command line."""
    Path("bin").mkdir()
    Path("bin/senn").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m senn "$@"\n')
    Path("bin/senn").chmod(0o755)
    script = (
        'eval "$(_SENN_COMPLETE=bash_source senn)"\n'
        "complete -p senn\n"
        "COMP_WORDS=(senn run --machine ma)\n"
        "COMP_CWORD=3\n"
        "_senn_completion senn ma --machine\n"
        'echo "${COMPREPLY[@]}"\n'
    )
    environment = ENVIRONMENT | {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    registered, offered = done.stdout.splitlines()
    assert registered.startswith("complete ")
    assert "_senn_completion" in registered
    assert offered == "mark3 maspar"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_page_of_the_commands_says_how(shell):
    assert f"_SENN_COMPLETE={shell}_source senn" in (ROOT / "docs" / "reference" / "commands.md").read_text(
        encoding="utf-8"
    )
    done = CliRunner().invoke(cli, [], prog_name="senn", env={"_SENN_COMPLETE": f"{shell}_source"})
    assert (done.exit_code, "_senn_completion" in done.stdout) == (0, True)

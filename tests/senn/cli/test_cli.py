"""The program: its help, its entry point, its options, and where its text goes."""

import inspect
import signal
import subprocess
import sys
import tomllib
from importlib import import_module

import pytest

from senn.api import processes, solving, states, timing
from senn.cli.main import COMMANDS, RENAMED, cli
from senn.motion import simulate as simulate_motion
from tests.places import ENVIRONMENT, ROOT
from tests.senn.cli.command import json_of, refused, senn


def _process(*words, **how):
    command = [sys.executable, "-m", "senn", *words]
    return subprocess.Popen(
        command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how
    )


def test_help_is_quick():
    """`senn --help` imports none of the heavy libraries."""
    heavy = ("numpy", "polars", "matplotlib", "simpy", "networkx")
    script = (
        "import sys\n"
        "from senn.cli.main import cli\n"
        "try: cli.main(['--help'], prog_name='senn')\n"
        f"finally: print([x for x in {heavy} if x in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], env=ENVIRONMENT, capture_output=True, text=True)
    assert done.stderr == "[]\n"
    assert done.stdout.startswith("Usage: senn [OPTIONS]")


def test_the_entry_point_exists():
    """What pyproject.toml installs as `senn` is there, and `python -m senn` is the same."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    module, _, name = project["scripts"]["senn"].partition(":")
    assert callable(getattr(import_module(module), name))
    process = _process("--version")
    out, err = process.communicate()
    assert (process.returncode, out, err) == (0, f"senn {project['version']}\n", "")


def test_senn_alone_prints_its_help():
    """`senn` prints its help, and `senn list` the kinds of things that it lists."""
    assert "Commands:" in senn().stdout
    assert senn("list").stdout.split()[:2] == ["kind", "contents"]
    assert [row["kind"] for row in json_of("list")["kinds"]][:2] == ["robots", "links"]


@pytest.mark.parametrize("old", RENAMED)
def test_an_old_command_is_refused_with_its_new_name(old):
    """Status 2 and the new command, which exists."""
    assert refused(old, "x") == f"senn {old} is now senn {RENAMED[old]}; senn --help says what there is"
    assert RENAMED[old].split()[0] in COMMANDS


@pytest.mark.parametrize(
    ("command", "function", "more"),
    [
        ("run", solving.run, {"output", "force", "picture"}),
        ("steps", timing.steps, {"picture"}),
        ("optimise", timing.optimise, {"output"}),
        ("program", timing.program, set()),
        ("mpi", processes.mpi, {"output", "force"}),
        ("simulate", simulate_motion, {"until", "output"}),
        ("check", states.check, {"problem", "answers"}),
    ],
)
def test_every_option_is_an_argument(command, function, more):
    """The commands are thin: an option for every argument of the API with its default, and little else."""
    arguments = dict(inspect.signature(function).parameters)
    for told in (
        "progress",
        "before",
        "shared",
        "simulate",
        "folder",
    ):  # the bar on the terminal, and what is refused in time
        arguments.pop(told, None)
    with cli.get_command(None, command).make_context(command, [], resilient_parsing=True) as context:
        options = context.params
    assert options.keys() == arguments.keys() | more
    assert options.pop("set", None) in (None, {})
    assert all(options[name] == arguments[name].default for name in options.keys() - more)


def test_a_filter_may_end_early():
    """`senn program | head -1`: no traceback, no message."""
    process = _process("program", "--n", "1024")
    assert process.stdout.readline().startswith("closed chain, form paper, n = 1024")
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait() == -signal.SIGPIPE
    process.stderr.close()


@pytest.mark.parametrize(
    "words",
    [
        ("run", "random:3", "--detail", "instructions"),
        ("steps", "--n", "1:16", "--residency", "home"),
        ("list", "robots"),
        ("list", "problems"),
        ("list", "machines"),
        ("list", "machines", "mark3"),
        ("list", "networks"),
        ("list", "networks", "torus"),
    ],
)
def test_what_is_piped_is_plain_and_narrow(folder, words):
    """No colour codes, at most 80 columns, no blanks at the ends of lines."""
    text = senn(*words).stdout
    assert "\x1b" not in text
    assert max(map(len, text.split("\n"))) <= 80
    assert all(line == line.rstrip() for line in text.split("\n"))

"""The program: its help, its entry point, its options, and where its text goes."""

import inspect
import re
import signal
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from senn.api import processes, solving, states, timing
from senn.choices import GROUPS, RunChoices, choices
from senn.cli.main import cli
from senn.motion import simulate as simulate_motion
from tests.places import ENVIRONMENT, ROOT
from tests.senn.cli.command import json_of, senn


def _process(*words, **how):
    command = [sys.executable, "-m", "senn", *words]
    return subprocess.Popen(
        command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how
    )


def test_help_is_quick():
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
    assert "Commands:" in senn().stdout
    assert senn("list").stdout.split()[:2] == ["kind", "contents"]
    assert [row["kind"] for row in json_of("list")["kinds"]][:2] == ["robots", "links"]


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
    for of_python in ("progress", "before", "shared", "simulate", "folder"):
        arguments.pop(of_python, None)
    with cli.get_command(None, command).make_context(command, [], resilient_parsing=True) as context:
        options = context.params
    assert options.keys() == arguments.keys() | more
    assert options.pop("set", None) in (None, {})
    assert all(options[name] == arguments[name].default for name in options.keys() - more)


def test_a_filter_may_end_early():
    process = _process("program", "--n", "1024")
    assert process.stdout.readline().startswith("closed chain, form paper, n = 1024")
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait() == -signal.SIGPIPE
    process.stderr.close()


def _groups(command):
    """Options by the heading under which they stand."""
    groups, group = {}, None
    for line in senn(command, "--help").stdout.splitlines():
        if heading := re.fullmatch(r"(Options|Advanced \(\w+\)|Crossovers):", line):
            group = heading[1]
        elif (option := re.match(r"  (?:-\w, )?--([\w-]+)", line)) and group:
            groups.setdefault(group, []).append(option[1])
    return groups


def test_help_of_run_begins_with_what_a_newcomer_needs():
    """The basic options first, then the advanced ones by group, every row of the choices in its own."""
    groups = _groups("run")
    assert list(groups) == ["Options", *(f"Advanced ({group})" for group in GROUPS)]
    assert groups["Options"] == [
        *("algorithm", "form", "allocation", "machine", "set"),
        *("output", "plot", "json", "help"),
    ]
    for row in choices(RunChoices).values():
        assert row.name in groups[f"Advanced ({row.group})" if row.group else "Options"]
    assert groups["Advanced (problem)"][:2] == ["tip", "base"]
    assert groups["Advanced (checks)"] == ["check", "digits", "against", "bounds"]


@pytest.mark.parametrize("command", ["compare", "steps", "optimise", "plot"])
def test_groups_are_the_same_everywhere(command):
    """An option of a long command that `run` has too stands in the same group."""
    ours = {name: group for group, names in _groups("run").items() for name in names}
    theirs = {name: group for group, names in _groups(command).items() for name in names}
    others = {"optimise": {"seed"}}  # that of the search
    both = theirs.keys() & ours.keys() - others.get(command, set())
    assert {name: theirs[name] for name in both} == {name: ours[name] for name in both}


@pytest.mark.parametrize("command", ["program", "study", "report", "export", "retime", "diff"])
def test_a_short_command_has_one_list_of_options(command):
    assert list(_groups(command)) == ["Options"]


@pytest.mark.parametrize(
    ("words", "paths"),
    [
        (("run", "random:3", "-o", "a"), ["a"]),
        (("run", "random:3", "-o", "a", "--plot"), ["a", "a/timeline.png"]),
        (("steps", "--n", "3,8"), []),
        (("steps", "--n", "3,8", "--plot", "law.svg"), ["law.svg"]),
        (("compare", "random:3"), []),
        (("optimise", "--n", "4", "--residency", "home", "-o", "t.csv"), ["t.csv"]),
    ],
)
def test_quiet_prints_paths(folder, words, paths):
    """A line for each thing that was made, and it is there."""
    done = senn(*words, "-q")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.splitlines() == paths
    assert all(Path(path).exists() for path in paths)


def test_quiet_prints_errors(folder):
    """What went wrong is said, and the status is the same; --json is asked for by itself."""
    done = senn("run", "nosuch", "--quiet")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith('senn: unknown problem "nosuch"')
    assert senn("compare", "random:2", "nosuch", "-q").exit_code == 1
    assert senn("steps", "--n", "3,8", "-q", "--json").stdout.startswith('{"rows"')
    assert senn("plot", "nosuch", "-q", "-o", "a.png").exit_code == 2

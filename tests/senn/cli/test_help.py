"""The help of a command has its options in groups; --quiet leaves paths and errors."""

import re
from pathlib import Path

import pytest

from senn.choices import GROUPS, RunChoices, choices
from tests.senn.cli.command import senn


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

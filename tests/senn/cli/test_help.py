"""The help of a command has its options in groups; --quiet leaves paths and errors."""

import re
from pathlib import Path

import pytest

from senn.choice import GROUPS
from senn.choices import RunChoices, choices
from tests.senn.cli.command import senn


def _groups(command):
    """Options by the heading under which they stand."""
    found, group = {}, None
    for line in senn(command, "--help").stdout.splitlines():
        if heading := re.fullmatch(r"(\w+):", line):
            group = heading[1]
        elif (option := re.match(r"  (?:-\w, )?--([\w-]+)", line)) and group:
            found.setdefault(group, []).append(option[1])
    return found


def test_options_of_run_stand_in_groups():
    """Five groups in their order, every row of the choices in its own, and what is left."""
    found = _groups("run")
    assert list(found) == [*(group.capitalize() for group in GROUPS), "Options"]
    for row in choices(RunChoices).values():
        assert row.name in found[row.group.capitalize()]
    assert found["Problem"][:2] == ["tip", "base"]
    assert {"machine", "allocation", "set", "engine"} == set(found["Machine"])
    assert {"output", "force", "plot", "json", "quiet", "detail", "values"} == set(found["Output"])
    assert {"check", "bounds"} <= set(found["Checks"])
    assert found["Options"] == ["help"]


@pytest.mark.parametrize(
    "command",
    [
        "compare",
        "steps",
        "optimise",
        "listing",
        "study",
        "show",
        "plot",
        "report",
        "export",
        "retime",
        "diff",
        "claims",
    ],
)
def test_groups_are_the_same_everywhere(command):
    """An option that `run` has too stands in the same group."""
    ours = {name: group for group, names in _groups("run").items() for name in names}
    theirs = {name: group for group, names in _groups(command).items() for name in names}
    others = {"optimise": {"seed"}, "show": {"at"}}  # those of the search, and of cycles
    both = theirs.keys() & ours.keys() - others.get(command, set())
    assert {name: theirs[name] for name in both} == {name: ours[name] for name in both}


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


def test_quiet_is_not_silent_of_errors(folder):
    """What went wrong is said, and the status is the same; --json is asked for by itself."""
    done = senn("run", "nosuch", "--quiet")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("senn: 'nosuch' is no problem")
    assert senn("compare", "random:2", "nosuch", "-q").exit_code == 1
    assert senn("steps", "--n", "3,8", "-q", "--json").stdout.startswith('{"rows"')
    assert senn("plot", "nosuch", "-q", "-o", "a.png").exit_code == 2

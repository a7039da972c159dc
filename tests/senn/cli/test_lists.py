"""`senn list`: what is bundled, one of each in full, networks with measures, and what a shell offers."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from senn.cli.main import cli
from senn.machine.placing import allocation
from tests.places import ENVIRONMENT, ROOT
from tests.senn.cli.command import json_of, senn

UR5 = ROOT / "algorithms" / "robots" / "ur5.urdf"


def test_the_links_of_a_urdf_are_listed():
    listed = senn("list", "links", str(UR5), "--lock", "wrist_._joint", "--lock", "elbow_joint")
    assert listed.exit_code == 0
    (tool,) = (line for line in listed.stdout.splitlines() if line.startswith("tool0"))
    assert tool.split()[-3:] == ["fixed", "end", "2"]


def test_lists_name_everything_bundled():
    """Every file of the folders is listed; problems also name the generators."""
    for kind, pattern in (("problems", "algorithms/problems/*.toml"), ("machines", "machine/presets/*.toml")):
        listed = {line.split()[0] for line in senn("list", kind).stdout.splitlines() if line.strip()}
        assert {path.stem for path in ROOT.glob(pattern)} <= listed
    assert {"random:N", "snake:N", "rods:N"} <= set(senn("list", "problems").stdout.split())
    robots = [line.split() for line in senn("list", "robots").stdout.splitlines()]
    assert {row[0]: row[-1] for row in robots if row and row[0] in ("ssrms", "ur5")} == {
        "ssrms": "7",
        "ur5": "6",
    }


def test_one_machine_in_full():
    """Every field as --set takes it, with its value and source; what nobody knows is marked."""
    file = tomllib.loads((ROOT / "machine" / "presets" / "raw.toml").read_text())
    text = senn("list", "machines", "raw").stdout
    rows = {line.split()[0]: line.split() for line in text.splitlines() if line and not line.startswith(" ")}
    assert rows["timing.startup"][1] == str(file["timing"]["startup"])
    assert rows["timing.post"][1:6] == ["1", "1", "to", "10", "unverified:"]
    assert rows["machine.merge_parallel"][1:] == ["false", "default"]
    assert re.search(r"5 of \d\d fields are unverified; ", " ".join(text.split()))


def test_allocations_by_name_and_one_in_full():
    """Every name is listed; one shows who lives where, and says it where a residency is not for it."""
    listed = {line.split()[0] for line in senn("list", "allocations").stdout.splitlines() if line.strip()}
    assert set(allocation.NAMES) <= listed
    text = senn("list", "allocations", "gray,cyclic", "--nodes", "8").stdout
    rows = [line.split() for line in text.splitlines()]
    assert ["array", "1", "level", "3", *"01326754"] in rows
    assert ["array", "2", "level", "3", *"01234567"] in rows
    assert 'migrating allocation "cyclic", residency migrating: un-shuffles' in " ".join(text.split())


def test_one_robot_and_one_problem_in_full():
    """The joints of the UR5 with the masses of its URDF; a problem is its file."""
    text = senn("list", "robots", "ur5").stdout
    assert "1 shoulder_pan_joint revolute 3.7" in " ".join(text.split())
    file = ROOT / "algorithms" / "problems" / "ssrms.toml"
    assert senn("list", "problems", "ssrms").stdout == file.read_text()


def test_a_network_is_drawn(folder):
    """Its measures are printed as without --plot, with the name of the picture."""
    words = ("list", "networks", "ring", "--nodes", "4")
    done = senn(*words, "--arrays", "2", "--plot", "ring.svg")
    assert done.stdout == f"{senn(*words).stdout}picture   ring.svg\n"
    assert Path("ring.svg").read_text(encoding="utf-8").startswith("<?xml")
    assert json_of(*words, "--plot", "other.png") == {**json_of(*words), "picture": "other.png"}


def test_networks_are_listed_with_their_measures():
    """Eight nodes, by hand: SENN has 13 wires, at most 4 at a node, and is 5 hops across; full has 28."""
    rows = {}
    for line in senn("list", "networks", "--nodes", "8").stdout.splitlines():
        if cells := re.match(r"(\S+) .* (\d+) +(\d+) +(\d+)$", line):
            rows[cells[1]] = tuple(map(int, cells.groups()[1:]))
    assert rows == {
        "senn": (13, 4, 5),
        "shuffle-exchange": (10, 3, 5),
        "hypercube": (12, 3, 3),
        "ring": (8, 2, 4),
        "line": (7, 2, 7),
        "mesh": (10, 3, 4),
        "torus": (12, 3, 3),
        "full": (28, 7, 1),
    }
    odd = senn("list", "networks", "--nodes", "7").stdout.splitlines()
    assert [line.split()[-1] for line in odd if line.startswith(("senn", "hypercube"))] == ["-", "-"]


def test_a_graph_file_is_listed_and_runs(folder):
    """A ring of eight with a short cut, one way: its measures, and a run on it."""
    (folder / "own.edges").write_text("".join(f"{p} {(p + 1) % 8}\n" for p in range(8)) + "0 4\n")
    text = senn("list", "networks", "own.edges").stdout
    assert "own.edges, 8 nodes" in text
    assert "9: 9 link" in text
    settings = ("--set", "machine.network=own.edges", "--set", "machine.routing=greedy")
    done = senn("run", "random:5", "--residency", "home", *settings)
    assert done.exit_code == 0
    assert "2 arrays of 8 nodes, network own.edges, routing = greedy" in " ".join(done.stdout.split())


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
    for command in ("plot", "report", "export", "retime", "diff", "explain"):
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

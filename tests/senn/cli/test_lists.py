"""`senn list`: what is bundled, one of each in full, and networks with their measures."""

import re
import tomllib
from pathlib import Path

from senn.machine.placing import allocation
from tests.places import ROOT
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

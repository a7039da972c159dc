"""The order of the rooms: imports point one way, also inside the machine and the algorithms."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import networkx as nx
import pytest

from tests.places import ROOT

FLOORS = ("traces", "machine", "algorithms")
FRONT = ROOT / "src" / "senn"

# What each room may see besides itself and the rooms above it in its floor; lower floors are open to all.
ROOMS = {
    "traces": (
        *("naming", "record", "parts", "analysis", "replay"),
        *("seal", "run", "folder", "facts", "exports", "pictures", "explained", "notebook", "report"),
    ),
    "machine": (
        *("program", "rewrite", "network", "model", "placing", "durations", "engines", "processes", "timing"),
        *("registers", "invariants", "search"),
    ),
    "algorithms": (
        *("spatial", "blocks", "robots", "kernels", "problems", "variant", "arm", "system", "references"),
        *("answers", "account", "programs", "family", "certificate", "motion", "gallery", "catalogue"),
    ),
}
FRONT_ROOMS = {
    "": (
        *("base", "choices", "api", "laws"),
        *("calibration", "overview", "motion", "studies", "cli", "verbs"),
    ),
    "cli": ("glossary", "printing", "options", "commands", "main"),
}
"""The front door in the same way, and the rooms of its two large rooms."""
# The engines are each other's independent oracle, and the invariants are one for both.
APART = {
    "machine/engines/events.py": ("lockstep", "issue_times"),
    "machine/engines/lockstep.py": ("events",),
    "machine/engines/issue_times.py": ("events",),
    "machine/engines/queues.py": ("events",),
    "machine/engines/classes.py": ("events", "lockstep"),
    "machine/engines/channel_classes.py": ("events", "lockstep", "issue_times", "classes"),
    "machine/engines/runs.py": ("events", "lockstep", "issue_times", "classes"),
    "machine/engines/slices.py": ("events", "lockstep", "issue_times", "classes"),
    "machine/invariants": ("events", "lockstep", "issue_times"),
}
TOP = {
    *(".ci", ".gitignore", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "README.md"),
    *("SECURITY.md", "pyproject.toml", "run"),
    *(*FLOORS, "benchmarks", "docs", "experiments", "notebooks", "src", "tests"),
}
MOST_NEIGHBOURS = 13
MOST_LINES = 450


def modules() -> dict[str, Path]:
    """Every module of the project by its name under `senn`."""
    found = {}
    for floor in FLOORS:
        for path in (ROOT / floor).rglob("*.py"):
            found[".".join(path.relative_to(ROOT).with_suffix("").parts)] = path
    for path in FRONT.rglob("*.py"):
        parts = path.relative_to(FRONT).with_suffix("").parts
        if parts[0] not in FLOORS:  # src/senn holds links to the floors
            found[".".join(parts)] = path
    return {name.removesuffix(".__init__"): path for name, path in found.items()}


MODULES = modules()


def _nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """All statements but what only a type checker reads."""
    for node in ast.iter_child_nodes(tree):
        typing = isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
        if not isinstance(node, ast.expr) and not typing:
            yield node
            yield from _nodes(node)


def imported(path: Path) -> set[str]:
    """The modules of this project that a file imports, also late."""
    found = set()
    for node in _nodes(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            names = [f"{node.module}.{name.name}" for name in node.names]
            found |= {full if full.removeprefix("senn.") in MODULES else node.module or "" for full in names}
        elif isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
    return {name.removeprefix("senn.") for name in found if name.split(".")[0] == "senn"}


@cache
def graph() -> nx.DiGraph:
    """Module -> module that it imports."""
    return nx.DiGraph([(name, other) for name, path in MODULES.items() for other in imported(path)])


@pytest.mark.parametrize("floor", FLOORS)
def test_a_floor_sees_no_floor_above_it(floor: str) -> None:
    above = set(FLOORS[FLOORS.index(floor) + 1 :])
    seen = {other.split(".")[0] for name, other in graph().edges if name.split(".")[0] == floor}
    assert seen.isdisjoint(above)
    assert seen <= {*FLOORS, "base"}, "the front door is nobody's import"


def test_the_base_sees_nothing() -> None:
    edges = graph().edges
    outside = [edge for edge in edges if edge[0].startswith("base") and not edge[1].startswith("base")]
    assert not outside, outside


@pytest.mark.parametrize("floor", FLOORS)
def test_rooms_of_a_floor_see_only_rooms_before_them(floor: str) -> None:
    order = ROOMS[floor]
    wrong = []
    for name, other in graph().edges:
        if name.startswith(f"{floor}.") and other.startswith(f"{floor}."):
            here, there = name.split(".")[1], other.split(".")[1]
            if order.index(there) > order.index(here):
                wrong.append(f"{name} sees {other}")
    assert not wrong, wrong


@pytest.mark.parametrize("room", FRONT_ROOMS)
def test_rooms_of_the_front_door_see_only_rooms_before_them(room: str) -> None:
    order, depth = FRONT_ROOMS[room], 1 if room else 0
    inside = [name for name in MODULES if name.split(".")[0] not in (*FLOORS, "__main__", "__init__")]
    named = {name: name.split(".") for name in inside if not room or name.startswith(f"{room}.")}
    assert {parts[depth] for parts in named.values()} == set(order)
    wrong = [
        f"{name} sees {other}"
        for name, other in graph().edges
        if name in named and other in named
        if order.index(named[other][depth]) > order.index(named[name][depth])
    ]
    assert not wrong, wrong


def test_every_room_is_in_the_order() -> None:
    for floor, order in ROOMS.items():
        assert {name.split(".")[1] for name in MODULES if name.startswith(f"{floor}.")} == set(order)


def test_no_import_comes_round_to_where_it_began() -> None:
    """Late imports too, but for a face that re-exports and a program that prints itself."""
    without_faces = graph().copy()
    without_faces.remove_nodes_from([name for name, path in MODULES.items() if path.name == "__init__.py"])
    assert not list(nx.simple_cycles(without_faces))


@pytest.mark.parametrize("place", APART)
def test_what_has_to_stay_apart_does(place: str) -> None:
    files = [ROOT / place] if place.endswith(".py") else list((ROOT / place).rglob("*.py"))
    for path in files:
        seen = {part for name in imported(path) for part in name.split(".")[2:]}
        assert seen.isdisjoint(APART[place]), path


def test_a_program_reads_no_file() -> None:
    """Importing the closed chain loads no XML, no TOML, no reader of files and no random generator."""
    code = "import sys, senn.algorithms.programs.closed_chain; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = found.stdout.split()
    unwanted = ("xml", "defusedxml", "tomllib", "msgspec", "networkx", "polars")
    assert not [name for name in loaded if name.split(".")[0] in unwanted]
    assert not [name for name in loaded if name.startswith("senn.algorithms") and "reader" in name]
    assert "senn.algorithms.robots.generators" not in loaded


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="asks Git what is kept")
def test_nothing_was_left_at_the_top() -> None:
    """What a command wrote in passing is not kept."""
    kept = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert {line.split("/")[0] for line in kept.stdout.splitlines()} <= TOP


@pytest.mark.parametrize("floor", [*FLOORS, "front"])
def test_rooms_and_files_are_small(floor: str) -> None:
    """About a dozen modules side by side, and files with one idea."""
    folders: dict[Path, int] = {}
    for name, path in MODULES.items():
        first = name.split(".")[0]
        if floor == (first if first in FLOORS else "front"):
            folders[path.parent] = folders.get(path.parent, 0) + (path.name != "__init__.py")
            lines = len(path.read_text(encoding="utf-8").splitlines())
            assert lines <= MOST_LINES, f"{path}: {lines} lines"
    assert max(folders.values()) <= MOST_NEIGHBOURS, folders

"""Imports point one way: traces <- machine <- algorithms <- the front door; and the engines stay apart."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LAYERS = {"traces": 0, "machine": 1, "algorithms": 2, "api": 3, "claims": 4, "studies": 4, "cli": 5}
FILES = [
    *(path for room in ("traces", "machine", "algorithms") for path in (ROOT / room).rglob("*.py")),
    *(path for path in (ROOT / "src" / "senn").glob("*.py")),
    *(path for room in ("studies", "claims", "cli") for path in (ROOT / "src" / "senn" / room).glob("*.py")),
]


def imported(path: Path) -> list[str]:
    """All modules of this project that a file imports, also late."""
    modules = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            modules += [f"{node.module}.{name.name}" for name in node.names]
        elif isinstance(node, ast.Import):
            modules += [name.name for name in node.names]
    return [module for module in modules if module.split(".")[0] == "senn"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_down(path: Path) -> None:
    room = next((part for part in path.relative_to(ROOT).parts if part in LAYERS), "cli")
    for module in imported(path):
        layer = LAYERS.get(module.split(".")[1], 3)
        assert layer <= LAYERS[room], f"{path.name} in {room} imports {module}"


# Inside the machine: which modules must not see which, also not through `from senn.machine import NAME`.
APART = {
    "events": ("lockstep", "queues", "batches"),
    "channels": ("lockstep", "queues", "batches"),
    "lockstep": ("events", "channels"),
    "queues": ("events", "channels"),
    "batches": ("events", "channels"),
    "values": ("schedule", "topology", "model", "events", "lockstep", "program", "dataflow"),
    "kernel": ("schedule", "topology", "model", "events", "lockstep", "program", "dataflow"),
    "program": ("schedule", "topology", "model", "events", "lockstep"),
    "flow": ("schedule", "topology", "model", "events", "lockstep", "dataflow"),
    "origins": ("schedule", "topology", "model", "events", "lockstep", "dataflow", "flow"),
    "dataflow": ("schedule", "topology", "model", "events", "lockstep"),
    **dict.fromkeys(
        ("topology", "wires", "networks", "network_files", "routing", "route_formulas"),
        ("model", "schedule", "program"),
    ),
    "schedule": ("events", "lockstep"),
    **dict.fromkeys(
        (
            "reading",
            *(f"invariants/{name}" for name in ("__init__", "channels", "lanes", "messages", "nodes")),
        ),
        ("events", "lockstep", "channels", "queues"),
    ),
}


@pytest.mark.parametrize("module", APART)
def test_modules_of_the_machine_stay_apart(module: str) -> None:
    """Each engine is the other's independent oracle, and the invariants are one for both."""
    seen = {name for found in imported(ROOT / "machine" / f"{module}.py") for name in found.split(".")[2:3]}
    assert seen.isdisjoint(APART[module])

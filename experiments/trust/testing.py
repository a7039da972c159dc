"""Cases of the tests, by room and by the independent source that they compare with: tables of testing.md.

A file of tests has a source if it imports it, or through helpers of the tests; a file may have several.
"""

from __future__ import annotations

import ast
import io
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from experiments.page import Tables, head, row

ROOT = Path(__file__).parents[2]
SOURCES = {
    "Pinocchio": ("kinematics, dynamics and readers of robots", {"pinocchio"}),
    "MuJoCo": ("another simulator, judged and judging", {"mujoco"}),
    "balls (Arb)": ("answers to 25 digits and more, each with a proven radius", {"flint"}),
    "dense matrices": ("M, J and the contact, from Jacobians of the links", {"tests.oracles.dense"}),
    "serial algorithms as printed": (
        "Fijany Section V, and divide and conquer as Featherstone prints it",
        {"tests.oracles.constraint_force", "tests.oracles.divide_and_conquer"},
    ),
    "the other engine": (
        "cycles and numbers, bit for bit",
        {"tests.algorithms.both_engines", "senn.machine.engines.events+senn.machine.engines.lockstep"},
    ),
    "random programs": ("placing and both engines, with no robot", {"tests.machine.random_programs"}),
    "registers in Verilog": ("each event, in a simulator of circuits", {"tests.machine.registers.simulated"}),
    "a trace worked out by hand": ("analyses, exports, pictures and pages", {"tests.traces.hand_trace"}),
    "altered traces": (
        "the invariants, which refuse each alteration",
        {"tests.machine.invariants.altered"},
    ),
    "readers of each export": (
        "GTKWave, OTF2, Perfetto, DuckDB, pandas",
        {"tests.traces.exports.readers", "tests.traces.exports.trace_processor", "duckdb", "pandas"},
    ),
    "a browser": ("the page of a run", {"fixture chromium"}),
    "NumPy": ("the classics: sorts, sums, transforms", {"folder tests/algorithms/gallery"}),
    "Hypothesis": ("properties, of drawn examples", {"hypothesis"}),
    "damaged files and words": ("refusals in one line", {"tests.oracles.hostile"}),
    "the pages": ("commands, code, tables and figures of the documentation", {"folder tests/docs"}),
}
"""What judges, what it judges, and the modules by which a file of tests is known to ask it."""


@dataclass(frozen=True)
class Case:
    """A collected case: its file, its function, whether it is in the fast set, its fixtures."""

    file: str
    function: str
    fast: bool
    fixtures: tuple[str, ...]


class _Collector:
    def __init__(self) -> None:
        self.cases: list[Case] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            self.cases.append(
                Case(
                    item.path.relative_to(ROOT).as_posix(),
                    item.nodeid.partition("[")[0],
                    item.get_closest_marker("exhaustive") is None,
                    tuple(getattr(item, "fixturenames", ())),
                )
            )


@cache
def collected() -> tuple[Case, ...]:
    """All cases, the exhaustive ones too; none is run."""
    collector = _Collector()
    words = ["--collect-only", "--exhaustive", "-q", "-n", "0", "-p", "no:cacheprovider", f"--rootdir={ROOT}"]
    with redirect_stdout(io.StringIO()) as said:
        status = pytest.main(words, plugins=[collector])
    if status:
        raise RuntimeError(said.getvalue())
    return tuple(collector.cases)


@cache
def _imports(file: str) -> frozenset[str]:
    """Modules that a file of tests imports, also late and by name, and those of its helpers."""
    found: set[str] = set()
    for node in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("needs", "pytest.importorskip"):
            found |= {word.value for word in node.args if isinstance(word, ast.Constant)}
    for name in [name for name in found if name.startswith("tests.")]:
        helper = f"{name.replace('.', '/')}.py"
        if (ROOT / helper).is_file():
            found |= _imports(helper)
    return frozenset(found)


def _asks(case: Case, marks: set[str]) -> bool:
    """Whether a case has one of the marks of a source."""
    if not case.file.startswith("tests/"):
        return False
    there = {name for full in _imports(case.file) for name in (full, full.split(".")[0])}
    there |= {f"fixture {name}" for name in case.fixtures}
    folders = (mark.removeprefix("folder ") for mark in marks if mark.startswith("folder "))
    return any(set(mark.split("+")) <= there for mark in marks) or any(map(case.file.startswith, folders))


def sources() -> Iterator[str]:
    """Functions and cases of the files that ask each independent source."""
    yield from head("source", "what it judges", "files", "functions", "cases")
    for name, (judged, marks) in SOURCES.items():
        yield row(name, judged, *_counts([case for case in collected() if _asks(case, marks)])[:3])


def rooms() -> Iterator[str]:
    """All cases, by the room that they test."""
    yield from head("room", "files", "functions", "cases", "of these fast")
    by_room: dict[str, list[Case]] = {}
    for case in collected():
        parts = Path(case.file).parts
        room = "examples in docstrings and README" if parts[0] != "tests" else "the whole"
        by_room.setdefault(parts[1] if len(parts) > 2 and parts[0] == "tests" else room, []).append(case)
    for room, cases in sorted(by_room.items(), key=lambda item: -len(item[1])):
        yield row(room, *_counts(cases))
    yield row("all", *_counts(collected()))


def _counts(cases: list[Case] | tuple[Case, ...]) -> list[str]:
    """Files, functions, cases, fast cases."""
    files, functions = ({getattr(case, name) for case in cases} for name in ("file", "function"))
    return [f"{x:,}" for x in (len(files), len(functions), len(cases), sum(case.fast for case in cases))]


TABLES: Tables = {"sources": sources, "rooms": rooms}

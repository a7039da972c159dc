"""Cases of the tests, by room: the table of testing.md."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from experiments.page import Tables, head, row

ROOT = Path(__file__).parents[2]


class _Collector:
    def __init__(self) -> None:
        self.cases: list[pytest.Item] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.cases = list(session.items)


def collected() -> list[pytest.Item]:
    """All cases, the exhaustive ones too; none is run."""
    collector = _Collector()
    words = ["--collect-only", "--exhaustive", "-q", "-n", "0", "-p", "no:cacheprovider", f"--rootdir={ROOT}"]
    with redirect_stdout(io.StringIO()) as said:
        status = pytest.main(words, plugins=[collector])
    if status:
        raise RuntimeError(said.getvalue())
    return collector.cases


def rooms() -> Iterator[str]:
    """All cases, by the room that they test."""
    yield from head("room", "files", "functions", "cases", "of these fast")
    every, by_room = collected(), dict[str, list[pytest.Item]]()
    for case in every:
        parts = case.path.relative_to(ROOT).parts
        room = "examples in docstrings and README" if parts[0] != "tests" else "the whole"
        by_room.setdefault(parts[1] if len(parts) > 2 and parts[0] == "tests" else room, []).append(case)
    for room, cases in sorted(by_room.items(), key=lambda item: -len(item[1])):
        yield row(room, *_counts(cases))
    yield row("all", *_counts(every))


def _counts(cases: Sequence[pytest.Item]) -> list[str]:
    """Files, functions, cases, fast cases."""
    files, functions = {case.path for case in cases}, {case.nodeid.partition("[")[0] for case in cases}
    fast = sum(case.get_closest_marker("exhaustive") is None for case in cases)
    return [f"{x:,}" for x in (len(files), len(functions), len(cases), fast)]


TABLES: Tables = {"rooms": rooms}

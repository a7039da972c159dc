"""Cases of the tests, by room: the table of testing.md."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Collection, Iterator
from pathlib import Path

from experiments.page import Tables, head, row

ROOT = Path(__file__).parents[2]


def collected(*options: str) -> list[str]:
    """Cases by their names, FILE::FUNCTION[CASE]; none is run."""
    words = ["-m", "pytest", "--collect-only", "-q", "-n", "0", "-p", "no:cacheprovider", *options]
    said = subprocess.run([sys.executable, *words], cwd=ROOT, check=True, capture_output=True, text=True)
    return [line for line in said.stdout.splitlines() if "::" in line]


def rooms() -> Iterator[str]:
    """All cases, the exhaustive ones too, by the room that they test."""
    yield from head("room", "files", "functions", "cases", "of these fast")
    every, fast, by_room = collected("--exhaustive"), {*collected()}, dict[str, list[str]]()
    for case in every:
        top, *parts = case.partition("::")[0].split("/")
        room = "examples in docstrings and README" if top != "tests" else "the whole"
        by_room.setdefault(parts[0] if len(parts) > 1 and top == "tests" else room, []).append(case)
    for room, cases in sorted(by_room.items(), key=lambda item: -len(item[1])):
        yield row(room, *_counts(cases, fast))
    yield row("all", *_counts(every, fast))


def _counts(cases: Collection[str], fast: set[str]) -> list[str]:
    """Files, functions, cases, fast cases."""
    files, functions = ({case.partition(mark)[0] for case in cases} for mark in ("::", "["))
    return [f"{len(x):,}" for x in (files, functions, cases, fast.intersection(cases))]


TABLES: Tables = {"rooms": rooms}

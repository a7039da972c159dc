"""Plain sums share nothing with the program but the numbers that were written."""

import ast
import subprocess
import sys
from pathlib import Path

from senn.algorithms import plain_sums

ROOM = "senn.algorithms.plain_sums"
ALLOWED = {"__future__", "collections", "dataclasses", "math", "numpy", "re", "tomllib", "typing", "xml"}


def test_only_numpy_and_the_library_of_python_are_imported():
    """A type checker may read names of others; nothing is imported late either."""
    for path in Path(plain_sums.__file__).parent.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        skipped = {
            inner
            for node in ast.walk(tree)
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
            for inner in ast.walk(node)
        }
        for node in ast.walk(tree):
            if node in skipped or not isinstance(node, ast.Import | ast.ImportFrom):
                continue
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            for name in names:
                assert name.startswith(ROOM) or name.split(".")[0] in ALLOWED, f"{path.name}: {name}"


def test_what_is_loaded_with_it_is_its_own_room():
    code = f"import sys, {ROOM}.judged, {ROOM}.second_reading; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    ours = {name for name in found.stdout.split() if name.split(".")[0] == "senn"}
    assert {name for name in ours if not name.startswith(ROOM)} == {"senn", "senn.algorithms"}

"""The page of the algorithms: what is counted is what the programs and formulas say now."""

import importlib.util
from types import ModuleType

from senn import overview
from tests.places import DOCS

PAGE = (DOCS / "algorithms.md").read_text(encoding="utf-8")


def _script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_algorithms", DOCS / "make_algorithms.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_costs_are_counted_now() -> None:
    """Each line of the table, from the programs and formulas of this moment."""
    for line in _script().costs():
        assert f"{line}\n" in PAGE


def test_every_algorithm_has_a_row_of_errors_and_none_failed() -> None:
    table = PAGE.split("<!-- worked:")[1].split("<!-- end -->")[0]
    assert "FAILED" not in table
    for name in overview.catalogue()["name"]:
        assert f"| `{name}` |" in table

"""docs/joints.md has what docs/measure_joints.py measures."""

import importlib.util
from types import ModuleType

from tests.places import DOCS

PAGE = (DOCS / "joints.md").read_text(encoding="utf-8")


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("measure_joints", DOCS / "measure_joints.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def section(name: str) -> list[str]:
    return PAGE.split(f"<!-- {name} -->\n")[1].split("\n<!-- end -->")[0].splitlines()


def test_costs_are_those_measured() -> None:
    """Every arm of eight joints: cycles, operations and words, to the last one."""
    measured = list(script().costs((8,)))
    assert section("costs")[: len(measured)] == measured


def test_operations_of_a_level_are_those_counted() -> None:
    assert section("levels") == list(script().levels())


def test_a_spherical_joint_is_not_three_revolute_ones() -> None:
    """Errors of the page by order of magnitude; the model's fall with the mass of the links between."""
    printed = [line.split(" | ") for line in section("small links")[2:]]
    measured = [line.split(" | ") for line in script().small_links((1e-2, 1e-6))][2:]
    for row in measured:
        (said,) = (line for line in printed if line[:3] == row[:3])
        for one, other in zip(row[3:], said[3:], strict=True):
            assert 1 / 3 < float(one.strip(" |")) / float(other.strip(" |")) < 3


def test_errors_are_no_larger_than_the_page_says() -> None:
    """The first arm, within a factor of three: rounding depends on the library of sines and cosines."""
    printed = [line.split(" | ") for line in section("errors")[2:5]]
    measured = [line.split(" | ") for line in script().errors(("RSRPRRU",))][2:]
    for row, said in zip(measured, printed, strict=True):
        assert row[:2] == said[:2]
        for one, other in zip(row[2:], said[2:], strict=True):
            assert float(one.strip(" |")) < 3 * float(other.strip(" |"))

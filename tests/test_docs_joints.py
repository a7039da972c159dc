"""docs/joints.md has what docs/make/joints.py measures."""

from docs.make import joints
from docs.make.page import printed

PRINTED = printed("joints")


def test_costs_are_those_measured() -> None:
    """Every arm of eight joints: cycles, operations and words, to the last one."""
    measured = list(joints.costs((8,)))
    assert PRINTED["costs"][: len(measured)] == measured


def test_operations_of_a_level_are_those_counted() -> None:
    assert PRINTED["levels"] == list(joints.levels())


def test_a_spherical_joint_is_not_three_revolute_ones() -> None:
    """Errors of the page by order of magnitude; the model's fall with the mass of the links between."""
    printed = [line.split(" | ") for line in PRINTED["small links"][2:]]
    measured = [line.split(" | ") for line in joints.small_links((1e-2, 1e-6))][2:]
    for row in measured:
        (said,) = (line for line in printed if line[:3] == row[:3])
        for one, other in zip(row[3:], said[3:], strict=True):
            assert 1 / 3 < float(one.strip(" |")) / float(other.strip(" |")) < 3


def test_errors_are_no_larger_than_the_page_says() -> None:
    """The first arm, within a factor of three: rounding depends on the library of sines and cosines."""
    printed = [line.split(" | ") for line in PRINTED["errors"][2:5]]
    measured = [line.split(" | ") for line in joints.errors(("RSRPRRU",))][2:]
    for row, said in zip(measured, printed, strict=True):
        assert row[:2] == said[:2]
        for one, other in zip(row[2:], said[2:], strict=True):
            assert float(one.strip(" |")) < 3 * float(other.strip(" |"))

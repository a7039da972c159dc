"""Which tests `--changed` collects."""

import pytest

from tests.places import ROOT
from tests.rooms import TESTS, rooms, within


@pytest.mark.parametrize(
    ("file", "room"),
    [
        ("machine/placing/schedule.py", "machine/placing"),
        ("machine/durations.py", "machine"),
        ("algorithms/arm/letters.py", "algorithms"),
        ("src/senn/cli/main.py", "senn/cli"),
        ("src/senn/base/files.py", "base"),
        ("tests/traces/test_trace.py", "traces"),
        ("docs/machine/machine.md", "docs"),
        ("pyproject.toml", "."),
        ("run", "."),
    ],
)
def test_a_file_has_the_nearest_room_of_its_path(file: str, room: str) -> None:
    assert rooms([file]) == {TESTS / room}


def test_pages_at_the_root_have_no_room() -> None:
    assert rooms(["README.md", "CHANGELOG.md"]) == set()


def test_what_leads_to_a_room_or_is_in_it_is_collected() -> None:
    of = rooms(["machine/placing/schedule.py"])
    seen = ("tests", "tests/machine", "tests/machine/placing/test_schedule.py")
    assert all(within(ROOT / path, of) for path in seen)
    assert not within(ROOT / "tests" / "machine" / "network", of)

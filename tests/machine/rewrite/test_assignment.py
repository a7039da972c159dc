"""Assignments of steps to arrays as users write them."""

from pathlib import Path

import pytest

from senn.base.errors import InputError
from senn.machine.rewrite import read_assignment


def test_a_number_a_text_a_mapping_and_a_file_say_the_same(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('"II.a" = 3\n"II.a.1" = [2, 3]\n')
    said = {"II.a": 3, "II.a.1": (2, 3)}
    assert read_assignment("II.a=3, II.a.1=2+3") == said
    assert read_assignment({"II.a": 3, "II.a.1": [2, 3]}) == said
    assert read_assignment(str(file)) == said
    assert read_assignment("8") == read_assignment(8) == 8


@pytest.mark.parametrize(
    ("arrays", "text"),
    [
        ("two", '"two" is no step with its array: write a number of arrays, or STEP=ARRAY'),
        ("II.a=x", '"II.a=x" is no step with its array'),
        ("II.a=1,II.a=2", "step II.a is given twice"),
        ("nowhere.toml", "arrays: nowhere.toml: no such file; write a number"),
        ({"II.a": "3"}, 'step "II.a" needs an array, as 3, or a list of them'),
        ({"II.a": []}, 'step "II.a" needs an array'),
        ({"II": {"a": 3}}, '"II" is a table: write steps at the top and in quotes, as "II.a" = 3'),
    ],
)
def test_what_says_no_assignment_is_refused(arrays: object, text: str) -> None:
    with pytest.raises(InputError, match=text):
        read_assignment(arrays)  # type: ignore[arg-type]


def test_a_file_that_is_no_toml_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("II.a = = 3")
    with pytest.raises(InputError, match=r"is not TOML: Invalid value .*; write a number"):
        read_assignment(str(file))

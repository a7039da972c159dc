"""The closed chain is Section VI.D: a page in the paper's order that asks for no variant of itself."""

import ast
import re
from pathlib import Path

import pytest

from experiments.page import written
from senn.algorithms.programs import closed_chain, short

PAGES = (closed_chain, short)
VARIANTS = ("form", "strategy", "elimination", "wide", "branches", "refine", "ahead", "arrays", "joints")


def tree(page: object) -> ast.Module:
    return ast.parse(Path(page.__file__).read_text(encoding="utf-8"))  # type: ignore[attr-defined]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.__name__)
def test_a_page_has_few_conditions_and_asks_for_no_variant(page: object) -> None:
    conditions = [
        node.test for node in ast.walk(tree(page)) if isinstance(node, ast.If | ast.IfExp | ast.While)
    ]
    assert 0 < len(conditions) < 10
    asked = {name for test in conditions for name in re.findall(r"\w+", ast.unparse(test))}
    assert asked.isdisjoint(VARIANTS)


def test_the_page_has_the_steps_in_the_papers_order() -> None:
    """Labels of the text, where they begin: I.a, I.b, I.c, II.a, II.b, II.c, II.d, IV.a, IV.b."""
    text = Path(closed_chain.__file__).read_text(encoding="utf-8")
    found = re.findall(r'"((?:I|II|IV)\.[a-d])[.\d\'"]', text)
    first = list(dict.fromkeys(found))
    assert first == ["I.a", "I.b", "I.c", "II.a", "II.b", "II.c", "II.d", "IV.a", "IV.b"]
    steps = [int(number) for number in re.findall(r'"I\.b\.(\d+)"', text)]
    assert steps == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 11, 11, 12, 13]


def test_the_schedule_page_shows_step_i_b_as_it_is() -> None:
    """Every line of the table that is a whole one stands in the program."""
    page = written("schedule")
    text = Path(closed_chain.__file__).read_text(encoding="utf-8")
    lines = re.findall(r"^\| \d+ \| .* \| `(.*)` \|$", page, re.MULTILINE)
    whole = [line for line in lines if "..." not in line]
    assert len(lines) == 12
    assert len(whole) == 11
    assert all(line in text for line in whole)

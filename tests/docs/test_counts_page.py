"""algorithms.md and dictionary.md: counts are those of the program, files are those there are."""

import re

import pytest

from experiments.page import DOCS, data, records, written
from experiments.pages import counts
from senn.algorithms.family import constraint_force, joint_space
from senn.algorithms.family.arm import at_state
from senn.algorithms.family.pages import counted_links
from senn.machine.program.counting import Tally

PAGE = written("algorithms")
EXACT = ("serial", "held", "lean", "cheapest", "factor")


@pytest.mark.parametrize("name", EXACT)
def test_tables_are_those_of_the_formulas(name: str) -> None:
    """`python -m experiments counts` writes them anew; `tests/algorithms/family/` executes the formulas."""
    assert data("counts", name) == records(counts.DATA[name]())


@pytest.mark.rounding
def test_iterations_are_those_that_are_made() -> None:
    """Two short arms; another processor's rounding may add or spare one or two."""
    measured = records(counts.iterations(("ur5", "ssrms")))
    for row, counted in zip(data("counts", "iterations")[1:3], measured[1:], strict=True):
        assert row[:2] == counted[:2]
        for kept, made in zip(row[2:5:2], counted[2:5:2], strict=True):
            assert abs(int(kept) - int(made)) <= 2


def test_where_the_operations_of_constraint_forces_go() -> None:
    """One more link: the sum at the end of algorithms.md, piece by piece, executed."""

    def pieces(n: int) -> list[int]:
        tally = Tally()
        arm = at_state(counted_links(tally, n), tally.scalars(n), tally.scalars(n), tally.scalars(3))
        executed = []
        drive = arm.split(tally.scalars(n))
        for step in (lambda: joint_space.newton_euler(arm), lambda: constraint_force.factored(arm)):
            step()
            executed.append(tally.operations.multiply)
        ldl = constraint_force.factored(arm)
        before = tally.operations.multiply
        constraint_force.accelerations(arm, ldl, drive)
        return [executed[0], executed[1] - executed[0], tally.operations.multiply - before]

    bias, factored, solved = (x - y for x, y in zip(pieces(9), pieces(8), strict=True))
    numbers = re.search(
        r"Newton-Euler (\d+) m, the\s+blocks of A (\d+) m, their factorisation (\d+) m, "
        r"one right-hand side (\d+) m, .*?, (\d+) m: (\d+) m",
        PAGE,
    )
    assert numbers is not None
    said = [int(x) for x in numbers.groups()]
    assert [said[0], said[1] + said[2], said[3] + said[4]] == [bias, factored, solved]
    assert sum(said[:5]) == said[5]


def test_formulas_in_the_published_table_are_those_of_the_pages() -> None:
    """The column of the pages, whose text is the formula's."""
    formulas = [row[1:3] for row in data("counts", "serial")]
    cells = " ".join(row[-1] for row in data("algorithms", "published")[1:])
    rows = re.findall(r"(\S[^,]*?) m, ([^m]*?) a\b", cells)
    assert rows
    assert all([multiply, add] in formulas for multiply, add in rows)


def test_dictionary_lists_every_file_of_an_algorithm() -> None:
    """Files named in and below the table are those of the folder, but for the table of pages and costs."""
    rows = data("dictionary", "algorithms")[1:]
    text = written("dictionary").split("## Algorithms")[1] + "".join(f"`{row[0]}`" for row in rows)
    folder = DOCS.parent / "algorithms" / "family"
    files = {str(path.relative_to(folder)) for path in folder.rglob("*.py") if path.name != "__init__.py"}
    named = {file for file in re.findall(r"`([\w/]+\.py)`", text) if not file.startswith("tests/")}
    assert named == files - {"pages.py", "costs.py"}

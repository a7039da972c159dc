"""counts.md and dictionary.md: tables are those of the program, files are those there are."""

import re

import pytest

from docs.make import counts
from docs.make.page import DOCS, printed, written
from senn.algorithms.family.arm import at_state
from senn.algorithms.family.forward import constraint_force
from senn.algorithms.family.inverse import newton_euler
from senn.algorithms.family.table import PAGES
from tests.algorithms.counting import Tally
from tests.algorithms.family.counted_arms import counted_links

PAGE = written("counts")
EXACT = ("serial", "held", "lean", "cheapest", "factor")


PRINTED = printed("counts")


@pytest.mark.parametrize("name", EXACT)
def test_tables_are_those_of_the_formulas(name: str) -> None:
    """`python -m docs.make counts` writes them anew; `tests/algorithms/family/` executes the formulas."""
    assert PRINTED[name] == list(counts.TABLES[name]())


@pytest.mark.rounding
def test_iterations_are_those_that_are_made() -> None:
    """Two short arms; another processor's rounding may add or spare one or two."""
    found = {row.split(" | ")[0]: row for row in counts.iterations(("ur5", "ssrms"))}
    for row in PRINTED["iterations"][2:4]:
        name, *cells = row.split(" | ")
        for said, made in zip(cells[1:4:2], found[name].split(" | ")[2:5:2], strict=True):
            assert abs(int(said) - int(made)) <= 2


def test_where_the_operations_of_constraint_forces_go() -> None:
    """One more link: what the last paragraph on the factor says, piece by piece, executed."""

    def pieces(n: int) -> list[int]:
        tally = Tally()
        arm = at_state(counted_links(tally, n), tally.scalars(n), tally.scalars(n), tally.scalars(3))
        executed = []
        drive = arm.split(tally.scalars(n))
        for step in (lambda: newton_euler.torques(arm), lambda: constraint_force.factored(arm)):
            step()
            executed.append(tally.operations.multiply)
        ldl = constraint_force.factored(arm)
        before = tally.operations.multiply
        constraint_force.accelerations(arm, ldl, drive)
        return [executed[0], executed[1] - executed[0], tally.operations.multiply - before]

    bias, factored, solved = (x - y for x, y in zip(pieces(9), pieces(8), strict=True))
    numbers = re.search(
        r"Newton-Euler (\d+) m, the blocks of A\n(\d+) m, their factorisation (\d+) m, "
        r"one right-hand side (\d+) m, .*?, (\d+) m: (\d+) m",
        PAGE,
    )
    assert numbers is not None
    said = [int(x) for x in numbers.groups()]
    assert [said[0], said[1] + said[2], said[3] + said[4]] == [bias, factored, solved]
    assert sum(said[:5]) == said[5]


def test_formulas_in_the_published_table_are_those_of_the_pages() -> None:
    """The column of the pages, whose text is the formula's."""
    serial = "\n".join(PRINTED["serial"])
    for row in re.findall(r"^\| .*, .* \| .* \| .* \| (.*) m, (.*) a \|$", PAGE, re.MULTILINE):
        assert f"| {row[0]} | {row[1]} |" in serial


def test_dictionary_lists_every_page_there_is() -> None:
    """A row per file of an algorithm, with no file that is not there."""
    text = written("dictionary").split("## Algorithms")[1]
    table = text.split("\nWhat they share")[0]
    named = re.findall(r"^\| `(\w+/\w+)\.py` \|", table, re.MULTILINE)
    assert set(named) == {"/".join(page.solve.__module__.split(".")[-2:]) for page in PAGES.values()}
    folder = DOCS.parent / "algorithms" / "family"
    files = {str(path.relative_to(folder)) for path in folder.rglob("*.py") if path.name != "__init__.py"}
    assert files - set(re.findall(r"`([\w/]+\.py)`", text)) == {
        "table.py",
        "page.py",
        "one_node.py",
        "costs.py",
    }

"""Who has the wheel has no pages and no checkout: nothing that is in it names one."""

import re
from itertools import chain

from experiments.page import DOCS
from tests.places import ROOT

FOLDERS = ("src/senn", "traces", "machine", "algorithms")
KINDS = (".py", ".toml", ".txt", ".md", ".csv", ".html", ".js", ".css")


def test_no_name_of_a_page_stands_for_two() -> None:
    """Pages are found by their names (`experiments.page.place`); every folder has an index of its own."""
    names = [page.stem for page in DOCS.rglob("*.md") if page.stem != "index"]
    assert len(names) == len(set(names))


def test_nothing_of_the_package_names_a_page() -> None:
    """Neither by its path in the checkout nor as a file: `senn explain WORD`, or words, instead."""
    pages = "|".join(sorted(page.name for page in DOCS.rglob("*.md")))
    named = re.compile(rf"(?<![\w./])docs/|\b(?:{pages.replace('.', '[.]')})\b")
    files = [[path for path in (ROOT / folder).rglob("*") if path.suffix in KINDS] for folder in FOLDERS]
    assert all(files)
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in chain(*files)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if named.search(line)
    ]
    assert found == []

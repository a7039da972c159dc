"""Figures in sentences of the short papers stand in their data files and tables, so that none goes stale."""

import re

import pytest

from docs.site.added import SECTIONS
from experiments.page import DOCS, data, written

DERIVED = {
    "accuracy": {"1e-25"},  # the radius of enclosures
    "calibration": {"6 %"},
    "divide_and_conquer": {"20 %", "29 %", "44 %", "46 %", "59 %"},
    "faults": {"178,750", "2e-10", "6e-14"},  # a sum of the data, 2^-32 and 2^-44
    "frontier": {"0.7 %", "1.70"},  # quotients of cells
    "light_link": {"1e-6", "1e-2"},  # the arm of the question
    "schedule": {"1,025"},  # the largest n that a law was tried with
    "yang_wu_pan": {"3.2", "4.7"},  # two quotients
}
"""Figures that no cell has: quotients of cells that are frozen, and what is no result."""


@pytest.mark.parametrize(
    "page",
    sorted({"accuracy", "calibration", "control", "paper", "faults", "light_link", *SECTIONS["paper"]}),
)
def test_figures_of_a_page_are_in_its_data(page: str) -> None:
    """Each figure with a comma, a point, an exponent or a percent sign: a data file that the page links has
    it, or a table or formula of the page."""
    shown = r"^```.*?^```$|<!--.*?-->|^(?:\||    ).*?$"
    text = re.sub(shown, " ", written(page), flags=re.MULTILINE | re.DOTALL)
    text = " ".join(re.sub(r"\]\([^)]*\)|[*\[]", "", text).split())
    files = re.findall(r"\.\./data/([\w-]+)/([\w-]+)\.csv", written(page))
    cells = " ".join(cell for file in files for row in data(*file) for cell in row)
    tables = " ".join(re.findall(r"^(?:\||    ).*$", written(page), re.MULTILINE)).replace(",", "")
    measured = set(re.findall(r"\d+(?:\.\d+)?(?:e[-+]\d+)?", f"{cells} {tables}"))
    figures = re.findall(r"(?<![\w.,/^])\d[\d,]*(?:\.\d+)?(?:e[-+]\d+)?(?!\w)(?:\s?%)?", text)
    exact = {x.strip(",") for x in figures if re.search(r"\d[,.]\d|%|e", x)}
    unknown = {x for x in exact if x.replace(",", "").rstrip(" %") not in measured}
    assert unknown == DERIVED.get(page, set())


def test_numbers_of_rows_are_those_of_the_files() -> None:
    """Wherever a page says that it has left rows out: "All 21 rows, with reasons: FILE"."""
    counts = re.compile(r"All (\d+) rows[^.()]*\[[\w-]+\.csv\]\(\.\./data/([\w-]+)/([\w-]+)\.csv\)")
    text = "\n".join(page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md"))
    assert counts.search(text)
    for count, owner, table in counts.findall(text):
        assert int(count) == len(data(owner, table)) - 1, table

"""The order of the pages: sections, and in each its pages after its index."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

_PAGES = {
    "start": "laboratory",
    "robot": "conventions files joints branches motion control",
    "machine": "machine walk networks fewest_rounds channels allocations optimise studies explain what_if "
    "energy registers",
    "teach": "classics pictures exercises",
    "trust": "certificate testing referee accuracy faults light_link calibration",
    "paper": "frontier real_time schedule corrections operational_space divide_and_conquer star related "
    "where crossovers yang_wu_pan claims statements rescience",
    "reference": "commands traces analyses report exports api glossary algorithms dictionary",
    "inside": "core programs variants performance contributing",
}
SECTIONS = {folder: pages.split() for folder, pages in _PAGES.items()}
"""The folders of docs/ and the names of their pages. One that is not named comes last."""


def entries(index: Path) -> Iterator[str]:
    """What stands under an index.md, as names relative to its folder."""
    folder = index.parent
    if folder.name in SECTIONS:
        there = {page.stem for page in folder.glob("*.md")} - {"index"}
        named = [name for name in SECTIONS[folder.name] if name in there]
        yield from (*named, *sorted(there.difference(named)))
    else:
        yield from (f"{section}/index" for section in SECTIONS)
        yield from sorted({page.stem for page in folder.glob("*.md")} - {"index"})

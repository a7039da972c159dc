"""What a page of the site has besides its Markdown: an index its contents, some their commands or docstrings.

In the Markdown a comment says where, so that a page reads as well where only its file is looked at:

    <!-- on the site: commands -->
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from docs.site.api import api
from docs.site.commands import commands, glossary

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

MADE: dict[str, Callable[[], str]] = {"api": api, "commands": commands, "glossary": glossary}
"""By the name in the comment: Markdown."""
_COMMENT = re.compile(r"^<!-- on the site: (\w+) -->$", re.MULTILINE)


def to(app: Any, page: str, source: list[str]) -> None:
    """Sphinx's `source-read`: the text of the page, the only element of `source`, with what is added."""
    text = _COMMENT.sub(lambda found: MADE[found[1]](), source[0])
    if page.endswith("index"):
        listed = entries(Path(app.srcdir) / f"{page}.md")  # the table of contents that stands at the side
        text = "\n".join([text, "```{toctree}", ":hidden:", "", *listed, "```", ""])
    source[0] = text


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

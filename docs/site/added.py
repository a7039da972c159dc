"""What a page of the site has besides its Markdown: an index its contents, some their commands or docstrings.

In the Markdown a comment says where, so that a page reads as well where only its file is looked at:

    <!-- on the site: commands -->
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from docs.site.api import api
from docs.site.commands import commands, glossary
from docs.site.order import entries

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

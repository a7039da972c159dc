"""What pages show of a terminal is what is printed: their console blocks, in order, in an empty folder.

A file that a page writes out stands after a comment with its name, `<!-- mine.toml -->`, and is there for the
commands below it. What is not run (installation, long runs, other people's programs) is a block `sh`.
"""

import re
from pathlib import Path

import pytest

from experiments.page import DOCS
from tests.docs.consoles import commands_of, compare, environment

BLOCK = re.compile(r"^(?:<!-- ([\w.]+) -->\n)?```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ENDINGS = {"diff": (0, 1)}
"""Of commands whose exit status is an answer."""
PAGES = [page for page in sorted(DOCS.rglob("*.md")) if "\n```console\n" in page.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}-{page.stem}")
def test_commands_of_a_page_print_what_it_shows(page: Path, tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.mkdir()
    env = environment(tmp_path / "programs")
    for file, kind, text in BLOCK.findall(page.read_text(encoding="utf-8")):
        if file:
            (there / file).write_text(text, encoding="utf-8")
        for command, expected in commands_of(text) if kind == "console" else ():
            compare(command, expected, there, env, ENDINGS.get(command.split()[1], (0,)))


def test_terminals_are_found() -> None:
    """Those of the first page that a user reads among them."""
    assert DOCS / "start" / "index.md" in PAGES

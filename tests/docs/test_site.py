"""What only the site has: the order of the pages, every command, every word, docstrings as they read."""

import re

import click
import pytest

from docs.site import added, api
from docs.site.added import SECTIONS, entries
from docs.site.commands import commands, glossary
from experiments.page import DOCS
from senn.cli.glossary import words
from senn.cli.main import cli

FOLDERS = sorted({page.parent for page in DOCS.rglob("*.md")} - {DOCS})


def test_every_page_is_in_the_contents_once() -> None:
    """From docs/index.md on; a section that has no page of its own is one that is missing."""
    found = [DOCS / f"{name}.md" for name in entries(DOCS / "index.md")]
    assert [page.parent.name for page in found if page.stem == "index"] == list(SECTIONS)
    for section in SECTIONS:
        found += [DOCS / section / f"{name}.md" for name in entries(DOCS / section / "index.md")]
    assert sorted([*found, DOCS / "index.md"]) == sorted(DOCS.rglob("*.md"))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_section_shows_every_page_of_it(folder) -> None:
    """In words, with a link: who reads the files sees no contents at the side."""
    text = (folder / "index.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\]\((\w+)\.md[#)]", text))
    assert {page.stem for page in folder.glob("*.md")} - {"index"} <= linked


def test_comments_name_what_is_made() -> None:
    """Each once, on the page of its name."""
    comment = re.compile(r"<!-- on the site: (\w+) -->")
    found = {page.stem: comment.findall(page.read_text(encoding="utf-8")) for page in DOCS.rglob("*.md")}
    assert {name: made for name, made in found.items() if made} == {name: [name] for name in added.MADE}


def _below(command: click.Command, called: str) -> list[tuple[str, click.Command]]:
    below = command.commands.items() if isinstance(command, click.Group) else ()
    return [(called, command), *(one for name, sub in below for one in _below(sub, f"{called} {name}"))]


@pytest.mark.parametrize(("called", "command"), _below(cli, "senn"), ids=str)
def test_every_command_has_its_section_with_all_its_options(called: str, command: click.Command) -> None:
    sections = re.split(r"^##+ (.*)$", commands(), flags=re.MULTILINE)
    section = dict(zip(sections[1::2], sections[2::2], strict=True))[called]
    rows = " ".join(re.findall(r"^\| (`.*?`) \|", section, re.MULTILINE))
    shown = [one for one in command.params if isinstance(one, click.Option) and not one.hidden]
    options = {max(one.opts, key=len) for one in shown}
    assert options <= set(re.findall(r"--[\w-]+", rows))


def test_every_word_is_in_the_glossary_once() -> None:
    lines = glossary().splitlines()
    for name in words():
        started = f"**{name.strip().translate({ord(c): chr(92) + c for c in '*_<>[]'})}**"
        assert sum(line.startswith(started) for line in lines) == 1, name


@pytest.mark.parametrize(
    ("docstring", "page"),
    [
        ("A `name`, and n*m_1.", r"A \ ``name``\ , and n\*m\_1."),
        ("Two ``quotes``.", r"Two \ ``quotes``\ ."),
        ("what it is: nothing\nelse", "what it is: nothing\nelse"),
        (
            "tip: a link\nbase: another one,\n    or none",
            "* ``tip``: a link\n* ``base``: another one, or none",
        ),
        ("    as it stands\n      and more", "::\n\n        as it stands\n          and more"),
        (">>> 2 * 3\n6", ">>> 2 * 3\n6"),
    ],
)
def test_docstrings_read_as_they_stand(docstring: str, page: str) -> None:
    lines = docstring.split("\n")
    api.plain(None, "function", "f", None, None, lines)
    assert "\n".join(lines) == page

"""README.md is run as written: every console block, command by command, against the output printed there."""

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

import senn
from tests.docs.consoles import commands_of, compare
from tests.places import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
IN_CHECKOUT = Path(sys.prefix).resolve() == (ROOT / ".venv").resolve()


def commands() -> list[tuple[str, str]]:
    """(command, expected output) of all console blocks; `./run test` is what runs this."""
    blocks = re.findall(r"^```console\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)
    every = [one for block in blocks for one in commands_of(block)]
    return [(command, expected) for command, expected in every if command != "./run test"]


@pytest.mark.skipif(not IN_CHECKOUT, reason="./run works with the .venv of the checkout, made by ./run test")
@pytest.mark.parametrize(("command", "expected"), commands())
def test_command_prints_what_the_readme_shows(command: str, expected: str) -> None:
    _compare(command, expected, ROOT)


def test_uvx_does_the_main_job_outside_the_checkout(tmp_path: Path) -> None:
    """As the README says: with the path of the checkout in place of the point."""
    (uvx,) = [one for one in commands() if one[0].startswith("uvx ")]
    _compare(uvx[0].replace(" . ", f" {ROOT} "), uvx[1], tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["runs"]


def _compare(command: str, expected: str, folder: Path) -> None:
    path = f"{ROOT / '.venv' / 'bin'}:{os.environ['PATH']}"
    if command.startswith("uvx ") and "CI" not in os.environ and not shutil.which("uvx", path=path):
        pytest.skip("uv is not installed")
    compare(command, expected, folder, {**os.environ, "PATH": path})


def test_the_two_commands_are_there() -> None:
    """What a newcomer does, and what CI takes from here."""
    assert "\n$ ./run demo\n" in README
    assert "\n$ ./run test\n" in README


def test_the_citation_is_of_this_version() -> None:
    """And of the paper that the README names."""
    said = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {senn.__version__}\n" in said
    paper, _, year = README.split("## Sources\n")[1].partition("Jet Propulsion Laboratory, ")
    title = re.sub(r"\s+", " ", paper.split("*")[1])
    assert title.lower() in re.sub(r"\s+", " ", said).lower()
    assert f"    year: {year[:4]}\n" in said


def test_figures_of_the_readme_are_in_the_repository() -> None:
    links = re.findall(r"\]\((docs/[^)#]+)\)", README)
    assert links
    assert not [link for link in links if not (ROOT / link).exists()]

"""what_if.md: its commands print what stands there, one after the other, in one folder."""

import re
from pathlib import Path

import pytest

from experiments.page import written
from tests.docs.test_readme import pattern
from tests.senn.cli.command import senn

BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_commands_print_what_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    parts = [
        part.partition("\n")
        for block in BLOCK.findall(written("what_if"))
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    ]
    assert len(parts) >= 3
    for command, _, expected in parts:
        words = command.split()
        assert words[0] == "senn"
        done = senn(*words[1:])
        assert done.exit_code in (0, 1), done.stderr
        assert re.fullmatch(pattern(expected), done.stdout.strip(), flags=re.DOTALL), done.stdout

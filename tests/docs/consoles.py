"""Blocks of a page that show a terminal: the commands, and what they print."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Container, Mapping
from pathlib import Path

from tests.places import ROOT


def environment(programs: Path) -> dict[str, str]:
    """Environment in which `senn` and `python` are of this checkout; the folder gets both."""
    programs.mkdir()
    for name, module in (("senn", "-m senn"), ("python", "")):
        program = programs / name
        program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {module} "$@"\n', encoding="utf-8")
        program.chmod(0o755)
    return {
        **os.environ,
        "PATH": f"{programs}:{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]),
    }


def commands_of(block: str) -> list[tuple[str, str]]:
    """(command, expected output) of each line of the block that begins with a prompt."""
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    return [(command, expected) for command, _, expected in (part.partition("\n") for part in parts)]


def compare(
    command: str, expected: str, folder: Path, env: Mapping[str, str], endings: Container[int] = (0,)
) -> None:
    """Execute the command in the folder; it prints what is expected, and ends with one of these statuses."""
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env={**env, "COLUMNS": "80"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode in endings, f"{command}: {done.stderr}"
    assert re.fullmatch(pattern(expected), done.stdout.strip(), flags=re.DOTALL), (
        f"{command} prints\n{done.stdout}"
    )


def pattern(expected: str) -> str:
    """Exact but for `...` (anything) and figures of rounding error with the digits that they leave, which
    differ between processors."""
    text = re.escape(expected.strip())
    text = text.replace(re.escape("..."), ".*?")
    figure = r"\d(\\\.\d)?e\\[-+]\d\d(?:(?:\\ )+\d+$)?"
    return re.sub(figure, _like, text, flags=re.MULTILINE)


def _like(figure: re.Match[str]) -> str:
    """Pattern of figures with as many places, and of their digits where they stand behind them."""
    mantissa = r"\d\.\d" if figure[1] else r"\d"
    return rf"{mantissa}e[-+]\d\d" + (r" +\d+" if " " in figure[0] else "")

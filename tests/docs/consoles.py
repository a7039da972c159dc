"""Blocks of a page that show a terminal: the commands, and what they print."""

import re


def commands_of(block: str) -> list[tuple[str, str]]:
    """(command, expected output) of each line of the block that begins with a prompt."""
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    return [(command, expected) for command, _, expected in (part.partition("\n") for part in parts)]


def pattern(expected: str) -> str:
    """Exact but for `...` (anything) and figures of rounding error, which differ between processors."""
    text = re.escape(expected.strip())
    text = text.replace(re.escape("..."), ".*?")
    return re.sub(r"\d\\\.\de\\[-+]\d\d", r"\\d\\.\\de[-+]\\d\\d", text)

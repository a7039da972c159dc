"""What is done to a valid file: bytes flipped, words exchanged, numbers made extreme, ends cut off."""

import random
import re
from collections.abc import Callable

NUMBERS = (
    *("0", "-0.0", "-1", "1", "2", "3.5", "1e308", "-1e308", "1e-308", "5e-324", "1e160", "1e-160", "1e400"),
    *("nan", "-inf", "inf", "9223372036854775807", "9223372036854775808", "18446744073709551616"),
    "1" + "0" * 30,
    "9" * 5000,
    "0x" + "f" * 5000,
    *("1_000", "0b1", "1e", "1.", "--1", "+1", "0.1.2", "4294967296", "65537", "1048577", "1000000000000"),
)
TEXTS = (
    "",
    " ",
    "\x00",
    "\x1b[31m\x1b[2J",
    "two\nlines",
    "\r",
    "\t",
    "\x7f\x9b",
    "\u202egnp",
    "\ufeff",
    "\u2028",
    "$\\bad$",
    "$x^2$",
    "[bold]arm[/bold]",
    "[/",
    ":smile:",
    "%s%n",
    "{n}",
    "{0.__class__}",
    "${HOME}",
    *("~", "../../etc/passwd", "/dev/zero", "/dev/full", "/dev/stdin", "/", ".", "..", "a/b", "CON", "-"),
    *("--help", "腕", "ذراع", "बांह", "🦾"),
    "e\u0301",
    "\u0378",
    "\U0010ffff",
    "x" * 300,
    "x" * 100_000,
    "a " * 50_000,
    '"',
    "'",
    "\\",
    "\\u0000",
    *("<", "&amp;", "]]>", "#", "=", ",", ";", "None", "true", "nan", "random:3", "joints:FRS", "snake:2"),
    *("rods:2", "ssrms", "random:99999999"),
    "random:3:seed=99999999999999999999",
    *("random:0", "random:3:prismatic=nan", "joints:", "arm.urdf", "robot.toml", "pipe.toml", "pipe.urdf"),
    *("pipe.csv", "net.graphml", "pipe.graphml", "mark3", "identity", "unshuffled:999999999999999999"),
    *("rotated:123456789012", "random:7", "block", "cyclic", "gray", "places.py:where"),
    *("places.py:none", "places.csv"),
)
PIECES = (
    "[" * 1500 + "]" * 1500,
    "{a=" * 1500,
    "a." * 5000 + "b = 1\n",
    "<a>" * 3000,
    "<!DOCTYPE r [<!ENTITY e 'x'>]>",
    '<?xml version="1.0" encoding="none"?>',
    '<?xml version="1.0" encoding="shift_jis"?>',
    "\x00",
    "\ufeff",
    "\n" * 1000,
    "[[link]]\n",
    "[contact]\n",
    "= =\n",
    '"""',
    "'''",
    "[",
    "]",
    "}",
    "2020-01-01",
    "12:00:00",
    "true",
    "[]",
    "{}",
    "[[1]]",
    '"text"',
    "inf",
)
_NUMBER = re.compile(r"(?<![\w.])-?\d+(\.\d+)?(?![\w.])")
_QUOTED = re.compile(r'"[^"\n]*"|\'[^\'\n]*\'')
_WORD = re.compile(r"[\w.+-]+")

Draw = random.Random


def _number(draw: Draw, text: str) -> str:
    return _put(draw, text, _NUMBER, draw.choice([*NUMBERS, *PIECES[-8:]]))


def _quoted(draw: Draw, text: str) -> str:
    said = draw.choice(TEXTS)
    escaped = said.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\x00", "\\u0000")
    return _put(draw, text, _QUOTED, f'"{draw.choice([said, escaped])}"')


def _exchange(draw: Draw, text: str) -> str:
    found = list(_WORD.finditer(text))
    if len(found) < 2:
        return text
    one, other = sorted(draw.sample(found, 2), key=lambda word: word.start())
    return text[: one.start()] + other[0] + text[one.end() : other.start()] + one[0] + text[other.end() :]


def _put(draw: Draw, text: str, what: re.Pattern[str], instead: str) -> str:
    found = list(what.finditer(text))
    if not found:
        return text
    place = draw.choice(found)
    return text[: place.start()] + instead + text[place.end() :]


def _drop(draw: Draw, text: str) -> str:
    return _put(draw, text, _WORD, "")


def _twice(draw: Draw, text: str) -> str:
    lines = text.splitlines(keepends=True)
    place = draw.randrange(len(lines) + 1) if lines else 0
    return "".join(lines[:place] + lines[place : place + 1] * draw.choice([0, 2, 3]) + lines[place + 1 :])


def _turn(draw: Draw, text: str) -> str:
    lines = text.splitlines(keepends=True)
    draw.shuffle(lines)
    return "".join(lines)


def _cut(draw: Draw, text: str) -> str:
    return text[: draw.randrange(len(text) + 1)]


def _insert(draw: Draw, text: str) -> str:
    place = draw.randrange(len(text) + 1)
    return text[:place] + draw.choice([*PIECES, *TEXTS, *NUMBERS]) + text[place:]


IN_TEXT: tuple[Callable[[Draw, str], str], ...] = (
    _number,
    _number,
    _number,
    _quoted,
    _quoted,
    _exchange,
    _drop,
    _twice,
    _turn,
    _cut,
    _insert,
)


def in_bytes(draw: Draw, content: bytes) -> bytes:
    """Bytes flipped, a stretch replaced by noise, an end cut off, or another encoding."""
    changed = bytearray(content)
    kind = draw.randrange(5)
    if kind == 0 and changed:
        for _ in range(draw.choice([1, 1, 2, 8, 64])):
            changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
    elif kind == 1:
        place = draw.randrange(len(changed) + 1)
        changed[place : place + draw.randrange(40)] = draw.randbytes(draw.randrange(40))
    elif kind == 2:
        del changed[draw.randrange(len(changed) + 1) :]
    elif kind == 3:
        place = draw.randrange(len(changed) + 1)
        changed[place:place] = changed[: draw.randrange(len(changed) + 1)]
    else:
        encoding = draw.choice(["utf-16", "utf-8-sig", "utf-32", "latin-1", "cp037"])
        return content.decode(errors="replace").encode(encoding, "replace")
    return bytes(changed)


def damaged(draw: Draw, content: str) -> bytes:
    """A valid text after one to four kinds of damage; one time in eight it stays as it is."""
    if draw.random() < 0.125:
        return content.encode()
    for _ in range(draw.choice([1, 1, 1, 2, 2, 4])):
        content = draw.choice(IN_TEXT)(draw, content)
    encoded = content.encode(errors="surrogatepass")
    return in_bytes(draw, encoded) if draw.random() < 0.2 else encoded

"""The parts of the page: sections of HTML, styles and scripts, and packed columns of numbers."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np
import polars as pl
from matplotlib.colors import to_hex

from senn.base.errors import InputError
from senn.traces.parts import COLORS, OTHER, Parts
from senn.traces.pictures.critical import SPENT_COLORS
from senn.traces.pictures.style import EXPOSED, HIDDEN, INK, WAIT, mixed
from senn.traces.record import Integers
from senn.traces.run import Run

_MEANT = {
    "engine computes": "var(--part-0)",
    "posts or receives": "color-mix(in srgb, var(--part-0), var(--ink) 45%)",
    "header or words": "color-mix(in srgb, var(--part-0), var(--paper) 45%)",
    "start-up": "color-mix(in srgb, var(--part-0), var(--paper) 65%)",
    "queue": "color-mix(in srgb, var(--part-0), var(--paper) 80%)",
    "stalled for a message in flight": "color-mix(in srgb, var(--exposed) 35%, var(--paper))",
    "stalled for one not yet posted": "color-mix(in srgb, var(--wait) 35%, var(--paper))",
}
"""What the colours of a timeline mean, beside those of the steps."""

_CALLED = {
    "summary": "Summary",
    "timeline": "Timeline",
    "replay": "Replay",
    "causes": "Where the cycles went",
    "traffic": "Traffic",
    "answer": "Answer and certificate",
}


def header(title: str, parts: Sequence[str]) -> str:
    """The head of the page: what ran, the ways to its parts, and the switch from light to dark."""
    ways = "".join(f'<a href="#{name}-title">{_CALLED[name]}</a>' for name in parts) if len(parts) > 1 else ""
    switch = '<button type="button" id="theme" aria-label="Light or dark">theme</button>'
    return f'<header><h1>{escape(title)}</h1><nav aria-label="Parts">{ways}{switch}</nav></header>'


def section(name: str, inner: str, suffix: str, caption: str) -> str:
    """A part of a run; of two runs, headings have captions, and ids of the second a suffix."""
    title = f"{name}-title{suffix}"
    hidden = ' class="visually-hidden"' if name == "summary" and not caption else ""
    heading = f'<h2 id="{title}"{hidden}>{_CALLED[name]}{escape(caption)}</h2>'
    return f'<section aria-labelledby="{title}">{heading}{inner}</section>'


def template(name: str, suffix: str, **slots: str) -> str:
    """The HTML of a part of the page, with texts in its slots."""
    html = page(f"{name}.html").replace("@", suffix)
    for slot, inner in slots.items():
        html = html.replace(f"<!--{slot}-->", inner)
    return html


def tiles(figures: Iterable[tuple[str, str]], missing: Iterable[str]) -> str:
    """The figures that matter most, each with what it is; and what this run cannot show."""
    items = "".join(f"<li><b>{escape(figure)}</b>{escape(text)}</li>" for figure, text in figures)
    notes = "".join(f'<p class="note">{escape(text)}</p>' for text in missing)
    return f'<ul class="tiles">{items}</ul>{notes}'


def legend(run_parts: Parts) -> str:
    """Meanings of the colours of a timeline: the steps that occur, and what is done."""
    variables = {color: f"var(--part-{place})" for place, color in enumerate(COLORS)}
    steps = {name: variables.get(c, "var(--other)") for name, c in run_parts.legend(run_parts.places)}
    return entries(steps | _MEANT)


def entries(colors: Mapping[str, str]) -> str:
    """A legend: texts with their colours."""
    rows = (f'<li><i style="background:{color}"></i>{escape(text)}</li>' for text, color in colors.items())
    return "\n".join(rows)


def page(name: str) -> str:
    """A file of the page; in HTML an @ ends every id."""
    return files("senn.traces.report").joinpath("page", name).read_text(encoding="utf-8")


# The page put together: one text with its style, its program and its contents, and nothing from outside.

SCRIPTS = (
    *("senn", "packed", "record", "theme", "view", "ink", "rows", "axis", "bands", "marks", "path"),
    *("timeline", "hover", "gestures", "picking", "sums", "detail", "search", "listing"),
    *("wires", "machine", "matrix", "replay", "strip", "pairs"),
    *("names", "together", "outside", "address", "main"),
)
"""The files of the program in the order in which they build on each other."""
STYLES = ("page", "timeline", "replay")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


def assembled(title: str, body: str) -> str:
    """The page as a text."""
    # The colours of all pictures as variables; by night mixed with white, so that they stand out.
    named = {f"part-{place}": color for place, color in enumerate(COLORS)}
    named |= {"other": OTHER, "exposed": EXPOSED, "hidden": HIDDEN, "wait": WAIT, "on-light": INK}
    named |= {f"spent-{label}": to_hex(color) for label, color in SPENT_COLORS.items()}
    day, night = (
        "".join(f"--{name}:{to_hex(mixed(color, white))};" for name, color in named.items())
        for white in (0.0, 0.25)
    )
    dark = ":root:not([data-theme=light])"
    palette = f":root{{{day}}}\n@media (prefers-color-scheme: dark){{{dark}{{{night}}}}}\n"
    palette += f":root[data-theme=dark]{{{night}}}"
    style = "\n".join([palette, *(page(f"{name}.css") for name in STYLES)])
    script = "\n".join(page(f"{name}.js") for name in SCRIPTS)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n{body}\n"
        f"<script>\n{script}</script>\n</body>\n</html>\n"
    )


def data(facts: Mapping[str, Any], packed: Sequence[Mapping[str, Any]], suffix: str) -> str:
    """Facts and columns of a run for the page; of the two packs the first is for its first picture."""
    contents = {"facts": facts, "columns": packed[0], "more": packed[1]}
    scripts = []
    for name, content in contents.items():
        text = json.dumps(content, separators=(",", ":"), allow_nan=False)
        text = text.replace("<", "\\u003c")  # ends no script, whatever a user has called things
        scripts.append(f'<script type="application/json" id="{name}{suffix}">{text}</script>')
    return "\n".join(scripts)


# Columns of whole numbers in few bytes, as a browser can unpack them by itself. A column is coded as
# it is, as the differences of its neighbours, or as the differences of those, whichever comes out
# shortest; then byte by byte of all its numbers (with the sign in the lowest bit), and all of them together
# as raw deflate in base64. Lanes of a SIMD array do the same at the same time, so that a million rows
# take little more than what they do differently.

MOST = 2**50 - 1
"""Browsers count to 2^53; two differences in a row and a bit for the sign make up to eight times as much."""
_CODINGS = 3


def pack(columns: Mapping[str, Integers], words: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """The columns by name as what JSON can say: `rows` of [name, length, coding, bytes], and `text`.
    What stands behind the columns in the text is JSON: the words of those that are places in a list.

    A coding of k means that differences were taken k times. InputError where a number is beyond `MOST`.
    """
    rows, parts = [], []
    for name, column in columns.items():
        values = np.asarray(column, dtype=np.int64)
        largest = max(int(values.max(initial=0)), -int(values.min(initial=0)))
        if largest > MOST:
            raise InputError(
                f"report: {name} has numbers beyond 2^50, which a browser cannot count; give the machine "
                "shorter times, or look at this run with senn explain"
            )
        codings = []
        for coding in range(_CODINGS):
            # The lowest byte of every number, then the next of every number, as long as one needs it.
            signed_below = (values << 1 ^ values >> 63).astype("<u8")
            many = -(-int(signed_below.max(initial=0)).bit_length() // 8)
            content = signed_below.view(np.uint8).reshape(-1, 8)[:, :many].T.tobytes()
            codings.append((len(_deflated(content, 1)), coding, content))
            values = np.diff(values, prepend=0)
        _, coding, content = min(codings)
        rows.append([name, values.size, coding, len(content)])
        parts.append(content)
    parts.append(json.dumps(dict(words), separators=(",", ":")).encode())
    return {"rows": rows, "text": base64.b64encode(_deflated(b"".join(parts), 9)).decode()}


def packs(columns: Mapping[str, Integers], words: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
    """Two packs: the columns of a page's first picture, and the rest, ten times as long to unpack."""
    packed = []
    for first in (True, False):
        names = [name for name in columns if (name.split(".")[0] in _FIRST) == first]
        part = {name: words[name] for name in names if name in words}
        packed.append(pack({name: columns[name] for name in names}, part))
    return packed


_FIRST = ("instructions", "bars", "waits")
"""Tables of the first picture."""


def _deflated(content: bytes, level: int) -> bytes:
    deflate = zlib.compressobj(level, wbits=-zlib.MAX_WBITS)
    return deflate.compress(content) + deflate.flush()


# What the messages of a small run carried, to four digits: enough to be read, and a third of the bytes.

MOST_NUMBERS = 50_000
"""Numbers that a page has room for: runs of up to 32 processes have fewer."""
NO_NUMBER = 999
"""The power of what is no finite number; its digits are then -1, 0 or 1: minus infinity, none, infinity."""
_DIGITS = 4


def payloads(run: Run) -> dict[str, pl.DataFrame]:
    """``carried``: of every message the place of its first number, and how many stand in a row; ``numbers``:
    digits and power, each number being digits times ten to this power. Nothing where values were not kept.
    """
    kept = run.values.payloads if run.values is not None else {}
    arrays = [np.asarray(kept[number]) for number in run.trace.messages["id"] if number in kept]
    sizes = [array.size for array in arrays]
    if len(arrays) != run.trace.messages.height or not 0 < sum(sizes) <= MOST_NUMBERS:
        return {}
    first = np.concatenate([[0], np.cumsum(sizes)])
    row = [array.shape[-1] if array.ndim > 1 else max(array.size, 1) for array in arrays]
    carried = {"first": first.astype(np.int64), "row": np.array([*row, 1], dtype=np.int64)}
    numbers = np.concatenate([array.ravel().astype(np.float64) for array in arrays])
    finite = np.isfinite(numbers)
    there = np.where(finite & (numbers != 0.0), np.abs(numbers), 1.0)
    power = np.floor(np.log10(there)).astype(np.int64) - (_DIGITS - 1)
    # In two steps: ten to a power of more than 308 is infinite.
    half = power // 2
    scaled = np.where(finite, numbers, 0.0) / 10.0**half / 10.0 ** (power - half)
    digits = np.rint(scaled).astype(np.int64)
    power[digits == 0] = 0
    digits[~finite] = np.nan_to_num(np.sign(numbers[~finite])).astype(np.int64)
    power[~finite] = NO_NUMBER
    return {"carried": pl.DataFrame(carried), "numbers": pl.DataFrame({"digits": digits, "power": power})}

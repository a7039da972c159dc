"""The parts of the page that can be read without its program: lines, tables and frames of pictures."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from matplotlib.colors import to_hex

from senn.traces.analysis.causality import LABELS, WORDS
from senn.traces.pictures.critical import SPENT_COLORS
from senn.traces.pictures.style import EXPOSED, HIDDEN, INK, OTHER, PHASES, WAIT, mixed
from senn.traces.tables import Section, Table, html_table

_MEANT = {
    "engine computes": "var(--phase-I)",
    "posts or receives": "color-mix(in srgb, var(--phase-I), var(--ink) 45%)",
    "DMA sends": "color-mix(in srgb, var(--phase-I), var(--paper) 45%)",
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


def summary(tiles: Sequence[tuple[str, str]], missing: Sequence[str]) -> str:
    """The figures that matter most, each with what it is; and what this run cannot show."""
    items = "".join(f"<li><b>{escape(figure)}</b>{escape(text)}</li>" for figure, text in tiles)
    notes = "".join(f'<p class="note">{escape(text)}</p>' for text in missing)
    heading = '<h2 id="summary-title" class="visually-hidden">Summary</h2>'
    return (
        f'<section aria-labelledby="summary-title">{heading}<ul class="tiles">{items}</ul>{notes}</section>'
    )


def answer(sections: Sequence[Section]) -> str:
    """HTML of the sections: what ran, the answer, the certificate and all figures."""
    return _part("answer", _columns(sections))


def account(name: str, tables: Sequence[Section]) -> str:
    """The part of this name: its picture, and its tables."""
    legend = (_entry(WORDS[label], f"var(--spent-{label})") for label in LABELS)
    return _part(name, page(f"{name}.html").replace("<!--legend-->", "\n".join(legend)) + _columns(tables))


def replay(stages: bool) -> str:
    """The frame of the replay, with the matrix where its stages are known."""
    return _part(
        "replay", page("replay.html").replace("<!--matrix-->", page("matrix.html") if stages else "")
    )


def _part(name: str, inner: str) -> str:
    heading = f'<h2 id="{name}-title">{_CALLED[name]}</h2>'
    return f'<section aria-labelledby="{name}-title">{heading}{inner}</section>'


def _columns(sections: Sequence[Section]) -> str:
    inner = "".join(
        f"<section><h3>{escape(section.heading)}</h3>{_lines(section.lines)}{_table(section.table)}{_lines(section.notes)}</section>"
        for section in sections
    )
    return f'<div class="sections">{inner}</div>'


def timeline(phases: Sequence[str], listing: bool) -> str:
    """The frame of the timeline, with the legend of the steps that occur, and that of the listing."""
    frame = page("timeline.html").replace("<!--legend-->", "\n".join(_legend(phases)))
    return _part("timeline", frame.replace("<!--listing-->", page("listing.html") if listing else ""))


def _table(shown: Table | None) -> str:
    """HTML of a table that may be wider than the page."""
    if shown is None:
        return ""
    header = (*shown.texts, *shown.numbers)
    return f'<div class="wide">{html_table(shown.rows, header, texts=len(shown.texts))}</div>'


def page(name: str) -> str:
    """A file of the page."""
    return files("senn.traces.report").joinpath("page", name).read_text(encoding="utf-8")


def _lines(lines: Sequence[tuple[str, str]]) -> str:
    pairs = "".join(f"<dt>{escape(label)}</dt><dd>{escape(text)}</dd>" for label, text in lines)
    return f"<dl>{pairs}</dl>" if pairs else ""


def _legend(phases: Sequence[str]) -> Iterator[str]:
    for name in PHASES:
        if name in phases:
            yield _entry(f"Step {name}", f"var(--phase-{name})")
    if set(phases) - set(PHASES):
        yield _entry("other steps", "var(--other)")
    for text, color in _MEANT.items():
        yield _entry(text, color)


def _entry(text: str, color: str) -> str:
    return f'<li><i style="background:{color}"></i>{escape(text)}</li>'


# The page put together: one text with its style, its program and its contents, and nothing from outside.

SCRIPTS = (
    "senn",
    "packed",
    "record",
    "theme",
    "view",
    "ink",
    "rows",
    "bands",
    "marks",
    "timeline",
    "gestures",
    "picking",
    "detail",
    "search",
    "listing",
    "wires",
    "machine",
    "matrix",
    "replay",
    "strip",
    "pairs",
    "outside",
    "main",
)
"""The files of the program in the order in which they build on each other."""
STYLES = ("page", "timeline", "replay")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


def assembled(title: str, body: str, facts: Mapping[str, Any], packed: Sequence[Mapping[str, Any]]) -> str:
    """The page as a text; of the two packs of columns the first is what its first picture needs."""
    style = "\n".join([_palette(), *(page(f"{name}.css") for name in STYLES)])
    script = "\n".join(page(f"{name}.js") for name in SCRIPTS)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n{body}\n"
        f'<script type="application/json" id="facts">{_json(facts)}</script>\n'
        f'<script type="application/json" id="columns">{_json(packed[0])}</script>\n'
        f'<script type="application/json" id="more">{_json(packed[1])}</script>\n'
        f"<script>\n{script}</script>\n</body>\n</html>\n"
    )


def _json(what: Any) -> str:
    """JSON that ends no script, whatever a user has called things."""
    return json.dumps(what, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def _palette() -> str:
    """The colours of all pictures as variables; by night mixed with white, so that they stand out."""
    named = {f"phase-{name}": color for name, color in PHASES.items()}
    named |= {"other": OTHER, "exposed": EXPOSED, "hidden": HIDDEN, "wait": WAIT, "on-light": INK}
    named |= {f"spent-{label}": to_hex(color) for label, color in SPENT_COLORS.items()}
    day = "".join(f"--{name}:{_hex(color, 0.0)};" for name, color in named.items())
    night = "".join(f"--{name}:{_hex(color, 0.25)};" for name, color in named.items())
    dark = ":root:not([data-theme=light])"
    return (
        f":root{{{day}}}\n@media (prefers-color-scheme: dark){{{dark}{{{night}}}}}\n"
        f":root[data-theme=dark]{{{night}}}"
    )


def _hex(color: str, white: float) -> str:
    return "#" + "".join(f"{round(255 * part):02x}" for part in mixed(color, white))

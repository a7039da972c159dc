"""The page put together: one text with its style, its program and its contents, and nothing from outside."""

import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from matplotlib.colors import to_hex

from senn.traces.pictures.style import EXPOSED, HIDDEN, INK, OTHER, PHASES, WAIT, mixed
from senn.traces.pictures.views.critical import LABELS
from senn.traces.report.sections import page

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
    named |= {f"spent-{label}": to_hex(color) for label, color in LABELS.items()}
    day = "".join(f"--{name}:{_hex(color, 0.0)};" for name, color in named.items())
    night = "".join(f"--{name}:{_hex(color, 0.25)};" for name, color in named.items())
    dark = ":root:not([data-theme=light])"
    return (
        f":root{{{day}}}\n@media (prefers-color-scheme: dark){{{dark}{{{night}}}}}\n"
        f":root[data-theme=dark]{{{night}}}"
    )


def _hex(color: str, white: float) -> str:
    return "#" + "".join(f"{round(255 * part):02x}" for part in mixed(color, white))

"""What a notebook shows of a value: small tables and texts in HTML, in the style of the page they are on."""

from collections.abc import Iterable, Sequence
from html import escape


def table(rows: Iterable[Sequence[object]], header: Sequence[str] = (), caption: str = "") -> str:
    """Rows of cells under a header, texts to the left and numbers to the right; every cell is escaped.

    >>> table([("D", 1)], ("value", "level"))
    '<table><thead><tr><th>value</th><th>level</th></tr></thead>\
<tbody><tr><td style="text-align:left">D</td><td style="text-align:right">1</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    lines = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return (
        "<table>"
        + (f"<caption>{escape(caption)}</caption>" if caption else "")
        + (f"<thead><tr>{head}</tr></thead>" if header else "")
        + f"<tbody>{lines}</tbody></table>"
    )


def text(lines: str) -> str:
    """A text as it is printed, line by line.

    >>> text("a < b")
    '<pre>a &lt; b</pre>'
    """
    return f"<pre>{escape(lines)}</pre>"


def folded(title: str, inside: str) -> str:
    """What opens on a click."""
    return f"<details><summary>{escape(title)}</summary>{inside}</details>"


def _cell(value: object) -> str:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    shown = f"{value:,}" if isinstance(value, int) and number else f"{value:.6g}" if number else str(value)
    return f'<td style="text-align:{"right" if number else "left"}">{escape(shown)}</td>'

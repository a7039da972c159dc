"""An account: what a command or a value tells, once, for a terminal, as JSON, on a page and in a notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from senn.base.tables import Table, html_table

Lines = tuple[tuple[str, str], ...]
"""Labels with their texts."""


@dataclass(frozen=True)
class Section:
    """Paragraphs, labelled lines, a table and labelled notes under a heading; each may be absent."""

    heading: str = ""
    lines: Lines = ()
    table: Table | None = None
    notes: Lines = ()
    paragraphs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Account:
    """Sections for readers, and the same figures by key for programs."""

    sections: Sequence[Section] = ()
    figures: Mapping[str, Any] = field(default_factory=dict)
    """The object of ``--json``."""
    files: Mapping[str, Path | None] = field(default_factory=dict)
    """Written files by label, None for one that was not written."""
    text: str = ""
    """A text that is printed as it is, in place of sections: a program, or a file."""
    failure: str | None = None
    """Why the exit status is 1, for stderr; empty where the sections say it; None of a success."""


_BESIDE = "display:grid;grid-template-columns:max-content 1fr;gap:1px 14px;margin:.2em 0"
"""Style of labelled lines, which a notebook shows too."""


def html(sections: Sequence[Section]) -> str:
    """HTML of sections, which stand beside each other where a page has room."""
    parts = []
    for section in sections:
        heading = f"<h3>{escape(section.heading)}</h3>" if section.heading else ""
        texts = "".join(f"<p>{escape(text)}</p>" for text in section.paragraphs)
        table = ""
        if (shown := section.table) is not None:  # it may be wider than the page
            header = (*shown.texts, *shown.numbers)
            table = f'<div class="wide">{html_table(shown.rows, header, texts=len(shown.texts))}</div>'
        parts.append(
            f"<section>{heading}{texts}{_lines(section.lines)}{table}{_lines(section.notes)}</section>"
        )
    return f'<div class="sections">{"".join(parts)}</div>'


def _lines(lines: Lines) -> str:
    pairs = (f'<dt>{escape(label)}</dt><dd style="margin:0">{escape(text)}</dd>' for label, text in lines)
    return f'<dl style="{_BESIDE}">{"".join(pairs)}</dl>' if lines else ""

"""The parts of the page that can be read without its program: lines, tables and frames of pictures."""

from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files

from senn.traces.analysis.causality import LABELS
from senn.traces.analysis.causes.spent import WORDS
from senn.traces.pictures.style import PHASES
from senn.traces.report.told import Section, Table

_MEANT = {
    "engine computes": "var(--phase-I)",
    "posts or receives": "color-mix(in srgb, var(--phase-I), var(--ink) 45%)",
    "DMA sends": "color-mix(in srgb, var(--phase-I), var(--paper) 45%)",
    "waits for a message on its way": "color-mix(in srgb, var(--exposed) 35%, var(--paper))",
    "waits for one not yet posted": "color-mix(in srgb, var(--wait) 35%, var(--paper))",
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
    """What ran, the answer, the certificate and all figures."""
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
        f"<section><h3>{escape(one.heading)}</h3>{_lines(one.lines)}{table(one.table)}</section>"
        for one in sections
    )
    return f'<div class="sections">{inner}</div>'


def timeline(phases: Sequence[str], listing: bool) -> str:
    """The frame of the timeline, with the legend of the steps that occur, and that of the listing."""
    frame = page("timeline.html").replace("<!--legend-->", "\n".join(_legend(phases)))
    return _part("timeline", frame.replace("<!--listing-->", page("listing.html") if listing else ""))


def table(shown: Table | None) -> str:
    """A table of texts, numbers to the right."""
    if shown is None:
        return ""
    left = len(shown.left)

    def cells(row: Sequence[str], tag: str) -> str:
        kinds = ("" if k < left else ' class="number"' for k in range(len(row)))
        scope = ' scope="col"' if tag == "th" else ""
        return "".join(
            f"<{tag}{scope}{kind}>{escape(text)}</{tag}>" for text, kind in zip(row, kinds, strict=True)
        )

    head = cells((*shown.left, *shown.right), "th")
    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in shown.rows)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


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

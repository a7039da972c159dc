"""A run as one page of HTML that needs no server, no network and no other file.

`page` makes it from a run and the `ReportContent` that a trace does not know; `frame` embeds it in another
page, such as a notebook's. The analyses compute whatever is drawn; the script of the page only draws."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from html import escape

from senn.base.account import Section, html
from senn.base.errors import InputError
from senn.traces import facts
from senn.traces.analysis import LABELS, WORDS
from senn.traces.report import parts as sections
from senn.traces.report.contents import ReportContent, columns, page_facts, time_axes, with_times
from senn.traces.report.parts import assembled, packs
from senn.traces.run import Run

__all__ = ["PARTS", "ReportContent", "frame", "page"]

PARTS = ("summary", "timeline", "replay", "causes", "traffic", "answer")
"""Parts of a page in their order."""
_ACCOUNTS = {
    "causes": (facts.spent, facts.stalled, facts.longest_waits),
    "traffic": (facts.traffic, facts.channels),
}
"""Tables of the parts that are accounts."""
_NOTHING = ReportContent()
"""Of a bare trace, which has neither answer nor listing."""
_COARSE = {
    "summary": "There is no timeline: this run keeps its summary only. Run again with --detail full.",
    "instructions": "The timeline shows the control units only, without nodes and messages: this run keeps "
    "its instructions only. Run again with --detail full.",
}
_NO_LISTING = (
    "There is no listing, and no matrix in the replay: the program of this run could not be made again from "
    "what it says of itself."
)
_NO_NUMBERS = "There is no answer and no certificate: this run has no numbers. Run again with --numbers."


def page(
    run: Run,
    content: ReportContent | None = None,
    parts: Sequence[str] = PARTS,
    beside: tuple[Run, ReportContent | None] | None = None,
) -> str:
    """The page of a run as HTML, whole, with these parts of `PARTS`.

    What the detail of the trace cannot show is left out, and the page says how to get it. ``content``
    has what a trace does not know: answer, listing. A second run with its content, ``beside``, stands
    below the first, part by part, on the same time axis. InputError for a part that is not known.
    """
    if unknown := [name for name in parts if name not in PARTS]:
        raise InputError(f"report: there is no part {unknown[0]!r}; choose of {', '.join(PARTS)}")
    both = [(run, content), *([beside] if beside else [])]
    runs = [(run, content or _NOTHING) for run, content in both]
    axes = time_axes([run for run, _ in runs])
    bodies, titles = [], dict[str, None]()
    for (run, content), axis, suffix, letter in zip(runs, axes, ("", "-b"), "AB", strict=False):
        clock = axis["clock"] if axis["timed"] else None
        run_facts = facts.facts(run)  # what distinguishes the runs; where clocks differ, also the time
        caption = run_facts.caption + (f" = {run_facts.microseconds:,.1f} us" if clock else "")
        named = suffix, f" {letter} · {caption}" if beside else ""
        there = _parts(run, content, parts, clock, suffix)
        bodies.append({name: sections.section(name, inner, *named) for name, inner in there})
        problem = f"{run_facts.problem}: " if run_facts.problem else ""
        titles[f"{problem}{run_facts.program or 'run'}, n = {run_facts.n}"] = None
    title = " and ".join(titles)
    blocks = [sections.header(title, [name for name in parts if name in bodies[0]])]
    blocks += [body[name] for name in parts for body in bodies if name in body]
    for (run, content), axis, suffix in zip(runs, axes, ("", "-b"), strict=False):
        packed = packs(*columns(run, content)) if run.trace.detail != "summary" else packs({}, {})
        blocks.append(sections.data(page_facts(run, content) | axis, packed, suffix))
    return assembled(title, "\n".join(blocks))


def _parts(
    run: Run, content: ReportContent, parts: Sequence[str], clock: float | None, suffix: str
) -> Iterator[tuple[str, str]]:
    """Name and content of each part that the run has; with a clock, times stand beside cycles."""
    full = run.trace.detail == "full"

    def timed(tables: Iterable[Section]) -> list[Section]:
        return [with_times(table, clock) if clock else table for table in tables]

    if "summary" in parts:
        yield "summary", _summary(run, content)
    if "timeline" in parts and run.trace.detail != "summary":
        listing = sections.template("listing", suffix) if content.listing else ""
        legend = sections.legend(run.parts)
        yield "timeline", sections.template("timeline", suffix, legend=legend, listing=listing)
    if "replay" in parts and full:
        matrix = sections.template("matrix", suffix) if content.stages else ""
        yield "replay", sections.template("replay", suffix, matrix=matrix)
    for name, tables in _ACCOUNTS.items():
        if name in parts and full:
            shown = [table(run) for table in tables]
            shown += [facts.energy(run, "array", "part")] if name == "causes" and facts.charged(run) else []
            legend = sections.entries({WORDS[label]: f"var(--spent-{label})" for label in LABELS})
            yield name, sections.template(name, suffix, legend=legend) + html(timed(shown))
    if "answer" in parts and content is not _NOTHING:
        what, *others = facts.account(run)
        yield "answer", html(timed([replace(what, heading="What ran"), *others]))


def frame(html: str, height: int = 640) -> str:
    """A page inside another page, as the output of a notebook: an iframe that holds all of it."""
    return (
        f'<iframe title="senn" style="width:100%;border:0" height="{height}" '
        f'sandbox="allow-scripts" srcdoc="{escape(html)}"></iframe>'
    )


def _summary(run: Run, content: ReportContent) -> str:
    """The figures that a reader looks for first; and notes on parts for which the run lacks the data."""
    run_facts, summary, detail = facts.facts(run), run.summary, run.trace.detail
    tiles = [(f"{run_facts.makespan:,} cycles", run_facts.time)]
    for array, row in summary["arrays"].items():
        if row["stall"] is not None and row["end"]:
            share, exposed = (f"{100 * row[name] / row['end']:.0f} %" for name in ("stall", "exposed_stall"))
            tiles.append((share, f"of its time array {array} is stalled; {exposed} for messages in flight"))
    if summary["messages"] is not None:
        crossed = f"{summary['words']:,} words, {summary['hops']:,} hops"
        tiles.append((f"{summary['messages']:,} messages", crossed))
    if run.certificate:
        verdict = "certified" if run.certificate["ok"] else "certificate failed"
        tiles.append((verdict, run.certificate["message"]))
    notes = [_COARSE[detail]] if detail in _COARSE else []
    if not notes and content is not _NOTHING and not content.listing:
        notes.append(_NO_LISTING)
    return sections.tiles(tiles, notes if run.result else [*notes, _NO_NUMBERS])

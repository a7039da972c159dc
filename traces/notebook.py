"""HTML of a run for a notebook: its account, the accelerations of its joints, and a picture."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from senn.base.account import Section, html
from senn.base.errors import InputError, printable
from senn.base.tables import table
from senn.traces import facts
from senn.traces.pictures.phases import strip
from senn.traces.run import Run

_SHOWN = 12
"""Degrees of freedom of which a notebook shows the accelerations; the others are in the run."""
_ROW = "display:flex;flex-wrap:wrap;align-items:flex-start;gap:0 2em"


def page(run: Run) -> str:
    """A run in labelled lines, its accelerations by joint, and its picture; no figure depends on rounding.

    Where the trace is too coarse for a figure or the picture, the reason is shown in its place.
    """
    shapes = (f"run.{name} ({' x '.join(map(str, numbers.shape))})" for name, numbers in run.result.items())
    answers = ", ".join(shapes) or "none: made without numbers"
    judged = (("certificate", _verdict(run.certificate)), ("answers", answers))
    lines = (*next(facts.account(run)).lines, *facts.makespan(run), *judged)
    try:
        picture = strip(run)
    except InputError as error:
        picture = f"<div>{escape(f'no picture: {error}')}</div>"
    account = html([Section(lines=tuple((label, printable(text)) for label, text in lines))])
    sections = []
    if (numbers := run.result.get("qdd")) is not None and len(numbers):
        names = run.labels if len(run.labels) == len(numbers) else range(1, len(numbers) + 1)
        rows = [(printable(f"{name}"), f"{x:.3g}") for name, x in zip(names, numbers.tolist(), strict=True)]
        rest = [(f"and {len(rows) - _SHOWN} more", "")] if len(rows) > _SHOWN else []
        heads = ["joint"], ["qdd (rad/s², m/s² where it slides)"]
        sections.append(Section(table=table(*heads, [*rows[:_SHOWN], *rest])))
    return f'{account}<div style="{_ROW}">{html(sections)}{picture}</div>'


def _verdict(certificate: Mapping[str, Any] | None) -> str:
    """The verdict in a sentence: digits and references, or the certificate's own message."""
    if certificate is None:
        return "none: not compared with anything"
    if not certificate["ok"]:
        return f"FAILED: {certificate['message']}"
    if "digits" not in certificate:  # of an earlier version
        return "certified by an earlier version"
    others = [other["against"].split(",")[0] for other in certificate["besides"]]
    return f"agrees with {' and '.join([certificate['against'], *others])} to {certificate['digits']} digits"

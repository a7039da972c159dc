"""A run in sentences with exact figures: the whole run, or a step, message, node or critical path."""

from __future__ import annotations

import re

from senn.base.account import Account
from senn.base.errors import InputError
from senn.base.gone import refuse_former
from senn.traces.explained.parts import of_message, of_node, of_step
from senn.traces.explained.story import of_path, story
from senn.traces.run import Run

__all__ = ["explained"]

_PARTS = 'a step (I.b.5), "message 3", "node 1:4" or "critical"'
_FORMS = {
    "message": (r"\d{1,19}", "a whole number, as in message 3"),
    "node": (r"\d{1,19}:\d{1,19}", "its array and its number, as in node 1:4"),
}
"""The id of a message, and the array and the address of a node, as they are written."""


def explained(run: Run, *words: str) -> Account:
    """The run or a part: ``explained(run)``, ``explained(run, "I.b.5")``, ``explained(run, "message", "3")``.

    A step may also be the beginning of labels, "I.b" or "II". InputError, listing the alternatives, for a
    part that the run does not have, and for a trace of less than full detail.
    """
    run.trace.require("messages")
    if not words:
        return story(run)
    kind, *rest = " ".join(words).split() or [""]
    refuse_former("part", kind)
    if kind in _FORMS:
        if len(rest) != 1:
            raise InputError(f"which {kind}? explain {_PARTS}")
        pattern, form = _FORMS[kind]
        text = rest[0].replace(",", "")
        if not re.fullmatch(pattern, text, re.ASCII):
            raise InputError(f'{kind} "{rest[0]}": write {form}')
        numbers = map(int, text.split(":"))
        return of_node(run, *numbers) if kind == "node" else of_message(run, *numbers)
    if rest:
        raise InputError(f'of a run {_PARTS} is explained, not "{" ".join(words)}"')
    return of_path(run) if kind == "critical" else of_step(run, kind)

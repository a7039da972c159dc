"""A run in sentences with exact figures: the whole run, or a step, message, node or critical path."""

from __future__ import annotations

from senn.base.account import Account
from senn.base.errors import InputError
from senn.base.gone import refuse_former
from senn.traces.explained.node import of_node
from senn.traces.explained.step import of_message, of_step
from senn.traces.explained.story import of_path, story
from senn.traces.run import Run

__all__ = ["explained"]

_PARTS = 'a step (I.b.5), "message 3", "node 1:4" or "critical"'


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
    if kind in ("message", "node"):
        if len(rest) != 1:
            raise InputError(f"which {kind}? explain {_PARTS}")
        if kind == "node":
            return of_node(run, *_node(rest[0]))
        return of_message(run, _number("message", rest[0]))
    if rest:
        raise InputError(f'of a run {_PARTS} is explained, not "{" ".join(words)}"')
    return of_path(run) if kind == "critical" else of_step(run, kind)


def _number(kind: str, text: str) -> int:
    plain = text.replace(",", "")
    if not (plain.isascii() and plain.isdigit() and len(plain) < 20):
        raise InputError(f'{kind} "{text}": write a whole number, as in {kind} 3')
    return int(plain)


def _node(text: str) -> tuple[int, int]:
    array, _, node = text.partition(":")
    try:
        return _number("node", array), _number("node", node)
    except InputError:
        raise InputError(f'node "{text}": write its array and its number, as in node 1:4') from None

"""A run in sentences with exact figures: the whole run, or a step, message, node or critical path."""

from __future__ import annotations

from senn.base.account import Account
from senn.base.errors import InputError
from senn.base.gone import refuse_former
from senn.traces.explained.parts import of_message, of_node, of_step
from senn.traces.explained.story import of_path, story
from senn.traces.run import Run

__all__ = ["explained"]

_PARTS = 'a step (I.b.5), "message 3", "node 1:4" or "critical"'
_WHOLE = "a whole number, as in message 3"


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
        numbers = _numbers(kind, rest[0])
        return of_node(run, *numbers) if kind == "node" else of_message(run, *numbers)
    if rest:
        raise InputError(f'of a run {_PARTS} is explained, not "{" ".join(words)}"')
    return of_path(run) if kind == "critical" else of_step(run, kind)


def _numbers(kind: str, text: str) -> list[int]:
    """The id of a message, or the array and the address of a node."""
    numbers = text.replace(",", "").split(":")
    are_plain = all(number.isascii() and number.isdigit() and len(number) < 20 for number in numbers)
    count, form = (2, "its array and its number, as in node 1:4") if kind == "node" else (1, _WHOLE)
    if not are_plain or len(numbers) != count:
        raise InputError(f'{kind} "{text}": write {form}')
    return [int(number) for number in numbers]

"""What an explanation is, and how its figures are worded."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from senn.traces.analysis.causes.spent import share
from senn.traces.naming import counted, value_text

KINDS: Mapping[str, str] = {
    "compute": "computing",
    "post": "posting",
    "receive": "receiving",
    "startup": "start-ups",
    "words": "words on channels",
    "hop": "heads on channels",
    "queue": "waiting for busy channels",
}
"""The labels of `analysis.causality`, in a sentence."""
WORK = ("compute", "post", "receive")
"""Those of a processor; the others are of messages."""


@dataclass(frozen=True)
class Explained:
    """A title, paragraphs of sentences, and the figures in them by name, in JSON's terms."""

    title: str
    paragraphs: tuple[str, ...]
    facts: Mapping[str, Any]


def cycles(number: int) -> str:
    """ "1 cycle", "1,809 cycles"."""
    return counted(number, "cycle")


def of(part: int, whole: int) -> str:
    """A part of a whole with its share: "1,809 (12 %)"."""
    return f"{part:,} ({share(part, whole)})"


def all_or(part: int, whole: int) -> str:
    """ "all", or the part with its share."""
    return "all" if part == whole else of(part, whole)


def exposure(exposed: int, whole: int) -> str:
    """Of messages that are under way for ``whole`` cycles."""
    if not exposed:
        return "In none of these anybody stands still because of the message"
    return f"In {of(exposed, whole)} of these somebody stands still because of the message"


def listed(texts: Iterable[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    *most, last = list(texts)
    return f"{', '.join(most)} and {last}" if most else last


def kinds(spent: Mapping[str, int], whole: int) -> str:
    """The cycles by label, the most first: "87,880 (73 %) start-ups, 22,208 (18 %) words on channels"."""
    most_first = sorted((name for name in KINDS if spent.get(name)), key=lambda name: -spent[name])
    return listed(f"{of(spent[name], whole)} {KINDS[name]}" for name in most_first)


def step_text(step: str, level: int | None) -> str:
    """ "I.b.5 (level 2)"."""
    return step if level is None else f"{step} (level {level})"


def message_text(row: Mapping[str, Any]) -> str:
    """ "message 3 (D_1^0)", of a row of messages."""
    return f"message {row['id']:,} ({value_text(row['value'], row['level'], row['process'])})"


def place(array: int, node: int) -> str:
    """ "node 4 of array 1"."""
    return f"node {node} of array {array}"


def levels_text(levels: Iterable[int | None]) -> str:
    """ "level 2", "levels 1 to 3" or "levels 1, 3 and 4"; nothing where there are none."""
    there = sorted({level for level in levels if level is not None})
    if not there:
        return ""
    if len(there) == 1:
        return f"level {there[0]}"
    if len(there) > 2 and there == list(range(there[0], there[-1] + 1)):
        return f"levels {there[0]} to {there[-1]}"
    return f"levels {listed(map(str, there))}"

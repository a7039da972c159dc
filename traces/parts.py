"""The parts of an algorithm: what a step's label begins with, its title, and its colour in all pictures.

The part of S.1 and S.2 is S. A program may give it a title (`Program.parts`), which run.json keeps. The
parts of the paper are its Steps I to IV.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import count

from senn.traces.record import Trace

COLORS = ("#0072B2", "#E69F00", "#009E73", "#AA4499", "#80BA5A", "#800000", "#4D004B")
"""Of the parts by their places."""
OTHER = "#777777"
"""What is none of the others: parts beyond the colours, captions."""
_NUMERALS = ("I", "II", "III", "IV", "V", "VI", "VII")


def titled(label: str, titles: Mapping[str, str]) -> str:
    """``S: prefix sums``, or the label without a title."""
    return f"{label}: {titles[label]}" if label in titles else label


@dataclass(frozen=True)
class Parts:
    """The parts of a run: the place of each label among `COLORS`, and the titles that the program gives."""

    places: Mapping[str, int]
    titles: Mapping[str, str]

    @classmethod
    def of(cls, trace: Trace, titles: Mapping[str, str]) -> Parts:
        """The parts of a trace in the order of arrays and issue.

        A Roman numeral has the colour of its number in every run; any other label takes the next free one.
        """
        steps = trace.instructions["step"].unique(maintain_order=True)
        labels = dict.fromkeys(step.split(".")[0] for step in steps.to_list())
        numbered = {label: _NUMERALS.index(label) for label in labels if label in _NUMERALS}
        free = (place for place in count() if place not in numbered.values())
        places = {label: numbered[label] if label in numbered else next(free) for label in labels}
        return cls(places, titles)

    def color(self, label: str) -> str:
        """The colour of a part, `OTHER` for one that is not there or beyond the colours."""
        place = self.places.get(label, len(COLORS))
        return COLORS[place] if place < len(COLORS) else OTHER

    def name(self, label: str) -> str:
        """``S: prefix sums``, or ``Step S`` without a title."""
        return titled(label, self.titles) if label in self.titles else f"Step {label}"

    def legend(self, labels: Collection[str]) -> Iterator[tuple[str, str]]:
        """Names and colours of these parts by place; all those without a colour of their own are one."""
        for label in sorted(self.places, key=self.places.__getitem__):
            if label in labels and self.color(label) != OTHER:
                yield self.name(label), self.color(label)
        if any(self.color(label) == OTHER for label in labels):
            yield "other steps", OTHER

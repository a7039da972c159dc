"""Claims, findings and verdicts.

A verdict is never written by hand: a rule decides from measured cases. It is one word, one condition, and an
effect: a number with its unit.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from experiments.measuring import MACHINES, MachineName
from senn.base import files
from senn.traces.naming import listed

Row: TypeAlias = Mapping[str, Any]
"""One line of measured figures, by column."""

Word: TypeAlias = Literal["holds", "fails", "depends", "untestable"]

WITHOUT_VERDICT = ("ideal", "fijany")
"""Machines whose messages decide nothing: free, or as short as the paper says that they are."""
MIMD = ("cluster", "ipsc860", "ipsc860-long", "mark3", "raw", "t800")
"""Presets of machines whose nodes have control units of their own."""

AT_COSTS = "at the costs of {}"
"""Condition of a verdict by machine: nothing is measured on one, its costs are those of a preset."""


class Table(NamedTuple):
    """Measured figures; all rows have the same columns."""

    title: str
    rows: Sequence[Row]


@dataclass(frozen=True)
class Verdict:
    """One word, the condition of it (empty for none), and its effect size with the unit."""

    word: Word
    condition: str
    effect: str
    cases: Mapping[str, bool] = field(default_factory=dict)
    """Cases from which the word follows, and whether the claim holds in them."""


def decided(cases: Mapping[str, bool], effect: str, where: str = "{}", noun: str = "cases") -> Verdict:
    """Verdict by cases: holds in all, fails in all, or depends; `where` is the condition, {} for the cases.

    Cases of WITHOUT_VERDICT are left out; "untestable" if no case remains.
    """
    judged = {name: holds for name, holds in cases.items() if name not in WITHOUT_VERDICT}
    if not judged:
        return Verdict("untestable", "no machine was tried whose messages cost what a source says", effect)
    good = [name for name, holds in judged.items() if holds]
    bad = [name for name, holds in judged.items() if not holds]
    if not good or not bad:
        return Verdict("holds" if good else "fails", where.format(every(judged, noun)), effect, judged)
    word, fewer = ("holds", good) if len(good) <= len(bad) else ("fails", bad)
    return Verdict("depends", f"{word} {where.format(listed(fewer))} only", effect, judged)


def every(judged: Collection[str], noun: str) -> str:
    """ "all 7 machines"; a single name for itself."""
    count = "both" if len(judged) == 2 else f"all {len(judged)}"
    return f"{count} {noun}" if len(judged) > 1 else next(iter(judged))


def by_machine(rows: Iterable[Row], column: str, good: Callable[[Any], bool], unit: str) -> Verdict:
    """Verdict by machine: it is good where all entries of the column are, whose span is the effect."""
    whole = list(rows)
    cases = cases_by("machine", whole, lambda row: good(row[column]))
    return decided(cases, span(whole, column, unit), AT_COSTS, "machines")


@dataclass(frozen=True)
class Finding:
    """Result of an experiment: the verdict and the figures that it follows from."""

    verdict: Verdict
    """Against the algorithms that the paper cites or prints."""
    figures: tuple[Table, ...]
    today: Verdict | None = None
    """Against the algorithms of today, where a baseline or another algorithm plays a role."""


@dataclass(frozen=True)
class Scope:
    """Extent of the experiments: sizes and machines."""

    sizes: tuple[int, ...]
    """Numbers of processes, powers of two, ascending."""
    machines: tuple[MachineName, ...]
    """Presets, TOML files, or one of them varied."""
    few: tuple[int, ...]
    """Sizes of experiments in which every case is a program or a network of its own."""


FULL = Scope((8, 16, 32, 64, 128, 256, 512, 1024), MACHINES, few=(8, 32, 128))
QUICK = Scope((8, 16, 32, 64), ("mark3", "maspar"), few=(8, 32))
"""A machine on which messages are expensive and one on which they are cheap."""


@dataclass(frozen=True)
class Claim:
    """A statement of the paper, and the experiment that tests it."""

    name: str
    examine: Callable[[Scope], Finding]
    place: str
    """Section and paragraph of Fijany (1993)."""
    says: str
    """The words of the paper; [...] where some are left out."""
    experiment: str
    """What is run or counted."""
    rule: str
    """Condition under which the claim holds."""


_ENTRIES = files.toml(Path(__file__).with_name("claims.toml"))
TEXTS = {
    name: {key: " ".join(text.split()) for key, text in entry.items()} for name, entry in _ENTRIES.items()
}
"""What `claims.toml` has of each claim, in the order of the argument."""


def claim(examine: Callable[[Scope], Finding]) -> Claim:
    """Decorator that makes a claim of its experiment, with the texts of the same name."""
    name = examine.__name__.replace("_", "-")
    return Claim(name, examine, **TEXTS[name])


def cases_by(column: str, rows: Iterable[Row], good: Callable[[Row], bool]) -> dict[str, bool]:
    """For each value of a column, whether all rows with it are good."""
    cases: dict[str, bool] = {}
    for row in rows:
        name = str(row[column])
        cases[name] = cases.get(name, True) and good(row)
    return cases


def judged_rows(rows: Iterable[Row]) -> list[Row]:
    """Rows of machines that get a verdict; all rows if there are none."""
    whole = list(rows)
    return [row for row in whole if str(row["machine"]) not in WITHOUT_VERDICT] or whole


def span(rows: Iterable[Row], column: str, unit: str) -> str:
    """Effect over the machines that get a verdict and all n: "0.2 (mark3) to 1.9 (raw) times"."""
    ordered = sorted(judged_rows(rows), key=lambda row: row[column])
    ends = (f"{row[column]:,} ({row['machine']})" for row in ordered[:1] + ordered[-1:])
    return f"{' to '.join(dict.fromkeys(ends))} {unit}" if ordered else ""

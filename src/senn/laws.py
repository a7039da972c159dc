"""Laws that a program keeps at every size: for tests of your own programs, with readable failures.

A *sweep* is a program placed on one machine at several sizes n. A `Counts` has a number for every n, such as
its messages, and a law is a function that returns nothing or raises `LawBroken`, an AssertionError:

>>> from senn import laws
>>> from senn.algorithms.programs import variants
>>> sweep = laws.sweep(variants.closed_chain, (3, 4, 5, 8, 9, 16))
>>> laws.equal(sweep.instructions(1), "19 M + 10")
>>> laws.at_most(sweep.dilation(), 2)
>>> str(laws.line(sweep.instructions(2)))
'43 M + 55'

A broken law says where:

    messages: at most 32 n M holds up to n = 3 and breaks at 2 of 6 sizes
      n = 4 (M = 2): 265 counted, 256 by the law
      n = 8 (M = 3): 797 counted, 768 by the law
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from os import PathLike
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from senn.algorithms import catalogue
from senn.api import own
from senn.api.programs import loaded, placed, timed
from senn.base.errors import InputError
from senn.choices import DEFAULT_MACHINE, Residency
from senn.machine.model import Machine
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import Schedule
from senn.machine.program import Program
from senn.machine.program.values import levels
from senn.traces import analysis
from senn.traces.analysis import Law, through
from senn.traces.naming import belongs, value
from senn.traces.run import Run

Formula: TypeAlias = "str | int | Callable[[int, int], int | Fraction]"
"""A sum in n, M and N ("3/2 n M - N + 7"), a number, or a function of n and M; M is log2 n rounded up,
and N = 2^M."""

_SHOWN = 6  # sizes that a message lists


class LawBroken(AssertionError):
    """A law that does not hold, with the n and the counts for which it fails."""


@dataclass(frozen=True)
class Counts:
    """Counts of a program: a whole number for every n."""

    name: str
    by_n: Mapping[int, int]

    def since(self, n: int) -> Counts:
        """Counts without the sizes below n, where programs lack steps."""
        return Counts(self.name, {size: count for size, count in self.by_n.items() if size >= n})


@dataclass(frozen=True, eq=False)
class Sweep:
    """A program placed on one machine at several sizes; each is run once, when its cycles are needed."""

    schedules: Mapping[int, Schedule]
    machine: Machine

    @cached_property
    def _runs(self) -> dict[int, Run]:
        return {n: timed(schedule, self.machine, detail="full") for n, schedule in self.schedules.items()}

    def instructions(self, array: int, part: str = "") -> Counts:
        """Instructions that an array issues, of all steps or of those of a part, such as "S" or "I.b"."""
        in_part = f" in {part}" if part else ""

        def count(schedule: Schedule) -> int:
            steps = (task.line.instruction.step for task in schedule.tasks[array - 1])
            return sum(not part or belongs(step, part) for step in steps)

        return self._counts(f"instructions of array {array}{in_part}", count)

    def messages(self) -> Counts:
        """Messages of the whole program, also those that cross no channel."""
        return self._counts("messages", lambda schedule: len(schedule.messages))

    def network_steps(self) -> Counts:
        """Slots, one message per channel, that each send needs by itself, added up."""
        return self._counts("network steps", lambda schedule: schedule.network_steps())

    def words(self) -> Counts:
        """Words of all messages."""
        return self._counts("words", lambda schedule: int(schedule.messages.words.sum()))

    def dilation(self) -> Counts:
        """Most channels that a message crosses."""
        return self._counts("dilation", lambda s: int(s.messages.paths.hops.max(initial=0)))

    def words_per_channel_and_level(self) -> Counts:
        """Most words that one channel carries in one level of a loop, or in one step outside loops."""

        def most(schedule: Schedule) -> int:
            paths, words = schedule.messages.paths, schedule.messages.words
            carried: dict[tuple[int, str, int | None], Integers] = {}
            for task in (task for tasks in schedule.tasks for task in tasks if len(task.posts)):
                level = task.line.instruction.level
                part = task.step if level is None else ".".join(task.step.split(".")[:2])
                begin, end = paths.offsets[task.posts.start], paths.offsets[task.posts.stop]
                sent = slice(task.posts.start, task.posts.stop)
                of_hops = np.repeat(words[sent], paths.hops[sent])
                here = np.bincount(paths.channels[begin:end], of_hops, minlength=len(schedule.wiring))
                key = (task.array, part, level)
                carried[key] = carried.get(key, 0) + here.astype(np.int64)
            return max((int(words.max(initial=0)) for words in carried.values()), default=0)

        return self._counts("words per channel and level", most)

    def makespan(self) -> Counts:
        """Cycles."""
        return Counts("makespan", {n: run.summary["makespan"] for n, run in self._runs.items()})

    def sends_at_once(self) -> Counts:
        """Most channels by which one node sends in one cycle; 1: no node sends twice at once."""
        node, counts = ("source_array", "source_node"), {}
        for n, run in self._runs.items():  # a hop that ends where another begins is not at the same time
            hops = run.trace.hops.select(*node, "start", "end", count=1)
            counts[n] = analysis.most(analysis.at_once(hops, *node))
        return Counts("sends of a node at once", counts)

    def _counts(self, name: str, count: Callable[[Schedule], int]) -> Counts:
        return Counts(name, {n: count(schedule) for n, schedule in self.schedules.items()})


def sweep(
    program: str | Callable[[int], Program],
    sizes: Iterable[int],
    machine: str | PathLike[str] | Machine = DEFAULT_MACHINE,
    residency: Residency = "migrating",
    allocation: str | Callable[[int], ArrayLike] = "identity",
) -> Sweep:
    """A program placed at every n of `sizes`, as `senn.placed` does. InputError for no sizes.

    `program` is an algorithm of `senn list algorithms`, a text FILE.py:FUNCTION, or a function of n that
    returns a program; an `allocation` may be a function of n that returns a table.
    """
    if isinstance(program, str):
        write = (own.algorithm if own.is_own(program) else catalogue.algorithm)(program).program
    else:
        write = program
    model = loaded(machine)
    ascending = sorted(set(sizes))
    if not ascending:
        raise InputError("laws.sweep: no sizes; give some, e.g. range(2, 65)")
    tables = {n: allocation if isinstance(allocation, str) else allocation(n) for n in ascending}
    return Sweep({n: placed(write(n), model, residency, tables[n]) for n in ascending}, model)


def equal(counts: Counts, law: Formula) -> None:
    """The count equals the formula at every n."""
    _hold(counts, law, _text(law), lambda count, wanted: count == wanted)


def at_most(counts: Counts, law: Formula) -> None:
    """At no n is the count more than the formula says."""
    _hold(counts, law, f"at most {_text(law)}", lambda count, wanted: count <= wanted)


def line(counts: Counts) -> Law:
    """Counts lie on the line a M + b through the first n and the first with another M, which is given."""
    first, *others = counts.by_n.items()
    other = next(((n, count) for n, count in others if levels(n) != levels(first[0])), None)
    if other is None:
        raise InputError(
            f"{counts.name}: a line needs two n of different ceil(log2 n); sweep over more sizes"
        )
    law = through([(levels(n), count) for n, count in (first, other)])
    text = f"the line {law} through n = {first[0]} and n = {other[0]}"
    _hold(counts, lambda n, m: law.at(m), text, lambda count, wanted: count == wanted)
    return law


def _hold(counts: Counts, law: Formula, text: str, holds: Callable[[int, Fraction], bool]) -> None:
    wanted: dict[int, Fraction] = {}
    for n in counts.by_n:
        m = levels(n)
        wanted[n] = Fraction(value(str(law), n=n, M=m, N=2**m) if isinstance(law, str | int) else law(n, m))
    broken = [n for n, count in counts.by_n.items() if not holds(count, wanted[n])]
    if not broken:
        return
    kept = [n for n in counts.by_n if n < broken[0]]
    until = f" holds up to n = {kept[-1]} and" if kept else ""
    lines = []
    for n in broken[:_SHOWN]:
        law_text = f"{wanted[n].numerator:,}" if wanted[n].denominator == 1 else f"{float(wanted[n]):,.2f}"
        lines.append(f"  n = {n} (M = {levels(n)}): {counts.by_n[n]:,} counted, {law_text} by the law")
    more = [f"  and {len(broken) - _SHOWN} more"] * (len(broken) > _SHOWN)
    head = f"{counts.name}: {text}{until} breaks at {len(broken)} of {len(counts.by_n)} sizes"
    raise LawBroken("\n".join([head, *lines, *more]))


def _text(law: Formula) -> str:
    return str(law) if isinstance(law, str | int) else getattr(law, "__name__", repr(law))

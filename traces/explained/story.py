"""The story of a run: how long, where the cycles went, what exposes most and why, what would help."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from typing import Any

import polars as pl

from senn.base.account import Account, Section
from senn.base.tables import table
from senn.traces import analysis, facts
from senn.traces.analysis import share
from senn.traces.naming import counted, joules, listed, step_text, value_text
from senn.traces.run import Run

KINDS: Mapping[str, str] = {
    "compute": "computing",
    "post": "posting",
    "receive": "receiving",
    "startup": "start-ups",
    "words": "words on channels",
    "hop": "headers on channels",
    "queue": "waiting for busy channels",
}
"""Label of `analysis.causality` -> how a sentence names its cycles."""
WORK = ("compute", "post", "receive")
"""Labels of a node's work; the others are of messages."""


Part = tuple[str, dict[str, Any]]
"""A paragraph, which may be empty, and its figures."""


def put_together(title: str, parts: Sequence[Part], *tables: Section, **figures: Any) -> Account:
    """The account that consists of these parts, without empty paragraphs, and of tables."""
    texts = tuple(text for text, _ in parts if text)
    for _, some in parts:
        figures |= some
    return Account((Section(title, paragraphs=texts), *tables), {"title": title, "text": texts, **figures})


def cycles(number: int) -> str:
    """ "1 cycle", "1,809 cycles"."""
    return counted(number, "cycle")


def of(part: int, whole: int) -> str:
    """A part of a whole with its share: "1,809 (12 %)"."""
    return f"{part:,} ({share(part, whole)})"


def all_or(part: int, whole: int) -> str:
    """ "all", or the part with its share."""
    return "all" if part == whole else of(part, whole)


FATES = ("cycles", "exposed", "hidden", "overlapped", "beside")
"""The cycles of messages in flight, and how they divide, as `analysis.flights` has them."""


def fate(sums: Mapping[str, int], which: str = "these") -> str:
    """How the cycles in flight divide, as sentences; of no cycle none."""
    if not sums["cycles"]:
        return ""
    text = f"None of {which} are exposed."
    if sums["exposed"]:
        text = (
            f"{of(sums['exposed'], sums['cycles'])} of {which} are exposed: a control unit is stalled until "
            "the message arrives."
        )
    if not sums["hidden"]:
        return text
    return (
        f"{text} {'The other' if sums['exposed'] else 'All'} {sums['hidden']:,} are hidden: in "
        f"{sums['overlapped']:,} of them the control unit that reads the message executes an instruction, in "
        f"{sums['beside']:,} it does not."
    )


def kinds(spent: Mapping[str, int], whole: int) -> str:
    """The cycles by label, the most first: "87,880 (73 %) start-ups, 22,208 (18 %) words on channels"."""
    most_first = sorted((name for name in KINDS if spent.get(name)), key=lambda name: -spent[name])
    return listed(f"{of(spent[name], whole)} {KINDS[name]}" for name in most_first)


def place(array: int, node: int) -> str:
    """ "node 4 of array 1"."""
    return f"node {node} of array {array}"


def levels_text(levels: Iterable[int | None], inside: str = "{}") -> str:
    """ "level 2", "levels 1 to 3" or "levels 1, 3 and 4", put into ``inside``; empty without a level."""
    numbers = sorted({level for level in levels if level is not None})
    if not numbers:
        return ""
    if len(numbers) == 1:
        text = f"level {numbers[0]}"
    elif len(numbers) > 2 and numbers == list(range(numbers[0], numbers[-1] + 1)):
        text = f"levels {numbers[0]} to {numbers[-1]}"
    else:
        text = f"levels {listed(map(str, numbers))}"
    return inside.format(text)


def story(run: Run) -> Account:
    """The run in a few paragraphs, its steps and its longest waits."""
    run_facts = facts.facts(run)
    makespan = run_facts.makespan
    ends = {array: row["end"] for array, row in run.summary["arrays"].items()}
    text = f"The run takes {cycles(makespan)}, {run_facts.time}."
    early = [f"array {array} in cycle {end:,}" for array, end in ends.items() if end < makespan]
    last = [f"array {array}" for array, end in ends.items() if end == makespan]
    if early:
        verb = "ends" if len(last) == 1 else "end"
        text += f" {listed(last).capitalize()} {verb} last, {listed(early)}."
    length: Part = text, {"makespan": makespan, "microseconds": run_facts.microseconds, "ends": ends}
    sums = run.flights.select(FATES).sum().row(0, named=True)
    count, in_flight = run.trace.messages.height, sums["cycles"]
    text = f"The {counted(count, 'message')} are in flight for {cycles(in_flight)}, summed over messages. "
    figures = {"messages": count, "under_way": in_flight, **{name: sums[name] for name in FATES[1:]}}
    messages: Part = text + fate(sums) if in_flight else "", {"communication": figures}
    parts = [length, _spent(run), _stalls(run), messages, _most_exposed(run), _longest(run)]
    tables = [facts.steps(run), facts.longest_waits(run, 8)]
    if whole := facts.femtojoules(run):
        array, step, _, most = analysis.account(run.energy.drop_nulls("step"), "array", "step").row(0)
        text = f"The run takes {facts.energy_text(run.energy)}. {step} of array {array} takes most, "
        parts.append((f"{text}{joules(most)}.", {"femtojoules": whole}))
    if facts.charged(run):
        tables.append(facts.energy(run, "array", "part"))
    title = f"{run_facts.program}, n = {run_facts.n}, on {run_facts.machine}"
    return put_together(title, [*parts, _helps(run)], *tables)


def of_path(run: Run) -> Account:
    """The critical path, piece by piece."""
    rows = [
        (analysis.WORDS[p.label], p.step, p.array, p.level, p.message, p.start, p.end - p.start)
        for p in run.path
    ]
    heads = ["array", "level", "message", "from", "cycles"]
    section = Section("Critical path", table=table(["spent on", "step"], heads, rows))
    figures = {"makespan": run.summary["makespan"], "critical_path": [piece._asdict() for piece in run.path]}
    return put_together("critical path", [_spent(run)], section, **figures)


def _spent(run: Run) -> Part:
    spent, makespan = run.spent, run.summary["makespan"]
    messages = len({piece.message for piece in run.path if piece.message is not None})
    steps = {(piece.array, piece.instruction) for piece in run.path if piece.message is None}
    by_array = Counter[str]()
    for piece in sorted(run.path, key=lambda piece: piece.array):
        by_array[str(piece.array)] += piece.end - piece.start
    figures = {"messages": messages, "instructions": len(steps), "by_array": by_array}
    if not makespan:
        return "", {"spent": spent, "path": figures}
    where = f"all of it in array {next(iter(by_array))}"
    if len(by_array) > 1:
        shares = listed(f"{of(count, makespan)} in array {array}" for array, count in by_array.items())
        where = f"{shares}, a message counting where it was sent"
    text = (
        "The critical path is the chain of work and messages that determines the makespan: "
        f"{kinds(spent, makespan)}, together {cycles(makespan)}. It passes through "
        f"{counted(len(steps), 'instruction')} and "
        f"{counted(messages, 'message') if messages else 'no message that takes a cycle'}, {where}."
    )
    return text, {"spent": spent, "path": figures}


def _stalls(run: Run) -> Part:
    alone = analysis.per_node(run.trace)
    texts, figures = [], {}
    for array, row in run.summary["arrays"].items():
        of_array = run.charges.filter(pl.col("array") == int(array))
        stalled, by_label = int(of_array["cycles"].sum()), analysis.by_label(of_array)
        late = analysis.account(of_array.filter(pl.col("message").is_null()), "cause_array")
        late_by = {str(cause): count for cause, count in late.select("cause_array", "cycles").iter_rows()}
        figures[array] = {"still": stalled, "charged": by_label, "late": late_by}
        subject = f"The nodes of array {array} are" if alone else f"Array {array} is"
        if not stalled:
            texts.append(f"{subject} never stalled.")
            continue
        amount = (
            f"{stalled:,} node cycles" if alone else f"{of(stalled, row['end'])} of its {row['end']:,} cycles"
        )
        in_flight = {name: count for name, count in by_label.items() if name not in WORK}
        reasons = [f"{kinds(in_flight, stalled)} of messages"] if in_flight else []
        slow = []
        for cause, count in late_by.items():
            who = f"nodes of array {cause} were" if alone else f"array {cause} was"
            if cause == array:
                who = "other nodes of the array were" if alone else "the array itself was"
            slow.append(f"{count:,} because {who} late")
        reasons += [listed(slow)] if slow else []
        texts.append(f"{subject} stalled for {amount}: {'; '.join(reasons)}.")
    return " ".join(texts), {"arrays": figures}


def _most_exposed(run: Run) -> Part:
    """The line of the paper whose messages expose most: as `analysis.by_line` has them."""
    table = analysis.by_line(run.flights)
    if not table["exposed"].sum():
        return "", {"most_exposed": None}
    most = table.sort("exposed", descending=True, maintain_order=True).row(0, named=True)
    array, line, exposed = (most[name] for name in ("array", "step", "exposed"))
    flown = run.flights.filter(pl.col("array") == array, analysis.line() == line)
    by_label = dict(flown.group_by("label").agg(pl.col("exposed").sum()).sort("label").iter_rows())
    ended = analysis.endings(run.trace, run.dma)
    ended = ended.filter(pl.col("message").is_in(flown["message"].to_list()))
    readers = ended.group_by("array", "step", maintain_order=True).agg(_EXPOSED.sum())
    reader, read_step = readers.sort("exposed", descending=True, maintain_order=True).row(0)[:2]
    values = sorted(set(flown["value"]))
    text = (
        f"The most exposed send is {line} of {listed(values)} in array {array}"
        f"{levels_text(flown['level'], ' ({})')}: {of(exposed, int(table['exposed'].sum()))} of all exposed "
        f"cycles, {kinds(by_label, exposed)}, most of them before {read_step} of array {reader}."
    )
    stalls = ended.unique(["array", "node", "instruction"], maintain_order=True)
    lead = int(stalls.select(pl.max_horizontal(pl.col("start") - pl.col("posted"), 0)).to_series().sum())
    if lead:
        text += f" Between post and stall there is work of {cycles(round(lead / stalls.height))} on average, "
        text += "which hides that much of each message."
    else:
        text += " The reader is stalled from the cycle of the post on: it has no other work to do."
    on_path = Counter[tuple[int, str]]()
    for piece in run.path:
        if piece.message is not None:
            on_path[piece.array, ".".join(piece.step.split(".")[:3])] += piece.end - piece.start
    first = max(on_path, key=lambda key: on_path[key], default=None)
    if first == (array, line):
        text += f" It is also the send that the critical path spends most on, {cycles(on_path[first])}."
    elif first:
        text += f" The critical path spends most on {first[1]} in array {first[0]}, {cycles(on_path[first])}."
    figures = {
        "array": array,
        "step": line,
        "values": values,
        "exposed": exposed,
        "spent": by_label,
        "before": {"array": reader, "step": read_step},
        "stalls": stalls.height,
        "worked_before": lead,
        "on_critical_path": on_path[array, line],
    }
    return text, {"most_exposed": figures}


_EXPOSED = (pl.col("end") - pl.max_horizontal("start", "posted")).alias("exposed")


def _longest(run: Run) -> Part:
    spent = defaultdict[int, Counter[str]](Counter)
    for piece in run.path:
        if piece.message is not None:
            spent[piece.message][piece.label] += piece.end - piece.start
    if not spent:
        return "", {"longest_message": None}
    longest = max(spent, key=lambda message: (sum(spent[message].values()), -message))
    row = run.trace.messages.filter(id=longest).row(0, named=True)
    channels = run.trace.hops.filter(message=longest).height
    length = sum(spent[longest].values())
    send = run.trace.instructions.filter(array=row["source_array"], serial=row["instruction"])
    value = value_text(row["value"], row["level"], row["process"])
    text = (
        f"The longest message on the critical path is message {longest:,} ({value}), "
        f"{counted(row['words'], 'word')} sent by {step_text(row['step'], send['level'][0])} from "
        f"{place(row['source_array'], row['source_node'])} to "
        f"{place(row['target_array'], row['target_node'])} over {counted(channels, 'channel')}: "
        f"{cycles(length)}, {kinds(spent[longest], length)}."
    )
    figures = {"id": longest, "cycles": length, "spent": spent[longest], "channels": channels}
    return text, {"longest_message": figures}


_HALF = {
    "compute": "faster compute engines: with half the time for all their work",
    "startup": "a shorter start-up: with half of it",
    "words": "channels that carry words faster: with half the time for each word",
    "hop": "channels that pass on headers faster: with half the time for each header",
}


def _helps(run: Run) -> Part:
    """The remedy for the largest part of the critical path, and the gain of halving it."""
    spent, makespan = run.spent, run.summary["makespan"]
    if not makespan or "processes" in run.description:  # measured: its machine has no times
        return "", {"first": None}
    work = {"compute": sum(spent[name] for name in WORK)}
    together = {name: count for name, count in spent.items() if name not in WORK} | work
    first = max(together, key=lambda name: together[name])
    most = together[first]
    gain = most // 2
    rest = "The run has no other chain, so it gains all of that"
    if run.trace.messages.height:
        rest = "How much of that the run gains depends on its other chains, which may then be the longest"
    text = (
        f"The first remedy is {_HALF[first]} this path would be about {cycles(gain)} shorter "
        f"({share(gain, makespan)}). {rest}: senn retime RUN --set FIELD=VALUE computes it exactly."
    )
    if first == "startup":
        startup = ceil(analysis.channel_times(run.description["machine"])[0])
        text += (
            f" The path has {counted(most // max(startup, 1), 'start-up')} of {cycles(startup)} one after "
            "the other: fewer and longer messages, or fewer channels for each, would do the same."
        )
    return text, {"first": {"label": first, "cycles": most, "shorter": gain}}

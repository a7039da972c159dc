"""What an explanation is, and how its figures are worded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

import polars as pl

from senn.traces import analysis
from senn.traces.analysis.causality import channel_times, share
from senn.traces.naming import counted, value_text
from senn.traces.run import Run

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


# ------------------------------------------------------------
# The story of a run: how long, where the cycles went, what exposes most and why, what would help.


def story(run: Run) -> Explained:
    """The run in a few paragraphs."""
    charged = analysis.charges(run)
    path = run.path
    parts = [
        _length(run),
        _spent(run, path),
        _stalls(run, charged),
        _messages(run, charged),
        _most_exposed(run, charged, path),
        _longest(run, path),
        helps(run),
    ]
    program, machine = run.description["program"], run.description["machine"]
    problem = run.description.get("problem")
    n = len(problem["joints"]) if problem else program["n"]  # a serial program is one process
    title = f"{program['name']}, n = {n}, on {machine['name']}"
    facts = {name: fact for _, some in parts for name, fact in some.items()}
    return Explained(title, tuple(text for text, _ in parts if text), facts)


Part = tuple[str, dict[str, Any]]
"""A paragraph, which may be empty, and its figures."""


def _length(run: Run) -> Part:
    machine, summary = run.description["machine"], run.summary
    clock = Fraction(str(machine["clock_mhz"]))
    taken = summary["makespan"]
    ends = {array: one["end"] for array, one in summary["arrays"].items()}
    text = f"The run takes {cycles(taken)}, which at {float(clock):g} MHz is {float(taken / clock):,.1f} us."
    early = [f"array {array} in cycle {end:,}" for array, end in ends.items() if end < taken]
    last = [f"array {array}" for array, end in ends.items() if end == taken]
    if early:
        text += f" It ends with {listed(last)}; before it ended {listed(early)}."
    return text, {"makespan": taken, "microseconds": float(taken / clock), "ends": ends}


def _spent(run: Run, path: Sequence[analysis.Piece]) -> Part:
    spent, taken = run.spent, run.summary["makespan"]
    if not taken:
        return "", {"spent": spent, "path": {"messages": 0, "instructions": 0, "by_array": {}}}
    messages = len({piece.message for piece in path if piece.message is not None})
    steps = {(piece.array, piece.instruction) for piece in path if piece.message is None}
    arrays = sorted({piece.array for piece in path})
    by_array = {
        str(array): sum(piece.end - piece.start for piece in path if piece.array == array) for array in arrays
    }
    where = listed(f"{of(count, taken)} in array {array}" for array, count in by_array.items())
    where = (
        f"all of it in array {arrays[0]}"
        if len(arrays) == 1
        else f"{where}, a message counting where it was sent"
    )
    text = (
        f"Its critical path is the chain of work and messages that made it this long: {kinds(spent, taken)}, "
        f"together {cycles(taken)}. It passes through {counted(len(steps), 'instruction')} and "
        f"{counted(messages, 'message') if messages else 'no message that takes a cycle'}, {where}."
    )
    return text, {
        "spent": spent,
        "path": {"messages": messages, "instructions": len(steps), "by_array": by_array},
    }


def _stalls(run: Run, charged: pl.DataFrame) -> Part:
    alone = analysis.per_node(run.trace)
    who = "The nodes of array" if alone else "Array"
    texts, facts = [], {}
    for array, one in run.summary["arrays"].items():
        own = charged.filter(pl.col("array") == int(array))
        still = int(own["cycles"].sum())
        by_label = dict(analysis.account(own, "label").select("label", "cycles").iter_rows())
        late = {
            str(cause): count
            for cause, count in analysis.account(own.filter(pl.col("message").is_null()), "cause_array")
            .select("cause_array", "cycles")
            .iter_rows()
        }
        facts[array] = {"still": still, "charged": by_label, "late": late}
        stand = "stand still" if alone else "stands still"
        whole = "" if alone else f" of its {one['end']:,}"
        if not still:
            texts.append(f"{who} {array} never {stand}.")
            continue
        amount = f"{still:,} node cycles" if alone else of(still, one["end"])
        charge = f"{who} {array} {stand} for {amount}{whole}: {_charges(by_label, still)}"
        slow = [f"{count:,} because {_late(int(cause), int(array), alone)}" for cause, count in late.items()]
        texts.append(f"{charge}{'; ' if slow and _on_way(by_label) else ''}{listed(slow) if slow else ''}.")
    return " ".join(texts), {"arrays": facts}


def _on_way(by_label: Mapping[str, int]) -> dict[str, int]:
    return {name: count for name, count in by_label.items() if name not in WORK}


def _charges(by_label: Mapping[str, int], still: int) -> str:
    there = _on_way(by_label)
    return f"{kinds(there, still)} of messages" if there else ""


def _late(cause: int, array: int, alone: bool) -> str:
    others = "other nodes of its own" if alone else "it was late itself"
    if cause == array:
        return f"{others} were late" if alone else others
    return f"{'nodes of ' if alone else ''}array {cause} {'were' if alone else 'was'} late"


def _messages(run: Run, charged: pl.DataFrame) -> Part:
    flown = analysis.flights(run, charged).select("cycles", "exposed", "hidden", "beside").sum()
    under_way, exposed, hidden, beside = flown.row(0)
    facts = {"messages": run.trace.messages.height, "under_way": under_way}
    facts |= {"exposed": exposed, "hidden": hidden, "beside": beside}
    if not under_way:
        return "", {"communication": facts}
    text = (
        f"Its {counted(facts['messages'], 'message')} are under way for {cycles(under_way)}, each message "
        f"counted for itself. In {of(exposed, under_way)} of these somebody stands still because of the "
        "message; "
        f"the other {hidden:,} are hidden: in {beside:,} of them its reader stands still for something "
        "else (a message "
        f"beside it, or a processor that is late), in {hidden - beside:,} it does not."
    )
    return text, {"communication": facts}


def _most_exposed(run: Run, charged: pl.DataFrame, path: Sequence[analysis.Piece]) -> Part:
    waited = charged.filter(pl.col("message").is_not_null())
    if not waited.height:
        return "", {"most_exposed": None}
    array, step, still = (
        analysis.account(waited, "cause_array", "cause_step")
        .select("cause_array", "cause_step", "cycles")
        .row(0)
    )
    own = waited.filter((pl.col("cause_array") == array) & (pl.col("cause_step") == step))
    by_label = dict(analysis.account(own, "label").select("label", "cycles").iter_rows())
    sent = run.trace.messages.filter((pl.col("source_array") == array) & (pl.col("step") == step))
    readers = analysis.account(own, "array", "step").select("array", "step").row(0)
    values = sorted(set(own["value"]))
    at = levels_text(own["cause_level"])
    text = (
        f"The step that exposes most is {step}, a send of {listed(values)} in array {array}"
        f"{f' ({at})' if at else ''}: {of(still, int(charged['cycles'].sum()))} of all the cycles that "
        "anybody "
        f"stands still, {kinds(by_label, still)}, most of them before {readers[1]} of array {readers[0]}."
    )
    lead, stalls = _lead(run, set(sent["id"]))
    if stalls:
        text += (
            " Its messages are waited for from the cycle in which they are posted: there is nothing else to "
            "do meanwhile."
            if not lead
            else f" Between post and wait there is work of {cycles(round(lead / stalls))} on average, which "
            "hides that much of each."
        )
    on_path = _of_path(path)
    if (array, step) == max(on_path, key=lambda one: on_path[one], default=None):
        text += f" It is also the send that the critical path spends most on, {cycles(on_path[array, step])}."
    elif on_path:
        other = max(on_path, key=lambda one: on_path[one])
        text += (
            f" Of the sends on the critical path the most goes to {other[1]} in array {other[0]}, "
            f"{cycles(on_path[other])}."
        )
    return text, {
        "most_exposed": {
            "array": array,
            "step": step,
            "values": values,
            "still": still,
            "charged": by_label,
            "before": {"array": readers[0], "step": readers[1]},
            "stalls": stalls,
            "worked_before": lead,
            "on_critical_path": on_path.get((array, step), 0),
        }
    }


def _of_path(path: Sequence[analysis.Piece]) -> dict[tuple[int, str], int]:
    """The cycles of the path on channels, by array and step of the send."""
    found: dict[tuple[int, str], int] = {}
    for piece in path:
        if piece.message is not None:
            key = piece.array, piece.step
            found[key] = found.get(key, 0) + piece.end - piece.start
    return found


def _lead(run: Run, messages: set[int]) -> tuple[int, int]:
    """Cycles between the post of these messages and the beginning of the stalls that they ended; how many."""
    if analysis.per_node(run.trace):
        table = analysis.node_stalls(run.trace).select("start", "released_by")
    else:
        begun = (pl.col("issue") - pl.col("stall")).alias("start")
        table = run.trace.instructions.filter(pl.col("stall") > 0).select(begun, "released_by")
    posts = run.trace.messages.select(pl.col("id").alias("released_by"), "posted")
    found = table.filter(pl.col("released_by").is_in(list(messages))).join(posts, on="released_by")
    leads = found.select(pl.max_horizontal(pl.col("start") - pl.col("posted"), 0)).to_series()
    return int(leads.sum()), found.height


def _longest(run: Run, path: Sequence[analysis.Piece]) -> Part:
    taken: dict[int, dict[str, int]] = {}
    for piece in path:
        if piece.message is not None:
            labels = taken.setdefault(piece.message, {})
            labels[piece.label] = labels.get(piece.label, 0) + piece.end - piece.start
    if not taken:
        return "", {"longest_message": None}
    longest = max(taken, key=lambda message: (sum(taken[message].values()), -message))
    row = run.trace.messages.filter(id=longest).row(0, named=True)
    channels = run.trace.hops.filter(message=longest).height
    length = sum(taken[longest].values())
    send = run.trace.instructions.filter(array=row["source_array"], serial=row["instruction"])
    text = (
        f"The longest message on the critical path is {message_text(row)}, {counted(row['words'], 'word')} "
        "sent "
        f"by {step_text(row['step'], send['level'][0])} from "
        f"{place(row['source_array'], row['source_node'])} "
        f"to {place(row['target_array'], row['target_node'])} over {counted(channels, 'channel')}: "
        f"{cycles(length)}, {kinds(taken[longest], length)}."
    )
    facts = {"id": longest, "cycles": length, "spent": taken[longest], "channels": channels}
    return text, {"longest_message": facts}


# ------------------------------------------------------------
# What would make a run shorter first: what its critical path spends most on, and how much half of it
# is.

_HALF = {
    "compute": "faster compute engines: with half the time for all their work",
    "startup": "a shorter start-up: with half of it",
    "words": "channels that carry words faster: with half the time for each word",
    "hop": "channels that pass on heads faster: with half the time for each head",
}
_WITHOUT = "fewer messages on the same channels (another allocation, residency or network): without queues"


def helps(run: Run) -> tuple[str, dict[str, Any]]:
    """A paragraph and its figures."""
    spent, taken = run.spent, run.summary["makespan"]
    if not taken:
        return "", {"first": None}
    work = {"compute": sum(spent[name] for name in WORK)}
    together = {name: count for name, count in spent.items() if name not in WORK} | work
    first = max(together, key=lambda name: together[name])
    most = together[first]
    gain = most if first == "queue" else most // 2
    advice = _HALF.get(first, _WITHOUT)
    beside = (
        "How much of that the run gains depends on the chains beside it, which may then be the longest"
        if run.trace.messages.height
        else "There is no chain beside it, so the run gains all of that"
    )
    text = (
        f"What would help first is {advice} this path would be about {cycles(gain)} shorter "
        f"({share(gain, taken)}). {beside}: senn retime RUN --set FIELD=VALUE says it to the cycle."
    )
    if first == "startup":
        startup = ceil(channel_times(run.description["machine"])[0])
        text += (
            f" The path has {counted(most // max(startup, 1), 'start-up')} of {cycles(startup)} one after "
            "the other: fewer and longer messages, or fewer channels for each, would do the same."
        )
    return text, {"first": {"label": first, "cycles": most, "shorter": gain}}

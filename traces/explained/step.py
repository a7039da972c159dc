"""A step of the program, or all steps whose labels begin so: what it does, when, and what it waits for."""

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import polars as pl

from senn.traces import analysis
from senn.traces.analysis.causes.spent import channel_times, share
from senn.traces.errors import InputError
from senn.traces.explained.text import (
    Explained,
    all_or,
    cycles,
    exposure,
    kinds,
    levels_text,
    listed,
    step_text,
)
from senn.traces.naming import counted

if TYPE_CHECKING:
    from senn.traces.run import Run

_SHOWN = 12
_DOES = {
    "compute": "a computation",
    "send": "a send",
    "arrange": "an arrange: values follow their processes",
    "wait": "a wait",
}


def of_step(run: "Run", label: str) -> Explained:
    """The step "I.b.5", or the part "I.b"; InputError, with what there is, if the run has none."""
    table = run.trace.instructions
    exact = table.filter(step=label)
    found = exact if exact.height else table.filter(pl.col("step").str.starts_with(f"{label}."))
    if not found.height:
        raise InputError(_none(label, list(dict.fromkeys(table["step"]))))
    keys = found.select("array", pl.col("serial").alias("instruction"))
    charged = analysis.charges(run)
    parts = [
        _what(run, label, found),
        _waits(run, charged.join(keys, on=["array", "instruction"], how="semi")),
        _sends(run, charged, keys),
        _on_path(run, set(keys.rows())),
    ]
    facts = {"step": label} | {name: fact for _, some in parts for name, fact in some.items()}
    return Explained(label, tuple(text for text, _ in parts if text), facts)


def _none(label: str, steps: list[str]) -> str:
    near = get_close_matches(label, steps, n=6, cutoff=0.5)
    begins = list(dict.fromkeys(".".join(step.split(".")[:2]) for step in steps))
    offered = f"near it: {', '.join(near)}; " if near else ""
    return f"this run has no step '{label}'; {offered}its steps begin with {', '.join(begins)}"


def _what(run: "Run", label: str, found: pl.DataFrame) -> tuple[str, dict[str, Any]]:
    arrays = listed(f"array {array}" for array in found["array"].unique().sort())
    steps = found["step"].n_unique()
    at = levels_text(found["level"])
    does = _DOES[found["operation"][0]] if steps == 1 else f"{steps} steps"
    text = f"{label} is {does} of {arrays}, issued {_times(found.height)}{f' ({at})' if at else ''}."
    first, last = int(found["issue"].to_numpy().min()), int(found["end"].to_numpy().max())
    spent = int((found["end"] - found["issue"]).sum())
    if analysis.per_node(run.trace):
        text += (
            f" Every node issues it by itself: the first begins in cycle {first:,}, the "
            "last ends "
            f"in cycle {last:,}."
        )
    elif steps == 1:
        shown = found.select("level", "issue", "end", "active").head(_SHOWN).iter_rows()
        rows = [
            f"{'' if level is None else f'level {level} in '}[{issue:,}, {end:,}) on "
            f"{counted(active, 'node')}"
            for level, issue, end, active in shown
        ]
        text += f" It takes {cycles(spent)}: {'; '.join(rows)}{'; ...' if found.height > _SHOWN else ''}."
    else:
        text += (
            f" The first begins in cycle {first:,}, the last ends in cycle "
            f"{last:,}; "
            f"together they work {cycles(spent)}."
        )
    return text, {"issued": found.to_dicts()}


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number:,} times")


def _waits(run: "Run", own: pl.DataFrame) -> tuple[str, dict[str, Any]]:
    """What it has to wait for."""
    still = int(own["cycles"].sum())
    by = ("cause_array", "cause_step", "value")
    causes = analysis.account(own, *by).select(*by, "cycles")
    late = {
        f"array {array} was late in {step}": count
        for array, step, value, count in causes.iter_rows()
        if value is None
    }
    facts = {"still": still, "waits_for": causes.to_dicts()}
    if not still:
        return "It never has to wait: what it reads is there when its turn comes.", facts
    units = "node cycles" if analysis.per_node(run.trace) else "cycles"
    who = "Its nodes stand" if analysis.per_node(run.trace) else "Its array stands"
    sent = [
        f"{all_or(count, still)} for {value} of {step} (array {array})"
        for array, step, value, count in causes.iter_rows()
        if value is not None
    ]
    slow = [f"{all_or(count, still)} because {why}" for why, count in late.items()]
    named = [*sent, *slow]
    more = f" and {counted(len(named) - _SHOWN, 'other cause')}" if len(named) > _SHOWN else ""
    return f"{who} still before it for {still:,} {units}: {', '.join(named[:_SHOWN])}{more}.", facts


def _sends(run: "Run", charged: pl.DataFrame, keys: pl.DataFrame) -> tuple[str, dict[str, Any]]:
    """What its messages cost."""
    posted = run.trace.messages.rename({"source_array": "array"})
    posted = posted.join(keys, on=["array", "instruction"], how="semi")
    if not posted.height:
        return "", {"messages": 0}
    crossing = run.trace.hops.filter(pl.col("message").is_in(posted["id"].to_list())).height
    flown = analysis.flights(run, charged).join(keys, on=["array", "instruction"], how="semi")
    sums = flown.select("cycles", "exposed", "hidden", "beside", "stalled").sum().row(0, named=True)
    by_label = dict(analysis.account(flown, "label").select("label", "cycles").iter_rows())
    sizes = posted["words"].unique().sort().to_list()
    each = f"{sizes[0]} to {sizes[-1]} words" if len(sizes) > 1 else counted(sizes[0], "word")
    text = (
        f"It posts {counted(posted.height, 'message')} of {listed(sorted(set(posted['value'])))}, {each} "
        "each, over "
        f"{counted(crossing, 'channel')} in all, and {_reads(posted)}."
    )
    if sums["cycles"]:
        text += (
            f" They are under way for {cycles(sums['cycles'])}, each message counted for itself: "
            f"{kinds(by_label, sums['cycles'])}. {exposure(sums['exposed'], sums['cycles'])}; "
            f"{sums['hidden']:,} are "
            f"hidden, {sums['beside']:,} of them while the reader stands still for something else."
        )
    return text, {"messages": posted.height, "channels": crossing, "spent": by_label, **sums}


def _reads(posted: pl.DataFrame) -> str:
    slack = posted["read_at"] - posted["arrived"]
    if not slack.max():
        return "each is read in the cycle in which it arrives"
    if slack.min() == slack.max():
        return f"each is read {cycles(int(slack[0]))} after it arrives"
    least, most = int(slack.to_numpy().min()), int(slack.to_numpy().max())
    return f"they are read {least:,} to {most:,} cycles after they arrive"


def _on_path(run: "Run", keys: set[tuple[int, ...]]) -> tuple[str, dict[str, Any]]:
    """How much of the makespan is its own."""
    path = analysis.critical_path(run.trace, *channel_times(run.description["machine"]))
    own = [piece for piece in path if (piece.array, piece.instruction) in keys]
    totals = analysis.path_totals(own)
    length = sum(totals.values())
    if not length:
        return (
            "None of it is on the critical path: quicker, it would help only where it holds a channel that "
            "others wait for.",
            {"on_critical_path": totals},
        )
    first = min(own, key=lambda piece: piece.start)
    text = (
        f"{cycles(length)} of it and its messages {'is' if length == 1 else 'are'} on the critical path "
        f"({share(length, run.summary['makespan'])} of the makespan): {kinds(totals, length)}; "
        "the first "
        f"with {step_text(first.step, first.level)} in cycle {first.start:,}."
    )
    return text, {"on_critical_path": totals}

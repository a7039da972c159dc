"""A node: who lives there, where its cycles went, and what it sends and takes."""

from typing import TYPE_CHECKING, Any

import polars as pl

from senn.traces import analysis
from senn.traces.errors import InputError
from senn.traces.explained.text import Explained, cycles, exposure, kinds, levels_text, listed, of, place
from senn.traces.naming import counted

if TYPE_CHECKING:
    from senn.traces.run import Run

_ACCOUNT = {
    "compute": "computing",
    "post": "posting",
    "receive": "receiving",
    "masked": "masked",
    "stall": "standing still",
}


def of_node(run: "Run", array: int, node: int) -> Explained:
    """A node by its array, from 1, and its address, from 0; InputError if there is none."""
    arrays, nodes = len(run.summary["arrays"]), int(run.description["schedule"]["nodes"])
    if not 1 <= array <= arrays or not 0 <= node < nodes:
        raise InputError(
            f"this run has no node {array}:{node}; its arrays are 1 to {arrays}, and the nodes of each 0 "
            f"to {nodes - 1}"
        )
    charged = analysis.charges(run)
    parts = [
        _lives(run, array, node),
        _cycles(run, array, node),
        _still(run, array, node, charged),
        _dma(run, array, node),
        _messages(run, array, node, charged),
    ]
    facts: dict[str, Any] = {"array": array, "node": node}
    facts |= {name: fact for _, some in parts for name, fact in some.items()}
    return Explained(place(array, node), tuple(text for text, _ in parts if text), facts)


def _lives(run: "Run", array: int, node: int) -> tuple[str, dict[str, Any]]:
    """Home is row 0 of the table, then a row for each level."""
    said = run.description["allocation"]
    home, *levels = said["tables"][array - 1] if "tables" in said else said["table"]
    at_home = [process for process, at in enumerate(home, 1) if at == node]
    by_level = {
        level: [process for process, at in enumerate(row, 1) if at == node]
        for level, row in enumerate(levels, 1)
    }
    facts = {"home_of": at_home, "lives_there": {str(level): found for level, found in by_level.items()}}
    title = place(array, node).capitalize()
    text = f"{title} is home of {_processes(at_home)}." if at_home else f"{title} is home of no process."
    if any(found != at_home for found in by_level.values()):
        named = [f"{_processes(found)} in level {level}" for level, found in by_level.items()]
        text += f" It is the place of {listed(named)}."
    elif not at_home:
        text += " It only forwards messages."
    return text, facts


def _processes(found: list[int]) -> str:
    if not found:
        return "nobody"
    return f"process{'es' if len(found) > 1 else ''} {listed(map(str, found))}"


def _cycles(run: "Run", array: int, node: int) -> tuple[str, dict[str, Any]]:
    """The account of the node, which adds up to the end of its array."""
    nodes = int(run.description["schedule"]["nodes"])
    accounts = analysis.node_accounts(run.trace, nodes).filter(array=array, node=node)
    row = accounts.row(0, named=True)
    end = run.summary["arrays"][str(array)]["end"]
    spent = {name: row[name] for name in _ACCOUNT}
    most_first = sorted((name for name in spent if spent[name]), key=lambda name: -spent[name])
    named = (
        listed(f"{of(spent[name], end)} {_ACCOUNT[name]}" for name in most_first) if most_first else "nothing"
    )
    masked = {
        False: "masked: its array works and it does not",
        True: "masked: after its last work, until its array ends",
    }[analysis.per_node(run.trace)]
    note = f" ({masked})" if spent["masked"] else ""
    return f"Its {cycles(end)} until array {array} ends are {named}{note}.", {"cycles": spent, "end": end}


def _still(run: "Run", array: int, node: int, charged: pl.DataFrame) -> tuple[str, dict[str, Any]]:
    """To what its standing still is charged."""
    alone = analysis.per_node(run.trace)
    own = charged.filter((pl.col("array") == array) & ((pl.col("node") == node) if alone else True))
    still = int(own["cycles"].sum())
    by_label = dict(analysis.account(own, "label").select("label", "cycles").iter_rows())
    if not still:
        return "", {"charged": by_label}
    together = "" if alone else " (its array does so as one)"
    return f"That it stands still{together} is charged to {kinds(by_label, still)}.", {"charged": by_label}


def _dma(run: "Run", array: int, node: int) -> tuple[str, dict[str, Any]]:
    found = analysis.overlap(run.trace).filter(array=array, node=node).to_dicts()
    row = {name: count for name, count in found[0].items() if name not in ("array", "node")} if found else {}
    busy = row.get("dma", 0)
    if not busy:
        return "Its DMA sends nothing.", {"dma": row}
    under = {
        "hidden": "under its own computing",
        "stall": "while it stands still",
        "drain": "after its array has ended",
    }
    named = [f"{of(row[name], busy)} {text}" for name, text in under.items() if row[name]]
    other = row["post"] + row["receive"] + row["masked"]
    named += [f"{of(other, busy)} under other work of its array"] if other else []
    return f"Its DMA is busy for {cycles(busy)}: {listed(named)}.", {"dma": row}


def _messages(run: "Run", array: int, node: int, charged: pl.DataFrame) -> tuple[str, dict[str, Any]]:
    trace = run.trace
    sent = trace.messages.filter(source_array=array, source_node=node)
    taken = trace.messages.filter(target_array=array, target_node=node)
    through = trace.hops.filter(
        (pl.col("source_array") == array) & (pl.col("source_node") == node) & (pl.col("hop") > 0)
    )
    flown = analysis.flights(run, charged).filter(array=array, node=node)
    sums = flown.select("cycles", "exposed", "hidden", "beside").sum().row(0, named=True)
    facts = {"sent": sent.height, "taken": taken.height, "forwarded": through.height, "of_sent": sums}
    text = (
        f"It sends {counted(sent.height, 'message')} ({counted(int(sent['words'].sum()), 'word')}), takes "
        f"{taken.height:,} "
        f"and passes on {through.height:,}."
    )
    if sent.height:
        to = (
            sent.group_by("target_array", "target_node", maintain_order=True)
            .len()
            .sort("len", descending=True, maintain_order=True)
        )
        most = to.row(0)
        where = "itself" if most[:2] == (array, node) else place(most[0], most[1])
        text += f" Most of what it sends, {most[2]:,}, goes to {where}."
    if sums["cycles"]:
        text += (
            f" What it sends is under way for {cycles(sums['cycles'])}. "
            f"{exposure(sums['exposed'], sums['cycles'])}."
        )
    if sums["exposed"]:
        worst = analysis.account(flown, "step").row(0, named=True)
        at = levels_text(flown.filter(step=worst["step"])["level"])
        text += f" Most of these are of {worst['step']}{f' ({at})' if at else ''}: {worst['exposed']:,}."
    return text, facts

"""Traces to export, and what is in them, read row by row from their tables: not by the tracks of the
exports."""

from collections import Counter
from functools import cache
from itertools import pairwise
from typing import Any

import senn
from senn.traces.naming import value_text
from senn.traces.record import Trace
from tests.traces.hand_trace import hand_trace

Interval = tuple[int, int, str, str]
"""Start, duration, name, track."""

_PAPER: dict[str, Any] = {"machine": "paper", "numbers": False}
_RUNS: dict[str, tuple[str, dict[str, Any]]] = {
    "two arrays": ("random:8", _PAPER),
    "one array": ("random:5", {**_PAPER, "arrays": 1}),
    "three arrays": ("random:9", {**_PAPER, "arrays": 3, "set": {"timing.post": "0"}}),
    "eight arrays": ("random:4", {**_PAPER, "arrays": 8, "residency": "home"}),
    "every node for itself": ("random:6", {**_PAPER, "set": {"machine.control": "mimd"}}),
    "cut-through": (
        "random:6",
        {**_PAPER, "residency": "home", "set": {"machine.switching": "cut-through", "timing.hop": "2"}},
    ),
    "no time on the way": (
        "random:5",
        {
            **_PAPER,
            "residency": "home",
            "set": {"timing.startup": "0", "timing.word": "0", "timing.post": "0"},
        },
    ),
    "several processes a node": (
        "random:8",
        {**_PAPER, "allocation": "block", "set": {"machine.nodes": "4", "timing.receive": "2"}},
    ),
}
NAMES = ("by hand", *_RUNS)


@cache
def trace(name: str) -> Trace:
    """The trace of this name."""
    if name == "by hand":
        return hand_trace()
    problem, choices = _RUNS[name]
    return senn.run(problem, **choices).trace


def intervals(of: Trace) -> Counter[Interval]:
    """Every interval of a trace; tracks are called as in a file that has all arrays."""
    found: Counter[Interval] = Counter()
    carried = {
        row["id"]: value_text(row["value"], row["level"], row["process"])
        for row in of.messages.iter_rows(named=True)
    }
    steps = {(row["array"], row["serial"]): row["step"] for row in of.instructions.iter_rows(named=True)}
    for row in of.instructions.iter_rows(named=True):
        if row["stall"] is None:
            continue
        track, issue = f"array {row['array']} control unit", row["issue"]
        found[issue, row["end"] - issue, row["step"], track] += 1
        if row["stall"]:
            found[issue - row["stall"], row["stall"], f"waits for {carried[row['released_by']]}", track] += 1
    for row in of.activities.iter_rows(named=True):
        step = steps[row["array"], row["instruction"]]
        name = step if row["class"] == "compute" else f"{step} {row['class']}"
        track = f"array {row['array']} node {row['node']}"
        found[row["start"], row["end"] - row["start"], name, track] += 1
    for row in of.hops.iter_rows(named=True):
        down = row["source_array"] != row["target_array"]
        to = f"array {row['target_array']} node {row['target_node']}" if down else row["target_node"]
        track = f"array {row['source_array']} {row['wire']} from {row['source_node']} to {to}"
        found[row["start"], row["end"] - row["start"], carried[row["message"]], track] += 1
    return found


def under_way(of: Trace) -> dict[int, list[tuple[int, int]]]:
    """By array: (cycle, messages under way) from cycle 0, wherever the number changes, counted cycle by
    cycle."""
    found = {}
    for array in of.instructions["array"].unique().sort().to_list():
        change: Counter[int] = Counter()
        for row in of.messages.filter(source_array=array).iter_rows(named=True):
            change[row["posted"]] += 1
            change[row["arrived"]] -= 1
        number, seen = 0, []
        for cycle in range(max(change, default=0) + 1):
            if cycle == 0 or change[cycle]:
                number += change[cycle]
                seen.append((cycle, number))
        found[array] = seen
    return found


def arrows(of: Trace) -> Counter[tuple[Interval, Interval]]:
    """From interval to interval: a message's post, its hops, and what its first reader does first.

    A reader that waits does nothing itself; then it is the wait of its control unit, if it has one. Channels
    that take no time are left out, and ways within a cycle.
    """
    steps = {(row["array"], row["serial"]): row for row in of.instructions.iter_rows(named=True)}
    engines: dict[tuple[int, int, int], list[dict[str, Any]]] = {}
    for row in of.activities.iter_rows(named=True):
        engines.setdefault((row["array"], row["instruction"], row["node"]), []).append(row)
    hops: dict[int, list[dict[str, Any]]] = {}
    for row in of.hops.iter_rows(named=True):
        hops.setdefault(row["message"], []).append(row)

    def of_engine(row: dict[str, Any]) -> Interval:
        step = steps[row["array"], row["instruction"]]["step"]
        name = step if row["class"] == "compute" else f"{step} {row['class']}"
        return row["start"], row["end"] - row["start"], name, f"array {row['array']} node {row['node']}"

    found: Counter[tuple[Interval, Interval]] = Counter()
    for row in of.messages.iter_rows(named=True):
        name = value_text(row["value"], row["level"], row["process"])
        way = [of_engine(engines[row["source_array"], row["instruction"], row["source_node"]][0])]
        for hop in hops.get(row["id"], []):
            down = hop["source_array"] != hop["target_array"]
            to = f"array {hop['target_array']} node {hop['target_node']}" if down else hop["target_node"]
            track = f"array {hop['source_array']} {hop['wire']} from {hop['source_node']} to {to}"
            if hop["end"] > hop["start"]:
                way.append((hop["start"], hop["end"] - hop["start"], name, track))
        reader = engines.get((row["target_array"], row["read_by"], row["target_node"]))
        waits = steps[row["target_array"], row["read_by"]]
        if reader:
            way.append(of_engine(min(reader, key=lambda one: (one["start"], one["end"]))))
        elif waits["stall"] is not None:
            track = f"array {row['target_array']} control unit"
            way.append((waits["issue"], waits["end"] - waits["issue"], waits["step"], track))
        if way[0][0] < way[-1][0]:
            found.update(pairwise(way))
    return found

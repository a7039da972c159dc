"""Traces to export, and what is in them, read row by row from their tables: not by the tracks of the
exports."""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import ceil
from typing import Any

import senn
from senn.traces.naming import value_text
from senn.traces.record import Trace
from senn.traces.run import Run
from tests.traces.hand_trace import hand_run

Interval = tuple[int, int, str, str]
"""Start, duration, name, track."""

_PAPER: dict[str, Any] = {"machine": "fijany", "numbers": False}
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
def run(name: str) -> Run:
    """The run of this name."""
    if name == "by hand":
        return hand_run()
    problem, choices = _RUNS[name]
    return senn.run(problem, **choices)


def trace(name: str) -> Trace:
    """Its trace."""
    return run(name).trace


def stages(whole: Run) -> dict[tuple[int, int], list[tuple[str, int, int]]]:
    """By message and hop, what the message does from when to when: (name, start, end), none of no cycle."""
    machine = whole.description["machine"]
    startup, header = (ceil(Fraction(str(machine[time]))) for time in ("startup", "hop"))
    hops = {(row["message"], row["hop"]): row for row in whole.trace.hops.iter_rows(named=True)}
    found = {}
    for (message, hop), row in hops.items():
        begun = row["start"]
        if header:
            last = (message, hop + 1) not in hops
            each = [("start-up", row["queued"] - (0 if hop else startup), row["queued"])]
            each += [("queue", row["queued"], begun), ("header", begun, begun + header)]
            each += [("words", begun + header, row["end"] + header)] if last else []
        else:
            ready = min(begun + startup, row["end"])
            each = [("queue", row["queued"], begun), ("start-up", begun, ready), ("words", ready, row["end"])]
        found[message, hop] = [stage for stage in each if stage[2] > stage[1]]
    return found


def intervals(whole: Run) -> Counter[Interval]:
    """Every interval of a run; tracks are called as in a file that has all arrays."""
    of = whole.trace
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
    nodes = {(row["message"], row["hop"]): row for row in of.hops.iter_rows(named=True)}
    free: dict[tuple[int, int], list[int]] = {}
    there = [(key, each) for key, each in stages(whole).items() if each]
    for (message, hop), each in sorted(there, key=lambda one: (one[1][0][1], one[0])):
        node = nodes[message, hop]["source_array"], nodes[message, hop]["source_node"]
        until = free.setdefault(node, [])
        place = next((k for k, end in enumerate(until) if end <= each[0][1]), len(until))
        until[place : place + 1] = [each[-1][2]]
        for name, start, end in each:
            track = f"array {node[0]} node {node[1]} message {place + 1}"
            found[start, end - start, f"{carried[message]} {name}", track] += 1
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

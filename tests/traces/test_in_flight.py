"""A message is in flight from post to arrival, and each of these cycles has one name, in every view.

What is expected is worked out message by message from the rows of the tables and the formulas of the machine
(machine.message_cycles, ceil of start-up and hop), never from `senn.traces.analysis.in_flight`.
"""

import math
import random
from collections import Counter
from functools import cache

import polars as pl
import pytest

import senn
from senn.machine.model import load
from senn.traces import analysis

_STAR = {"algorithm": "star", "numbers": False}
_RUNS = {
    "cluster": ("rods:64", {**_STAR, "machine": "cluster"}),
    "mark3": ("rods:16", {**_STAR, "machine": "mark3"}),
    "raw": ("random:8", {"machine": "raw", "numbers": False}),
    "one port": ("random:8", {"machine": "cluster", "numbers": False, "set": {"machine.ports": "one"}}),
    "half duplex": ("random:8", {"machine": "fijany", "numbers": False, "set": {"machine.duplex": "half"}}),
    "bus, priority": (
        "random:8",
        {
            "machine": "ipsc860",
            "numbers": False,
            "set": {"machine.vertical": "bus", "machine.discipline": "priority"},
        },
    ),
    "deadline, mimd": (
        "random:8",
        {
            "machine": "fijany",
            "numbers": False,
            "set": {"machine.discipline": "deadline", "machine.control": "mimd", "timing.startup": "2.5"},
        },
    ),
}


@cache
def _run(name):
    problem, choices = _RUNS[name]
    return senn.run(problem, **choices)


@cache
def _expected(name):
    """By message with cycles in flight: (posted, arrived, {name: cycles}) by the machine's formulas."""
    run = _run(name)
    _, choices = _RUNS[name]
    machine = load(choices["machine"]).with_settings(choices.get("set", {}))
    startup = math.ceil(machine.timing.startup)
    hops = {}
    for row in run.trace.hops.iter_rows(named=True):
        hops.setdefault(row["message"], []).append(row)
    found = {}
    for row in run.trace.messages.iter_rows(named=True):
        way = hops.get(row["id"], [])
        if row["posted"] == row["arrived"]:
            continue
        channel = machine.message_cycles(row["words"])
        names = {"queue": sum(hop["start"] - hop["queued"] for hop in way)}
        if machine.switching == "cut-through":
            names |= {
                "start-up": startup,
                "header": math.ceil(machine.timing.hop) * len(way),
                "words": channel,
            }
        else:
            setup = min(startup, channel)
            names |= {"start-up": setup * len(way), "words": (channel - setup) * len(way)}
        found[row["id"]] = (row["posted"], row["arrived"], names)
    return found


def _cycles(name, count=40):
    """Random cycles, and those around the arrival of the last message."""
    last = max(arrived for _, arrived, _ in _expected(name).values())
    return sorted(random.Random(name).sample(range(last), count)) + [last - 1]


@pytest.mark.parametrize("name", _RUNS)
def test_the_four_names_sum_to_the_cycles_in_flight(name):
    """For every discipline, switching and ports: of each message, by the machine's formulas."""
    found = {number: Counter() for number in _expected(name)}
    for row in _run(name).in_flight.iter_rows(named=True):
        named = {"queue": "queue", "startup": "start-up", "hop": "header", "words": "words"}[row["label"]]
        found[row["message"]][named] += row["end"] - row["start"]
    for number, (posted, arrived, names) in _expected(name).items():
        assert found[number] == Counter({key: count for key, count in names.items() if count}), number
        assert found[number].total() == arrived - posted


@pytest.mark.parametrize("name", _RUNS)
def test_a_replay_has_exactly_the_messages_in_flight(name):
    """Those with posted <= t < arrived, in order, and over all cycles of a message its names in full."""
    run = _run(name)
    for cycle in _cycles(name, 10):
        table = [m for m, (posted, arrived, _) in _expected(name).items() if posted <= cycle < arrived]
        assert run.at(cycle).messages["message"].to_list() == table, cycle
    posted, arrived, names = next(iter(_expected(name).values()))
    number = next(iter(_expected(name)))
    if arrived - posted < 400:
        seen = Counter(
            run.at(cycle).messages.filter(message=number)["where"][0] for cycle in range(posted, arrived)
        )
        assert seen == Counter({key: count for key, count in names.items() if count})


@pytest.mark.parametrize("name", ["cluster", "mark3", "one port"])
def test_shares_over_time_have_each_message_in_flight(name):
    """What the timeline of many nodes draws below its base: at a random cycle by name, and in sum."""
    run, expected = _run(name), _expected(name)
    nodes = range(run.description["schedule"]["nodes"])
    flights = pl.col("kind").is_in(["queue", "startup", "hop", "words"])
    for cycle in _cycles(name, 5):
        there = sum(posted <= cycle < arrived for posted, arrived, _ in expected.values())
        table = analysis.shares(run.trace, run.in_flight, [cycle, cycle + 1], nodes).filter(flights)
        assert table["share"].sum() == pytest.approx(there)
    last = max(arrived for _, arrived, _ in expected.values())
    table = analysis.shares(run.trace, run.in_flight, [0, last], nodes).filter(flights)
    cycles = sum(sum(names.values()) for _, _, names in expected.values())
    assert table["share"].sum() * last == pytest.approx(cycles)

"""The table of rounds.md: how many messages in a row each program takes, and how many any must."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import senn
from docs.make.least_rounds import least_of_degree, least_rounds
from docs.make.page import Tables, head, row
from senn.algorithms import catalogue
from senn.machine import model
from senn.machine.network.named import senn as network
from senn.machine.program import Program
from senn.machine.search.combining import combined
from senn.words import placed

SIZES = (8, 64, 256)
ON = "mark3"
ROUNDS = model.load(ON).with_settings(
    {f"timing.{x}": 0 for x in ("flop", "word", "post")} | {"timing.startup": 1}
)
"""A message takes a round on a channel, of whatever length; nothing else takes any time."""

PROGRAMS: dict[str, tuple[str, dict[str, object]]] = {
    "form paper": ("closed-chain", {"form": "paper"}),
    "form short": ("closed-chain", {"form": "short"}),
    "form omega": ("closed-chain", {"form": "omega"}),
    "form short, jets": ("closed-chain", {"form": "short", "motion": "jets"}),
    "form omega, jets": ("closed-chain", {"form": "omega", "motion": "jets"}),
    "form short, outward": ("closed-chain", {"form": "short", "motion": "outward"}),
    "form omega, outward": ("closed-chain", {"form": "omega", "motion": "outward"}),
    "divide and conquer": ("divide-and-conquer", {}),
    "star": ("star", {}),
    "star, together": ("star-together", {}),
    "open chain": ("open-chain", {}),
    "open chain, jets": ("open-chain", {"motion": "jets"}),
    "open chain, outward": ("open-chain", {"motion": "outward"}),
}


def made(name: str, n: int, *, ahead: bool = False) -> Program:
    algorithm, choices = PROGRAMS[name]
    taken = catalogue.algorithm(algorithm)
    moves = {"ahead": True} if ahead and "ahead" in taken.choices else {}
    contact = {"contact": 6} if taken.closed else {}
    return taken.program(n, **choices, **moves, **contact)


def rounds(name: str, n: int) -> int:
    """The fewest, of data that migrate, migrate ahead, or stay at home."""
    ways = [(made(name, n, ahead=way == "ahead"), way) for way in ("migrating", "ahead", "home")]
    return min(int(senn.timed(program, ROUNDS, way).summary["makespan"]) for program, way in ways)


@cache
def in_a_row(name: str, n: int, *, together: bool = False) -> int:
    """Start-ups on the critical path on mark3, migrating."""
    program, on = made(name, n), model.load(ON)
    if together:
        program = combined(placed(program, on), on).program
    run = senn.timed(program, on, detail="full")
    path = run.path
    return sum(piece.label == "startup" for piece in path)


def programs() -> Iterator[str]:
    """Rounds at three sizes; start-ups in a row on mark3 at n = 64."""
    sizes = (f"rounds, n = {n}" for n in SIZES)
    yield from head("program", *sizes, f"start-ups in a row, n = 64, {ON}", "combined")
    for degree in (3, 4):
        yield row(
            f"any network with {degree} wires at a node", *(least_of_degree(n, degree) for n in SIZES), "", ""
        )
    yield row("any program on SENN", *(least_rounds(network(n)) for n in SIZES), "", "")
    for name in PROGRAMS:
        found = [rounds(name, n) for n in SIZES]
        yield row(name, *found, in_a_row(name, 64), in_a_row(name, 64, together=True))


DATA: Tables = {"programs": programs}

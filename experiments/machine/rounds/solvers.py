"""Is there a schedule of so many rounds? Two solvers, each with its own encoding of the question.

CP-SAT (ortools) gets what a node can hold in time and what is still of use, and each channel at most one
datum. CaDiCaL (python-sat) gets clauses for every node, round and datum; that a channel carries one datum
is said by the bits of its number. Neither reads what the other wrote.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from contextlib import suppress
from itertools import product
from typing import Any, Literal

from experiments.machine.rounds.tasks import Graph, Schedule, Sent, Task

Found = Schedule | Literal["impossible"] | None
"""A schedule, the proof that there is none, or no decision in time."""


def by_cp_sat(what: Task, graph: Graph, rounds: int, limit: float) -> Found:
    """Data that cannot be at a node in time, or are of no use from there, have no variable."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    false = model.new_constant(0)

    def possible(number: int, node: int, name: str) -> bool:
        come = max(graph.distances[a][node] for a in what.origins[name])
        go = min((graph.distances[node][b] for b in what.ends[name]), default=rounds + 1)
        return come <= number and number + go <= rounds

    held: dict[tuple[int, int, str], Any] = {
        at: model.new_bool_var("") if possible(*at) else false
        for at in product(range(rounds + 1), range(graph.nodes), what.products)
    }
    sent: dict[tuple[int, tuple[int, int], str], Any] = {
        (number, channel, name): model.new_bool_var("")
        for number, channel, name in product(range(1, rounds + 1), graph.channels, what.products)
        if held[number - 1, channel[0], name] is not false and held[number, channel[1], name] is not false
    }
    arriving: dict[tuple[int, int, str], list[Any]] = {}
    uses: dict[tuple[int, str, int], list[Any]] = {}
    carried: dict[tuple[int, tuple[int, int]], list[Any]] = {}
    for (number, channel, name), x in sent.items():
        model.add_implication(x, held[number - 1, channel[0], name])
        arriving.setdefault((number, channel[1], name), []).append(x)
        carried.setdefault((number, channel), []).append(x)
        for k, side in enumerate(("out", "in")):
            uses.setdefault((number, side, channel[k]), []).append(x)
    for (number, node, name), x in held.items():
        if x is false or (number == 0 and what.start.get(name) == node):
            continue
        reasons = list(arriving.get((number, node, name), []))
        if number:
            reasons.append(held[number - 1, node, name])
        for way in what.products[name]:
            parts = [held[number, node, part] for part in way]
            if all(part is not false for part in parts):
                made = model.new_bool_var("")
                for part in parts:
                    model.add_implication(made, part)
                reasons.append(made)
        model.add_bool_or([*reasons, ~x])
    for group in (uses if graph.one_port else carried).values():
        model.add_at_most_one(group)
    for node, name in what.goals:
        if held[rounds, node, name] is false:
            return "impossible"
        model.add(held[rounds, node, name] == 1)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 2
    solver.parameters.max_time_in_seconds = limit
    status = solver.solve(model)
    if status == cp_model.INFEASIBLE:
        return "impossible"
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None
    schedule: list[list[Sent]] = [[] for _ in range(rounds)]
    for (number, (a, b), name), x in sent.items():
        if solver.value(x):
            schedule[number - 1].append((a, b, name))
    return schedule


def clauses(what: Task, graph: Graph, rounds: int) -> tuple[list[list[int]], dict[int, tuple[int, Sent]]]:
    """The question in clauses, and the message that each variable of a message stands for."""
    from pysat.card import CardEnc, EncType

    names, nodes = list(what.products), range(graph.nodes)
    last, lines, messages = 0, [], {}

    def new() -> int:
        nonlocal last
        last += 1
        return last

    holds = {(v, name): what.start.get(name) == v for v, name in product(nodes, names)}
    now: dict[tuple[int, str], int] = {}
    for number in range(rounds + 1):
        before, now = now, {at: new() for at in holds}
        reasons: dict[tuple[int, str], list[int]] = {at: [] for at in holds}
        if number:
            carried: dict[tuple[Any, ...], list[int]] = {}
            for (a, b), name in product(graph.channels, names):
                x = new()
                messages[x] = (number, (a, b, name))
                lines.append([-x, before[a, name]])
                reasons[b, name].append(x)
                for group in (("out", a), ("in", b)) if graph.one_port else ((a, b),):
                    carried.setdefault(group, []).append(x)
            for several in carried.values():
                single = CardEnc.atmost(several, top_id=last, encoding=EncType.bitwise)
                lines += single.clauses
                last = max(last, single.nv)
        for at in holds:
            if number:
                reasons[at].append(before[at])
            elif holds[at]:
                lines.append([now[at]])
                continue
            for way in what.products[at[1]]:
                made = new()
                lines += [[-made, now[at[0], part]] for part in way]
                reasons[at].append(made)
            lines.append([-now[at], *reasons[at]])
    lines += [[now[goal]] for goal in what.goals]
    return lines, messages


def by_cadical(what: Task, graph: Graph, rounds: int, limit: float) -> Found:
    """In a process of its own, which is ended when the time is over."""
    queue: Any = multiprocessing.Queue()
    process = multiprocessing.Process(target=_cadical, args=(what, graph, rounds, queue), daemon=True)
    process.start()
    found: Found = None
    with suppress(Exception):  # queue.Empty: no decision in time
        found = queue.get(timeout=limit)
    process.terminate()
    process.join()
    return found


def _cadical(what: Task, graph: Graph, rounds: int, queue: Any) -> None:
    from pysat.solvers import Solver

    lines, messages = clauses(what, graph, rounds)
    with Solver(name="cadical195", bootstrap_with=lines) as solver:
        if not solver.solve():
            queue.put("impossible")
            return
        schedule: list[list[Sent]] = [[] for _ in range(rounds)]
        for x in solver.get_model():
            if x in messages:
                number, message = messages[x]
                schedule[number - 1].append(message)
        queue.put(schedule)


SOLVERS: dict[str, Callable[[Task, Graph, int, float], Found]] = {"CP-SAT": by_cp_sat, "CaDiCaL": by_cadical}

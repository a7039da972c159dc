"""The tables and the picture of fewest_rounds.md.

`schedules` asks two solvers for every case, about an hour on two cores, and needs the extra `experiments`:
pip install 'senn[experiments]'. Without it the stored schedules are kept. All else replays them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from importlib.util import find_spec
from itertools import product
from typing import Any

from matplotlib import pyplot
from matplotlib.figure import Figure

import senn
from experiments.machine.rounds import programs as written_out
from experiments.machine.rounds import tasks
from experiments.machine.rounds.solvers import SOLVERS
from experiments.machine.rounds.tasks import OPERATIONS, Graph, Schedule
from experiments.page import Figures, Tables, data, head, row
from senn.algorithms import gallery
from senn.machine.network.measures import measures
from senn.machine.network.named import network as named
from senn.traces.pictures import style
from senn.traces.run import Run

NETWORKS = ("senn", "hypercube", "ring", "torus")
SIZES = (8, 16, 32)
PORTS = {"all": False, "one": True}
SECONDS = 100
"""For each question to a solver."""
QUICK = ("senn", "hypercube", "torus")
ASKED = {
    ("reduction", 32, "one"): (),
    ("prefixes", 32, "all"): QUICK,
    ("prefixes", 32, "one"): (),
    ("prefixes and suffixes", 32, "all"): QUICK,
    ("prefixes and suffixes", 32, "one"): (),
    ("elimination", 16, "one"): (),
    ("elimination", 32, "all"): ("hypercube", "ring", "torus"),
    ("elimination", 32, "one"): (),
}
"""Networks by operation, nodes and ports, where not all four: solvers did not decide within minutes, or were
not tried."""


@dataclass(frozen=True)
class Case:
    """A question: the fewest rounds of this operation."""

    operation: str
    network: str
    nodes: int
    ports: str

    @property
    def graph(self) -> Graph:
        return Graph(self.network, self.nodes, PORTS[self.ports])

    @property
    def task(self) -> tasks.Task:
        return OPERATIONS[self.operation](self.nodes)


def cases() -> Iterator[Case]:
    """All questions that are asked."""
    for operation, network, nodes, ports in product(OPERATIONS, NETWORKS, SIZES, PORTS):
        if network in ASKED.get((operation, nodes, ports), NETWORKS):
            yield Case(operation, network, nodes, ports)


HEAD = ("operation", "network", "nodes", "ports", "distance", "least", "most", "refuted by", "schedule")


def solved(case: Case) -> tuple[Any, ...]:
    """The cells of a case: one round more as long as both solvers refute, and 1, 2, 4, ... more while one of
    them does not decide in time; then `least` is below `most`."""
    what, graph = case.task, case.graph
    rounds = distance = tasks.distance(what, graph)
    least, by, stride = distance, "distance", 1
    while True:
        found = {name: solver(what, graph, rounds, SECONDS) for name, solver in SOLVERS.items()}
        schedule = next((x for x in found.values() if isinstance(x, list)), None)
        if schedule is not None:
            if "impossible" in found.values():
                raise ArithmeticError(f"the solvers contradict each other: {case}, {rounds} rounds")
            text = tasks.written(tasks.without_waste(what, graph, schedule))
            return (*vars(case).values(), distance, least, rounds, by, text)
        if set(found.values()) == {"impossible"}:  # type: ignore[arg-type]
            rounds += 1
            least, by = rounds, " and ".join(SOLVERS)
        else:
            rounds, stride = rounds + stride, 2 * stride


def schedules() -> Iterator[str]:
    """A row for each case; refuted: one round less than `least`."""
    yield from head(*HEAD)
    if not all(map(find_spec, ("ortools", "pysat"))):
        print("fewest_rounds: stored schedules are kept; to solve, pip install 'senn[experiments]'")
        yield from (row(*cells) for cells in data("fewest_rounds", "schedules")[1:])
        return
    for case in cases():
        yield row(*solved(case))


# ----------------------------------------------------------------------------- what is stored


@dataclass(frozen=True)
class Answer:
    """A row of the data."""

    case: Case
    distance: int
    least: int
    most: int
    refuted_by: str
    schedule: Schedule

    @property
    def text(self) -> str:
        """ "7", or "7 to 8" where it is not decided; bold where distance alone does not explain it."""
        known = f"{self.most}" if self.least == self.most else f"{self.least} to {self.most}"
        return known if self.most == self.distance else f"**{known}**"


@cache
def answers() -> dict[Case, Answer]:
    """The data by case."""
    found = {}
    for operation, network, nodes, ports, *bounds, by, schedule in data("fewest_rounds", "schedules")[1:]:
        case = Case(operation, network, int(nodes), ports)
        found[case] = Answer(case, *map(int, bounds), by, tasks.read(schedule))  # type: ignore[call-arg]
    return found


def run(answer: Answer) -> Run:
    """The schedule on the machine, with numbers, every memory checked."""
    case = answer.case
    program = written_out.program(case.operation, case.graph, answer.schedule)
    memory = written_out.given(case.operation, case.nodes)
    return senn.solved(program, memory, written_out.machine(case.graph), "home", check=True)


def fewest(ports: str) -> Iterator[str]:
    """By operation and network, for all SIZES; with one port a node sends one datum and receives one."""
    yield from head("operation", *(f"`{network}`" for network in NETWORKS))
    every = ([measures(named(network, nodes)).diameter for nodes in SIZES] for network in NETWORKS)
    yield row("diameter", *(", ".join(map(str, rounds)) for rounds in every))
    for operation in OPERATIONS:
        cells = ([answers().get(Case(operation, x, nodes, ports)) for nodes in SIZES] for x in NETWORKS)
        yield row(operation, *(", ".join(x.text if x else "-" for x in found) for found in cells))


CLASSICS = {
    "broadcast": "broadcast",
    "reduction": "reduce",
    "prefixes": "kogge-stone",
    "transposition": "transpose",
}


def classics() -> Iterator[str]:
    """Rounds of the classics on SENN, all ports, beside the fewest."""
    yield from head("program", *(f"n = {n}" for n in SIZES))
    for operation, name in CLASSICS.items():
        cells: list[object] = []
        for n in SIZES:
            case, times = Case(operation, "senn", n, "all"), ["-", "-"]
            with suppress(senn.InputError):  # a size that the classic does not take
                program, on = gallery.classic(name).program(n), written_out.machine(case.graph)
                runs = (senn.timed(program, on, residency) for residency in ("home", "migrating"))
                times = [run.summary["makespan"] for run in runs]
            cells.append(", ".join(map(str, (*times, answers()[case].text))))
        yield row(f"`{name}`", *cells)


# --------------------------------------------------------------------------------- the picture

SHOWN = Case("prefixes and suffixes", "senn", 16, "all")


def drawn() -> Figure:
    """Round by round, every message of one schedule, and how much of its answers each node has."""
    figure, ax = pyplot.subplots(1, 1, figsize=(11.0, 6.4), layout="constrained")
    answer = answers()[SHOWN]
    n, what = answer.case.nodes, answer.case.task
    origins = tasks.replay(what, answer.case.graph, answer.schedule)
    for number, messages in enumerate(answer.schedule):
        for a, b, name in messages:
            span = [int(k) for k in name.split("-")]
            color = pyplot.get_cmap("viridis")(0.92 * (span[-1] - span[0]) / (n - 1))
            ax.annotate(
                "",
                (number + 0.92, b),
                (number + 0.12, a),
                arrowprops={"arrowstyle": "-|>", "color": color, "lw": 1.3, "shrinkA": 0, "shrinkB": 0},
            )
    for (node, name), origin in origins.items():
        if (node, name) in what.goals:
            prefix = name in ("0", f"0-{node}")
            x, mark = (0.03, ">") if prefix else (-0.03, "<")
            ax.plot(origin.round + x, node, mark, color=style.INK, markersize=6)
    ax.set_ylim(n - 0.5, -0.5)
    ax.set_yticks(range(n))
    ax.set_xticks(range(answer.most + 1))
    ax.set_xlabel("after so many rounds")
    ax.set_ylabel("node")
    style.plain_frame(ax)
    total = sum(map(len, answer.schedule))
    title = f"Prefixes and suffixes of {n} data on SENN in {answer.most} rounds, {total} messages"
    caption = "> has its prefix, < its suffix; dark: one datum, light: a product of many"
    style.headed(ax, title, [], caption)
    return figure


DATA: Tables = {"schedules": schedules}
TABLES: Tables = {
    "all ports": partial(fewest, "all"),
    "one port": partial(fewest, "one"),
    "classics": classics,
}
FIGURES: Figures = {"fewest_rounds": drawn}

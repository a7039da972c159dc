"""Invariant I14: the trace has the messages, routes and labels that the text of the program asks for.

`Text` reads the program by itself; the distances are counted by a search of their own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import groupby, pairwise, permutations
from typing import Any

from senn.machine.engines.memory import Violation
from senn.machine.invariants.reading import Reading
from senn.machine.invariants.text import Message, Text
from senn.machine.network.topology import KINDS, Channels
from senn.machine.program import Arrange, Compute, Instruction, Operand, Send, Value, Wait
from senn.machine.program.flow import operands_of
from senn.traces.naming import TOGETHER
from senn.traces.record import SCHEMA

_TIMES = ("posted", "granted", "arrived", "read_at")


def placed_as_written(r: Reading) -> None:
    """I14: messages, routes, first readers, and processes of all activities are those of the text."""
    text = Text(r.schedule.program, r.schedule.allocation.tolist())
    names = ("array", "serial", "step", "level", "operation", "active", "awaits", "posts")
    awaits, posts = defaultdict(list), defaultdict(list)
    for k, m in enumerate(text.messages):
        posts[m.array, m.serial].append(k)
        if m.read_by is not None:
            awaits[m.to.array, m.read_by].append(k)
    due = [
        (*key, line.step, line.level, line.operation, len({*text.nodes(key)}), awaits[key], posts[key])
        for key, (line, _) in sorted(text.issued.items())
    ]
    table = r.trace.instructions.select(names[:6])
    recorded = [
        (*row, task.needs.tolist(), [*task.posts])
        for row, task in zip(table.iter_rows(), r.schedule.every_task, strict=True)
    ]
    _same("instruction", names, recorded, due)
    _messages(r, text)
    _activities(r, text)
    _routes(r, text)
    _nothing_in_vain(text)


def _same(what: str, names: Sequence[str], recorded: Sequence[Any], due: Sequence[Any]) -> None:
    """Raise a Violation with the first row that differs."""
    for k in range(max(len(recorded), len(due))):
        rows = [
            ", ".join(f"{name} {x}" for name, x in zip(names, rows[k], strict=True))
            if k < len(rows)
            else "no more"
            for rows in (recorded, due)
        ]
        if rows[0] != rows[1]:
            raise Violation(
                f"I14: {what} {k} of the trace: {rows[0]}; the text of the program asks for: {rows[1]}"
            )


def _messages(r: Reading, text: Text) -> None:
    names = tuple(name for name in SCHEMA["messages"] if name not in _TIMES)
    due = []
    for k, m in enumerate(text.messages):
        step, target = text.issued[m.array, m.serial][0].step, (m.to.array, text.places(m)[-1][0])
        level, *others = {value.level for value in m.values}
        letters = [x.letter for x in m.values]
        if others:
            level = None
            letters = [x.letter + ("" if x.level is None else f"^{x.level}") for x in m.values]
        value, words = TOGETHER.join(letters), sum(x.words for x in m.values)
        processes = (m.process + 1, m.process + 1, m.target + 1)
        due.append((k, m.array, m.serial, step, value, level, *processes, m.node, *target, words, m.read_by))
    _same("message", names, list(r.trace.messages.select(names).iter_rows()), due)


def _activities(r: Reading, text: Text) -> None:
    """A node that acts or receives for one process names it."""
    names = ("array", "instruction", "node", "process")
    acts: dict[tuple[int, int, int], set[int]] = defaultdict(set)
    receives: dict[tuple[int, int, int], set[int]] = defaultdict(set)
    for key, (_, processes) in text.issued.items():
        for node, i in zip(text.nodes(key), processes, strict=True):
            acts[*key, node].add(i + 1)
    for m in text.messages:
        receives[m.to.array, m.read_by or 0, text.places(m)[-1][0]].add(m.target + 1)
    table = r.trace.activities.select("class", *names).rows()
    works = [key for key in acts if not isinstance(text.issued[key[:2]][0], Wait)]
    at_work = [row[1:] for row in table if row[0] != "receive"]
    _same(
        "activity",
        names,
        sorted(at_work, key=lambda row: row[:3]),
        [(*key, _one(acts[key])) for key in sorted(works)],
    )
    receiving = [row[1:] for row in table if row[0] == "receive"]
    due = [(*row[:3], _one(acts.get(row[:3]) or receives[row[:3]])) for row in receiving]
    _same("activity of receiving", names, receiving, due)


def _one(processes: set[int]) -> int | None:
    return min(processes) if len(processes) == 1 else None


# ------------------------------------------------------------ routes


def _routes(r: Reading, text: Text) -> None:
    """A message goes from place to place by a way of its routing, and to other arrays at the end."""
    ways = _Ways(r.machine.network_for(r.schedule.program.levels), _FORMULAS.get(r.machine.routing))
    columns = ("source_array", "target_array", "source_node", "target_node", "wire")
    hops: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for message, number, *hop in r.trace.hops.select("message", "hop", *columns).iter_rows():
        if number != len(hops[message]) or message >= len(text.messages):
            raise Violation(f"I14: hop {number} of message {message} follows {len(hops[message])} hops")
        hops[message].append(tuple(hop))
    for k, m in enumerate(text.messages):
        places, turn = text.places(m), 1 if m.to.array > m.array else -1
        last = places[-1][0]
        down = [
            (array, array + turn, last, last, f"vertical:{last}-{last}")
            for array in range(m.array, m.to.array, turn)
        ]
        inside = hops[k][: len(hops[k]) - len(down)]
        leads = hops[k][len(inside) :] == down and all(hop[:2] == (m.array, m.array) for hop in inside)
        if not leads or not ways.leads(m.node, places, [hop[2:] for hop in inside]):
            way = " to ".join(str(node) for node, _ in [(m.node, False), *places])
            wires_crossed = [hop[4] for hop in hops[k]]
            raise Violation(
                f"I14: {r.text_of(k)}, goes over the wires {wires_crossed}, which is no way of routing "
                f"{r.machine.routing} from node {way} and then to array {m.to.array}"
            )


class _Ways:
    """The wires between neighbours, distances by searches of networkx, and the ways of a formula, if any."""

    def __init__(self, network: Channels, formula: _Formula | None) -> None:
        import networkx as nx  # slow to load, and for checks alone

        self.network, self.formula = network, formula
        self.wires: dict[tuple[int, int], set[str]] = defaultdict(set)
        for a, b, wire in zip(network.source.tolist(), network.target.tolist(), network.wire, strict=True):
            self.wires[a, b].add(wire)
        graph = nx.DiGraph([*self.wires])
        graph.add_nodes_from(range(network.nodes))
        self.distance = cache(partial(nx.shortest_path_length, graph))

    def leads(self, node: int, places: list[tuple[int, bool]], hops: list[tuple[int, int, str]]) -> bool:
        """Whether hops (from, to, wire) lead from `node` from place to place. An un-shuffle to the place at
        the next row goes on shuffle wires, also where they are one-way."""
        remaining = iter(hops)
        for place, moves in places:
            unshuffles = moves and self.network.shuffles is not None and self._shuffled(place) == node
            following: Sequence[int | None] = [None] * self.distance(node, place)
            if unshuffles:
                following = [None] * self._turns(node, place)
            elif self.formula is not None and node != place:
                following = self._by(self.formula, node, place)
            for due in following:
                source, target, wire = next(remaining, (-1, -1, ""))
                if (
                    source != node
                    or wire != self._wire(node, target, unshuffles)
                    or due not in (None, target)
                ):
                    return False
                node = target
            if node != place:
                return False
        return next(remaining, None) is None

    def _by(self, formula: _Formula, node: int, place: int) -> list[int]:
        """The nodes after `node` by a formula; a turn that leaves a message where it is is no hop."""
        m = self.network.nodes.bit_length() - 1
        nodes = [int(address, 2) for address in formula(f"{node:0{m}b}", f"{place:0{m}b}")]
        return [b for a, b in pairwise([node, *nodes]) if a != b]

    def _wire(self, a: int, b: int, unshuffles: bool) -> str | None:
        """The wire of a hop: of parallel wires the first kind, built in the hop's direction if one is."""
        shuffles = [f"shuffle:{b}-{a}", f"shuffle:{a}-{b}"] if unshuffles else []
        named = (f"{kind}:{ends}" for kind in KINDS for ends in (f"{a}-{b}", f"{b}-{a}"))
        return next((wire for wire in (*shuffles, *named) if wire in self.wires[a, b]), None)

    def _turns(self, node: int, place: int) -> int:
        """Hops of an un-shuffle: one, or shuffles all around where the wires are one-way."""
        turns = 0
        while node != place:
            node, turns = self._shuffled(node) if self.network.shuffles == "forward" else place, turns + 1
        return turns

    def _shuffled(self, node: int) -> int:
        return 2 * node - (self.network.nodes - 1) * (2 * node >= self.network.nodes)


_Formula = Callable[[str, str], Iterator[str]]
"""The addresses, in bits, that follow the first on the way to the second."""


def conjugate(p: str, q: str) -> Iterator[str]:
    """Turn both addresses until they are neighbours, by the fewest turns, cross, and turn back."""
    m, apart = len(p), int(q, 2) - int(p, 2)
    b = abs(apart).bit_length() - 1
    step = b and -1 if b <= m - b else 1  # -1: the last bit comes first, an un-shuffle
    turns = min(b, m - b)
    for _ in range(turns):
        yield (p := p[step:] + p[:step])
    yield (p := f"{int(p, 2) + (1 if apart > 0 else -1):0{m}b}")
    for _ in range(turns):
        yield (p := p[-step:] + p[:-step])


def bit_by_bit(p: str, q: str) -> Iterator[str]:
    """Shuffle, and exchange the last bit where it is not the target's; then home, the shorter way round."""
    m = len(p)
    last = max(k for k in range(m) if p[k] != q[k])
    for k in range(last + 1):
        yield (p := p[1:] + p[0])
        if p[-1] != q[k]:
            yield (p := p[:-1] + q[k])
    rest, back = m - 1 - last, last + 1
    for _ in range(min(rest, back)):
        yield (p := p[-1] + p[:-1] if back < rest else p[1:] + p[0])


_FORMULAS: Mapping[str, _Formula] = {"conjugate": conjugate, "bit-by-bit": bit_by_bit}
"""Routings whose ways are longer than the shortest."""


# ------------------------------------------------------------ lines that the paper leaves out


def _nothing_in_vain(text: Text) -> None:
    """Implied lines, whose labels have a prime, cost no time that the text can do without: a Wait takes only
    what comes along with what is read, and after that; in a program that moves ahead, nothing moves after its
    update, or by itself if it is sent anyway."""
    for stream in text.program.streams:
        for _, lines in groupby(stream, key=lambda line: line.level):
            if text.program.about.get("ahead"):
                _moves_ahead(list(lines))
    alone: dict[tuple[int, int], list[Message]] = defaultdict(list)
    used = {(m.array, m.serial, m.to.array, value) for m in text.messages if m.works for value in m.values}
    for m in text.messages:
        if m.read_by is not None and not m.works:
            alone[m.to.array, m.read_by].append(m)
    for key, messages in alone.items():
        wait = text.issued[key][0]
        if not wait.step.endswith("'"):
            continue
        for m in messages:
            sender = text.issued[m.array, m.serial][0]
            if m.to.offset or not any((m.array, m.serial, m.to.array, value) in used for value in m.values):
                raise Violation(f"I14: nothing but the Wait {wait.step} reads what {sender.step} sends")
            stream = text.program.streams[key[0] - 1]
            since = stream.index(sender) + 1 if m.array == key[0] else 0
            values = {Operand(value) for value in m.values}
            readers = [x for x in stream[since:] if x is not wait and values & {*operands_of(x)}]
            if readers and stream.index(readers[0]) > stream.index(wait):
                raise Violation(f"I14: {wait.step} waits for what nothing needs before {readers[0].step}")


def _moves_ahead(lines: list[Instruction]) -> None:
    """In one level: with a value that is sent anyway, and before what the level computes with messages."""
    sends = [line for line in lines if isinstance(line, Send)]
    for line, other in permutations(sends, 2):
        arrays = {to.array for to in line.destinations} & {to.array for to in other.destinations}
        if line.level and line.step.endswith("'") and arrays and {*line.values} & {*other.values}:
            raise Violation(f"I14: {line.step} sends what {other.step} sends as well")
    sent: set[Value] = {value for line in sends for value in line.values}
    updated: set[Value] = set()
    for x in lines:
        if isinstance(x, Compute):
            if any(y.value in (sent if y.offset else updated) for y in operands_of(x)):
                updated.add(x.target)
            elif x.level not in (None, x.at):
                raise Violation(f"I14: {x.step} moves on before it computes what no neighbour changes")
        elif isinstance(x, Arrange) and updated & {*x.values}:
            raise Violation(f"I14: {x.step} moves what its level has updated, and not ahead of it")

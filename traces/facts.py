"""Facts of a run, computed once, and the sections of figures that a terminal and a page show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import PurePath
from typing import Any

import polars as pl

from senn.base.account import Section
from senn.base.tables import Table, table
from senn.traces import analysis
from senn.traces.analysis import LABELS, WORDS, share
from senn.traces.naming import counted, joules, listed
from senn.traces.parts import titled
from senn.traces.run import Run

_MOST = 12
"""Rows of a table of the longest or the most; the others are counted in its heading."""


@dataclass(frozen=True)
class RunFacts:
    """Program, machine and makespan of a run; None or empty where the description does not say."""

    problem: str | None
    program: str | None
    n: int | None
    variant: str
    """Variant of the program, as its algorithm calls it, and its precision if it is single."""
    allocation: str | None
    residency: str | None
    machine: str | None
    makespan: int
    clock: Fraction | None

    @property
    def choices(self) -> str:
        """The choices that distinguish the run from others of its problem."""
        order = None if self.allocation in (None, "identity") else f"allocation {self.allocation}"
        parts = (
            ": ".join(name for name in (self.problem, self.program) if name),
            self.n and f"n = {self.n}",
            *(self.variant, order, self.residency, self.machine),
        )
        return ", ".join(part for part in parts if part) or "run"

    @property
    def caption(self) -> str:
        """The choices and the makespan in one line."""
        return f"{self.choices}: {self.makespan:,} cycles"

    @property
    def microseconds(self) -> float:
        """The makespan at the clock of the machine."""
        return float(self.makespan / self.clock) if self.clock else 0.0

    @property
    def time(self) -> str:
        """The makespan and the clock: "12,058.2 us at 10 MHz"; empty without a clock."""
        return f"{self.microseconds:,.1f} us at {float(self.clock):g} MHz" if self.clock else ""


def facts(run: Run) -> RunFacts:
    """The facts of a run, also of one that was put together by hand."""
    description = run.description
    problem, program, place, machine = (
        description.get(name) or {} for name in ("problem", "program", "allocation", "machine")
    )
    single = "single precision" if description.get("precision") == "single" else ""
    name, algorithm = program.get("name"), description.get("algorithm") if problem else None
    words = (name or "").lower().replace("-", " ").split()
    if algorithm and len(words) in (1, 2) and not {*algorithm.split("-")} <= {*words}:
        name = f"{name} ({algorithm})"  # a short name says less: "star (star-together)"
    # A serial program is one process, at one place.
    return RunFacts(
        problem=problem.get("name"),
        program=name,
        n=len(problem["joints"]) if "joints" in problem else program.get("n"),
        variant=", ".join(filter(None, (next(iter(run.sections(run))).heading, single))),
        allocation=place.get("name"),
        residency=None if program.get("n") == 1 else place.get("residency"),
        machine=machine.get("name"),
        makespan=run.summary.get("makespan", 0),
        clock=Fraction(str(machine["clock_mhz"])) if "clock_mhz" in machine else None,
    )


# What ran, in labelled lines.


def account(run: Run) -> Iterator[Section]:
    """Subject, answer, certificate, time and communication of a run, as far as it has them."""
    what, *others = run.sections(run)
    yield Section(lines=(*what.lines, *what_ran(run), *what.notes))
    yield from others
    if run.summary.get("arrays"):
        yield time(run)
        yield communication(run)
    if charged(run):
        yield energy(run, "array")


def what_ran(run: Run) -> Iterator[tuple[str, str]]:
    """Program, allocation and machine of a run."""
    run_facts, description = facts(run), run.description
    program, machine = (description.get(name) or {} for name in ("program", "machine"))
    if program:
        words = (run_facts.program, run_facts.variant, f"n = {run_facts.n}")
        yield "program", ", ".join(filter(None, words))
    if "file" in program:
        yield "made by", f"{PurePath(program['file']).name}:{program['function']}"
    if run_facts.residency:
        yield "allocation", f"{run_facts.allocation}, {run_facts.residency}"
    if "arrays" in machine:
        clock = f"{machine['name']} at {machine['clock_mhz']} MHz"
        nodes = counted(description["schedule"]["nodes"], "node")
        size = f"{counted(machine['arrays'], 'array')} of {nodes}"
        usual = {"shuffle": "both", "merge_parallel": False, "routing": "lowest"}
        unusual = [f"{name} = {machine[name]}".lower() for name in usual if machine[name] != usual[name]]
        yield "machine", ", ".join([clock, size, f"network {machine['network']}", *unusual])
    if processes := description.get("processes"):
        ranks, hosts, cores, makespans = (processes[x] for x in ("ranks", "hosts", "cores", "makespans"))
        many = ": more ranks than cores" if ranks > cores else ""
        fastest = f"; the fastest of {counted(len(makespans), 'execution')}" if len(makespans) > 1 else ""
        where = f"{counted(hosts, 'host')} on {counted(cores, 'core')}"
        yield "measured", f"{counted(ranks, 'rank')} of {where}{many}{fastest}"
        turns = " and the turns of other arrays" if machine["arrays"] > 1 else ""
        yield "receiving", f"of a rank includes noticing messages{turns}"


# Where the time went: makespan, arrays, steps, stalls and communication.


def levels(run: Run) -> int:
    """M = log2 n rounded up, of a run."""
    return int(run.description["program"]["n"] - 1).bit_length()


def time(run: Run) -> Section:
    """The makespan in cycles and steps, and a row for each array."""
    lines, summary = [*makespan(run)], run.summary
    if schedule := run.description.get("schedule"):
        issued = " + ".join(f"{row['instructions']:,}" for row in summary["arrays"].values())
        network = f"{schedule['network_steps']:,} network steps"
        lines.append(("steps", f"{issued} instructions, {network}, {counted(levels(run), 'level')}"))
    if bounds := run.description.get("bounds"):
        free, blocking, whole = bounds["free_network"], bounds["blocking"], bounds["makespan"]
        stalled = "" if summary["stall"] is None else f" (the arrays stall {summary['stall']:,} in all)"
        due = f"T - T0 = {whole - free:,} cycles of the makespan are due to the network{stalled}"
        lines += [
            ("free network", f"T0 = {free:,} cycles, were every message there when it is posted"),
            ("", due),
            ("blocking sends", f"{blocking:,} cycles, if every send returned on delivery (dma = false)"),
        ]
    return Section("Time", tuple(lines), arrays(summary["arrays"]))


def makespan(run: Run) -> Iterator[tuple[str, str]]:
    """The makespan of any run, and what the critical path spent it on."""
    run_facts, detail = facts(run), run.trace.detail
    yield "makespan", " = ".join(x for x in (f"{run_facts.makespan:,} cycles", run_facts.time) if x)
    if detail != "full":
        yield "spent on", f"not told: it takes the messages, which detail {detail} does not keep"
    elif run_facts.clock:
        yield "spent on", analysis.spent_text(run.spent)


def arrays(summary: Mapping[str, Any]) -> Table:
    """A row for each array: instructions, end, exposed stall, dependency waits, share of time stalled."""
    rows = (
        (
            f"array {number}",
            *(row[name] for name in ("instructions", "end", "exposed_stall", "dependency_wait")),
            f"{100 * row['stall'] / row['end']:.0f} %" if row["stall"] is not None and row["end"] else "-",
        )
        for number, row in summary.items()
    )
    return table([""], ["instructions", "ends at", "exposed\nstall", "dependency\nwait", "stalled"], rows)


def communication(run: Run) -> Section:
    """Traffic, buffers, scores of the allocation, the cycles in flight hidden and exposed, and stalls."""
    summary, lines = run.summary, {}
    if summary["messages"] is not None:
        counts = (f"{summary[name]:,} {name}" for name in ("messages", "hops", "words"))
        lines["traffic"] = f"{', '.join(counts)} of 64 bits"
    if run.trace.detail == "full":
        words = analysis.peak_buffer(run.trace)
        lines["buffered"] = f"at most {words:,} words at a node, waiting for a channel further on"
    if scores := run.description.get("scores"):
        congestion = f"congestion {scores['congestion']:,} ({scores['congestion_in_all']:,} in all)"
        moved = f"load {scores['load']:,}, {scores['word_hops']:,} words x hops"
        lines["allocation"] = f"dilation {scores['dilation']}, {congestion}, {moved}"
    if in_flight := summary["in_flight"]:
        exposed, hidden = (
            f"{share(summary[name], in_flight)} of these, {summary[name]:,}" for name in ("exposed", "hidden")
        )
        lines["in flight"] = f"{in_flight:,} cycles, summed over messages"
        lines["exposed"] = f"{exposed}: a control unit is stalled until the message arrives"
        lines["hidden"] = f"{hidden}, while the reader works in {summary['overlapped']:,} of them"
    alone = summary["stall"] is None
    stall, exposed = (summary[f"node_{name}" if alone else name] for name in ("stall", "exposed_stall"))
    if stall is not None:
        text = "node cycles: a node" if alone else "array cycles: an array"
        lines["exposed stall"] = f"{exposed:,} {text} is stalled for a message in flight"
        lines["dependency wait"] = f"{stall - exposed:,} {text} is stalled for a message not yet posted"
    if alone:
        lines["control"] = "mimd: every node issues by itself, so an array as a whole never stalls"
    return Section("Communication", tuple(lines.items()))


def charged(run: Run) -> bool:
    """Whether the machine of a run has energies."""
    return "energy" in run.description.get("machine", {})


def femtojoules(run: Run) -> int | None:
    """The energy of a run; None without energies of its machine, or without all tables."""
    return int(run.energy["femtojoules"].sum()) if charged(run) and run.trace.detail == "full" else None


_ENERGY = ("array", "part", "step", "level", "cause", "kind")


def figures(run: Run) -> dict[str, Any]:
    """Figures of a run by name, for programs: times, energy, schedule, traffic, and those of each array.

    None for what its detail does not keep, its machine does not have, or was not asked for.
    """
    description, summary = run.description, run.summary
    bounds, schedule = description.get("bounds", {}), description["schedule"]
    stall, femto = summary["stall"], femtojoules(run)  # where every node issues by itself no array stalls
    return {
        "makespan": summary["makespan"],
        "microseconds": facts(run).microseconds,
        **{name: bounds.get(name) for name in ("free_network", "blocking")},
        "spent": run.spent if run.trace.detail == "full" else None,
        "femtojoules": femto,
        "energy": None if femto is None else analysis.account(run.energy, *_ENERGY).to_dicts(),
        "nodes": schedule["nodes"],
        "instructions": sum(row["instructions"] for row in summary["arrays"].values()),
        "network_steps": schedule["network_steps"],
        **{name: score for name, score in description.get("scores", {}).items() if name != "makespan"},
        **{name: summary[name] for name in ("messages", "hops", "words", "stall", "exposed_stall")},
        "dependency_wait": None if stall is None else stall - summary["exposed_stall"],
        **{name: summary[name] for name in ("node_stall", "node_exposed_stall") if name in summary},
        **{name: summary[name] for name in ("in_flight", "exposed", "hidden", "overlapped")},
        "by_array": summary["arrays"],
    }


def energy(run: Run, *by: str) -> Section:
    """The energy of a run in all and by cause, and a row for each array, or each part of each."""
    whole = femtojoules(run)
    if whole is None:
        text = f"not told: it takes activities and hops, which detail {run.trace.detail} does not keep"
        return Section("Energy", (("energy", text),))
    rows = [
        (
            f"array {array}",
            *(titled(part or "at its end", run.parts.titles) for part in parts),
            joules(x),
            share(x, whole),
        )
        for array, *parts, _, x in analysis.account(run.energy, *by).iter_rows()
    ]
    shown = table(["", "part"][: len(by)], ["energy", "share"], rows)
    return Section("Energy", (("energy", energy_text(run.energy)),), shown)


def energy_text(rows: pl.DataFrame) -> str:
    """Rows of `Run.energy` in all and by cause: "13.0 uJ: 8.70 uJ (67 %) computing and ..."."""
    whole = int(rows["femtojoules"].sum())
    causes = analysis.account(rows, "cause").select("cause", "femtojoules").iter_rows()
    parts = [f"{joules(part)} ({share(part, whole)}) {cause}" for cause, part in causes]
    return f"{joules(whole)}: {listed(parts)}" if parts else joules(whole)


def parts(run: Run) -> pl.DataFrame:
    """The instructions by array and lettered section of the paper, as `analysis.spans` divides them."""
    return run.trace.instructions.group_by("array", analysis.part().alias("part"), maintain_order=True).agg(
        pl.len().alias("instructions"),
        (pl.col("end") - pl.col("issue")).sum().alias("cycles"),
        pl.col("dependency_wait").sum(),
        pl.col("exposed").sum().alias("exposed_stall"),
        pl.col("issue").min(),
        pl.col("end").max(),
    )


def steps(run: Run) -> Section:
    """A row for each part of the algorithm and array, all levels together."""
    alone = analysis.per_node(run.trace)
    kept = ("instructions", *(("issue", "end") if alone else ("cycles", "dependency_wait", "exposed_stall")))
    heads = ["begins", "ends"] if alone else ["working", "dependency\nwait", "exposed\nstall"]
    unit = "from the first node to begin to the last to end" if alone else "cycles of the control unit"
    rows = (
        (f"array {row['array']}", titled(row["part"], run.parts.titles), *(row[name] for name in kept))
        for row in parts(run).iter_rows(named=True)
    )
    heading = f"Steps ({unit}, all levels together)"
    return Section(heading, table=table(["", "step"], ["instructions", *heads], rows))


def longest_waits(run: Run, most: int = _MOST) -> Section:
    """The causes of most stalled cycles: the step that waited, and the value and step that it waited for."""
    causes = analysis.waits(run.trace)
    other = pl.when(pl.col("cause_array") != pl.col("array")).then(pl.format(", array {}", "cause_array"))
    cause = pl.format("{} of {}{}", "value", "cause", other.otherwise(pl.lit("")))
    figures = (cause.alias("waits for"), "stalls", "dependency_wait", "exposed_stall")
    rows = causes.head(most).select(pl.format("array {}", "array"), "step", *figures).rows()
    unit = "node cycles" if analysis.per_node(run.trace) else "cycles"
    heading = _first(f"Longest waits ({unit}, all levels together)", causes.height, most)
    heads = ["times", "dependency\nwait", "exposed\nstall"]
    return Section(heading, table=table(["", "step", "waits for"], heads, rows))


def spent(run: Run) -> Section:
    """Parts of the makespan along the critical path."""
    whole = sum(run.spent.values())
    heading = "The makespan, along the critical path"
    return Section(heading, table=_shares("spent on", {name: run.spent[name] for name in LABELS}, whole))


def stalled(run: Run) -> Section:
    """All stalled cycles by cause."""
    by_label = analysis.by_label(run.charges)
    units = "nodes" if analysis.per_node(run.trace) else "arrays"
    heading = f"What the {units} were stalled for, to the cycle"
    return Section(heading, table=_shares("charged to", by_label, sum(by_label.values())))


def _shares(head: str, cycles: Mapping[str, int], whole: int) -> Table:
    """Cycles by label with their shares, and the sum below."""
    rows = [(WORDS[name], count, share(count, whole)) for name, count in cycles.items() if count]
    return table([head], ["cycles", "share"], [*rows, ("together", whole, "100 %" if whole else None)])


def traffic(run: Run) -> Section:
    """The steps that sent most words."""
    sums = ("messages", "words", "hops", "word_hops")
    by_step = analysis.traffic(run.trace).group_by("source_array", "step", maintain_order=True)
    sent = by_step.agg(pl.col(sums).sum()).sort("words", descending=True, maintain_order=True)
    rows = sent.head(_MOST).select(pl.format("{} of array {}", "step", "source_array"), *sums).rows()
    heading = _first("What the steps sent, most words first", sent.height)
    return Section(heading, table=table(["step"], ["messages", "words", "hops", "words x hops"], rows))


def channels(run: Run) -> Section:
    """The channels that were occupied longest."""
    whole = max(run.summary["makespan"], 1)
    used = analysis.channels(run.trace).sort("busy", descending=True, maintain_order=True)
    shown = used.head(_MOST)
    ends = ("source_array", "source_node", "target_array", "target_node")
    shares = pl.Series("share", [share(busy, whole) for busy in shown["busy"]], pl.String)
    figures = ("load", "words", "busy", shares, "queueing")
    rows = shown.select(pl.format("{} {}:{} to {}:{}", "kind", *ends), *figures).rows()
    heads = ["messages", "words", "occupied", "share", "queueing"]
    heading = _first("Channels, the longest occupied first", used.height)
    return Section(heading, table=table(["channel"], heads, rows))


def _first(heading: str, count: int, most: int = _MOST) -> str:
    return f"{heading}: the first {most} of {count:,}" if count > most else heading

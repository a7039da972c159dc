"""The tables of claims.md, its data files and its pictures, some minutes.

The tables are written from docs/data/claims/claims.csv, which has every claim with its verdicts, and from
unverified.csv, which has the figures without a source that decide some of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import cache, partial
from itertools import product
from typing import Any

from matplotlib import pyplot
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from experiments.claims import CLAIMS, FULL, Finding, Scope, claims
from experiments.claims.claim import WITHOUT_VERDICT
from experiments.measuring import Trial, VariedMachine, corners, machine, measured, placed, survey
from experiments.page import DATA as FOLDER
from experiments.page import Figures, Tables, data, head, over_sizes, row, titled
from senn.machine.model.figures import plain as printed
from senn.traces.naming import listed
from senn.traces.pictures import style
from senn.traces.pictures.style import LOOKS

COUNTED = (
    *("strictly-sequential", "optimal", "elimination", "lambda-dearer", "other-projections"),
    *("ldl-serially", "explicit-inverse", "mass-matrix-dearer", "serial-cost", "serial-cost-closed"),
)
"""Claims in whose verdict no machine plays a role."""


@cache
def found() -> dict[str, Finding]:
    """Every claim examined."""
    return claims()


def every_claim() -> Iterator[str]:
    """Rows of claims.csv: sentence, verdicts, experiment and rule of each claim."""
    verdict = ("verdict", "condition", "effect")
    today = [f"{column} today" for column in verdict]
    yield from head("claim", "Fijany", "sentence", *verdict, *today, "experiment", "rule", "figures")
    for claim in CLAIMS.values():
        finding = found()[claim.name]
        titles = " // ".join(figures.title for figures in finding.figures)
        judged = (finding.verdict, finding.today)
        verdicts = [x for v in judged for x in ((v.word, v.condition, v.effect) if v else ("", "", ""))]
        yield row(claim.name, claim.place, claim.says, *verdicts, claim.experiment, claim.rule, titles)


def figures_of(name: str, index: int) -> Iterator[str]:
    """Rows of one table of a claim."""
    rows = found()[name].figures[index].rows
    yield from head(*rows[0])
    yield from (row(*one.values()) for one in rows)


SHORT = Scope((8, 16, 32, 64), (), few=(8, 32))
LONG = ("senn-optimal",)
"""Claims that longer arms decide; SHORT arms tell of the others what long arms tell."""


def unverified() -> Iterator[str]:
    """Cases that come out otherwise where figures without a source are at bounds of their intervals."""
    yield from head("claim", "era", "machine", "as in the preset", "figures", "otherwise at")
    names = (name for name in CLAIMS if name not in COUNTED)
    with ProcessPoolExecutor(2) as pool:
        for rows in pool.map(moved, *zip(*product(names, FULL.machines), strict=True), chunksize=3):
            yield from rows


def moved(name: str, on: str) -> list[str]:
    """Rows of unverified.csv: a claim on a machine."""
    claim, extent = CLAIMS[name], FULL if name in LONG else SHORT
    usual = _cases(claim.examine(replace(extent, machines=(on,))), on)
    changed: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for corner in corners(machine(on).intervals) if usual else ():
        varied = replace(extent, machines=(VariedMachine(on, tuple(corner.items())),))
        there = _cases(claim.examine(varied), on)
        for case in usual:
            if there.get(case) != usual[case]:
                changed.setdefault(case, []).append(corner)
    return [
        row(name, era, on, "yes" if usual[era, case] else "no", _moving(at), "; ".join(map(_corner, at)))
        for (era, case), at in changed.items()
    ]


def _cases(finding: Finding, on: str) -> dict[tuple[str, str], bool]:
    """By era and case, what a finding says of a machine: the case is the machine, or that data migrate."""
    eras = {"1993": finding.verdict, "today": finding.today}
    return {
        (era, case): holds
        for era, verdict in eras.items()
        if verdict and on not in WITHOUT_VERDICT
        for case, holds in verdict.cases.items()
        if case in (on, "migrating")
    }


def _moving(corners: list[dict[str, Any]]) -> str:
    """Figures of which one is enough, or those of the first corner."""
    alone = dict.fromkeys(name for corner in corners if len(corner) == 1 for name in corner)
    return listed(alone, "or") if alone else f"{listed(corners[0])} together"


def _corner(corner: dict[str, Any]) -> str:
    return ", ".join(f"{name} = {printed(to)}" for name, to in corner.items())


def verdicts(counted: bool) -> Iterator[str]:
    """A table of the page, from claims.csv: claims whose experiment counts, or times on machines."""
    figures = [] if counted else ["rests on unverified"]
    yield from head("claim", "sentence", "Fijany", "verdict", "condition", *figures)
    titles, *rows = data("claims", "claims")
    for entry in (dict(zip(titles, line, strict=True)) for line in rows):
        name, today = entry["claim"], entry["verdict today"]
        if (name in COUNTED) != counted:
            continue
        verdict = f"**{entry['verdict']}**"
        verdict = f"1993: {verdict}<br>today: **{today}**" if today else verdict
        conditions = dict.fromkeys(filter(None, (entry["condition"], entry["condition today"])))
        labels = (name, "2")[: len(entry["figures"].split(" // "))]
        links = (f"[{text}](../data/claims/{name}-{k}.csv)" for k, text in enumerate(labels, 1))
        place = entry["Fijany"].replace("paragraph ", "")
        cells = (", ".join(links), f'"{entry["sentence"]}"', place, verdict, "<br>".join(conditions))
        yield row(*cells, *([] if counted else [rests_on(name)]))


def rests_on(claim: str) -> str:
    """Machines and their figures, from unverified.csv."""
    of_eras: dict[str, list[str]] = {}
    for name, era, on, _, figures, _ in data("claims", "unverified")[1:]:
        if name == claim:
            of_eras.setdefault(f"{on}: {figures}", []).append(era)
    several = len(set(map(tuple, of_eras.values()))) > 1
    texts = (f"{text} ({', '.join(eras)})" if several else text for text, eras in of_eras.items())
    return "<br>".join(texts) or "-"


# --------------------------------------------------------------------------------- pictures


def growth() -> Figure:
    """Cycles of one machine, home and migrating, and network steps."""
    figure = pyplot.figure(figsize=(10.0, 4.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    for residency, color, marker in (("migrating", style.COLORS[0], "o"), ("home", style.EXPOSED, "s")):
        trials = [Trial(n, "mark3", residency=residency) for n in FULL.sizes]  # type: ignore[arg-type]
        look: dict[str, Any] = {"color": color, "marker": marker, "label": residency}
        left.plot(FULL.sizes, [run.makespan for run in survey(trials).values()], **look)
        right.plot(FULL.sizes, [placed(trial).network_steps() for trial in trials], **look)
    left.set_ylabel("makespan on mark3 (cycles)")
    right.set_ylabel("network steps")
    for ax in (left, right):
        over_sizes(ax)
        ax.grid()
        ax.set_ylim(bottom=0)
        ax.yaxis.set_major_formatter("{x:,.0f}")
        ax.legend(frameon=False)
    migrating, home = (float(line.get_ydata()[-1]) for line in left.lines)  # type: ignore[arg-type, index]
    times = f"{home / migrating:.2g} times as long as data that migrate"
    titled(figure, f"At n = {FULL.sizes[-1]:,}, data at home take {times}")
    return figure


def step_two() -> Figure:
    """When Step II ends and Lambda^-1 arrives, n = 32, on the machines that get a verdict."""
    table_rows = found()["step-two-hidden"].figures[0].rows
    rows = [row for row in table_rows if row["n"] == 32 and row["machine"] not in WITHOUT_VERDICT]
    ax = pyplot.figure(figsize=(9.0, 0.5 * len(rows) + 2.0), layout="constrained").subplots()
    for place, entry in enumerate(rows):
        makespan = measured(Trial(32, entry["machine"])).makespan
        color = style.EXPOSED if entry["late by"] else style.HIDDEN
        ax.barh(place, entry["Step II ends"] / makespan, color=color, height=0.55)
        arrival = [entry["Lambda^-1 arrives"] / makespan] * 2
        ax.plot(arrival, [place - 0.4, place + 0.4], color=style.INK, linewidth=2.5)
    ax.set_yticks(range(len(rows)), [row["machine"] for row in rows])
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xlim(0, 1)
    ax.set_xlabel("share of the makespan")
    style.plain_frame(ax)
    entries = [
        style.patch("Step II, hidden behind Step I", facecolor=style.HIDDEN),
        style.patch("Step II, the longer one", facecolor=style.EXPOSED),
        Line2D([], [], color=style.INK, linewidth=2.5, label="Lambda^-1 arrives"),
    ]
    hidden = [row["machine"] for row in rows if not row["late by"]]
    title = f"n = 32: Step II is hidden behind Step I on {len(hidden)} of {len(rows)} machines"
    style.headed(ax, title, entries)
    return ax.figure


def networks() -> Figure:
    """Other networks on mark3."""
    ax = pyplot.figure(figsize=(9.0, 5.2), layout="constrained").subplots()
    over_sizes(ax)
    ax.grid()
    rows = [row for row in found()["senn-optimal"].figures[0].rows if row["machine"] == "mark3"]
    _, _, *labels = rows[0]
    for (color, marker), label in zip(LOOKS, labels, strict=False):
        times = [row[label] for row in rows]
        ax.plot([row["n"] for row in rows], times, color=color, marker=marker, label=label)
    ax.axhline(1.0, color=style.INK, linewidth=0.8)
    ax.set_yscale("log", base=2)
    ax.yaxis.set_major_formatter("{x:g}")
    ax.set_ylabel("makespan / that on SENN")
    quick = [label for label in labels if rows[-1][label] < 1]
    named = ", ".join(quick) or "none"
    title = f"At n = {rows[-1]['n']}, {len(quick)} networks ({named}) are faster than SENN"
    style.headed(ax, title, ax.get_legend_handles_labels()[0], columns=3)
    return ax.figure


def _data() -> Tables:
    """The rows of every data file; the files that are there name the tables of each claim."""
    tables: dict[str, Callable[[], Iterator[str]]] = {"claims": every_claim, "unverified": unverified}
    for file in sorted((FOLDER / "claims").glob("*-[1-9].csv")):
        name, _, number = file.stem.rpartition("-")
        tables[file.stem] = partial(figures_of, name, int(number) - 1)
    return tables


DATA = _data()
TABLES: Tables = {"counted": partial(verdicts, True), "timed": partial(verdicts, False)}
FIGURES: Figures = {"claims-growth": growth, "claims-networks": networks, "claims-step-two": step_two}
